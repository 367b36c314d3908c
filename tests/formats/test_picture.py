"""Pictures of trees: scikit-learn's where it can, plain ones where it cannot."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from builders import leaf_tree, stump_tree
from formats.test_text import categorical_tree
from treebounds.formats import from_sklearn, plot
from trees.test_regression_trees import number_stump

pyplot = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture
def axes():
    figure, axes = pyplot.subplots()
    yield axes
    pyplot.close(figure)


def words_of(axes):
    return [text.get_text() for text in axes.texts]


def test_scikit_learn_draws_a_tree_with_its_names(axes):
    X, y = load_iris(return_X_y=True, as_frame=True)
    tree = from_sklearn(DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y))
    assert plot(tree, ax=axes) is axes
    words = words_of(axes)
    assert words[0].startswith("petal width (cm) <= 0.8")
    assert len([word for word in words if "samples" in word]) == tree.n_nodes


def test_numbers_are_drawn(axes):
    plot(number_stump(feature_names=["age"]), ax=axes)
    assert any("age <= 0.5" in word for word in words_of(axes))


def test_categories_are_drawn_plainly(axes):
    tree = categorical_tree(category_names={0: ["red", "green", "blue"]})
    plot(tree, ax=axes)
    words = words_of(axes)
    assert "color in {red, blue}" in words
    assert "node 1\n0\n5 cases" in words


def test_notes_stand_at_their_nodes(axes):
    plot(stump_tree([[3, 4], [3, 0], [0, 4]]), notes={2: "at most 12 %"}, ax=axes)
    assert "node 2\n1\n4 cases\nat most 12 %" in words_of(axes)


def test_a_tree_without_examples_is_drawn(axes):
    plot(stump_tree([[0, 0], [0, 0], [0, 0]]), ax=axes)
    assert "node 0\n0 cases" in words_of(axes)


def test_a_single_leaf_is_drawn(axes):
    plot(leaf_tree([1, 2]), notes={0: "the majority"}, ax=axes)
    assert words_of(axes) == ["node 0\n1\n3 cases\nthe majority"]


def test_notes_belong_to_nodes(axes):
    with pytest.raises(ValueError, match="notes must belong to nodes from 0 to 0"):
        plot(leaf_tree([1, 2]), notes={1: "?"}, ax=axes)
    with pytest.raises(ValueError, match="tree must be an ArrayTree"):
        plot("tree", ax=axes)


THRESHOLDS = [
    (None, {"age <= 5e-05", "age <= 61,728.395"}),
    (3, {"age <= 5e-05", "age <= 61,700"}),
    (1, {"age <= 5e-05", "age <= 60,000"}),
]


@pytest.mark.parametrize("notes", [None, {0: "both cuts"}])
@pytest.mark.parametrize(("digits", "conditions"), THRESHOLDS)
def test_thresholds_have_as_many_significant_digits_as_asked(
    axes, notes, digits, conditions
):
    """scikit-learn's picture rounds to decimals: 0.00005 would be 0.0."""
    X = pd.DataFrame({"age": [1e-5, 9e-5, 123_456.789]})
    fitted = DecisionTreeClassifier().fit(X, [0, 1, 0])
    plot(fitted, notes=notes, digits=digits, ax=axes)
    lines = {line for word in words_of(axes) for line in word.split("\n")}
    assert {line for line in lines if "<=" in line} == conditions


def test_a_picture_of_scikit_learn_says_where_missing_values_go(axes):
    X = pd.DataFrame({"age": [1.0, 2.0, math.nan]})
    plot(DecisionTreeClassifier().fit(X, [0, 1, 0]), missing=True, ax=axes)
    assert words_of(axes)[0].startswith("age <= 1.5 (or missing)\n")


@pytest.mark.parametrize("notes", [None, {0: "a note"}])
@pytest.mark.parametrize("digits", [0, 2.5, True, "all"])
def test_digits_are_a_number_of_digits(axes, notes, digits):
    tree = stump_tree([[3, 4], [3, 0], [0, 4]])
    with pytest.raises(ValueError, match="digits must be an integer of at least 1"):
        plot(tree, notes=notes, digits=digits, ax=axes)


def test_the_words_of_two_branches_do_not_cover_each_other():
    """Four leaves side by side leave less room than the words take."""
    X = np.repeat(np.arange(8.0), 20)[:, None]
    tree = from_sklearn(DecisionTreeRegressor().fit(X, X[:, 0]))
    names = ["emergency admissions"]
    figure, axes = pyplot.subplots(figsize=(9, 6))
    plot(replace(tree, feature_names=names), notes={0: "a note"}, ax=axes)
    places = {
        text.get_text(): text.get_window_extent()
        for text in axes.texts
        if text.get_text().startswith("emergency")
    }
    pyplot.close(figure)
    assert len(places) == tree.n_nodes - 1
    for words, place in places.items():
        other = places[words.replace("<=", ">") if "<=" in words else words]
        assert other is place or not place.overlaps(other)
