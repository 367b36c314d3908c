"""The estimator is a scikit-learn classifier, prunes as its rule says, and quotes
nothing untrue.
"""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_classification,
)
from sklearn.tree import DecisionTreeClassifier

import treebounds as tb
from formats.test_scikit_learn import same_state
from treebounds import BoundPrunedTreeClassifier, FeatureKinds, TreeStructure, prune
from treebounds.capacity.growth import FORMS
from treebounds.estimators.bound_pruned import RATIOS
from treebounds.formats import from_sklearn
from treebounds.pruning import BoundRule
from treebounds.pruning.choice import RULES
from treebounds.pruning.rules import ErrorBasedRule, PriceRule
from treebounds.pruning.weights import effective_scale

WINE = load_wine(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)


@pytest.mark.parametrize("capacity", ["all-structures", "loose", "closed"])
@pytest.mark.parametrize("load", [load_wine, load_breast_cancer, load_digits])
def test_it_is_the_grown_tree_pruned_by_the_rule(load, capacity):
    X, y = load(return_X_y=True)
    options = {"max_leaf_nodes": 40, "random_state": 0}
    model = BoundPrunedTreeClassifier(
        capacity=capacity, error_prior_ratio=2**-6, **options
    ).fit(X, y)
    grown = DecisionTreeClassifier(**options).fit(X, y)
    rule = BoundRule(capacity, 2**-6)
    tree = from_sklearn(grown)
    path = rule.path(tree)
    pruned = tree.collapse(path.nodes())
    assert 1 < model.get_n_leaves() < grown.get_n_leaves()
    np.testing.assert_array_equal(model.predict(X), pruned.predict(X))
    assert model.bound_ == path.bounds.min()
    assert model.bound_ == pytest.approx(
        rule.bound(pruned, (model.predict(X) != y).sum(), len(y))
    )
    np.testing.assert_array_equal(model.pruning_path_.bounds, path.bounds)
    assert same_state(prune(grown, X, y, rule=rule), model)
    assert same_state(model.to_sklearn(), model)


OTHERS = [
    "pessimistic",
    "error-based",
    "minimum-error",
    "kearns-mansour",
    "noise",
    0,
    1.5,
    4,
]


@pytest.mark.parametrize("rule", [*OTHERS, ErrorBasedRule(0.01), PriceRule(3)])
def test_the_other_rules_prune_as_their_functions_do(rule):
    X, y = CANCER
    model = BoundPrunedTreeClassifier(rule=rule, random_state=0).fit(X, y)
    grown = DecisionTreeClassifier(random_state=0).fit(X, y)
    assert same_state(prune(grown, X, y, rule=rule), model)
    assert same_state(prune(grown, rule=rule), model)
    wrong = (model.predict(X) != y).sum()
    assert model.bound_ == BoundRule().bound(from_sklearn(model), wrong, len(y))
    assert not hasattr(model, "pruning_path_")


def test_names_and_objects_of_a_rule_are_one():
    assert set(RULES) == {
        "bound",
        "reduced-error",
        "local",
        "counted",
        *(rule for rule in OTHERS if isinstance(rule, str)),
    }
    with_object = BoundPrunedTreeClassifier(
        rule=BoundRule("closed", 2**-8), random_state=0
    ).fit(*WINE)
    with_names = BoundPrunedTreeClassifier(
        capacity="closed", error_prior_ratio=2**-8, random_state=0
    ).fit(*WINE)
    assert same_state(with_object, with_names)
    assert with_object.bound_ == with_names.bound_
    with pytest.raises(ValueError, match="use ReducedErrorPrunedTreeClassifier"):
        BoundPrunedTreeClassifier(rule="reduced-error").fit(*WINE)


