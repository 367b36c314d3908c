"""Trees of LightGBM, XGBoost and JSON: the source's leaves on 10,000 rows, ties and NaN
included.
"""

import json
import math
import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from treebounds import (
    FeatureKinds,
    growth_function_bound,
    vc_dimension_upper_bound,
)
from treebounds.formats import (
    from_json,
    from_lightgbm,
    from_sklearn,
    from_xgboost,
    to_json,
    to_sklearn,
)
from treebounds.trees import count_classes
from trees.test_array_tree import array_trees
from trees.test_regression_trees import regression_trees

N_ROWS = 10_000


def sample(n_classes=2, missing=0.1, categories=0, seed=0):
    """Rows with many ties, NaN and, in column 3, categories; labels that depend on all
    of them.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_ROWS, 4)).round(1)
    X[:, 1] = rng.integers(-3, 4, N_ROWS)
    if categories:
        X[:, 3] = rng.integers(0, categories, N_ROWS)
    signal = (
        X[:, 0]
        + X[:, 1] * (X[:, 2] > 0.2)
        + 2 * np.sin(3 * X[:, 3])
        + rng.normal(size=N_ROWS)
    )
    y = np.digitize(signal, np.quantile(signal, np.arange(1, n_classes) / n_classes))
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


def values_around(X, tree):
    """Rows whose values are thresholds and their neighbors in 32 and in 64 bits, for
    ties.
    """
    rng = np.random.default_rng(1)
    rows = X.copy()
    for feature in range(X.shape[1]):
        limits = tree.threshold[(tree.feature == feature) & np.isfinite(tree.threshold)]
        near = [limits, np.nextafter(limits, np.inf), np.nextafter(limits, -np.inf)]
        limits32 = limits.astype(np.float32)
        near += [
            np.nextafter(limits32, np.float32(end)).astype(float)
            for end in (-np.inf, np.inf)
        ]
        near += [[0.0, -0.0, 1e-40, -1e-40, 1e38, -1e38, np.inf, -np.inf]]
        chosen = rng.random(N_ROWS) < 0.5
        rows[chosen, feature] = rng.choice(np.concatenate(near), chosen.sum())
    return rows


def counts_of(y, reached, n_nodes, n_classes):
    counts = np.zeros((n_nodes, n_classes))
    np.add.at(counts, (reached, y), 1)
    return counts


LIGHTGBM = [
    {},
    {"objective": "multiclass", "num_class": 3},
    {"use_missing": False},
    {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.6},
    {"categorical_feature": [3]},
    {
        "categorical_feature": [3],
        "max_cat_to_onehot": 1,
        "cat_smooth": 0,
        "min_data_per_group": 1,
    },
    {"missing": 0.0},
]


def leaves_of(booster, rows, number):
    """The leaf of one tree that the other library says each row reaches."""
    return booster.predict(rows, pred_leaf=True).reshape(N_ROWS, -1)[:, number]


def assert_leaves_have_the_counts_of_rows(tree, X, y):
    ends = counts_of(y, tree.apply(X), tree.n_nodes, tree.n_classes)
    np.testing.assert_array_equal(tree.class_counts[tree.is_leaf], ends[tree.is_leaf])


@pytest.mark.parametrize("options", LIGHTGBM, ids=str)
def test_lightgbm(options):
    lightgbm = pytest.importorskip("lightgbm")
    options = dict(options)
    n_classes = options.get("num_class", 2)
    columns = options.pop("categorical_feature", "auto")
    by_category = columns != "auto"
    X, y = sample(n_classes, options.pop("missing", 0.1), 70 * by_category)

    parameters = {
        "objective": "binary",
        "num_leaves": 80,
        "min_data_in_leaf": 1,
        "verbose": -1,
        **options,
    }
    data = lightgbm.Dataset(X, y, categorical_feature=columns, params={"verbose": -1})
    booster = lightgbm.train(parameters, data, 3)

    for number in range(booster.num_trees()):
        tree = from_lightgbm(booster, X, y, tree=number)
        assert tree.n_classes == n_classes
        assert tree.n_leaves > 40
        assert_leaves_have_the_counts_of_rows(tree, X, y)
        others = [X - 0.0, -X] if by_category else [values_around(X, tree)]
        for rows in (X, *others):
            np.testing.assert_array_equal(
                tree.apply(rows) - tree.n_internal_nodes,
                leaves_of(booster, rows, number),
            )
    assert tree.asks_for_category.any() == by_category


def trees_with_zero_as_missing(X, y, num_leaves):
    lightgbm = pytest.importorskip("lightgbm")
    parameters = {
        "objective": "binary",
        "zero_as_missing": True,
        "verbose": -1,
        "num_leaves": num_leaves,
    }
    return lightgbm.train(parameters, lightgbm.Dataset(X, y), 4)


@pytest.mark.parametrize(("num_leaves", "shift"), [(2, 0.0), (4, 5.0)])
def test_lightgbm_zero_as_missing_is_read_where_a_threshold_says_the_same(
    num_leaves, shift
):
    X, y = sample(missing=0)
    X = X + shift
    booster = trees_with_zero_as_missing(X, y, num_leaves)
    for number in range(booster.num_trees()):
        tree = from_lightgbm(booster, X, y, tree=number)
        rows = values_around(sample()[0] + shift, tree)
        leaves = booster.predict(rows, pred_leaf=True)[:, number]
        np.testing.assert_array_equal(tree.apply(rows) - tree.n_internal_nodes, leaves)


def test_lightgbm_zero_as_missing_is_refused_where_zeros_go_elsewhere():
    X, y = sample(missing=0)
    booster = trees_with_zero_as_missing(X, y, num_leaves=60)
    for number in range(booster.num_trees()):
        with pytest.raises(ValueError, match="zero_as_missing is supported only if"):
            from_lightgbm(booster, X, y, tree=number)


XGBOOST = [
    {},
    {"objective": "multi:softprob", "num_class": 3},
    {"num_parallel_tree": 2, "subsample": 0.5},
    {"booster": "dart"},
    {"tree_method": "exact", "gamma": 3},  # which deletes nodes
    {"categories": True, "max_cat_to_onehot": 1},
    {"categories": True, "max_cat_to_onehot": 100},
]


def boosted_trees(options, by_category=False):
    """A booster, its sample, and a function that makes its tables of rows."""
    xgboost = pytest.importorskip("xgboost")
    X, y = sample(options.get("num_class", 2), 0.1, 70 * by_category)
    X = X.astype(np.float32)

    table = partial(
        xgboost.DMatrix,
        feature_types=["q", "q", "q", "c"] if by_category else None,
        enable_categorical=by_category,
    )
    parameters = {"objective": "binary:logistic", "max_depth": 6, **options}
    return xgboost.train(parameters, table(X, y), 2), X, y, table


@pytest.mark.parametrize("options", XGBOOST, ids=str)
def test_xgboost(options):
    options = dict(options)
    by_category = options.pop("categories", False)
    booster, X, y, table = boosted_trees(options, by_category)

    for number, dump in enumerate(booster.get_dump()):
        tree = from_xgboost(booster, X, y, tree=number)
        assert_leaves_have_the_counts_of_rows(tree, X, y)
        names = np.sort(np.array(re.findall(r"^\s*(\d+):", dump, re.M), dtype=int))
        others = []
        if not by_category:
            # XGBoost refuses infinite values
            around = np.clip(values_around(X, tree), -3e38, 3e38)
            others.append(around.astype(np.float32))
        for rows in (X, *others):
            np.testing.assert_array_equal(
                names[tree.apply(rows)], leaves_of(booster, table(rows), number)
            )
    assert tree.asks_for_category.any() == by_category


@pytest.mark.parametrize(
    ("options", "n_trees"),
    [
        ({}, 2),
        ({"objective": "multi:softprob", "num_class": 3}, 6),
        ({"num_parallel_tree": 2, "subsample": 0.5}, 4),
    ],
)
def test_a_tree_of_a_booster_is_named_by_its_number(options, n_trees):
    booster, X, y, _ = boosted_trees(options)
    with pytest.raises(ValueError, match=f"the model has {n_trees} trees"):
        from_xgboost(booster, X, y)
    with pytest.raises(ValueError, match=f"tree must be from 0 to {n_trees - 1}"):
        from_xgboost(booster, X, y, tree=n_trees)


def test_labels_weights_and_batches_are_counted_alike():
    lightgbm = pytest.importorskip("lightgbm")
    X, y = sample(3)
    words = np.array(["ant", "bee", "cow"])[y]
    weights = np.arange(N_ROWS) % 4
    model = lightgbm.LGBMClassifier(n_estimators=1, verbose=-1).fit(X, words)
    tree = from_lightgbm(model, X, words, tree=1, sample_weight=weights)
    assert tree.class_counts[0].tolist() == np.bincount(y, weights).tolist()
    parts = [slice(0, 3000), slice(3000, 3001), slice(3001, N_ROWS)]
    batches = ((X[part], words[part], weights[part]) for part in parts)
    assert from_lightgbm(model, batches, tree=1) == tree
    empty = from_lightgbm(model, tree=1, class_counts=np.zeros((tree.n_nodes, 3)))
    counts = sum(
        count_classes(empty, [(X[part], y[part], weights[part])]) for part in parts
    )
    assert from_lightgbm(model, tree=1, class_counts=counts) == tree
    for wrong, message in (
        (
            {"y": np.where(y, "bee", "cows")},
            "y holds 'cows', which is not among classes",
        ),
        ({"X": [(X, np.where(y, "bee", None))], "y": None}, "y contains NaN or None"),
        ({"y": words[1:]}, "y must have one class for each of the 10000 rows"),
        ({"y": None}, "y: the model does not tell the statistics"),
        ({"X": iter([]), "y": None, "classes": [0, 1]}, "X has no rows"),
        ({"X": X[:, 1:]}, "X must have shape"),
        ({"sample_weight": -weights}, "sample_weight must hold numbers in"),
        ({"sample_weight": weights[1:]}, "sample_weight must have one number per row"),
        ({"classes": ["b", "a"]}, "classes must be labels in increasing order"),
        ({"class_counts": counts}, "class_counts or target_sums are"),
        (
            {"X": None, "y": None, "class_counts": counts, "classes": [0, 1, 2]},
            "None: class_counts or",
        ),
        (
            {"X": None, "y": None, "class_counts": counts[1:]},
            "class_counts must have shape",
        ),
        (
            {"X": None, "y": None, "class_counts": counts + 1},
            "class_counts of node 0 are not the sum",
        ),
        (
            {"X": iter(()), "y": None, "sample_weight": weights},
            "None with batches as X",
        ),
        ({"tree": True}, "tree must be an integer"),
    ):
        with pytest.raises(ValueError, match=message):
            from_lightgbm(model, **{"X": X, "y": words, "tree": 1} | wrong)


def test_models_that_are_refused():
    lightgbm = pytest.importorskip("lightgbm")
    xgboost = pytest.importorskip("xgboost")
    X, y = sample(2, 0)
    quiet = {"n_estimators": 2, "verbose": -1}
    for model, message in (
        (
            lightgbm.LGBMClassifier(linear_tree=True, **quiet),
            "linear_tree is not supported",
        ),
        (lightgbm.LGBMClassifier(**quiet), "the model has 2 trees; name one"),
    ):
        number = None if "name one" in message else 0
        with pytest.raises(ValueError, match=message):
            from_lightgbm(model.fit(X, y), X, y, tree=number)
    for model, message in (
        (xgboost.XGBClassifier(n_estimators=1, booster="gblinear"), "has no trees"),
        (
            xgboost.XGBClassifier(n_estimators=1, missing=0.0),
            "missing=0.0 is not supported",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            from_xgboost(model.fit(X, y), X, y)
    several = xgboost.XGBClassifier(
        n_estimators=1, multi_strategy="multi_output_tree", tree_method="hist"
    )
    with pytest.raises(ValueError, match="multi_output_tree"):
        from_xgboost(several.fit(*sample(3, 0)), X, y)
    for read, name in (
        (from_lightgbm, "LightGBM"),
        (from_xgboost, "XGBoost"),
    ):
        with pytest.raises(
            ValueError, match=f"model must be .* {name} booster, classifier or"
        ):
            read(DecisionTreeClassifier(), X, y)


@pytest.mark.no_cover
@given(array_trees(), st.randoms(use_true_random=False))
def test_a_document_in_any_order(tree, random):
    assert from_json(to_json(tree)) == tree
    document = json.loads(to_json(tree))
    nodes = [{"id": f"n{i}", **node} for i, node in enumerate(document["nodes"])]
    for node in nodes:
        node |= {side: f"n{node[side]}" for side in ("left", "right") if side in node}
        if "left" in node:
            del node["class_counts"]
    random.shuffle(nodes)
    result = from_json(json.dumps(document | {"nodes": nodes}))
    X = np.random.default_rng(0).uniform(-2, 2, (50, tree.n_features))
    np.testing.assert_array_equal(
        result.class_counts[result.apply(X)], tree.class_counts[tree.apply(X)]
    )
    np.testing.assert_array_equal(
        result.class_counts[result.preorder], tree.class_counts[tree.preorder]
    )


DOCUMENT = {
    "n_features": 2,
    "feature_names": ["age", "color"],
    "input_dtype": "float32",
    "comparison": "<",
    "nodes": [
        {
            "id": "y",
            "left": "a",
            "right": "b",
            "feature": "color",
            "categories": [0, 2],
            "missing": "right",
        },
        {
            "id": "x",
            "left": "y",
            "right": "c",
            "feature": "age",
            "threshold": 0.1,
            "missing": "left",
        },
        {"id": "a", "class_counts": [5, 0]},
        {"id": "b", "class_counts": [1, 2]},
        {"id": "c", "class_counts": [0, 7]},
    ],
}


def test_names_categories_less_than_and_infinity():
    documents = (changed(1, threshold="Infinity") | {"comparison": "<="}, DOCUMENT)
    infinite, tree = map(from_json, documents)
    assert all(
        from_json(to_json(each)) == each
        for each in (infinite, tree, tree.collapse([0]))
    )
    tenth = np.float32(0.1)  # larger than 0.1
    rows = [
        [tenth, 0],
        [np.nextafter(tenth, np.float32(0)), 0],
        [0, 1],
        [0, 2],
        [0, 3],
        [0, -1],
        [0, 9],
    ]
    rows += [[np.nan, np.nan], [np.nan, 2.5], [0, np.inf], [0, -np.inf]]
    assert tree.class_counts[tree.apply(np.float32(rows))].tolist() == [
        [0, 7],
        [5, 0],
        [1, 2],
        [5, 0],
        [1, 2],
        [1, 2],
        [1, 2],
        [1, 2],
        [5, 0],
        [1, 2],
        [1, 2],
    ]
    assert vc_dimension_upper_bound(tree, FeatureKinds(real=1, nominal_subsets=[4])) > 3
    bounds = [
        lambda: vc_dimension_upper_bound(tree),
        lambda: growth_function_bound(tree, 9, 2),
    ]
    for refused in (*bounds, lambda: to_sklearn(tree)):
        with pytest.raises(
            ValueError, match=r"by sets of categories|by thresholds, not by categories"
        ):
            refused()
    assert tree.left_categories[1].tolist() == [0, 2]
    assert tree.collapse([1]).left_categories is None


def test_a_document_without_counts():
    nodes = [
        {name: node[name] for name in node if name != "class_counts"}
        for node in DOCUMENT["nodes"]
    ]
    document = DOCUMENT | {"nodes": nodes}
    X = [[0, 0], [0, 1], [1, 0]]
    y = ["no", "yes", "yes"]
    tree = from_json(document, X, y, sample_weight=[1, 2, 3])
    assert tree.class_counts[0].tolist() == [1, 5]
    with pytest.raises(ValueError, match="y: the model does not tell the statistics"):
        from_json(document)
    with pytest.raises(ValueError, match="the class counts or the sums"):
        from_json(DOCUMENT, X, y)


def changed(number, **entries):
    nodes = list(DOCUMENT["nodes"])
    nodes[number] = {
        name: value
        for name, value in (nodes[number] | entries).items()
        if value is not None
    }
    return DOCUMENT | {"nodes": nodes}


BAD_DOCUMENTS = [
    ([], "document must be a dict"),
    ("{]", "document is not valid JSON: .* line 1 column 2"),
    ({"n_features": 1}, "nodes must be a list of objects"),
    (DOCUMENT | {"n_features": 3}, "if both are, they must agree"),
    (
        DOCUMENT | {"feature_names": [], "n_features": "2"},
        "n_features must be an integer",
    ),
    *(
        (DOCUMENT | {"feature_names": one}, "different feature_names must be")
        for one in (2, 2 * ["color"])
    ),
    (DOCUMENT | {"comparison": ">"}, "comparison must be one of"),
    (DOCUMENT | {"input_dtype": "float16"}, "input_dtype must be one of"),
    (DOCUMENT | {"surrogates": []}, "document has unknown entries: surrogates"),
    (changed(0, surrogates=[1]), "node y has unknown entries: surrogates"),
    (changed(2, missing="left"), "node a, a leaf, has unknown entries: missing"),
    *(
        (changed(0, id=one), "id must be a number or a word, and different for every")
        for one in ("x", ["y"])
    ),
    (changed(0, left="z"), "left of node y must be the id of a node; got 'z'"),
    (changed(0, left="x"), "nodes do not form a tree"),
    (changed(0, left="c"), "nodes do not form a tree"),
    (
        changed(0, feature="size") | {"n_features": 10**12, "feature_names": []},
        "a feature; got 'size'",
    ),
    (
        changed(0, threshold=1),
        "threshold or categories must be given at node y, but not both",
    ),
    (changed(0, categories=[-1]), "categories of node y must be a list"),
    (changed(0, missing="up"), "missing of node y must be one of"),
    (
        changed(0, missing=None),
        "missing must be given at every internal node or at none",
    ),
    *(
        (changed(1, threshold=limit), "threshold of node x must be a number")
        for limit in ("one", 10**400, 2**53 + 1)
    ),
    (changed(1, threshold=math.nan), "threshold must not be NaN"),
    (changed(1, threshold=-math.inf), "threshold must not be minus infinity"),
    (changed(2, class_counts=None), "class_counts must be given at all nodes"),
    (changed(2, class_counts=[1]), "class_counts must be lists of one number"),
    (changed(2, class_counts=1), "class_counts must be lists of one number"),
]


@pytest.mark.parametrize(("document", "message"), BAD_DOCUMENTS)
def test_bad_documents(document, message):
    with pytest.raises(ValueError, match=message):
        from_json(document)


@pytest.mark.parametrize("unit", ["D", "ns"])
def test_dates_as_labels_are_refused(unit):
    """As nanoseconds they would come back as whole numbers."""
    days = np.array(["2020-01-01", "2021-01-01"], dtype=f"datetime64[{unit}]")
    tree = DecisionTreeClassifier().fit([[0.0], [1.0]], days)
    with pytest.raises(ValueError, match=r"or truth values in JSON; got .*2020-01-01"):
        to_json(tree)


def test_intervals_as_categories_are_refused():
    pandas = pytest.importorskip("pandas")
    tree = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    names = {0: pandas.interval_range(0, 2)}
    with pytest.raises(ValueError, match=r"category_names must be .* in JSON; got"):
        to_json(replace(from_sklearn(tree), category_names=names))


def test_a_document_keeps_names():
    tree = replace(
        from_json(DOCUMENT), classes=["no", "yes"], category_names={1: ["red", "blue"]}
    )
    again = from_json(to_json(tree))
    assert again == tree
    assert again.feature_names == ("age", "color")
    assert again.category_names == {1: ("red", "blue")}


@given(regression_trees())
def test_a_document_of_numbers_makes_the_round_trip(example):
    tree = example[0]
    assert from_json(to_json(tree)) == tree


def test_a_document_has_classes_or_numbers():
    nodes = [{"class_counts": [1], "target_sums": [1, 2, 4]}]
    with pytest.raises(ValueError, match="class_counts or target_sums may be given"):
        from_json({"n_features": 1, "nodes": nodes})
    document = {"n_features": 1, "nodes": [{"target_sums": [1, 2, 4]}]}
    assert from_json(document).leaf_values.tolist() == [2]
    with pytest.raises(ValueError, match="the sums of y are already"):
        from_json(document, [[1]], [2])


def weighted_document(numbers):
    """A document of a stump whose nodes may have numbers of examples."""
    nodes = [
        {"left": 1, "right": 2, "feature": 0, "threshold": 1},
        {"class_counts": [2.5, 1.0]},
        {"class_counts": [0.25, 3.0]},
    ]
    for node, number in zip(nodes, numbers, strict=True):
        if number is not None:
            node["n_examples"] = number
    return {"n_features": 1, "nodes": nodes}


def test_documents_keep_numbers_of_examples():
    for numbers in ([9, 4, 5], [None, 4, 5], [None, np.int64(4), 5]):
        tree = from_json(weighted_document(numbers))
        assert tree.example_counts.tolist() == [9, 4, 5]
        again = from_json(to_json(tree))
        assert again.example_counts.tolist() == [9, 4, 5]
        nodes = to_sklearn(tree).tree_
        assert nodes.n_node_samples.tolist() == [9, 4, 5]
        assert nodes.weighted_n_node_samples.tolist() == [6.75, 3.5, 3.25]
    assert from_json(weighted_document([None] * 3)).example_counts is None


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ([None, 4, None], "n_examples must be given at all nodes, at all leaves"),
        ([None, 4.5, 5], "n_examples must be a whole number from 0 to"),
        ([None, True, 5], "n_examples must be a whole number from 0 to"),
        ([None, 2**53, 5], "n_examples must be a whole number from 0 to"),
        ([8, 4, 5], "example_counts of node 0 are not the sum"),
    ],
)
def test_wrong_numbers_of_examples_in_documents(numbers, message):
    with pytest.raises(ValueError, match=message):
        from_json(weighted_document(numbers))


def test_numbers_of_examples_need_statistics():
    document = weighted_document([None, 4, 5])
    for node in document["nodes"]:
        node.pop("class_counts", None)
    with pytest.raises(ValueError, match="n_examples needs class_counts or target"):
        from_json(document, [[0], [2]], [0, 1])


def test_rounded_weights_of_scikit_learn_are_not_numbers_of_examples():
    """A tree of weights alone is written with rounded ones, which need not add up."""
    weights = from_json(weighted_document([None] * 3))
    written = to_sklearn(weights)
    assert written.tree_.n_node_samples.tolist() == [7, 4, 3]
    assert from_sklearn(written).example_counts is None
    nodes = weighted_document([None] * 3)["nodes"]
    nodes[1]["class_counts"], nodes[2]["class_counts"] = [1.4, 0.0], [0.0, 1.4]
    written = to_sklearn(from_json({"n_features": 1, "nodes": nodes}))
    assert written.tree_.n_node_samples.tolist() == [3, 1, 1]
    assert from_sklearn(written).example_counts is None
