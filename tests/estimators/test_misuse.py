"""What certificates do not allow for: searches, and steps fitted to the same rows.

Where an estimator can know, it warns, and its sentence names the condition.
"""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import BaggingClassifier, StackingClassifier
from sklearn.feature_selection import RFE, SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import (
    GridSearchCV,
    RandomizedSearchCV,
    cross_val_score,
    cross_validate,
)
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier, RegressorChain
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    StandardScaler,
)
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from treebounds import (
    BoundPrunedTreeClassifier,
    CertifiedClassifier,
    CertifiedRegressor,
    CertifiedTreeClassifier,
    CertifiedTreeRegressor,
    CostComplexityPrunedTreeClassifier,
    PrunedTreeRegressor,
    certify,
)
from treebounds.exceptions import SelectionWarning

X, Y = load_breast_cancer(return_X_y=True)
NUMBERS = load_diabetes(return_X_y=True)
STUMP = DecisionTreeClassifier(max_depth=1)
SMALL = DecisionTreeClassifier(max_leaf_nodes=3)
GROWTH = CertifiedTreeClassifier(method="growth", random_state=0)
PHRASE = "if the steps before it learned nothing from these examples"

CERTIFIED = [
    *(
        CertifiedTreeClassifier(method=method, random_state=0)
        for method in ("halves", "occam", "growth")
    ),
    CertifiedClassifier(SMALL, n_halvings=1, random_state=0),
    CertifiedTreeRegressor(coverage=0.8, random_state=0),
    CertifiedRegressor(DecisionTreeRegressor(max_depth=2), tolerance=100),
]


def sample(estimator):
    is_about_numbers = "Regressor" in type(estimator).__name__
    return NUMBERS if is_about_numbers else (X, Y)


@pytest.mark.parametrize("estimator", CERTIFIED, ids=str)
class TestPipelines:
    def test_steps_that_learn_are_named(self, estimator):
        pipeline = make_pipeline(SelectKBest(k=5), clone(estimator))
        with pytest.warns(SelectionWarning, match="The steps selectkbest of the pipe"):
            pipeline.fit(*sample(estimator))
        assert PHRASE in pipeline[-1].certificate_.sentence

    def test_the_advice_puts_the_steps_where_one_half_fits_them(self, estimator):
        model = clone(estimator)
        advice = "give the whole pipeline, with a tree without a certificate at its end"
        if isinstance(model, CertifiedClassifier | CertifiedRegressor):
            advice = rf"before each .* {type(model).__name__}\(\[make_pipeline"
        with pytest.warns(SelectionWarning, match=advice):
            make_pipeline(StandardScaler(), model).fit(*sample(model))

    def test_all_steps_that_learn_are_named(self, estimator):
        pipeline = make_pipeline(StandardScaler(), SelectKBest(k=5), clone(estimator))
        with pytest.warns(SelectionWarning, match="standardscaler, selectkbest of"):
            pipeline.fit(*sample(estimator))

    @pytest.mark.filterwarnings("error")
    def test_steps_that_learn_nothing_change_nothing(self, estimator):
        double = FunctionTransformer(lambda rows: 2 * rows)
        model = clone(estimator)
        Pipeline([("a", double), ("b", "passthrough"), ("c", model)]).fit(
            *sample(estimator)
        )
        assert PHRASE not in model.certificate_.sentence

    @pytest.mark.filterwarnings("error")
    def test_nothing_is_said_outside_of_a_pipeline(self, estimator):
        model = clone(estimator).fit(*sample(estimator))
        assert PHRASE not in model.certificate_.sentence


@pytest.mark.parametrize(
    "step", [StandardScaler(), FrozenEstimator(StandardScaler().fit(X))], ids=str
)
def test_a_pipeline_in_a_pipeline_is_seen(step):
    inner = make_pipeline(FunctionTransformer(), clone(GROWTH))
    with pytest.warns(SelectionWarning, match="steps standardscaler|frozenestimator"):
        make_pipeline(step, inner).fit(X, Y)
    assert PHRASE in inner[-1].certificate_.sentence


def test_a_table_by_leaf_says_the_same():
    pipeline = make_pipeline(StandardScaler(), CERTIFIED[0])
    with pytest.warns(SelectionWarning):
        table = clone(pipeline).fit(X, Y)[-1].certificates_by_leaf_
    assert PHRASE in str(table)


@pytest.mark.filterwarnings("error")
def test_a_pipeline_as_a_learner_is_no_step_before():
    learner = make_pipeline(StandardScaler(), SMALL)
    model = CertifiedClassifier(learner, n_halvings=1, random_state=0).fit(X, Y)
    assert PHRASE not in model.certificate_.sentence


