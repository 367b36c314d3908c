"""The record of a certificate: its sentence, and how it behaves as a number."""

import json
import pickle
import re
from copy import deepcopy
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    OrdinalEncoder,
    SplineTransformer,
    StandardScaler,
)
from sklearn.random_projection import SparseRandomProjection
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from builders import QUIET
from treebounds import (
    Certificate,
    CertifiedClassifier,
    CertifiedRegressor,
    CertifiedTreeClassifier,
    CertifiedTreeRegressor,
    certify,
)
from treebounds.formats import from_sklearn
from treebounds.risk import certify_prunings


def certificate(value=0.147, **fields):
    required = {
        "method": "growth",
        "delta": 0.05,
        "n_examples": 569,
        "n_errors": 30,
        "estimator": None,
    }
    return Certificate(value=value, **(required | fields))


@pytest.mark.parametrize(
    ("n_recurring", "has", "reaches"), [(1, "has", "reaches"), (2, "have", "reach")]
)
def test_one_example_that_recurs_has_its_own_verb(n_recurring, has, reaches):
    counts = {"n_compared": 9, "n_recurring": n_recurring}
    plain = certificate(**counts)
    assert f"{n_recurring} {has} an equal among them" in plain.sentence
    behind_steps = certificate(**counts, is_compared_after_steps=True)
    assert f"{n_recurring} {reaches} its last step" in behind_steps.sentence


def test_the_percentage_is_rounded_up():
    assert "errs on at most 14.8% of new cases" in certificate(0.14711).sentence


@pytest.mark.parametrize("value", [0.9991, 1.0])
def test_a_bound_of_one_promises_nothing(value):
    sentence = certificate(value).sentence
    assert sentence.endswith(", promises nothing (growth).")


def test_a_bound_of_one_names_its_class():
    sentence = certificate(1.0, by="class", label="rare", n_parts=2).sentence
    assert sentence == "This bound for class 'rare', 1, promises nothing (growth)."


@pytest.mark.parametrize(
    ("delta", "probability"),
    [
        (0.05, "0.95"),
        (0.29, "0.71"),
        (1 / 3, "0.6666"),
        (2e-4, "0.9998"),
        (1e-6, "1 - 1e-06"),
    ],
)
def test_the_probability_is_rounded_down(delta, probability):
    sentence = certificate(delta=delta).sentence
    assert sentence.startswith(f"With probability {probability} over the 569 examples")


def test_one_example_is_singular():
    sentence = certificate(n_examples=1, n_errors=0).sentence
    assert "over the 1 example, this" in sentence


def test_print_shows_the_sentence():
    assert str(certificate()) == f"{certificate()}" == certificate().sentence


def test_halvings_are_explained():
    sentence = certificate(method="halves", n_candidates=8).sentence
    assert (
        "(judged on 569 examples that had no part in making it; the best of 8"
        " candidates, which the limit allows for)" in sentence
    )


def test_a_certificate_compares_as_its_value():
    small = certificate(0.1)
    large = certificate(0.2)
    assert small < large
    assert large >= small
    assert small == 0.1 == certificate(0.1, method="occam")
    assert small < 0.2 <= large
    assert min(large, small) is small
    assert hash(small) == hash(0.1)
    assert small != "0.1"
    with pytest.raises(TypeError):
        assert small < "0.2"


def test_a_certificate_rounds_and_formats_as_its_value():
    assert round(certificate(0.1471), 2) == 0.15
    assert f"{certificate(0.1471):.2f} {certificate(0.1471):.1%}" == "0.15 14.7%"
    assert float(certificate(0.1471)) == 0.1471


def test_a_dict_of_a_certificate_is_plain():
    plain = certificate(label="rare", by="class").to_dict()
    assert json.loads(json.dumps(plain))["label"] == "rare"
    assert plain["estimator"] == "NoneType"
    stamped = replace(certificate(), label=pd.Timestamp("2026-01-01"))
    assert json.dumps(stamped.to_dict())


