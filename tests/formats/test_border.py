"""Other people's models and documents: thresholds, rounds, objectives, damaged files.

What is right is the leaf that the library itself gives, by pred_leaf or apply.
"""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier

from builders import QUIET, VALUES, stump_tree
from treebounds import (
    ArrayTree,
    vc_dimension_upper_bound,
)
from treebounds.formats import (
    from_json,
    from_lightgbm,
    from_xgboost,
)

lightgbm = pytest.importorskip("lightgbm")
pandas = pytest.importorskip("pandas")
xgboost = pytest.importorskip("xgboost")


# Thresholds, rounds and objectives.


def test_a_split_between_missing_values_and_all_others():
    X = np.array([[-3e38], [-3e38], [np.nan], [np.nan]] * 5, dtype=np.float32)
    y = np.array([0, 0, 1, 1] * 5)
    options = {"max_depth": 1, "tree_method": "exact", "min_child_weight": 0}
    model = xgboost.XGBClassifier(n_estimators=1, **options).fit(X, y)
    assert "<-inf" in model.get_booster().get_dump()[0]
    tree = from_xgboost(model, X, y)
    np.testing.assert_array_equal(tree.apply(X), model.apply(X).ravel())


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_threshold_beyond_float32_is_above_every_value():
    nodes = [
        {"left": 1, "right": 2, "feature": 0, "threshold": 1e39},
        {"class_counts": [1, 0]},
        {"class_counts": [0, 1]},
    ]
    document = {"n_features": 1, "comparison": "<", "input_dtype": "float32"}
    tree = from_json(document | {"nodes": nodes})
    assert tree.apply([[3e38]]).tolist() == [1]


@pytest.mark.parametrize(
    ("read", "model"),
    [
        (
            from_xgboost,
            xgboost.train({}, xgboost.DMatrix(VALUES, VALUES[:, 0]), 0),
        ),
        (
            from_lightgbm,
            lightgbm.Booster(QUIET, lightgbm.Dataset(VALUES, VALUES[:, 0])),
        ),
    ],
)
def test_a_model_of_no_rounds_has_no_trees(read, model):
    with pytest.raises(ValueError, match="model has no trees: it was fitted with 0"):
        read(model, VALUES, VALUES[:, 0])
    with pytest.raises(ValueError, match="has no trees"):
        vc_dimension_upper_bound(model)


def test_objectives_do_not_matter_where_labels_are_known():
    X, y = load_breast_cancer(return_X_y=True)

    def squared(predicted, data):
        p = 1 / (1 + np.exp(-predicted))
        return p - data.get_label(), p * (1 - p)

    logistic = xgboost.XGBClassifier(n_estimators=1, objective="reg:logistic")
    own = xgboost.train({"max_depth": 3}, xgboost.DMatrix(X, y), 1, obj=squared)
    for model in (logistic.fit(X, y), own):
        tree = from_xgboost(model, X, y, classes=[0, 1])
        booster = model if model is own else model.get_booster()
        leaves = booster.predict(xgboost.DMatrix(X), pred_leaf=True)
        np.testing.assert_array_equal(tree.apply(X), leaves.ravel())
        assert tree.n_classes == 2
    for objective in ("cross_entropy", "cross_entropy_lambda"):
        data = lightgbm.Dataset(X, y)
        model = lightgbm.train(QUIET | {"objective": objective}, data, 1)
        assert from_lightgbm(model, X, y).n_classes == 2


@pytest.mark.parametrize("objective", ["binary", "regression", "poisson"])
def test_a_classifier_has_its_classes_whatever_its_objective(objective):
    X, y = load_breast_cancer(return_X_y=True)
    words = np.array(["malignant", "benign"])[y]
    options = {"n_estimators": 1, "num_leaves": 3, "objective": objective}
    model = lightgbm.LGBMClassifier(**QUIET, **options).fit(X, words)
    tree = from_lightgbm(model, X, words)
    assert tree.classes == ("benign", "malignant")
    assert tree.class_counts[0].tolist() == [357, 212]


