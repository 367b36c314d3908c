import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from builders import categorical, stump_tree
from oracles import plain_id3
from reproduction import description_length_bound
from reproduction.multiway.generic import description_length_estimate, generic_pruning
from reproduction.multiway.id3 import grow_id3
from reproduction.multiway.tree import MultiwayTree
from treebounds.formats import from_sklearn


def validation_error(X, y):
    X = np.array(X)
    y = np.array(y)
    return lambda edited, m: np.mean(edited.predict(X) != y)


def by_description_length(sample, half):
    """The estimate for the fast algorithm, and for the plain one."""
    X, y, n_values, n_classes = sample

    def slow(nested):
        error = plain_id3.errors(nested, X[:half], y[:half]) / half
        return description_length_bound(
            error, plain_id3.n_nodes(nested), len(n_values), half, 0.05, n_classes
        )

    return description_length_estimate(len(n_values), n_classes), slow


def by_validation(sample, half):
    X, y, *_ = sample
    X_held_out = X[half:] or X
    y_held_out = y[half:] or y

    def slow(nested):
        return plain_id3.errors(nested, X_held_out, y_held_out) / len(X_held_out)

    return validation_error(X_held_out, y_held_out), slow


def by_leaves(sample, half):
    X, y, *_ = sample

    def fast(edited, m):
        return edited.n_errors / m + 0.03 * edited.n_leaves**1.5

    def slow(nested):
        n_errors = plain_id3.errors(nested, X[:half], y[:half])
        return n_errors / half + 0.03 * plain_id3.n_leaves(nested) ** 1.5

    return fast, slow


@given(
    categorical((2, 3), (1, 4), (1, 40)),
    st.sampled_from([by_description_length, by_validation, by_leaves]),
    st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_equals_algorithm_2_step_by_step(sample, estimates, empty_branches):
    X, y, n_values, n_classes = sample
    half = max(len(X) // 2, 1)
    grown = grow_id3(X[:half], y[:half], n_values, n_classes, "entropy", empty_branches)

    fast, slow = estimates(sample, half)
    pruned = generic_pruning(grown, X[:half], y[:half], fast)
    expected = plain_id3.generic_pruning(grown, n_classes, slow)
    with_old_labels = pruned.to_tree(X[:half], y[:half], relabel=False)

    assert plain_id3.nested(with_old_labels) == expected
    assert pruned.n_nodes == with_old_labels.n_nodes
    assert pruned.n_errors == plain_id3.errors(expected, X[:half], y[:half])
    assert pruned.predict(X).tolist() == [plain_id3.predict(expected, row) for row in X]
    assert np.array_equal(with_old_labels.predict(X), pruned.predict(X))


@given(categorical((2, 3), (1, 4), (1, 40)))
@settings(max_examples=50, deadline=None)
def test_new_labels_make_no_more_errors(sample):
    X, y, n_values, n_classes = sample
    grown = grow_id3(X, y, n_values, n_classes, "entropy")
    fast, _ = by_description_length(sample, len(X))

    pruned = generic_pruning(grown, X, y, fast)
    assert (pruned.to_tree(X, y).predict(X) != y).sum() <= pruned.n_errors


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("which", ["description length", "validation", "leaves"])
def test_scikit_learns_trees(which, missing):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(240, 4))
    y = ((X[:, 0] > 0) ^ (X[:, 1] > 0.5) ^ (rng.random(240) < 0.15)).astype(int)
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan

    fitted = DecisionTreeClassifier(random_state=0).fit(X[:160], y[:160])
    tree = from_sklearn(fitted)
    estimate = {
        "description length": description_length_estimate(4),
        "validation": validation_error(X[160:], y[160:]),
        "leaves": lambda edited, m: (edited.n_errors + edited.n_leaves / 2) / m,
    }[which]
    pruned = generic_pruning(tree, X[:160], y[:160], estimate)
    small = pruned.to_tree(X[:160], y[:160])
    assert small.n_leaves == pruned.n_leaves < tree.n_leaves
    assert (
        pruned.n_errors
        == (pruned.predict(X[:160]) != y[:160]).sum()
        >= small.subtree_errors[0]
    )

    # Without any change, the walk over the edited tree ends where scikit-learn's does.
    as_before = generic_pruning(
        tree, X[:160], y[:160], lambda edited, m: edited.n_errors - edited.n_leaves
    )
    assert np.array_equal(as_before.predict(X), fitted.predict(X))
    assert as_before.to_tree(X[:160], y[:160]) == tree


def test_a_graft_routes_the_examples_anew():
    # The root tests feature 0, which is useless; below it, feature 1 separates the
    # classes.
    X = np.array([[0, 0], [0, 1]] * 10 + [[1, 0], [1, 1]] * 10)
    y = X[:, 1].copy()
    counts = [[20, 20], [10, 10], [10, 10], [10, 0], [0, 10], [10, 0], [0, 10]]
    tree = MultiwayTree(
        [0, 1, 1, -1, -1, -1, -1],
        [-1, 0, 0, 1, 1, 2, 2],
        [-1, 0, 1, 0, 1, 0, 1],
        counts,
        [2, 2],
    )
    pruned = generic_pruning(tree, X, y, description_length_estimate(2)).to_tree(X, y)
    assert pruned.feature.tolist() == [1, -1, -1]
    assert pruned.class_counts.tolist() == [[20, 20], [20, 0], [0, 20]]


def test_majority_of_an_array_tree_needs_relabel():
    tree = stump_tree([[3, 4], [3, 0], [0, 4]])
    X = np.array([[0.0]] * 3 + [[1.0]] * 4)
    y = np.array([0] * 3 + [1] * 4)
    pruned = generic_pruning(tree, X, y, validation_error([[0.0], [1.0]], [0, 0]))
    assert pruned.predict(X).tolist() == [0] * 7
    with pytest.raises(ValueError, match="relabel"):
        pruned.to_tree(X, y, relabel=False)

    assert pruned.to_tree(X, y).labels.tolist() == [1]


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[0, 0]], [0, 1], "equally many rows"),
        (np.empty((0, 2)), [], "at least one"),
        ([[0]], [0], "X must have"),
    ],
)
def test_bad_input(X, y, message):
    tree = grow_id3([[0, 0], [1, 1]], [0, 1], [2, 2], 2)
    with pytest.raises(ValueError, match=message):
        generic_pruning(tree, X, y, description_length_estimate(2))
