"""What the argument ``feature_kinds`` says of a sample: which columns have finitely
many values, and how many splits they offer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.sparse import issparse
from scipy.stats import binom

from treebounds._validation import InvalidParameterError, check_integer, shown
from treebounds.capacity.features import FeatureKinds

# ln of the probability with which levels that were known are taken for unknown ones.
_RARE = math.log(1e-3)


def known_features(X_passed: Any, X: Any, feature_kinds: Any) -> int | FeatureKinds:
    """The kinds of the columns that a bound uses.

    A split is a threshold, so a column with k levels offers k - 1 splits. If values are
    missing, a split also sends these to one of its sides: each threshold counts twice,
    and "missing or not" is one more split. So there are ``2 k - 1`` splits, as many as
    in a column with 2 k levels.

    Parameters
    ----------
    X_passed : array or data frame
        The sample as the caller passed it.
    X : (n_examples, n_features) array
        The same rows as numbers.
    feature_kinds : see :class:`treebounds.BoundPrunedTreeClassifier`
    """
    orders = n_orders(X)
    if feature_kinds is None:
        return orders
    if issparse(X):
        raise ValueError("feature_kinds needs a dense X; got a sparse one")
    levels = _declared_levels(X_passed, feature_kinds, X.shape[1])
    twice = orders // X.shape[1]
    for column, declared in levels.items():
        met = len(np.unique(X[~np.isnan(X[:, column]), column]))
        if met > declared:
            raise ValueError(
                f"X: column {column} has {met} values; feature_kinds declares"
                f" {declared} levels"
            )
    ordinal = [twice * max(declared, 2) for declared in levels.values()]
    return FeatureKinds(real=twice * (X.shape[1] - len(levels)), ordinal=ordinal)


def features_known_before(
    X_passed: Any, X: Any, feature_kinds: Any
) -> int | FeatureKinds:
    """The :func:`known_features` of a bound that is certified, or a ValueError if the
    declared levels of a column look like the values of the sample itself: such a bound
    needs levels that were known before.

    Of k levels that were fixed before, a level occurs once in a sample with probability
    at most 1/e, whatever its own probability is, if the number of rows is a Poisson
    variable; so the number of levels that occur once is at most Bin(k, 1/e). That there
    are exactly m rows has probability at least 1 / (sqrt(2 pi m) exp(1/(12 m))). So an
    error for a column of levels that were known has probability at most 1/1000.

    >>> import numpy as np
    >>> from treebounds.risk.feature_kinds import features_known_before
    >>> X = np.arange(50.0).reshape(-1, 1)
    >>> features_known_before(X, X, {0: 50})
    Traceback (most recent call last):
    ValueError: feature_kinds: 50 of 50 levels of column 0 occur once; they look like
    ...

    Parameters
    ----------
    X_passed, X, feature_kinds
        As in :func:`known_features`.
    """
    features = known_features(X_passed, X, feature_kinds)
    if feature_kinds is None:
        return features
    m = len(X)
    log_exactly = math.log(2 * math.pi * m) / 2 + 1 / (12 * m)
    levels = _declared_levels(X_passed, feature_kinds, X.shape[1])
    for column, declared in levels.items():
        counts = np.unique(X[:, column], return_counts=True)[1]
        once = int((counts == 1).sum())
        if binom.logsf(once - 1, declared, math.exp(-1)) + log_exactly < _RARE:
            raise ValueError(
                f"feature_kinds: {once} of {declared} levels of column {column} occur"
                " once; they look like the values of the sample, and must be known"
                " before it is seen"
            )
    return features


def n_orders(X: Any) -> int:
    """The number of orders in which splits cut the examples: one per feature, or two if
    values are missing.

    A split sends the missing values of a feature to one side, as if they were all
    smaller, or all larger, than the others. It is not known beforehand which features
    will have missing values, so all count twice.

    >>> from treebounds.risk.feature_kinds import n_orders
    >>> n_orders([[1.0, 2.0]]), n_orders([[1.0, float("nan")]])
    (2, 4)

    Parameters
    ----------
    X : (m, l) array or sparse matrix

    Returns
    -------
    int
        l, or 2 l.
    """
    values = X.data if issparse(X) else np.asarray(X)
    n_features = int(np.shape(X)[1])
    # A sum is quick, and not NaN if no value is; it may be NaN where it overflows.
    with np.errstate(over="ignore", invalid="ignore"):
        is_nan = bool(np.isnan(values.sum())) and bool(np.isnan(values).any())
    return 2 * n_features if is_nan else n_features


def _declared_levels(X: Any, feature_kinds: Any, n_features: int) -> dict[int, int]:
    """A dict from the positions of columns with finitely many values to their numbers
    of levels.
    """
    if isinstance(feature_kinds, str) and feature_kinds == "from_dtype":
        kinds = [getattr(kind, "categories", None) for kind in getattr(X, "dtypes", ())]
        return {i: len(kind) for i, kind in enumerate(kinds) if kind is not None}
    if not isinstance(feature_kinds, Mapping):
        forms = "'from_dtype', a dict from columns to numbers of levels, or None"
        raise InvalidParameterError(
            f"feature_kinds must be {forms}; got {shown(feature_kinds)}"
        )
    names = list(getattr(X, "columns", ()))
    levels: dict[int, int] = {}
    for key, declared in feature_kinds.items():
        if isinstance(key, str) and key not in names:
            raise ValueError(f"feature_kinds: X has no column {key!r}")
        if isinstance(key, str):
            column = names.index(key)
        else:
            column = check_integer(key, "feature_kinds: column", 0)
        if column >= n_features:
            raise ValueError(
                f"feature_kinds: X has the columns 0 to {n_features - 1}; got {column}"
            )
        levels[column] = check_integer(declared, "feature_kinds: number of levels")
    return levels
