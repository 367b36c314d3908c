import pickle
from itertools import combinations_with_replacement, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from builders import BALANCED, CHAIN, LEAF, STUMP, chain_of, complete, structures_up_to
from oracles import partitioning
from oracles.vc_dimensions import binary_vc_dimension, printed_figure_4
from reproduction.exact import (
    ExactVCDimension,
    SearchCertificate,
    binary_shattered_sample,
    binary_vc_dimension_lower_bound,
    binary_vc_dimension_upper_bound,
    exact_vc_dimension,
    tree_rank,
)
from reproduction.exact.real import search_samples
from reproduction.exact.shattering import find_tree, is_shattered
from reproduction.exact.verification import verify_certificate
from treebounds import TreeStructure, vc_dimension_lower_bound, vc_dimension_upper_bound
from treebounds.structure import enumerate_structures

SMALL = structures_up_to(6)


def structures_up_to_height(height):
    """Every structure up to a height, without the leaf."""
    structures = [LEAF]
    for _ in range(height):
        pairs = combinations_with_replacement(structures, 2)
        structures = [LEAF, *(TreeStructure(*pair) for pair in pairs)]
    return structures[1:]


FIGURE_6 = structures_up_to_height(4)
structures = st.integers(1, 9).flatmap(
    lambda L: st.sampled_from(list(enumerate_structures(L)))
)


@pytest.mark.parametrize("structure", SMALL[:7], ids=str)
@pytest.mark.parametrize("d", [1, 2, 3])
def test_binary_features_by_the_definition(structure, d):
    assert exact_vc_dimension(structure, d).value == binary_vc_dimension(structure, d)


@pytest.mark.parametrize("structure", SMALL[:7], ids=str)
@pytest.mark.parametrize("d", [1, 2, 3])
def test_fixed_children_by_the_definition(structure, d):
    exact = exact_vc_dimension(structure, d, children="fixed").value
    assert exact == binary_vc_dimension(structure, d, exchangeable=False)


# Complete tree of height 2 beside a stump: of the 12,870 sets of eight
# points none is shattered with fixed children, and eight are with exchangeable ones.
BIG_AND_STUMP = TreeStructure(complete(2), STUMP)


@pytest.mark.parametrize(("children", "value"), [("exchangeable", 8), ("fixed", 7)])
def test_it_matters_whether_children_may_be_exchanged(children, value):
    result = exact_vc_dimension(BIG_AND_STUMP, 4, children=children)
    assert result.value == value
    assert verify_certificate(result, BIG_AND_STUMP, children=children)


def test_verification_notices_the_other_reading():
    result = exact_vc_dimension(BIG_AND_STUMP, 4)
    assert not verify_certificate(result, BIG_AND_STUMP, children="fixed")


