"""Lower bounds with their samples and trees, and upper bounds."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from builders import (
    BALANCED,
    CHAIN,
    LEAF,
    STUMP,
    chain_of,
    random_structure,
    structures_up_to,
)
from oracles.vc_dimensions import kept_by_subtrees
from reproduction.exact.real import unrealized_labeling
from treebounds import (
    FeatureKinds,
    TreeStructure,
    growth_function_bound,
    vc_dimension_lower_bound,
    vc_dimension_upper_bound,
)
from treebounds.capacity import (
    one_sided_stump_vc_dimension,
    realizing_tree,
    shattered_sample,
    stump_vc_dimension,
)
from treebounds.capacity._small_samples import LATER
from treebounds.structure import enumerate_structures

STRUCTURES = structures_up_to(7)
structures = st.sampled_from(STRUCTURES)


def most_of_a_node(l):
    """The larger root v of 2^v = e (1 + 2 l v): VCdim < 1 + N v for N nodes."""
    return brentq(lambda v: 2**v - math.e * (1 + 2 * l * v), 1, 100)


def adding(structure, l):
    """The other rule: VC dimensions of the subtrees add up, down to stumps."""
    if structure.n_leaves <= 2:
        return stump_vc_dimension(l) if structure.n_leaves == 2 else 1
    return sum(adding(child, l) for child in structure.children)


@pytest.mark.no_cover
@pytest.mark.parametrize("structure", STRUCTURES[1:], ids=str)
@pytest.mark.parametrize(
    "kinds",
    [2, 5, 30, FeatureKinds(real=1, binary=2), FeatureKinds(binary=4)],
    ids=str,
)
def test_the_upper_bound_by_its_definition(structure, kinds):
    m = 2
    while growth_function_bound(structure, m, kinds) >= 2**m:
        m += 1
    points = 16 if kinds == FeatureKinds(binary=4) else m
    assert vc_dimension_upper_bound(structure, kinds) == min(m - 1, points)


@pytest.mark.parametrize("l", [1, 2, 3, 4, 9, 10, 11, 100])
def test_stumps_are_exact(l):
    assert (
        vc_dimension_lower_bound(STUMP, l)
        == vc_dimension_upper_bound(STUMP, l)
        == stump_vc_dimension(l)
    )


def test_one_sided_stumps_by_their_definition():
    for l in range(1, 300):
        d = one_sided_stump_vc_dimension(l)
        assert math.comb(d, d // 2) <= l < math.comb(d + 1, (d + 1) // 2)
        assert stump_vc_dimension(l) == one_sided_stump_vc_dimension(2 * l)


@pytest.mark.parametrize("l", [1, 2, 5, 10, 100, 1000, 10**6, 10**15])
def test_what_a_node_adds_at_most(l):
    v = most_of_a_node(l)
    assert one_sided_stump_vc_dimension(l) < v
    if l <= 100:
        for structure in STRUCTURES[1:]:
            assert (
                vc_dimension_upper_bound(structure, l)
                < 1 + structure.n_internal_nodes * v
            )


@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
def test_lower_is_below_upper_and_both_grow_with_the_features(structure):
    lower = [vc_dimension_lower_bound(structure, l) for l in (1, 2, 3, 8, 50)]
    upper = [vc_dimension_upper_bound(structure, l) for l in (1, 2, 3, 8, 50)]
    assert all(map(int.__le__, lower, upper))
    assert lower == sorted(lower)
    assert upper == sorted(upper)
    # On one feature it is known: N thresholds cut N + 1 examples apart, and N + 2
    # examples with alternating labels need one more.
    assert lower[0] == upper[0] == structure.n_leaves


@given(structures, st.integers(1, 10**6))
def test_adding_is_no_better_above_a_stump(structure, l):
    bound = vc_dimension_lower_bound(structure, l)
    assert bound >= adding(structure, l)
    assert bound >= 1 + structure.n_internal_nodes * one_sided_stump_vc_dimension(l)


def test_known_bounds():
    assert (
        vc_dimension_upper_bound(LEAF, 3)
        == vc_dimension_upper_bound(LEAF, FeatureKinds(binary=3))
        == 1
    )
    chain = chain_of(20)
    assert (
        vc_dimension_lower_bound(chain, 100),
        vc_dimension_upper_bound(chain, 100),
    ) == (161, 246)


@pytest.mark.no_cover
@given(
    structures,
    st.sampled_from([1, 2, 3, 5, 6, 10, 18, 37]),
    st.randoms(use_true_random=False),
)
@settings(max_examples=80, deadline=None)
def test_every_labeling_of_the_sample_has_its_tree(structure, l, rng):
    sample = shattered_sample(structure, l)
    assert sample.shape == (vc_dimension_lower_bound(structure, l), l)
    assert all(
        sorted(column) == list(range(len(sample))) for column in sample.T.tolist()
    )
    m = len(sample)
    codes = (
        range(2**m)
        if m <= 7
        else [0, 2**m - 1, *(rng.getrandbits(m) for _ in range(60))]
    )
    for code in codes:
        labels = np.array([code >> i & 1 for i in range(m)])
        tree = realizing_tree(structure, sample, labels)
        assert tree.structure is structure
        assert np.array_equal(tree.predict(sample), labels)
        assert np.array_equal(tree.class_counts[0], [m - labels.sum(), labels.sum()])
        assert (tree.threshold[~tree.is_leaf] % 1 == 0.5).all()


@pytest.mark.parametrize("l", [4, 5, 6, 18, 63, 231])
def test_a_stump_that_cuts_off_more_from_both_ends(l):
    """On 5, 18, 63, 231, ... features a stump shatters one example more than a node
    that cuts off one end.
    """
    for structure in (STUMP, CHAIN, TreeStructure(CHAIN, CHAIN)):
        more = structure.n_internal_nodes * one_sided_stump_vc_dimension(l) + (
            l in (5, 18, 63, 231)
        )
        assert vc_dimension_lower_bound(structure, l) == 1 + more
    prefixes = {
        frozenset(order[:k])
        for order in shattered_sample(STUMP, l).argsort(axis=0).T
        for k in range(20)
    }
    everything = frozenset(range(stump_vc_dimension(l)))
    assert len(prefixes | {everything - prefix for prefix in prefixes}) == 2 ** len(
        everything
    )


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "structure", [s for s in STRUCTURES if 3 < s.n_leaves <= 6], ids=str
)
def test_two_features_give_two_examples_a_node_and_two_more(structure):
    sample = shattered_sample(structure, 2)
    assert (
        len(sample)
        == vc_dimension_lower_bound(structure, 2)
        == 2 * structure.n_internal_nodes + 2
    )
    every = 2 ** len(sample)
    step = (
        1
        if len(sample) <= 10
        else 3
        if structure is TreeStructure(CHAIN, CHAIN)
        else 50
    )
    for code in range(0, every, step):
        labels = code >> np.arange(len(sample)) & 1
        tree = realizing_tree(structure, sample, labels)
        assert tree.structure is structure
        assert np.array_equal(tree.predict(sample), labels)


@pytest.mark.parametrize("structure", LATER, ids=str)
def test_samples_in_which_one_example_comes_first_along_both_features(structure):
    ranks = LATER[structure]
    assert ranks[0] == 0
    assert len(ranks) == 2 * structure.n_internal_nodes + 2
    assert unrealized_labeling(structure, list(enumerate(ranks))) is None


@pytest.mark.no_cover
@pytest.mark.parametrize("n_leaves", range(1, 13))
def test_several_subtrees_keep_samples_on_two_features(n_leaves):
    for structure in enumerate_structures(n_leaves):
        assert vc_dimension_lower_bound(structure, 2) == kept_by_subtrees(structure)


SEVERAL = [
    TreeStructure(chain_of(4), chain_of(3)),
    TreeStructure(chain_of(4), chain_of(4)),
    TreeStructure(chain_of(9), TreeStructure(BALANCED, LEAF)),
    TreeStructure(
        TreeStructure(chain_of(3), CHAIN),
        TreeStructure(TreeStructure(BALANCED, STUMP), TreeStructure(CHAIN, CHAIN)),
    ),
    chain_of(3, start=TreeStructure(BALANCED, TreeStructure(BALANCED, CHAIN))),
    random_structure(60),
]


@pytest.mark.no_cover
@pytest.mark.parametrize("structure", SEVERAL, ids=repr)
def test_labelings_of_a_sample_in_which_several_subtrees_keep_theirs(structure):
    sample = shattered_sample(structure, 2)
    m = len(sample)
    assert m == vc_dimension_lower_bound(structure, 2) == kept_by_subtrees(structure)
    assert m > 2 * structure.n_internal_nodes + 2
    assert all(sorted(column) == list(range(m)) for column in sample.T.tolist())
    rng = np.random.default_rng(0)
    random = rng.integers(0, 2, (300, m))
    for labels in (*random, np.zeros(m, int), np.ones(m, int), np.arange(m) % 2):
        tree = realizing_tree(structure, sample, labels)
        assert tree.structure is structure
        assert np.array_equal(tree.predict(sample), labels)
        assert np.array_equal(tree.class_counts[0], np.bincount(labels, minlength=2))


@pytest.mark.no_cover
def test_random_labelings_of_1000_examples():
    # On two features, some subtrees have samples of their own.
    structure = random_structure(500)
    sample = shattered_sample(structure, 2)
    m = len(sample)
    assert m > 2 * structure.n_internal_nodes + 2
    rng = np.random.default_rng(0)
    for _ in range(100):
        labels = rng.integers(0, 2, m)
        tree = realizing_tree(structure, sample, labels)
        assert np.array_equal(tree.predict(sample), labels)
    assert tree.structure is structure


@pytest.mark.no_cover
def test_a_long_chain():
    chain = chain_of(10_000)
    assert vc_dimension_lower_bound(chain, 3) == 1 + 10_000 * 3
    assert vc_dimension_lower_bound(chain, 3) <= vc_dimension_upper_bound(chain, 3)
    sample = shattered_sample(chain, 2)
    labels = np.arange(len(sample)) % 3 == 0
    # An example walks down 5,000 nodes on average.
    some = np.append(np.arange(0, len(sample), 25), len(sample) - 1)
    assert np.array_equal(
        realizing_tree(chain, sample, labels).predict(sample[some]), labels[some]
    )


def test_the_upper_bound_of_large_structures_is_the_closed_one():
    structure = random_structure(3000, 1)
    lower = vc_dimension_lower_bound(structure, 16)
    upper = vc_dimension_upper_bound(structure, 16)
    assert lower <= upper < 1 + structure.n_internal_nodes * most_of_a_node(16)


@pytest.mark.parametrize("structure", [STUMP, CHAIN], ids=str)
@pytest.mark.parametrize(
    "spoil",
    [
        lambda labels: labels[1:],
        lambda labels: labels + 2,
        lambda labels: np.append(labels, 0),
        lambda labels: labels[:, None],
        lambda labels: labels - 1,
        lambda labels: ["a"] * len(labels),
    ],
)
def test_wrong_labels_are_refused(structure, spoil):
    sample = shattered_sample(structure, 2)
    labels = np.zeros(len(sample), dtype=int)
    with pytest.raises(ValueError, match="labels"):
        realizing_tree(structure, sample, spoil(labels))


@pytest.mark.parametrize("structure", [STUMP, CHAIN], ids=str)
@pytest.mark.parametrize(
    "spoil",
    [
        lambda sample: sample[::-1],
        lambda sample: sample[:-1],
        lambda sample: sample + 1,
        lambda sample: sample[0],
        lambda sample: sample[:, :0],
        lambda sample: [["x"]],
    ],
)
def test_wrong_samples_are_refused(structure, spoil):
    sample = shattered_sample(structure, 2)
    labels = np.zeros(len(sample), dtype=int)
    with pytest.raises(ValueError, match="sample"):
        realizing_tree(structure, spoil(sample), labels)


def test_what_is_no_tree_has_no_realizing_tree():
    sample = shattered_sample(STUMP, 2)
    with pytest.raises(ValueError, match="tree"):
        realizing_tree(None, sample, np.zeros(len(sample), dtype=int))
