"""The figure of the chapter on trees as messages is drawn."""

import matplotlib.pyplot as plt

from reproduction.drawing import trees_as_messages


def test_a_line_for_each_length():
    double = (2).__mul__
    trees_as_messages.codes(range(2, 5), double, double, double)
    assert [list(line.get_ydata()) for line in plt.gcf().axes[0].lines] == 3 * [
        [4, 6, 8]
    ]
