"""CertifiedTreeRegressor, CertifiedRegressor, and tables of certified trees."""

import math
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, norm
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from treebounds import (
    CertifiedClassifier,
    CertifiedRegressor,
    CertifiedTreeClassifier,
    CertifiedTreeRegressor,
    PrunedTreeRegressor,
    certify,
    prune,
)
from treebounds.estimators._learners import PrunedRegressionLearner
from treebounds.formats import from_sklearn, to_text
from treebounds.risk.coverage import cases_needed, covering_tolerance
from treebounds.risk.tail_inversion import binomial_tail_inversion


def draw(n_rows, seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n_rows, 2))
    return X, 10 * (X[:, 0] > 0.5) + rng.normal(size=n_rows)


@pytest.fixture(scope="module")
def sample():
    return draw(600, 0)


@pytest.fixture(scope="module", params=["tree", "any"])
def kind(request):
    if request.param == "tree":
        return CertifiedTreeRegressor
    tree = DecisionTreeRegressor(max_leaf_nodes=4)
    return lambda **options: CertifiedRegressor(tree, **options)


def test_the_share_is_that_of_the_judging_half(kind, sample):
    X, y = sample
    certificate = kind(tolerance=2, random_state=0).fit(X, y).certificate_
    assert certificate.n_examples == 300
    log_gamma = math.log(0.05 / 8)
    expected = binomial_tail_inversion(certificate.n_errors, 300, log_gamma)
    assert certificate.value == pytest.approx(expected)
    assert certificate.tolerance == 2
    assert "the best of 8 candidates" in certificate.sentence


def test_the_table_bounds_the_shares_beyond_a_given_tolerance(kind, sample):
    """Each of the eight candidates has an eighth of delta."""
    candidates = kind(tolerance=2, random_state=0).fit(*sample).candidates_
    log_gamma = math.log(0.05 / 8)
    expected = [
        binomial_tail_inversion(k, 300, log_gamma) for k in candidates.n_errors.tolist()
    ]
    assert candidates.bound.tolist() == pytest.approx(expected)


def test_the_tolerance_is_the_smallest_of_the_candidates(kind, sample):
    X, y = sample
    model = kind(coverage=0.8, random_state=0).fit(X, y)
    assert model.certificate_.tolerance == model.candidates_.bound.min()
    assert model.certificate_.value == 0.2
    assert 1.2 < model.certificate_.tolerance < 2


def test_a_tolerance_makes_the_coverage_meaningless(kind, sample):
    X, y = sample
    first = kind(tolerance=2, random_state=0).fit(X, y)
    second = kind(tolerance=2, coverage="?", random_state=0).fit(X, y)
    assert first.certificate_ == second.certificate_


def test_a_half_of_two_examples_is_pruned():
    """Two numbers do not show that a cut predicts better than their mean."""
    X = [[0.0], [1.0]]
    assert PrunedRegressionLearner().fit(X, [0.0, 1.0]).get_n_leaves() == 1
    assert PrunedTreeRegressor().fit(X, [0.0, 1.0]).get_n_leaves() == 1


def test_the_tree_that_predicts_is_the_certified_one(sample):
    X, y = sample
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = CertifiedTreeRegressor(random_state=0).fit(frame, y)
    certified = model.certificate_.estimator
    assert (model.predict(frame) == certified.predict(frame)).all()
    assert type(certified) is DecisionTreeRegressor
    assert list(model.feature_names_in_) == ["a", "b"]


def test_the_table_by_leaf_has_the_names_of_the_columns(sample):
    X, y = sample
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = CertifiedTreeRegressor(coverage=0.8, random_state=0).fit(frame, y)
    table = model.certificates_by_leaf_
    assert table.whole.tolerance >= model.certificate_.tolerance
    assert any("a > 0." in part.rule for part in table.parts)
    assert table.delta == 0.05
    assert table.whole.estimator is not None


def test_too_few_rows_promise_nothing_and_say_how_many_it_takes(kind):
    X, y = draw(40, 1)
    certificate = kind(coverage=0.99, random_state=0).fit(X, y).certificate_
    needed = cases_needed(0.99, 0.05 / 8)
    assert certificate.tolerance == math.inf
    assert "promises nothing" in certificate.sentence
    assert f"at least {needed} examples" in certificate.sentence


