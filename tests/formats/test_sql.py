"""The SQL of forty trees against predict, on SQLite and DuckDB."""

import sqlite3
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from builders import leaf_tree, stump_tree
from treebounds.formats import from_lightgbm, from_sklearn, from_xgboost, to_sql
from treebounds.formats._conditions import conditions_of, conditions_of_leaves
from treebounds.formats.sql import last_rounded
from trees.test_array_tree import chain
from trees.test_regression_trees import number_stump

duckdb = pytest.importorskip("duckdb")
pandas = pytest.importorskip("pandas")

N_ROWS = 10_000
COLORS = ["red", "green", 'it\'s "blue"', "grey"]
QUIET = {"verbose": -1, "num_threads": 1}


def numbers(seed=0):
    """Numbers with ties and missing values, and numbers of categories in column c."""
    rng = np.random.default_rng(seed)
    frame = pandas.DataFrame(rng.normal(size=(N_ROWS, 2)).round(1), columns=["a", "b "])
    frame["c"] = rng.integers(0, 12, N_ROWS).astype(float)
    signal = frame["a"] + 2 * np.sin(3 * frame["c"]) + rng.normal(size=N_ROWS)
    frame = frame.mask(rng.random(frame.shape) < 0.1)
    return frame, np.digitize(signal, [-0.7, 0.7])


def words(seed=0):
    """The same with the names of colors in place of the numbers of categories."""
    frame, y = numbers(seed)
    code = (frame.pop("c") % 4).fillna(-1).astype(int)
    frame["c"] = pandas.Categorical.from_codes(code, COLORS)
    return frame, y


def at_thresholds(frame, trees):
    """Rows half of whose numbers are thresholds, or next to them in 32 or 64 bits."""
    rng = np.random.default_rng(1)
    rows = frame.copy()
    for place, name in enumerate(["a", "b "]):
        limits = [t.threshold[(t.feature == place) & ~t.is_leaf] for t in trees]
        near = np.unique(np.concatenate(limits))
        near = near[np.isfinite(near)]
        shifted = [near.astype(np.float32).astype(float)]
        for end in (-np.inf, np.inf):
            shifted.append(np.nextafter(near, end))
            shifted.append(np.nextafter(near.astype(np.float32), np.float32(end)))
        chosen = rng.random(len(rows)) < 0.5
        values = np.concatenate([near, *shifted]).astype(float)
        rows.loc[chosen, name] = rng.choice(values, chosen.sum())
    return rows


def of_lightgbm(frame, y):
    lightgbm = pytest.importorskip("lightgbm")
    many = {"min_data_per_group": 1, "cat_smooth": 0, "max_cat_to_onehot": 1}
    parameters = {"objective": "multiclass", "num_class": 3, "num_leaves": 20}
    columns = [2] if frame["c"].dtype == float else "auto"
    data = lightgbm.Dataset(frame, y, categorical_feature=columns)
    model = lightgbm.train(QUIET | many | parameters, data, 4)
    return [from_lightgbm(model, frame, y, tree=i) for i in range(10)]


def of_xgboost(frame, y):
    xgboost = pytest.importorskip("xgboost")
    model = xgboost.XGBClassifier(
        n_estimators=2, max_depth=5, enable_categorical=True, max_cat_to_onehot=1
    ).fit(frame, y)
    return [from_xgboost(model, frame, y, tree=i) for i in range(5)]


def of_scikit_learn(frame, y):
    labels = np.array(["no", "it's", "yes"])[y]
    forest = RandomForestClassifier(10, max_depth=6, random_state=0).fit(frame, labels)
    trees = [from_sklearn(member) for member in forest.estimators_]
    return [with_names(tree, forest) for tree in trees]


def with_names(tree, forest):
    """A member of a forest with the names that the forest knows."""
    return replace(
        tree,
        classes=forest.classes_.tolist(),
        feature_names=forest.feature_names_in_.tolist(),
    )


