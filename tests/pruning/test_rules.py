"""Rules that count, against their definitions spelled out; prune() with all of them."""

import pickle
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lightgbm import LGBMClassifier
from scipy.stats import binom
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.class_weight import compute_sample_weight
from xgboost import XGBClassifier

from builders import leaf_tree, stump_tree
from oracles.certificates import prunings
from reproduction import DistilledTreeClassifier
from treebounds import (
    BoundPrunedTreeClassifier,
    CertifiedClassifier,
    FeatureKinds,
    prune,
)
from treebounds.formats import from_sklearn
from treebounds.pruning import BoundRule, CountingRule, rules
from treebounds.pruning.rules import (
    ErrorBasedRule,
    KearnsMansourRule,
    MinimumErrorRule,
    PessimisticRule,
    ReducedErrorRule,
    cheapest_pruning,
    noise_price,
)
from treebounds.trees import weakest_link_sequence
from trees.test_array_tree import array_trees, chain
from trees.test_regression_trees import number_stump

WINE = load_wine(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)


@settings(max_examples=40, deadline=None)
@given(
    array_trees(max_leaves=7),
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.0, 0.5, 1.0, 2.5]),
)
def test_the_cheapest_of_all_prunings(tree, seed, price):
    costs = np.random.default_rng(seed).integers(0, 9, tree.n_nodes).astype(float)
    totals = {
        leaves: costs[list(leaves)].sum() + price * len(leaves)
        for leaves, _ in prunings(tree)
    }
    remaining = tree.kept_nodes(cheapest_pruning(tree, costs, price))
    leaves = remaining[tree.collapse(cheapest_pruning(tree, costs, price)).is_leaf]
    best = min(totals.values())
    assert costs[leaves].sum() + price * len(leaves) == best
    assert len(leaves) == min(
        len(pruning) for pruning, total in totals.items() if total == best
    )


def test_error_based_costs_are_binomial_upper_limits(monkeypatch):
    arguments = {}
    monkeypatch.setattr(
        rules, "cheapest_pruning", lambda tree, costs: arguments.update(costs=costs)
    )
    for n, k, confidence in ((20, 3, 0.25), (6, 0, 0.05), (100, 40, 0.25)):
        counts = [[n - k, k], [n - k, 0], [0, k]]
        tree = stump_tree(counts)
        ErrorBasedRule(confidence).nodes(tree, tree.class_counts)
        assert binom.cdf(k, n, arguments["costs"][0] / n) == pytest.approx(confidence)
    # Quinlan's own example: six examples without an error count U(0, 6) = .206 each at
    # CF .25
    sure = leaf_tree([6, 0])
    ErrorBasedRule(0.25).nodes(sure, sure.class_counts)
    np.testing.assert_allclose(arguments["costs"] / 6, 0.206, atol=5e-4)


def test_pessimistic_as_quinlan_has_it():
    """Cut exactly while errors as a leaf + 1/2 <= E' + sqrt(E' (n - E') / n), E' =
    errors + leaves / 2.
    """
    cut = []
    for saved in range(11):
        counts = [[80, 20], [80 - saved, saved], [saved, 20 - saved]]
        tree = stump_tree(counts)
        below = 2 * saved + 1
        expected = below + np.sqrt(below * (100 - below) / 100) >= 20.5
        cut.append(expected)
        assert (PessimisticRule().nodes(tree, tree.class_counts).size > 0) == expected
    assert {True, False} == set(cut)


@pytest.mark.filterwarnings("error")
def test_no_more_examples_are_pessimistically_wrong_than_there_are():
    """Three leaves share one example; half an error for each would be more than one."""
    tree = chain(3)
    counts = np.zeros((tree.n_nodes, tree.n_classes))
    counts[:, 0] = np.where(tree.depth == 0, 1, 0)
    cut = PessimisticRule().nodes(tree, counts)
    assert 0 in cut


