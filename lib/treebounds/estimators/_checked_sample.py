"""The sample that an estimator is fitted to: its checks, warnings about its units, and
a tree that is grown on it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy, deepcopy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn import config_context
from sklearn.base import is_classifier, is_regressor
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from treebounds._labels import check_labels
from treebounds._row_order import check_same_order
from treebounds.estimators._misuse import is_judged_by_halvings
from treebounds.formats._sklearn_trees import rows_as_fitted
from treebounds.formats.scikit_learn import unfitted_like
from treebounds.pruning._targets import check_numbers_to_predict
from treebounds.pruning.weights import check_weights

# What errors about words say: NumPy's, and those of pandas about categories.
_OF_WORDS = ("could not convert", "Cannot cast str dtype", "Cannot cast object dtype")

# A node becomes a leaf where the variance of y is at most this.
_LEAST_VARIANCE = np.finfo(float).eps
# That may be the variance in a leaf of a tree that explains almost everything.
_UNEXPLAINED = 1e-4

# Values of a column that differ by no more than this are not separated.
_LEAST_STEP = 1e-7
# A column that varies by no more than some such steps has few values left.
_FEW_STEPS = 100

_ADVICE = "in a smaller unit, which makes them larger"


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


def grow(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> Grown:
    """A plain tree with the parameters of an estimator, grown on a sample that ``fit``
    got. Of the groups only the order is checked.
    """
    check_same_order(X=X, y=y, sample_weight=sample_weight, groups=groups)
    targets = _checked_targets(estimator, y)
    weights = check_weights(sample_weight, len(targets))
    passed_weights = None if sample_weight is None else weights
    with _naming_faults(X):
        tree = unfitted_like(estimator).fit(X, targets, sample_weight=passed_weights)

    rows = _grown_rows(tree, X)
    numbers = targets if is_regressor(tree) else None
    # The warning names the line that calls fit.
    names = getattr(tree, "feature_names_in_", None)
    warn_of_units(rows, names, numbers, stacklevel=3)
    return Grown(tree, rows, targets, weights)


def _checked_targets(estimator: Any, y: Any) -> NDArray[Any]:
    """y as a vector of labels, or of numbers, which the estimator predicts."""
    if is_classifier(estimator):
        check_labels(y)
        return np.asarray(column_or_1d(y, warn=True))
    if estimator.criterion == "absolute_error":
        raise ValueError(
            "criterion must not be 'absolute_error': such a tree predicts medians, and"
            " pruning counts squared errors; use 'squared_error'"
        )
    return check_numbers_to_predict(y)


def check_sample(
    estimator: Any, X: Any, y: Any
) -> tuple[NDArray[np.float32], NDArray[Any], dict[str, Any]]:
    """X as float32, as in scikit-learn's trees, y as a vector, and the fitted
    attributes about the columns of X.

    Missing values are accepted if the tags of the estimator say so.
    """
    predicts_classes = is_classifier(estimator)
    if predicts_classes:
        check_labels(y)
    may_be_missing: Any = True
    if estimator.__sklearn_tags__().input_tags.allow_nan:
        may_be_missing = "allow-nan"
    # scikit-learn writes the names of columns to the estimator that it is given.
    scratch = copy(estimator)
    # Theorems exclude missing values, also where scikit-learn is told to look for none.
    with _naming_faults(X), config_context(assume_finite=False):
        rows, targets = validate_data(
            scratch,
            X,
            y,
            dtype=np.float32,
            ensure_all_finite=may_be_missing,
        )
        if predicts_classes:
            check_classification_targets(targets)
    columns = {
        name: value
        for name, value in vars(scratch).items()
        if name in ("n_features_in_", "feature_names_in_")
    }
    return rows, targets, columns


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


def grow_again(grower: Any, sample: Grown, weights: NDArray[np.float64]) -> Any:
    """A copy of an unfitted plain tree, grown on a sample with other weights."""
    # The rows have been checked; but only with its checks, scikit-learn looks for
    # missing values.
    is_plain = isinstance(sample.X, np.ndarray) and not np.isnan(sample.X).any()
    return deepcopy(grower).fit(
        sample.X, sample.y, sample_weight=weights, check_input=not is_plain
    )


def warn_of_units(
    X: Any, names: Any, y: NDArray[np.float64] | None = None, *, stacklevel: int
) -> None:
    """Warn if the columns of a sample, or the numbers to predict, hardly differ.

    The learners of certified estimators are silent, since these have warned.

    >>> import warnings
    >>> import numpy as np
    >>> from treebounds.estimators._checked_sample import warn_of_units
    >>> lengths = np.array([[5e-7, 1.0], [7e-7, 2.0]])
    >>> with warnings.catch_warnings(record=True, action="always") as recorded:
    ...     warn_of_units(lengths, ["metres", "age"], stacklevel=1)
    >>> print(recorded[0].message)
    X: column 'metres' varies by no more than 1e-05, and scikit-learn separates no
    values that differ by up to 1e-07: give numbers in a smaller unit, which makes them
    larger

    Parameters
    ----------
    X : (n_examples, n_features) array or sparse matrix
    names : (n_features,) array or None
        The names of the columns, if they have any.
    y : (n_examples,) array, optional
        Numbers to predict.
    stacklevel : int
        As in ``warnings.warn``, counted from the caller.
    """
    if not X.shape[0] or is_judged_by_halvings():
        return

    small = np.flatnonzero(_hardly_vary(X)).tolist()
    if small:
        subject = _subject(small, names)
        warnings.warn(
            f"X: {subject} by no more than {_FEW_STEPS * _LEAST_STEP:g}, and"
            " scikit-learn separates no values that differ by up to"
            f" {_LEAST_STEP:g}: give numbers {_ADVICE}",
            stacklevel=stacklevel + 1,
        )

    # The deviation of equal numbers may be a rounding error.
    if y is None or y.min() == y.max():
        return
    deviation = float(np.std(y))
    if deviation**2 * _UNEXPLAINED < _LEAST_VARIANCE:
        warnings.warn(
            f"y has a standard deviation of only {deviation:.2g}, and scikit-learn"
            f" splits no node with a variance of up to {_LEAST_VARIANCE:.2g}: give"
            f" numbers {_ADVICE}",
            stacklevel=stacklevel + 1,
        )


def _subject(small: list[int], names: Any) -> str:
    """Up to five columns, with the verb of a sentence about them."""
    labels = list(map(str, small))
    if names is not None:
        labels = [repr(str(names[column])) for column in small]
    if len(small) == 1:
        return f"column {labels[0]} varies"
    if len(small) > 5:
        return f"columns {', '.join(labels[:5])} and others vary"
    return f"columns {', '.join(labels)} vary"


def _hardly_vary(X: Any) -> NDArray[np.bool_]:
    """Which columns vary by a few steps only; a constant column does not vary."""
    # Missing and infinite values are left to others.
    with np.errstate(invalid="ignore", over="ignore"):
        if issparse(X):
            ranges = (X.max(axis=0) - X.min(axis=0)).toarray().ravel()
        else:
            ranges = np.fmax.reduce(X, axis=0) - np.fmin.reduce(X, axis=0)
    hardly: NDArray[np.bool_] = (ranges > 0) & (ranges <= _FEW_STEPS * _LEAST_STEP)
    return hardly


def _grown_rows(tree: Any, X: Any) -> Any:
    """The rows that a tree was fitted to, as scikit-learn's trees compare them."""
    if type(X) is np.ndarray and X.dtype.kind in "biuf":
        return np.asarray(X, dtype=np.float32)  # The fit has checked them.
    return rows_as_fitted(tree, X)


