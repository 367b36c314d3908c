import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from oracles import plain_id3
from reproduction.multiway import ID3Classifier
from reproduction.multiway.id3 import grow_id3
from reproduction.multiway.id3_estimator import _codes

PRUNINGS = [None, "reduced-error", "srm", "description-length"]


@pytest.fixture
def noisy():
    rng = np.random.default_rng(2)
    X = pd.DataFrame(
        {
            "color": rng.choice(["red", "green", "blue"], 300),
            "size": pd.Categorical(rng.choice(["s", "m", "l"], 300)),
            "count": rng.integers(0, 4, 300),
            "flag": rng.choice([True, False], 300),
            "known": rng.choice(["y", "n", "?"], 300),
        }
    )
    y = np.where((X["color"] == "red") ^ (X["count"] > 1), "in", "out").astype(object)
    y[rng.random(300) < 0.15] = "in"

    return X, y


def test_the_tree_is_id3s(noisy):
    X, y = noisy
    model = ID3Classifier().fit(X, y)
    codes = np.column_stack([np.searchsorted(sorted(set(X[c])), X[c]) for c in X])
    expected = grow_id3(codes, (y == "out").astype(int), [3, 3, 4, 2, 3], 2)
    assert plain_id3.nested(model.tree_) == plain_id3.nested(expected)
    assert model.classes_.tolist() == ["in", "out"]
    assert [c.tolist() for c in model.categories_[:2]] == [
        ["blue", "green", "red"],
        ["l", "m", "s"],
    ]
    assert "?" in model.categories_[4]
    assert model.feature_names_in_.tolist() == list(X)


@pytest.mark.parametrize("pruning", PRUNINGS)
def test_predictions_and_probabilities_agree(noisy, pruning):
    X, y = noisy
    model = ID3Classifier(pruning=pruning, random_state=0).fit(X, y)
    probabilities = model.predict_proba(X)
    assert probabilities.sum(axis=1) == pytest.approx(1)
    assert np.array_equal(
        model.classes_[probabilities.argmax(axis=1)], model.predict(X)
    )
    assert np.array_equal(
        model.apply(X), model.tree_.apply(_codes(X.to_numpy(), model.categories_))
    )


def test_pruning_prunes(noisy):
    X, y = noisy
    sizes = {
        p: ID3Classifier(pruning=p, random_state=0).fit(X, y).tree_.n_nodes
        for p in PRUNINGS
    }
    assert sizes[None] > max(sizes["reduced-error"], sizes["description-length"])
    assert ID3Classifier(pruning="srm", a1=2).fit(X, y).tree_.n_nodes < sizes[None]

    # Without a price, only splits that save no training error go.
    free = ID3Classifier(pruning="srm", a1=1e-9).fit(X, y)
    assert free.score(X, y) == ID3Classifier().fit(X, y).score(X, y)


def test_unseen_values_get_the_majority_of_their_node(noisy):
    X, y = noisy
    model = ID3Classifier().fit(X, y)
    unseen = X.head(1).astype(object).map(lambda value: "never seen")
    values, counts = np.unique(y, return_counts=True)
    assert model.predict(unseen) == values[counts.argmax()]
    assert model.predict_proba(unseen) == pytest.approx(counts[None] / len(y))


def test_row_order_does_not_matter(noisy):
    X, y = noisy
    order = np.random.default_rng(0).permutation(len(X))
    text = ID3Classifier().fit(X, y).to_text()
    assert ID3Classifier().fit(X.iloc[order], y[order]).to_text() == text


