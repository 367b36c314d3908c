"""Rows and columns of tables: arrays, data frames, sparse matrices and lists."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse, vstack

from treebounds._validation import name_of_type


@dataclass(frozen=True, eq=False)
class Table:
    """A table that was read once, by :func:`as_table`: all else asks for its columns.

    Attributes
    ----------
    values : array, sparse matrix, or frame
        A frame only if it holds more than numbers.
    """

    values: Any

    def __len__(self) -> int:
        return int(self.values.shape[0])

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return int(self.values.shape[1])

    @property
    def is_sparse(self) -> bool:
        """Whether it is a sparse matrix."""
        return bool(issparse(self.values))

    @property
    def has_numbers(self) -> bool:
        """Whether it is an array of numbers."""
        values = self.values
        return isinstance(values, np.ndarray) and values.dtype.kind in "biuf"

    @cached_property
    def by_columns(self) -> Any:
        """The values in a form from which columns are taken."""
        return self.values.tocsc() if self.is_sparse else self.values

    def column(self, column: int) -> NDArray[Any]:
        """The entries of a column."""
        if self.is_sparse:
            return np.asarray(self._columns([column]).toarray().ravel())
        return np.asarray(self._columns(column))

    def first_columns(self, n_columns: int) -> Table:
        """The table of its first columns."""
        return Table(self._columns(slice(n_columns)))

    def without_columns(self, columns: list[int]) -> Table:
        """The table without some of its columns."""
        kept = np.setdiff1d(np.arange(self.n_columns), columns)
        return Table(self._columns(kept))

    def _columns(self, columns: Any) -> Any:
        """One column, or several, by their places."""
        if hasattr(self.values, "iloc"):
            return self.values.iloc[:, columns]
        return self.by_columns[:, columns]


def as_table(X: Any) -> Table:
    """A table as it is; of anything else the table with a row for each example.

    >>> import numpy as np
    >>> from treebounds.risk.rows.tables import as_table
    >>> images = as_table(np.zeros((5, 2, 3)))
    >>> len(images), images.n_columns, as_table(["a text", "another"]).n_columns
    (5, 6, 1)
    >>> as_table([[1, 2, 3]]).without_columns([1]).values
    array([[1, 3]])

    Parameters
    ----------
    X : array, frame, sparse matrix, list or Table
        A list of texts is one column.

    Returns
    -------
    Table
    """
    if isinstance(X, Table):
        return X
    if issparse(X):
        return Table(X)
    if hasattr(X, "iloc") and len(X.shape) == 2:
        kinds = {getattr(dtype, "kind", "O") for dtype in X.dtypes}
        if kinds - set("biuf"):
            return Table(X)
    values = np.asarray(X)
    if values.ndim != 2:
        values = values.reshape(len(values), -1)
    return Table(values)


def check_table(X: Any, name: str) -> int:
    """Return the number of rows of a table, or raise a ValueError if it is none.

    >>> from treebounds.risk.rows.tables import check_table
    >>> check_table([[1, 2], [3, 4]], "X")
    2
    >>> check_table(5, "X")
    Traceback (most recent call last):
    ValueError: X must be an array, a frame, a sparse matrix or a list, with a row for
    each case; got int

    Parameters
    ----------
    X : object
    name : str
        The name of the argument.
    """
    if isinstance(X, list | tuple):
        return len(X)
    if getattr(X, "shape", ()):
        return int(X.shape[0])
    raise ValueError(
        f"{name} must be an array, a frame, a sparse matrix or a list, with a row for"
        f" each case; got {name_of_type(X)}"
    )


def stacked(tables: list[Table]) -> Table:
    """Tables of the same columns as one.

    >>> from treebounds.risk.rows.tables import as_table, stacked
    >>> stacked([as_table([[1.0]]), as_table([[2.0]])]).values.tolist()
    [[1.0], [2.0]]
    """
    if all(table.is_sparse for table in tables):
        return Table(vstack([table.values for table in tables], format="csc"))
    return Table(np.concatenate([np.asarray(table.values) for table in tables]))


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


def are_of_32_bits(X: Any) -> list[bool]:
    """Of each column of a frame, or of an array as a whole, whether it holds 32-bit
    floats.

    >>> import pandas as pd
    >>> from treebounds.risk.rows.tables import are_of_32_bits
    >>> are_of_32_bits(pd.DataFrame({"a": [1.0], "b": [2]}).astype({"a": "float32"}))
    [True, False]
    >>> are_of_32_bits([[1.0]])
    [False]
    """
    types = getattr(X, "dtypes", None)
    if types is None:
        types = [getattr(X, "dtype", None)]
    return [str(each).lower() == "float32" for each in types]


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
