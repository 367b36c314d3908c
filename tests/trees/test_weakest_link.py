"""The weakest-link sequence against the textbook procedure and against all prunings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.tree import DecisionTreeClassifier

from oracles.prunings import all_prunings, leaves_of, weakest_links
from treebounds.formats import from_sklearn
from treebounds.trees import weakest_link_sequence
from trees.test_array_tree import array_trees, chain


@given(array_trees(max_leaves=12), st.data())
def test_it_is_the_textbook_sequence(tree, data):
    any_costs = st.lists(
        st.integers(0, 8), min_size=tree.n_nodes, max_size=tree.n_nodes
    )
    costs = data.draw(st.none() | any_costs)
    sequence = weakest_link_sequence(tree, costs)
    steps = list(zip(sequence.alphas, sequence.n_leaves, sequence.costs, strict=True))
    assert steps == weakest_links(tree, tree.leaf_errors if costs is None else costs)


@pytest.mark.no_cover
@given(array_trees(max_leaves=7), st.floats(0, 6))
def test_members_minimize_over_all_prunings(tree, alpha):
    sequence = weakest_link_sequence(tree)
    member = np.searchsorted(sequence.alphas, alpha, side="right") - 1
    best = min(
        (
            sum(tree.leaf_errors[leaf] for leaf in leaves) + alpha * len(leaves),
            len(leaves),
        )
        for leaves in (leaves_of(tree, cut) for cut in all_prunings(tree))
    )
    value = sequence.costs[member] + alpha * sequence.n_leaves[member]
    assert value == pytest.approx(best[0])


@pytest.mark.no_cover
@given(array_trees(max_leaves=15), st.integers(0, 2**32 - 1))
def test_members_are_nested_and_summed_along(tree, seed):
    sequence = weakest_link_sequence(tree)
    values = np.random.default_rng(seed).integers(0, 9, tree.n_nodes)
    totals = sequence.along(values)
    before = set(range(tree.n_nodes))
    for i, total in enumerate(totals):
        nodes = sequence.nodes(i)
        collapsed = tree.collapse(nodes)
        remaining = tree.kept_nodes(nodes)
        assert collapsed.n_leaves == sequence.n_leaves[i]
        assert collapsed.leaf_errors[collapsed.is_leaf].sum() == sequence.costs[i]
        assert values[remaining[collapsed.is_leaf]].sum() == total
        assert set(remaining) <= before
        before = set(remaining)
        cut = ~tree.is_leaf & (sequence.steps <= i)
        np.testing.assert_array_equal(np.flatnonzero(cut), nodes)
    assert (np.diff(sequence.alphas[1:]) > 0).all()
    assert sequence.n_leaves[-1] == 1


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_impurity_as_cost_gives_scikit_learns_path(load):
    X, y = load(return_X_y=True)
    fitted = DecisionTreeClassifier(random_state=0, min_samples_leaf=2).fit(X, y)
    tree = from_sklearn(fitted)
    weights = tree.class_counts.sum(axis=1) / len(y)
    sequence = weakest_link_sequence(tree, fitted.tree_.impurity * weights)
    theirs = fitted.cost_complexity_pruning_path(X, y)
    np.testing.assert_allclose(
        np.unique(sequence.alphas[1:].round(12)),
        np.unique(theirs.ccp_alphas[1:].round(12)),
    )


def test_a_long_chain():
    sequence = weakest_link_sequence(chain(50_001))
    assert sequence.n_leaves[0] == 50_001
    assert sequence.n_leaves[-1] == 1


def test_bad_costs():
    tree = chain(3)
    for costs in ([1, 2], [np.nan] * 5, np.zeros((5, 1))):
        with pytest.raises(ValueError, match=r"costs must (be 5|hold) numbers"):
            weakest_link_sequence(tree, costs)
    with pytest.raises(ValueError, match="values must be"):
        weakest_link_sequence(tree).along([1.0])


@pytest.mark.no_cover
@given(array_trees(max_leaves=12))
def test_lists_and_compiled_arrays_agree(tree):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("treebounds._compiled._LONG", 0)
        patch.setattr("treebounds._compiled._LONGER_THAN_IMPORT", 0)
        compiled = weakest_link_sequence(tree).node_alphas
    np.testing.assert_array_equal(weakest_link_sequence(tree).node_alphas, compiled)
