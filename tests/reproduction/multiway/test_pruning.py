import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import categorical
from oracles import plain_id3
from oracles.yildiz_figure5 import lb_lary
from reproduction import vc_srm_bound
from reproduction.multiway.id3 import grow_id3
from reproduction.multiway.pruning import (
    reduced_error_nodes,
    srm_nodes,
    vc_srm_estimates,
)

SAMPLES = categorical((2, 3), (2, 5), (2, 60), 2)


def plainly_pruned(tree, label, X, y, order, leaf_is_better):
    """Prune nested tuples by a rule on (subtree, label of the leaf, examples),
    recursively.
    """
    if not isinstance(tree, tuple):
        return tree

    feature, label, branches = tree
    if order == "top-down" and leaf_is_better(tree, label, X, y):
        return label

    new = {}
    for value, child in branches.items():
        rows = [r for r, row in enumerate(X) if row[feature] == value]
        part = [X[r] for r in rows], [y[r] for r in rows]
        new[value] = plainly_pruned(child, label, *part, order, leaf_is_better)

    tree = feature, label, new
    return label if order == "bottom-up" and leaf_is_better(tree, label, X, y) else tree


@given(
    SAMPLES,
    st.sampled_from(["top-down", "bottom-up"]),
    st.sampled_from(["cut", "keep"]),
)
def test_reduced_error_pruning(sample, order, ties):
    X, y, n_values, _ = sample
    half = len(X) // 2
    tree = grow_id3(X[half:], y[half:], n_values, 2)
    cut = reduced_error_nodes(
        tree, np.array(X[:half]), y[:half], order=order, ties=ties
    )
    expected = plainly_pruned(
        plain_id3.nested(tree),
        None,
        X[:half],
        y[:half],
        order,
        lambda t, label, X, y: (
            sum(c != label for c in y) + (ties == "keep") <= plain_id3.errors(t, X, y)
        ),
    )
    assert plain_id3.nested(tree.collapse(cut)) == expected


@given(
    SAMPLES,
    st.sampled_from(["top-down", "bottom-up"]),
    st.sampled_from(["node", "whole"]),
)
def test_srm_pruning(sample, order, count):
    X, y, n_values, _ = sample
    tree = grow_id3(X, y, n_values, 2)
    values = dict(enumerate(n_values))

    def leaf_is_better(subtree, label, rows, classes):
        n = (len(rows) if count == "node" else len(X)) or 1
        wrong = sum(c != label for c in classes)
        as_leaf = vc_srm_bound(wrong / n, 1, n, a1=0.3)
        try:
            as_subtree = vc_srm_bound(
                plain_id3.errors(subtree, rows, classes) / n,
                lb_lary(subtree, values),
                n,
                a1=0.3,
            )
        except ValueError:  # eps is negative: the subtree is kept
            return False

        return as_leaf < as_subtree

    cut = srm_nodes(tree, a1=0.3, order=order, sample=count, inputs="below")
    expected = plainly_pruned(plain_id3.nested(tree), None, X, y, order, leaf_is_better)
    assert plain_id3.nested(tree.collapse(cut)) == expected


@given(SAMPLES)
def test_many_settings_at_once(sample):
    X, y, n_values, _ = sample
    tree = grow_id3(X, y, n_values, 2)
    a1 = np.array([[0.05], [0.5], [2.0]])
    a2 = np.array([[2.0], [1.0], [4.0]])
    together = srm_nodes(tree, a1, a2)

    for one, (x1, x2) in zip(
        together, zip(a1[:, 0], a2[:, 0], strict=True), strict=True
    ):
        assert np.array_equal(one, srm_nodes(tree, x1, x2))


def test_no_held_out_examples_cut_everything():
    tree = grow_id3([[0], [1]], [0, 1], [2], 2)
    assert (
        tree.collapse(
            reduced_error_nodes(tree, np.empty((0, 1)), np.empty(0, dtype=int))
        ).n_nodes
        == 1
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": "sideways"}, "order"),
        ({"a1": [[0.1], [0.2]], "order": "bottom-up"}, "a1 and a2 must be numbers"),
        ({"a2": -1.0}, "a2 must hold numbers"),
        ({"sample": "half"}, "sample"),
        ({"inputs": "half"}, "inputs"),
    ],
)
def test_bad_options_of_srm_are_named(options, message):
    tree = grow_id3([[0], [1]], [0, 1], [2], 2)
    with pytest.raises(ValueError, match=message):
        srm_nodes(tree, **options)


def test_a_bad_order_of_reduced_error_pruning_is_named():
    tree = grow_id3([[0], [1]], [0, 1], [2], 2)
    with pytest.raises(ValueError, match="order"):
        reduced_error_nodes(tree, [[0]], [0], order="sideways")


@given(st.floats(0, 1), st.integers(1, 9), st.integers(10, 10**6), st.floats(0.01, 1))
def test_estimates_are_the_bound(E, V, N, a1):
    assert vc_srm_estimates(E, V, N, a1, 2.0) == pytest.approx(
        vc_srm_bound(E, V, N, a1)
    )


def test_a_negative_eps_counts_as_0():
    assert vc_srm_estimates(0.3, 60, 10, 0.1, 2.0) == 0.3
    # eps changes its sign near V = e a2 N and is largest at V = a2 N.
    V = np.arange(1, 80)
    eps = vc_srm_estimates(0.0, V, 10, 0.1, 2.0)
    assert V[eps.argmax()] == 20
    assert abs(V[eps > 0].max() - 2 * 10 * np.e) < 3
