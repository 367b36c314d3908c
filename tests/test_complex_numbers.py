"""Complex numbers are refused wherever real ones are meant, and never cut off."""

import warnings

import numpy as np
import pytest
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
from treebounds.risk.hashing import row_hashes

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


def test_rows_that_differ_in_imaginary_parts_are_different():
    rows = np.array([[1 + 1j], [1 + 2j], [1 + 1j]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first, second, third = row_hashes(rows).tolist()
    assert first == third != second
