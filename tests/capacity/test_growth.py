import sys
from fractions import Fraction
from functools import cache
from math import comb, log, perm

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from builders import LEAF, STUMP, chain_of, structures_up_to
from oracles import partitioning as oracle
from treebounds import (
    ArrayTree,
    FeatureKinds,
    TreeStructure,
    all_structures_growth_bound,
    enumerate_structures,
    growth_function_bound,
    growth_function_lower_bound,
    log_all_structures_growth_bound,
    log_growth_function_bound,
    partitioning_function_bound,
    shattered_sample,
)

FORMS = ("tight", "loose", "loose-corrected", "closed-2020")
STRUCTURES = structures_up_to(6)
structures = st.recursive(st.just(LEAF), lambda s: st.builds(TreeStructure, s, s), max_leaves=9)
small = st.integers(1, 18)
features = st.one_of(st.integers(1, 12), st.integers(1, 3000))


@cache
def brute_force(structure, m, l):
    return oracle.partitioning_functions(structure, m, l)


CASES = [(s, m, l) for s in STRUCTURES if s.n_leaves <= 4 for m in range(1, 6) for l in (1, 2)]


@pytest.mark.parametrize(("structure", "m", "l"), [*CASES, (STUMP, 4, 3), (STRUCTURES[2], 4, 3)], ids=str)
def test_no_bound_is_below_the_true_number(structure, m, l):
    parts, growth = brute_force(structure, m, l)
    for form in ("tight", "loose-corrected"):
        bounds = [
            partitioning_function_bound(structure, c, m, l, form) for c in range(1, structure.n_leaves + 1)
        ]
        assert all(map(int.__le__, parts, bounds))
    for form in ("tight", "loose-corrected", "closed-2020"):
        bounds = [growth_function_bound(structure, m, l, n, form) for n in range(1, structure.n_leaves + 1)]
        assert all(map(int.__le__, growth, bounds))


@pytest.mark.parametrize("l", [1, 2, 3, 7, 40])
@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
def test_theorem_9_as_printed(structure, l):
    table = {}
    for m in range(1, structure.n_leaves + 9):
        for c in range(1, structure.n_leaves + 2):
            expected = oracle.theorem_9(structure, c, m, l, table=table)
            assert partitioning_function_bound(structure, c, m, l) == expected
        parts = [oracle.theorem_9(structure, c, m, l, table=table) for c in range(1, structure.n_leaves + 1)]
        for n in (1, 2, 3, 5):
            expected = sum(perm(n, c) * count for c, count in enumerate(parts[:n], 1))
            assert growth_function_bound(structure, m, l, n, "tight") == expected
    # the factor 1/2 at symmetric nodes never leaves a remainder
    assert all(Fraction(value).denominator == 1 for value in table.values())


@pytest.mark.parametrize("structure", [s for s in STRUCTURES if s.n_leaves < 6], ids=str)
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
    value = Fraction(n**L * (2 * l) ** N * comb(m - 1, N), 2**structure.n_symmetric_nodes)
    assert growth_function_bound(structure, m, l, n, "closed-2020") == (cap if m <= L else min(cap, value))


@given(structures, small, features, st.integers(1, 4), st.sampled_from(FORMS))
@settings(max_examples=60, deadline=None)
def test_more_examples_features_or_classes_never_give_less(structure, m, l, n, form):
    value = growth_function_bound(structure, m, l, n, form)
    assert value <= growth_function_bound(structure, m, l + 1, n, form)
    assert value <= growth_function_bound(structure, m, l, n + 1, form)
    if form != "loose":  # as printed it can fall where m passes the number of leaves
        assert value <= growth_function_bound(structure, m + 1, l, n, form)
    assert value <= sum(perm(n, c) * oracle.stirling(m, c) for c in range(1, min(n, structure.n_leaves) + 1))


@pytest.mark.parametrize("form", FORMS)
def test_few_examples_one_class_and_single_leaves(form):
    for structure in STRUCTURES:
        for m in range(1, structure.n_leaves + 1):
            for n in (1, 2, 3, 9):
                expected = sum(
                    perm(n, c) * oracle.stirling(m, c) for c in range(1, min(n, structure.n_leaves) + 1)
                )
                assert growth_function_bound(structure, m, 3, n, form) == expected == n**m
        assert growth_function_bound(structure, 12, 3, 1, form) == 1
    assert growth_function_bound(LEAF, 12, 3, 5, form) == 5


@pytest.mark.parametrize("form", FORMS[:3])
def test_one_part_and_too_many_parts(form):
    for structure in STRUCTURES:
        assert partitioning_function_bound(structure, 1, 9, 2, form) == 1
        assert partitioning_function_bound(structure, structure.n_leaves + 1, 9, 2, form) == 0
    assert partitioning_function_bound(STRUCTURES[-1], 4, 3, 2, form) == 0


def test_the_looser_bound_as_printed_is_no_bound():
    assert partitioning_function_bound(STUMP, 2, 10, 1, "loose") == 8 < brute_force(STUMP, 5, 1)[0][1] + 5


def test_a_chain_deeper_than_python_calls_functions():
    depth = sys.getrecursionlimit() + 200
    chain = chain_of(depth)
    assert growth_function_bound(chain, depth + 3, 2, 2, "loose-corrected") <= 2 ** (depth + 3)
    assert growth_function_bound(chain, depth + 2, 2, 2, "tight") <= 2 ** (depth + 2)
    assert growth_function_bound(chain, depth + 2, 2, 2) <= 2 ** (depth + 2)
    assert growth_function_bound(chain, 3000, 1, 2, "closed") == 2**3000


@pytest.mark.parametrize("L", range(1, 9))
def test_all_structures_at_once(L):
    N = L - 1
    structures = list(enumerate_structures(L))
    assert sum(2 ** (N - s.n_symmetric_nodes) for s in structures) * L == comb(2 * N, N)
    for m in range(L, 4 * L):
        for l, n in ((1, 2), (3, 2), (2, 5)):
            formula = n**L * l**N * (comb(2 * N, N) // L) * comb(m - 1, N)
            assert all_structures_growth_bound(L, m, l, n, "catalan") == formula
            assert log_all_structures_growth_bound(L, m, l, n, "catalan") == pytest.approx(
                log(formula), abs=1e-10
            )
            assert sum(growth_function_bound(s, m, l, n, "closed-2020") for s in structures) <= formula
    for m in range(1, L):
        assert all_structures_growth_bound(L, m, 2, 3) == 3**m
        assert log_all_structures_growth_bound(L, m, 2, 3) == pytest.approx(m * log(3))


def test_fewer_features_than_a_fitted_tree_tests_are_refused():
    X, y = np.eye(9)[:, :8], [0] * 7 + [1, 0]  # only the last column separates
    fitted = DecisionTreeClassifier(max_depth=1).fit(X, y)
    for tree in (fitted, ArrayTree.from_sklearn(fitted)):
        assert growth_function_bound(tree, 9, 8) == growth_function_bound(STUMP, 9, 8)
        for bound in (growth_function_bound, log_growth_function_bound, growth_function_lower_bound):
            with pytest.raises(ValueError, match="n_features must be at least 8"):
                bound(tree, 9, 7)
        for kinds in (3, FeatureKinds(real=3, binary=4)):
            with pytest.raises(ValueError, match="n_features must be at least 8"):
                growth_function_bound(tree, 9, kinds)
        with pytest.raises(ValueError, match="n_features must be at least 8"):
            partitioning_function_bound(tree, 2, 9, 7)
        with pytest.raises(ValueError, match="n_features must be at least 8"):
            shattered_sample(tree, 7)