def test_a_dict_holds_the_conditions_as_data():
    model = DummyRegressor().fit([[0], [0]], [0, 1])
    rows = np.arange(40.0)[:, np.newaxis]
    plain = certify(model, rows, rows[:, 0], tolerance=35).to_dict()
    assert plain["declared"] == ["tolerance"]
    assert plain["own_code"] == []
    assert len(plain["assumptions"]) == 4


def test_the_estimator_is_not_in_the_repr():
    """It may hold a sample."""
    assert "estimator" not in repr(certificate())


@pytest.mark.parametrize("method", ["halves", "test-set", "message", "occam", "growth"])
def test_assumptions_are_sentences(method):
    recurring = certificate(method=method, is_recorded=False, n_recurring=1)
    sentences = recurring.assumptions
    assert len(set(sentences)) == len(sentences) >= 2
    assert all(sentence.endswith(".") for sentence in sentences)


def test_the_examples_of_occam_may_choose_the_pruning():
    text = " ".join(certificate(method="occam").assumptions)
    assert "they chose among its prunings" in text
    assert "choosing the model" not in text


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"by": ["a", "b"] * 20}, "The groups were fixed before the answers were"),
        ({"cost": [1, 2]}, "The costs were fixed before the answers were looked at."),
        ({"cost": [1, 2], "by": ["a", "b"] * 20}, "The groups and the costs were"),
    ],
)
def test_what_the_caller_declares_is_among_the_assumptions(options, sentence):
    model = DummyClassifier().fit([[0], [0]], [0, 1])
    result = certify(model, np.arange(40)[:, np.newaxis], np.arange(40) % 2, **options)
    certificate = result["a"] if "by" in options else result
    assert sentence in " ".join(certificate.assumptions)


@pytest.mark.parametrize("name", ["tolerance", "coverage"])
def test_what_was_asked_of_numbers_is_among_the_assumptions(name):
    model = DummyRegressor().fit([[0], [0]], [0, 1])
    rows = np.arange(40.0)[:, np.newaxis]
    certificate = certify(model, rows, rows[:, 0], **{name: 0.5})
    assert f"The {name} was fixed before" in " ".join(certificate.assumptions)


def test_what_cannot_be_checked_is_in_the_sentence():
    no_part_in_making = (
        "if these examples had no part in making it, in preparing its input or in"
        " choosing it,"
    )
    no_part_in_growing = (
        "if these examples had no part in growing the tree that they prune, in"
        " preparing its input or in choosing it,"
    )
    no_part_in_preparing = (
        "if none of these examples had a part in preparing the input or in choosing the"
        " settings (seed, costs and tolerance among them),"
    )
    steps = "if the steps before it learned nothing from these examples,"

    assert no_part_in_making in certificate(method="test-set").sentence
    assert no_part_in_growing in certificate(method="occam", is_recorded=False).sentence
    for method in ("halves", "message", "growth", "occam"):
        assert no_part_in_preparing in certificate(method=method).sentence
    behind_steps = certificate(method="halves", is_prepared=True).sentence
    assert steps in behind_steps
    assert "if these had no part in choosing the settings (seed, costs" in behind_steps


@pytest.mark.parametrize("method", ["halves", "test-set", "message", "occam", "growth"])
@pytest.mark.parametrize("is_prepared", [False, True])
def test_the_sentence_names_independence(method, is_prepared):
    example = certificate(method=method, is_prepared=is_prepared)
    assert "drawn like new cases, independently of each other" in example.sentence
    with_those = "independently of each other and of those that made it."
    assert (with_those in example.sentence) == (method == "test-set")


def test_with_groups_the_groups_are_what_had_no_part():
    sentence = certificate(method="test-set", n_groups=12).sentence
    assert "if these groups had no part in making it, in preparing" in sentence
    assert "drawn like new groups, independently of each other and of those" in sentence

    halved = certificate(method="halves", n_groups=12).sentence
    assert "if the groups are drawn like new groups, independently of each" in halved


