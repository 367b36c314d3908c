"""The round trip between array trees and scikit-learn's classifiers."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_digits, load_iris, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_text

from builders import stump_tree
from treebounds import (
    BoundPrunedTreeClassifier,
    CertifiedClassifier,
    PrunedTreeRegressor,
    vc_dimension_upper_bound,
)
from treebounds.formats import (
    collapse_sklearn,
    from_sklearn,
    plot,
    to_json,
    to_sklearn,
    to_sql,
    to_text,
)
from treebounds.formats.scikit_learn import (
    _refuse_sets_of_categories,
    plain_tree,
    tree_from_nodes,
    with_classes,
    with_leaves,
)
from trees.test_array_tree import array_trees

IRIS = load_iris(return_X_y=True)


def same_state(first, second):
    a = first.tree_.__getstate__()
    b = second.tree_.__getstate__()
    np.testing.assert_array_equal(a["nodes"], b["nodes"])
    np.testing.assert_array_equal(a["values"], b["values"])
    assert a["max_depth"] == b["max_depth"]
    return True


def test_the_pickling_state_is_what_this_library_writes():
    """If this fails, scikit-learn has changed it: mend formats/_sklearn_trees.py."""
    make, arguments, state = (
        DecisionTreeClassifier().fit([[0], [1]], [0, 1]).tree_.__reduce__()
    )
    assert make.__name__ == "Tree"
    assert [np.ndim(argument) for argument in arguments] == [0, 1, 0]
    assert set(state) == {"max_depth", "node_count", "nodes", "values"}
    assert state["values"].shape == (3, 1, 2)
    names = (
        "left_child right_child feature threshold impurity n_node_samples"
        " weighted_n_node_samples"
    )
    assert set(state["nodes"].dtype.names) >= {*names.split(), "missing_go_to_left"}


@pytest.mark.parametrize("limits", [{"max_leaf_nodes": 7}, {"splitter": "random"}])
@pytest.mark.parametrize("data", [IRIS, load_digits(return_X_y=True)])
def test_round_trip_is_the_identity(data, limits):
    fitted = DecisionTreeClassifier(random_state=0, **limits).fit(*data)
    tree = from_sklearn(fitted)
    back = to_sklearn(tree)
    np.testing.assert_allclose(back.tree_.impurity, fitted.tree_.impurity, atol=1e-12)
    old = fitted.tree_.__getstate__()["nodes"]
    new = back.tree_.__getstate__()["nodes"].copy()
    new["impurity"] = old["impurity"]
    # At leaves this field has no meaning.
    new["missing_go_to_left"] = np.where(
        tree.is_leaf, old["missing_go_to_left"], new["missing_go_to_left"]
    )
    np.testing.assert_array_equal(new, old)
    np.testing.assert_array_equal(back.tree_.value, fitted.tree_.value)
    assert from_sklearn(back) == tree
    assert same_state(collapse_sklearn(fitted, []), fitted)
    np.testing.assert_array_equal(tree.apply(data[0]), fitted.apply(data[0]))
    np.testing.assert_array_equal(tree.predict(data[0]), fitted.predict(data[0]))


@pytest.mark.parametrize("weighting", ["none", "classes", "samples"])
@pytest.mark.parametrize("missing", [False, True])
def test_counts_are_those_of_the_examples(weighting, missing):
    X = IRIS[0].copy()
    y = IRIS[1]
    rng = np.random.default_rng(3)
    if missing:
        X[rng.random(X.shape) < 0.2] = np.nan
    weight = {
        "none": np.ones(150),
        "classes": np.array([1.0, 2.5, 7.0])[y],
        "samples": rng.random(150),
    }[weighting]
    class_weight = {0: 1.0, 1: 2.5, 2: 7.0} if weighting == "classes" else None
    fitted = DecisionTreeClassifier(
        max_depth=4, class_weight=class_weight, random_state=0
    )
    fitted.fit(X, y, weight if weighting == "samples" else None)
    tree = from_sklearn(fitted)
    expected = np.zeros((tree.n_nodes, 3))
    reached = fitted.decision_path(X).toarray().astype(bool)
    if missing and (reached.sum(axis=0) != fitted.tree_.n_node_samples).any():
        pytest.xfail(
            "this scikit-learn (1.6) sends missing values elsewhere than it did when"
            " growing"
        )
    for node in range(tree.n_nodes):
        expected[node] = np.bincount(
            y[reached[:, node]], weight[reached[:, node]], minlength=3
        )
    if weighting == "none":
        np.testing.assert_array_equal(tree.class_counts, expected)
    np.testing.assert_allclose(tree.class_counts, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(tree.apply(X), fitted.apply(X))


@settings(max_examples=25)
@given(st.data())
def test_a_collapsed_classifier_predicts_like_its_arrays(data):
    X = IRIS[0].copy()
    y = IRIS[1]
    X[::5, 2] = np.nan
    fitted = DecisionTreeClassifier(
        random_state=data.draw(st.integers(0, 9)), min_samples_leaf=3
    ).fit(X, y)
    before = pickle.dumps(fitted.tree_)
    cut = data.draw(st.sets(st.integers(0, fitted.tree_.node_count - 1)))
    pruned = collapse_sklearn(fitted, cut)
    tree = from_sklearn(fitted).collapse(cut)
    assert from_sklearn(pruned) == tree
    np.testing.assert_array_equal(pruned.predict(X), tree.predict(X))
    np.testing.assert_array_equal(pruned.apply(X), tree.apply(X))
    assert pickle.dumps(fitted.tree_) == before
    assert same_state(pickle.loads(pickle.dumps(pruned)), pruned)


def test_a_single_leaf_can_be_collapsed():
    leaf = DecisionTreeClassifier().fit([[0], [1]], [0, 0])
    assert collapse_sklearn(leaf, [0]).get_n_leaves() == 1


def test_a_pruned_classifier_is_scikit_learns():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(IRIS[0], columns=["a", "b", "c", "d"])
    names = np.array(["x", "y", "z"])[IRIS[1]]
    fitted = DecisionTreeClassifier(random_state=0).fit(frame, names)
    pruned = collapse_sklearn(fitted, [2])
    assert (pruned.get_n_leaves(), pruned.get_depth()) == (2, 1)
    lines = export_text(pruned, feature_names=[*frame]).splitlines()
    assert lines == [
        "|--- d <= 0.80",
        "|   |--- class: x",
        "|--- d >  0.80",
        "|   |--- class: y",
    ]
    assert pruned.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert set(pruned.predict(frame)) == {"x", "y"}
    assert pruned.feature_importances_.sum() == pytest.approx(1)
    assert pruned.decision_path(frame).shape == (150, 3)
    assert pruned.cost_complexity_pruning_path(frame, names).ccp_alphas.size > 1


@settings(max_examples=50)
@given(array_trees())
def test_hand_made_trees_become_classifiers(tree):
    X = (
        np.random.default_rng(0)
        .uniform(-2, 2, (30, tree.n_features))
        .astype(np.float32)
    )
    labels = np.array(["ape", "bee", "cat", "dog"])[: tree.n_classes]
    classifier = to_sklearn(tree, labels)
    np.testing.assert_array_equal(classifier.apply(X), tree.apply(X))
    np.testing.assert_array_equal(classifier.predict(X), labels[tree.predict(X)])
    np.testing.assert_array_equal(
        from_sklearn(classifier).class_counts, tree.class_counts
    )


@pytest.mark.filterwarnings("error")
def test_a_tree_of_many_classes_becomes_a_classifier_without_a_warning():
    labels = np.arange(90) % 30
    X = np.random.default_rng(0).random((90, 2))
    fitted = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, labels)
    classifier = to_sklearn(from_sklearn(fitted))
    np.testing.assert_array_equal(classifier.predict(X), fitted.predict(X))
    np.testing.assert_array_equal(classifier.classes_, fitted.classes_)
    state = fitted.tree_.__getstate__()
    again = tree_from_nodes(state["nodes"], state["values"], 2, state["max_depth"])
    np.testing.assert_array_equal(again.apply(np.float32(X)), fitted.apply(X))


def test_an_unfitted_tree_is_refused():
    with pytest.raises(ValueError, match="is not fitted yet"):
        from_sklearn(DecisionTreeClassifier())


@pytest.mark.parametrize(
    "other", [DummyClassifier().fit(*IRIS), DecisionTreeClassifier, None]
)
def test_what_is_not_a_tree_is_refused(other):
    message = "tree must be a fitted scikit-learn DecisionTreeClassifier or"
    with pytest.raises(ValueError, match=message):
        from_sklearn(other)


def test_a_tree_of_numbers_has_no_classes_to_add():
    with pytest.raises(ValueError, match="DecisionTreeClassifier; got DecisionTreeReg"):
        with_classes(DecisionTreeRegressor().fit(*IRIS), [0, 1, 2])


def test_classes_of_the_tree_are_not_left_out():
    fitted = DecisionTreeClassifier(max_depth=2).fit(*IRIS)
    with pytest.raises(ValueError, match=r"classes of the tree, \[0, 1, 2\]; got"):
        with_classes(fitted, [0, 1])


def test_several_outputs_are_refused():
    fitted = DecisionTreeClassifier().fit(IRIS[0], np.column_stack([IRIS[1], IRIS[1]]))
    with pytest.raises(ValueError, match="tree must have one output"):
        from_sklearn(fitted)


def test_constrained_values_are_not_class_fractions():
    rising = DecisionTreeClassifier(monotonic_cst=[1, 0, 0, 0])
    rising.fit(IRIS[0], IRIS[1] > 0)
    with pytest.raises(ValueError, match="monotonic_cst"):
        from_sklearn(rising)


def test_classes_in_another_order_are_refused():
    tree = from_sklearn(DecisionTreeClassifier(max_depth=2).fit(*IRIS))
    with pytest.raises(ValueError, match="classes must be 3 labels"):
        to_sklearn(tree, ["b", "a", "c"])


def test_nodes_that_the_tree_does_not_have_are_refused():
    fitted = DecisionTreeClassifier(max_depth=2).fit(*IRIS)
    with pytest.raises(ValueError, match="nodes must be a mask or indices"):
        collapse_sklearn(fitted, [99])


def test_nodes_without_examples_are_refused():
    with pytest.raises(ValueError, match="node 2 has none: prune it"):
        to_sklearn(stump_tree([[2, 1], [2, 1], [0, 0]]))


def test_a_plain_tree_has_nothing_of_this_library():
    X, y = load_wine(return_X_y=True, as_frame=True)
    pruned = BoundPrunedTreeClassifier(max_depth=5, random_state=0).fit(X, y)
    plain = plain_tree(pruned)
    assert type(plain) is DecisionTreeClassifier
    assert plain.max_depth == 5
    assert plain.feature_names_in_.tolist() == list(X.columns)
    np.testing.assert_array_equal(plain.predict_proba(X), pruned.predict_proba(X))
    assert b"treebounds" not in pickle.dumps(plain)


def later_nodes():
    """The nodes of a fitted tree as scikit-learn 1.10 keeps them: with the kind of a
    split, which is -1 at leaves, and a set of categories.
    """
    fitted = DecisionTreeClassifier(random_state=0).fit(*IRIS)
    old = fitted.tree_.__getstate__()["nodes"]
    dtype = [*old.dtype.descr, ("left_cat_bitset", "<u4"), ("split_kind", "<i1")]
    nodes = np.zeros(len(old), dtype=[field for field in dtype if field[0]])
    for name in old.dtype.names:
        nodes[name] = old[name]
    is_leaf = old["left_child"] < 0
    nodes["split_kind"] = np.where(is_leaf, -1, 0)
    nodes["left_cat_bitset"][is_leaf] = 9
    return nodes


def test_fields_that_are_not_known_come_from_a_leaf():
    nodes = later_nodes()
    cut = (nodes["left_child"] < 0) | (np.arange(len(nodes)) == 2)
    rows = with_leaves(nodes.copy(), cut, nodes)
    assert rows["split_kind"].tolist() == np.where(cut, -1, 0).tolist()
    assert rows["left_cat_bitset"].tolist() == np.where(cut, 9, 0).tolist()
    assert rows["feature"][2] == rows["threshold"][2] == -2


def test_a_node_that_becomes_a_leaf_keeps_what_is_about_its_examples():
    nodes = later_nodes()
    rows = with_leaves(nodes.copy(), np.ones(len(nodes), dtype=bool), nodes)
    for name in ("impurity", "n_node_samples", "weighted_n_node_samples"):
        np.testing.assert_array_equal(rows[name], nodes[name])


def test_thresholds_of_a_later_scikit_learn_are_read():
    _refuse_sets_of_categories(later_nodes())


def test_sets_of_categories_of_a_later_scikit_learn_are_refused():
    nodes = later_nodes()
    nodes["split_kind"][0] = 1
    with pytest.raises(ValueError, match="splits by sets of categories"):
        _refuse_sets_of_categories(nodes)


def test_what_a_later_scikit_learn_learns_is_kept(monkeypatch):
    fit = DecisionTreeClassifier.fit

    def fit_and_learn(self, *arguments, **options):
        fit(self, *arguments, **options).is_categorical_ = None
        return self

    monkeypatch.setattr(DecisionTreeClassifier, "fit", fit_and_learn)
    plain = plain_tree(BoundPrunedTreeClassifier(random_state=0).fit(*IRIS))
    assert plain.is_categorical_ is None
    assert not hasattr(plain, "bound_")


DIABETES = load_diabetes(return_X_y=True)


@pytest.mark.filterwarnings("ignore:.*friedman_mse:FutureWarning")
@pytest.mark.parametrize("criterion", ["squared_error", "friedman_mse"])
@pytest.mark.parametrize("weighted", [False, True])
def test_sums_of_a_regressor_are_those_of_its_rows(criterion, weighted):
    X, y = DIABETES
    weights = np.random.default_rng(0).random(len(y)) if weighted else np.ones(len(y))
    fitted = DecisionTreeRegressor(
        criterion=criterion, max_leaf_nodes=20, random_state=0
    ).fit(X, y, weights)
    tree = from_sklearn(fitted)
    reached = fitted.decision_path(X).toarray().astype(bool)
    columns = np.column_stack([weights, weights * y, weights * y**2])
    np.testing.assert_allclose(tree.target_sums, reached.T @ columns, rtol=1e-10)
    np.testing.assert_allclose(tree.predict(X), fitted.predict(X), rtol=1e-12)
    counted = from_sklearn(fitted, X, y, sample_weight=weights)
    np.testing.assert_allclose(counted.target_sums, tree.target_sums, rtol=1e-10)


@pytest.mark.parametrize(
    "change",
    [
        {"criterion": "absolute_error"},
        {"criterion": "poisson"},
        {"monotonic_cst": [1] + [0] * 9},
    ],
)
def test_some_regressors_need_their_rows(change):
    X, y = DIABETES
    fitted = DecisionTreeRegressor(max_depth=3, random_state=0, **change).fit(X, y)
    with pytest.raises(ValueError, match="X and y must be given, here or as"):
        from_sklearn(fitted)
    tree = from_sklearn(fitted, X, y)
    reached = fitted.decision_path(X).toarray().astype(bool)
    np.testing.assert_array_equal(tree.target_sums[:, 0], reached.sum(axis=0))
    np.testing.assert_allclose(tree.target_sums[:, 1], reached.T @ y)


def test_a_constraint_that_constrains_nothing_is_none():
    X, y = DIABETES
    fitted = DecisionTreeRegressor(max_depth=3, monotonic_cst=[0] * 10).fit(X, y)
    assert from_sklearn(fitted).target_sums[0, 0] == len(y)


def test_other_rows_are_counted_by_label():
    X = IRIS[0]
    words = np.array(["ant", "bee", "cow"])[IRIS[1]]
    fitted = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, words)
    tree = from_sklearn(fitted, X[:60], words[:60])
    assert tree.class_counts[0].tolist() == [50, 10, 0]
    assert tree.classes == ("ant", "bee", "cow")


def test_numbers_make_the_round_trip():
    X, y = DIABETES
    fitted = DecisionTreeRegressor(max_leaf_nodes=20, random_state=0).fit(X, y)
    back = to_sklearn(from_sklearn(fitted))
    assert type(back) is DecisionTreeRegressor
    np.testing.assert_allclose(back.predict(X), fitted.predict(X), rtol=1e-12)
    np.testing.assert_allclose(back.tree_.impurity, fitted.tree_.impurity, rtol=1e-9)
    assert export_text(back, decimals=1) == export_text(fitted, decimals=1)
    assert "value" not in vars(pickle.loads(pickle.dumps(back)))


def test_a_collapsed_regressor_predicts_like_its_arrays():
    X, y = DIABETES
    fitted = DecisionTreeRegressor(max_leaf_nodes=20, random_state=0).fit(X, y)
    pruned = collapse_sklearn(fitted, [1])
    assert pruned.get_n_leaves() < fitted.get_n_leaves()
    tree = from_sklearn(fitted).collapse([1])
    np.testing.assert_allclose(pruned.predict(X), tree.predict(X), rtol=1e-12)


def test_names_survive():
    X, y = load_iris(return_X_y=True, as_frame=True)
    fitted = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    tree = from_sklearn(fitted)
    assert tree.feature_names == tuple(X.columns)
    back = to_sklearn(tree.collapse([2]))
    assert back.feature_names_in_.tolist() == list(X.columns)
    assert back.classes_.tolist() == [0, 1, 2]


def test_bad_regressors():
    X, y = DIABETES
    two = DecisionTreeRegressor(max_depth=2).fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="tree must have one output; it has 2"):
        from_sklearn(two)
    tree = DecisionTreeRegressor(max_depth=2).fit(X, y)
    with pytest.raises(ValueError, match="X and y must be given together"):
        from_sklearn(tree, X)
    with pytest.raises(ValueError, match="X and y must be given together"):
        from_sklearn(tree, sample_weight=y)
    with pytest.raises(ValueError, match="classes must be None"):
        to_sklearn(from_sklearn(tree), [0, 1])


@pytest.mark.parametrize("write", [to_text, to_sql, to_json])
@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeClassifier(max_leaf_nodes=5),
        DecisionTreeRegressor(max_leaf_nodes=5),
        BoundPrunedTreeClassifier(),
        PrunedTreeRegressor(factor=1.0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_fitted_tree_is_written_as_the_tree_that_is_read_from_it(write, model):
    X, y = load_iris(return_X_y=True, as_frame=True)
    fitted = clone(model).set_params(random_state=0).fit(X, y)
    assert write(fitted) == write(from_sklearn(fitted))
    assert "petal" in write(fitted)


@pytest.mark.parametrize("write", [to_text, to_sql, to_json, plot])
def test_what_is_no_tree_is_not_written(write):
    with pytest.raises(ValueError, match="tree must be an ArrayTree or a fitted"):
        write(LogisticRegression())
    with pytest.raises(ValueError, match="not fitted yet"):
        write(DecisionTreeClassifier())


@pytest.mark.parametrize("read", [to_text, from_sklearn, vc_dimension_upper_bound])
@pytest.mark.parametrize(
    ("model", "place"),
    [
        (make_pipeline(DecisionTreeClassifier()), r"pipeline\[-1\]"),
        (GridSearchCV(DecisionTreeClassifier(), {"max_depth": [2]}), "best_estimator_"),
        (CertifiedClassifier(DecisionTreeClassifier()), " estimator_"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_error_for_a_model_that_holds_a_tree_names_its_place(read, model, place):
    model.fit(np.arange(40.0).reshape(-1, 1), np.arange(40) % 2)
    with pytest.raises(ValueError, match=f"the tree that it holds, ?{place}"):
        read(model)


@pytest.mark.parametrize("tree", [DecisionTreeClassifier(), DecisionTreeRegressor()])
def test_a_tree_of_scikit_learn_is_written_as_one_after_it_was_read(tree):
    tree.fit([[0], [1], [2]], [0, 1, 0])
    with pytest.raises(ValueError, match=r"ArrayTree; got Decision.*\(from_sk"):
        to_sklearn(tree)
    assert to_sklearn(from_sklearn(tree)).predict([[1]]) == [1]


class Contrarian(DecisionTreeClassifier):
    def predict(self, X, check_input=True):
        return 2 - super().predict(X)


class Shifted(DecisionTreeRegressor):
    def apply(self, X, check_input=True):
        return super().apply(X) + 1


@pytest.mark.parametrize(
    "convert",
    [from_sklearn, to_json, to_sql, to_text, lambda tree: collapse_sklearn(tree, [0])],
    ids=["from_sklearn", "to_json", "to_sql", "to_text", "collapse_sklearn"],
)
@pytest.mark.parametrize("kind", [Contrarian, Shifted])
def test_a_tree_that_predicts_otherwise_than_its_nodes_is_refused(kind, convert):
    with pytest.raises(ValueError, match="must predict by its nodes"):
        convert(kind(max_depth=2).fit(*IRIS))


def test_a_predict_of_the_object_counts_as_one_of_its_class():
    tree = DecisionTreeClassifier(max_depth=2).fit(*IRIS)
    tree.predict = lambda X: np.zeros(len(X))
    with pytest.raises(ValueError, match="must predict by its nodes"):
        from_sklearn(tree)