@pytest.mark.no_cover
def test_the_certificates_hold_in_simulation():
    """Least squares through two clouds, whose errors are normal around the truth."""
    n_draws = 150
    delta = 0.2
    n_wrong = 0
    for seed in range(n_draws):
        rng = np.random.default_rng(seed)
        y = rng.normal(size=60)
        model = CertifiedTreeRegressor(
            learners=[DecisionTreeRegressor(max_leaf_nodes=2)],
            tolerance=1,
            delta=delta,
            random_state=seed,
        ).fit(rng.uniform(size=(60, 1)), y)
        centers = model.tree_.value[model.tree_.children_left < 0, 0, 0]
        # The share that is off, given the leaf; the best leaf bounds it from below.
        off = norm.sf(1 - centers) + norm.cdf(-1 - centers)
        n_wrong += model.certificate_.value < off.min()
    assert binomtest(n_wrong, n_draws, delta, alternative="greater").pvalue > 1e-3


@pytest.mark.no_cover
def test_the_tables_of_trees_chosen_by_halving_hold_in_simulation():
    """Pure chance: each of four cells errs with probability 1/2, whatever is predicted.

    If a table paid for its parts alone, and not for the choice among 20 trees, some 42
    of 60 would fail.
    """
    n_draws = 60
    delta = 0.4
    cells = np.arange(4.0)[:, np.newaxis]
    n_wrong = 0
    for seed in range(n_draws):
        rng = np.random.default_rng(seed)
        model = CertifiedTreeClassifier(
            learners=[DecisionTreeClassifier(max_depth=2)],
            n_halvings=10,
            delta=delta,
            random_state=seed,
        ).fit(cells[rng.integers(4, size=240)], rng.integers(2, size=240))
        parts = model.certificates_by_leaf_.parts
        limits = [part.certificate.value for part in parts if part.certificate]
        n_wrong += min(limits, default=1) < 0.5
    assert binomtest(n_wrong, n_draws, delta, alternative="greater").pvalue > 1e-3


@pytest.mark.parametrize("cost", [None, [3, 3]])
def test_each_candidate_pays_for_its_table(cost):
    """Costs of one size are so many times the share of errors."""
    X, y = draw(400, 2)
    model = CertifiedTreeClassifier(cost=cost, random_state=0).fit(X, y > 5)
    table = model.certificates_by_leaf_
    n_statements = len(table) + 1
    level = 1 - (1 - 0.05 / 8) ** (1 / n_statements)
    if cost:
        level = 0.05 / 8 / n_statements
    for part in table.parts:
        share = binomial_tail_inversion(part.n_errors, part.n_examples, math.log(level))
        assert part.certificate.value == pytest.approx(3 * share if cost else share)


