"""Other people's frames: names of columns, categories, types.

What is right is the leaf that the library itself gives, by pred_leaf or apply.
"""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array, random
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from builders import QUIET, VALUES
from treebounds import (
    FeatureKinds,
    certify,
    prune,
    vc_dimension_upper_bound,
)
from treebounds.formats import (
    from_lightgbm,
    from_sklearn,
    from_xgboost,
    to_sklearn,
)
from treebounds.trees import count_classes
from treebounds.trees.array_tree import as_numbers

lightgbm = pytest.importorskip("lightgbm")
pandas = pytest.importorskip("pandas")
xgboost = pytest.importorskip("xgboost")

RNG = np.random.default_rng(0)


def leaves_of_lightgbm(booster, rows, number=0):
    leaves = booster.predict(rows, pred_leaf=True)
    return np.asarray(leaves).reshape(len(rows), -1)[:, number].astype(int)


# Names of columns.

FIELDS = [
    "threshold",
    "num_leaves",
    "decision_type",
    "split_feature",
    "left_child",
    "right_child",
    "is_linear",
    "Tree",
]


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("n_leaves", [2, 8])
def test_a_column_may_have_the_name_of_a_field_of_lightgbm(name, n_leaves):
    frame = pandas.DataFrame({name: VALUES[:, 0], "b": VALUES[:, 1]})
    y = (VALUES[:, 0] > 0.3) ^ (VALUES[:, 1] > 0)
    parameters = QUIET | {"objective": "binary", "num_leaves": n_leaves}
    model = lightgbm.train(parameters, lightgbm.Dataset(frame, y), 2)
    tree = from_lightgbm(model, frame, y.astype(int), tree=1)
    leaves = leaves_of_lightgbm(model, frame, 1)
    np.testing.assert_array_equal(tree.apply(frame) - tree.n_internal_nodes, leaves)
    assert vc_dimension_upper_bound(model) >= 2


def ordered_model():
    frame = pandas.DataFrame(VALUES, columns=["a", "b"])
    y = (frame.a > 0).astype(int).to_numpy()
    return frame, y


@pytest.mark.parametrize(
    ("read", "model"),
    [
        (from_xgboost, xgboost.XGBClassifier(n_estimators=1, max_depth=2)),
        (from_lightgbm, lightgbm.LGBMClassifier(n_estimators=1, **QUIET)),
        (lambda model, X, y: from_sklearn(model, X, y), DecisionTreeClassifier()),
    ],
)
def test_columns_in_another_order_are_refused(read, model):
    frame, y = ordered_model()
    model.fit(frame, y)
    tree = read(model, frame, y)
    assert tree.feature_names == ("a", "b")

    swapped = frame[["b", "a"]]
    refusal = "it has 'b' where the tree has 'a'"
    with pytest.raises(ValueError, match=refusal):
        read(model, swapped, y)
    with pytest.raises(ValueError, match=refusal):
        tree.apply(swapped)


def test_other_columns_are_refused_by_name():
    frame, y = ordered_model()
    tree = from_sklearn(DecisionTreeClassifier().fit(frame, y))
    with pytest.raises(ValueError, match="missing: 'b'; unknown: 'c', 'd'"):
        tree.apply(frame.rename(columns={"b": "c"}).assign(d=1.0))
    with pytest.raises(ValueError, match="several columns of the same name"):
        tree.apply(frame[["a", "b", "a"]])


def test_columns_without_names_are_read_by_place():
    frame, y = ordered_model()
    tree = from_sklearn(DecisionTreeClassifier().fit(frame, y))
    unnamed = pandas.DataFrame(frame.to_numpy())
    np.testing.assert_array_equal(tree.apply(unnamed), tree.apply(frame))


def test_blanks_in_names_are_lightgbms_lines():
    frame = pandas.DataFrame(VALUES, columns=["the first", "b"])
    y = (VALUES[:, 0] > 0).astype(int)
    model = lightgbm.LGBMClassifier(n_estimators=1, **QUIET).fit(frame, y)
    tree = from_lightgbm(model, frame, y)
    assert tree.leaf_errors[tree.is_leaf].sum() == 0


# Categories.


def frame_of_categories(ordered):
    size = RNG.choice([10, 20, 50, 100], 600)
    categories = pandas.Categorical(size, ordered=ordered)
    frame = pandas.DataFrame({"size": categories, "b": RNG.normal(size=600)})
    frame["color"] = pandas.Categorical(RNG.choice(["red", "green", "blue"], 600))
    return frame, ((size == 10) | (size == 50)).astype(int)


