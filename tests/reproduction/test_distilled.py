"""One tree from a forest: a scikit-learn tree of its own, and the rows that it is grown
on.
"""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, export_text

from reproduction import DistilledTreeClassifier
from reproduction.distilled import _places, made_rows
from treebounds import prune

SMALL = {"teacher": RandomForestClassifier(5), "n_made": 500, "random_state": 0}


def test_it_is_a_tree_of_scikit_learns():
    X, y = load_wine(return_X_y=True)
    names = np.array(["red", "rose", "white"])[y]
    model = DistilledTreeClassifier(max_leaf_nodes=9, **SMALL).fit(X, names)
    assert (model.get_n_leaves(), model.tree_.value.shape[1:]) == (9, (1, 3))
    assert "class: rose" in export_text(model)
    assert prune(model, X, names).get_n_leaves() <= 9


def test_the_values_are_the_teachers_mean_probabilities():
    X, y = load_iris(return_X_y=True)
    model = DistilledTreeClassifier(max_leaf_nodes=5, keep_teacher=True, **SMALL).fit(
        X, y
    )
    rng = np.random.RandomState(0)
    rng.randint(2**31 - 1)  # the teacher's seed
    made = made_rows(X.astype(np.float32), 500, 8, rng)
    shown = model.teacher_.predict_proba(made)
    leaf = model.apply(made)

    for node in np.unique(leaf):
        assert model.tree_.value[node, 0] == pytest.approx(
            shown[leaf == node].mean(axis=0)
        )
        assert model.tree_.n_node_samples[node] == (leaf == node).sum()
        assert model.tree_.impurity[node] == pytest.approx(
            1 - (model.tree_.value[node] ** 2).sum()
        )

    assert not hasattr(model.set_params(keep_teacher=False).fit(X, y), "teacher_")


def test_splits_are_those_of_gini_with_a_share_of_a_row_for_each_class():
    X, y = load_iris(return_X_y=True)
    teacher = GaussianNB()
    model = DistilledTreeClassifier(
        teacher=teacher, n_made=300, max_leaf_nodes=6, random_state=0
    ).fit(X, y)
    rng = np.random.RandomState(0)
    made = made_rows(X.astype(np.float32), 300, 8, rng)
    shown = teacher.fit(X.astype(np.float32), y).predict_proba(made)
    shares = DecisionTreeClassifier(max_leaf_nodes=6, random_state=0).fit(
        np.repeat(made, 3, axis=0), np.tile([0, 1, 2], 300), sample_weight=shown.ravel()
    )
    assert np.mean(shares.predict(X) == model.predict(X)) > 0.99
    assert shares.tree_.impurity[0] == pytest.approx(model.tree_.impurity[0])


def test_a_fitted_model_teaches_without_another_fit():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(5, random_state=0)
    teachers = forest, FrozenEstimator(forest.fit(X, y))
    first, second = (
        DistilledTreeClassifier(**SMALL | {"teacher": one}).fit(X, y)
        for one in teachers
    )
    assert export_text(first) == export_text(second)


def test_places_are_whole_numbers_so_that_rounding_decides_no_distance():
    pool = np.array([[0.1, 5], [0.1, np.nan], [0.3, 7], [0.2, 9]], dtype=np.float32)
    assert _places(pool).tolist() == [[3, 2], [3, 5], [8, 4], [6, 6]]


def test_made_rows_take_values_of_near_rows():
    rng = np.random.RandomState(0)
    X = np.column_stack([np.arange(100.0), 1000 + np.arange(100.0)]).astype(np.float32)
    made = made_rows(X, 4000, 4, rng)
    assert made.shape == (4000, 2)
    for j in range(2):
        assert np.isin(made[:, j], X[:, j]).all()

    assert np.abs(made[:, 1] - 1000 - made[:, 0]).max() <= 8
    # Both values come from the same row if neither was replaced, or if one of the four
    # neighbors replaced both.
    assert abs(np.mean(made[:, 1] - 1000 == made[:, 0]) - (1 / 4 + 1 / 4 / 4)) < 0.03
    assert np.array_equal(made_rows(X[:1], 5, 4, rng), np.repeat(X[:1], 5, axis=0))

    # Each of two rows has one neighbor.
    assert len(np.unique(made_rows(X[:2], 50, 4, rng), axis=0)) == 4


def test_missing_values_go_where_the_teacher_takes_them():
    X, y = load_iris(return_X_y=True)
    missing = np.where(np.arange(600).reshape(150, 4) % 7 == 0, np.nan, X)
    assert DistilledTreeClassifier(**SMALL).fit(missing, y).score(missing, y) > 0.85
    with pytest.raises(ValueError, match="NaN"):
        DistilledTreeClassifier(teacher=LogisticRegression(), n_made=100).fit(
            missing, y
        )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_made": 0}, "n_made"),
        ({"max_leaf_nodes": 1}, "max_leaf_nodes"),
        ({"teacher": LinearSVC()}, "teacher must be a classifier with predict_proba"),
        ({"teacher": "forest"}, "teacher must be a classifier with predict_proba"),
        (
            {"teacher": RandomForestClassifier},
            "teacher must be a classifier with predict_proba",
        ),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        DistilledTreeClassifier(**SMALL | parameters).fit(*load_iris(return_X_y=True))
