"""Rows of examples as numbers: frames, objects, categories, and the order of
columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import check_array

# pandas has names of categories in its columns, NumPy does not.
_CATEGORY = "category"


def read_rows(
    X: Any,
    dtype: np.dtype[Any],
    n_features: int,
    feature_names: Sequence[str] | None,
    category_names: Mapping[int, Sequence[Any]] | None,
    by_category: Sequence[int],
) -> NDArray[Any]:
    """X as an array of numbers, read as scikit-learn reads it.

    Parameters
    ----------
    X : array, list of rows, or frame
    dtype : numpy dtype
    n_features : int
    feature_names : sequence of str, optional
        The columns that a frame must have, in this order.
    category_names : mapping from int to sequence, optional
        The names of the categories 0, 1, ... of some features; a column of a frame
        becomes the numbers of its categories.
    by_category : sequence of int
        Features that are asked for the number of a category.

    Returns
    -------
    (n_examples, n_features) array

    Raises
    ------
    ValueError
        If columns are missing, unknown or in another order, or do not hold numbers; the
        error names them.
    """
    if issparse(X):
        raise ValueError(
            "X is sparse; give dense rows: X.toarray() if absent entries are zeros, as"
            " in scikit-learn and LightGBM, and NaN in their place if they are missing"
            " values, as in XGBoost"
        )
    if hasattr(X, "columns"):
        _check_names(X, feature_names)
        X = _with_codes(X, category_names, by_category)

    array = _numbers(X, dtype)
    if array.ndim != 2 or array.shape[1] != n_features:
        raise ValueError(
            f"X must have shape (n_examples, {n_features}); got {array.shape}"
        )
    return array


def _check_names(frame: Any, names: Sequence[str] | None) -> None:
    """A ValueError if frame and tree both have names, and not the same in order."""
    columns = list(frame.columns)
    if names is None or not all(isinstance(column, str) for column in columns):
        return

    if set(columns) != set(names):
        # LightGBM writes blanks in names as "_".
        columns = [column.replace(" ", "_") for column in columns]
    if columns == list(names):
        return

    missing = [name for name in names if name not in columns]
    unknown = sorted(set(columns) - set(names))
    if missing or unknown:
        raise ValueError(
            f"X must have the columns of the tree; missing: {_listed(missing)};"
            f" unknown: {_listed(unknown)}"
        )
    if len(set(columns)) < len(columns):
        raise ValueError("X has several columns of the same name")

    pairs = zip(columns, names, strict=True)
    column, expected = next(pair for pair in pairs if pair[0] != pair[1])
    raise ValueError(
        "X must have its columns in the order in which the tree was grown: it has"
        f" {column!r} where the tree has {expected!r}; put them in order with"
        " X[names], where names are the columns at that time"
    )


def _with_codes(
    frame: Any,
    names: Mapping[int, Sequence[Any]] | None,
    by_category: Sequence[int],
) -> Any:
    """The frame with the numbers of categories in place of columns of categories.

    A category without a number is a missing value. Without names at all, values that
    are numbers stay as they are, as in scikit-learn, unless the tree asks for the
    number of a category.
    """
    numbered = {}
    for feature, column in _categorical(frame):
        if names is not None and feature in names:
            numbered[column] = _codes_of(frame[column], column, names[feature])
        elif names is not None or feature in by_category:
            raise ValueError(
                f"X: column {column!r} is categorical, and the tree does not know the"
                " numbers of its categories; give the numbers (column.cat.codes in"
                " pandas, NaN for missing values) that the model was fitted to"
            )
    if not numbered:
        return frame

    frame = frame.copy(deep=False)
    for column, codes in numbered.items():
        frame[column] = codes
    return frame


def _codes_of(values: Any, name: Any, categories: Sequence[Any]) -> NDArray[Any]:
    """The numbers that a tree gives to the categories of a column, NaN for others; a
    ValueError if it knows none of them.
    """
    code_of = {category: code for code, category in enumerate(categories)}
    own = values.cat
    if len(own.categories) and not code_of.keys() & set(own.categories):
        raise ValueError(
            f"X: column {name!r} has none of the categories of the tree:"
            f" {_listed(list(map(str, code_of)))}"
        )
    # The last entry is the code of a missing value, -1 in pandas.
    table = [code_of.get(category, np.nan) for category in own.categories] + [np.nan]
    codes: NDArray[Any] = np.array(table, dtype=float)[own.codes.to_numpy()]
    return codes


def _categorical(frame: Any) -> Iterator[tuple[int, Any]]:
    """Place and name of each column of categories."""
    dtypes = list(getattr(frame, "dtypes", ()))
    for place, (column, dtype) in enumerate(zip(frame.columns, dtypes, strict=False)):
        if str(dtype) == _CATEGORY:
            yield place, column


@np.errstate(over="ignore")  # Numbers beyond float32 become infinite.
def _numbers(X: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    """X as an array of numbers, or a ValueError that names the columns."""
    if isinstance(X, np.ndarray) and X.dtype.kind in "biuf":
        return np.asarray(X, dtype=dtype, order="C")
    try:
        if not hasattr(X, "columns"):
            X = np.asarray(X)
            if X.dtype.kind not in "biufO":
                raise TypeError
        array: NDArray[Any] = check_array(
            X,
            dtype=dtype,
            order="C",
            ensure_all_finite=False,
            ensure_2d=False,
            allow_nd=True,
            ensure_min_samples=0,
            ensure_min_features=0,
        )
    except (TypeError, ValueError):
        raise ValueError(_reason(X)) from None
    return array


def _reason(X: Any) -> str:
    """Why X is not an array of numbers, with the columns that are at fault."""
    if hasattr(X, "columns"):
        wrong = [str(name) for name in X.columns if not _is_numeric(X[name])]
        if wrong:
            return (
                f"X: columns must hold numbers; {_listed(wrong)} must be encoded first,"
                " as when the model was fitted"
            )
    kind = getattr(X, "dtype", type(X).__name__)
    return f"X must be an array of numbers; got {kind}"


def _is_numeric(column: Any) -> bool:
    """Whether a column can be read as numbers."""
    values = np.asarray(column)
    if values.dtype.kind not in "biufO":
        return False
    try:
        check_array(column, dtype=float, ensure_2d=False, ensure_all_finite=False)
    except (TypeError, ValueError):
        return False
    return True


def _listed(names: Sequence[str]) -> str:
    """At most five names in a row."""
    if not names:
        return "none"
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(repr(name) for name in names[:5]) + more
