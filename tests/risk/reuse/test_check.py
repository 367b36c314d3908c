"""Rows that made a model do not judge it, wherever a record tells which they are."""

import numpy as np
import pandas as pd
import pytest
from sklearn import ensemble
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer
from sklearn.frozen import FrozenEstimator
from sklearn.impute import KNNImputer
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, KBinsDiscretizer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from treebounds import (
    BoundPrunedTreeClassifier,
    CertifiedClassifier,
    CertifiedTreeClassifier,
    CostComplexityPrunedTreeClassifier,
    certify,
)
from treebounds.risk import certify_prunings
from used_rows import MORE_THAN_CHANCE, SAME_COUNTS

JUDGES = [certify, certify_prunings]


# Any of the library's estimators remembers.
REMEMBERS = CertifiedTreeClassifier(method="growth", random_state=0)


@pytest.mark.parametrize("judge", JUDGES)
class TestTrees:
    def test_the_sample_that_a_tree_was_grown_on_is_refused(self, halves, judge):
        tree, X, y, _, _ = halves
        with pytest.raises(ValueError, match=SAME_COUNTS):
            judge(tree, X, y)

    def test_other_rows_are_trusted(self, halves, judge):
        tree, _, _, X_new, y_new = halves
        assert "trusted" in judge(tree, X_new, y_new).assumptions[-1]

    @pytest.mark.parametrize(
        "form",
        [np.asarray, np.float32, pd.DataFrame],
        ids=["array", "32 bits", "frame"],
    )
    def test_rows_that_the_caller_names_are_refused(self, halves, judge, form):
        tree, X, y, X_new, y_new = halves
        both = np.vstack([X_new, X[:60]])
        labels = np.append(y_new, y[:60])
        message = r"X: \d+ of \d+ rows that can .*a certificate needs others"
        with pytest.raises(ValueError, match=message):
            judge(tree, both, labels, X_grown=form(X))

    def test_nothing_is_trusted_where_the_rows_are_named(self, halves, judge):
        tree, X, _, X_new, y_new = halves
        assert len(judge(tree, X_new, y_new, X_grown=X).assumptions) == 2

    def test_a_single_row_that_recurs_is_mentioned(self, halves, judge):
        tree, X, y, X_new, y_new = halves
        both = np.vstack([X_new, X[:1]])
        labels = np.append(y_new, y[:1])
        certificate = judge(tree, both, labels, X_grown=X[:200])
        assert (certificate.n_compared, certificate.n_recurring) == (144, 1)
        assert (
            "Of 144 examples that can be compared with those that made it, 1 has an"
            " equal" in certificate.sentence
        )
        assert "other cases with the same values" in certificate.assumptions[-1]


class TestRecords:
    @pytest.mark.parametrize(
        "model",
        [
            REMEMBERS,
            make_pipeline(REMEMBERS),
            make_pipeline(StandardScaler(), REMEMBERS),
            GridSearchCV(REMEMBERS, {}, cv=2),
            GridSearchCV(make_pipeline(StandardScaler(), REMEMBERS), {}, cv=2),
        ],
        ids=[
            "alone",
            "pipeline of one step",
            "pipeline",
            "search",
            "pipeline in a search",
        ],
    )
    def test_estimators_remember_their_rows(self, halves, model):
        _, X, y, X_new, y_new = halves
        model = clone(model).fit(X, y)
        assert len(certify(model, X_new, y_new).assumptions) == 2
        for rows in (slice(None), slice(5, 90)):
            both = np.vstack([X_new, X[rows]]), np.append(y_new, y[rows])
            with pytest.raises(ValueError, match=MORE_THAN_CHANCE):
                certify(model, *both)

    @pytest.mark.parametrize("n_steps", [0, 1])
    def test_rows_are_compared_as_they_reach_the_model_with_the_record(
        self, halves, n_steps
    ):
        """The certificate says so also if none of them recurs."""
        _, X, y, X_new, y_new = halves
        steps = [StandardScaler()] * n_steps
        model = make_pipeline(*steps, KNeighborsClassifier()).fit(X, y)
        certificate = certify(model, X_new, y_new)
        assert (certificate.n_compared, certificate.n_recurring) == (143, 0)
        assert certificate.is_compared_after_steps == (n_steps > 0)

    def test_batches_are_compared_too(self, halves):
        _, X, y, _, _ = halves
        batches = zip(np.split(X, 6), np.split(y, 6), strict=True)
        with pytest.raises(ValueError, match=MORE_THAN_CHANCE):
            certify(clone(REMEMBERS).fit(X, y), batches)


@pytest.fixture(scope="module")
def frame(halves):
    _, X, y, X_new, y_new = halves
    names = [f"size{column}" for column in range(X.shape[1])]
    return pd.DataFrame(X, columns=names), y, pd.DataFrame(X_new, columns=names), y_new


@pytest.fixture(scope="module")
def by_name(frame):
    """A model that selects columns by name, so that others may stand between them."""
    X, y, _, _ = frame
    columns = make_column_transformer((StandardScaler(), list(X.columns)))
    learner = make_pipeline(columns, DecisionTreeClassifier(max_leaf_nodes=5))
    return CertifiedClassifier(learner, n_halvings=1, random_state=0).fit(X, y)