def test_dependent_cases_have_no_table(sample):
    X, y = sample
    model = CertifiedTreeRegressor(tolerance=2, random_state=0)
    model.fit(X, y, groups=np.arange(600) // 6)
    assert model.certificate_.n_groups == 50
    assert not hasattr(model, "certificates_by_leaf_")


@pytest.mark.parametrize(
    ("n_rows", "is_grouped", "reason"),
    [(0, False, "not fitted"), (40, True, "with groups"), (40, False, "too small")],
)
def test_the_error_of_an_absent_table_has_the_reason(
    sample, n_rows, is_grouped, reason
):
    X, y = sample
    model = CertifiedTreeRegressor(random_state=0)
    if n_rows:
        groups = np.arange(n_rows) // 2 if is_grouped else None
        model.fit(X[:n_rows], y[:n_rows], groups=groups)
    with pytest.raises(AttributeError, match=f"no certificates_by_leaf_: .*{reason}"):
        _ = model.certificates_by_leaf_


def test_the_error_of_a_classifier_without_a_table_has_the_reason(sample):
    X, y = sample
    model = CertifiedTreeClassifier(method="occam", random_state=0).fit(X, y > 5)
    with pytest.raises(AttributeError, match="only method='halves'"):
        _ = model.certificates_by_leaf_


def test_a_second_fit_has_no_table_of_the_first(sample):
    X, y = sample
    model = CertifiedTreeRegressor(random_state=0).fit(X, y)
    assert model.certificates_by_leaf_.whole.n_examples == 300
    assert not hasattr(model.fit(X[:40], y[:40]), "certificates_by_leaf_")


def test_the_error_of_an_unknown_learner_has_an_example(sample):
    for learners in ("cost-complexity", ["cost-complexity"]):
        with pytest.raises(ValueError, match=r"CostComplexityPrunedTreeRegressor\(\)"):
            CertifiedTreeRegressor(learners=learners).fit(*sample)


def test_a_pipeline_is_fitted_to_one_half(sample):
    X, y = sample
    pipeline = make_pipeline(StandardScaler(), LinearRegression())
    model = CertifiedRegressor(pipeline, coverage=0.8, random_state=0).fit(X, y)
    assert model.estimator_[0].n_samples_seen_ == 300
    assert model.predict(X).shape == (600,)


def test_regressors_of_xgboost_are_fitted_to_the_numbers_themselves(sample):
    xgboost = pytest.importorskip("xgboost")
    X, y = sample
    learner = xgboost.XGBRegressor(n_estimators=20, max_depth=2, n_jobs=1)

    for regressor in (learner, make_pipeline(StandardScaler(), learner)):
        model = CertifiedRegressor(regressor, coverage=0.8, random_state=0)
        model.fit(X, np.exp(y))
        assert type(model.estimator_) is type(regressor)
        # The ranks of the numbers have other predictions: numbers of the sample.
        assert not np.isin(model.predict(X), np.exp(y)).any()


def test_the_better_of_two_regressors_is_kept(sample):
    X, y = sample
    models = [
        ("line", LinearRegression()),
        ("tree", DecisionTreeRegressor(max_depth=1)),
    ]
    model = CertifiedRegressor(models, coverage=0.8, random_state=0).fit(X, y)
    assert model.certificate_.learner == "tree"
    renamed = model.set_params(tree__max_depth=2)
    assert dict(renamed.estimators)["tree"].max_depth == 2


def test_certify_recognizes_the_rows(kind, sample):
    X, y = sample
    model = kind(tolerance=2, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="certificate needs others"):
        certify(model, X, y, tolerance=2)
    X_new, y_new = draw(300, 9)
    share = certify(model, X_new, y_new, tolerance=2)
    by_hand = np.abs(y_new - model.predict(X_new))
    assert share.n_errors == (by_hand > 2).sum()
    covering = certify(model, X_new, y_new, coverage=0.9)
    assert covering.tolerance == covering_tolerance(by_hand, coverage=0.9)


def test_a_fitted_regressor_pickles(kind, sample):
    model = kind(tolerance=2, random_state=0).fit(*sample)
    copy = pickle.loads(pickle.dumps(model))
    assert copy.certificate_.sentence == model.certificate_.sentence


@pytest.mark.parametrize("criterion", ["absolute_error", "poisson"])
def test_medians_are_not_taken_for_means(sample, criterion):
    X, y = sample
    learner = DecisionTreeRegressor(criterion=criterion, max_depth=2)
    model = CertifiedTreeRegressor(learners=[learner], random_state=0)
    model.fit(X, np.exp(y / 5))
    for convert in (from_sklearn, to_text, prune):
        with pytest.raises(ValueError, match=f"criterion='{criterion}'"):
            convert(model)


class TestBadInput:
    @pytest.mark.parametrize("options", [{"tolerance": -1}, {"coverage": 1.0}])
    def test_a_bad_parameter_is_named(self, kind, sample, options):
        with pytest.raises(ValueError, match=next(iter(options))):
            kind(**options).fit(*sample)

    @pytest.mark.parametrize("bad", [math.nan, math.inf])
    def test_y_must_be_finite(self, kind, bad):
        with pytest.raises(ValueError, match=r"\by\b"):
            kind().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, bad])

    def test_one_row_cannot_be_halved(self, kind):
        with pytest.raises(ValueError, match="to be halved"):
            kind().fit([[0.0]], [1.0])

    def test_a_constant_y_is_learned(self, kind):
        model = kind(tolerance=0, random_state=0).fit(np.eye(40), np.ones(40))
        assert model.certificate_.n_errors == 0
        assert "It predicts 1 for each" in model.certificate_.sentence

    def test_classifiers_have_another_class(self, sample):
        tree = DecisionTreeClassifier()
        with pytest.raises(ValueError, match="use CertifiedTreeClassifier or"):
            CertifiedRegressor(tree).fit(*sample)
        with pytest.raises(ValueError, match="use CertifiedTreeClassifier or"):
            CertifiedTreeRegressor(learners=[tree]).fit(*sample)

    def test_regressors_have_another_class(self):
        X = [[0], [1]] * 10
        y = [0, 1] * 10
        with pytest.raises(ValueError, match="use CertifiedTreeRegressor or"):
            CertifiedClassifier(LinearRegression()).fit(X, y)

    def test_other_regressors_go_into_the_other_class(self, sample):
        with pytest.raises(ValueError, match="use CertifiedRegressor"):
            CertifiedTreeRegressor(learners=[LinearRegression()]).fit(*sample)