@pytest.mark.parametrize(
    "search",
    [
        lambda model, grid: GridSearchCV(model, grid, cv=2),
        lambda model, grid: RandomizedSearchCV(model, grid, n_iter=2, cv=2),
    ],
    ids=["grid", "random"],
)
def test_a_search_over_another_step_is_noticed(search):
    pipeline = make_pipeline(FunctionTransformer(), clone(GROWTH))
    grid = {"functiontransformer__func": [None, np.abs]}
    with pytest.warns(SelectionWarning, match="its own or those of a step before it"):
        search(pipeline, grid).fit(X, Y)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_certified_tree_as_a_learner_is_judged_again(n_jobs):
    learner = make_pipeline(StandardScaler(), clone(GROWTH))
    model = CertifiedClassifier(learner, n_halvings=1, n_jobs=n_jobs).fit(X, Y)
    assert PHRASE not in model.certificate_.sentence


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_search_over_seeds_is_noticed(n_jobs):
    """Ensembles set seeds, too, but do not choose among them. In a search with several
    processes only the last fit happens here.
    """
    search = GridSearchCV(clone(GROWTH), {"random_state": [0, 1]}, cv=2, n_jobs=n_jobs)
    with pytest.warns(SelectionWarning, match="as in a search"):
        search.fit(X, Y)


@pytest.mark.filterwarnings("error")
def test_a_search_without_a_grid_chooses_nothing():
    GridSearchCV(clone(GROWTH), {}, cv=2).fit(X, Y)


def test_a_search_by_hand_is_noticed():
    """A seed that is set afterwards does not hide the choice."""
    estimator = clone(GROWTH)
    first, second = (
        clone(estimator).set_params(max_leaf_nodes=n_leaves).set_params(random_state=1)
        for n_leaves in (4, 5)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first.fit(X, Y)
    with pytest.warns(SelectionWarning, match="one of several clones"):
        second.fit(X, Y)


@pytest.mark.filterwarnings("error")
def test_ensembles_and_cross_validation_are_no_searches():
    alone = clone(GROWTH)
    behind = make_pipeline(FunctionTransformer(), clone(GROWTH))
    for model in (alone, behind):
        cross_val_score(model, X, Y, cv=2)
        cross_validate(model, X, Y, cv=2)
        BaggingClassifier(model, 2, bootstrap=False).fit(X, Y)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n_unknown", [0, 300])
def test_labels_that_a_model_has_predicted_are_noticed(n_unknown):
    labels = Y.copy()
    labels[:n_unknown] = -1
    training = SelfTrainingClassifier(clone(GROWTH), max_iter=2)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        training.fit(X, labels)

    messages = [str(w.message) for w in caught if w.category is SelectionWarning]
    assert len(messages) == (n_unknown > 0) * training.n_iter_
    assert all("are predictions of SelfTraining" in text for text in messages)


def test_a_caller_that_is_being_made_is_not_asked_for_attributes():
    """A data frame that reads its rows from a generator has no axes yet, by which it
    looks up names.
    """
    model = clone(GROWTH)
    rows = ({"judged": model.fit(X, Y).certificate_.n_examples} for _ in range(1))
    assert len(pd.DataFrame(rows)) == 1


@pytest.mark.filterwarnings("error")
def test_a_first_clone_may_be_asked():
    model = clone(clone(GROWTH))
    model.get_params()
    model.fit(X, Y)
    assert repr(model)


def test_a_transformed_target_keeps_its_estimator_usable():
    model = TransformedTargetRegressor(CERTIFIED[-1], func=np.log, inverse_func=np.exp)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(*NUMBERS)
    assert model.regressor_.certificate_.n_examples == 221


NUMBER_TREE = CertifiedTreeRegressor(coverage=0.8, n_halvings=1, random_state=0)
TWO_NUMBERS = (NUMBERS[0], np.column_stack([NUMBERS[1], NUMBERS[1]]))
TWO_LABELS = (X, np.column_stack([Y, Y]))


@pytest.mark.parametrize(
    ("model", "sample", "certified"),
    [
        (RFE(GROWTH, step=9), (X, Y), lambda model: model.estimator_),
        (
            RFE(
                make_pipeline(FunctionTransformer(), GROWTH),
                step=9,
                importance_getter=lambda pipeline: pipeline[-1].feature_importances_,
            ),
            (X, Y),
            lambda model: model.estimator_[-1],
        ),
        (
            StackingClassifier(
                [("tree", DecisionTreeClassifier().fit(X, Y))],
                final_estimator=GROWTH,
                cv="prefit",
                passthrough=True,
            ),
            (X, Y),
            lambda model: model.final_estimator_,
        ),
        (ClassifierChain(GROWTH), TWO_LABELS, lambda model: model.estimators_[1]),
        (RegressorChain(NUMBER_TREE), TWO_NUMBERS, lambda model: model.estimators_[1]),
        (
            TransformedTargetRegressor(NUMBER_TREE, transformer=StandardScaler()),
            NUMBERS,
            lambda model: model.regressor_,
        ),
    ],
    ids=["selection", "pipeline", "stack", "labels", "numbers", "target"],
)
def test_models_that_make_the_input_are_named(model, sample, certified):
    with pytest.warns(SelectionWarning, match=f"{type(model).__name__} made the col"):
        model.fit(*sample)
    assert PHRASE in certified(model).certificate_.sentence


@pytest.mark.filterwarnings("error")
def test_members_that_are_given_the_rows_themselves_are_not_warned_of():
    """Those of a stack, of several outputs, and the first one of a chain."""
    stack = StackingClassifier([("tree", GROWTH)], cv=2).fit(X, Y)
    several = MultiOutputClassifier(GROWTH).fit(*TWO_LABELS)
    chain = ClassifierChain(GROWTH).fit(X, Y[:, np.newaxis])
    for ensemble in (stack, several, chain):
        assert PHRASE not in ensemble.estimators_[0].certificate_.sentence


CODES = {"categories": [[0, 1, 2], [0, 1]]}
DENSE = {"sparse_output": False}


@pytest.mark.parametrize(
    ("step", "learns"),
    [
        (PolynomialFeatures(), False),
        (OrdinalEncoder(**CODES), False),
        (OneHotEncoder(**DENSE, **CODES), False),
        (OrdinalEncoder(), True),
        (OneHotEncoder(**DENSE), True),
        (OneHotEncoder(**DENSE, **CODES, drop="first"), True),
        (OneHotEncoder(**DENSE, **CODES, min_frequency=5), True),
    ],
    ids=str,
)
def test_given_codes_and_polynomials_learn_nothing(step, learns):
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.integers(3, size=80), rng.integers(2, size=80)])
    tree = CertifiedTreeClassifier(method="growth", max_leaf_nodes=3)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make_pipeline(step, tree).fit(rows, rng.integers(2, size=80))
    assert any(warning.category is SelectionWarning for warning in caught) == learns


