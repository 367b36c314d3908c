"""Tables of certificates, from measurements that are made up."""

import numpy as np
import pandas as pd
import pytest

from reproduction.experiments import certificate_tables as tables

METHODS = (*tables.CHOSEN, "growth, relative deviations", "Equation 8")


@pytest.fixture
def means():
    """Three sets; the halves are 0.1 below a held-out half, which is at 0.4."""
    limits = {tables.FREE: np.nan, "halves": 0.3, tables.HALF: 0.4}
    rows = [
        {
            "dataset": name,
            "method": method,
            "certificate": limits.get(method, 0.5),
            "test_error": 0.2,
            "n_leaves": 7,
            "seconds": 2.0,
            "majority": 0.45,
            "n_examples": n_examples,
        }
        for name, n_examples in (("a", 100), ("b", 600), ("c", 900))
        for method in METHODS
    ]
    return pd.DataFrame(rows).set_index(["dataset", "method"])


@pytest.fixture
def average(means):
    return means.groupby("method", sort=False).mean()


@pytest.fixture
def below(means):
    wide = means["certificate"].unstack(sort=False)
    return wide.lt(pd.Series(0.45, index=wide.index), axis=0)


def test_the_summary_counts_sets_below_the_majority(average, below):
    table = tables.summary(average, below).set_index("method")
    counted = table["sets below the majority error"]
    assert counted[["halves", "message", tables.FREE]].tolist() == [3, 0, "–"]
    assert tables.numbers(average, below)["cert_half"] == pytest.approx(0.4)


def test_what_halves_save_by_rows(means):
    table = tables.by_rows(means, [0, 500, 1000, np.inf])
    assert table["sets"].tolist() == [1, 2, 0]
    against = table[f"halves, against {tables.HALF}"]
    assert against.tolist() == ["0.1000 (nan)", "0.1000 (0.0000)", "–"]


def test_other_sets_have_time_against_three_folds(means, average):
    every = tables.of_every_set([means, means])
    table = tables.others({"nine": average.reindex(tables.CHOSEN)}, every)
    assert table["time"].unique().tolist() == [1.0]
    assert table["nine"].tolist()[:3] == [
        "– / 0.200",
        "0.500 / 0.200",
        "0.400 / 0.200",
    ]
    assert tables.quoted(every)["limit"].tolist()[:3] == ["–", "0.500", "0.400"]


def test_a_sequence_of_tests_certifies_no_number(means):
    theirs = means[means.index.get_level_values("method") == "halves"]
    theirs = pd.concat(
        theirs.rename(index={"halves": rival}) for rival in tables.RIVALS
    )
    table = tables.against_rivals(means, theirs).set_index("certificate")
    assert table.loc["fixed sequence of tests", "mean"] == "–"
    assert table.loc["a forest, out of bag", "mean"] == "0.300"


def test_a_table_of_nothing_says_so():
    table = tables.silent(pd.Index([]), {"error": pd.Series(dtype=float)}, "none")
    assert table["data set"].tolist() == ["none"]