def of_regressors(frame, y):
    trees = []
    for depth in range(1, 6):
        fitted = DecisionTreeRegressor(max_depth=depth, random_state=depth)
        trees.append(from_sklearn(fitted.fit(frame, y + 0.1)))
    return trees


KINDS = [
    (numbers, of_lightgbm),
    (words, of_lightgbm),
    (words, of_xgboost),
    (numbers, of_scikit_learn),
    (numbers, of_regressors),
]


@cache
def grown(sample, grow):
    """A frame and the trees that were grown on it."""
    frame, y = sample()
    return frame, grow(frame, y)


def on_sqlite(frame, queries):
    connection = sqlite3.connect(":memory:")
    columns = ", ".join(f'"{name}"' for name in frame.columns)
    connection.execute(f"CREATE TABLE customers ({columns})")
    rows = frame.astype(object).where(frame.notna(), None).values.tolist()
    marks = ", ".join("?" * frame.shape[1])
    connection.executemany(f"INSERT INTO customers VALUES ({marks})", rows)
    for query in queries:
        yield [row[-1] for row in connection.execute(query)]
    connection.close()


def on_duckdb(frame, queries):
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    connection.register("customers", frame)
    for query in queries:
        yield [row[-1] for row in connection.execute(query).fetchall()]
    connection.close()


def expected_of(tree, frame):
    predicted = tree.predict(frame)
    if tree.is_regression or tree.classes is None:
        return predicted
    return np.asarray(tree.classes)[predicted]


@pytest.mark.parametrize("database", [on_sqlite, on_duckdb])
@pytest.mark.parametrize(("sample", "grow"), KINDS)
def test_a_database_predicts_as_the_tree(sample, grow, database):
    frame, trees = grown(sample, grow)
    rows = at_thresholds(frame, trees)
    queries = [to_sql(tree, "customers") for tree in trees]
    for tree, predictions in zip(trees, database(rows, queries), strict=True):
        expected = expected_of(tree, rows)
        np.testing.assert_array_equal(np.array(predictions), expected)
        assert len(np.unique(expected)) > 1


@pytest.mark.parametrize(("sample", "grow"), KINDS)
def test_the_conditions_of_all_leaves_are_those_of_each(sample, grow):
    for tree in grown(sample, grow)[1]:
        leaves = [node for node in tree.preorder.tolist() if tree.is_leaf[node]]
        assert list(conditions_of_leaves(tree)) == [
            (leaf, conditions_of(tree, leaf)) for leaf in leaves
        ]


def test_nan_of_duckdb_is_a_missing_value():
    tree = stump_tree(
        [[3, 4], [3, 0], [0, 4]],
        missing_go_to_left=[True] * 3,
        feature_names=["a"],
    )
    frame = pandas.DataFrame({"a": [0.2, 0.7]})
    connection = duckdb.connect()
    connection.register("t", frame)
    values = "SELECT a FROM t UNION ALL SELECT 'NaN'::DOUBLE UNION ALL SELECT NULL"
    query = f"SELECT {to_sql(tree)} FROM ({values})"
    predictions = [row[0] for row in connection.execute(query).fetchall()]
    assert sorted(predictions) == [0, 0, 0, 1]


def test_without_a_direction_missing_values_have_no_prediction():
    tree = stump_tree([[3, 4], [3, 0], [0, 4]], feature_names=["a"])
    query = f"SELECT {to_sql(tree)} FROM (SELECT NULL AS a UNION ALL SELECT 0.7)"
    assert set(sqlite3.connect(":memory:").execute(query)) == {(None,), (1,)}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_split_between_missing_and_present_values(dtype):
    tree = stump_tree(
        [[3, 4], [3, 0], [0, 4]],
        threshold=[np.inf, 0, 0],
        missing_go_to_left=[False] * 3,
        input_dtype=dtype,
        feature_names=["a"],
    )
    query = f"SELECT {to_sql(tree)} FROM (SELECT NULL AS a UNION ALL SELECT 1e300)"
    predictions = [row[0] for row in sqlite3.connect(":memory:").execute(query)]
    assert sorted(predictions) == [0, 1]