LEARNERS = [
    BoundPrunedTreeClassifier(),
    CertifiedTreeClassifier(),
    CertifiedClassifier(DecisionTreeClassifier()),
    CostComplexityPrunedTreeClassifier(),
    PrunedTreeRegressor(),
    CertifiedTreeRegressor(),
    CertifiedRegressor(DecisionTreeRegressor()),
]


@pytest.mark.parametrize(
    "learner", LEARNERS, ids=lambda learner: type(learner).__name__
)
def test_masked_labels_and_rows_are_refused(learner):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 1)), np.arange(90) % 2
    for hidden in ("X", "y"):
        sample = {"X": X, "y": y}
        mask = np.arange(90).reshape(sample[hidden].shape) < 5
        sample[hidden] = np.ma.masked_array(sample[hidden], mask=mask)
        with pytest.raises(ValueError, match=f"{hidden} has masked entries"):
            clone(learner).fit(**sample)
        with pytest.raises(ValueError, match=f"{hidden} has masked entries"):
            certify(STUMP.fit(X, y), **sample)


@pytest.mark.parametrize(
    "learner", LEARNERS, ids=lambda learner: type(learner).__name__
)
def test_labels_in_another_order_of_rows_are_refused(learner):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=90)})
    y = pd.Series(np.arange(90.0) % 2)

    with pytest.raises(ValueError, match="y has the row labels of X in another order"):
        clone(learner).fit(X, y.iloc[::-1])
    clone(learner).fit(X.iloc[::-1], y.iloc[::-1])


@pytest.mark.parametrize(
    "learner", LEARNERS, ids=lambda learner: type(learner).__name__
)
def test_labels_of_other_rows_are_refused(learner):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=90)}, index=np.arange(90) + 10)
    y = pd.Series(np.arange(90.0) % 2, index=np.arange(90) + 11)

    message = "y and X label different rows: only one of them has 100"
    with pytest.raises(ValueError, match=message):
        clone(learner).fit(X, y)
    with pytest.raises(ValueError, match=message):
        certify(STUMP.fit(X, y.to_numpy()), X, y)
    # The numbers that pandas gives by itself are no names of rows.
    clone(learner).fit(X, y.reset_index(drop=True))
    clone(learner).fit(X.reset_index(drop=True), y)


def test_a_learner_that_needs_a_fitted_model_is_refused_with_a_reason():
    fitted = DecisionTreeClassifier(max_depth=2).fit(X, Y)
    stack = StackingClassifier([("tree", fitted)], cv="prefit")
    with pytest.raises(ValueError, match=r"StackingClassifier has to be fitted before"):
        CertifiedClassifier(stack).fit(X, Y)


@pytest.mark.parametrize("estimator", CERTIFIED, ids=str)
def test_a_confidence_in_place_of_delta_is_noticed_once(estimator):
    with pytest.warns(UserWarning, match="is usual") as warned:
        clone(estimator).set_params(delta=0.95).fit(*sample(estimator))
    # Other tests fit to the same rows, which may be taken for a search.
    (of_delta,) = [each for each in warned if "is usual" in str(each.message)]
    assert of_delta.filename == __file__
