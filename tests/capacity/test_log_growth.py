import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import BALANCED, CHAIN, STUMP, random_structure
from treebounds import FeatureKinds, growth_function_bound, log_growth_function_bound
from treebounds.capacity._labelings import labelings
from treebounds.capacity._log_convolution import log_convolution
from treebounds.capacity._log_recursion import LogRecursion
from treebounds.capacity.growth import growth_of_classes
from treebounds.capacity.log_growth import LogGrowth

FORMS = ("tight", "loose", "sharp", "closed")

structures = st.builds(random_structure, st.integers(1, 16), st.integers(0, 10**6))
features = st.one_of(st.integers(1, 20), st.integers(1, 10**6))


@given(
    structures,
    st.integers(1, 80),
    features,
    st.sampled_from([1, 2, 2, 2, 3, 5, 12]),
    st.sampled_from(FORMS),
)
@settings(max_examples=200, deadline=None)
def test_two_classes_equal_the_integers_and_more_are_at_most_5_percent_above(
    structure, m, l, n, form
):
    exact = math.log(growth_function_bound(structure, m, l, n, form=form))
    value = log_growth_function_bound(structure, m, l, n, form=form)
    assert exact - 1e-9 <= value <= (1.05 if n > 2 else 1) * exact + 1e-9
    assert value <= m * math.log(n) + 1e-9


@given(
    structures,
    st.integers(1, 50),
    features,
    st.integers(2, 12),
    st.sampled_from([0, 3]),
)
@settings(max_examples=60, deadline=None)
def test_the_sharp_recursion_is_the_same_in_integers_and_logarithms(
    structure, m, l, n, n_binary
):
    m = m + structure.n_leaves
    kinds = FeatureKinds(real=l, binary=n_binary)
    exact = math.log(growth_of_classes(structure, m, kinds, n, "sharp"))
    assert LogRecursion(m, kinds, n, "sharp").table(structure, m, m)[
        0
    ] == pytest.approx(exact, abs=1e-9)


@pytest.mark.no_cover
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("l", [1, 4, 60])
@pytest.mark.parametrize("n", [3, 10])
def test_no_difference_where_no_cap_acts(form, l, n):
    # Stumps are never above their cap, and 300 examples are enough for the root. With
    # more than 256 examples "sharp" tries one order of the subtrees, and the tables of
    # integers have different lengths.
    examples = dict.fromkeys((STUMP, CHAIN, BALANCED), 300)
    if form not in ("tight", "sharp"):
        examples[random_structure(300, 0)] = 40_000
    for structure, m in examples.items():
        exact = math.log(growth_function_bound(structure, m, l, n, form=form))
        assert log_growth_function_bound(
            structure, m, l, n, form=form
        ) == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("form", FORMS)
def test_nothing_overflows(form):
    for n_leaves, m, l, n in (
        (120, 900, 10**7, 26),
        (60, 150, 10**30, 1000),
        (40, 90, 3, 10**6),
    ):
        value = log_growth_function_bound(
            random_structure(n_leaves, 1), m, l, n, form=form
        )
        assert 0 < value <= m * math.log(n) + 1e-6


def test_the_tight_form_takes_many_examples():
    for structure in (CHAIN, BALANCED):
        few, many = (
            log_growth_function_bound(structure, m, 10, form="closed")
            - log_growth_function_bound(structure, m, 10, form="tight")
            for m in (10**3, 2 * 10**5)
        )
        # Both are polynomials in m of the same degree, whose leading coefficients have
        # a ratio of their own.
        assert few == pytest.approx(many, abs=0.01)


@pytest.mark.parametrize(("n_leaves", "m"), [(40, 10**7), (3, 10**12), (12, 10**30)])
def test_the_tight_form_refuses_what_would_take_hours_and_names_another(n_leaves, m):
    structure = random_structure(n_leaves, 0)
    for form in ("tight", "sharp"):
        with pytest.raises(ValueError, match=f"n_examples={m}: .* form='closed'"):
            log_growth_function_bound(structure, m, 10, 3, form=form)


KINDS = [(FeatureKinds(real=2, nominal=[4]), "sharp"), *((9, form) for form in FORMS)]


@pytest.mark.parametrize(("kinds", "form"), KINDS, ids=str)
def test_a_shared_evaluation_gives_the_same_values(kinds, form):
    shared = LogGrowth(300, kinds, 4, form=form)
    for seed in range(8):
        structure = random_structure(5 + seed, seed)
        for _ in range(2):
            assert shared(structure) == log_growth_function_bound(
                structure, 300, kinds, 4, form=form
            )


@pytest.mark.parametrize("n", [2, 10, 10**5])
def test_convolution_over_hundreds_of_orders_of_magnitude(n):
    x = np.minimum(np.arange(300) * math.log(n), 90 * np.log(np.arange(1, 301)))
    y = np.minimum(np.arange(300) * math.log(n), 250 * np.log(np.arange(1, 301)))
    for first, last in ((0, 299), (0, 0), (17, 17), (31, 32), (250, 299), (0, 63)):
        sums = [x[: e + 1] + y[e::-1] for e in range(first, last + 1)]
        assert log_convolution(x, y, first, last + 1) == pytest.approx(
            [np.logaddexp.reduce(terms) for terms in sums], rel=1e-13, abs=1e-12
        )
        for terms in sums:  # from the middle on, whose own term counts half
            middle = len(terms) // 2
            terms[middle] -= math.log(2) * (len(terms) % 2)
        halves = [np.logaddexp.reduce(terms[len(terms) // 2 :]) for terms in sums]
        half = log_convolution(x, y, first, last + 1, half=True)
        assert half == pytest.approx(halves, rel=1e-13, abs=1e-12)


@pytest.mark.parametrize(("n", "n_parts"), [(3, 2), (10, 1), (10, 7), (200, 30)])
def test_labelings_with_few_classes(n, n_parts):
    expected = [0.0] + [math.log(labelings(m, n, n_parts)) for m in range(1, 300)]
    recursion = LogRecursion(299, FeatureKinds(real=1), n, "sharp")
    assert recursion._few_classes(n_parts) == pytest.approx(expected, abs=1e-9)