@pytest.mark.parametrize("numbers", [float, object])
def test_real_numbers_are_refused_with_advice(numbers):
    X = np.array([[0.5, 1], [1.25, 2], [2.0, 1], [0.5, 2]]).astype(numbers)
    with pytest.raises(ValueError, match=r"real numbers in column 0.*pandas\.cut"):
        ID3Classifier().fit(X, [0, 1, 0, 1])
    # Whole numbers stored as floats are categories.
    assert (
        ID3Classifier().fit(X[:, 1:], [0, 1, 0, 1]).score(X[:, 1:], [0, 1, 0, 1]) == 1
    )


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_missing_entries_are_refused(missing):
    X = pd.DataFrame(
        {"a": ["x", "y", "x", "y"], "b": ["u", missing, "u", "u"]}, dtype=object
    )
    with pytest.raises(ValueError, match=r"column 'b'.*\"\?\""):
        ID3Classifier().fit(X, [0, 1, 0, 1])

    model = ID3Classifier().fit(X.fillna("?"), [0, 1, 0, 1])
    with pytest.raises(ValueError, match="column 'b'"):
        model.predict(X)

    with pytest.raises(ValueError, match="y contains NaN"):
        ID3Classifier().fit(X.fillna("?"), ["u", missing, "u", "u"])


def test_a_fit_that_fails_leaves_what_was_learned():
    model = ID3Classifier().fit([["a"], ["b"]], [0, 1])
    before = dict(vars(model))
    with pytest.raises(ValueError, match="real numbers in column 1"):
        model.fit([[1.0, 0.5], [2.0, 1.5], [3.0, 2.5]], [2, 3, 4])
    assert vars(model) == before


def test_infinity_is_refused():
    with pytest.raises(ValueError, match="inf"):
        ID3Classifier().fit([[1.0], [np.inf], [1.0]], [0, 1, 0])


@pytest.mark.parametrize("pruning", PRUNINGS)
def test_one_class(pruning):
    model = ID3Classifier(pruning=pruning).fit(
        [["a"], ["b"], ["a"], ["b"]], ["only"] * 4
    )
    assert model.predict([["c"]]).tolist() == ["only"]
    assert model.predict_proba([["a"]]).tolist() == [[1.0]]
    assert model.to_text().startswith("only")


@pytest.mark.parametrize(
    "parameters",
    [
        {"pruning": "cart"},
        {"criterion": "chi2"},
        {"validation_fraction": 1.5, "pruning": "reduced-error"},
        {"delta": 1, "pruning": "description-length"},
        {"a1": 0, "pruning": "srm"},
        {"a2": "small", "pruning": "srm"},
    ],
)
def test_bad_parameters(parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        ID3Classifier(**parameters).fit([["a"], ["b"]], [0, 1])


def test_too_few_examples_to_hold_any_out():
    with pytest.raises(ValueError, match="validation_fraction"):
        ID3Classifier(pruning="reduced-error").fit([["a"]], [0])


def test_text_has_a_line_for_each_branch(noisy):
    X, y = noisy
    model = ID3Classifier(pruning="description-length").fit(X, y)
    lines = model.to_text().splitlines()
    assert len(lines) == model.tree_.n_nodes - 1
    assert (
        sum(": in (" in line or ": out (" in line for line in lines)
        == model.tree_.n_leaves
    )
    with pytest.raises(NotFittedError):
        ID3Classifier().to_text()


def failing_checks(estimator):
    """The check subtracts a mean from integers in place."""
    return (
        {"check_positive_only_tag_during_fit": "1.6"}
        if sklearn.__version__.startswith("1.6.")
        else {}
    )


# Every check applies: scikit-learn's own data are rounded to whole numbers for
# categorical estimators.
@pytest.mark.filterwarnings("ignore:The least populated class in y has only")
@parametrize_with_checks([ID3Classifier()], expected_failed_checks=failing_checks)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_a_search_over_everything_runs(noisy):
    grid = {
        "pruning": PRUNINGS,
        "criterion": ["gini", "error"],
        "empty_branches": [True, False],
    }
    X, y = noisy
    search = GridSearchCV(
        ID3Classifier(random_state=0), grid, cv=2, error_score="raise"
    ).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    again = pickle.loads(pickle.dumps(search.best_estimator_))
    assert np.array_equal(again.predict(X), search.predict(X))
