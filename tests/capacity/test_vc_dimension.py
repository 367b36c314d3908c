import pytest

from oracles.partitioning import is_shattered, samples
from treebounds import (
    TreeStructure,
    enumerate_structures,
    partitioning_function_bound,
    stump_vc_dimension,
    vc_dimension_lower_bound,
    vc_dimension_upper_bound,
)

LEAF = TreeStructure()
STUMP = TreeStructure(LEAF, LEAF)
STRUCTURES = [structure for L in range(1, 8) for structure in enumerate_structures(L)]


@pytest.mark.parametrize("structure", STRUCTURES[1:], ids=str)
@pytest.mark.parametrize("l", [1, 2, 5, 30])
def test_the_upper_bound_by_its_definition(structure, l):
    m = structure.n_leaves + 1
    while partitioning_function_bound(structure, 2, m, l) == 2 ** (m - 1) - 1:
        m += 1
    assert vc_dimension_upper_bound(structure, l) == m - 1


@pytest.mark.parametrize("l", [1, 2, 3, 4, 9, 10, 11, 100])
def test_stumps_are_exact(l):
    assert vc_dimension_lower_bound(STUMP, l) == vc_dimension_upper_bound(STUMP, l) == stump_vc_dimension(l)


@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
def test_lower_is_below_upper_and_both_grow_with_the_features(structure):
    lower = [vc_dimension_lower_bound(structure, l) for l in (1, 2, 3, 8, 50)]
    upper = [vc_dimension_upper_bound(structure, l) for l in (1, 2, 3, 8, 50)]
    assert all(map(int.__le__, lower, upper))
    assert lower == sorted(lower)
    assert upper == sorted(upper)
    assert lower[0] == structure.n_leaves


def test_a_leaf():
    assert vc_dimension_lower_bound(LEAF, 3) == vc_dimension_upper_bound(LEAF, 3) == 1


@pytest.mark.parametrize("structure", [s for s in STRUCTURES if s.n_leaves in (3, 4)], ids=str)
def test_some_sample_as_large_as_the_lower_bound_is_shattered(structure):
    d = vc_dimension_lower_bound(structure, 1)
    assert any(is_shattered(structure, sample) for sample in samples(d, 1))
    assert not any(is_shattered(structure, sample) for sample in samples(d + 1, 1))


def test_known_upper_bounds():
    chain_of_3 = TreeStructure(TreeStructure(STUMP, LEAF), LEAF)
    assert [vc_dimension_upper_bound(s, 2) for s in (TreeStructure(STUMP, LEAF), chain_of_3)] == [10, 17]
    assert vc_dimension_upper_bound(TreeStructure(STUMP, STUMP), 2) == 13


def test_a_long_chain():
    chain = LEAF
    for _ in range(30_000):
        chain = TreeStructure(chain, LEAF)
    assert vc_dimension_lower_bound(chain, 3) == 30_000 - 1 + stump_vc_dimension(3)


def test_wrong_arguments_are_refused():
    for function in (vc_dimension_lower_bound, vc_dimension_upper_bound):
        with pytest.raises(ValueError, match="structure"):
            function(None, 1)
        for value in (0, 2.5, None):
            with pytest.raises(ValueError, match="n_features"):
                function(STUMP, value)
    with pytest.raises(ValueError, match="feature_type"):
        vc_dimension_lower_bound(STUMP, 2, feature_type="ordinal")
