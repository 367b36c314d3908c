"""The certificates' experiment in small: rows, known distributions, validity, and what
breaks it.
"""

import numpy as np
import pytest
from sklearn.base import clone

from reproduction.experiments.certificates import (
    DESIGNS,
    Design,
    Distribution,
    certificates,
    simulate,
    violations,
)
from treebounds.risk import halving
from treebounds.risk.growth_bounds import relative_deviation_bound

# These hold with probability 95 %.
VALID = (
    "test-set",
    "halves",
    "halves, by groups",
    "message",
    "occam",
    "growth",
    "growth, relative deviations",
)
COIN, RARE, *_ = DESIGNS


def share(table, method):
    """Violations of a method, and how many of them a valid one has with probability
    below 1e-3.
    """
    row = table.set_index("method").loc[method]
    return row["violated"], row["n_samples"] * 0.05 + 3.5 * np.sqrt(
        row["n_samples"] * 0.05
    ) + 1


@pytest.mark.parametrize("name", DESIGNS)
def test_no_certificate_is_violated_beyond_chance(name):
    table = violations(20, (name,), n_jobs=1)
    for method in VALID:
        violated, most = share(table, method)
        assert violated <= most, method
    assert (table["low"] <= table["share"]).all()
    assert (table["share"] <= table["high"]).all()


def test_delta_that_is_not_split_is_caught(monkeypatch):
    right = halving.Tally.verdict
    monkeypatch.setattr(
        halving.Tally,
        "verdict",
        lambda tally, _, *rest: right(tally, np.log(0.05), *rest),
    )
    violated, most = share(
        violations(100, (COIN,), n_jobs=1, halves_only=True), "halves"
    )
    assert violated > most


def test_growing_again_on_all_examples_is_caught(monkeypatch):
    right = halving._fit_and_judge

    def refit(trial, judging):
        _, verdict = right(trial, judging)
        return clone(trial.learner).fit(judging.X, judging.y), verdict

    monkeypatch.setattr(halving, "_fit_and_judge", refit)
    violated, most = share(
        violations(40, (RARE,), n_jobs=1, halves_only=True), "halves"
    )
    assert violated > most


def test_clipping_before_the_choice_is_caught(monkeypatch):
    """It keeps the promise and loses the tree: where all bounds are above 1, a single
    leaf wins.
    """
    inputs = np.indices((30, 4)).reshape(2, -1).T.astype(np.float32)
    steps = Distribution(inputs, np.eye(3)[(inputs[:, 0] // 10).astype(int)])
    monkeypatch.setitem(DESIGNS, "clear steps", Design(steps, 60, 1, 1))
    method = "growth, relative deviations"
    before = violations(5, ("clear steps",), n_jobs=1).set_index("method").loc[method]
    monkeypatch.setattr(
        "reproduction.experiments.certificates.relative_deviation_bound",
        lambda *arguments: min(1.0, relative_deviation_bound(*arguments)),
    )
    after = violations(5, ("clear steps",), n_jobs=1).set_index("method").loc[method]
    assert (before["certificate"] > 1, after["certificate"]) == (True, 1.0)
    assert before["n_leaves"] > 2 > after["n_leaves"]
    assert before["risk"] < 0.4 < 0.6 < after["risk"]


def test_risks_of_known_distributions_are_exact():
    rng = np.random.default_rng(0)
    for design in DESIGNS.values():
        distribution = design.distribution
        assert np.allclose(distribution.classes.sum(axis=1), 1)
        predicted = rng.integers(
            distribution.classes.shape[1], size=len(distribution.inputs)
        )
        cells = rng.integers(len(distribution.inputs), size=50_000)
        error = np.mean(distribution.labels(cells, rng) != predicted[cells])
        assert distribution.risk(predicted) == pytest.approx(error, abs=0.01)
        X, y, groups = distribution.groups(3, 4, rng)
        assert (len(X), len(y), np.bincount(groups).tolist()) == (12, 12, [4, 4, 4])


def test_simulations_repeat():
    assert simulate(COIN, 3) == simulate(COIN, 3)
    assert simulate(COIN, 3) != simulate(COIN, 4)


@pytest.mark.parametrize("slug", ["iris", "wine"])
def test_rows_of_a_split(slug):
    rows = certificates(slug, 0)
    assert len(rows) == 11
    by_method = {row["method"]: row for row in rows}
    assert (
        by_method["no certificate"]["certificate"]
        != by_method["no certificate"]["certificate"]
    )
    assert by_method["halves"]["certificate"] < by_method["growth"]["certificate"]
    assert by_method["growth, relative deviations"]["certificate"] <= 1
    for row in rows:
        assert 0 <= row["test_error"] < row["majority"]
