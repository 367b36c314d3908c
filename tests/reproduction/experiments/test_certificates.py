"""The certificates' experiment in small: rows, known distributions, validity."""

import numpy as np
import pytest

from reproduction.experiments.certificates import (
    DISTRIBUTIONS,
    certificates,
    certified_models,
    simulate,
    violations,
)

# these hold with probability 95 %; "no price" does not, which shows that the simulation can fail
VALID = (
    "description-length-plain",
    "description-length",
    "description-length, polished",
    "hypergeometric",
    "growth",
    "shawe-taylor",
    "occam, half",
    "pac-bayes, half",
    "held-out quarter",
)


@pytest.fixture(scope="module")
def table():
    return violations(n_samples=80, m=40, n_jobs=1)


def test_no_certificate_is_violated_beyond_chance(table):
    for row in table.itertuples():
        if row.method in VALID:
            # fails for a valid method with probability below 1e-6
            assert row.violated <= 16, row
        assert row.low <= row.share <= row.high
    assert set(table["method"]) == {*VALID, "no price"}
    assert (table.loc[table["method"] == "no price", "violated"] > 0).all()


def test_risks_of_known_distributions_are_exact():
    rng = np.random.default_rng(0)
    for distribution in DISTRIBUTIONS.values():
        assert np.allclose(distribution.classes.sum(axis=1), 1)
        X, y = distribution.sample(200, rng)
        X_new, y_new = distribution.sample(200_000, rng)
        for found in certified_models(X, y, distribution.classes.shape[1], 0):
            if found.method in ("description-length", "pac-bayes, half"):
                model = found.model
                if hasattr(model, "predict_proba"):
                    error = 1 - model.predict_proba(X_new)[np.arange(len(y_new)), y_new].mean()
                else:
                    error = np.mean(model.predict(X_new) != y_new)
                assert distribution.risk(model) == pytest.approx(error, abs=0.006)


def test_simulations_repeat():
    name = next(iter(DISTRIBUTIONS))
    assert simulate(name, 3, 30) == simulate(name, 3, 30)
    assert simulate(name, 3, 30) != simulate(name, 4, 30)


@pytest.mark.parametrize("slug", ["iris", "wine"])
def test_rows_of_a_split(slug):
    rows = {row["method"]: row for row in certificates(slug, 0)}
    assert set(rows) == {*VALID, "no price", "unpruned"}
    polished, sorted_code = rows["description-length, polished"], rows["description-length"]
    assert polished["certificate"] <= sorted_code["certificate"] < sorted_code["majority"]
    assert rows["no price"]["certificate"] < polished["certificate"]
    for method in VALID[:3]:
        row = rows[method]
        # the certificate is below the majority error exactly when more nats are available than needed
        assert (row["available"] > row["needed"]) == (row["certificate"] < row["majority"])