def test_a_model_of_numbers_gets_the_sums_of_its_sample():
    X, y = load_diabetes(return_X_y=True)
    boosted = xgboost.XGBRegressor(n_estimators=2, max_depth=3).fit(X, y)
    light = lightgbm.LGBMRegressor(n_estimators=2, **QUIET).fit(X, y)
    leaves = [boosted.apply(X)[:, 1], light.predict(X, pred_leaf=True)[:, 1]]
    trees = [from_xgboost(boosted, X, y, tree=1), from_lightgbm(light, X, y, tree=1)]
    for tree, own, first in zip(
        trees, leaves, [0, trees[1].n_internal_nodes], strict=True
    ):
        reached = tree.apply(X)
        np.testing.assert_array_equal(reached - first, own.astype(int))
        for leaf in np.unique(reached):
            here = y[reached == leaf]
            assert tree.target_sums[leaf, 0] == len(here)
            assert tree.leaf_values[leaf] == pytest.approx(here.mean())
        assert tree.target_sums[0] == pytest.approx([len(y), y.sum(), (y**2).sum()])


def test_sums_may_be_given():
    X, y = load_diabetes(return_X_y=True)
    model = lightgbm.LGBMRegressor(n_estimators=1, **QUIET).fit(X, y)
    tree = from_lightgbm(model, X, y)
    assert from_lightgbm(model, target_sums=tree.target_sums) == tree
    assert from_lightgbm(model, [(X[:99], y[:99]), (X[99:], y[99:])]).n_leaves > 1
    with pytest.raises(ValueError, match="X, y, sample_weight, classes must be None"):
        from_lightgbm(model, X, y, target_sums=tree.target_sums)


def test_trees_after_the_best_iteration_do_not_count():
    X, y = load_breast_cancer(return_X_y=True)
    options = {"n_estimators": 60, "max_depth": 3, "early_stopping_rounds": 3}
    model = xgboost.XGBClassifier(learning_rate=1.0, **options)
    model.fit(X[:400], y[:400], eval_set=[(X[400:], y[400:])], verbose=False)
    best = model.best_iteration + 1
    assert best < model.get_booster().num_boosted_rounds()
    short = xgboost.XGBClassifier(
        learning_rate=1.0, n_estimators=best, max_depth=3
    ).fit(X[:400], y[:400])
    assert vc_dimension_upper_bound(model) == vc_dimension_upper_bound(short)
    with pytest.raises(ValueError, match=f"the model has {best} trees"):
        from_xgboost(model, X, y)


@pytest.mark.parametrize("read", [from_lightgbm, from_xgboost])
@pytest.mark.parametrize("name", ["model.txt", b"tree", __file__])
def test_the_name_of_a_file_is_no_model(read, name):
    with pytest.raises(ValueError, match=r"Booster\(model_file=path\) reads one"):
        read(name, VALUES, VALUES[:, 0] > 0)


# Documents.


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_numbers_of_numpy_in_documents(kind):
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    inside = model.tree_
    nodes = []
    for i in range(inside.node_count):
        node = {"id": np.int64(i)}
        if inside.children_left[i] < 0:
            node["class_counts"] = inside.value[i, 0] * inside.n_node_samples[i]
        else:
            node["left"] = inside.children_left[i]
            node["right"] = inside.children_right[i]
            node["feature"] = inside.feature[i]
            node["threshold"] = kind(inside.threshold[i])
        nodes.append(node)
    tree = from_json({"n_features": 4, "input_dtype": "float32", "nodes": nodes})
    np.testing.assert_array_equal(tree.predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "document"),
        ('{"n_features": 1' + "0" * 5000 + "}", "document"),
        (b"{}", "document must be a dict; got bytes"),
        ('{"nodes": [{"left": 1, "left": 2}]}', "the entry left twice"),
        ("tree.json", "not the name of a file"),
    ],
)
def test_a_text_that_is_no_document(text, message):
    with pytest.raises(ValueError, match=message):
        from_json(text)


