"""Which columns of a sample have finitely many values, and how many splits that leaves a tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from treebounds._validation import check_integer, check_option
from treebounds.capacity.features import FeatureKinds
from treebounds.risk.growth_bounds import n_orders


def declared_levels(X: Any, categorical_features: Any) -> dict[int, int | None]:
    """From columns to their numbers of levels; None where these are left to be read off the sample.

    Parameters
    ----------
    X : array or data frame
        As it came.
    categorical_features : see :class:`treebounds.BoundPrunedTreeClassifier`

    Returns
    -------
    dict
        Keys are positions.
    """
    if categorical_features is None:
        return {}
    if isinstance(categorical_features, str):
        check_option(categorical_features, "categorical_features, when a word,", ("from_dtype",))
        kinds = [getattr(kind, "categories", None) for kind in getattr(X, "dtypes", ())]
        return {i: len(kind) for i, kind in enumerate(kinds) if kind is not None}
    names, n = list(getattr(X, "columns", ())), np.shape(X)[1]
    if not np.iterable(categorical_features):
        raise ValueError(
            "categorical_features must be 'from_dtype', a mask, a list, a dict or None; "
            f"got {categorical_features!r}"
        )
    given = list(categorical_features)
    if given and all(isinstance(one, bool | np.bool_) for one in given):
        if len(given) != n:
            raise ValueError(f"categorical_features: a mask has one entry a column; got {len(given)} for {n}")
        return dict.fromkeys(np.flatnonzero(given).tolist())
    levels: dict[int, int | None] = {}
    for one in given:
        if isinstance(one, str) and one not in names:
            raise ValueError(f"categorical_features: X has no column {one!r}")
        column = names.index(one) if isinstance(one, str) else check_integer(one, "categorical_features", 0)
        if column >= n:
            raise ValueError(f"categorical_features: X has the columns 0 to {n - 1}; got {column}")
        declared = categorical_features[one] if isinstance(categorical_features, dict) else None
        levels[column] = None if declared is None else check_integer(declared, "categorical_features")
    return levels


def features_of_sample(X: Any, levels: dict[int, int | None]) -> tuple[int | FeatureKinds, str]:
    """What a bound has to know of the columns, and why it is no certificate, if it is none.

    A split is a threshold, so a column with k levels offers k - 1 of them. Where values are missing a split
    also decides where these go: each threshold counts twice, and "missing or not" is a split of its own. That
    makes ``2 k - 1``, as many as 2 k levels offer.

    Parameters
    ----------
    X : (n_examples, n_features) array
    levels : dict
        See :func:`declared_levels`.
    """
    orders = n_orders(X)
    twice = orders // X.shape[1]
    flaw = "which features can be missing was read off the examples" if twice == 2 else ""
    if not levels:
        return orders, flaw
    if issparse(X):
        raise ValueError("categorical_features need a dense X")
    ordinal = []
    for column, declared in levels.items():
        values = np.unique(X[:, column])
        met = int((~np.isnan(values)).sum())
        if declared is not None and met > declared:
            raise ValueError(
                f"X: column {column} has {met} values; categorical_features says {declared} levels"
            )
        ordinal.append(twice * max(met if declared is None else declared, 2))
    if None in levels.values():
        flaw = "how many levels categorical features have was read off the examples"
    return FeatureKinds(real=twice * (X.shape[1] - len(levels)), ordinal=ordinal), flaw


def known_features(given: Any, X: Any, categorical_features: Any) -> int | FeatureKinds:
    """What a certificate may know of the columns, or a ValueError if it was left to be read off the sample.

    Parameters
    ----------
    given : array or data frame
        The sample as it came.
    X : (n_examples, n_features) array
        The same as numbers, without missing values.
    categorical_features : see :class:`treebounds.BoundPrunedTreeClassifier`
    """
    levels = declared_levels(given, categorical_features)
    for column, declared in levels.items():
        if declared is None:
            raise ValueError(
                f"categorical_features must say how many levels column {column} has, as in {{{column}: 2}}: "
                "a number that is read off the sample certifies nothing"
            )
    return features_of_sample(X, levels)[0]