def test_the_ratio_that_a_held_out_third_chooses():
    """Done literally: two thirds grow, each ratio prunes, a third judges, the whole
    tree is pruned.
    """
    X, y = load_digits(return_X_y=True)
    y = np.where(np.random.default_rng(0).random(len(y)) < 0.15, (y + 1) % 10, y)
    for seed in range(3):
        order = np.random.RandomState(seed).permutation(len(y))
        held_out = order[: len(y) // 3]
        train = order[len(y) // 3 :]
        assert len(y) % 3 == 0
        part = DecisionTreeClassifier(random_state=seed).fit(X[train], y[train])
        errors = [
            np.sum(
                prune(part, rule=BoundRule(error_prior_ratio=r)).predict(X[held_out])
                != y[held_out]
            )
            for r in RATIOS
        ]
        best = RATIOS[int(np.argmin(errors))]
        assert best not in (RATIOS[0], RATIOS[-1])
        model = BoundPrunedTreeClassifier(
            error_prior_ratio="held-out", random_state=seed
        ).fit(X, y)
        fixed = BoundPrunedTreeClassifier(
            error_prior_ratio=best, random_state=seed
        ).fit(X, y)
        assert model.error_prior_ratio_ == best
        assert same_state(model, fixed)
        assert model.bound_ == pytest.approx(fixed.bound_ + 4 * np.log(9) / len(y))


def test_the_ratios_are_those_that_results_were_published_with():
    """Another one would change what "held-out" prunes, and so the book's tables."""
    exponents = [-math.log2(ratio) for ratio in RATIOS]
    assert exponents == pytest.approx([3, 4, 5, 6, 7, 8, 10, 12, 13.7])


@pytest.mark.parametrize("n_examples", [2, 3, 7])
def test_a_third_of_few_examples(n_examples):
    X = np.arange(n_examples)[:, None]
    y = np.arange(n_examples) % 2
    assert (
        BoundPrunedTreeClassifier(error_prior_ratio="held-out").fit(X, y).get_n_leaves()
        == 1
    )
    with pytest.raises(
        ValueError,
        match="error_prior_ratio='held-out' needs 2 examples; got n_samples = 1",
    ):
        BoundPrunedTreeClassifier(error_prior_ratio="held-out").fit(
            X, y, 1.0 * (np.arange(n_examples) == 0)
        )


def test_the_ratio_has_no_say_where_another_rule_prunes():
    model = BoundPrunedTreeClassifier(
        rule="noise", error_prior_ratio="held-out", random_state=0
    ).fit(*WINE)
    assert same_state(
        model, BoundPrunedTreeClassifier(rule="noise", random_state=0).fit(*WINE)
    )
    assert model.error_prior_ratio_ == 2**-5


@pytest.mark.parametrize("rule", ["bound", "noise", 3, "error-based"])
def test_weights_count_for_their_effective_sample_size(rule):
    """The counts of the grown tree, scaled to sum to (sum w)^2 / sum w^2, are what the
    rule sees.
    """
    X, y = CANCER
    weights = np.random.default_rng(0).exponential(3.0, len(y)) * (
        np.arange(len(y)) % 5 > 0
    )
    model = BoundPrunedTreeClassifier(rule=rule, random_state=0).fit(
        X, y, sample_weight=weights
    )
    grown = DecisionTreeClassifier(random_state=0).fit(X, y, sample_weight=weights)
    tree = from_sklearn(grown)
    size = weights.sum() ** 2 / (weights**2).sum()
    counts = tree.class_counts * size / weights.sum()
    bound = BoundRule(n_examples=int((weights > 0).sum()))
    expected = tree.collapse(
        (bound if rule == "bound" else RULES.get(rule, PriceRule(3))).nodes(
            tree, counts
        )
    )
    np.testing.assert_array_equal(model.predict(X), expected.predict(X))
    wrong = weights[model.predict(X) != y].sum() * size / weights.sum()
    assert model.bound_ == pytest.approx(bound.bound(expected, wrong, bound.n_examples))
    times = BoundPrunedTreeClassifier(rule=rule, random_state=0).fit(
        X, y, sample_weight=weights / 1024
    )
    assert same_nodes(times, model)
    assert same_state(prune(grown, X, y, rule=rule, sample_weight=weights), model)


def same_nodes(first, second):
    """Whether two trees split alike, whatever their weights."""
    return first.tree_.threshold.tolist() == second.tree_.threshold.tolist()


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_the_effective_size_of_weights_of_any_size(scale):
    weights = scale * np.array([3.0, 1.0, 0.0, 1.0])
    assert effective_scale(weights) * weights.sum() == pytest.approx(25 / 11)
    assert effective_scale(np.full(7, 5.0)) * 35 == pytest.approx(7)


def rare(seed, m=3000):
    """One class in twenty, with some labels wrong."""
    return make_classification(
        m,
        20,
        n_informative=6,
        weights=[0.95],
        flip_y=0.03,
        class_sep=0.8,
        random_state=seed,
    )


def test_a_balanced_tree_is_pruned_to_about_what_folds_keep():
    for seed in range(3):
        X, y = rare(seed)
        balanced = {"class_weight": "balanced", "random_state": 0}
        grown = DecisionTreeClassifier(**balanced).fit(X, y)
        model = BoundPrunedTreeClassifier(**balanced).fit(X, y)
        assert same_state(prune(grown, X, y), model)
        unscaled = from_sklearn(grown)
        unscaled = unscaled.collapse(BoundRule().path(unscaled).nodes())
        assert 2 <= model.get_n_leaves() < unscaled.n_leaves / 2


def test_missing_values_and_sparse_input():
    X = WINE[0].copy()
    y = WINE[1]
    complete = BoundPrunedTreeClassifier(random_state=0).fit(X, y)
    assert (
        BoundPrunedTreeClassifier(random_state=0).fit(csr_array(X), y).bound_
        == complete.bound_
    )
    X[::6, 3:8] = np.nan
    model = BoundPrunedTreeClassifier(random_state=0).fit(X, y)
    tree = from_sklearn(model)
    wrong = (model.predict(X) != y).sum()
    assert model.bound_ == pytest.approx(
        BoundRule(n_features=2 * X.shape[1]).bound(tree, wrong, len(y))
    )
    assert same_state(
        prune(DecisionTreeClassifier(random_state=0).fit(X, y), X, y), model
    )


def coded(seed=0):
    """Two real columns and four of three levels, one of which matters."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.random((300, 2)), rng.integers(0, 3, (300, 4))])
    return X, (X[:, 2] == 1) ^ (rng.random(300) < 0.1)


def test_feature_kinds_make_leaves_cheaper():
    X, y = coded()
    rule = BoundRule(n_features=FeatureKinds(real=2, ordinal=[3] * 4))
    frame = pd.DataFrame(X, columns=list("abcdef"))
    declared = frame.astype(dict.fromkeys("cdef", pd.CategoricalDtype([0.0, 1.0, 2.0])))
    plain = BoundPrunedTreeClassifier(random_state=0).fit(X, y)
    models = [
        clone(plain).set_params(feature_kinds=kinds).fit(rows, y)
        for rows, kinds in (
            (X, dict.fromkeys(range(2, 6), 3)),
            (frame, dict.fromkeys("cdef", 3)),
            (declared, "from_dtype"),
        )
    ]
    for i, model in enumerate(models):
        tree = from_sklearn(model)
        wrong = (model.predict(frame if i else X) != y).sum()
        assert model.bound_ == pytest.approx(rule.bound(tree, wrong, 300))
        assert model.bound_ < BoundRule().bound(tree, wrong, 300)
        assert same_nodes(model, models[0])
        assert not model.__sklearn_tags__().input_tags.sparse
    for kinds in ("from_dtype", {}, None):  # an array has no dtypes of columns
        assert (
            clone(plain).set_params(feature_kinds=kinds).fit(X, y).bound_
            == plain.bound_
        )
    X[::7, 3] = np.nan  # a threshold counts twice, and missing or not is a split, too
    missing = models[0].fit(X, y)
    tree = from_sklearn(missing)
    wrong = (missing.predict(X) != y).sum()
    rule = BoundRule(n_features=FeatureKinds(real=4, ordinal=[6] * 4))
    assert missing.bound_ == pytest.approx(rule.bound(tree, wrong, 300))


def test_off_the_sequence_finite_features_gain_little():
    """Their penalty is not concave: here two leaves beat both members of the sequence,
    1 and 21 leaves.
    """
    saved = [3] + [2] * 19
    m = 2000
    rule = BoundRule(n_features=FeatureKinds(binary=670))
    sizes = np.arange(1, 22)
    wrong = np.append(0, np.cumsum(saved))[::-1]
    growth = [
        tb.capacity.log_all_structures_growth_bound(int(L), 2 * m, rule.n_features, 2)
        for L in sizes
    ]
    bounds = rule.bounds(sizes, wrong, growth, m)
    assert bounds.min() < min(bounds[0], bounds[-1]) <= bounds.min() + 2.3 / m
    assert bounds.argmin() == 1


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ("auto", "feature_kinds must be 'from_dtype', a dict"),
        ({"color": 2}, "feature_kinds: X has no column 'color'"),
        ({6: 2}, "feature_kinds: X has the columns 0 to 5; got 6"),
        ({-1: 2}, "feature_kinds: column must be an integer of at least 0"),
        ([2], "feature_kinds must be 'from_dtype', a dict"),
        ({2: 0}, "feature_kinds: number of levels must be an integer of at least 1"),
        ({2: 2}, "X: column 2 has 3 values; feature_kinds declares 2 levels"),
    ],
)
def test_feature_kinds_that_do_not_fit(features, message):
    with pytest.raises(ValueError, match=message):
        BoundPrunedTreeClassifier(feature_kinds=features).fit(*coded())
    with pytest.raises(ValueError, match="needs a dense X"):
        BoundPrunedTreeClassifier(feature_kinds={2: 3}).fit(
            csr_array(coded()[0]), coded()[1]
        )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rule": "magic"}, "rule must be one of 'bound'"),
        ({"rule": None}, "rule must be a name, a number, a CountingRule or a function"),
        ({"rule": -1}, r"rule must be a number in \[0, inf\)"),
        (
            {"error_prior_ratio": "held"},
            r"error_prior_ratio must be a number in \(0, 1\)",
        ),
        ({"max_leaf_nodes": 1}, "max_leaf_nodes"),
        ({"criterion": "magic"}, "criterion"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        BoundPrunedTreeClassifier(**parameters).fit(*WINE)


SHAPE_FUNCTIONS = [
    lambda tree: tb.capacity.partitioning_function_bound(tree, 2, 20, 2),
    lambda tree: [tb.growth_function_bound(tree, 20, 2, form=form) for form in FORMS],
    lambda tree: [
        tb.log_growth_function_bound(tree, 20, 2, form=form) for form in FORMS
    ],
    lambda tree: tb.growth_function_lower_bound(tree, 20, 2),
    lambda tree: tb.log_growth_function_lower_bound(tree, 20, 2),
    lambda tree: tb.vc_dimension_lower_bound(tree, 2),
    lambda tree: tb.vc_dimension_upper_bound(tree, 2),
    lambda tree: tb.capacity.shattered_sample(tree, 2).tolist(),
    lambda tree: (
        tb.capacity.realizing_tree(
            tree, tb.capacity.shattered_sample(tree, 2), [0, 1, 1, 0, 1]
        ).structure
    ),
]


@pytest.mark.parametrize("function", SHAPE_FUNCTIONS)
def test_functions_of_structures_take_a_fitted_tree(function):
    X, y = load_iris(return_X_y=True)
    model = BoundPrunedTreeClassifier(max_leaf_nodes=3, random_state=0).fit(X[:, 2:], y)
    assert function(model) == function(TreeStructure.from_nested([[None, None], None]))
    with pytest.raises(ValueError, match="tree"):
        function(clone(model))