def test_minimum_error_counts_the_prior_of_the_class_that_a_node_predicts():
    tree = stump_tree([[9, 1], [9, 0], [0, 1]])
    for m in (0.5, 1, 2, 4, 8, 16):
        leaf = 10 * (1 + m * 0.1) / (10 + m)
        split = 9 * m * 0.1 / (9 + m) + 1 * m * 0.9 / (1 + m)
        assert (MinimumErrorRule(m).nodes(tree, tree.class_counts).size > 0) == (
            leaf <= split
        )


def test_kearns_and_mansour_cut_a_stump_at_their_penalty():
    tree = from_sklearn(
        DecisionTreeClassifier(max_depth=1, random_state=0).fit(*CANCER)
    )
    (n, l), delta = CANCER[0].shape, 0.05
    gain = tree.leaf_errors[0] - tree.subtree_errors[0]
    penalty = np.sqrt((2 * np.log(l * n) + np.log(n / delta)) * n)
    for factor, cut in ((0.999, []), (1.001, [0])):
        rule = KearnsMansourRule(factor * gain / penalty, delta)
        assert rule.nodes(tree, tree.class_counts).tolist() == cut


def test_kearns_and_mansour_prune_less_with_a_smaller_constant():
    tree = from_sklearn(DecisionTreeClassifier(random_state=0).fit(*CANCER))
    sizes = [
        tree.collapse(KearnsMansourRule(scale).nodes(tree, tree.class_counts)).n_leaves
        for scale in (1e-9, 0.05, 0.1, 10)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert (sizes[0], sizes[-1]) == (tree.n_leaves, 1)


def test_the_noise_price_solves_its_equation():
    for X, y in (
        WINE,
        CANCER,
        (CANCER[0], np.random.default_rng(0).integers(0, 2, 569)),
    ):
        tree = from_sklearn(DecisionTreeClassifier(random_state=0).fit(X, y))
        sequence = weakest_link_sequence(tree)
        c = noise_price(sequence)
        smallest = min(
            k + c * (leaves - 1)
            for k, leaves in zip(sequence.costs, sequence.n_leaves, strict=True)
        )
        assert c == pytest.approx(1 + 2.5 * smallest / tree.leaf_errors[0])
        assert 1 <= c <= 3.5
    assert c > 2.5  # labels that are noise
    assert noise_price(weakest_link_sequence(leaf_tree([4, 0]))) == 1


def test_the_noise_price_of_a_split_that_saves_nothing():
    """It is 3.5, though rounding makes 2.5 * x / x larger than 2.5 for some x."""
    weights = np.random.default_rng(0).random(2000)
    assert (2.5 * weights / weights > 2.5).any()
    for weight in weights.tolist():
        tree = stump_tree([[4.0, weight], [2.0, weight / 2], [2.0, weight / 2]])
        assert noise_price(weakest_link_sequence(tree)) == 3.5


def test_prune_on_examples_held_out():
    X, y = CANCER
    fitted = DecisionTreeClassifier(random_state=0).fit(X[::2], y[::2])
    pruned = prune(fitted, X[1::2], y[1::2], rule="reduced-error")
    assert pruned.score(X[1::2], y[1::2]) >= fitted.score(X[1::2], y[1::2])
    assert pruned.get_n_leaves() < fitted.get_n_leaves()
    with pytest.raises(
        ValueError,
        match="'reduced-error' needs examples that the tree was not grown on",
    ):
        prune(fitted, X[::2], y[::2], rule=ReducedErrorRule())
    with pytest.raises(
        ValueError, match="X and y must be given: rule 'reduced-error' needs examples"
    ):
        prune(fitted, rule="reduced-error")


@pytest.mark.parametrize("load", [load_wine, load_diabetes])
def test_an_array_tree_knows_its_own_sample_too(load):
    X, y = load(return_X_y=True)
    kind = DecisionTreeRegressor if load is load_diabetes else DecisionTreeClassifier
    tree = from_sklearn(kind(random_state=0).fit(X[::2], y[::2]))
    with pytest.raises(
        ValueError, match="'reduced-error' needs examples that the tree"
    ):
        prune(tree, X[::2], y[::2], rule="reduced-error")
    smaller = prune(tree, X[1::2], y[1::2], rule="reduced-error")
    assert smaller.n_leaves < tree.n_leaves


class _BelowTheRoot(CountingRule):
    def nodes(self, tree, counts):
        return np.flatnonzero(tree.depth > 0)


def test_prune_by_a_rule_of_ones_own():
    assert (
        prune(
            DecisionTreeClassifier(random_state=0).fit(*WINE), rule=_BelowTheRoot()
        ).get_depth()
        == 1
    )


def test_a_function_of_a_nodes_statistics_says_where_to_cut():
    fitted = DecisionTreeClassifier(random_state=0).fit(*WINE)
    nodes = []

    def rule(node):
        nodes.append(node)
        return node.depth == 2 or node.class_counts.max() > 0.9 * node.n_examples

    pruned = prune(fitted, rule=rule)
    tree = fitted.tree_
    inner = np.flatnonzero(tree.children_left >= 0)
    assert [node.n_examples for node in nodes] == tree.n_node_samples[inner].tolist()
    assert [node.class_counts.sum() for node in nodes] == [n.n_examples for n in nodes]
    assert [node.depth for node in nodes] == from_sklearn(fitted).depth[inner].tolist()
    assert pruned.get_depth() == 2


def test_weights_of_a_function_are_scaled_as_for_every_rule():
    X, y = CANCER
    weights = np.where(np.arange(len(y)) % 2, 3.0, 1.0)
    fitted = DecisionTreeClassifier(random_state=0).fit(X, y, sample_weight=weights)
    sizes = []
    prune(
        fitted,
        X,
        y,
        sample_weight=weights,
        rule=lambda node: bool(sizes.append(node.n_examples)),
    )
    assert max(sizes) == pytest.approx(weights.sum() ** 2 / (weights**2).sum())


@pytest.mark.parametrize("verdict", [None, 1, "yes"])
def test_a_function_returns_true_or_false(verdict):
    fitted = DecisionTreeClassifier(random_state=0).fit(*WINE)
    with pytest.raises(ValueError, match="rule must return True or False"):
        prune(fitted, rule=lambda node: verdict)
    with pytest.raises(ValueError, match="rule must be a name, a number"):
        prune(fitted, rule=PessimisticRule)


@pytest.mark.parametrize("rule", ["bound", "noise", 2])
def test_trees_of_every_kind_are_pruned_alike(rule):
    X, y = WINE
    fitted = DecisionTreeClassifier(random_state=0).fit(X, y)
    arrays = from_sklearn(fitted)
    before = pickle.dumps(fitted)
    expected = from_sklearn(prune(fitted, X, y, rule=rule))
    assert pickle.dumps(fitted) == before
    assert prune(arrays, rule=rule) == expected
    assert prune(arrays, X, y, rule=rule) == expected
    assert from_sklearn(prune(make_pipeline(fitted), rule=rule)[-1]) == expected
    twice = DecisionTreeClassifier(random_state=0).fit(
        X, y, sample_weight=np.full(len(y), 2.0)
    )
    assert prune(twice, rule=rule).get_n_leaves() == expected.n_leaves


def test_sets_of_categories_have_to_be_declared_to_the_bound():
    tree = replace(chain(2), left_categories={0: [0]}, threshold=np.zeros(3))
    for sample in ((), ([[0], [1], [2]], [0, 1, 1])):
        with pytest.raises(
            ValueError,
            match=r"feature_kinds must be treebounds.FeatureKinds\(real=..., nominal",
        ):
            prune(tree, *sample)
        assert prune(tree, *sample, rule=9).n_leaves == 1
        declared = BoundRule(n_features=FeatureKinds(nominal_subsets=[3]))
        by_rule = prune(tree, *sample, rule=declared)
        kinds = FeatureKinds(nominal_subsets=[3])
        assert prune(tree, *sample, feature_kinds=kinds) == by_rule


@pytest.mark.parametrize("grow", [chain, lambda _: number_stump()])
def test_the_error_has_the_numbers_of_categories_that_the_tree_knows(grow):
    tree = grow(2)
    tree = replace(
        tree,
        n_features=4,
        left_categories={0: [0]},
        threshold=np.zeros(len(tree.feature)),
        category_names={int(tree.feature[0]): ["bike", "car", "van"]},
    )
    with pytest.raises(ValueError, match="real=3") as caught:
        prune(tree)
    words = re.search(r"FeatureKinds\(.*\)", str(caught.value)).group()
    kinds = eval(words, {"FeatureKinds": FeatureKinds})
    assert kinds == FeatureKinds(real=3, nominal_subsets=[3])
    assert prune(tree, feature_kinds=kinds).n_leaves <= tree.n_leaves


def test_what_an_estimator_learned_of_the_whole_tree_does_not_stay():
    model = BoundPrunedTreeClassifier(rule=0, random_state=0).fit(*CANCER)
    pruned = prune(model)
    assert pruned.get_n_leaves() < model.get_n_leaves()
    assert model.bound_ > 0
    assert not hasattr(pruned, "bound_")
    assert not hasattr(pruned, "pruning_path_")


def test_weights_that_are_almost_counts_are_asked_for():
    almost = stump_tree([[300_000.5, 4], [300_000.5, 0], [0, 4]])
    with pytest.raises(ValueError, match="the counts of the tree are weights"):
        prune(almost)


WEIGHTS = np.random.default_rng(0).exponential(1.0, len(CANCER[1]))
PLAIN = DecisionTreeClassifier(random_state=0)
BALANCED = DecisionTreeClassifier(random_state=0, class_weight="balanced")
WEIGHTED = {
    "weights": (PLAIN, WEIGHTS),
    "balanced": (BALANCED, None),
    "both": (BALANCED, WEIGHTS),
}


def fit_weighted(name):
    """A tree whose examples do not count alike."""
    tree, weights = WEIGHTED[name]
    return clone(tree).fit(*CANCER, sample_weight=weights)


@pytest.mark.parametrize("convert", [lambda tree: tree, from_sklearn])
@pytest.mark.parametrize("name", WEIGHTED)
def test_the_rows_of_a_weighted_tree_are_asked_for(name, convert):
    message = "X and y must be given: the counts of the tree are weights"
    with pytest.raises(ValueError, match=message):
        prune(convert(fit_weighted(name)))


@pytest.mark.parametrize("name", ["weights", "both"])
def test_the_weights_of_a_weighted_tree_are_asked_for(name):
    message = "sample_weight must be given, even if all are 1: the tree was"
    with pytest.raises(ValueError, match=message):
        prune(fit_weighted(name), *CANCER)


@pytest.mark.parametrize("name", WEIGHTED)
def test_the_weights_of_a_weighted_array_are_asked_for(name):
    """Those of classes, too: the array has no class_weight."""
    with pytest.raises(ValueError, match="sample_weight must be given"):
        prune(from_sklearn(fit_weighted(name)), *CANCER)


def test_a_balanced_array_is_pruned_with_weights_as_the_tree_is():
    tree = fit_weighted("balanced")
    weights = compute_sample_weight("balanced", CANCER[1])

    pruned = prune(from_sklearn(tree), *CANCER, sample_weight=weights)
    assert pruned.n_leaves == prune(tree, *CANCER).get_n_leaves()


def test_the_weights_of_a_weighted_array_of_numbers_are_asked_for():
    X, y = load_diabetes(return_X_y=True)
    weights = np.arange(len(y)) % 3 + 1.0
    tree = DecisionTreeRegressor(max_leaf_nodes=30, random_state=0)
    arrays = from_sklearn(tree.fit(X, y, sample_weight=weights))

    with pytest.raises(ValueError, match="sample_weight must be given"):
        prune(arrays, X, y)
    pruned = prune(arrays, X, y, sample_weight=weights)
    assert pruned.n_leaves == prune(tree, X, y, sample_weight=weights).get_n_leaves()


@pytest.mark.parametrize("name", WEIGHTED)
def test_a_weighted_array_knows_its_rows_without_their_weights(name):
    with pytest.raises(ValueError, match="that the tree was not grown on"):
        prune(from_sklearn(fit_weighted(name)), *CANCER, rule="reduced-error")


@pytest.mark.parametrize("weights", [WEIGHTS, np.ones(len(WEIGHTS))])
def test_a_weighted_tree_is_pruned_with_weights(weights):
    pruned = prune(fit_weighted("weights"), *CANCER, sample_weight=weights)
    assert pruned.get_n_leaves() > 1


def test_weights_of_classes_are_known():
    assert prune(fit_weighted("balanced"), *CANCER).get_n_leaves() > 1


def test_weights_of_0_and_1_leave_examples_out():
    weights = np.arange(len(WEIGHTS)) % 2
    some = clone(PLAIN).fit(*CANCER, sample_weight=weights)
    assert prune(some).get_n_leaves() > 1


@pytest.mark.parametrize("part", [{"sample_weight": WEIGHTS}, {"X": CANCER[0]}])
def test_a_part_of_a_sample_is_not_enough(part):
    message = "X and y must be given together; sample_weight needs both of them"
    with pytest.raises(ValueError, match=message):
        prune(fit_weighted("weights"), **part)


def test_counts_of_made_up_rows_are_refused():
    tree = DistilledTreeClassifier(n_made=200, max_leaf_nodes=5, random_state=0)
    message = "the counts of this tree are those of made-up rows"
    with pytest.raises(ValueError, match=message):
        prune(tree.fit(*CANCER))


def test_members_of_forests_know_numbers():
    X = WINE[0]
    names = np.array(["a", "b", "c"])[WINE[1]]
    forest = RandomForestClassifier(5, random_state=0).fit(X, names)
    for member in forest.estimators_:
        assert (
            prune(
                member, X, np.searchsorted(forest.classes_, names), rule=2
            ).get_n_leaves()
            > 1
        )
        with pytest.raises(
            ValueError,
            match=r"know, \['a', 'b', 'c'\]; its classes are \[0.0, 1.0, 2.0\]. If"
            r" these are the numbers of your labels, give np.searchsorted\(labels, y\)",
        ):
            prune(member, X, names, rule=2)
    few = WINE[1] == 0
    with pytest.raises(ValueError, match="sample_weight must be given"):
        prune(member, X[few], WINE[1][few])
    assert (
        prune(
            member, X[few], WINE[1][few], sample_weight=np.ones(few.sum())
        ).get_n_leaves()
        >= 1
    )


def test_pipelines_that_end_in_a_tree():
    X, y = WINE
    tree = DecisionTreeClassifier(random_state=0)
    pipeline = make_pipeline(StandardScaler(), PCA(5, random_state=0), tree).fit(X, y)
    pruned = prune(pipeline, X, y, rule=3)
    inside = prune(pipeline[-1], pipeline[:-1].transform(X), y, rule=3)
    np.testing.assert_array_equal(
        pruned.predict(X), inside.predict(pipeline[:-1].transform(X))
    )
    assert pruned[-1].get_n_leaves() < pipeline[-1].get_n_leaves()
    alone = make_pipeline(DecisionTreeClassifier(random_state=0)).fit(X, y)
    assert prune(alone, X, y, rule=3)[-1].get_n_leaves() < alone[-1].get_n_leaves()
    with pytest.raises(
        ValueError,
        match="tree must be a fitted DecisionTreeClassifier or DecisionTreeR",
    ):
        prune(make_pipeline(StandardScaler()).fit(X), X, y)


@pytest.mark.parametrize(
    ("model", "advice"),
    [
        (
            GridSearchCV(DecisionTreeClassifier(), {"max_depth": [2]}, cv=2),
            "prune the tree that it holds, best_estimator_",
        ),
        (
            CertifiedClassifier(DecisionTreeClassifier(), random_state=0),
            "prune the tree that it holds, estimator_",
        ),
        (
            RandomForestClassifier(2),
            r"prune\(model.estimators_\[0\], np.asarray\(X\), model.classes_.search",
        ),
        (
            RandomForestRegressor(2),
            r"prune\(model.estimators_\[0\], np.asarray\(X\), y\)",
        ),
        (LGBMClassifier(n_estimators=1, verbose=-1), "formats.from_lightgbm"),
        (XGBClassifier(n_estimators=1), "formats.from_xgboost"),
        (StandardScaler(), "formats reads trees of other libraries"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_error_for_another_model_says_what_to_do(model, advice):
    with pytest.raises(ValueError, match=advice):
        prune(model.fit(*WINE), *WINE)


def test_a_tree_that_predicts_otherwise_is_refused():
    class Contrarian(DecisionTreeClassifier):
        def predict(self, X, check_input=True):
            return 1 - super().predict(X)

    with pytest.raises(ValueError, match="Contrarian is not that of a scikit"):
        prune(Contrarian().fit(*CANCER))


def test_feature_kinds_are_declared_to_prune_as_to_the_estimator():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random((300, 2)), rng.integers(0, 3, (300, 4))])
    y = (X[:, 2] == 1) ^ (rng.random(300) < 0.1)
    fitted = DecisionTreeClassifier(random_state=0).fit(X, y)
    declared = dict.fromkeys(range(2, 6), 3)
    model = BoundPrunedTreeClassifier(feature_kinds=declared, random_state=0)
    expected = from_sklearn(model.fit(X, y))
    assert from_sklearn(prune(fitted, X, y, feature_kinds=declared)) == expected
    kinds = FeatureKinds(real=2, ordinal=[3] * 4)
    assert from_sklearn(prune(fitted, feature_kinds=kinds)) == expected
    pipeline = make_pipeline(DecisionTreeClassifier(random_state=0)).fit(X, y)
    inside = prune(pipeline, X, y, feature_kinds=declared)[-1]
    assert from_sklearn(inside) == expected
    with pytest.raises(ValueError, match="feature_kinds needs X and y, or must be"):
        prune(fitted, feature_kinds=declared)
    assert prune(fitted, rule=2.0, feature_kinds="ignored").get_n_leaves() > 1


def test_what_prune_refuses():
    X, y = WINE
    fitted = DecisionTreeClassifier(max_depth=2).fit(X, y)
    with pytest.raises(ValueError, match="is not fitted yet"):
        prune(DecisionTreeClassifier(), X, y)
    with pytest.raises(
        ValueError, match=r"does not know, \[10, 100, 101, 102, 103, .*, ...\]; its"
    ):
        prune(fitted, X, np.arange(len(y)))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        prune(fitted, X, y[:-1])
    with pytest.raises(ValueError, match="expecting 13 features"):
        prune(fitted, X[:, :3], y)
    with pytest.raises(ValueError, match="remember must be False: an ArrayTree keeps"):
        prune(from_sklearn(fitted), X, y, remember=True)
    monotone = DecisionTreeClassifier(monotonic_cst=[1] + [0] * 29).fit(*CANCER)
    with pytest.raises(ValueError, match="monotonic_cst"):
        prune(monotone, *CANCER)
