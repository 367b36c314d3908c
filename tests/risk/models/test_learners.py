"""What may be fitted to a half, and what is refused."""

from operator import methodcaller

import networkx
import numpy as np
import pytest
from scipy import special
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from treebounds import CertifiedClassifier
from treebounds.formats import from_sklearn
from treebounds.risk.models.learner_parts import fitted_parts, own_code

IRIS = load_iris(return_X_y=True)
STUMP = DecisionTreeClassifier(max_depth=1)
FITTED = DecisionTreeClassifier().fit(*IRIS)


class OwnStep(TransformerMixin, BaseEstimator):
    """A step whose method uses a model that is fitted elsewhere."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return FITTED.predict_proba(X)


class OwnObject:
    """An object that holds a model."""

    def __init__(self, scaler):
        self.scaler = scaler

    def scale(self, X):
        return self.scaler.transform(X)


class OwnTree(DecisionTreeClassifier):
    """A learner whose class holds a model."""

    model = FITTED


def frozen_learners():
    tree = DecisionTreeClassifier().fit(*IRIS)
    scaler = StandardScaler().fit(IRIS[0])
    frozen = FrozenEstimator(tree)
    return {
        "alone": frozen,
        "calibrated": CalibratedClassifierCV(frozen),
        "vote": VotingClassifier([("a", frozen), ("b", STUMP)]),
        "stack": StackingClassifier([("a", frozen)], cv="prefit"),
        "pipeline": make_pipeline(FrozenEstimator(scaler), STUMP),
        "function": make_pipeline(FunctionTransformer(scaler.transform), STUMP),
        "closure": make_pipeline(
            FunctionTransformer(lambda X: scaler.transform(X)), STUMP
        ),
        "global": make_pipeline(
            FunctionTransformer(lambda X: FITTED.predict_proba(X)), STUMP
        ),
        "class": make_pipeline(OwnStep(), STUMP),
        "object": make_pipeline(FunctionTransformer(OwnObject(scaler).scale), STUMP),
        "class attribute": OwnTree(),
        "argument": make_pipeline(
            FunctionTransformer(np.add, kw_args={"x2": OwnObject(scaler)}), STUMP
        ),
        "nested": make_pipeline(VotingClassifier([("a", frozen), ("b", STUMP)])),
    }


@pytest.mark.parametrize("name", frozen_learners())
def test_a_fitted_model_inside_a_learner_is_refused(name):
    learner = frozen_learners()[name]
    with pytest.raises(ValueError, match=r"must not (contain a|be) fitted"):
        CertifiedClassifier(learner).fit(*IRIS)


def test_what_cloning_makes_unfitted_is_taken():
    pipeline = make_pipeline(StandardScaler().fit(IRIS[0]), STUMP)
    model = CertifiedClassifier(pipeline, n_halvings=1, random_state=0).fit(*IRIS)
    assert model.certificate_ < 1


def test_learners_that_need_numbers_get_them():
    xgboost = pytest.importorskip("xgboost")
    words = np.array(["a", "b", "c"])[IRIS[1]]
    learner = xgboost.XGBClassifier(n_estimators=2, max_depth=2)
    model = CertifiedClassifier(learner, n_halvings=1, random_state=0).fit(
        IRIS[0], words
    )
    numbered = CertifiedClassifier(learner, n_halvings=1, random_state=0).fit(*IRIS)
    assert model.certificate_.value == numbered.certificate_.value
    assert set(model.predict(IRIS[0])) == {"a", "b", "c"}
    assert model.predict_proba(IRIS[0]).shape == (150, 3)
    assert type(numbered.estimator_).__name__ == "XGBClassifier"


class Answers:
    """An object that has every attribute, as the handles of shared libraries do."""

    def __getattr__(self, name):
        return lambda: None


HANDLE = Answers()


class UsesHandle(DecisionTreeClassifier):
    def fit(self, X, y):
        HANDLE.call()
        return super().fit(X, y)


def test_a_search_for_fitted_models_asks_classes_for_their_methods():
    assert fitted_parts(UsesHandle()) == []


def test_a_name_that_is_not_bound_yet_holds_no_model():
    def rule():
        return later

    assert fitted_parts(FunctionTransformer(rule)) == []
    later = rule


def test_functions_of_installed_libraries_are_not_searched():
    assert fitted_parts(FunctionTransformer(networkx.pagerank)) == []


@pytest.mark.parametrize(
    "wrapper",
    [
        "functools:lru_cache",
        "numba:njit",
        "numpy:vectorize",
        "sklearn.metrics:make_scorer",
    ],
)
def test_a_function_inside_another_object_is_searched(wrapper):
    module, _, name = wrapper.partition(":")
    wrap = getattr(pytest.importorskip(module), name)
    tree = DecisionTreeClassifier().fit(*IRIS)

    def rule():
        return tree

    assert fitted_parts(FunctionTransformer(wrap(rule))) == [tree]


@pytest.mark.parametrize(
    "rule",
    [
        lambda rows, *, model=FITTED: model.predict_proba(rows),
        lambda rows: np.vstack([FITTED.predict_proba([row]) for row in rows]),
        lambda rows: (lambda batch: lambda: FITTED.predict_proba(batch))(rows)(),
    ],
    ids=["default of a keyword", "comprehension", "function inside"],
)
def test_a_model_that_a_function_uses_is_found(rule):
    assert fitted_parts(FunctionTransformer(rule)) == [FITTED]


@pytest.mark.parametrize(
    "wrap",
    [lambda rule: methodcaller("map", rule), lambda rule: rule.__call__],
    ids=["method of the rows", "its own method"],
)
def test_a_function_is_found_through_methods(wrap):
    tree = DecisionTreeClassifier().fit(*IRIS)

    def rule(row):
        return tree.predict([row])

    step = FunctionTransformer(wrap(rule))
    assert own_code(step) == ["rule"]
    assert fitted_parts(step) == [tree]


def test_a_function_that_cannot_be_seen_is_named():
    def rule(row):
        return row

    step = FunctionTransformer(np.frompyfunc(rule, 1, 1))
    assert own_code(step) == ["rule (vectorized)"]
    for of_library in (np.absolute, special.expit):
        assert own_code(FunctionTransformer(of_library)) == []


class Asks(ClassifierMixin, BaseEstimator):
    """Learns nothing, and predicts by a model that is given."""

    def __init__(self, model=None):
        self.model = model

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.model.predict(X)


class StaysItself(DecisionTreeClassifier):
    def __sklearn_clone__(self):
        return self


def test_a_learner_with_a_model_that_cannot_be_fitted_is_refused():
    X, y = IRIS
    tree = from_sklearn(DecisionTreeClassifier(max_depth=2).fit(X, y))
    asks = FunctionTransformer(lambda rows: tree.predict(rows)[:, np.newaxis])
    for learner in (Asks(tree), make_pipeline(asks, DecisionTreeClassifier())):
        with pytest.raises(ValueError, match="contains a fitted ArrayTree"):
            CertifiedClassifier(learner).fit(X, y)


def test_a_learner_that_clone_does_not_make_new_is_refused():
    X, y = IRIS
    for learner in (StaysItself(), make_pipeline(StandardScaler(), StaysItself())):
        with pytest.raises(ValueError, match="must be new after sklearn"):
            CertifiedClassifier(learner).fit(X, y)