def changed(X, form):
    if form == "reordered":
        return X[X.columns[::-1]]
    return X.assign(unused=1.0)[["unused", *X.columns]]


class TestNamesOfColumns:
    """Rows of frames are compared by the names of their columns."""

    @pytest.mark.parametrize("form", ["reordered", "more"])
    @pytest.mark.parametrize("duplicates", ["refuse", "ignore"])
    def test_rows_that_made_the_model_are_refused(
        self, frame, by_name, form, duplicates
    ):
        X, y, _, _ = frame
        with pytest.raises(ValueError, match=MORE_THAN_CHANCE):
            certify(by_name, changed(X, form), y, duplicates=duplicates)

    @pytest.mark.parametrize("form", ["reordered", "more"])
    def test_together_leaves_them_out(self, frame, by_name, form):
        X, y, X_new, y_new = frame
        both = pd.concat([X_new, X[:1]])
        certificate = certify(
            by_name,
            changed(both, form),
            np.append(y_new, y[:1]),
            duplicates="together",
        )
        assert certificate.n_examples == len(y_new)

    @pytest.mark.parametrize("form", ["reordered", "more"])
    def test_rows_that_the_caller_names_are_refused(self, frame, by_name, form):
        X, y, _, _ = frame
        plain = by_name.estimator_[-1]
        pipeline = make_pipeline(by_name.estimator_[0], FrozenEstimator(plain))
        with pytest.raises(ValueError, match=MORE_THAN_CHANCE):
            certify(pipeline, changed(X, form)[:300], y[:300], X_grown=X)

    def test_other_rows_are_taken(self, frame, by_name):
        _, _, X_new, y_new = frame
        expected = certify(by_name, X_new, y_new)
        for form in ("reordered", "more"):
            certificate = certify(by_name, changed(X_new, form), y_new)
            assert certificate.sentence == expected.sentence

    def test_other_columns_are_an_error(self, halves):
        tree, X, _, X_new, y_new = halves
        with pytest.raises(ValueError, match="it has 3, and X has 30"):
            certify(tree, X_new, y_new, X_grown=X[:, :3])

    def test_an_iterator_is_no_table(self, halves):
        tree, X, _, X_new, y_new = halves
        with pytest.raises(ValueError, match="X_grown must be an array or a frame"):
            certify(tree, X_new, y_new, X_grown=iter([X]))


class TestCopiesBehindSteps:
    """Copies of rows of which the last step of a pipeline keeps a record."""

    @pytest.fixture
    def parts(self):
        """A table in which cases occur several times, divided: rows and labels that
        make a model, rows and labels that judge it, and the number of cases that are
        only among the latter.
        """
        rng = np.random.default_rng(0)
        cases = rng.choice(300, size=600)
        table, answers = rng.normal(size=(300, 4)), rng.integers(0, 2, size=300)
        made, judging = cases[:420], cases[420:]
        n_new = len(set(judging.tolist()) - set(made.tolist()))
        X, X_new = table[made], table[judging]
        return X, answers[made], X_new, answers[judging], n_new

    @pytest.fixture(
        params=[
            KNeighborsClassifier(1),
            CostComplexityPrunedTreeClassifier(random_state=0),
        ],
        ids=lambda model: type(model).__name__,
    )
    def model(self, parts, request):
        X, y, *_ = parts
        return make_pipeline(StandardScaler(), clone(request.param)).fit(X, y)

    def test_they_do_not_judge_unseen(self, parts, model):
        _, _, X, y, _ = parts
        with pytest.raises(ValueError, match="needs X_grown"):
            certify(model, X, y, duplicates="together")

    @pytest.mark.parametrize("kind", ["imputer", "calibration"])
    def test_they_do_not_judge_if_a_model_inside_keeps_them(self, parts, kind):
        X_grown, y_grown, X, y, n_new = parts
        impute = make_column_transformer(
            (KNNImputer(), [0, 1]), remainder="passthrough"
        )
        scaled = make_pipeline(StandardScaler(), KNeighborsClassifier(1))
        outer = {
            "imputer": make_pipeline(impute, DecisionTreeClassifier(random_state=0)),
            "calibration": CalibratedClassifierCV(scaled, ensemble=False),
        }
        model = outer[kind].fit(X_grown, y_grown)
        with pytest.raises(ValueError, match="needs X_grown"):
            certify(model, X, y, duplicates="together")
        certificate = certify(model, X, y, X_grown=X_grown, duplicates="together")
        assert certificate.n_examples == n_new

    def test_they_are_left_out_if_all_rows_are_given(self, parts, model):
        X_grown, _, X, y, n_new = parts
        certificate = certify(model, X, y, X_grown=X_grown, duplicates="together")
        assert certificate.n_examples == n_new
        assert certificate > 0.4

    def test_too_few_given_rows_are_refused(self, parts, model):
        X_grown, _, X, y, _ = parts
        with pytest.raises(ValueError, match="X_grown must hold all rows"):
            certify(model, X, y, X_grown=X_grown[:200], duplicates="together")

    def test_other_rows_judge(self, parts, model):
        _, _, X, y, _ = parts
        doubled = np.repeat(X + 1.0, 2, axis=0)
        certificate = certify(model, doubled, np.repeat(y, 2), duplicates="together")
        assert certificate.n_examples == len(np.unique(X, axis=0))

    def test_cases_that_a_step_makes_equal_judge_if_all_rows_are_given(self, parts):
        X_grown, y_grown, X, y, n_new = parts
        steps = KBinsDiscretizer(2, encode="ordinal"), KNeighborsClassifier(1)
        coarse = make_pipeline(*steps).fit(X_grown, y_grown)
        certificate = certify(coarse, X, y, X_grown=X_grown, duplicates="together")
        assert certificate.n_examples == n_new

    def test_other_cases_that_a_step_makes_equal_are_counted(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(500, 2)), rng.integers(0, 2, size=500)
        steps = KBinsDiscretizer(2, encode="ordinal"), KNeighborsClassifier(1)
        coarse = make_pipeline(*steps).fit(X[:300], y[:300])
        certificate = certify(coarse, X[300:], y[300:])
        assert certificate.n_examples == certificate.n_recurring == 200
        assert "200 reach its last step with the same values as" in certificate.sentence
        assert "reach the last step" in " ".join(certificate.assumptions)


