"""The figures of the chapter on partitions and shattering are drawn."""

import matplotlib.pyplot as plt
import pytest

from reproduction.drawing import partitioning_machines as drawing

POINTS = [(1, 3), (2, 1), (3, 4), (4, 2), (5, 5)]
POSSIBLE = frozenset(map(frozenset, ({0}, {1}, {2, 3, 4})))
IMPOSSIBLE = frozenset(map(frozenset, ({0, 4}, {1, 2}, {3})))


@pytest.mark.parametrize(
    ("draw", "argument"),
    [
        (drawing.one_tree, POINTS),
        (drawing.structures, [drawing.CHAIN, drawing.CHAIN]),
        (drawing.strict_case, [(1, 30, 20), (1, 29, 25)]),
        (drawing.profile, {2: 1, 3: 3}),
    ],
)
def test_each_figure_has_axes(draw, argument):
    draw(argument)
    assert plt.gcf().axes


def test_partitions_are_drawn_with_the_cuts_that_make_them():
    drawing.partitions(POINTS, [POSSIBLE, IMPOSSIBLE])
    first, second, *_ = plt.gcf().axes
    assert (len(first.lines), len(second.lines)) == (5, 3)


def test_two_cuts_make_the_partition_or_there_are_none():
    assert drawing.two_cuts(POINTS, POSSIBLE) is not None
    assert drawing.two_cuts(POINTS, IMPOSSIBLE) is None
