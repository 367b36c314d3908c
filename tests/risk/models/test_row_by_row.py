"""A model that looks at the other rows of a batch gets no certificate."""

import numpy as np
import pandas
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler, scale
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from treebounds import CertifiedClassifier, CertifiedRegressor, certify

RNG = np.random.default_rng(0)
X = RNG.normal(loc=5, size=(400, 3))
Y = (X[:, 0] > 5).astype(int)
NUMBERS = 10 * X[:, 0]
REFUSAL = "predicts a row otherwise alone than among others"


def ranks(rows):
    return np.argsort(np.argsort(rows, axis=0), axis=0) / len(rows)


@pytest.mark.parametrize("step", [scale, ranks])
class TestABatch:
    def test_a_classifier_is_refused(self, step):
        model = make_pipeline(FunctionTransformer(step), DecisionTreeClassifier())
        with pytest.raises(ValueError, match=REFUSAL):
            certify(model.fit(X[:200], Y[:200]), X[200:], Y[200:])
        with pytest.raises(ValueError, match=REFUSAL):
            CertifiedClassifier(clone(model), random_state=0).fit(X, Y)

    def test_a_regressor_is_refused(self, step):
        model = make_pipeline(FunctionTransformer(step), LinearRegression())
        model.fit(X[:200], NUMBERS[:200])
        with pytest.raises(ValueError, match=REFUSAL):
            certify(model, X[200:], NUMBERS[200:], tolerance=1)
        with pytest.raises(ValueError, match=REFUSAL):
            CertifiedRegressor(clone(model), tolerance=1).fit(X, NUMBERS)


class Alone(DecisionTreeClassifier):
    """A tree that takes a single row for 0, as rounding may decide between neighbours
    at equal distances.
    """

    def predict(self, X):
        predicted = super().predict(X)
        return predicted if len(predicted) > 1 else np.zeros_like(predicted)


def test_rounding_of_a_single_row_is_not_taken_for_a_step():
    model = Alone(max_depth=1).fit(X[:200], Y[:200])
    with pytest.raises(ValueError, match=f"{REFUSAL}, even among equal ones"):
        certify(model, X[200:], Y[200:])


def test_what_looks_at_a_batch_is_not_taken_for_rounding():
    for step in (scale, ranks):
        model = make_pipeline(FunctionTransformer(step), DecisionTreeClassifier())
        with pytest.raises(ValueError, match=f"{REFUSAL}: a step of it looks at all"):
            certify(model.fit(X[:200], Y[:200]), X[200:], Y[200:])


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeClassifier(),
        RandomForestClassifier(5),
        make_pipeline(StandardScaler(), LogisticRegression()),
        DummyClassifier(strategy="stratified"),
        DummyClassifier(),
    ],
    ids=["tree", "forest", "pipeline", "random", "constant"],
)
@pytest.mark.parametrize("form", [np.asarray, pandas.DataFrame])
def test_others_are_not(model, form):
    rows = form(X)
    model.fit(rows[:200], Y[:200])
    assert certify(model, rows[200:], Y[200:]).n_examples == 200


def test_rounding_is_no_difference():
    model = DecisionTreeRegressor(max_depth=3).fit(X[:200], NUMBERS[:200])
    predict = model.predict
    model.predict = lambda rows: predict(rows) * (1 + 1e-9 * len(rows))
    assert certify(model, X[200:], NUMBERS[200:], tolerance=5).n_examples == 200


def test_a_list_of_rows_is_taken():
    model = DecisionTreeClassifier().fit(X[:200], Y[:200])
    certificate = certify(model, X[200:].tolist(), Y[200:].tolist())
    assert certificate == certify(model, X[200:], Y[200:])


class Learning:
    """Batches from which a model learns after each of them."""

    def __init__(self, model, learns=True):
        self.model = model
        self.learns = learns

    def __iter__(self):
        for start in range(0, 400, 100):
            rows = X[start : start + 100]
            labels = Y[start : start + 100]
            yield rows, labels
            if self.learns:
                self.model.partial_fit(rows, 1 - labels)


class TestWhileItIsJudged:
    def test_a_model_that_learns_is_refused(self):
        model = GaussianNB().fit(X[:20] + 9, Y[:20])
        with pytest.raises(ValueError, match="has changed while it was judged"):
            certify(model, Learning(model))

    def test_a_model_that_stays_is_judged(self):
        model = GaussianNB().fit(X[:20] + 9, Y[:20])
        assert certify(model, Learning(model, learns=False)).n_examples == 400

    def test_a_model_that_predicts_at_random_is_judged(self):
        model = DummyClassifier(strategy="uniform", random_state=None).fit(X, Y)
        assert certify(model, Learning(model, learns=False)).n_examples == 400


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "bsr"])
def test_every_form_of_sparse_matrix_is_taken(form):
    model = DecisionTreeClassifier().fit(X[:200], Y[:200])
    rows = scipy.sparse.csr_matrix(X[200:]).asformat(form)
    certificate = certify(model, rows, Y[200:])
    assert certificate == certify(model, X[200:], Y[200:])


class TestColumnsInAnotherOrder:
    """LightGBM takes them by their places, so the rows of a frame are others."""

    FRAME = pandas.DataFrame(X, columns=["first", "the second", "third"])
    SWAPPED = FRAME[["the second", "first", "third"]]

    def learners(self):
        lightgbm = pytest.importorskip("lightgbm")
        booster = lightgbm.LGBMClassifier(n_estimators=5, verbose=-1, n_jobs=1)
        return booster, make_pipeline(FunctionTransformer(), clone(booster))

    def test_they_are_refused(self):
        for model in self.learners():
            model.fit(self.FRAME[:200], Y[:200])
            assert certify(model, self.FRAME[200:], Y[200:]).n_errors < 5
            with pytest.raises(ValueError, match=r"to: first, the second, third"):
                certify(model, self.SWAPPED[200:], Y[200:])
            batches = [(self.FRAME[200:300], Y[200:300])]
            batches += [(self.SWAPPED[300:], Y[300:])]
            with pytest.raises(ValueError, match="columns in the order"):
                certify(model, iter(batches))

    def test_a_step_that_selects_by_name_takes_any_order(self):
        select = make_column_transformer(("passthrough", ["third", "first"]))
        model = make_pipeline(select, DecisionTreeClassifier())
        model.fit(self.FRAME[:200], Y[:200])
        in_order = certify(model, self.FRAME[200:], Y[200:])
        assert certify(model, self.SWAPPED[200:], Y[200:]) == in_order


@pytest.mark.parametrize("regression", [False, True])
def test_batches_may_be_written_over(regression):
    """A reader of a file may fill the same two arrays with each batch."""
    y = NUMBERS if regression else Y
    options = {"tolerance": 1} if regression else {"cost": [[0, 1], [2, 0]]}
    tree = DecisionTreeRegressor if regression else DecisionTreeClassifier
    model = tree(max_depth=2, random_state=0).fit(X[:200], y[:200])

    def batches():
        rows = np.empty((50, 3))
        labels = np.empty(50)
        for start in range(200, 400, 50):
            rows[:] = X[start : start + 50]
            labels[:] = y[start : start + 50]
            yield rows, labels

    at_once = certify(model, X[200:], y[200:], **options)
    assert str(certify(model, batches(), **options)) == str(at_once)