@pytest.mark.parametrize(
    ("options", "condition"),
    [
        ({"by": ["a", "b"] * 20}, "and if the groups were fixed before the answers"),
        ({"cost": [1, 2]}, "and if the costs were fixed before the answers were"),
    ],
)
def test_what_the_caller_declares_is_in_the_sentence(options, condition):
    model = DummyClassifier().fit([[0], [0]], [0, 1])
    rows = np.arange(40)[:, np.newaxis]
    assert condition in str(certify(model, rows, np.arange(40) % 2, **options))


def test_a_tolerance_that_was_given_is_in_the_sentence():
    model = DummyRegressor().fit([[0], [0]], [0, 1])
    rows = np.arange(40.0)[:, np.newaxis]
    sentence = certify(model, rows, rows[:, 0], tolerance=35).sentence
    assert "and if the tolerance was fixed before the answers were looked" in sentence


@pytest.mark.parametrize("tolerance", [0.35, 1 / 3, 0.1 + 0.2, 2.0**53, 1e-7 / 3])
def test_a_tolerance_is_not_rounded_down(tolerance):
    """Each row is off by exactly the tolerance, so by more than a smaller number."""
    model = DummyRegressor(strategy="constant", constant=0.0).fit([[0]], [0])
    rows = np.arange(40.0)[:, np.newaxis]
    claim = certify(model, rows, np.full(40, tolerance), tolerance=tolerance).claim
    written = re.search(r"off by more than (\S+) on", claim).group(1)
    assert float(written) == tolerance


def test_the_largest_cost_is_not_rounded_down():
    model = DummyClassifier(strategy="constant", constant=0).fit([[0], [0]], [0, 1])
    rows = np.arange(40.0)[:, np.newaxis]
    costs = np.append(np.ones(39), 333333.4)
    certificate = certify(model, rows, np.ones(40, dtype=int), cost=costs)
    assert "no new case costs more than 333333.4." in certificate.sentence
    assert "the largest cost here, 333333.4;" in " ".join(certificate.assumptions)


SAMPLE = make_classification(300, random_state=0)


class OnArrays(ClassifierMixin, BaseEstimator):
    """A classifier that keeps its tree as an ArrayTree."""

    def fit(self, X, y):
        tree = DecisionTreeClassifier(max_depth=3).fit(X, y)
        self.classes_ = tree.classes_
        self.arrays_ = from_sklearn(tree)
        return self

    def predict(self, X):
        return self.classes_[self.arrays_.predict(X)]

    def predict_proba(self, X):
        return np.eye(len(self.classes_))[self.arrays_.predict(X)]


MODELS = {
    "arrays": OnArrays(),
    "tree": DecisionTreeClassifier(max_depth=3),
    "forest": RandomForestClassifier(5),
    "boosted": GradientBoostingClassifier(n_estimators=3),
    "histograms": HistGradientBoostingClassifier(max_iter=3),
    "line": LogisticRegression(),
    "neighbors": KNeighborsClassifier(3),
    "network": MLPClassifier((2,), solver="lbfgs", max_iter=2000),
    "steps": make_pipeline(StandardScaler(), LogisticRegression()),
    "search": GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2]}, cv=2),
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_the_sentence_says_that_a_model_was_fitted_again(model):
    X, y = SAMPLE
    fitted = clone(model).fit(X[:150], y[:150])
    certificate = certify(fitted, X[150:], y[150:])
    sentence = str(certificate)
    fitted.predict_proba(X)
    for copy in (pickle.loads(pickle.dumps(certificate)), deepcopy(certificate)):
        assert str(certificate) == str(copy) == sentence
    assert "The model was changed" not in sentence

    fitted.fit(X, 1 - y)
    copy = pickle.loads(pickle.dumps(certificate))
    for changed in (certificate, copy):
        assert str(changed).startswith("The model was changed, or fitted again, after")
        assert str(changed).endswith(sentence)


def test_the_sentence_says_that_an_array_of_a_model_was_changed():
    X, y = SAMPLE
    for name, change in {
        "tree": lambda model: model.tree_.threshold.__setitem__(0, -50.0),
        "line": lambda model: model.coef_.__imul__(-1),
        "steps": lambda model: model[0].mean_.__iadd__(1.0),
        "forest": lambda model: model.estimators_.pop(),
    }.items():
        fitted = clone(MODELS[name]).fit(X[:150], y[:150])
        certificate = certify(fitted, X[150:], y[150:])
        change(fitted)
        assert str(certificate).startswith("The model was changed"), name


