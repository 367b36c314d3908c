"""The sharp growth bound, closed forms, series and lower bound: against oracles and
brute force.
"""

import math
import random
from fractions import Fraction
from functools import cache
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import BALANCED, STUMP, chain_of, structures_up_to
from oracles import partitioning, sharp
from reproduction.growth_forms import (
    catalan_growth_bound,
    closed_2020_growth_bound,
    corrected_loose_growth_bound,
    corrected_loose_partitioning_bound,
)
from treebounds import (
    FeatureKinds,
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
from treebounds.capacity._binomials import log_binomial

FORMS = ("sharp", "tight", "closed", "loose")
STRUCTURES = structures_up_to(6)
structures = st.sampled_from(STRUCTURES)
reals = st.sampled_from([0, 1, 2, 3, 7, 40, 1000])
splits = st.sampled_from([0, 1, 2, 5, 30])
kinds = st.tuples(reals, splits).filter(any)


def features(l, S):
    """l real-valued features and one ordinal feature with S thresholds."""
    return FeatureKinds(real=l, ordinal=[S + 1] if S else [])


@pytest.mark.no_cover
@given(structures, st.integers(1, 18), kinds, st.integers(2, 5))
@settings(max_examples=150, deadline=None)
def test_sharp_is_the_recursion_as_it_is_written(structure, m, kind, n):
    l, S = kind
    expected = sharp.sharp(structure, m, l, S, n)
    value = growth_function_bound(structure, m, features(l, S), n)
    if n > 2 and not S:
        expected = min(
            expected, growth_function_bound(structure, m, l, n, form="tight")
        )
    assert value == expected
    log_value = log_growth_function_bound(structure, m, features(l, S), n)
    assert (
        math.log(value) - 1e-9
        <= log_value
        <= (1 if n == 2 else 1.05) * math.log(value) + 1e-9
    )


@given(structures, st.integers(1, 25), kinds, st.integers(2, 5))
@settings(max_examples=150, deadline=None)
def test_closed_forms_as_they_are_written(structure, m, kind, n):
    l, S = kind
    N = structure.n_internal_nodes
    # The labelings with no more classes than leaves.
    bounds = [partitioning.labelings(m, n, N + 1), sharp.closed_sharp(N, m, l, S, n)]
    if not S and m > N + 1:
        halves = 2**structure.n_symmetric_nodes
        labels = n ** (N + 1) * (2 * l) ** N * math.comb(m - 1, N)
        bounds.append(Fraction(labels, halves))

    closed = growth_function_bound(structure, m, features(l, S), n, form="closed")
    assert closed == (min(bounds) if l == 0 or m > N + 1 else n**m)

    logarithm = log_growth_function_bound(
        structure, m, features(l, S), n, form="closed"
    )
    assert logarithm == pytest.approx(math.log(closed), abs=1e-9)


def test_the_closed_form_is_capped_by_the_labelings_with_as_many_classes_as_leaves():
    # 3 constant labelings of three examples, and 6 S(3, 2) = 18 with two of three
    # classes; 27 in all.
    assert growth_function_bound(STUMP, 3, 2, 3, form="closed") == 21


@pytest.mark.no_cover
@given(structures, st.integers(1, 25), st.integers(1, 50), st.integers(2, 5))
@settings(max_examples=150, deadline=None)
def test_the_order_of_the_forms(structure, m, l, n):
    lower = growth_function_lower_bound(structure, m, l, n)
    value = {
        form: growth_function_bound(structure, m, l, n, form=form) for form in FORMS
    }
    corrected = corrected_loose_growth_bound(structure, m, l, n)
    with_labels = closed_2020_growth_bound(structure, m, l, n)
    assert lower <= value["sharp"] <= value["tight"] <= min(with_labels, corrected)
    assert value["sharp"] <= value["closed"] <= with_labels
    assert value["loose"] <= corrected


@given(structures, st.integers(1, 25), st.integers(1, 50), st.integers(1, 4))
@settings(max_examples=100, deadline=None)
def test_partitions_of_the_tight_form_are_no_more_than_of_the_loose_one(
    structure, m, l, c
):
    bound = partitioning_function_bound(structure, c, m, l)
    assert bound <= corrected_loose_partitioning_bound(structure, c, m, l)
    assert bound <= partitioning.stirling(m, c)


@given(structures, st.integers(1, 25), st.integers(1, 50), st.integers(2, 5))
@settings(max_examples=100, deadline=None)
def test_the_order_of_the_logarithms(structure, m, l, n):
    by_sharp = log_growth_function_bound(structure, m, l, n, form="sharp")
    by_tight = log_growth_function_bound(structure, m, l, n, form="tight")
    assert by_sharp <= by_tight + 1e-9
    lower = growth_function_lower_bound(structure, m, l, n)
    assert log_growth_function_lower_bound(structure, m, l, n) == pytest.approx(
        math.log(lower), abs=1e-9
    )


def test_the_growth_function_depends_on_the_shape():
    """On two features: 470 and 472 labelings of nine examples, by exhaustion; the
    bounds part at 60.
    """
    for structure, exact in ((BALANCED, 470), (chain_of(3), 472)):
        low, high = (
            f(structure, 9, 2)
            for f in (growth_function_lower_bound, growth_function_bound)
        )
        assert low <= exact <= high
    assert growth_function_bound(BALANCED, 60, 2) <= 573_986


def test_the_recursion_as_it_is_printed_is_no_smaller():
    """The bound to leading order, in either order, with ``n^m`` as the only cap."""

    @cache
    def up(structure, m, l, n):
        if structure.is_leaf or m <= structure.n_leaves:
            return Fraction(n ** min(m, 1) if structure.is_leaf else n**m)
        left, right = structure.children
        bounds = [Fraction(n**m)]
        for a, b in ((left, right), (right, left)):
            total = sum(up(a, k + 1, l, n) * up(b, m - k, l, n) for k in range(1, m))
            bounds.append(
                up(a, m, l, n) + Fraction((2 - (a is b)) * l * (n - 1), n) * total
            )
        return min(bounds)

    for structure, m, l, n in product(STRUCTURES[1:], (5, 9, 20), (1, 2, 9), (2, 3)):
        assert growth_function_bound(structure, m, l, n) <= up(structure, m, l, n)


def columns_of(kind, m, rng):
    """A random column for each column of the kinds."""
    return [
        rng.sample(range(m), m)
        if name == "real"
        else [rng.randrange(size) for _ in range(m)]
        for name, size in sharp.columns_of(kind)
    ]


KINDS = [
    FeatureKinds(real=2),
    FeatureKinds(real=1, binary=1),
    FeatureKinds(binary=3),
    FeatureKinds(ordinal=[3], nominal=[3]),
    FeatureKinds(nominal_subsets=[4]),
    FeatureKinds(real=1, nominal=[4], ordinal=[4]),
]


@pytest.mark.no_cover
@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("n", [2, 3])
def test_samples_of_several_kinds_have_no_more_labelings(kind, n):
    rng = random.Random(0)
    for structure in STRUCTURES[:5]:
        same_size = [s for s in STRUCTURES if s.n_leaves == structure.n_leaves]
        for m in (1, 2, 3, 5, 6) if n == 2 else (2, 3, 5):
            for _ in range(6):
                sample = list(zip(*columns_of(kind, m, rng), strict=True))
                labelings = {
                    s: sharp.labelings_of(s, sample, kind, n) for s in same_size
                }
                for form in ("sharp", "closed"):
                    assert len(labelings[structure]) <= growth_function_bound(
                        structure, m, kind, n, form=form
                    )
                together = set().union(*labelings.values())
                assert len(together) <= all_structures_growth_bound(
                    structure.n_leaves, m, kind, n
                )


@given(st.integers(0, 8), st.integers(1, 25), kinds, st.integers(2, 4))
@settings(max_examples=100, deadline=None)
def test_the_series(N, m, kind, n):
    l, S = kind
    exact = sharp.series(N, m, l, S, n) if m > N else n**m
    assert all_structures_growth_bound(N + 1, m, features(l, S), n) == math.floor(exact)
    logarithm = log_all_structures_growth_bound(N + 1, m, features(l, S), n)
    assert logarithm == pytest.approx(math.log(exact), abs=1e-9)


def test_terms_of_the_series_are_log_concave():
    for m, l, n in ((40, 1, 2), (200, 57, 10), (90, 3, 3)):
        values = [all_structures_growth_bound(L, m, l, n) for L in range(1, m // 2)]
        terms = [b - a for a, b in pairwise(values)]
        assert all(
            a * c < b * b for a, b, c in zip(terms, terms[1:], terms[2:], strict=False)
        )


def test_the_series_is_below_catalan_numbers_for_many_nodes_and_examples():
    for L in (5, 20, 100):
        series = all_structures_growth_bound(L, 2000, 10)
        assert series < catalan_growth_bound(L, 2000, 10)


@given(structures, st.integers(1, 30), st.integers(1, 40), st.integers(1, 4))
def test_the_lower_bound_as_it_is_written(structure, m, l, n):
    expected = sharp.lower(structure.n_internal_nodes, m, l, n)
    assert growth_function_lower_bound(structure, m, l, n) == expected
    assert log_growth_function_lower_bound(structure, m, l, n) == pytest.approx(
        math.log(expected), abs=1e-9
    )


def test_one_feature_is_known_exactly():
    for structure, m, n in product(STRUCTURES, (1, 2, 5, 9, 30), (2, 3, 5)):
        N = structure.n_internal_nodes
        exact = n * sum(math.comb(m - 1, j) * (n - 1) ** j for j in range(N + 1))
        assert growth_function_lower_bound(structure, m, 1, n) == exact
        assert exact <= growth_function_bound(structure, m, 1, n)


def test_the_band_is_two_wide_a_node_and_closes_for_complete_trees():
    for structure, m, l, form, band in (
        (chain_of(10), 10**8, 20, "closed", 10 * math.log(2)),
        (BALANCED, 20_000, 3, "sharp", 0),
    ):
        low = log_growth_function_lower_bound(structure, m, l)
        high = log_growth_function_bound(structure, m, l, form=form)
        assert high - low == pytest.approx(band, abs=0.05)


@pytest.mark.parametrize("S", [0, 3])
def test_the_closed_form_and_the_series_of_many_nodes_are_those_of_integers(S):
    """Beyond 10^200 and 2^500 their sums are scaled."""
    N = 300
    m = 10_000
    l = 57
    n = 10
    structure = chain_of(N)
    closed = log_growth_function_bound(structure, m, features(l, S), n, form="closed")
    assert closed == pytest.approx(
        math.log(sharp.closed_sharp(N, m, l, S, n)), rel=1e-9
    )
    series = log_all_structures_growth_bound(N + 1, m, features(l, S), n)
    exact = math.log(all_structures_growth_bound(N + 1, m, features(l, S), n))
    assert series == pytest.approx(exact, rel=1e-9)
    assert closed > 2000 * math.log(2)


@pytest.mark.no_cover
def test_closed_forms_and_the_series_of_a_long_chain():
    chain = chain_of(25_000)
    mixed = FeatureKinds(real=57, binary=30)
    for m in (25_002, 10**6, 10**12, 10**30):
        lower = log_growth_function_lower_bound(chain, m, 57, 3)
        closed = log_growth_function_bound(chain, m, 57, 3, form="closed")
        assert 0 < lower <= closed
        assert closed <= log_all_structures_growth_bound(25_001, m, 57, 3)
        assert closed <= log_growth_function_bound(chain, m, mixed, 3, form="closed")


@pytest.mark.parametrize("form", ["tight", "loose"])
@pytest.mark.parametrize("function", [growth_function_bound, log_growth_function_bound])
def test_kinds_that_offer_no_split_in_a_form_are_refused(form, function):
    with pytest.raises(ValueError, match="n_features: form"):
        function(STUMP, 5, FeatureKinds(binary=2), form=form)


@pytest.mark.parametrize("form", ["loose-corrected", "closed-2020", "catalan", None])
def test_unknown_forms_are_refused(form):
    with pytest.raises(ValueError, match="form must be one of 'sharp'"):
        growth_function_bound(STUMP, 5, 2, form=form)
    with pytest.raises(ValueError, match="form must be one of 'series'"):
        all_structures_growth_bound(3, 5, 2, form=form)


@pytest.mark.parametrize(
    ("n", "k"), [(5, 2), (5, 5), (3000, 999), (3000, 1000), (9001, 4500), (10**9, 2000)]
)
def test_log_binomials(n, k):
    assert log_binomial(n, k) == pytest.approx(math.log(math.comb(n, k)), abs=1e-9)
