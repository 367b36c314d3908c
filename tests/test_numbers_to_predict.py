"""Numbers to predict that are no floats are refused everywhere, and never cut off."""

import warnings

import numpy as np
import pytest
from sklearn import config_context
from sklearn.tree import DecisionTreeRegressor

from treebounds import (
    CertifiedRegressor,
    CertifiedTreeRegressor,
    CostComplexityPrunedTreeRegressor,
    PrunedTreeRegressor,
    certify,
    prune,
)
from treebounds.formats import from_json, from_sklearn
from treebounds.risk.rows.hash_function import hash_rows

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 2))
Y = X[:, 0] + RNG.normal(size=200)
COMPLEX = Y + 1j
TREE = DecisionTreeRegressor(max_leaf_nodes=5).fit(X[:100], Y[:100])
STUMP = {
    "n_features": 2,
    "predicts": "numbers",
    "nodes": [{"left": 1, "right": 2, "feature": 0, "threshold": 0.0}, {}, {}],
}

DOORS = {
    "PrunedTreeRegressor": PrunedTreeRegressor().fit,
    "CostComplexity": CostComplexityPrunedTreeRegressor().fit,
    "CertifiedTree": CertifiedTreeRegressor(tolerance=1).fit,
    "Certified": CertifiedRegressor(DecisionTreeRegressor(), tolerance=1).fit,
    "certify": lambda rows, y: certify(TREE, rows, y, tolerance=1),
    "prune": lambda rows, y: prune(TREE, rows, y),
    "from_sklearn": lambda rows, y: from_sklearn(TREE, rows, y),
    "from_json": lambda rows, y: from_json(STUMP, rows, y),
}


@pytest.mark.parametrize("door", DOORS)
def test_complex_targets_are_refused(door):
    with warnings.catch_warnings():
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        with pytest.raises(ValueError, match="Complex data not supported"):
            DOORS[door](X, COMPLEX)


OTHERS = {
    "whole numbers": (2**60 + np.arange(200), "whole numbers beyond"),
    "without sign": (2**60 + np.arange(200, dtype=np.uint64), "whole numbers beyond"),
    "Python's": ([2**60 + number for number in range(200)], "whole numbers beyond"),
    "beyond 64 bits": ([2**70 + number for number in range(200)], "whole numbers"),
    "dates": (np.datetime64("2026-01-01") + np.arange(200), "give times as numbers"),
    "durations": (np.arange(200).astype("timedelta64[s]"), "give times as numbers"),
    "words": (Y.astype(str), "y must hold"),
    "words as objects": (Y.astype(str).astype(object), "y must hold"),
}


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("door", DOORS)
def test_other_targets_are_refused(door, kind):
    y, reason = OTHERS[kind]
    with pytest.raises(ValueError, match=reason):
        DOORS[door](X, y)


@pytest.mark.skipif(
    np.finfo(np.longdouble).eps == np.finfo(float).eps,
    reason="long doubles are floats of 64 bits here",
)
@pytest.mark.parametrize("door", DOORS)
def test_digits_are_not_cut_off(door):
    y = 1 + np.arange(200) * np.longdouble(2) ** -60
    with pytest.raises(ValueError, match="y holds numbers with more digits"):
        DOORS[door](X, y)


@pytest.mark.parametrize("door", DOORS)
def test_small_numbers_may_be_of_any_type(door):
    for y in (Y.astype(object), Y.astype(np.longdouble), (1e3 * Y).astype(np.int8)):
        DOORS[door](X[:150] + 1, y[:150])


@pytest.mark.parametrize("door", DOORS)
def test_missing_numbers_are_looked_for_though_scikit_learn_does_not(door):
    y = np.where(np.arange(200) % 2, np.nan, Y)
    with config_context(assume_finite=True), pytest.raises(ValueError, match=r"^.*y "):
        DOORS[door](X, y)


def test_rows_that_differ_in_imaginary_parts_are_different():
    rows = np.array([[1 + 1j], [1 + 2j], [1 + 1j]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first, second, third = hash_rows(rows).tolist()
    assert first == third != second