def test_numbers_of_categories_without_names():
    tree = stump_tree(
        [[3, 4], [3, 0], [0, 4]],
        left_categories={0: [0, 2]},
        classes=[False, True],
        feature_names=["a"],
    )
    assert to_sql(tree, nan=False).splitlines()[1:3] == [
        '  WHEN "a" IN (0, 2) THEN FALSE',
        '  WHEN "a" NOT IN (0, 2) THEN TRUE',
    ]


def test_names_that_nobody_has_are_nowhere():
    tree = stump_tree(
        [[3, 4], [3, 0], [0, 4]],
        left_categories={0: []},
        missing_go_to_left=[False] * 3,
        feature_names=["a"],
        category_names={0: ["red", "blue"]},
    )
    assert to_sql(tree).splitlines()[1:3] == [
        "  WHEN 1 = 0 THEN 0",
        "  WHEN 1 = 1 THEN 1",
    ]


def test_a_tree_of_numbers_without_examples_predicts_null():
    assert to_sql(number_stump(np.zeros((3, 3)))).count("THEN NULL") == 2


def test_a_category_without_a_number_is_missing():
    frame, y = words()
    tree = of_lightgbm(frame, y)[1]
    assert tree.asks_for_category.any()
    new = frame.head(50).copy()
    new["c"] = pandas.Categorical(["violet"] * 49 + ["red"])
    (predictions,) = on_duckdb(new, [to_sql(tree, "customers")])
    np.testing.assert_array_equal(predictions, expected_of(tree, new))


def test_a_deep_tree_is_no_deep_expression():
    tree = chain(3_000)
    query = f"SELECT {to_sql(tree)} FROM (SELECT 1e9 AS feature_0)"
    assert sqlite3.connect(":memory:").execute(query).fetchone()[0] in (0, 1)


DAYS = np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]")


@pytest.mark.parametrize("classes", [DAYS - DAYS[0], np.array([b"no", b"yes"])])
def test_labels_that_sql_has_not_are_refused(classes):
    tree = DecisionTreeClassifier().fit([[0.0], [1.0]], classes)
    with pytest.raises(ValueError, match=r"numbers, dates or truth values in SQL; got"):
        to_sql(tree, "table")


def test_dates_are_words_in_sql():
    tree = DecisionTreeClassifier().fit([[0.0], [1.0]], DAYS)
    assert "THEN '2020-01-01'" in to_sql(tree, "table")


def test_identifiers_are_quoted():
    tree = stump_tree([[3, 4], [3, 0], [0, 4]])
    query = to_sql(tree, ["main", 'my "table"'], columns=["select; --"], nan=False)
    assert 'FROM "main"."my ""table"""' in query
    assert 'WHEN "select; --" <= 5' not in query
    assert 'WHEN "select; --" <= 0.5e0 THEN 0' in query


def test_a_single_leaf_is_a_constant():
    assert to_sql(leaf_tree([1, 2])) == "1"
    assert to_sql(leaf_tree([1, 2]), "t") == 'SELECT *, 1 AS prediction\nFROM "t"'


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["a", "b"], "columns must be 1 names"),
        ("a", "columns must be 1 names"),
        ([3], "columns and table must be words"),
        (["a\0"], "columns and table must be words"),
    ],
)
def test_bad_columns(columns, message):
    with pytest.raises(ValueError, match=message):
        to_sql(stump_tree([[3, 4], [3, 0], [0, 4]]), columns=columns)


@pytest.mark.parametrize(
    "limit", [0.0, 0.1, -0.1, 1.5, 3.4028234e38, -3.4028235e38, -1e39, 1e-46, 2.0**-149]
)
def test_the_last_number_that_is_rounded_to_the_limit(limit):
    last = last_rounded(limit)
    with np.errstate(over="ignore"):
        assert float(np.float32(last)) <= limit
        assert float(np.float32(np.nextafter(last, np.inf))) > limit
