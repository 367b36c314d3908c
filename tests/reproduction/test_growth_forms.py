"""The forms that only the documents need, against the formulas as they are printed."""

from fractions import Fraction
from math import comb, perm

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from builders import LEAF, STUMP, chain_of, structures_up_to
from oracles import partitioning as oracle
from reproduction.growth_forms import (
    catalan_growth_bound,
    closed_2020_growth_bound,
    corrected_loose_growth_bound,
    corrected_loose_partitioning_bound,
)
from treebounds import TreeStructure
from treebounds.structure import enumerate_structures

GROWTH = [closed_2020_growth_bound, corrected_loose_growth_bound]
structures = st.recursive(
    st.just(LEAF), lambda s: st.builds(TreeStructure, s, s), max_leaves=9
)
small = st.integers(1, 18)
features = st.one_of(st.integers(1, 12), st.integers(1, 3000))


@pytest.mark.parametrize("structure", structures_up_to(5), ids=str)
def test_the_corrected_loose_form_of_partitions(structure):
    for l in (1, 2, 9):
        for m in range(1, structure.n_leaves + 8):
            for c in range(1, structure.n_leaves + 2):
                expected = oracle.looser_bound(structure, c, m, l, 1)
                value = corrected_loose_partitioning_bound(structure, c, m, l)
                assert value == expected


@given(structures, small, features, st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_the_corrected_loose_form_of_labelings(structure, m, l, n):
    parts = range(1, min(n, m, structure.n_leaves) + 1)
    expected = sum(
        perm(n, c) * corrected_loose_partitioning_bound(structure, c, m, l)
        for c in parts
    )
    assert corrected_loose_growth_bound(structure, m, l, n) == (
        n**m if m <= structure.n_leaves else expected
    )


@given(structures, small, features, st.integers(1, 6))
def test_the_closed_form_with_labels(structure, m, l, n):
    N = structure.n_internal_nodes
    L = structure.n_leaves
    cap = oracle.labelings(m, n, L)
    labels = n**L * (2 * l) ** N * comb(m - 1, N)
    value = Fraction(labels, 2**structure.n_symmetric_nodes)
    assert closed_2020_growth_bound(structure, m, l, n) == (
        cap if m <= L else min(cap, value)
    )


@given(structures, small, features, st.integers(1, 4), st.sampled_from(GROWTH))
@settings(max_examples=60, deadline=None)
def test_more_examples_features_or_classes_never_give_less(structure, m, l, n, bound):
    value = bound(structure, m, l, n)
    assert value <= bound(structure, m + 1, l, n)
    assert value <= bound(structure, m, l + 1, n)
    assert value <= bound(structure, m, l, n + 1)


@pytest.mark.parametrize("L", range(1, 9))
def test_catalan_numbers_add_up_the_closed_forms_of_all_structures(L):
    N = L - 1
    structures = list(enumerate_structures(L))
    assert sum(2 ** (N - s.n_symmetric_nodes) for s in structures) * L == comb(2 * N, N)
    for m in range(L, 4 * L):
        for l, n in ((1, 2), (3, 2), (2, 5)):
            formula = n**L * l**N * (comb(2 * N, N) // L) * comb(m - 1, N)
            assert catalan_growth_bound(L, m, l, n) == formula
            closed = [closed_2020_growth_bound(s, m, l, n) for s in structures]
            assert sum(closed) <= formula


@pytest.mark.parametrize("bound", GROWTH)
def test_a_fitted_tree_knows_its_number_of_features(bound):
    fitted = DecisionTreeClassifier(max_depth=1).fit(np.eye(5), [0, 0, 0, 1, 0])
    assert bound(fitted, 30) == bound(STUMP, 30, 5)


@pytest.mark.parametrize("bound", GROWTH)
def test_many_examples_and_nodes(bound):
    assert 0 < bound(chain_of(300), 10**6, 57, 10).bit_length() < 10**5


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((None, 9, 2), "tree"),
        ((STUMP, 0, 2), "n_examples"),
        ((STUMP, 9), "n_features"),
        ((STUMP, 9, 2.5), "n_features"),
        ((STUMP, 9, 2, 0), "n_classes"),
    ],
)
@pytest.mark.parametrize("bound", GROWTH)
def test_wrong_arguments_are_named(bound, arguments, name):
    with pytest.raises(ValueError, match=name):
        bound(*arguments)