def fitted_lightgbm(frame, y):
    many = {"min_data_per_group": 1, "cat_smooth": 0, "min_data_in_leaf": 1}
    model = lightgbm.LGBMClassifier(n_estimators=1, **QUIET, **many).fit(frame, y)
    return model, from_lightgbm


def fitted_xgboost(frame, y):
    options = {"enable_categorical": True, "max_cat_to_onehot": 1}
    model = xgboost.XGBClassifier(n_estimators=1, **options).fit(frame, y)
    return model, from_xgboost


def leaves_of(model, rows):
    if isinstance(model, lightgbm.LGBMClassifier):
        leaves = leaves_of_lightgbm(model, rows)
        return leaves + from_lightgbm(model, rows, model.predict(rows)).n_internal_nodes
    return model.apply(rows).ravel().astype(int)


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("fit", [fitted_lightgbm, fitted_xgboost])
def test_categories_have_the_numbers_of_the_model(fit, ordered):
    frame, y = frame_of_categories(ordered)
    model, read = fit(frame, y)
    tree = read(model, frame, y)
    np.testing.assert_array_equal(tree.apply(frame), leaves_of(model, frame))
    assert tree.leaf_errors[tree.is_leaf].sum() == 0
    assert tree.category_names[0] == (10, 20, 50, 100)
    assert tree.category_names[2] == ("blue", "green", "red")


def frame_of_cities():
    cities = RNG.choice(["Bern", "Genf", "Z\u00fcrich"], 600)
    frame = pandas.DataFrame({"city": pandas.Categorical(cities)})
    return frame, (cities == "Z\u00fcrich").astype(int)


def test_names_of_categories_beyond_ascii_are_kept():
    frame, y = frame_of_cities()
    model, read = fitted_lightgbm(frame, y)
    tree = read(model, frame, y)
    assert tree.category_names[0] == ("Bern", "Genf", "Z\u00fcrich")
    np.testing.assert_array_equal(tree.apply(frame), leaves_of(model, frame))


def test_names_that_xgboost_has_cut_are_refused():
    """It keeps "Z\u00fcric", and rows with the whole name would count as missing."""
    frame, y = frame_of_cities()
    model, read = fitted_xgboost(frame, y)
    with pytest.raises(ValueError, match="letters beyond ASCII"):
        read(model, frame, y)


@pytest.mark.parametrize("fit", [fitted_lightgbm, fitted_xgboost])
def test_categories_declared_in_another_order_are_the_same(fit):
    frame, y = frame_of_categories(ordered=False)
    model, read = fit(frame, y)
    tree = read(model, frame, y)
    other = frame.assign(
        size=frame["size"].cat.set_categories([100, 10, 50, 20]),
        color=frame["color"].cat.set_categories(["red", "green", "blue"]),
    )
    np.testing.assert_array_equal(tree.apply(other), leaves_of(model, frame))
    part = other[(other["size"] == 50)].copy()
    part["size"] = part["size"].cat.remove_unused_categories()
    np.testing.assert_array_equal(
        tree.apply(part), leaves_of(model, frame)[(other["size"] == 50).to_numpy()]
    )


def test_columns_of_categories_may_be_named_by_numbers():
    frame, y = frame_of_categories(ordered=False)
    frame.columns = [0, 1, 2]
    model, read = fitted_lightgbm(frame, y)
    before = frame.copy()
    np.testing.assert_array_equal(
        read(model, frame, y).apply(frame), leaves_of(model, frame)
    )
    pandas.testing.assert_frame_equal(frame, before)


def test_a_category_that_lightgbm_does_not_know_is_missing():
    frame, y = frame_of_categories(ordered=False)
    model, read = fitted_lightgbm(frame, y)
    new = frame.assign(size=frame["size"].cat.rename_categories({10: 11}))
    np.testing.assert_array_equal(
        read(model, frame, y).apply(new), leaves_of(model, new)
    )


def test_a_column_with_other_categories_is_refused():
    frame, y = frame_of_categories(ordered=False)
    model, read = fitted_lightgbm(frame, y)
    tree = read(model, frame, y)
    other = frame.assign(size=frame["size"].cat.rename_categories(list("uvwx")))
    with pytest.raises(ValueError, match="column 'size' has none of the categories"):
        certify(tree, other, y)


