"""Do rows hold the extreme values that a scaler keeps of its rows?

A scaler to a range keeps the smallest and the largest value of each column. The rows
that it was fitted to hold all of them, and those of numbers with many digits mostly in
a single row.

**Other rows hardly hold them like this.** The values are given; let independent cases
judge. The number of them that have a value is, about, a Poisson number with some mean
L, so it is 1 with probability L exp(-L), at most exp(-1), and 0 with probability
exp(-L). Of different rows these numbers are independent. Say that of K different values
at most M occur in no row, and that R rows hold one alone. The probability of this is at
most that of two events for K' <= K independent numbers with the same mean, for the
worst K' and L: at most M of them are 0, and at least R are 1, as those that are not 0
are with probability L exp(-L) / (1 - exp(-L)). The rows are refused if it is at most
1/10,000, which takes ten values. Ranks, or columns that were each scaled to the same
range, have few different extreme values.

*What it finds.* All rows of a table with 5 normal columns, and of those on breast
cancer and wine, with 30 and 13 columns, alone or with four tenths as many others. The
rows of tables whose extreme values are held by several rows are not recognized, such as
those on diabetes and digits, nor is a part of the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from scipy.stats import binom
from sklearn.utils.validation import check_array

from treebounds.risk.models.inner_models import InnerModel
from treebounds.risk.rows.entries import as_float32

# Other rows hold the values like this with at most this probability.
_CHANCE = 1e-4

# The means L that are tried, and how many numbers K'.
_MEANS = np.geomspace(0.2, 8.0, 60)
_N_NUMBERS = 30


class KeptExtremes(NamedTuple):
    """Extreme values that a step keeps of the rows that it was fitted to.

    Attributes
    ----------
    values : list of (n_columns,) arrays
        NaN for a value that is left out.
    n_rows : int
        The number of rows.
    is_absolute : bool
        Whether they are those of the numbers without their signs.
    """

    values: list[NDArray[Any]]
    n_rows: int
    is_absolute: bool

    def n_values(self) -> int:
        """The number of values."""
        return int(np.count_nonzero(~np.isnan(self.values)))


# From the names of scikit-learn's classes to how their extreme values are read.
_READERS: dict[str, Callable[[Any], list[Any]]] = {
    "MinMaxScaler": lambda scaler: [scaler.data_min_, scaler.data_max_],
    "MaxAbsScaler": lambda scaler: [scaler.max_abs_],
}


def kept_extremes(model: Any) -> KeptExtremes | None:
    """The extreme values that a fitted step of scikit-learn keeps, if they are enough;
    else None. Of equal values only one is taken.

    >>> import numpy as np
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from treebounds.risk.reuse.column_extremes import kept_extremes
    >>> rows = np.random.default_rng(0).normal(size=(100, 7))
    >>> kept_extremes(MinMaxScaler().fit(rows)).n_values()
    14
    >>> kept_extremes(MinMaxScaler().fit(rows[:, :4])) is None
    True

    Parameters
    ----------
    model : object
    """
    name = type(model).__name__
    if name not in _READERS or not type(model).__module__.startswith("sklearn."):
        return None
    values = np.array(_READERS[name](model), dtype=float)
    # Values that are equal but for rounding may be those of a common range.
    first = np.unique(as_float32(values), return_index=True)[1]
    is_first = np.zeros(values.size, dtype=bool)
    is_first[first] = True
    # The value 0 is held by many rows, and not listed in sparse tables.
    values[~is_first.reshape(values.shape) | (values == 0)] = np.nan
    kept = KeptExtremes(list(values), model.n_samples_seen_, name == "MaxAbsScaler")
    n_values = kept.n_values()
    return kept if chance_of_holders(n_values, 0, n_values) <= _CHANCE else None


class ExtremeCounter:
    """How many rows hold the extreme values, batch by batch, as they reach a step.

    >>> import numpy as np
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from treebounds.risk.models.inner_models import InnerModel
    >>> from treebounds.risk.reuse.column_extremes import ExtremeCounter, kept_extremes
    >>> rows = np.random.default_rng(0).normal(size=(100, 7))
    >>> scaler = MinMaxScaler().fit(rows)
    >>> counter = ExtremeCounter(InnerModel(scaler), kept_extremes(scaler))
    >>> counter.add_rows(rows, np.zeros(100))
    >>> counter.agrees()
    True

    Parameters
    ----------
    inner : InnerModel
        The step.
    kept : KeptExtremes
    """

    def __init__(self, inner: InnerModel, kept: KeptExtremes) -> None:
        self.inner = inner
        self._kept = kept
        self._n_rows = 0
        # For each value how many rows hold it, and the number of one of them.
        self._numbers = np.zeros(np.shape(kept.values), dtype=np.int64)
        self._holders = np.zeros(np.shape(kept.values), dtype=np.int64)

    def add_rows(self, X: Any, labels: NDArray[Any]) -> None:
        """Add further rows."""
        rows, labels = self.inner.sample(X, labels)
        if not len(labels):
            return
        table = check_array(
            rows, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False
        )
        table = np.abs(table) if self._kept.is_absolute else table
        for place, values in enumerate(self._kept.values):
            numbers, holders = _held(table, values)
            self._numbers[place] += numbers
            found = numbers > 0
            self._holders[place, found] = self._n_rows + holders[found]
        self._n_rows += len(labels)

    def agrees(self) -> bool:
        """Whether the rows hold the extreme values as others hardly do."""
        n_values = self._kept.n_values()
        n_missing = n_values - np.count_nonzero(self._numbers)
        n_holders = len(np.unique(self._holders[self._numbers == 1]))
        return chance_of_holders(n_values, int(n_missing), n_holders) <= _CHANCE


def chance_of_holders(n_values: int, n_missing: int, n_holders: int) -> float:
    """The probability, about and at most, that of K given values at most M occur in no
    row of independent cases, and that R different rows hold one alone.

    >>> from treebounds.risk.reuse.column_extremes import chance_of_holders
    >>> round(chance_of_holders(10, 0, 10), 6), round(chance_of_holders(10, 1, 5), 2)
    (4.5e-05, 0.14)

    Parameters
    ----------
    n_values, n_missing, n_holders : int
        K, M and R.
    """
    if n_holders == 0:
        return 1.0
    K = np.unique(np.linspace(n_holders, n_values, _N_NUMBERS).astype(int))[:, None]
    p_missing = np.exp(-_MEANS)
    p_single = _MEANS * p_missing / (1 - p_missing)
    few_missing = binom.cdf(n_missing, K, p_missing)
    many_single = binom.sf(n_holders - 1, K, p_single)
    return float((few_missing * many_single).max())


def _held(table: Any, values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """How many rows of a table hold the given value of each column, and the number of
    one of them.
    """
    if issparse(table):
        entries = table.tocoo()
        is_value = entries.data == values[entries.col]
        columns = entries.col[is_value]
        holders = np.zeros(len(values), dtype=np.int64)
        holders[columns] = entries.row[is_value]
        return np.bincount(columns, minlength=len(values)), holders
    is_value = table == values
    # Few rows hold such a value, if columns have many.
    rows = np.flatnonzero(is_value.any(axis=1))
    is_value = is_value[rows]
    if not len(rows):
        nowhere = np.zeros(len(values), dtype=np.int64)
        return nowhere, nowhere
    return np.count_nonzero(is_value, axis=0), rows[is_value.argmax(axis=0)]
