"""Units in which scikit-learn takes different numbers for equal."""

import linecache
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from builders import CERTIFIED_REGRESSORS, ESTIMATORS, REGRESSORS
from treebounds import BoundPrunedTreeClassifier, CertifiedTreeClassifier

CLASSES = load_breast_cancer(return_X_y=True)
NUMBERS = load_diabetes(return_X_y=True)
OF_NUMBERS = [*REGRESSORS, *CERTIFIED_REGRESSORS]
# The package of the book has one more.
OF_CLASSES = [
    *(each for each in ESTIMATORS if type(each).__module__.startswith("treebounds")),
    *(
        CertifiedTreeClassifier(method=method, random_state=0)
        for method in ("occam", "message", "growth")
    ),
]


def warnings_of(estimator, X, y):
    with warnings.catch_warnings(record=True) as recorded:
        warnings.simplefilter("always")
        model = clone(estimator).fit(X, y)
    for warning in recorded:
        # The line that calls fit is named.
        line = linecache.getline(warning.filename, warning.lineno)
        assert line.strip() == "model = clone(estimator).fit(X, y)"
    return model, [str(warning.message) for warning in recorded]


def test_scikit_learn_compares_with_fixed_differences():
    """The warnings are needed as long as this is true."""
    X, y = NUMBERS
    assert DecisionTreeRegressor().fit(X, 1e-10 * y).get_n_leaves() == 1
    X, y = CLASSES
    assert DecisionTreeClassifier().fit(1e-12 * X, y).get_n_leaves() == 1


@pytest.mark.parametrize("estimator", OF_NUMBERS, ids=str)
def test_small_numbers_to_predict_are_named(estimator):
    X, y = NUMBERS
    model, messages = warnings_of(estimator, X, 1e-12 * y)
    assert model.get_n_leaves() == 1
    assert len(messages) == 1
    assert "y has a standard deviation of only 7.7e-11" in messages[0]


@pytest.mark.parametrize("estimator", OF_CLASSES, ids=str)
def test_columns_of_small_numbers_are_named(estimator):
    X, y = CLASSES
    model, messages = warnings_of(estimator, 1e-12 * X, y)
    assert model.get_n_leaves() == 1
    assert len(messages) == 1
    assert (
        "X: columns 0, 1, 2, 3, 4 and others vary by no more than 1e-05" in messages[0]
    )


@pytest.mark.parametrize("estimator", [OF_CLASSES[0], OF_NUMBERS[0]], ids=str)
def test_the_names_of_a_frame_are_used(estimator):
    X, y = CLASSES
    frame = pd.DataFrame(X[:, :3], columns=["a", "b", "c"])
    frame["b"] *= 1e-12
    _, messages = warnings_of(estimator, frame, y)
    assert len(messages) == 1
    assert "X: column 'b' varies" in messages[0]


@pytest.mark.parametrize("estimator", [*OF_CLASSES, *OF_NUMBERS], ids=str)
def test_usual_units_and_constants_are_not(estimator):
    X, y = NUMBERS if estimator in OF_NUMBERS else CLASSES
    X = X.copy()
    X[:, 1] = 0.1
    assert warnings_of(estimator, X, y)[1] == []
    if estimator in OF_NUMBERS:
        assert warnings_of(estimator, X, np.full(len(y), 0.1))[1] == []


def test_sparse_rows_and_missing_values_have_columns_too():
    X, y = CLASSES
    small = X * np.where(np.arange(30) == 7, 1e-12, 1.0)
    gaps = np.where(np.arange(len(X)) % 5, small.T, np.nan).T
    for rows in (csr_array(small), gaps):
        _, messages = warnings_of(BoundPrunedTreeClassifier(), rows, y)
        assert re.search("X: column 7 varies", "".join(messages))