class Wrapper(ClassifierMixin, BaseEstimator):
    """A class as users write it: it prepares rows, and keeps its model anywhere."""

    def __init__(self, model, place="alone", prepare=None):
        self.model = model
        self.place = place
        self.prepare = prepare

    def fit(self, X, y):
        fitted = clone(self.model).fit(self._prepared(X), y)
        self.classes_ = np.unique(y)
        # An object that holds itself is looked at once.
        kept = {"alone": fitted, "list": [fitted], "mapping": {"own": self}}
        self.parts = kept[self.place]
        if self.place == "mapping":
            self.parts["model"] = (fitted,)
        self.fitted_ = fitted
        return self

    def predict(self, X):
        return self.fitted_.predict(self._prepared(X))

    def _prepared(self, X):
        return np.asarray(X) if self.prepare is None else self.prepare(np.asarray(X))


def _noise(n_rows, seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_rows, 4)), rng.integers(0, 2, n_rows)


OF_WRAPPERS = [
    (BoundPrunedTreeClassifier(rule=0.0, random_state=0), MORE_THAN_CHANCE, 60),
    (KNeighborsClassifier(1), MORE_THAN_CHANCE, 60),
    (DecisionTreeClassifier(random_state=0), SAME_COUNTS, 400),
    (GridSearchCV(DecisionTreeClassifier(), {"max_depth": [9]}), SAME_COUNTS, 400),
]


@pytest.mark.parametrize("place", ["alone", "list", "mapping"])
@pytest.mark.parametrize(("model", "message", "n_rows"), OF_WRAPPERS)
def test_models_in_a_class_of_the_caller_are_looked_at(model, message, n_rows, place):
    X, y = _noise(400, seed=0)
    fitted = Wrapper(model, place).fit(X, y)
    with pytest.raises(ValueError, match=message):
        certify(fitted, X[:n_rows], y[:n_rows])
    with pytest.raises(ValueError, match=message):
        certify(make_pipeline(StandardScaler(), clone(fitted)).fit(X, y), X, y)
    assert certify(fitted, *_noise(300, seed=1)).value > 0.4


@pytest.mark.parametrize(
    "prepare",
    [
        lambda X: X[:, :2],
        lambda X: np.hstack([X, X]),
        np.nan_to_num,
        lambda X: pd.DataFrame(X, columns=["a", "b", "c", "d"]),
    ],
)
@pytest.mark.parametrize("duplicates", ["refuse", "together"])
@pytest.mark.parametrize("model", [case[0] for case in OF_WRAPPERS[1:]])
def test_rows_that_a_class_of_the_caller_changes_are_certified(
    model, prepare, duplicates, recwarn
):
    fitted = Wrapper(model, prepare=prepare).fit(*_noise(400, seed=0))
    X, y = _noise(300, seed=1)
    if prepare is np.nan_to_num:
        X[:9, 0] = np.nan
    assert certify(fitted, X, y, duplicates=duplicates).value > 0.4
    assert not recwarn


def test_rows_pass_the_steps_before_a_model_once_for_all_its_trees():
    """They pass them twice: the model predicts, and the leaves are counted."""
    passed = []

    def as_they_are(rows):
        passed.append(len(rows))
        return rows

    X, y = load_breast_cancer(return_X_y=True)
    boosted = ensemble.HistGradientBoostingClassifier(max_iter=5, random_state=0)
    model = make_pipeline(FunctionTransformer(as_they_are), boosted)
    model.fit(X[:200], y[:200])
    passed.clear()
    certify(model, X[200:], y[200:])
    assert passed.count(369) == 2
