import inspect
import sys
from fractions import Fraction
from functools import partial
from itertools import product
from math import log, perm

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
    log_growth_function_lower_bound,
)
from treebounds.capacity import (
    all_structures_growth_bound,
    log_all_structures_growth_bound,
    partitioning_function_bound,
)
from treebounds.formats import from_sklearn

FORMS = ("tight", "loose", "closed", "sharp")
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


@pytest.mark.no_cover
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
            assert true <= growth_function_bound(structure, m, l, n, form=form)
        assert true <= all_structures_growth_bound(structure.n_leaves, m, l, n)


@pytest.mark.no_cover
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
            assert growth_function_bound(structure, m, l, n, form="tight") == expected
    # The factor 1/2 at symmetric nodes never leaves a remainder.
    assert all(Fraction(value).denominator == 1 for value in table.values())


@pytest.mark.parametrize(
    "structure", [s for s in STRUCTURES if s.n_leaves < 6], ids=str
)
def test_the_looser_bound_as_printed(structure):
    for l in (1, 2, 9):
        for m in range(1, structure.n_leaves + 8):
            for c in range(1, structure.n_leaves + 2):
                expected = oracle.looser_bound(structure, c, m, l, 0)
                value = partitioning_function_bound(structure, c, m, l, form="loose")
                assert value == expected


@given(structures, small, features, st.integers(1, 4), st.sampled_from(FORMS))
@settings(max_examples=60, deadline=None)
def test_more_examples_features_or_classes_never_give_less(structure, m, l, n, form):
    value = growth_function_bound(structure, m, l, n, form=form)
    assert value <= growth_function_bound(structure, m, l + 1, n, form=form)
    assert value <= growth_function_bound(structure, m, l, n + 1, form=form)
    if form != "loose":  # as printed it can fall where m passes the number of leaves
        assert value <= growth_function_bound(structure, m + 1, l, n, form=form)
    assert value <= sum(
        perm(n, c) * oracle.stirling(m, c)
        for c in range(1, min(n, structure.n_leaves) + 1)
    )


@pytest.mark.parametrize("form", FORMS)
def test_few_examples_one_class_and_single_leaves(form):
    for structure, m, n in product(STRUCTURES, range(1, 7), (1, 2, 3, 9)):
        if m <= structure.n_leaves:
            assert growth_function_bound(structure, m, 3, n, form=form) == n**m
            logarithm = log_growth_function_bound(structure, m, 3, n, form=form)
            assert logarithm == pytest.approx(m * log(n), abs=1e-12)
        assert growth_function_bound(structure, 12, 3, 1, form=form) == 1
    assert growth_function_bound(LEAF, 12, 3, 5, form=form) == 5


@pytest.mark.parametrize("form", ["loose", "tight", "sharp"])
def test_a_chain_deeper_than_python_calls_functions(form):
    before = sys.getrecursionlimit()
    depth = len(inspect.stack()) + 150
    sys.setrecursionlimit(depth)
    try:
        assert growth_function_bound(
            chain_of(depth), depth + 2, 2, 2, form=form
        ) <= 2 ** (depth + 2)
    finally:
        sys.setrecursionlimit(before)


@pytest.mark.parametrize("L", range(2, 9))
def test_all_structures_realize_everything_on_fewer_examples_than_leaves(L):
    for m in range(1, L):
        assert all_structures_growth_bound(L, m, 2, 3) == 3**m
        assert log_all_structures_growth_bound(L, m, 2, 3) == pytest.approx(m * log(3))


X_SEPARATED = np.eye(9)[:, :8]  # only the last column separates
FITTED = DecisionTreeClassifier(max_depth=1).fit(X_SEPARATED, [0] * 7 + [1, 0])
ON_ONE_TREE = [
    partial(growth_function_bound, n_examples=9),
    partial(log_growth_function_bound, n_examples=9),
    partial(growth_function_lower_bound, n_examples=9),
    partial(log_growth_function_lower_bound, n_examples=9),
    partial(partitioning_function_bound, n_parts=2, n_examples=9),
]


@pytest.mark.parametrize(
    "tree", [FITTED, from_sklearn(FITTED)], ids=["fitted", "arrays"]
)
@pytest.mark.parametrize("function", ON_ONE_TREE)
def test_a_fitted_tree_knows_its_number_of_features(function, tree):
    assert function(tree) == function(STUMP, n_features=8)


@pytest.mark.parametrize(
    "tree", [FITTED, from_sklearn(FITTED)], ids=["fitted", "arrays"]
)
@pytest.mark.parametrize("function", ON_ONE_TREE)
def test_fewer_features_than_a_fitted_tree_tests_are_refused(function, tree):
    with pytest.raises(ValueError, match="n_features must be at least 8"):
        function(tree, n_features=7)


def test_fewer_columns_of_several_kinds_than_a_fitted_tree_tests_are_refused():
    with pytest.raises(ValueError, match="n_features must be at least 8"):
        growth_function_bound(FITTED, 9, FeatureKinds(real=3, binary=4))


@pytest.mark.parametrize("function", ON_ONE_TREE)
def test_a_structure_does_not_know_its_number_of_features(function):
    with pytest.raises(ValueError, match="n_features may be omitted only for fitted"):
        function(STUMP)


@pytest.mark.parametrize("function", ON_ONE_TREE)
@pytest.mark.parametrize("tree", [None, [STUMP], "tree", 3])
def test_what_is_no_tree_is_refused(function, tree):
    with pytest.raises(ValueError, match="tree must be a TreeStructure, an ArrayTree"):
        function(tree, n_features=2)
