"""Rules in words, with names, against the rows that reach the nodes."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from builders import leaf_tree, stump_tree
from treebounds import ArrayTree
from treebounds.formats import from_sklearn, plot, rule_of, to_sql, to_text
from treebounds.formats._conditions import shortest_limit
from trees.test_array_tree import array_trees
from trees.test_regression_trees import number_stump

PARTS = r"(?:(\S+) (<=?) )?feature_(\d+)(?: (>=?|<=?) (\S+))?"


def holds(x, sign, words):
    limit = float(words.replace(",", ""))
    return {"<": x < limit, "<=": x <= limit, ">": x > limit, ">=": x >= limit}[sign]


def passes(rule, row):
    """Whether a row fulfils a rule of thresholds, read as a person reads it."""
    if rule == "always":
        return True
    for part in rule.split(" and "):
        low, first, feature, second, limit = re.fullmatch(PARTS, part).groups()
        x = row[int(feature)]
        if low is not None and not holds(x, {"<": ">", "<=": ">="}[first], low):
            return False
        if limit is not None and not holds(x, second, limit):
            return False
    return True


@given(array_trees(), st.integers(0, 2**32 - 1))
def test_a_rule_holds_for_the_rows_that_reach_its_leaf(tree, seed):
    X = np.random.default_rng(seed).uniform(-2, 2, (20, tree.n_features))
    reached = tree.apply(X)
    for leaf in np.flatnonzero(tree.is_leaf):
        rule = rule_of(tree, leaf)
        if "impossible" in rule:
            assert not (reached == leaf).any()
            continue
        assert [passes(rule, row) for row in X] == (reached == leaf).tolist()


@pytest.mark.no_cover
@given(array_trees())
def test_a_text_has_a_line_for_each_node_but_the_root(tree):
    lines = to_text(tree).splitlines()
    assert len(lines) == max(tree.n_nodes - 1, 1)
    numbers = [int(n) for n in re.findall(r"node (\d+)\)", "\n".join(lines))]
    leaves = tree.preorder[tree.is_leaf[tree.preorder]]
    assert numbers == leaves.tolist()


def test_the_shortest_decimals_send_every_row_the_same_way():
    X, y = load_iris(return_X_y=True)
    tree = from_sklearn(DecisionTreeClassifier(random_state=0).fit(X, y))
    rows = X.astype(np.float32)
    reached = tree.apply(rows)
    for leaf in np.flatnonzero(tree.is_leaf):
        rule = rule_of(tree, leaf, missing=False)
        expected = (reached == leaf).tolist()
        assert [passes(rule, row) for row in rows.astype(float)] == expected


def categorical_tree(**more):
    """A split by categories above one by a number, for which missing values go left."""
    return ArrayTree(
        **{
            "children_left": [1, -1, 3, -1, -1],
            "children_right": [2, -1, 4, -1, -1],
            "feature": [0, -2, 1, -2, -2],
            "threshold": [0, -2, 10000, -2, -2],
            "class_counts": [[8, 4], [5, 0], [3, 4], [3, 0], [0, 4]],
            "n_features": 2,
            "feature_names": ["color", "income"],
            "left_categories": {0: [0, 2]},
            "missing_go_to_left": [False, False, True, False, False],
        }
        | more
    )


def test_categories_have_names():
    tree = categorical_tree(category_names={0: ["red", "green", "blue"]})
    assert rule_of(tree, 1) == "color in {red, blue}"
    assert rule_of(tree, 2) == "color is green (or missing)"
    assert rule_of(tree, 4) == "color is green (or missing) and income > 10,000"


def test_categories_without_names_are_numbers():
    assert rule_of(categorical_tree(), 1) == "color in {0, 2}"
    rule = "color not in {0, 2} (or missing) and income <= 10,000 (or missing)"
    assert rule_of(categorical_tree(), 3) == rule
    rule = "color not in {0, 2} and income <= 10,000"
    assert rule_of(categorical_tree(), 3, missing=False) == rule


def test_ordered_categories_are_named_too():
    tree = stump_tree(
        [[3, 4], [3, 0], [0, 4]],
        threshold=[1.5, 0, 0],
        feature_names=["size"],
        category_names={0: ["s", "m", "l", "xl"]},
    )
    assert rule_of(tree, 1) == "size in {s, m}"
    assert rule_of(tree, 2) == "size in {l, xl}"


def test_a_split_between_missing_and_present_values():
    tree = stump_tree(
        [[3, 4], [3, 0], [0, 4]],
        threshold=[np.inf, 0, 0],
        missing_go_to_left=[False] * 3,
        feature_names=["age"],
    )
    assert rule_of(tree, 1) == "age is not missing"
    assert rule_of(tree, 2) == "age is missing"


@pytest.mark.parametrize(
    ("threshold", "digits", "words"),
    [
        (1234567.0, None, "1,234,567"),
        (-1234.5, None, "-1,234.5"),
        (0.1, None, "0.1"),
        (-0.5, None, "-0.5"),
        (1e-9, None, "1e-09"),
        (0.123456, 2, "0.12"),
        (123456.0, 2, "120,000"),
        (0.0, None, "0"),
    ],
)
def test_numbers_are_written_for_people(threshold, digits, words):
    tree = stump_tree([[3, 4], [3, 0], [0, 4]], threshold=[threshold, 0, 0])
    assert rule_of(tree, 1, digits=digits) == f"feature_0 <= {words}"


@pytest.mark.parametrize(
    ("threshold", "left", "right"),
    [
        (1.75, "feature_0 < 1.8", "feature_0 >= 1.8"),
        (1.72, "feature_0 <= 1.7", "feature_0 > 1.7"),
        (float(np.float32(0.8)), "feature_0 <= 0.8", "feature_0 > 0.8"),
    ],
)
def test_a_rounded_threshold_is_on_the_side_to_which_it_goes(threshold, left, right):
    """The tree sends 1.8 to the right of 1.75, and 0.8 as a 32-bit float to the left of
    itself.
    """
    tree = stump_tree(
        [[3, 4], [3, 0], [0, 4]],
        threshold=[threshold, 0, 0],
        input_dtype=np.dtype(np.float32),
    )
    assert rule_of(tree, 1, digits=2) == left
    assert rule_of(tree, 2, digits=2) == right


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_threshold_just_below_a_short_number_is_written_by_less(dtype):
    below = float(np.nextafter(dtype(8.5), dtype(0)))
    tree = stump_tree(
        [[3, 4], [3, 0], [0, 4]], threshold=[below, 0, 0], input_dtype=dtype
    )
    assert rule_of(tree, 1) == "feature_0 < 8.5"
    assert rule_of(tree, 2) == "feature_0 >= 8.5"


@given(
    st.floats(-(2.0**99), 2.0**99, width=32), st.sampled_from(["float32", "float64"])
)
def test_the_shortest_limit_separates_the_same_values(limit, name):
    dtype = np.dtype(name).type
    number, strict = shortest_limit(limit, np.dtype(name))
    x = dtype(limit)
    for value in (np.nextafter(x, dtype(-np.inf)), x, np.nextafter(x, dtype(np.inf))):
        written = float(value) < number if strict else float(value) <= number
        assert written == (float(value) <= limit)


def test_a_text_of_numbers_has_means():
    lines = to_text(number_stump(feature_names=["age"])).splitlines()
    assert lines == [
        "age <= 0.5: 2 (mean of 2; node 1)",
        "age > 0.5: 8 (mean of 1; node 2)",
    ]


def test_a_single_leaf():
    assert to_text(leaf_tree([1, 2])) == "always: 1 (2 of 3; node 0)"
    assert rule_of(leaf_tree([1, 2]), 0) == "always"


def test_bad_arguments():
    with pytest.raises(ValueError, match="tree must be an ArrayTree"):
        rule_of("tree", 0)
    with pytest.raises(ValueError, match="tree must be an ArrayTree"):
        to_text(None)
    with pytest.raises(ValueError, match="node must be from 0 to 0; got 1"):
        rule_of(leaf_tree([1, 2]), 1)
    with pytest.raises(ValueError, match="digits must be an integer"):
        to_text(leaf_tree([1, 2]), digits=0)


@pytest.mark.parametrize(
    ("write", "flag"),
    [
        (to_text, "missing"),
        (lambda tree, **options: rule_of(tree, 1, **options), "missing"),
        (plot, "missing"),
        (to_sql, "nan"),
    ],
)
@pytest.mark.parametrize("value", ["no", 0, None])
def test_a_word_or_a_number_is_not_taken_for_true_or_false(write, flag, value):
    with pytest.raises(ValueError, match=f"{flag} must be True or False"):
        write(stump_tree([[3, 3], [3, 0], [0, 3]]), **{flag: value})


@pytest.mark.parametrize("write", [to_text, to_sql, plot])
@pytest.mark.parametrize(
    ("library", "name"), [("lightgbm", "LGBMRegressor"), ("xgboost", "XGBRegressor")]
)
def test_the_error_for_a_booster_names_its_reader(write, library, name):
    model = getattr(pytest.importorskip(library), name)()
    with pytest.raises(ValueError, match=rf"from_{library}\(model, X, y, tree=0\)"):
        write(model)


def test_the_error_for_a_transformed_target_says_where_the_tree_is():
    X, y = [[0.0], [1.0]], [1.0, 2.0]
    model = TransformedTargetRegressor(
        DecisionTreeRegressor(), func=np.log, inverse_func=np.exp
    ).fit(X, y)
    with pytest.raises(ValueError, match="regressor_, which predicts transformed"):
        to_text(model)
