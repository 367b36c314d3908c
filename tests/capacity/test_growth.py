import inspect
import sys
from fractions import Fraction
from itertools import product
from math import comb, log, perm

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from builders import LEAF, STUMP, chain_of, structures_up_to
from oracles import partitioning as oracle
from treebounds import (
    FeatureKinds,
    TreeStructure,
    growth_function_bound,
    growth_function_lower_bound,
    log_growth_function_bound,
)
from treebounds.capacity import (
    all_structures_growth_bound,
    log_all_structures_growth_bound,
    partitioning_function_bound,
    shattered_sample,
)
from treebounds.formats import from_sklearn
from treebounds.structure import enumerate_structures

FORMS = ("tight", "loose", "loose-corrected", "closed-2020")
STRUCTURES = structures_up_to(6)
structures = st.recursive(
    st.just(LEAF), lambda s: st.builds(TreeStructure, s, s), max_leaves=9
)
small = st.integers(1, 18)
features = st.one_of(st.integers(1, 12), st.integers(1, 3000))


CASES = [
    (s, m, l)
    for s in STRUCTURES
    if s.n_leaves <= 4
    for m, l in ((1, 1), (2, 2), (3, 1), (4, 2), (5, 1))
]


@pytest.mark.parametrize(
    ("structure", "m", "l"), [*CASES, (STUMP, 4, 3), (STRUCTURES[2], 5, 2)], ids=str
)
def test_the_true_number_lies_between(structure, m, l):
    parts, growth = oracle.partitioning_functions(structure, m, l)
    for c, true in enumerate(parts, 1):
        assert true <= partitioning_function_bound(structure, c, m, l)
    for n, true in enumerate(growth, 1):
        assert growth_function_lower_bound(structure, m, l, n) <= true
        for form in ("sharp", "closed"):
            assert true <= growth_function_bound(structure, m, l, n, form)
        assert true <= all_structures_growth_bound(structure.n_leaves, m, l, n)


@pytest.mark.parametrize("l", [1, 2, 3, 7, 40])
@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
def test_theorem_9_as_printed(structure, l):
    table = {}
    for m in range(1, structure.n_leaves + 9):
        for c in range(1, structure.n_leaves + 2):
            expected = oracle.theorem_9(structure, c, m, l, table=table)
            assert partitioning_function_bound(structure, c, m, l) == expected
        parts = [
            oracle.theorem_9(structure, c, m, l, table=table)
            for c in range(1, structure.n_leaves + 1)
        ]
        for n in (1, 2, 3, 5):
            expected = sum(perm(n, c) * count for c, count in enumerate(parts[:n], 1))
            assert growth_function_bound(structure, m, l, n, "tight") == expected
    # the factor 1/2 at symmetric nodes never leaves a remainder
    assert all(Fraction(value).denominator == 1 for value in table.values())


@pytest.mark.parametrize(
    "structure", [s for s in STRUCTURES if s.n_leaves < 6], ids=str
)
@pytest.mark.parametrize(("form", "more"), [("loose", 0), ("loose-corrected", 1)])
def test_the_looser_bound_as_printed_and_corrected(structure, form, more):
    for l in (1, 2, 9):
        for m in range(1, structure.n_leaves + 8):
            for c in range(1, structure.n_leaves + 2):
                expected = oracle.looser_bound(structure, c, m, l, more)
                assert partitioning_function_bound(structure, c, m, l, form) == expected


@given(structures, small, features, st.integers(1, 6))
def test_the_closed_form(structure, m, l, n):
    N, L = structure.n_internal_nodes, structure.n_leaves
    cap = sum(perm(n, c) * oracle.stirling(m, c) for c in range(1, min(n, L, m) + 1))
    value = Fraction(
        n**L * (2 * l) ** N * comb(m - 1, N), 2**structure.n_symmetric_nodes
    )
    assert growth_function_bound(structure, m, l, n, "closed-2020") == (
        cap if m <= L else min(cap, value)
    )


