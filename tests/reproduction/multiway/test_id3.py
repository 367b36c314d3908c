import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import categorical
from oracles import plain_id3
from reproduction.multiway.criteria import CRITERIA, impurity, split_gain
from reproduction.multiway.id3 import grow_id3


@given(categorical(), st.sampled_from(CRITERIA), st.booleans())
def test_equals_plain_id3(sample, criterion, empty_branches):
    tree = grow_id3(*sample, criterion, empty_branches)
    assert plain_id3.nested(tree) == plain_id3.id3(*sample, criterion, empty_branches)


@given(categorical())
def test_laws_of_a_grown_tree(sample):
    X, y, n_values, _ = sample
    tree = grow_id3(*sample)
    bare = grow_id3(*sample, "entropy", False)
    probes = np.array([[min(i, L - 1) for L in n_values] for i in range(3)] + list(X))
    assert np.array_equal(tree.predict(probes), bare.predict(probes))
    assert np.array_equal(
        tree.probabilities[tree.apply(probes)], bare.probabilities[bare.apply(probes)]
    )
    assert np.array_equal(tree.count_below(X, y), tree.class_counts)
    assert (tree.predict(X) != y).sum() == tree.subtree_errors[0]

    # Errors are left only where equal rows have different classes.
    conflicts = sum(
        len(group) - max(np.bincount(group))
        for group in (
            [c for row, c in zip(X, y, strict=True) if row == r] for r in set(X)
        )
    )
    assert tree.subtree_errors[0] == conflicts
    assert tree.height <= len(n_values)


def test_ties_go_to_the_first_column():
    rng = np.random.default_rng(0)
    column = rng.integers(0, 2, 200)
    y = np.where(rng.random(200) < 0.2, 1 - column, column)
    # The three columns make the same split; summed in another order, their gains differ
    # in the last bits.
    tree = grow_id3(np.column_stack([1 - column, column, 1 - column]), y, [2, 2, 2], 2)
    assert tree.feature[0] == 0


@given(categorical(), st.sampled_from(CRITERIA))
def test_gain_equals_the_notes_formula(sample, criterion):
    X, y, n_values, n_classes = sample
    table = np.zeros((n_values[0], n_classes))
    np.add.at(table, ([row[0] for row in X], y), 1)
    assert split_gain(table, criterion) == pytest.approx(
        float(plain_id3.gain(X, y, 0, criterion)), abs=1e-12
    )
    assert split_gain(table, criterion) >= -1e-12


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (([[0]], [0], [1], 1, "chi2"), "criterion"),
        (([[2]], [0], [2], 1), "n_values"),
        (([[-1]], [0], [2], 1), "n_values"),
        (([[0]], [0], [2, 2], 1), "n_values"),
        (([[0]], [1], [2], 1), "y"),
        (([[0]], [0, 0], [2], 1), "X and y"),
        ((np.empty((0, 2)), [], [2, 2], 1), "X and y"),
    ],
)
def test_bad_input(arguments, named):
    with pytest.raises(ValueError, match=named):
        grow_id3(*arguments)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_nothing_has_no_impurity_and_gains_nothing(criterion):
    assert (
        float(impurity([0, 0], criterion))
        == split_gain([[0, 0], [0, 0]], criterion)
        == 0
    )
    with pytest.raises(ValueError, match="criterion"):
        split_gain([[1, 2], [2, 1]], "chi2")