@contextmanager
def _naming_faults(X: Any) -> Iterator[None]:
    """Replace scikit-learn's errors for words in X, and for numbers or objects in y, by
    ones that name the columns and say what to do.
    """
    try:
        yield
    except ValueError as error:
        if "Unknown label type: continuous" in str(error):
            raise ValueError(
                f"{error} (y must hold labels; for numbers use PrunedTreeRegressor, or"
                " CertifiedTreeRegressor)"
            ) from error
        if "Unknown label type: unknown" in str(error):
            raise ValueError(
                "Unknown label type: y holds objects; try y.astype(int), for example"
            ) from error
        columns = ", ".join(_columns_with_words(X))
        is_about_words = any(text in str(error) for text in _OF_WORDS)
        if not columns or not is_about_words:
            raise
        raise ValueError(
            f"X: {columns} must be numeric; encode words first, for example with"
            " sklearn.preprocessing.OneHotEncoder"
        ) from error
    except TypeError as error:
        columns = ", ".join(_columns_of_times(X))
        if not columns:
            raise
        raise ValueError(
            f"X: {columns} must be numeric; give times as numbers, for example as days"
            " since a fixed date"
        ) from error


def _columns_with_words(X: Any) -> list[str]:
    """The names of the columns of a data frame that hold words."""
    columns = []
    for name in getattr(X, "columns", ()):
        if any(isinstance(value, str) for value in np.asarray(X[name])):
            columns.append(str(name))
    return columns


def _columns_of_times(X: Any) -> list[str]:
    """The names of the columns of a data frame that hold dates or durations."""
    dtypes = zip(getattr(X, "columns", ()), getattr(X, "dtypes", ()), strict=False)
    return [str(name) for name, dtype in dtypes if getattr(dtype, "kind", "") in "mM"]
