"""The figures of the chapter on the conjecture are drawn."""

import matplotlib.pyplot as plt
import pytest

from reproduction.drawing import conjecture
from reproduction.exact import optimal_stump_permutations

ORDERS = optimal_stump_permutations(6).tolist()


@pytest.mark.parametrize("draw", [conjecture.levels, conjecture.matching])
def test_a_figure_of_six_examples_has_axes(draw):
    draw(ORDERS)
    assert plt.gcf().axes


def test_the_weave_is_a_picture_with_a_description():
    shown = conjecture.weave(ORDERS, "Sets of examples, and lines through them.")
    assert 'data-picture="weave"' in shown.data
    assert "Sets of examples, and lines through them." in shown.data


def test_the_counts_are_drawn_beside_the_bound():
    conjecture.attained({3: [2, 3]}, {3: [2, 3]})
    assert len(plt.gca().lines) == 2