@pytest.mark.parametrize("fit", [fitted_lightgbm, fitted_xgboost])
def test_codes_may_be_given_as_numbers(fit):
    frame, y = frame_of_categories(ordered=False)
    model, read = fit(frame, y)
    codes = frame.assign(size=frame["size"].cat.codes, color=frame["color"].cat.codes)
    tree = read(model, codes, y)
    np.testing.assert_array_equal(tree.apply(codes), leaves_of(model, frame))
    np.testing.assert_array_equal(tree.apply(frame), leaves_of(model, frame))


def test_categories_are_unknown_to_a_model_of_numbers():
    frame, y = frame_of_categories(ordered=True)
    codes = frame.assign(size=frame["size"].cat.codes, color=frame["color"].cat.codes)
    for fit in (fitted_lightgbm, fitted_xgboost):
        model, read = fit(codes, y)
        tree = read(model, codes, y)
        with pytest.raises(ValueError, match="X: column 'size' is categorical"):
            tree.apply(frame)


def test_ordered_categories_of_a_model_without_its_frame_are_not_guessed():
    frame, y = frame_of_categories(ordered=True)
    booster = fitted_lightgbm(frame, y)[0].booster_
    codes = frame.assign(size=frame["size"].cat.codes, color=frame["color"].cat.codes)
    tree = from_lightgbm(booster, codes, y)
    assert tree.leaf_errors[tree.is_leaf].sum() == 0
    with pytest.raises(ValueError, match="X: column 'size' is categorical"):
        tree.apply(frame)
    with pytest.raises(ValueError, match="X must have 2 categorical columns"):
        from_lightgbm(booster, frame.assign(size=codes["size"]), y)


def test_values_of_categories_are_scikit_learns():
    frame, y = frame_of_categories(ordered=False)
    rows = frame[["size", "b"]]
    fitted = DecisionTreeClassifier(random_state=0).fit(rows, y)
    np.testing.assert_array_equal(from_sklearn(fitted).apply(rows), fitted.apply(rows))


