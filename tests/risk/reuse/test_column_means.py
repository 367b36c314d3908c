"""Rows that a scaler, an imputer or a linear model was fitted to do not judge it."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LassoCV, LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.multiclass import OneVsOneClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import PolynomialFeatures, StandardScaler, scale
from sklearn.svm import LinearSVR

from treebounds import certify
from treebounds.risk.reuse.column_means import chance_of_a_sum

SAME_MEANS = "was fitted to these examples, by the means"
REGRESSION = LogisticRegression(max_iter=1000)
SCALED = make_pipeline(StandardScaler(), REGRESSION)


@pytest.fixture(scope="module")
def tumors():
    """Columns of numbers without missing values, in a frame, and two classes."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X.set_axis([f"x{i}" for i in range(30)], axis=1), y.to_numpy()


def with_gaps(X):
    """A table in which a tenth of the values are missing."""
    return X.mask(np.random.default_rng(0).random(X.shape) < 0.1)


CLASSIFIERS = {
    "scaler": SCALED,
    "network": make_pipeline(StandardScaler(), MLPClassifier((5,), max_iter=5)),
    "components": make_pipeline(PCA(3), REGRESSION),
    "some columns": make_pipeline(
        make_column_transformer((StandardScaler(), ["x3", "x5"])), REGRESSION
    ),
    "union": make_pipeline(make_union(PCA(2), StandardScaler()), REGRESSION),
    "second step": make_pipeline(PolynomialFeatures(1), StandardScaler(), REGRESSION),
    "search": GridSearchCV(SCALED, {"logisticregression__C": [0.1, 1]}, cv=2),
    "normal classes": GaussianNB(),
    "discriminant analysis": LinearDiscriminantAnalysis(),
}


class TestOwnRows:
    @pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
    @pytest.mark.parametrize("learner", CLASSIFIERS.values(), ids=list(CLASSIFIERS))
    def test_they_are_refused(self, tumors, learner):
        X, y = tumors
        model = learner.fit(X, y)

        with pytest.raises(ValueError, match=SAME_MEANS):
            certify(model, X, y)

    @pytest.mark.parametrize(
        "first",
        [SimpleImputer(), SimpleImputer(strategy="median"), StandardScaler()],
        ids=["means", "medians", "scaler"],
    )
    def test_of_an_imputer_are_refused(self, tumors, first):
        X, y = tumors
        steps = [first, SimpleImputer(), StandardScaler()]
        model = make_pipeline(*steps, REGRESSION).fit(with_gaps(X), y)

        with pytest.raises(ValueError, match=SAME_MEANS):
            certify(model, with_gaps(X), y)

    def test_of_an_imputer_from_a_pickle_are_refused(self, tumors):
        """Its NaN is another object than np.nan."""
        X, y = tumors
        X = with_gaps(X) / X.std()
        model = make_pipeline(SimpleImputer(), REGRESSION).fit(X, y)

        with pytest.raises(ValueError, match=SAME_MEANS):
            certify(pickle.loads(pickle.dumps(model)), X, y)

    def test_in_another_order_are_refused(self, tumors):
        X, y = tumors
        order = np.random.default_rng(0).permutation(len(y))

        with pytest.raises(ValueError, match=SAME_MEANS):
            certify(SCALED.fit(X, y), X.iloc[order], y[order])

    def test_in_batches_are_refused(self, tumors):
        X, y = tumors
        batches = [(X[:200], y[:200]), (X[200:], y[200:])]

        with pytest.raises(ValueError, match=SAME_MEANS):
            certify(SCALED.fit(X, y), iter(batches))

    @pytest.mark.parametrize("name", ["scaler", "components", "normal classes"])
    @pytest.mark.parametrize("duplicates", ["together", "ignore"])
    def test_given_twice_are_refused(self, tumors, name, duplicates):
        """Also if they were fitted to twice: then no row is different from all others,
        and the means alone say little.
        """
        X, y = tumors
        twice = np.tile(np.arange(len(y)), 2)
        repeated = X.iloc[twice], y[twice]

        for fitted in ((X, y), repeated):
            model = CLASSIFIERS[name].fit(*fitted)
            with pytest.raises(ValueError, match=SAME_MEANS):
                certify(model, *repeated, duplicates=duplicates)

    def test_some_of_which_are_given_again_are_refused(self, tumors):
        X, y = tumors
        again = np.r_[np.arange(len(y)), np.arange(100)]
        X_again, y_again = X.iloc[again], y[again]
        batches = [(X_again[:300], y_again[:300]), (X_again[300:], y_again[300:])]
        model = SCALED.fit(X, y)

        with pytest.raises(ValueError, match=SAME_MEANS):
            certify(model, X_again, y_again, duplicates="together")
        with pytest.raises(ValueError, match=SAME_MEANS):
            certify(model, batches, duplicates="together")

    @pytest.mark.parametrize("fitted", [np.float32, np.float64])
    @pytest.mark.parametrize("name", ["scaler", "components", "normal classes"])
    def test_of_32_bits_are_refused(self, tumors, name, fitted):
        X, y = tumors
        X = X / X.std()
        model = CLASSIFIERS[name].fit(X.astype(fitted), y)

        with pytest.raises(ValueError, match=SAME_MEANS):
            certify(model, X.astype(np.float32), y)

    def test_of_32_bits_of_a_regression_are_refused(self):
        X, y = load_diabetes(return_X_y=True)
        X = X.astype(np.float32)
        model = LinearRegression().fit(X, y.astype(np.float32))

        with pytest.raises(ValueError, match="means or the intercept"):
            certify(model, X, y, tolerance=50)

    def test_in_a_sparse_table_are_refused(self, tumors):
        X, y = tumors
        sparse = csr_matrix(X.to_numpy())
        model = make_pipeline(StandardScaler(with_mean=False), REGRESSION)

        with pytest.raises(ValueError, match=SAME_MEANS):
            certify(model.fit(sparse, y), sparse, y)

    def test_of_two_of_three_classes_are_refused(self):
        X, y = load_iris(return_X_y=True)
        X = X + np.random.default_rng(0).uniform(-0.05, 0.05, size=X.shape)
        model = OneVsOneClassifier(SCALED).fit(X, y)

        with pytest.raises(ValueError, match=SAME_MEANS):
            certify(model, X, y)

    @pytest.mark.parametrize(
        "learner",
        [
            LinearRegression(),
            Ridge(),
            LassoCV(cv=2),
            make_pipeline(PolynomialFeatures(2), LinearRegression()),
            TransformedTargetRegressor(Ridge(), func=np.log, inverse_func=np.exp),
        ],
        ids=["linear", "ridge", "lasso", "polynomial", "logarithm"],
    )
    def test_of_a_regression_with_an_intercept_are_refused(self, learner):
        X, y = load_diabetes(return_X_y=True)
        model = learner.fit(X + 0.3721, y)

        with pytest.raises(ValueError, match="means or the intercept"):
            certify(model, X + 0.3721, y, tolerance=50)

    @pytest.mark.parametrize(
        "learner",
        [
            GradientBoostingRegressor(subsample=0.5, n_estimators=2),
            HistGradientBoostingRegressor(max_iter=1, max_leaf_nodes=2),
            TransformedTargetRegressor(
                GradientBoostingRegressor(subsample=0.5, n_estimators=2),
                func=np.log,
                inverse_func=np.exp,
            ),
        ],
        ids=["draws rows", "two leaves", "logarithm"],
    )
    def test_of_boosting_that_starts_from_a_mean_are_refused(self, learner):
        X, y = load_diabetes(return_X_y=True)

        with pytest.raises(ValueError, match=f"{SAME_MEANS}|grown on these"):
            certify(learner.fit(X, y), X, y, tolerance=50)

    def test_of_xgboost_that_draws_rows_are_refused(self):
        xgboost = pytest.importorskip("xgboost")
        X, y = load_diabetes(return_X_y=True)
        model = xgboost.XGBRegressor(subsample=0.5, n_estimators=2).fit(X, y)

        with pytest.raises(ValueError, match=SAME_MEANS):
            certify(model, X, y, tolerance=50)


