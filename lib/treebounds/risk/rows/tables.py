"""Rows and columns of tables: arrays, data frames, sparse matrices and lists."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse, vstack


def as_rows(X: Any) -> Any:
    """A data frame that holds more than numbers as it is; anything else as a matrix
    with a row for each example.

    >>> import numpy as np
    >>> from treebounds.risk.rows.tables import as_rows
    >>> as_rows(np.zeros((5, 2, 3))).shape, as_rows(["a text", "another"]).shape
    ((5, 6), (2, 1))
    """
    if hasattr(X, "iloc") and len(X.shape) == 2:
        kinds = {getattr(dtype, "kind", "O") for dtype in X.dtypes}
        if kinds - set("biuf"):
            return X
    values = np.asarray(X)
    if values.ndim == 2:
        return values
    # A list of texts is one column.
    return values.reshape(len(values), -1)


def copied(X: Any) -> Any:
    """A copy of an array, a sparse matrix, a frame or a list; what cannot be copied, as
    frames that are never written to, as it is.

    >>> import numpy as np
    >>> from treebounds.risk.rows.tables import copied
    >>> copied(np.array([[1], [2]])).tolist()
    [[1], [2]]
    """
    return X.copy() if hasattr(X, "copy") else X


def take(X: Any, rows: NDArray[np.intp]) -> Any:
    """Some rows of an array, a sparse matrix, a data frame or a list of rows.

    >>> import numpy as np
    >>> from treebounds.risk.rows.tables import take
    >>> take(np.array([[1], [2], [3]]), np.array([2, 0])).tolist()
    [[3], [1]]
    """
    if isinstance(X, list | tuple):
        return [X[row] for row in rows]
    if issparse(X):
        # Other forms of sparse matrices have no rows to take.
        return X.tocsr()[rows]
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def column_of(rows: Any, column: int) -> Any:
    """The entries of one column of what :func:`as_rows` returns, or of a sparse matrix.

    >>> import numpy as np
    >>> from treebounds.risk.rows.tables import column_of
    >>> column_of(np.array([[1, 2], [3, 4]]), 1)
    array([2, 4])
    """
    if issparse(rows):
        return rows[:, [column]].toarray().ravel()
    if hasattr(rows, "iloc"):
        return np.asarray(rows.iloc[:, column])
    return rows[:, column]


def first_columns(table: Any, n_columns: int) -> Any:
    """The first columns of an array, a frame or a sparse matrix.

    >>> import numpy as np
    >>> from treebounds.risk.rows.tables import first_columns
    >>> first_columns(np.array([[1, 2, 3]]), 2).tolist()
    [[1, 2]]
    """
    if hasattr(table, "iloc"):
        return table.iloc[:, :n_columns]
    if issparse(table):
        return table.tocsr()[:, :n_columns]
    return table[:, :n_columns]


def without_columns(X: Any, columns: list[int]) -> Any:
    """A table without some of its columns.

    >>> from treebounds.risk.rows.tables import without_columns
    >>> without_columns([[1, 2, 3]], [1]).tolist()
    [[1, 3]]
    """
    table = X.tocsc() if issparse(X) else as_rows(X)
    kept = np.setdiff1d(np.arange(table.shape[1]), columns)
    return table.iloc[:, kept] if hasattr(table, "iloc") else table[:, kept]


def stacked(tables: list[Any]) -> Any:
    """Tables of the same columns as one: frames, sparse matrices or arrays.

    >>> from treebounds.risk.rows.tables import stacked
    >>> stacked([[[1.0]], [[2.0]]]).tolist()
    [[1.0], [2.0]]
    """
    if all(issparse(table) for table in tables):
        return vstack(tables, format="csc")
    return np.concatenate([np.asarray(as_rows(table)) for table in tables])


def names_of_columns(X: Any) -> list[str]:
    """The names of the columns of a frame; of other tables an empty list.

    >>> from treebounds.risk.rows.tables import names_of_columns
    >>> names_of_columns([[1.0, 2.0]])
    []
    """
    columns = list(getattr(X, "columns", ()))
    are_names = all(isinstance(name, str) for name in columns)
    if are_names and len(set(columns)) == len(columns):
        return columns
    return []


def in_order(X: Any, names: list[str]) -> Any:
    """A frame with the columns of these names only, in their order, if it has them all;
    other tables as they are.

    >>> import pandas as pd
    >>> from treebounds.risk.rows.tables import in_order
    >>> frame = pd.DataFrame({"a": [1], "b": [2], "c": [3]})
    >>> list(in_order(frame, ["c", "a"])), list(in_order(frame, ["d"]))
    (['c', 'a'], ['a', 'b', 'c'])
    """
    own = names_of_columns(X)
    if not names or own == names or not set(names) <= set(own):
        return X
    return X[names]


@contextmanager
def rows_without_names() -> Iterator[None]:
    """Rows of a frame whose columns were checked are an array without names, about
    which a tree need not warn.

    >>> from treebounds.risk.rows.tables import rows_without_names
    >>> with rows_without_names():
    ...     pass
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        yield
