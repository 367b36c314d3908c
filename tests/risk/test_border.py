"""What users do to rows and models, where a true sentence would be easy to lose."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.impute import KNNImputer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from treebounds import (
    BoundPrunedTreeClassifier,
    CertifiedClassifier,
    CertifiedRegressor,
    certify,
    prune,
)
from treebounds.formats import from_sklearn

RNG = np.random.default_rng(0)
X = RNG.normal(loc=3, size=(400, 3))

# Coins, so that every classifier errs on half of the new cases.
Y = RNG.integers(0, 2, 400)


class Always(ClassifierMixin, BaseEstimator):
    """It predicts what it is given."""

    def __init__(self, prediction, classes):
        self.prediction = prediction
        self.classes = classes

    def fit(self, X, y):
        self.classes_ = np.array(self.classes)
        return self

    def predict(self, X):
        return np.full(len(X), self.prediction)


class AlwaysNumber(RegressorMixin, BaseEstimator):
    """It predicts a number, which is masked if it is very large."""

    def __init__(self, prediction):
        self.prediction = prediction

    def fit(self, X, y):
        self.is_fitted_ = True
        return self

    def predict(self, X):
        return np.ma.masked_greater(np.full(len(X), self.prediction), 10**18)


class AlwaysUnmasked(AlwaysNumber):
    """It predicts what may not be a number."""

    def predict(self, X):
        return np.full(len(X), self.prediction)


class TestNumbers:
    def test_floats_are_no_predictions_of_large_integers(self):
        labels = np.full(400, 2**53 + 1)
        model = Always(2.0**53, [2**53, 2**53 + 1]).fit(X, labels)
        with pytest.raises(ValueError, match="y holds whole numbers beyond"):
            certify(model, X, labels)
        exact = Always(2**53, [2**53, 2**53 + 1]).fit(X, labels)
        assert certify(exact, X, labels).n_errors == 400

    def test_large_integers_are_no_numbers_to_be_off_by_a_little(self):
        numbers = np.full(400, 2**53 + 1)
        with pytest.raises(ValueError, match="y holds whole numbers beyond"):
            certify(AlwaysNumber(2**53).fit(X, Y), X, numbers, tolerance=0.6)
        with pytest.raises(ValueError, match="holds whole numbers beyond"):
            certify(AlwaysNumber(2**53).fit(X, Y), X, Y, tolerance=0.6)

    @pytest.mark.parametrize(
        ("prediction", "reason"),
        [
            (0.5 + 5j, "Complex data not supported"),
            ("0.5", "must hold finite numbers"),
            (np.datetime64("1970-01-01"), "give times as numbers"),
            (np.timedelta64(0, "s"), "give times as numbers"),
        ],
    )
    def test_predictions_that_are_no_numbers_are_refused(self, prediction, reason):
        model = AlwaysUnmasked(prediction)
        with pytest.raises(ValueError, match=reason):
            CertifiedRegressor(model, tolerance=0.6).fit(X, Y)
        with pytest.raises(ValueError, match=reason):
            certify(model.fit(X, Y), X, Y, tolerance=0.6)

    def test_masked_predictions_are_refused(self):
        with pytest.raises(ValueError, match="predictions has masked entries"):
            certify(AlwaysNumber(10**18 + 1).fit(X, Y), X, Y, tolerance=0.6)

    def test_a_large_constant_is_printed_with_all_digits(self):
        numbers = np.full(400, 2.0**53)
        model = DummyRegressor(strategy="constant", constant=2.0**53).fit(X, numbers)
        certificate = certify(model, X, numbers, tolerance=0.5)
        assert certificate.remark.startswith("It predicts 9007199254740992 for")


def with_a_column_not_used():
    """A certified pipeline that chooses columns by name, and its rows."""
    frame = pd.DataFrame(X, columns=list("abc")).assign(spare=np.arange(400.0) ** 2)
    choice = FunctionTransformer(lambda rows: rows[list("abc")])
    learner = make_pipeline(choice, DecisionTreeClassifier(max_leaf_nodes=3))
    return CertifiedClassifier(learner, random_state=0).fit(frame, Y), frame


# They keep rows, or choose columns by a model that remembers its rows.
STEPS = {
    "filled": lambda: [KNNImputer()],
    "filled later": lambda: [StandardScaler(), "passthrough", KNNImputer()],
    "columns filled": lambda: [ColumnTransformer([("filled", KNNImputer(), [1, 0])])],
    "united": lambda: [FeatureUnion([("filled", KNNImputer())])],
    "in a pipeline": lambda: [make_pipeline(StandardScaler(), KNNImputer())],
    "selected": lambda: [SelectFromModel(BoundPrunedTreeClassifier(rule="noise"))],
    "selected by a tree": lambda: [SelectFromModel(DecisionTreeClassifier())],
    "eliminated": lambda: [
        RFE(BoundPrunedTreeClassifier(rule="noise"), n_features_to_select=1)
    ],
}


class OfTwoColumns(ClassifierMixin, BaseEstimator):
    """It fits a tree to the first two columns."""

    def fit(self, X, y):
        self.estimator_ = BoundPrunedTreeClassifier().fit(X[:, :2], y)
        self.classes_ = self.estimator_.classes_
        return self

    def predict(self, X):
        return self.estimator_.predict(X[:, :2])


class TestRowsOfAModel:
    @pytest.mark.parametrize("step", [StandardScaler(copy=False), None])
    def test_a_model_that_writes_into_its_rows_is_refused(self, step):
        model = make_pipeline(step, KNeighborsClassifier(1)).fit(X.copy(), Y)
        reason = "among those that the model" if step is None else "model writes into"
        with pytest.raises(ValueError, match=reason):
            certify(model, X[:100].copy(), Y[:100])

    def test_they_are_found_behind_a_selection(self):
        tree = BoundPrunedTreeClassifier(rule="noise")
        model = RFE(tree, n_features_to_select=2).fit(X[:300], Y[:300])
        with pytest.raises(ValueError, match="among those that the model"):
            certify(model, X[:200], Y[:200])
        assert certify(model, X[300:], Y[300:]).n_examples == 100

    @pytest.mark.parametrize("name", list(STEPS))
    def test_they_are_found_in_an_earlier_step(self, name):
        rows = X.copy()
        rows[::2, 0] = np.nan
        model = make_pipeline(*STEPS[name](), DummyClassifier())
        model.fit(rows[:200], Y[:200])
        with pytest.raises(ValueError, match=r"among those that the mo|grown on these"):
            certify(model, rows[:200], Y[:200])
        assert certify(model, rows[200:], Y[200:]).n_recurring == 0

    def test_they_are_found_in_an_earlier_step_of_a_frame(self):
        frame = pd.DataFrame(X, columns=list("abc"))
        fill = ColumnTransformer([("filled", KNNImputer(), ["c", "a"])])
        model = make_pipeline(fill, DecisionTreeClassifier(max_leaf_nodes=3))
        model.fit(frame[:200], Y[:200])
        with pytest.raises(ValueError, match="among those that the model"):
            certify(model, frame[50:150], Y[50:150])
        assert certify(model, frame[200:], Y[200:]).n_recurring == 0

    @pytest.mark.parametrize("passthrough", [False, True])
    def test_they_are_found_in_the_last_model_of_a_stack_of_fitted_ones(
        self, passthrough
    ):
        first = DecisionTreeClassifier(max_depth=6, random_state=0)
        model = StackingClassifier(
            [("first", first.fit(X[:100], Y[:100]))],
            BoundPrunedTreeClassifier(rule="noise"),
            cv="prefit",
            passthrough=passthrough,
        )
        model.fit(X[100:300], Y[100:300])
        if passthrough:
            with pytest.raises(ValueError, match="among those that the model"):
                certify(model, X[100:200], Y[100:200])
        assert certify(model, X[300:], Y[300:]).n_examples == 100

    def test_they_are_found_in_a_bagging_of_neighbors(self):
        model = BaggingClassifier(KNeighborsClassifier(1), random_state=0)
        model.fit(X[:300], Y[:300])
        with pytest.raises(ValueError, match="among those that the model"):
            certify(model, X[:100], Y[:100])
        assert certify(model, X[300:], Y[300:]).n_recurring == 0

    def test_rows_that_recur_by_chance_are_judged_by_a_bagging(self):
        rows = RNG.integers(0, 3, (400, 2))
        model = BaggingClassifier(KNeighborsClassifier(1), random_state=0)
        model.fit(rows[:200], Y[:200])
        assert certify(model, rows[200:], Y[200:]).n_recurring == 200

    @pytest.mark.parametrize("unit", ["s", "ms", "us"])
    def test_they_are_found_with_times_in_another_unit(self, unit):
        times = pd.to_datetime(RNG.integers(0, 10**6, 400), unit="h")
        frame = pd.DataFrame(X, columns=list("abc")).assign(time=times)
        choice = FunctionTransformer(lambda rows: rows[list("abc")])
        model = CertifiedClassifier(
            make_pipeline(choice, DecisionTreeClassifier()), random_state=0
        ).fit(frame, Y)
        others = frame.assign(time=times.astype(f"datetime64[{unit}]"))
        with pytest.raises(ValueError, match="among those that the model"):
            certify(model, others[:200], Y[:200])

    def test_they_are_found_with_columns_in_another_order(self):
        model, frame = with_a_column_not_used()
        others = frame[["spare", "c", "a", "b"]]
        with pytest.raises(ValueError, match="among those that the model"):
            certify(model, others[:200], Y[:200])
        with pytest.raises(ValueError, match="among those that the model"):
            certify(model.estimator_, others[:200], Y[:200])
        with pytest.raises(ValueError, match="among those that the model"):
            certify(model, others.assign(more=0.0)[:200], Y[:200])

    def test_a_class_of_the_caller_may_choose_columns(self):
        model = OfTwoColumns().fit(X[:200], Y[:200])
        assert certify(model, X[200:], Y[200:]).n_examples == 200

    @pytest.mark.parametrize("labels", [Y, np.array(["no", "yes"])[Y]])
    def test_they_are_found_in_the_middle_of_a_vote(self, labels):
        models = [DummyClassifier(), DecisionTreeClassifier(), DummyClassifier()]
        named = [(str(place), model) for place, model in enumerate(models)]
        model = VotingClassifier(named).fit(X[:200], labels[:200])
        with pytest.raises(ValueError, match="grown on these"):
            certify(model, X[:200], labels[:200])
        assert certify(model, X[200:], labels[200:]).n_examples == 200

    def test_they_are_found_in_a_stack_of_fitted_models(self):
        labels = np.array(["no", "yes"])[Y]
        tree = DecisionTreeClassifier().fit(X[:200], labels[:200])
        models = [DummyClassifier().fit(X, labels), tree, DummyClassifier()]
        models[-1].fit(X, labels)
        named = [(str(place), model) for place, model in enumerate(models)]
        model = StackingClassifier(named, cv="prefit").fit(X[200:300], labels[200:300])
        with pytest.raises(ValueError, match="grown on these"):
            certify(model, X[:200], labels[:200])
        assert certify(model, X[300:], labels[300:]).n_examples == 100

    def test_a_frame_without_a_column_that_is_not_used_is_refused(self):
        model, frame = with_a_column_not_used()
        message = "X must have the 4 columns of the rows that the model was fitted to"
        with pytest.raises(ValueError, match=message):
            certify(model, frame[list("abc")][:200], Y[:200])
        with pytest.raises(ValueError, match=message):
            certify(model.estimator_, frame[list("abc")][:200], Y[:200])
        others = frame.copy()
        others[list("abc")] += 10.0
        assert certify(model, others[:200], Y[:200]).n_recurring == 0

    @pytest.mark.parametrize("missing", [False, True])
    @pytest.mark.parametrize("kept", ["words", "times", "dates"])
    @pytest.mark.parametrize("judged", ["words", "times", "dates"])
    def test_they_are_found_with_days_written_as_words(self, kept, judged, missing):
        times = pd.Series(pd.to_datetime(RNG.integers(0, 10**4, 400), unit="D"))
        if missing:
            times[::7] = pd.NaT
        columns = {
            "words": times.dt.strftime("%Y-%m-%d"),
            "times": times,
            "dates": times.dt.date,
        }
        frame = pd.DataFrame(X, columns=list("abc"))
        choice = FunctionTransformer(lambda rows: rows[list("abc")])
        model = CertifiedClassifier(
            make_pipeline(choice, DecisionTreeClassifier()),
            n_halvings=1,
            random_state=0,
        ).fit(frame.assign(day=columns[kept]), Y)
        with pytest.raises(ValueError, match="among those that the model"):
            certify(model, frame.assign(day=columns[judged])[:200], Y[:200])

    def test_columns_may_hold_lists(self):
        lists = [[int(entry)] * int(entry) for entry in abs(X[:, 0])]
        frame = pd.DataFrame({"words": lists, "age": X[:, 1]})
        choice = FunctionTransformer(lambda rows: rows[["age"]])
        model = CertifiedClassifier(make_pipeline(choice, DecisionTreeClassifier()))
        assert model.fit(frame, Y).certificate_.n_examples == 200
        with pytest.raises(ValueError, match="look like copies"):
            model.fit(pd.concat([frame, frame]), np.append(Y, Y))


def continued(model, n):
    """The model, fitted to the first rows and continued on the others."""
    model = clone(model).fit(X[:200], Y[:200])
    n_rounds = "max_iter" if hasattr(model, "max_iter") else "n_estimators"
    return model.set_params(**{n_rounds: n}).fit(X[200:], Y[200:])


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(2, warm_start=True, random_state=0),
        ExtraTreesClassifier(2, warm_start=True, random_state=0),
        GradientBoostingClassifier(n_estimators=2, warm_start=True),
        HistGradientBoostingClassifier(max_iter=2, warm_start=True),
        BaggingClassifier(DecisionTreeClassifier(), 2, warm_start=True, random_state=0),
        BaggingClassifier(
            BoundPrunedTreeClassifier(), 2, warm_start=True, random_state=0
        ),
    ],
)
def test_rows_that_continued_a_model_are_recognized(model):
    model = continued(model, 4)
    with pytest.raises(ValueError, match=r"among those that the model|grown on these"):
        certify(model, X[200:], Y[200:])
    rng = np.random.default_rng(1)
    others = rng.normal(loc=3, size=(200, 3)), rng.integers(0, 2, 200)
    certificate = certify(model, *others)
    assert certificate > 0.4
    assert "if these examples had no part in making it" in certificate.sentence


def small_sample(rng, n):
    X = rng.normal(size=(n, 4))
    return X, (X[:, 0] > 0) ^ (rng.random(n) < 0.2)


def is_recognized(model, X, y):
    try:
        certify(model, X, y)
    except ValueError as error:
        return "grown on these examples" in str(error)
    return False


def test_few_other_rows_are_seldom_taken_for_those_of_a_forest():
    """Half of twelve rows often agree with the other half at the leaves of one tree.
    Other rows are to be taken in one of twenty samples at most.
    """
    n_draws = 400
    n_alarms = 0
    for seed in range(n_draws):
        X, y = small_sample(np.random.default_rng(seed), 12)
        forest = RandomForestClassifier(2, random_state=0).fit(X[:6], y[:6])
        n_alarms += is_recognized(forest, X[6:], y[6:])
    assert binom.sf(n_alarms - 1, n_draws, 0.05) > 0.001


@pytest.mark.parametrize("n", [10, 200])
@pytest.mark.parametrize("depth", [1, None])
def test_rows_of_a_forest_are_recognized_though_its_leaves_are_few(n, depth):
    for seed in range(5):
        X, y = small_sample(np.random.default_rng(seed), n)
        forest = RandomForestClassifier(3, max_depth=depth, random_state=0).fit(X, y)
        with pytest.raises(ValueError, match="grown on these examples"):
            certify(forest, X, y)


def test_rows_that_continued_a_booster_are_recognized():
    lightgbm = pytest.importorskip("lightgbm")
    first = lightgbm.LGBMClassifier(n_estimators=2, verbose=-1).fit(X[:200], Y[:200])
    model = clone(first).fit(X[200:], Y[200:], init_model=first)
    for rows in (slice(200), slice(200, 400)):
        with pytest.raises(ValueError, match="grown on these"):
            certify(model, X[rows], Y[rows])


def batches_after(action):
    """Batches, with something that happens before the first one."""
    action()
    for start in range(0, 400, 100):
        yield X[start : start + 100], Y[start : start + 100]


@pytest.mark.parametrize("model", [KNeighborsClassifier(1), DecisionTreeClassifier()])
def test_a_model_that_is_fitted_to_its_batches_is_refused(model):
    model = clone(model).fit(X[:5], Y[:5])
    with pytest.raises(ValueError, match="fitted between the batches"):
        certify(model, batches_after(lambda: model.fit(X, Y)))
    with pytest.raises(ValueError, match=r"among those that the model|grown on these"):
        certify(model, batches_after(lambda: None))


class Sampling(Pipeline):
    """A pipeline with a step that draws rows for a fit, and none else, as those of
    imbalanced-learn are.
    """

    def fit(self, X, y):
        rows = self[0].fit_resample(X, y)
        self[-1].fit(*rows)
        return self

    def predict(self, X):
        return self[-1].predict(X)


class Twice(BaseEstimator):
    def fit_resample(self, X, y):
        return np.repeat(X, 2, axis=0), np.repeat(y, 2)


def test_a_pipeline_may_draw_rows():
    model = Sampling([("twice", Twice()), ("tree", DecisionTreeClassifier())])
    certificate = CertifiedClassifier(clone(model)).fit(X, Y).certificate_
    assert certificate.n_examples == 200
    table = certify(model.fit(X[:200], Y[:200]), X[200:], Y[200:], by="leaf")
    assert table.n_examples == 200


def test_the_tree_of_a_pipeline_that_draws_rows_is_pruned():
    model = Sampling([("twice", Twice()), ("tree", DecisionTreeClassifier())])
    model.fit(X[:200], Y[:200])
    pruned = prune(model, X[:200], Y[:200])
    alone = prune(model[-1], X[:200], Y[:200])
    assert pruned[-1].get_n_leaves() == alone.get_n_leaves()
    assert alone.get_n_leaves() < model[-1].get_n_leaves()


@pytest.mark.parametrize("steps", [[], [StandardScaler()]])
def test_a_gaussian_process_is_a_learner(steps):
    learner = make_pipeline(*steps, GaussianProcessRegressor(alpha=1.0))
    model = CertifiedRegressor(learner, coverage=0.7, random_state=0)
    assert model.fit(X[:100], Y[:100]).certificate_.n_examples == 50


@pytest.mark.parametrize("name", ["cost", "by"])
def test_copies_of_one_case_have_one_cost_and_one_group(name):
    tree = DecisionTreeClassifier(max_depth=2).fit(X[:200], Y[:200])
    rows, labels = np.tile(X[200:], (2, 1)), np.tile(Y[200:], 2)
    same, other = np.tile(np.arange(200) % 2 + 1, 2), np.repeat([1, 2], 200)
    how = {"duplicates": "together"}
    assert certify(tree, rows, labels, **{name: same}, **how).n_examples == 200
    with pytest.raises(ValueError, match=f"{name} must be the same for equal"):
        certify(tree, rows, labels, **{name: other}, **how)


class Remembers(ClassifierMixin, BaseEstimator):
    """A classifier that keeps all rows that it was ever fitted to."""

    known = []  # noqa: RUF012

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.known.append((X, y))
        rows, labels = zip(*self.known, strict=True)
        self.tree_of_all_ = DecisionTreeClassifier(random_state=0)
        self.tree_of_all_.fit(np.concatenate(rows), np.concatenate(labels))
        return self

    def predict(self, X):
        return self.tree_of_all_.predict(X)


class TestCodeOfTheCaller:
    def test_the_sentence_says_what_it_must_not_use(self):
        Remembers.known.clear()
        certificate = CertifiedClassifier(Remembers()).fit(X, Y).certificate_
        # The true risk is 1/2.
        assert certificate < 0.1
        assert "and if Remembers used nothing but the rows given to it." in str(
            certificate
        )
        assert any("Remembers" in text for text in certificate.assumptions)

    def test_a_function_is_named_too(self):
        def half(rows):
            return rows / 2

        model = make_pipeline(FunctionTransformer(half), DecisionTreeClassifier())
        certificate = CertifiedClassifier(model).fit(X, Y).certificate_
        assert "if half used nothing but the rows given to it" in str(certificate)

    def test_that_of_libraries_is_not(self):
        model = make_pipeline(FunctionTransformer(np.exp), DecisionTreeClassifier())
        certificate = CertifiedClassifier(model).fit(X, Y).certificate_
        assert "given to it" not in str(certificate)


@pytest.mark.parametrize("name", ["y", "sample_weight"])
def test_rows_of_a_plain_tree_are_paired_in_one_order(name):
    frame = pd.DataFrame(X)
    tree = DecisionTreeClassifier(max_depth=2).fit(frame, Y)
    columns = {"y": pd.Series(Y), "sample_weight": pd.Series(np.ones(400))}
    assert from_sklearn(tree, frame, **columns).n_leaves == 4
    columns[name] = columns[name][::-1]
    with pytest.raises(ValueError, match=f"{name} has the row labels of X in another"):
        from_sklearn(tree, frame, **columns)


def test_groups_are_words_or_numbers():
    groups = np.array([1, "1"], dtype=object)[Y]
    with pytest.raises(ValueError, match="groups must hold names that can be sorted"):
        CertifiedClassifier(DecisionTreeClassifier()).fit(X, Y, groups=groups)
