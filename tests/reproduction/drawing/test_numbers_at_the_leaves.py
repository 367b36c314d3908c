import matplotlib.pyplot as plt

from reproduction.drawing import numbers_at_the_leaves as drawing


def test_all_patterns_are_drawn_beside_one():
    drawing.five_pairs(lambda pattern: ([0.5, 2.5], [0, 4, 8]), (1, 0, 1, 1, 0))
    assert len(plt.gcf().axes) == 1 + 2**5
