"""Laws of growth functions and dimensions: larger trees, more trees, and features with
more values never have a smaller bound.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import STUMP, structures_up_to
from treebounds import (
    FeatureKinds,
    TreeStructure,
    growth_function_bound,
    log_growth_function_bound,
    pseudo_dimension_lower_bound,
    pseudo_dimension_upper_bound,
    vc_dimension_lower_bound,
    vc_dimension_upper_bound,
)
from treebounds.capacity import (
    all_structures_growth_bound,
    natarajan_dimension_lower_bound,
    natarajan_dimension_upper_bound,
)

SMALL = structures_up_to(4)
structures = st.sampled_from(structures_up_to(6))
lists = st.lists(st.sampled_from(SMALL), min_size=1, max_size=4)
real_features = st.one_of(st.integers(1, 3), st.integers(1, 2000))
values = st.lists(st.integers(2, 5), max_size=2)
# The forms that hold as upper bounds, and for all kinds of features.
FORMS = ("sharp", "closed")
OF_ONE_TREE = [
    natarajan_dimension_lower_bound,
    natarajan_dimension_upper_bound,
    lambda tree, l: natarajan_dimension_upper_bound(tree, l, n_classes=3),
    lambda tree, l: natarajan_dimension_upper_bound(tree, l, n_classes=4),
]
OF_SUMS = [
    vc_dimension_lower_bound,
    vc_dimension_upper_bound,
    pseudo_dimension_lower_bound,
    pseudo_dimension_upper_bound,
]


def grown(structure):
    """The structures in which a stump takes the place of one leaf."""
    if structure.is_leaf:
        return [STUMP]
    left, right = structure.children
    above_left = [TreeStructure(larger, right) for larger in grown(left)]
    return above_left + [TreeStructure(left, larger) for larger in grown(right)]


@st.composite
def kinds_and_more(draw):
    """Features of several kinds, and the same with one column or one value more."""
    names = ("ordinal", "nominal", "nominal_subsets")
    kinds = {name: draw(values) for name in names}
    kinds |= {"real": draw(st.integers(0, 3)), "binary": draw(st.integers(0, 3))}
    if not any(kinds.values()):
        kinds["binary"] = 1
    name = draw(st.sampled_from(sorted(kinds)))
    more = dict(kinds)
    if name in ("real", "binary"):
        more[name] = kinds[name] + 1
    elif kinds[name] and draw(st.booleans()):
        more[name] = [kinds[name][0] + 1, *kinds[name][1:]]
    else:
        more[name] = [*kinds[name], 2]
    return FeatureKinds(**kinds), FeatureKinds(**more)


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=40)
@given(structures, st.integers(1, 25), st.integers(1, 40), st.integers(1, 4))
def test_a_larger_tree_has_no_smaller_growth_bound(form, structure, m, l, n):
    value = growth_function_bound(structure, m, l, n, form=form)
    for larger in set(grown(structure)):
        assert value <= growth_function_bound(larger, m, l, n, form=form)


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=60)
@given(structures, st.integers(1, 25), kinds_and_more(), st.integers(1, 4))
def test_one_column_value_or_example_more_gives_no_smaller_growth_bound(
    form, structure, m, kinds, n
):
    fewer, more = (growth_function_bound(structure, m, k, n, form=form) for k in kinds)
    assert fewer <= more
    assert fewer <= growth_function_bound(structure, m + 1, kinds[0], n, form=form)
    of_logarithms = [
        log_growth_function_bound(structure, m, k, n, form=form) for k in kinds
    ]
    assert of_logarithms[0] <= of_logarithms[1] + 1e-9


@given(st.integers(1, 12), st.integers(1, 60), kinds_and_more(), st.integers(1, 4))
def test_the_bound_of_all_structures_rises_with_each_argument(L, m, kinds, n):
    fewer, more = kinds
    m = max(m, L + 1)  # the bound is capped where there are as many leaves
    value = all_structures_growth_bound(L, m, fewer, n)
    assert value <= all_structures_growth_bound(L + 1, m, fewer, n)
    assert value <= all_structures_growth_bound(L, m + 1, fewer, n)
    assert value <= all_structures_growth_bound(L, m, more, n)
    assert value <= all_structures_growth_bound(L, m, fewer, n + 1)


@pytest.mark.parametrize("bound", [*OF_ONE_TREE, *OF_SUMS])
@settings(max_examples=25)
@given(structures, real_features)
def test_a_larger_tree_has_no_smaller_dimension(bound, structure, l):
    value = bound(structure, l)
    assert value <= bound(structure, l + 1)
    for larger in set(grown(structure)):
        assert value <= bound(larger, l)


@pytest.mark.parametrize("bound", OF_SUMS)
@settings(max_examples=40)
@given(lists, st.sampled_from(SMALL), real_features, st.randoms())
def test_a_sum_has_no_smaller_dimension_than_its_parts(bound, trees, other, l, random):
    value = bound(trees, l)
    assert value <= bound([*trees, other], l)
    assert value <= bound(trees, l + 1)
    shuffled = random.sample(trees, len(trees))
    assert bound(shuffled, l) == value
