"""How often rows occur: what independent draws cannot show, and that they do not."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import poisson
from sklearn.model_selection import GroupShuffleSplit, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from oracles.copies import divided_p_value as obvious_divided_p_value
from oracles.copies import factors_of_occurrences
from oracles.copies import occurrences_p_value as obvious_p_value
from treebounds import (
    BoundPrunedTreeClassifier,
    CertifiedClassifier,
    CertifiedRegressor,
    CertifiedTreeClassifier,
    CertifiedTreeRegressor,
    certify,
)
from treebounds.risk import certify_by_growth, certify_by_message, certify_prunings
from treebounds.risk.rows.duplicates import find_duplicates
from treebounds.risk.rows.occurrences import (
    divided_p_value,
    occurrences_p_value,
    places_p_value,
)

COPIES = "look like copies"
SEVERAL_TIMES = "measured or labelled several times"


def people(n=1000, seed=0):
    """A table of few values, in which different people are equal, and labels that do
    not depend on it.
    """
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 91, size=n),
            "sex": rng.integers(2, size=n),
            "region": rng.integers(10, size=n),
            "education": rng.integers(5, size=n),
        }
    )
    return frame, rng.integers(2, size=n)


def written(frame, y, times):
    """Each row as often as ``times`` says, in an order drawn at random."""
    rows = np.repeat(np.arange(len(y)), times)
    rows = np.random.default_rng(1).permutation(rows)
    return frame.iloc[rows], y[rows]


def measured_three_times(n=300, seed=0):
    """Cases of which each has three rows, and numbers that differ between them."""
    rng = np.random.default_rng(seed)
    X = np.repeat(rng.normal(size=(n, 4)), 3, axis=0)
    return X, np.repeat(rng.normal(size=n), 3) + 0.3 * rng.normal(size=3 * n)


@pytest.mark.parametrize("j", [1, 2, 3, 7, 40])
def test_no_law_makes_the_mean_of_a_factor_larger_than_one(j):
    means = np.logspace(-3, 3, 200)
    near = poisson.pmf([[j - 1], [j], [j + 1]], means)
    for factors in factors_of_occurrences(j):
        excess = (np.array(factors) - 1) @ near
        assert min(factors) >= 0
        assert excess.max() <= 1e-12


@pytest.mark.parametrize("seed", range(20))
def test_the_fast_value_is_the_obvious_one(seed):
    rng = np.random.default_rng(seed)
    counts = rng.choice([1, 2, 3, 5, 6], size=60, p=rng.dirichlet(np.ones(5) / 2))
    sizes, times = np.unique(counts, return_counts=True)
    expected = obvious_p_value(counts.tolist())
    assert occurrences_p_value(sizes, times) == pytest.approx(expected)
    assert occurrences_p_value(counts) == pytest.approx(expected)


def test_rows_that_occur_once_are_no_evidence():
    assert occurrences_p_value([1, 1, 1]) == occurrences_p_value([1], [100]) == 1.0
    assert divided_p_value([1, 1], [1, 0]) == divided_p_value([0, 2], [2, 0]) == 1.0


@pytest.mark.parametrize("n_values", [3, 30, 300, 3000])
@pytest.mark.parametrize("power", [0, 1, 3])
def test_independent_draws_are_taken(n_values, power):
    """At most one of 1000 samples may be refused, whatever the distribution is."""
    rng = np.random.default_rng(n_values)
    law = rng.random(n_values) ** power
    draws = rng.multinomial(500, law / law.sum(), size=1000)
    n_alarms = sum(occurrences_p_value(counts[counts > 0]) <= 1e-3 for counts in draws)
    assert n_alarms <= 4


@pytest.mark.parametrize(("times", "fewest"), [(2, 147), (3, 18)])
def test_it_needs_as_many_copies_as_it_says(times, fewest):
    for n_written in (fewest - 1, fewest):
        numbers = [1000 - times * n_written, n_written]
        found = occurrences_p_value([1, times], numbers) <= 1e-3
        assert found == (n_written == fewest)


WAYS = {
    "whole weights": lambda frame, rng: rng.integers(1, 6, size=len(frame)),
    "a region": lambda frame, _: np.where(frame["region"] == 3, 6, 1),
    "half of them": lambda frame, rng: rng.integers(1, 3, size=len(frame)),
    "few, often": lambda frame, rng: np.where(rng.random(len(frame)) < 0.1, 8, 1),
}


@pytest.mark.parametrize("way", WAYS)
class TestCopiesInTablesOfFewValues:
    def test_they_are_refused(self, way):
        frame, y = people()
        rng = np.random.default_rng(2)
        with pytest.raises(ValueError, match=COPIES):
            find_duplicates(*written(frame, y, WAYS[way](frame, rng)))

    def test_the_table_itself_is_taken(self, way):
        for seed in range(20):
            assert find_duplicates(*people(seed=seed)).repeats.n_repeats > 10


class TestCasesMeasuredSeveralTimes:
    def test_numbers_are_refused(self):
        X, y = measured_three_times()
        for model in (
            CertifiedTreeRegressor(random_state=0),
            CertifiedRegressor(DecisionTreeRegressor(), random_state=0),
        ):
            with pytest.raises(ValueError, match=SEVERAL_TIMES):
                model.fit(X, y)

    def test_with_groups_they_are_taken(self):
        X, y = measured_three_times()
        cases = np.repeat(np.arange(300), 3)
        model = CertifiedTreeRegressor(coverage=0.8, random_state=0)
        # Numbers of the standard normal law: 80 % of them are below 1.28.
        assert model.fit(X, y, groups=cases).certificate_.tolerance > 1.28

    def test_they_are_no_copies_to_keep_together(self):
        X, y = measured_three_times()
        with pytest.raises(ValueError, match=SEVERAL_TIMES):
            find_duplicates(X, y, "together")

    def test_ignored_they_are_counted(self):
        X, y = measured_three_times()
        assert find_duplicates(X, y, "ignore").repeats.n_repeats == 0

    def test_test_rows_are_refused(self):
        X, y = measured_three_times()
        model = DecisionTreeRegressor(max_leaf_nodes=5).fit(-X, y)
        with pytest.raises(ValueError, match=SEVERAL_TIMES):
            certify(model, X, y, coverage=0.8)
        batches = [(X[:450], y[:450]), (X[450:], y[450:])]
        with pytest.raises(ValueError, match=SEVERAL_TIMES):
            certify(model, batches, coverage=0.8)


@pytest.mark.parametrize(
    "judge", [certify, certify_prunings, certify_by_growth, certify_by_message]
)
def test_labels_that_disagree_are_refused_by_every_theorem(judge):
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(300, 4)), 3, axis=0)
    y = rng.integers(10, size=900)
    tree = DecisionTreeClassifier(max_leaf_nodes=5).fit(rng.normal(size=(900, 4)), y)
    with pytest.raises(ValueError, match=SEVERAL_TIMES):
        judge(tree, X, y)


@pytest.mark.parametrize(
    "model",
    [
        CertifiedClassifier(DecisionTreeClassifier(), random_state=0),
        *(
            CertifiedTreeClassifier(method=method, random_state=0)
            for method in ("halves", "message", "occam", "growth")
        ),
    ],
    ids=["any", "halves", "message", "occam", "growth"],
)
def test_weights_written_as_rows_are_refused_by_every_estimator(model):
    frame, y = people()
    times = np.random.default_rng(2).integers(1, 6, size=len(y))
    with pytest.raises(ValueError, match=COPIES):
        model.fit(*written(frame, y, times))


class TestDividedRows:
    """Rows that were repeated before the table was divided into two parts."""

    @pytest.mark.parametrize("seed", range(20))
    def test_the_fast_value_is_the_obvious_one(self, seed):
        rng = np.random.default_rng(seed)
        first = rng.choice(4, size=80, p=rng.dirichlet(np.ones(4)))
        second = rng.choice([0, 1, 2, 4], size=80, p=rng.dirichlet(np.ones(4)))
        second[0] = 4
        expected = obvious_divided_p_value(first.tolist(), second.tolist())
        assert divided_p_value(first, second) == pytest.approx(expected)

    @pytest.mark.parametrize("n_values", [3, 30, 300, 3000])
    @pytest.mark.parametrize("power", [0, 1, 3])
    @pytest.mark.parametrize("change", ["none", "thrice", "once", "some thrice"])
    def test_independent_draws_are_taken(self, n_values, power, change):
        """However rows of the first part were repeated, or freed of equal ones."""
        rng = np.random.default_rng(n_values)
        law = rng.random(n_values) ** power
        is_some = rng.random(n_values) < 0.3
        law /= law.sum()
        n_alarms = 0
        for _ in range(200):
            first = rng.multinomial(700, law)
            made = {
                "none": first,
                "thrice": 3 * first,
                "once": np.minimum(first, 1),
                "some thrice": np.where(is_some, 3 * first, first),
            }[change]
            n_alarms += divided_p_value(made, rng.multinomial(500, law)) <= 1e-3
        assert n_alarms <= 2

    @pytest.mark.parametrize("times", [2, 3, 5])
    @pytest.mark.parametrize("kept", ["record", "X_grown"])
    def test_a_class_repeated_before_the_split_is_refused(self, times, kept):
        """The labels are noise: three of five in the larger class at best."""
        rng = np.random.default_rng(0)
        X = pd.DataFrame(
            {
                "age": rng.integers(18, 80, size=3000),
                "income": rng.lognormal(10, 0.4, size=3000).round(),
            }
        )
        y = rng.choice(["no", "yes"], size=3000, p=[0.7, 0.3])
        balanced = written(X, y, np.where(y == "yes", times, 1))
        X_grown, X_new, y_grown, y_new = train_test_split(*balanced, random_state=1)
        tree = DecisionTreeClassifier(random_state=0)
        asked = {"X_grown": X_grown}
        if kept == "record":
            tree = BoundPrunedTreeClassifier(rule=0.0, random_state=0)
            asked = {}
        tree.fit(X_grown, y_grown)
        with pytest.raises(ValueError, match="repeated before the table was divided"):
            certify(tree, X_new, y_new, **asked)

    def test_the_advice_for_runs_of_a_design_leads_to_a_certificate(self):
        """Each of 256 settings has four runs. The labels are right in nine of ten."""
        rng = np.random.default_rng(0)
        settings = np.arange(256).repeat(4)
        X = settings[:, np.newaxis] >> np.arange(8) & 1
        y = X[:, 0] ^ (rng.random(1024) < 0.1)
        grown, new = train_test_split(np.arange(1024), random_state=0)
        model = KNeighborsClassifier(5).fit(X[grown], y[grown])
        with pytest.raises(ValueError, match=r"design.*GroupShuffleSplit.*pass groups"):
            certify(model, X[new], y[new])

        split = GroupShuffleSplit(1, test_size=0.5, random_state=0)
        grown, new = next(split.split(X, y, settings))
        model.fit(X[grown], y[grown])
        certificate = certify(model, X[new], y[new], groups=settings[new])
        assert certificate.n_groups == 128
        assert 0.1 < certificate < 0.35

    def test_a_class_repeated_after_the_split_is_taken(self):
        X, y = people(4000)
        X_grown, X_new, y_grown, y_new = train_test_split(X, y, random_state=0)
        X_grown, y_grown = written(X_grown, y_grown, np.where(y_grown == 1, 3, 1))
        tree = BoundPrunedTreeClassifier(rule=0.0, random_state=0)
        tree.fit(X_grown, y_grown)
        assert certify(tree, X_new, y_new, X_grown=X_grown) > 0.4


class TestPlaces:
    @pytest.mark.parametrize("law", ["equal", "uneven", "rare"])
    def test_independent_rows_are_hardly_ever_refused(self, law):
        rng = np.random.default_rng(0)
        shares = {
            "equal": np.full(300, 1 / 300),
            "uneven": rng.dirichlet(np.full(300, 0.5)),
            "rare": np.r_[np.full(299, 1e-4), 1 - 299e-4],
        }[law]
        p_values = [
            places_p_value(rng.multinomial(n_rows, shares))
            for n_rows in [30, 300] * 200
        ]
        assert np.mean(np.array(p_values) <= 0.01) <= 0.01

    def test_rows_that_come_once_or_never(self):
        assert places_p_value(np.repeat([0, 1], [590, 250])) < 1e-9
        assert places_p_value(np.repeat([0, 1], [590, 20])) == 1.0
        assert places_p_value(np.zeros(5)) == 1.0
        assert places_p_value([]) == 1.0