def _swap_children(tree):
    nodes = tree.tree_
    nodes.children_left[0], nodes.children_right[0] = (
        nodes.children_right[0],
        nodes.children_left[0],
    )


def _first(X):
    """The first column, since an isotonic regression takes no more."""
    return X[:, :1]


CHANGES = {
    "children": (DecisionTreeRegressor(max_depth=2), _swap_children),
    "histograms": (
        HistGradientBoostingRegressor(max_iter=2),
        lambda model: model._baseline_prediction.__iadd__(9),
    ),
    "boosting": (
        GradientBoostingRegressor(n_estimators=2),
        lambda model: model.init_.constant_.__iadd__(9),
    ),
    "kernel": (SVR(), lambda model: setattr(model, "_gamma", 99.0)),
    "target": (
        TransformedTargetRegressor(LinearRegression(), transformer=StandardScaler()),
        lambda model: model.transformer_.mean_.__iadd__(9),
    ),
    "a step function": (
        make_pipeline(
            FunctionTransformer(_first), IsotonicRegression(out_of_bounds="clip")
        ),
        lambda model: setattr(model[-1], "f_", lambda values: 9.0 - values),
    ),
    "points of a step function": (
        make_pipeline(
            FunctionTransformer(_first), IsotonicRegression(out_of_bounds="clip")
        ),
        lambda model: model[-1].f_.y.__iadd__(9),
    ),
    "bins": (
        make_pipeline(KBinsDiscretizer(3), LinearRegression()),
        lambda model: model[0].bin_edges_[0].__iadd__(9),
    ),
    "bins that are learned again": (
        make_pipeline(KBinsDiscretizer(3), LinearRegression()),
        lambda model: model[0].fit(9 + SAMPLE[0]),
    ),
    "splines": (
        make_pipeline(SplineTransformer(), LinearRegression()),
        lambda model: model[0].fit(9 + SAMPLE[0]),
    ),
    "a sparse matrix": (
        make_pipeline(SparseRandomProjection(5, random_state=0), LinearRegression()),
        lambda model: model[0].components_.data.__imul__(-1),
    ),
    "columns": (
        make_pipeline(
            make_column_transformer((StandardScaler(), [0, 1])), LinearRegression()
        ),
        lambda model: model[0].transformers_[0][1].mean_.__iadd__(9),
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_sentence_says_that_a_part_of_a_model_was_changed(name):
    model, change = CHANGES[name]
    X, y = SAMPLE
    model = clone(model).fit(X[:150], y[:150] + X[:150, 0])
    certificate = certify(model, X[150:], y[150:], tolerance=0.6)
    before = model.predict(X)
    assert str(certificate).startswith("With probability")
    copy = pickle.loads(pickle.dumps(certificate))
    assert str(copy) == str(certificate)

    change(model)
    assert not np.allclose(model.predict(X), before)
    assert str(certificate).startswith("The model was changed")


def _exchange(vocabulary):
    vocabulary["one"], vocabulary["two"] = vocabulary["two"], vocabulary["one"]


@pytest.mark.parametrize(
    ("words", "change"),
    [
        (CountVectorizer(), lambda step: _exchange(step.vocabulary_)),
        (TfidfVectorizer(), lambda step: _exchange(step.vocabulary_)),
        (TfidfVectorizer(), lambda step: step._tfidf.idf_.__imul__([1, 1, 9])),
        (CountVectorizer(), lambda step: step.fit(["one two", "zero two"])),
    ],
)
def test_the_sentence_says_that_the_words_of_a_model_were_changed(words, change):
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(["one", "two", "four"], 5)) for _ in range(300)]
    y = np.array([text.count("two") > 1 for text in texts])
    model = make_pipeline(clone(words), LogisticRegression(C=100)).fit(
        texts[:150], y[:150]
    )
    certificate = certify(model, texts[150:], y[150:], duplicates="ignore")
    before = model.predict(texts)
    assert str(certificate).startswith("With probability")

    change(model[0])
    assert (model.predict(texts) != before).any()
    assert str(certificate).startswith("The model was changed")