class TestOtherRows:
    @pytest.mark.parametrize("name", ["scaler", "components", "normal classes"])
    def test_of_32_bits_judge(self, tumors, name):
        X, y = tumors
        X = X.astype(np.float32)
        model = CLASSIFIERS[name].fit(X[::2], y[::2])

        is_wrong = model.predict(X[1::2]) != y[1::2]
        assert certify(model, X[1::2], y[1::2]).n_errors == np.count_nonzero(is_wrong)

    @pytest.mark.parametrize(
        "learner",
        [
            LinearRegression(),
            make_pipeline(SimpleImputer(), Ridge()),
            GradientBoostingRegressor(n_estimators=2),
        ],
        ids=["linear", "imputer", "boosting"],
    )
    def test_judge_a_bagging_of_regressors(self, learner):
        """Its estimator_, from which the members were cloned, is not fitted."""
        X, y = load_diabetes(return_X_y=True)
        model = BaggingRegressor(learner, 2, random_state=0).fit(X[:200], y[:200])

        is_off = np.abs(model.predict(X[200:]) - y[200:]) > 50
        certificate = certify(model, X[200:], y[200:], tolerance=50)
        assert certificate.n_errors == np.count_nonzero(is_off)

    @pytest.mark.parametrize(
        "learner",
        [GaussianNB(), LinearDiscriminantAnalysis(), OneVsOneClassifier(REGRESSION)],
        ids=["normal classes", "discriminant analysis", "pairs of classes"],
    )
    def test_judge_a_bagging_of_classifiers(self, learner):
        X, y = load_iris(return_X_y=True)
        X = X + np.random.default_rng(0).uniform(-0.05, 0.05, size=X.shape)
        model = BaggingClassifier(learner, 2, random_state=0).fit(X[::2], y[::2])

        is_wrong = model.predict(X[1::2]) != y[1::2]
        certificate = certify(model, X[1::2], y[1::2])
        assert certificate.n_errors == np.count_nonzero(is_wrong)

    def test_judge_a_linear_support_vector_regression(self):
        """Its intercept is an array of one number."""
        X, y = load_diabetes(return_X_y=True)
        model = LinearSVR(C=100, random_state=0).fit(X[:200], y[:200])

        is_off = np.abs(model.predict(X[200:]) - y[200:]) > 50
        certificate = certify(model, X[200:], y[200:], tolerance=50)
        assert certificate.n_errors == np.count_nonzero(is_off)

    def test_of_a_split_by_the_values_of_y_are_certified(self):
        # Both halves have the same mean of y, because each value was divided evenly.
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(6000, 3)), np.repeat(rng.integers(1, 90, 600), 10)
        X, X_test, y, y_test = train_test_split(
            X, y, test_size=0.5, random_state=0, stratify=y
        )
        assert y.mean() == y_test.mean()

        model = GradientBoostingRegressor(subsample=0.5, n_estimators=2).fit(X, y)
        assert certify(model, X_test, y_test, tolerance=50).n_examples == 3000

    @pytest.mark.parametrize("seed", range(5))
    def test_as_many_are_certified(self, tumors, seed):
        X, y = tumors
        X, X_test, y, y_test = train_test_split(
            X[:568], y[:568], test_size=0.5, random_state=seed, stratify=y[:568]
        )

        for learner in (SCALED, GaussianNB(), make_pipeline(PCA(3), REGRESSION)):
            assert certify(learner.fit(X, y), X_test, y_test).n_examples == 284

    @pytest.mark.parametrize(
        "prepared",
        [
            scale,
            lambda part: 50 + 10 * scale(part),
            lambda part: np.argsort(np.argsort(part, axis=0), axis=0) + 1.0,
        ],
        ids=["scaled", "scores", "ranks"],
    )
    def test_prepared_alike_are_certified(self, prepared):
        # Both halves have the same means, because each was prepared by itself.
        rng = np.random.default_rng(0)
        X, X_test = (prepared(rng.normal(size=(200, 4))) for _ in "ab")
        y, y_test = (rng.integers(0, 2, 200) for _ in "ab")
        assert np.allclose(X.mean(axis=0), X_test.mean(axis=0), rtol=1e-12)

        assert certify(SCALED.fit(X, y), X_test, y_test).n_examples == 200

    def test_some_of_which_are_given_again_are_certified(self, tumors):
        X, y = tumors
        again = np.r_[np.arange(300, len(y)), np.arange(300, 400)]
        model = SCALED.fit(X[:300], y[:300])

        certificate = certify(model, X.iloc[again], y[again], duplicates="together")
        assert certificate.n_examples == len(y) - 300

    def test_of_a_design_that_was_run_again_are_certified(self):
        # Without repetitions both samples are all settings, with the same means.
        levels = [1.13, 1.29, 2.07, 3.41, 5.83, 9.77, 17.29]
        settings = np.array([[first, second] for first in levels for second in levels])
        model = SCALED.fit(settings, np.arange(49) % 2)
        X, y = np.tile(settings, (3, 1))[:130], np.zeros(130)

        assert certify(model, X, y, duplicates="ignore").n_examples == 130

    def test_of_few_values_are_certified(self):
        # Half of the answers of one binary question are often 1 in both halves.
        rng = np.random.default_rng(0)
        for _ in range(50):
            X, X_test = rng.integers(0, 2, size=(2, 40, 1)).astype(float)
            y, y_test = rng.integers(0, 2, size=(2, 40))
            certify(SCALED.fit(X, y), X_test, y_test, duplicates="ignore")

    def test_with_a_column_without_values_are_certified(self, tumors):
        X, y = tumors
        X = X.assign(x0=np.nan)
        model = make_pipeline(SimpleImputer(), REGRESSION).fit(X[:300], y[:300])

        with pytest.warns(UserWarning, match="Skipping features"):
            assert certify(model, X[300:], y[300:]).n_examples == 269


class TestChanceOfASum:
    @pytest.mark.parametrize(("m", "k"), [(20, 2), (20, 7), (100, 3)])
    def test_is_the_largest_probability_of_a_sum_of_uniform_numbers(self, m, k):
        law = np.ones(1)
        for _ in range(m):
            law = np.convolve(law, np.full(k, 1 / k))

        assert chance_of_a_sum(m, k) == pytest.approx(law.max(), rel=0.03)

    def test_exceeds_that_of_other_laws(self):
        # Each value of these numbers has a probability of at most 1/4.
        values = [0, 1, 2, 5, 9, 30]
        law = np.ones(1)
        for _ in range(50):
            one = np.zeros(31)
            one[values] = [0.25, 0.25, 0.2, 0.15, 0.1, 0.05]
            law = np.convolve(law, one)

        assert law.max() < chance_of_a_sum(50, 4)