@pytest.mark.parametrize("category", [10**12, 10**30, 1.5, True])
def test_numbers_of_categories_are_not_the_width_of_a_table(category):
    nodes = [
        {"left": 1, "right": 2, "feature": 0, "categories": [category]},
        {"class_counts": [1, 0]},
        {"class_counts": [0, 1]},
    ]
    document = {"n_features": 1, "nodes": nodes}
    if category == 10**12:
        assert from_json(document).apply([[1e12], [1e12 + 1]]).tolist() == [1, 2]
    else:
        with pytest.raises(ValueError, match="categories of node 0 must be a list"):
            from_json(document)


def test_a_document_of_numbers_without_sums():
    nodes = [{"left": 1, "right": 2, "feature": 0, "threshold": 1}, {}, {}]
    document = {"n_features": 1, "predicts": "numbers", "nodes": nodes}
    tree = from_json(document, [[0], [1], [2]], [1.0, 3.0, 8.0])
    assert tree.leaf_values.tolist() == [4, 2, 8]
    with pytest.raises(ValueError, match="predicts must be one of"):
        from_json(document | {"predicts": "ranks"}, [[0]], [1])


# The record.


@pytest.mark.parametrize("dtype", [3, "abc", [1], object(), None, int])
def test_a_wrong_type_of_inputs_is_named(dtype):
    with pytest.raises(ValueError, match="input_dtype must be float32 or float64"):
        stump_tree([[3, 4], [3, 0], [0, 4]], input_dtype=dtype)


def test_counts_whose_sum_overflows():
    with pytest.raises(ValueError, match=r"class_counts, .* must be finite"):
        stump_tree([[1e308, 1e308], [1e308, 0], [0, 1e308]])


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        ([[True], [False], [False]], "left_categories must be a mapping"),
        ({3: [0]}, "left_categories: node must be from 0 to 2; got 3"),
        ({0: [-1]}, "left_categories of node 0 must be from 0 to"),
        ({0: [0.5]}, "left_categories of node 0 must be whole numbers"),
    ],
)
def test_bad_sets_of_categories(sets, message):
    with pytest.raises(ValueError, match=message):
        stump_tree([[3, 4], [3, 0], [0, 4]], left_categories=sets)


def test_an_empty_set_sends_all_to_the_right():
    tree = stump_tree([[3, 4], [3, 0], [0, 4]], left_categories={0: []})
    assert tree.apply([[0.0], [7.0]]).tolist() == [2, 2]


def test_values_are_looked_up_as_in_a_table():
    """Against Python's sets, with fractions, negative, large and infinite values."""
    sets = {0: [3, 5], 1: [], 2: [0, 7, 2**40]}
    counts = [[4], [2], [2], [1], [1], [1], [1]]
    tree = ArrayTree(
        children_left=[1, 3, 5, -1, -1, -1, -1],
        children_right=[2, 4, 6, -1, -1, -1, -1],
        feature=[0, 0, 0, -2, -2, -2, -2],
        threshold=np.zeros(7),
        class_counts=counts,
        n_features=1,
        left_categories=sets,
    )
    x = np.array([0, 2, 3, 3.9, 5, 7, -1, -0.5, 2.0**40, 2.0**60, np.inf, -np.inf])
    expected = []
    for value in x:
        node = 0
        while not tree.is_leaf[node]:
            whole = -1 if np.isinf(value) or value <= -1 else int(value)
            sides = tree.children_left if whole in sets[node] else tree.children_right
            node = sides[node]
        expected.append(node)
    assert tree.apply(x[:, None]).tolist() == expected


def test_a_column_of_labels_or_numbers_is_read():
    y = (VALUES[:, 0] > 0).astype(int)
    model = lightgbm.LGBMClassifier(n_estimators=1, **QUIET).fit(VALUES, y)
    tree = from_lightgbm(model, VALUES, y)
    assert from_lightgbm(model, VALUES, y[:, np.newaxis]) == tree
    numbers = xgboost.XGBRegressor(n_estimators=1).fit(VALUES, VALUES[:, 1])
    tree = from_xgboost(numbers, VALUES, VALUES[:, 1])
    assert from_xgboost(numbers, VALUES, VALUES[:, 1:]) == tree