class Contrarian(DecisionTreeClassifier):
    def predict(self, X, check_input=True):
        return 1 - super().predict(X)


def _swap_labels(encoder):
    encoder.classes_ = encoder.classes_[::-1]


TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
CHANGES_OF_CLASSIFIERS = {
    "a function": (
        make_pipeline(FunctionTransformer(np.abs), TREE),
        lambda model: model.set_params(functiontransformer__func=np.negative),
    ),
    "a function of ours": (
        make_pipeline(FunctionTransformer(lambda X: X), TREE),
        lambda model: model.set_params(functiontransformer__func=lambda X: -X),
    ),
    "arguments": (
        make_pipeline(FunctionTransformer(np.roll, kw_args={"shift": 0}), TREE),
        lambda model: model[0].kw_args.update(shift=1),
    ),
    "weights": (
        make_pipeline(make_union(StandardScaler()), TREE),
        lambda model: model[0].set_params(transformer_weights={"standardscaler": -1}),
    ),
    "a parameter inside": (
        make_pipeline(
            make_column_transformer((Binarizer(), [*range(20)])),
            TREE,
        ),
        lambda model: model[0].transformers_[0][1].set_params(threshold=-9),
    ),
    "the last model of a stack": (
        StackingClassifier([("tree", TREE)]),
        lambda model: model.final_estimator_.coef_.__imul__(-1),
    ),
    "what a stack is given": (
        StackingClassifier([("tree", TREE)], LogisticRegression(C=0.01)),
        lambda model: setattr(model, "stack_method_", ["apply"]),
    ),
    "calibration": (
        CalibratedClassifierCV(TREE, cv=2),
        lambda model: [
            setattr(calibrator, "b_", 99.0)
            for calibrated in model.calibrated_classifiers_
            for calibrator in calibrated.calibrators
        ],
    ),
    "machines": (SVC(), lambda model: model._dual_coef_.__imul__(-1)),
    "votes": (
        VotingClassifier([("tree", TREE)]),
        lambda model: _swap_labels(model.le_),
    ),
    "one against the rest": (
        OneVsRestClassifier(TREE),
        lambda model: _swap_labels(model.label_binarizer_),
    ),
    "a network": (
        MLPClassifier(5, tol=9.0, n_iter_no_change=2, random_state=0),
        lambda model: _swap_labels(model._label_binarizer),
    ),
    "a predict of its own": (
        TREE,
        lambda model: setattr(model, "predict", lambda X: np.zeros(len(X))),
    ),
    "its class": (TREE, lambda model: setattr(model, "__class__", Contrarian)),
}


@pytest.mark.parametrize("name", CHANGES_OF_CLASSIFIERS)
def test_the_sentence_says_that_a_classifier_predicts_otherwise(name):
    model, change = CHANGES_OF_CLASSIFIERS[name]
    X, y = SAMPLE
    model = clone(model).fit(X[:150], y[:150])
    certificate = certify(model, X[150:], y[150:])
    before = model.predict(X)
    assert str(certificate).startswith("With probability")

    change(model)
    assert (model.predict(X) != before).any()
    assert str(certificate).startswith("The model was changed")


def _shift_by(shift):
    return lambda X: X + shift


@pytest.mark.parametrize(
    ("function", "other"),
    [
        (lambda X: np.abs(X), lambda X: np.negative(X)),
        (lambda X: np.roll(X, (0, 0)), lambda X: np.roll(X, (1, 1))),
        (lambda X, shift=0: X + shift, lambda X, shift=9: X + shift),
        (lambda X, *, shift=0: X + shift, lambda X, *, shift=9: X + shift),
        (_shift_by(0), _shift_by(9)),
        (
            lambda X: np.array([row + 0 for row in X]),
            lambda X: np.array([row + 9 for row in X]),
        ),
    ],
    ids=["call", "tuple", "default", "keyword", "variable", "comprehension"],
)
def test_functions_of_one_name_are_told_apart(function, other):
    X, y = SAMPLE
    model = make_pipeline(FunctionTransformer(function), TREE).fit(X[:150], y[:150])
    certificate = certify(model, X[150:], y[150:])
    assert str(certificate).startswith("With probability")

    assert function.__qualname__ == other.__qualname__
    model.set_params(functiontransformer__func=other)
    assert str(certificate).startswith("The model was changed")


