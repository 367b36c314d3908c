"""Polishing lowers training errors, never raises them, and finds the best stump."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from treebounds.pruning.polish import polish
from treebounds.trees import ArrayTree


def grown(seed, m, n, levels, leaves):
    rng = np.random.default_rng(seed)
    X = (rng.integers(levels, size=(m, 3)) if levels else rng.normal(size=(m, 3))).astype(np.float32)
    y = np.unique(rng.integers(n, size=m), return_inverse=True)[1]
    fitted = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(X, y)
    return ArrayTree.from_sklearn(fitted), X, y


@settings(deadline=None, max_examples=60)
@given(
    st.integers(0, 10_000),
    st.integers(2, 60),
    st.integers(1, 3),
    st.sampled_from([None, 3]),
    st.integers(2, 9),
)
def test_errors_never_rise_and_the_shape_stays(seed, m, n, levels, leaves):
    tree, X, y = grown(seed, m, n, levels, leaves)
    better = polish(tree, X, y)
    wrong = int((better.predict(X) != y).sum())
    assert wrong <= (tree.predict(X) != y).sum()
    assert better.structure == tree.structure
    assert better.class_counts[0].tolist() == np.bincount(y, minlength=tree.n_classes).tolist()
    assert better.subtree_errors[0] == wrong
    assert (better.class_counts.sum(axis=1) > 0).all()


@pytest.mark.parametrize("seed", range(5))
def test_a_stump_becomes_the_best_one_for_its_labels(seed):
    tree, X, y = grown(seed, 40, 2, None, 2)
    better = polish(tree, X, y, max_passes=20)
    left, right = better.labels[better.children_left[0]], better.labels[better.children_right[0]]
    every = [
        (np.where(X[:, j] <= cut, left, right) != y).sum() for j in range(3) for cut in np.sort(X[:, j])[:-1]
    ]
    assert (better.predict(X) != y).sum() == min(every)


def test_a_cut_behind_the_first_example_is_found():
    counts = [[2, 2], [2, 0], [0, 2]]
    tree = ArrayTree(
        children_left=[1, -1, -1],
        children_right=[2, -1, -1],
        feature=[0, -2, -2],
        threshold=[2.5, -2, -2],
        class_counts=counts,
        n_features=1,
    )
    better = polish(tree, [[0], [1], [2], [3]], [0, 1, 1, 1])
    assert better.threshold[0] == 0
    assert better.subtree_errors[0] == 0


def test_passes_must_be_positive():
    tree, X, y = grown(0, 20, 2, None, 3)
    with pytest.raises(ValueError, match="max_passes"):
        polish(tree, X, y, max_passes=0)


def test_samples_that_do_not_fit_are_refused():
    tree, X, y = grown(0, 20, 2, None, 4)
    for bad_X, bad_y, message in (
        (np.where(X[0, 0] == X, np.nan, X), y, "X must not contain NaN"),
        (X, y[:5], "y must have one class for each of the 20 rows"),
        (X, y + 1, "y must hold indices of classes from 0 to 1"),
        (X[:0], y[:0], "y must hold indices"),
    ):
        with pytest.raises(ValueError, match=message):
            polish(tree, bad_X, bad_y)