@given(structures, st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_fixed_children_shatter_what_yildiz_builds_and_no_more_than_exchangeable_ones(
    structure, d
):
    fixed = exact_vc_dimension(structure, d, children="fixed")
    assert binary_vc_dimension_lower_bound(structure, d) <= fixed
    assert fixed <= exact_vc_dimension(structure, d)


@pytest.mark.parametrize("d", [3, 4])
def test_certificates_of_figure_6(d):
    assert len(set(FIGURE_6)) == len(FIGURE_6) == 66
    for structure in FIGURE_6:
        result = exact_vc_dimension(structure, d)
        # All labelings of eight examples and more only for some structures; not for the
        # complete tree, which keeps all 16 points apart.
        if result.value < 8 or structure.n_leaves in (4, 8):
            assert verify_certificate(result, structure), structure


def test_five_binary_features():
    assert exact_vc_dimension(CHAIN, 5) == 5
    assert exact_vc_dimension(BALANCED, 5) == 6
    assert exact_vc_dimension(complete(5), 5) == 32


@given(structures, st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_binary_laws(structure, d):
    exact = exact_vc_dimension(structure, d)
    assert exact.shattered_sample.shape == (exact.value, d)
    assert binary_vc_dimension_lower_bound(structure, d) <= exact
    assert exact <= binary_vc_dimension_upper_bound(structure, d) <= 2**d

    # With the same features, a larger structure can have a smaller VC dimension.
    if d < 4:
        assert exact <= exact_vc_dimension(TreeStructure(structure, LEAF), d + 1)

    if d > 1:
        parts = [exact_vc_dimension(child, d - 1).value for child in structure.children]
        assert exact >= sum(parts)


@given(structures, st.integers(1, 40))
@settings(max_examples=60, deadline=None)
def test_the_lower_bound_is_the_printed_one_where_features_last(structure, d):
    bound = binary_vc_dimension_lower_bound(structure, d)
    assert len(binary_shattered_sample(structure, d)) == bound
    if structure.height <= d:
        assert bound == printed_figure_4(structure, d)
    if bound <= 8:
        assert is_shattered(structure, binary_shattered_sample(structure, d))


def test_a_larger_structure_can_have_a_smaller_vc_dimension():
    twins = TreeStructure(CHAIN, CHAIN)
    larger = TreeStructure(twins, LEAF)
    assert (
        exact_vc_dimension(twins, 4).value,
        exact_vc_dimension(larger, 4).value,
    ) == (8, 7)
    assert verify_certificate(exact_vc_dimension(larger, 4), larger)


def test_large_structures_have_binary_bounds():
    assert binary_vc_dimension_lower_bound(chain_of(20_000), 30_000) == 19_999 + 14
    assert binary_vc_dimension_lower_bound(complete(200), 300) == 2**199 * 7
    assert binary_vc_dimension_upper_bound(chain_of(20_000), 12) == 13


def test_ranks():
    assert [
        tree_rank(s) for s in (LEAF, STUMP, chain_of(7), BALANCED, complete(5))
    ] == [0, 1, 1, 2, 5]


@pytest.mark.parametrize(
    ("structure", "l", "value"),
    [
        (LEAF, 3, 1),
        (STUMP, 2, 3),
        (STUMP, 5, 5),
        (CHAIN, 1, 3),
        (BALANCED, 1, 4),
        (CHAIN, 2, 5),
        (TreeStructure(CHAIN, LEAF), 2, 8),
        (BALANCED, 2, 8),
    ],
)
def test_real_valued_features(structure, l, value):
    result = exact_vc_dimension(structure, l, feature_type="real")
    assert result.value == value
    assert result.shattered_sample.shape == (value, l)
    assert (
        vc_dimension_lower_bound(structure, l)
        <= value
        <= vc_dimension_upper_bound(structure, l)
    )
    assert verify_certificate(result, structure, "real", n_refutations=400)


def test_the_samples_of_the_search_are_those_whose_first_examples_are_shattered():
    """Counted by another program: all orders of feature 2 in which the second example
    is above the first.
    """
    expected = [0, 0, 1, 0, 0, 0, 0]
    shattered = {(0, 1)}
    for m in range(3, 7):
        longer = {
            p
            for p in permutations(range(m))
            if tuple(np.argsort(np.argsort(p[:-1]))) in shattered
        }
        shattered = {
            p
            for p in longer
            if is_shattered(CHAIN, [[i, r] for i, r in enumerate(p)], "real")
        }
        expected[m] = len(longer)

    found, examined, refuted, labelings = search_samples(CHAIN, 2, 1000, n_kept=1000)
    assert examined[:7].tolist() == expected
    assert not shattered
    assert not examined[7:].any()
    assert len(found) == 5
    assert len(refuted) == len(labelings) == sum(expected) - 1 - 3 - 11 - 18
    assert search_samples(CHAIN, 2, 20)[1].sum() == 21


@pytest.mark.parametrize("structure", SMALL[1:4], ids=str)
@pytest.mark.parametrize("l", [1, 2])
def test_real_valued_features_by_brute_force(structure, l):
    exact = exact_vc_dimension(structure, l, feature_type="real").value
    if exact <= 4:
        assert any(
            partitioning.is_shattered(structure, s)
            for s in partitioning.samples(exact, l)
        )
        assert not any(
            partitioning.is_shattered(structure, s)
            for s in partitioning.samples(exact + 1, l)
        )


def test_verification_fails_on_false_evidence():
    result = exact_vc_dimension(BALANCED, 3)
    sample = result.shattered_sample
    samples, labelings = result.certificate.refuted[0]
    missing = (samples[1:], labelings[1:])
    realizable = (samples, [0] * len(samples))

    for false in (
        ExactVCDimension(samples[0], result.certificate),  # not shattered
        ExactVCDimension(sample[:-1], result.certificate),
        ExactVCDimension(sample, SearchCertificate("bound", "wrong")),
        ExactVCDimension(
            sample, SearchCertificate("refutations", "one missing", refuted=(missing,))
        ),
        ExactVCDimension(
            sample,
            SearchCertificate("refutations", "realizable", refuted=(realizable,)),
        ),
    ):
        assert not verify_certificate(false, BALANCED)


@pytest.fixture(scope="module")
def result():
    return exact_vc_dimension(CHAIN, 2, feature_type="real")


def test_the_result_stands_for_its_value(result):
    assert not isinstance(result, int)
    assert (result.value, int(result), list(range(result))) == (5, 5, [0, 1, 2, 3, 4])


def test_the_result_compares_with_numbers_and_results(result):
    assert 4 < result == 5 <= result
    assert result != exact_vc_dimension(STUMP, 2, feature_type="real") < result
    assert result != "5"


def test_the_result_is_no_number_to_compute_with(result):
    with pytest.raises(TypeError):
        result + 1
    with pytest.raises(TypeError):
        _ = result < "6"


def test_the_result_says_why(result):
    assert str(result).startswith(
        "VC dimension 5: a sample of 5 is shattered. No extension of a shattered"
    )


def test_a_pickled_result_is_the_same(result):
    copy = pickle.loads(pickle.dumps(result))
    assert copy == result
    assert hash(copy) == hash(result)
    assert np.array_equal(copy.shattered_sample, result.shattered_sample)


def test_no_tree_realizes_a_refuted_labeling(result):
    sample, labels = next(result.certificate.refutations())
    assert find_tree(CHAIN, sample, labels, "real") is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((CHAIN, 0), "n_features"),
        ((CHAIN, 2.0), "n_features"),
        ((CHAIN, True), "n_features"),
        (("tree", 2), "structure"),
        ((CHAIN, 2, "categorical"), "feature_type"),
        ((CHAIN, 2, "real", 0), "max_samples"),
        ((BALANCED, 20), "at least 10 and at most"),
        ((CHAIN, 6), "at least"),
        ((TreeStructure(BALANCED, BALANCED), 3, "real"), "at least .* and at most"),
        ((chain_of(40), 3, "real"), "samples"),
    ],
)
def test_bad_input_and_what_is_too_large(arguments, message):
    with pytest.raises(ValueError, match=message):
        exact_vc_dimension(*arguments)


def test_fixed_children_are_for_binary_features():
    with pytest.raises(ValueError, match="children can be 'fixed' for binary"):
        exact_vc_dimension(CHAIN, 2, "real", children="fixed")


def test_an_unknown_kind_of_children_is_refused():
    with pytest.raises(ValueError, match="children"):
        exact_vc_dimension(CHAIN, 2, children="ordered")


def test_find_tree_and_verification_name_a_bad_argument():
    with pytest.raises(ValueError, match="0 and 1"):
        find_tree(STUMP, [[0], [2]], [0, 1])
    with pytest.raises(ValueError, match="labels"):
        find_tree(STUMP, [[0], [1]], [0, 1, 1])
    with pytest.raises(ValueError, match="n_refutations"):
        verify_certificate(exact_vc_dimension(STUMP, 1), STUMP, n_refutations=-1)


def test_a_fitted_tree_is_taken_for_its_structure():
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(max_leaf_nodes=3, random_state=0).fit(X[:, 2:], y)
    assert exact_vc_dimension(model, 2) == exact_vc_dimension(CHAIN, 2)
    for bound in (binary_vc_dimension_lower_bound, binary_vc_dimension_upper_bound):
        assert bound(model, 2) == bound(CHAIN, 2)
