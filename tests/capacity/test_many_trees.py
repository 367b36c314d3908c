"""Bounds for sums of trees: fitted ensembles, lists, small cases that are known
exactly, and refusals.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from sklearn import ensemble
from sklearn.base import is_regressor
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from builders import BALANCED, CHAIN, LEAF, STUMP, chain_of, complete
from oracles import sums_of_trees
from oracles.sums_of_trees import labelings_of_stump_sums
from reproduction.exact.stump_sums import count_stump_sum_labelings
from treebounds import (
    FeatureKinds,
    TreeStructure,
    pseudo_dimension_lower_bound,
    pseudo_dimension_upper_bound,
    vc_dimension_lower_bound,
    vc_dimension_upper_bound,
)
from treebounds.capacity import one_sided_stump_vc_dimension, shattered_sample
from treebounds.formats import from_sklearn
from trees.test_regression_trees import number_stump

TWO = make_classification(120, 6, n_informative=4, flip_y=0.2, random_state=0)
THREE = make_classification(120, 6, n_informative=4, n_classes=3, random_state=0)
BOUNDS = {
    "classifier": (vc_dimension_lower_bound, vc_dimension_upper_bound),
    "regressor": (pseudo_dimension_lower_bound, pseudo_dimension_upper_bound),
}


def task_of(model):
    return "regressor" if is_regressor(model) else "classifier"


ENSEMBLES = [
    ensemble.RandomForestClassifier(6, random_state=0),
    ensemble.ExtraTreesClassifier(6, random_state=0),
    ensemble.BaggingClassifier(n_estimators=6, max_features=0.5, random_state=0),
    ensemble.AdaBoostClassifier(n_estimators=6, random_state=0),
    ensemble.AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=3), n_estimators=6, random_state=0
    ),
    ensemble.GradientBoostingClassifier(n_estimators=6, random_state=0),
    ensemble.RandomForestRegressor(6, random_state=0),
    ensemble.ExtraTreesRegressor(6, random_state=0),
    ensemble.BaggingRegressor(n_estimators=6, random_state=0),
    ensemble.GradientBoostingRegressor(n_estimators=6, random_state=0),
]


@pytest.mark.parametrize("model", ENSEMBLES, ids=lambda model: type(model).__name__)
def test_ensembles_of_scikit_learn_are_the_sum_of_their_trees(model):
    model.fit(*TWO)
    structures = [
        TreeStructure.from_sklearn(tree) for tree in np.ravel(model.estimators_)
    ]
    M = sum(structure.n_internal_nodes for structure in structures)
    for function in BOUNDS[task_of(model)]:
        assert function(model) == function(structures, 6) == function(model, 6)
        with pytest.raises(ValueError, match="n_features must be 6"):
            function(model, 5)
    g = one_sided_stump_vc_dimension(6)
    assert BOUNDS[task_of(model)][0](model) == 1 + M * (
        g + (task_of(model) == "regressor")
    )


@pytest.mark.parametrize(
    ("library", "prefix"), [("xgboost", "XGB"), ("lightgbm", "LGBM")]
)
def test_boosters_of_other_libraries(library, prefix):
    module = pytest.importorskip(library)
    options = {"n_estimators": 7, "n_jobs": 1} | (
        {"verbose": -1} if library == "lightgbm" else {}
    )
    g = one_sided_stump_vc_dimension(6)
    for task, other, more in (
        ("classifier", "regressor", 0),
        ("regressor", "classifier", 1),
    ):
        model = getattr(module, prefix + task.capitalize())(**options).fit(*TWO)
        booster = model.get_booster() if library == "xgboost" else model.booster_
        leaves = booster.predict(
            module.DMatrix(TWO[0]) if library == "xgboost" else TWO[0], pred_leaf=True
        )
        # Rows of the sample are at every leaf.
        M = sum(len(np.unique(column)) - 1 for column in leaves.T)
        lower, upper = BOUNDS[task]
        assert lower(model) == lower(booster) == 1 + M * (g + more) < upper(model)
        for wrong in BOUNDS[other]:
            for refused in (model, booster):
                with pytest.raises(
                    ValueError, match=f"{('vc', 'pseudo')[more]}_dimension_lower"
                ):
                    wrong(refused)
    classifier = getattr(module, prefix + "Classifier")
    with pytest.raises(ValueError, match="more than two classes"):
        vc_dimension_lower_bound(classifier(**options).fit(*THREE))
    with pytest.raises(ValueError, match="fit"):
        vc_dimension_lower_bound(classifier())


def test_boosters_without_such_trees_are_refused():
    xgboost = pytest.importorskip("xgboost")
    lightgbm = pytest.importorskip("lightgbm")
    pandas = pytest.importorskip("pandas")
    X, y = TWO
    linear = xgboost.XGBClassifier(n_estimators=2, booster="gblinear").fit(X, y)
    in_leaves = lightgbm.LGBMClassifier(
        n_estimators=2, linear_tree=True, verbose=-1
    ).fit(X, y)
    for model, reason in ((linear, "gblinear"), (in_leaves, "linear_tree")):
        with pytest.raises(ValueError, match=f"tree: .* cannot be read .*{reason}"):
            vc_dimension_upper_bound(model)
    words = pandas.DataFrame(
        {"a": pandas.Categorical(np.digitize(X[:, 0], [-2, -1, 0, 1, 2]) * 7 % 5)}
    )
    options = {"n_estimators": 3, "min_child_weight": 0}
    for model in (
        xgboost.XGBClassifier(
            enable_categorical=True, max_cat_to_onehot=1, **options
        ).fit(words, y),
        lightgbm.LGBMClassifier(
            min_data_per_group=1, cat_smooth=0, verbose=-1, **options
        ).fit(words, y),
    ):
        # Its trees, as a list, would be refused, too.
        with pytest.raises(ValueError, match=r"categories.*: fit it to columns of num"):
            vc_dimension_upper_bound(model)


@pytest.mark.parametrize("n_features", [None, FeatureKinds(nominal_subsets=[3])])
@pytest.mark.parametrize(
    "bound", [pseudo_dimension_lower_bound, pseudo_dimension_upper_bound]
)
def test_no_kinds_of_features_are_asked_for_where_none_help(bound, n_features):
    tree = replace(
        number_stump(), left_categories={0: [0]}, threshold=np.array([0.0, -2, -2])
    )
    for trees in (tree, [tree, tree]):
        with pytest.raises(ValueError, match="grow it on columns of numbers"):
            bound(trees, n_features)


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (ensemble.BaggingClassifier(LogisticRegression()), "LogisticRegression"),
        (ensemble.AdaBoostClassifier(LogisticRegression()), "LogisticRegression"),
        (
            ensemble.BaggingClassifier(ensemble.RandomForestClassifier(2), 2),
            "RandomForestClassifier",
        ),
        (
            ensemble.HistGradientBoostingClassifier(max_iter=2),
            "HistGradientBoostingClassifier",
        ),
        (
            ensemble.VotingClassifier([("tree", DecisionTreeClassifier())]),
            "VotingClassifier",
        ),
        (
            ensemble.GradientBoostingClassifier(
                init=LogisticRegression(), n_estimators=3
            ),
            "init",
        ),
        (LogisticRegression(), "LogisticRegression"),
        (ensemble.RandomForestRegressor(3), "pseudo_dimension_lower_bound"),
        (DecisionTreeRegressor(), "pseudo_dimension_lower_bound"),
    ],
    ids=str,
)
def test_other_models_are_refused(model, reason):
    model.fit(*TWO)
    for function in BOUNDS["classifier"]:
        with pytest.raises(ValueError, match=f"tree.*{reason}"):
            function(model)
    for function in BOUNDS["regressor"]:
        if task_of(model) == "classifier":
            with pytest.raises(ValueError, match=r"vc_dimension_lower_bound|tree: "):
                function(model)


ON_SIX = DecisionTreeClassifier().fit(*TWO)
ON_FOUR = DecisionTreeClassifier().fit(TWO[0][:, :4], TWO[1])
TWO_OUTPUTS = TWO[0], np.stack([TWO[1]] * 2, axis=1)


@pytest.mark.parametrize("bound", BOUNDS["classifier"])
@pytest.mark.parametrize(
    ("trees", "reason"),
    [
        ([], "tree must not be an empty list"),
        ([ON_SIX, ON_FOUR], "tree: .* different numbers of features"),
        ([STUMP, None], "tree must be a TreeStructure"),
        ([ensemble.RandomForestClassifier(3)], "tree must be a TreeStructure"),
        (ensemble.RandomForestClassifier(3), "tree: .* not fitted"),
        (ensemble.RandomForestClassifier(3).fit(*THREE), "tree: .* 3 classes"),
        (ensemble.RandomForestClassifier(3).fit(*TWO_OUTPUTS), "tree: .* outputs"),
    ],
    ids=str,
)
def test_what_is_no_sum_of_trees_is_refused(bound, trees, reason):
    with pytest.raises(ValueError, match=reason):
        bound(trees)


@pytest.mark.parametrize("bound", BOUNDS["classifier"])
@pytest.mark.parametrize("kinds", [None, FeatureKinds(real=1, binary=1), 0, 1.5])
def test_wrong_features_of_several_trees_are_refused(bound, kinds):
    with pytest.raises(ValueError, match="n_features"):
        bound([STUMP, STUMP], kinds)


@pytest.mark.parametrize("bound", BOUNDS["classifier"])
def test_another_number_of_features_than_that_of_a_fitted_tree_is_refused(bound):
    with pytest.raises(ValueError, match="n_features must be 6"):
        bound([ON_SIX, STUMP], 5)


@pytest.mark.parametrize("bound", BOUNDS["classifier"])
def test_one_fitted_tree_tells_the_number_of_features_for_all(bound):
    assert bound([ON_SIX, STUMP]) == bound([from_sklearn(ON_SIX), STUMP], 6)


def test_leaves_only_move_the_threshold():
    for lower, upper in BOUNDS.values():
        for l in (1, 2, 7):
            assert lower([LEAF, LEAF], l) == upper([LEAF, LEAF], l) == 1
            assert lower([LEAF, CHAIN], l) == lower(CHAIN, l)
            assert upper([LEAF, CHAIN], l) == upper(CHAIN, l)


def test_two_stumps_on_two_features_shatter_five_examples():
    sample = shattered_sample([STUMP] * 2, 2)
    assert len(sample) == 5 <= vc_dimension_upper_bound([STUMP] * 2, 2)
    assert len(labelings_of_stump_sums(sample, 2)) == 2**5


@pytest.mark.parametrize("B", [2, 3, 4, 5])
def test_every_labeling_of_the_sample_of_stumps_on_two_features(B):
    sample = shattered_sample([STUMP] * B, 2)
    assert len(sample) == vc_dimension_lower_bound([STUMP] * B, 2)
    assert len(sample) == (5 if B == 2 else 2 * B + 2)
    in_order = sample[sample[:, 0].argsort(), 1]
    assert count_stump_sum_labelings(in_order, B) == 2 ** len(sample)


LISTS = [
    ([STUMP, STUMP], 3),
    ([CHAIN, STUMP], 5),
    ([STUMP, BALANCED, CHAIN], 5),
    ([BALANCED, CHAIN], 2),
    ([STUMP, chain_of(5), CHAIN], 2),
    ([chain_of(3), chain_of(3)], 2),
    ([TreeStructure(chain_of(4), chain_of(3)), CHAIN], 2),
    ([CHAIN, CHAIN, STUMP], 10),
    ([STUMP, complete(3)], 18),
    ([chain_of(4), STUMP], 1),
]


@pytest.mark.parametrize(("structures", "l"), LISTS, ids=str)
def test_labelings_of_the_sample_of_a_sum_have_their_trees(structures, l):
    sample = shattered_sample(structures, l)
    assert len(sample) == vc_dimension_lower_bound(structures, l)
    assert all(sorted(column) == list(range(len(sample))) for column in sample.T)
    rng = np.random.default_rng(0)
    for labels in rng.integers(0, 2, (40, len(sample))):
        assert np.array_equal(
            sums_of_trees.labels_of(structures, sample, labels), labels
        )


@pytest.mark.parametrize(("l", "more"), [(4, 0), (5, 1), (6, 0), (18, 1), (63, 1)])
def test_on_some_numbers_of_features_a_stump_keeps_one_example_more(l, more):
    M = 1 + 2 + 2
    bound = vc_dimension_lower_bound([STUMP, CHAIN, CHAIN], l)
    assert bound == 1 + M * one_sided_stump_vc_dimension(l) + more


@pytest.mark.parametrize(
    "structures", [[chain_of(3), STUMP], [CHAIN, complete(4)], [STUMP] * 6]
)
def test_two_features_give_two_examples_a_node_and_two_more(structures):
    M = sum(structure.n_internal_nodes for structure in structures)
    assert vc_dimension_lower_bound(structures, 2) == 2 * M + 2


FOURS = [
    ([1] * 6, 0),
    ([1] * 7, 1),
    ([1] * 11, 2),
    ([2] * 4, 1),  # Three stumps keep their sample; five nodes are left.
    ([3, 1, 1, 1, 1], 1),  # A chain of three keeps its own.
    ([9, 9, 9], 0),
    ([63] * 100, (6300 - 3) // 4),
]


@pytest.mark.parametrize(("n_nodes", "n_fours"), FOURS, ids=str)
def test_four_nodes_of_different_trees_add_an_example_on_two_features(n_nodes, n_fours):
    trees = [chain_of(N) for N in n_nodes]
    bound = vc_dimension_lower_bound(trees, 2)
    assert bound == 2 * sum(n_nodes) + 2 + n_fours
    assert bound == vc_dimension_lower_bound(trees[::-1], 2)
    assert len(shattered_sample(trees, 2)) == bound


def test_a_whole_tree_keeps_the_samples_of_its_subtrees_beside_fours():
    eight = TreeStructure(chain_of(4), chain_of(3))
    assert vc_dimension_lower_bound(eight, 2) == 19
    assert vc_dimension_lower_bound([eight, CHAIN], 2) == 19 + 4
    trees = [CHAIN, STUMP, eight, STUMP, CHAIN, STUMP, chain_of(9)]
    assert vc_dimension_lower_bound(trees, 2) == 19 + 2 * 16 + 2
    assert len(shattered_sample(trees, 2)) == 19 + 2 * 16 + 2


@pytest.mark.parametrize("l", [1, 2, 5, 57])
def test_known_values_and_laws(l):
    g = one_sided_stump_vc_dimension(l)
    for trees in (
        [STUMP],
        [CHAIN],
        [BALANCED],
        [STUMP] * 3,
        [CHAIN, STUMP],
        [CHAIN] * 5,
    ):
        M = sum(tree.n_internal_nodes for tree in trees)
        vc_lower, vc_upper, lower, upper = (
            f(trees, l) for pair in BOUNDS.values() for f in pair
        )
        assert 1 + M * g <= vc_lower <= vc_upper <= upper
        assert 1 + M * (g + 1) == lower <= upper
        if len(trees) > 1:
            assert vc_upper == M + 1 or l > 1
        if M == 1 or l == 1:
            assert lower == upper
    for lower, upper in BOUNDS.values():
        assert lower([CHAIN], l) == lower(CHAIN, l) <= lower([CHAIN, CHAIN], l)
        assert upper([CHAIN], l) == upper(CHAIN, l) <= upper([CHAIN, CHAIN], l)


def test_a_hundred_trees_on_spambase():
    trees = [chain_of(63)] * 100
    assert (
        vc_dimension_lower_bound(trees, 57),
        vc_dimension_upper_bound(trees, 57),
    ) == (44_101, 162_120)


@pytest.mark.parametrize(("trees", "l"), [([STUMP] * 2, 2), ([CHAIN] * 5, 57)])
def test_the_pseudo_dimension_of_a_sum_is_at_most_what_the_inequality_allows(trees, l):
    M = sum(tree.n_internal_nodes for tree in trees)
    B = len(trees)
    d = pseudo_dimension_upper_bound(trees, l)

    def allows(k):
        patterns = (M + 1) * (1 + math.log(k / (M + 1))) + M * (
            1 + math.log1p(2 * l * B * (k - 1) / M)
        )
        return k * math.log(2) <= patterns

    assert allows(d)
    assert not allows(d + 1)


def count_by_sets_of_cuts(d, B, l):
    """Sets of cuts times the labelings of each."""
    labelings = 2 * sum(math.comb(d - 1, k) for k in range(B + 1))
    return math.comb(l * (d - 1), B) * labelings


@pytest.mark.parametrize("l", [2, 3, 4, 57])
@pytest.mark.parametrize("B", [2, 3, 5, 10, 40])
def test_the_bound_of_stumps_by_sets_of_cuts(B, l):
    d = B + 2
    while count_by_sets_of_cuts(d, B, l) >= 2**d:
        d += 1
    bound = vc_dimension_upper_bound([STUMP] * B, l)
    by_intervals = min(bound_by_intervals(B, l, z) for z in np.linspace(0.5, 1, 9999))
    assert bound <= d - 1
    assert bound == d - 1 or (l <= 3 and bound == math.floor(by_intervals))


def bound_by_intervals(B, l, z):
    """The bound on d from generating functions at z."""
    per_example = 1 + l * math.log2(z)
    if per_example <= 0 or z >= 1:
        return math.inf
    choices = (B + l) * math.log2((1 - z) ** -2 - 1)
    return (choices + math.log2(math.comb(B + l - 1, l - 1))) / per_example


def test_the_constants_of_stumps_on_two_and_three_features():
    B = 10_000
    on_two = ((B + 2) * math.log2(99) + math.log2(B + 1)) / (1 + 2 * math.log2(0.9))
    assert 0.999 * on_two < vc_dimension_upper_bound([STUMP] * B, 2) <= on_two
    assert 11.07 * B < vc_dimension_upper_bound([STUMP] * B, 3) < 11.15 * B


def test_many_stumps_are_below_the_root_of_the_count_by_sets_of_cuts():
    B = 1000
    for l in (2, 57):
        d = vc_dimension_upper_bound([STUMP] * B, l)
        x = (d - 1) / B
        assert x * math.log(2) < 2 + math.log(l * x**2)


def test_the_pseudo_dimension_of_a_long_tree_is_the_largest_its_inequality_allows():
    M = 1000  # With as many nodes, no recursion is computed.
    for l in (2, 57):
        d = pseudo_dimension_upper_bound(chain_of(M), l)
        for x, allowed in (((d - 1) / M, True), (d / M, False)):
            count = 1 + math.log1p(4 * l * x) + (1 + 1 / M) * math.log1p(x / 2)
            assert (x * math.log(2) < count) == allowed


def test_the_pseudo_dimension_of_a_complete_tree_by_the_recursion_as_it_is_written():
    """With fewer leaves the terms of sides with a single example do not change the
    result.
    """
    m = np.arange(1, 1200)
    # The share of all 2^m patterns. For eight or more examples, every w_k is 2 l = 8.
    share = (m + 1) * 0.5**m
    for _ in range(7):
        share = np.append(1, np.minimum(1, 4 * np.convolve(share, share)[: len(m) - 1]))
    assert pseudo_dimension_upper_bound(complete(7), 4) == np.sum(share == 1)


@pytest.mark.no_cover
def test_dyadic_nets_win_on_few_features():
    """With B trees of two nodes on two features, of order B log B examples."""
    few = [CHAIN] * 2**10
    many = [CHAIN] * 2**20
    assert vc_dimension_lower_bound(few, 2) == 2 + 2**11 * 2 + (2**11 - 3) // 4
    assert vc_dimension_lower_bound(many, 2) == 19 * 2**18 > 2 + 2**21 * 9 // 4
    assert vc_dimension_lower_bound([STUMP] * 2**20, 2) < 2 + 2**20 * 9 // 4
    assert vc_dimension_lower_bound(few, 1) == 1 + 2**11