@given(structures, small, features, st.integers(1, 4), st.sampled_from(FORMS))
@settings(max_examples=60, deadline=None)
def test_more_examples_features_or_classes_never_give_less(structure, m, l, n, form):
    value = growth_function_bound(structure, m, l, n, form)
    assert value <= growth_function_bound(structure, m, l + 1, n, form)
    assert value <= growth_function_bound(structure, m, l, n + 1, form)
    if form != "loose":  # as printed it can fall where m passes the number of leaves
        assert value <= growth_function_bound(structure, m + 1, l, n, form)
    assert value <= sum(
        perm(n, c) * oracle.stirling(m, c)
        for c in range(1, min(n, structure.n_leaves) + 1)
    )


@pytest.mark.parametrize("form", [*FORMS, "sharp", "closed"])
def test_few_examples_one_class_and_single_leaves(form):
    for structure, m, n in product(STRUCTURES, range(1, 7), (1, 2, 3, 9)):
        if m <= structure.n_leaves:
            assert growth_function_bound(structure, m, 3, n, form) == n**m
            logarithm = log_growth_function_bound(structure, m, 3, n, form)
            assert logarithm == pytest.approx(m * log(n), abs=1e-12)
        assert growth_function_bound(structure, 12, 3, 1, form) == 1
    assert growth_function_bound(LEAF, 12, 3, 5, form) == 5


@pytest.mark.parametrize("form", ["loose-corrected", "tight", "sharp"])
def test_a_chain_deeper_than_python_calls_functions(form):
    before, depth = sys.getrecursionlimit(), len(inspect.stack()) + 150
    sys.setrecursionlimit(depth)
    try:
        assert growth_function_bound(chain_of(depth), depth + 2, 2, 2, form) <= 2 ** (
            depth + 2
        )
    finally:
        sys.setrecursionlimit(before)


@pytest.mark.parametrize("L", range(1, 9))
def test_all_structures_at_once(L):
    N = L - 1
    structures = list(enumerate_structures(L))
    assert sum(2 ** (N - s.n_symmetric_nodes) for s in structures) * L == comb(2 * N, N)
    for m in range(L, 4 * L):
        for l, n in ((1, 2), (3, 2), (2, 5)):
            formula = n**L * l**N * (comb(2 * N, N) // L) * comb(m - 1, N)
            assert all_structures_growth_bound(L, m, l, n, "catalan") == formula
            assert log_all_structures_growth_bound(
                L, m, l, n, "catalan"
            ) == pytest.approx(log(formula), abs=1e-10)
            assert (
                sum(
                    growth_function_bound(s, m, l, n, "closed-2020") for s in structures
                )
                <= formula
            )
    for m in range(1, L):
        assert all_structures_growth_bound(L, m, 2, 3) == 3**m
        assert log_all_structures_growth_bound(L, m, 2, 3) == pytest.approx(m * log(3))


def test_fewer_features_than_a_fitted_tree_tests_are_refused():
    X, y = np.eye(9)[:, :8], [0] * 7 + [1, 0]  # only the last column separates
    fitted = DecisionTreeClassifier(max_depth=1).fit(X, y)
    for tree in (fitted, from_sklearn(fitted)):
        assert growth_function_bound(tree, 9, 8) == growth_function_bound(STUMP, 9, 8)
        for call in (
            lambda tree: growth_function_bound(tree, 9, 7),
            lambda tree: growth_function_bound(tree, 9, FeatureKinds(real=3, binary=4)),
            lambda tree: log_growth_function_bound(tree, 9, 7),
            lambda tree: growth_function_lower_bound(tree, 9, 7),
            lambda tree: partitioning_function_bound(tree, 2, 9, 7),
            lambda tree: shattered_sample(tree, 7),
        ):
            with pytest.raises(ValueError, match="n_features must be at least 8"):
                call(tree)
