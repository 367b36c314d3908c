"""The figures of the chapter on what a tree is are drawn."""

import matplotlib.pyplot as plt
import pytest

from reproduction.drawing import what_a_tree_is

INF = float("inf")
STUMP = (0, 0, 1, 2)
HALVES = [((-INF, -INF), (0, INF), 1), ((0, -INF), (INF, INF), 2)]
CHAIN = (0, "a", (1, "b", (0, "c", 1, 2), 3), 4)
FOUR = [(CHAIN, (0, 1, 0), {"a": 0.5, "b": 0.2, "c": -0.5}, HALVES)] * 4


def boxes_of(tree, lower=(-INF, -INF), upper=(INF, INF)):
    """The box of each leaf of a tree on two features."""
    if not isinstance(tree, tuple):
        return [(lower, upper, tree)]
    feature, threshold, no, yes = tree
    top = list(upper)
    bottom = list(lower)
    top[feature] = bottom[feature] = threshold
    return boxes_of(no, lower, tuple(top)) + boxes_of(yes, tuple(bottom), upper)


def test_the_boxes_of_the_irises_are_those_of_the_tree():
    boxes = boxes_of(what_a_tree_is.IRIS_TREE)
    assert boxes == what_a_tree_is.IRIS_BOXES


@pytest.mark.parametrize(
    ("draw", "arguments"),
    [
        (what_a_tree_is.iris, ()),
        (what_a_tree_is.quadrants, (STUMP, HALVES)),
        (what_a_tree_is.pinwheel, (HALVES,)),
        (what_a_tree_is.four_leaves, (FOUR,)),
    ],
)
def test_each_figure_has_axes(draw, arguments):
    draw(*arguments)
    assert plt.gcf().axes
