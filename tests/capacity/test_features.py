import pickle

import pytest

from treebounds import FeatureKinds, growth_function_bound
from treebounds.structure import TreeStructure

KINDS = FeatureKinds(real=3, ordinal=[4], nominal=[5, 2], nominal_subsets=[3], binary=2)


def test_counts():
    assert (KINDS.n_features, KINDS.real) == (9, 3)
    assert KINDS.n_finite_splits == 3 + 5 + 1 + 3 + 2


def test_values_compare_hash_and_pickle():
    same = FeatureKinds(3, ordinal=())
    assert same == FeatureKinds(real=3) != FeatureKinds(real=3, binary=1)
    assert hash(same) == hash(FeatureKinds(real=3))
    assert pickle.loads(pickle.dumps(KINDS)) == KINDS
    with pytest.raises(AttributeError):
        KINDS.binary = 1


def test_a_billion_columns_take_no_room():
    assert FeatureKinds(real=10**9, binary=10**9).n_features == 2 * 10**9
    assert (
        growth_function_bound(
            TreeStructure(TreeStructure(), TreeStructure()), 3, 10**18
        )
        == 8
    )


def test_splits_are_those_that_trees_can_make():
    from oracles.sharp import splits_of

    for kinds, column in (
        (FeatureKinds(ordinal=[4]), range(4)),
        (FeatureKinds(nominal=[4]), range(4)),
        (FeatureKinds(nominal=[2]), range(2)),
        (FeatureKinds(nominal_subsets=[4]), range(4)),
        (FeatureKinds(binary=1), range(2)),
    ):
        sample = [(value,) for value in column]
        both_sides = splits_of(sample, kinds) - {0, 2 ** len(sample) - 1}
        assert len(both_sides) == 2 * kinds.n_finite_splits


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "at least one must be given"),
        ({"real": -1}, "real"),
        ({"real": 1.5}, "real"),
        ({"real": 1, "binary": "2"}, "binary"),
        ({"ordinal": [1]}, "ordinal .* at least 2"),
        ({"nominal": [3, 1]}, "nominal .* at least 2"),
        ({"nominal": 3}, "nominal must be a sequence"),
        ({"nominal_subsets": [61]}, "at most 60; got 61. As nominal"),
    ],
)
def test_wrong_kinds_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        FeatureKinds(**arguments)