def test_large_numbers_of_categories_take_the_memory_of_their_sets():
    number = RNG.integers(0, 50, 2000) * 2_000_000 + 7
    X = np.column_stack([number.astype(float), RNG.normal(size=2000)])
    y = ((number // 2_000_000) % 3 == 0).astype(int)
    many = {"min_data_per_group": 1, "cat_smooth": 0, "min_data_in_leaf": 1}
    data = lightgbm.Dataset(X, y, categorical_feature=[0])
    model = lightgbm.train(QUIET | many | {"objective": "binary"}, data, 1)
    tree = from_lightgbm(model, X, y)
    assert sum(map(len, tree.left_categories.values())) <= 50 * tree.n_internal_nodes
    np.testing.assert_array_equal(
        tree.apply(X) - tree.n_internal_nodes, leaves_of_lightgbm(model, X)
    )


# Types of columns.


def frames_of_booleans():
    frame = pandas.DataFrame({"a": RNG.normal(size=400), "flag": RNG.random(400) > 0.5})
    return frame, ((frame.a > 0.3) ^ frame.flag).astype(int).to_numpy()


@pytest.mark.parametrize(
    ("read", "model"),
    [
        (from_xgboost, xgboost.XGBClassifier(n_estimators=1, max_depth=3)),
        (from_lightgbm, lightgbm.LGBMClassifier(n_estimators=1, **QUIET)),
        (lambda model, X, y: from_sklearn(model, X, y), DecisionTreeClassifier()),
    ],
)
def test_a_frame_of_numbers_and_booleans_is_read(read, model):
    frame, y = frames_of_booleans()
    tree = read(model.fit(frame[:300], y[:300]), frame[:300], y[:300])
    assert tree.class_counts[0].tolist() == np.bincount(y[:300]).tolist()
    assert certify(tree, frame[300:], y[300:]).n_examples == 100


def test_a_frame_of_booleans_and_categories_prunes_as_its_numbers():
    frame, y = frames_of_booleans()
    tree = from_sklearn(DecisionTreeClassifier(random_state=0).fit(frame, y))
    assert prune(tree, frame, y) == prune(tree, frame.to_numpy(dtype=float), y)

    frame, y = frame_of_categories(ordered=True)
    model, read = fitted_lightgbm(frame, y)
    tree = read(model, frame, y)
    kinds = FeatureKinds(real=1, ordinal=[4], nominal_subsets=[3])
    codes = pandas.DataFrame(as_numbers(tree, frame), columns=frame.columns)
    by_name = prune(tree, frame, y, feature_kinds=kinds)
    assert by_name == prune(tree, codes, y, feature_kinds=kinds)


@pytest.mark.parametrize(
    "rows",
    [
        load_iris().data.astype(object),
        pandas.DataFrame(load_iris().data, dtype=object),
        pandas.DataFrame(load_iris().data).convert_dtypes(),
        pandas.DataFrame(load_iris().data).round().astype("Int64"),
        load_iris().data.tolist(),
    ],
)
def test_objects_and_nullable_columns_are_read_as_scikit_learn_reads_them(rows):
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    np.testing.assert_array_equal(from_sklearn(model).apply(rows), model.apply(rows))


def test_none_and_na_are_missing_values():
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    tree = from_sklearn(model)
    missing = pandas.DataFrame([[pandas.NA, 3, 2, 1]], dtype="Int64")
    expected = model.apply([[np.nan, 3.0, 2.0, 1.0]])
    assert tree.apply([[None, 3.0, 2.0, 1.0]]) == expected
    assert tree.apply(missing) == expected


@pytest.mark.parametrize(
    "column",
    [
        ["red"] * 3,
        pandas.to_datetime(["2020-01-01"] * 3),
        pandas.to_timedelta([1, 2, 3], unit="D"),
        [1j, 2.0, 3.0],
        [[1], [2], [3]],
    ],
)
def test_a_column_that_is_no_number_is_named(column):
    tree = from_sklearn(DecisionTreeClassifier().fit(VALUES, VALUES[:, 0] > 0))
    frame = pandas.DataFrame({"a": [1.0, 2.0, 3.0], "when": column})
    with pytest.raises(ValueError, match="hold numbers; 'when' must be encoded") as e:
        tree.apply(frame)
    assert len(str(e.value)) < 120


@pytest.mark.parametrize("rows", [[["a", "b"]], [[1], [1, 2]], "words", None, 3])
def test_what_is_no_table_of_numbers_is_refused(rows):
    tree = from_sklearn(DecisionTreeClassifier().fit(VALUES, VALUES[:, 0] > 0))
    with pytest.raises(ValueError, match="X must"):
        tree.apply(rows)


def test_no_rows_reach_no_leaf():
    tree = from_sklearn(DecisionTreeClassifier().fit(VALUES, VALUES[:, 0] > 0))
    assert tree.apply(np.empty((0, 2))).tolist() == []


def test_sparse_rows_are_refused_with_what_absent_entries_are():
    X = random(800, 6, 0.5, format="csr", random_state=0)
    dense = X.toarray()
    y = ((dense[:, 0] > 0.5) ^ (dense[:, 1] == 0)).astype(int)
    model = xgboost.XGBClassifier(n_estimators=1, max_depth=4).fit(X, y)
    with pytest.raises(ValueError, match=r"X is sparse; .* NaN in their place"):
        from_xgboost(model, csr_array(X), y)
    missing = np.where(dense == 0, np.nan, dense)
    tree = from_xgboost(model, missing, y)
    np.testing.assert_array_equal(tree.apply(missing), model.apply(X).ravel())


def test_counting_a_frame_and_its_batches():
    frame, y = frames_of_booleans()
    tree = from_sklearn(DecisionTreeClassifier(max_depth=3).fit(frame, y))
    whole = count_classes(tree, [(frame, y)])
    parts = count_classes(tree, [(frame[:99], y[:99]), (frame[99:], y[99:])])
    np.testing.assert_array_equal(whole, parts)
    assert json.loads(json.dumps(whole.tolist())) == parts.tolist()


def test_a_classifier_does_not_take_names_of_categories_for_numbers():
    frame, y = frame_of_categories(ordered=True)
    frame = frame[["size", "b"]]
    options = {"num_leaves": 3, "min_data_in_leaf": 1}
    model = lightgbm.LGBMClassifier(n_estimators=1, **QUIET, **options).fit(frame, y)
    tree = from_lightgbm(model, frame, y)
    assert not tree.asks_for_category.any()
    with pytest.raises(ValueError, match="category_names: the categories of feature 0"):
        to_sklearn(tree)
    codes = frame.assign(size=frame["size"].cat.codes)
    classifier = to_sklearn(replace(tree, category_names=None))
    np.testing.assert_array_equal(classifier.apply(codes), tree.apply(frame))
