import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import plain_id3
from oracles.yildiz_figure5 import lb_lary
from reproduction.multiway.id3 import grow_id3
from reproduction.multiway.yildiz_lary import yildiz_lary_estimate


@st.composite
def grown(draw):
    n_values = draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    X = draw(st.lists(st.tuples(*(st.integers(0, L - 1) for L in n_values)), min_size=1, max_size=20))
    y = draw(st.lists(st.integers(0, 1), min_size=len(X), max_size=len(X)))
    return grow_id3(X, y, n_values, 2)


@given(grown())
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
        gone, above = set(), tree.parents[node]
        while above >= 0:
            gone.add(int(tree.feature[above]))
            above = tree.parents[above]
        assert path[node] == lb_lary(subtree, {i: L for i, L in values.items() if i not in gone})
    assert below[0] == path[0]
    assert np.all(path <= below)
    assert np.all(below <= everywhere)


def test_values_beyond_floating_point():
    # sum of 2^(L-1) - 1 over two features with 2000 values each is 2^2000 - 2
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
