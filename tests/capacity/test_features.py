import pickle

import pytest

from treebounds import FeatureKinds, growth_function_bound
from treebounds.structure import TreeStructure

KINDS = FeatureKinds(real=3, ordinal=[4], nominal=[5, 2], nominal_subsets=[3], binary=2)


def test_counts():
    assert (KINDS.n_features, KINDS.n_real) == (9, 3)
    assert KINDS.n_finite_splits == 3 + 5 + 1 + 3 + 2
    assert len(KINDS.columns) == 9


def test_from_columns_keeps_the_order():
    columns = ["real", ("nominal", 5), "binary", "real", "real", ("ordinal", 2)]
    kinds = FeatureKinds.from_columns(columns)
    assert [name for name, _ in kinds.columns] == ["real", "nominal", "binary", "real", "real", "ordinal"]
    assert (kinds.n_real, kinds.n_finite_splits) == (3, 5 + 1 + 1)
    assert kinds != FeatureKinds(real=3, ordinal=[2], nominal=[5], binary=1)
    assert FeatureKinds.from_columns(KINDS.columns[3:7]) == FeatureKinds(
        ordinal=[4], nominal=[5, 2], nominal_subsets=[3]
    )


def test_values_compare_hash_and_pickle():
    same = FeatureKinds.from_columns(["real"] * 3)
    assert same == FeatureKinds(real=3)
    assert hash(same) == hash(FeatureKinds(real=3))
    assert pickle.loads(pickle.dumps(KINDS)) == KINDS
    with pytest.raises(AttributeError):
        KINDS.runs = ()


def test_a_billion_columns_take_no_room():
    assert FeatureKinds(real=10**9, binary=10**9).n_features == 2 * 10**9
    structure = TreeStructure(TreeStructure(), TreeStructure())
    assert growth_function_bound(structure, 3, 10**18) == 8


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
        ({}, "there must be a feature"),
        ({"real": -1}, "real"),
        ({"real": 1.5}, "real"),
        ({"real": 1, "binary": "2"}, "binary"),
        ({"ordinal": [1]}, "ordinal .* at least 2"),
        ({"nominal": [3, 1]}, "nominal .* at least 2"),
        ({"nominal": 3}, "nominal must be a sequence"),
        ({"nominal_subsets": [61]}, "at most 60 .* nominal"),
    ],
)
def test_wrong_kinds_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        FeatureKinds(**arguments)


@pytest.mark.parametrize(
    "columns",
    [
        [],
        3,
        ["ordinal"],
        ["gold"],
        [3],
        [("real", 2)],
        [("binary", 2)],
        [("nominal", 3, 1)],
        [("ordinal", 1)],
    ],
)
def test_wrong_columns_are_refused(columns):
    with pytest.raises(ValueError, match=r"columns|ordinal|there must be"):
        FeatureKinds.from_columns(columns)


def test_samples_are_checked():
    kinds = FeatureKinds(real=1, ordinal=[3], binary=1)
    kinds.check_sample([[0.5, 2, 1], [-1.5, 0, 0]])
    for wrong, message in (
        ([[0.5, 3, 1]], "column 1 is ordinal and must hold 0 to 2"),
        ([[0.5, 1.5, 1]], "column 1"),
        ([[0.5, 1, -1]], "column 2 is binary"),
        ([[0.5, 1]], "3 columns"),
        ([0.5, 1, 1], "3 columns"),
        ([["a", 1, 1]], "X"),
    ):
        with pytest.raises(ValueError, match=message):
            kinds.check_sample(wrong)
