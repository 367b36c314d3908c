"""The sample that an estimator is fitted to: how it is checked, and handed on while
trees are grown.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import config_context
from sklearn.utils.validation import validate_data


class Grown(NamedTuple):
    """A plain tree before pruning, and its sample after validation.

    Attributes
    ----------
    tree : DecisionTreeClassifier or DecisionTreeRegressor
    X : (n_examples, n_features) array or sparse matrix of float32
    y : (n_examples,) array
    weights : (n_examples,) array
        ``sample_weight``; all 1 if there was none.
    """

    tree: Any
    X: Any
    y: NDArray[Any]
    weights: NDArray[np.float64]


def validate_rows(
    estimator: Any, X: Any, y: Any
) -> tuple[NDArray[np.float32], NDArray[Any], dict[str, Any]]:
    """X as float32, as in scikit-learn's trees, y as a vector, and the fitted
    attributes about the columns of X.

    Missing values are accepted if the tags of the estimator say so.
    """
    accepts_nan = estimator.__sklearn_tags__().input_tags.allow_nan
    # scikit-learn writes the names of columns to the estimator that it is given.
    scratch = copy(estimator)
    # Theorems exclude missing values, also where scikit-learn is told to look for none.
    with config_context(assume_finite=False):
        rows, targets = validate_data(
            scratch,
            X,
            y,
            dtype=np.float32,
            ensure_all_finite="allow-nan" if accepts_nan else True,
        )
    columns = {
        name: value
        for name, value in vars(scratch).items()
        if name in ("n_features_in_", "feature_names_in_")
    }
    return rows, targets, columns


def as_float32(tree: Any, X: Any) -> Any:
    """The rows that a tree was fitted to, as scikit-learn's trees compare them."""
    if type(X) is np.ndarray and X.dtype.kind in "biuf":
        return np.asarray(X, dtype=np.float32)  # The fit has checked them.
    as_fit: dict[str, Any] = {"accept_sparse": "csr", "ensure_all_finite": "allow-nan"}
    return validate_data(tree, X, reset=False, dtype=np.float32, **as_fit)


@contextmanager
def naming_numbers() -> Iterator[None]:
    """Add the name of the regressor to scikit-learn's error for y that is
    continuous.
    """
    try:
        yield
    except ValueError as error:
        if "Unknown label type: continuous" not in str(error):
            raise
        advice = (
            "y must hold labels; for numbers use PrunedTreeRegressor, or"
            " CertifiedTreeRegressor"
        )
        raise ValueError(f"{error} ({advice})") from error


def check_groups_are_used(groups: ArrayLike | None, cv: Any) -> None:
    """Raise a ValueError if there are groups that ``cv`` does not keep together."""
    if groups is not None and not hasattr(cv, "split"):
        raise ValueError(
            "groups need a splitter that uses them, such as cv=GroupKFold(3)"
        )


def only(rows: NDArray[np.int64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weights of some rows, and 0 for the others, which then do not influence the
    tree.

    The other rows still contribute their classes to ``classes_``.
    """
    result = np.zeros_like(weights)
    result[rows] = weights[rows]
    return result
