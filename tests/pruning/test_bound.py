"""Pruning by the bound: against Algorithm 3 as printed, against all prunings, and by
laws.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from oracles.algorithm3 import algorithm_3, errors, nested, structure
from oracles.prunings import all_prunings
from treebounds import log_growth_function_bound
from treebounds.capacity import log_all_structures_growth_bound
from treebounds.capacity.log_growth import LogGrowth
from treebounds.formats import from_sklearn
from treebounds.pruning import BoundRule
from treebounds.pruning.bound import CAPACITIES, BoundPath
from treebounds.pruning.single_cuts import growth_of_cuts
from treebounds.risk import (
    log_geometric_prior,
    log_leaves_prior,
    log_structure_prior,
    shawe_taylor_bound,
)
from treebounds.trees import ArrayTree
from trees.test_array_tree import array_trees, chain

RATIOS = st.sampled_from([0.9, 0.5, 2**-3, 2**-6, 2**-13.7])
FORMS = CAPACITIES[1:]
TREE = DecisionTreeClassifier(random_state=0).fit(
    np.random.RandomState(0).rand(60, 2), np.arange(60) % 2
)


def bound_of(tree, cut, rule):
    """Equation 8 for the pruning of a tree, term by term."""
    pruned = tree.collapse(sorted(cut))
    m = pruned.class_counts[0].sum()
    k = sum(pruned.leaf_errors[pruned.is_leaf])
    sample = int(2 * m), tree.n_features, tree.n_classes
    if rule.capacity == "all-structures":
        log_growth = log_all_structures_growth_bound(pruned.n_leaves, *sample)
        log_p = log_leaves_prior(pruned.n_leaves)
    else:
        log_growth = log_growth_function_bound(
            pruned.structure, *sample, form=rule.capacity
        )
        log_p = log_structure_prior(pruned.n_leaves)
    log_q = log_geometric_prior(k, rule.error_prior_ratio)
    return shawe_taylor_bound(m, k, log_growth, log_q, log_p, rule.delta)


@settings(max_examples=60)
@given(array_trees(max_leaves=7), RATIOS)
def test_all_structures_minimum_is_the_best_of_all_prunings(tree, ratio):
    rule = BoundRule(error_prior_ratio=ratio)
    path = rule.path(tree)
    best = min(bound_of(tree, cut, rule) for cut in all_prunings(tree))
    assert path.bounds[path.best] == pytest.approx(best, rel=1e-12)
    assert bound_of(tree, path.nodes(), rule) == pytest.approx(best, rel=1e-12)


@settings(max_examples=60)
@given(array_trees(max_leaves=6), RATIOS, st.sampled_from(FORMS))
def test_greedy_is_never_better_than_all_prunings(tree, ratio, form):
    rule = BoundRule(form, ratio)
    path = rule.path(tree)
    best = min(bound_of(tree, cut, rule) for cut in all_prunings(tree))
    assert path.bounds[path.best] >= best * (1 - 1e-12)


@pytest.mark.no_cover
@settings(max_examples=60)
@given(array_trees(max_leaves=7), RATIOS, st.sampled_from(FORMS))
def test_greedy_is_algorithm_3_where_nothing_ties(tree, ratio, form):
    path = BoundRule(form, ratio).path(tree)
    final, bounds = algorithm_3(nested(tree), tree.n_features, form, ratio)
    assume(len(set(np.round(bounds, 9))) == len(bounds))
    # Several nodes with the same bound are cut at once here, one at a time there.
    assume(len(path.bounds) == len(bounds))
    np.testing.assert_allclose(
        path.bounds, bounds, rtol=1e-9 if tree.n_classes < 3 else 0.05
    )
    if tree.n_classes < 3:
        pruned = tree.collapse(path.nodes())
        assert pruned.structure is structure(final)
        assert pruned.subtree_errors[0] == errors(final)


@pytest.mark.no_cover
@given(array_trees(max_leaves=12), RATIOS, st.sampled_from(CAPACITIES))
@settings(max_examples=150)
def test_laws_of_the_path(tree, ratio, capacity):
    rule = BoundRule(capacity, ratio)
    path = rule.path(tree)
    assert (path.n_leaves[0], path.n_errors[0]) == (
        tree.n_leaves,
        tree.subtree_errors[0],
    )
    assert (np.diff(path.n_leaves) < 0).all()
    if capacity != "all-structures":
        assert (np.diff(path.bounds) <= 0).all()
    assert path.bounds[path.best] == path.bounds.min()
    for step in range(len(path.bounds)):
        cut = path.nodes(step)
        pruned = tree.collapse(cut)
        assert (pruned.n_leaves, pruned.subtree_errors[0]) == (
            path.n_leaves[step],
            path.n_errors[step],
        )
        assert bound_of(tree, cut, rule) == pytest.approx(path.bounds[step], rel=1e-12)
        m = tree.class_counts[0].sum()
        assert rule.bound(pruned, path.n_errors[step], m) == pytest.approx(
            path.bounds[step], rel=1e-12
        )
    assert set(path.nodes()) <= set(np.flatnonzero(~tree.is_leaf))


@pytest.mark.no_cover
@given(
    array_trees(max_leaves=12),
    st.sampled_from(FORMS),
    st.integers(12, 900),
    st.integers(1, 40),
)
@example(from_sklearn(TREE), "loose", 60, 10**6)  # single cuts make other shapes
@example(chain(60), "loose", 60, 3)  # as many examples as leaves
# There are more classes than leaves, so bounds of subtrees are capped.
@example(replace(chain(30), class_counts=np.zeros((59, 40))), "loose", 60, 10**6)
def test_growth_of_cuts(tree, form, n_examples, n_features):
    sample = n_examples, n_features, tree.n_classes
    own, of_cuts = growth_of_cuts(LogGrowth(*sample, form=form), tree)
    assert own == pytest.approx(
        log_growth_function_bound(tree.structure, *sample, form=form), rel=1e-12
    )
    for node, value in zip(np.flatnonzero(~tree.is_leaf), of_cuts, strict=True):
        structure = tree.collapse([node]).structure
        assert value == pytest.approx(
            log_growth_function_bound(structure, *sample, form=form), rel=1e-12
        )


@pytest.mark.parametrize("capacity", CAPACITIES)
def test_cheap_errors_prune_to_the_root_and_dear_ones_do_not(capacity):
    leaves = 8
    tree = chain(leaves)
    counts = np.zeros((tree.n_nodes, 2))
    counts[tree.is_leaf, np.arange(leaves) % 2] = [100, 3] * 4
    tree = replace(
        tree,
        class_counts=np.column_stack(
            [tree.subtree_sums(column) for column in counts.T]
        ),
    )
    assert BoundRule(capacity, 2**-13.7).path(tree).nodes().size == 0
    cheap = BoundRule(capacity, error_prior_ratio=0.999).path(tree)
    assert cheap.n_leaves[cheap.best] == 1


def test_of_equal_bounds_the_smallest_tree_is_kept():
    path = BoundPath(
        *np.array([[5, 3, 2, 1], [0, 1, 2, 9], [0.7, 0.5, 0.5, 0.8], [0] * 4])
    )
    assert path.n_leaves[path.best] == 2


def test_the_rule_counts_errors_on_the_sample_that_it_is_given():
    tree = chain(2)
    rule = BoundRule("tight")
    assert rule.nodes(tree, np.array([[30, 40], [30, 0], [0, 40]])).tolist() == []
    assert rule.nodes(tree, np.array([[0, 70], [0, 30], [0, 40]])).tolist() == [0]


def test_nodes_that_tie_are_cut_at_once():
    tree = ArrayTree(
        children_left=[1, 3, 5, -1, -1, -1, -1],
        children_right=[2, 4, 6, -1, -1, -1, -1],
        feature=[0] * 7,
        threshold=[4, 2, 6, 0, 0, 0, 0],
        n_features=1,
        class_counts=[[10, 10], [9, 1], [1, 9], [5, 1], [4, 0], [1, 5], [0, 4]],
    )
    assert BoundRule("loose").path(tree).n_leaves.tolist() == [4, 2]
