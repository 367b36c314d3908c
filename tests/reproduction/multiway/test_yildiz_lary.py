import numpy as np
import pytest
from hypothesis import given

from builders import categorical
from oracles import plain_id3
from oracles.yildiz_figure5 import lb_lary
from reproduction.multiway.id3 import grow_id3
from reproduction.multiway.yildiz_lary import yildiz_lary_estimate


@given(categorical((1, 4), (1, 5), (1, 20), 2).map(lambda sample: grow_id3(*sample)))
def test_equals_figure_5_at_every_node(tree):
    below, path, everywhere = (
        yildiz_lary_estimate(tree.feature, tree.parents, tree.n_values, inputs)
        for inputs in ("below", "path", "all")
    )
    values = dict(enumerate(tree.n_values.tolist()))
    where = plain_id3.positions(tree)
    nested = plain_id3.nested(tree)

    for node in range(tree.n_nodes):
        subtree = plain_id3.subtree_at(nested, where[node])
        assert below[node] == lb_lary(subtree, values)
        gone = set()
        above = tree.parents[node]
        while above >= 0:
            gone.add(int(tree.feature[above]))
            above = tree.parents[above]
        assert path[node] == lb_lary(
            subtree, {i: L for i, L in values.items() if i not in gone}
        )

    assert below[0] == path[0]
    assert np.all(path <= below)
    assert np.all(below <= everywhere)


def test_values_beyond_floating_point():
    # sum of 2^(L-1) - 1 over two features with 2000 values each is 2^2000 - 2.
    assert yildiz_lary_estimate([0, -1], [-1, 0], [2000, 2000])[0] == 2000


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (([0], [-1, 0], [2]), "feature and parent"),
        (([-1], [-1], [0]), "n_values"),
        (([-1], [-1], [2], "none"), "inputs"),
    ],
)
def test_bad_input(arguments, named):
    with pytest.raises(ValueError, match=named):
        yildiz_lary_estimate(*arguments)
