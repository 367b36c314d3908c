"""Tables of numbers and words: one documented encoding; and the simulated problems."""

import numpy as np
import pytest

from reproduction.datasets import group, list_datasets, load
from reproduction.datasets._mixed import parse_mixed
from reproduction.datasets._simulated import RECIPES, simulated

TABLE = b"""rownames,number,two,three,gap,same,far,y
1,1,b,p,x,4,1,a
2,NA,a,q,,4,2,a
3,4,b,r,x,4,3,b
4,8,b,p,z,4,4,NA
5,9,a,q,z,4,5,b
"""


def test_the_encoding_of_numbers_and_words():
    table = parse_mixed(TABLE, {"target": "y", "without": ["far"]})
    assert table.target.tolist() == ["a", "a", "b", "b"]  # the row without a class has gone
    names = ["number", "two=b", "three=p", "three=q", "three=r", "gap=missing", "gap=x", "gap=z"]
    assert table.feature_names == names
    number, two, p, q, r, missing, x, z = table.data.T.tolist()
    assert number == [1, 4, 4, 9]  # the median of 1, 4 and 9 where one is missing
    assert two == [1, 0, 1, 0]
    assert (p, q, r) == ([1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 0])
    assert (missing, x, z) == ([0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1])


def test_more_words_than_levels_are_left_out():
    for n_words, kept in ((15, 15 + 1), (16, 1)):
        rows = "".join(f"{i},w{i % n_words},{i},{i % 2}\n" for i in range(32))
        table = parse_mixed(f"r,word,x,y\n{rows}".encode(), {"target": "y"})
        assert len(table.feature_names) == kept


@pytest.mark.parametrize(
    ("options", "classes"),
    [({"cuts": "terciles"}, [0, 0, 1, 2]), ({"cuts": [4, 8]}, [0, 0, 1, 2]), ({"cuts": [1]}, [0, 1, 1, 1])],
)
def test_classes_of_a_number(options, classes):
    assert parse_mixed(TABLE, {"target": "number", **options}).target.tolist() == classes


def test_the_first_classes_by_name():
    table = parse_mixed(TABLE, {"target": "three", "first_classes": 2})
    assert table.target.tolist() == ["p", "q", "p", "q"]


def test_at_least_thirty_sets_only_report():
    new = group("new")
    assert len(new) == 35
    assert not set(new) & {*group("table 1"), *group("prunings")}
    assert set(new) <= set(list_datasets())


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_simulated_set_is_the_same_every_time(recipe):
    first, again = load(recipe), load(recipe)
    assert np.array_equal(first.data, again.data)
    assert np.array_equal(first.target, again.target)
    assert "Simulated" in first.DESCR


# the error of the best classifier, which the recipes know
@pytest.mark.parametrize(
    ("recipe", "best", "error"),
    [
        ("twonorm", lambda X: X.sum(axis=1) > 0, 0.023),
        ("hastie", lambda X: (X**2).sum(axis=1) > 9.34, 0.0),
        ("checkers", lambda X: (4 * X[:, :2]).astype(int).sum(axis=1) % 2, 0.1),
        ("sea", lambda X: X[:, 0] + X[:, 1] <= 8, 0.1),
        ("agrawal7", lambda X: 2 * (X[:, 0] + X[:, 1]) / 3 - X[:, 8] / 5 > 20_000, 0.05),
        ("ringnorm", lambda X: ((X - 1 / 20**0.5) ** 2 - X**2 / 4).sum(axis=1) < 40 * np.log(2), 0.013),
    ],
)
def test_the_error_of_the_best_classifier(recipe, best, error):
    X, y = simulated(recipe, 20_000)
    assert np.mean(best(X) != y) == pytest.approx(error, abs=0.007)