def test_a_function_with_arguments_is_known_again():
    X, y = SAMPLE
    steps = FunctionTransformer(partial(np.clip, a_min=-1, a_max=1))
    model = make_pipeline(steps, TREE).fit(X[:150], y[:150])
    certificate = certify(model, X[150:], y[150:])
    copy = pickle.loads(pickle.dumps(certificate))
    assert str(copy) == str(certificate)
    assert str(copy).startswith("With probability")

    model.set_params(functiontransformer__func=partial(np.clip, a_min=-9, a_max=9))
    assert str(certificate).startswith("The model was changed")


def test_the_sentence_says_that_categories_were_swapped():
    X, y = SAMPLE
    words = np.where(X[:, :2] > 0, "high", "low").astype(object)
    steps = make_column_transformer((OrdinalEncoder(), [0, 1]))
    model = make_pipeline(steps, DecisionTreeClassifier()).fit(words[:150], y[:150])
    certificate = certify(model, words[150:], y[150:], duplicates="ignore")
    model[0].transformers_[0][1].categories_[0] = np.array(["low", "high"], object)
    assert str(certificate).startswith("The model was changed")


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_the_sentence_says_that_a_model_was_boosted_again(library):
    module = pytest.importorskip(library)
    if library == "lightgbm":
        model = module.LGBMClassifier(n_estimators=2, **QUIET)
    else:
        model = module.XGBClassifier(n_estimators=2, n_jobs=1)
    X, y = SAMPLE
    certificate = certify(model.fit(X[:150], y[:150]), X[150:], y[150:])
    sentence = str(certificate)
    model.predict(X)
    copy = pickle.loads(pickle.dumps(certificate))
    assert str(copy) == str(certificate) == sentence

    model.fit(X, 1 - y)
    assert str(certificate).startswith("The model was changed")
    assert str(copy) == sentence


def test_the_sentence_says_that_a_number_of_a_model_was_changed():
    X, y = SAMPLE
    line = Lasso(alpha=1e9).fit(X[:150], y[:150])
    certificate = certify(line, X[150:], y[150:], tolerance=0.6)
    line.fit(X[:150], y[:150] + 5)
    assert str(certificate).startswith("The model was changed")

    model = FixedThresholdClassifier(MODELS["tree"], threshold=0.5)
    certificate = certify(model.fit(X[:150], y[:150]), X[150:], y[150:])
    model.set_params(threshold=0.0)
    assert str(certificate).startswith("The model was changed")


@pytest.mark.parametrize(
    "estimator",
    [
        CertifiedClassifier(LogisticRegression(), n_halvings=1),
        CertifiedRegressor(LinearRegression(), n_halvings=1),
        CertifiedTreeClassifier(n_halvings=1),
        CertifiedTreeClassifier(method="growth"),
        CertifiedTreeClassifier(method="message"),
        CertifiedTreeRegressor(n_halvings=1),
    ],
)
def test_a_model_that_was_just_fitted_is_not_called_changed(estimator):
    X, y = SAMPLE
    model = clone(estimator).fit(pd.DataFrame(X, columns=[*"abcdefghijklmnopqrst"]), y)
    assert "The model was changed" not in str(model.certificate_)
    assert "The model was changed" not in str(deepcopy(model).certificate_)


def test_the_sentence_on_prunings_is_the_same_where_the_grown_rows_are_given():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = (X[:, 0] > 0).astype(int)
    tree = DecisionTreeClassifier(max_depth=3).fit(X[:200], y[:200])

    trusted = str(certify_prunings(tree, X[200:], y[200:]))
    compared = str(certify_prunings(tree, X[200:], y[200:], X_grown=X[:200]))
    assert "in preparing its input or in choosing it, and if" in trusted
    assert compared == trusted
