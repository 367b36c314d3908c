"""Are the means of columns those that a step of a model keeps of its rows?

Scalers, imputers and others keep the mean of each column of the rows that they were
fitted to, regressions with an intercept the mean of y - X b, and boosted ones that of
y. If a sample has the same means in all columns, within rounding, it is taken for these
rows.

**Other rows hardly have these means.** Let the sample be m independent cases, whatever
the model was made from, and let no row, nor the sum of a row's entries times any fixed
numbers, have a probability above 1/k. Choose such numbers at random: different rows
then have different sums. If all means agree, so does the mean of these sums. The
probability that m independent numbers have a given sum is at most the largest one of m
numbers that are uniform on 1, ..., k (Leader and Radcliffe 1994; for vectors,
arXiv:1912.08770), which is about

    sqrt(6 / (pi m (k^2 - 1))).

Rows are refused if this is below 0.01. The sample tells k by its most frequent row
only, so the probability of a false alarm is an estimate. It takes 44 rows that are all
different. With a continuous column only rounding makes means agree, with a probability
below 0.001. Sums of 32-bit floats are rounded more, so that they say nothing of samples
of more than some thousand rows, or with means far from 0.

**Some means are the same by construction**, as in samples that were scaled one by one,
in ranks, in designs, and after a split by the values of a column. So columns are no
evidence whose mean has at most two significant digits, as 0, 50 and 100 have, or lies
in the middle between the smallest and the largest value, nor are tables in which fewer
than a tenth of the rows are different from all others.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import is_regressor
from sklearn.utils.validation import check_array

from treebounds.risk.models.inner_models import InnerModel
from treebounds.risk.rows.row_hashes import RowHashes
from treebounds.risk.rows.tables import are_of_32_bits

# Relative difference of two means of the same numbers, by rounding.
_TOLERANCE = 1e-10
_TOLERANCE_OF_32_BITS = 1e-6

# The same for a sum of 32-bit floats, whose errors add up like the steps of a random
# walk: the length of a step.
_STEP_OF_32_BITS = float(np.finfo(np.float32).eps)

# Other rows that agree with at least this probability are not refused.
_CHANCE = 0.01

# The largest such probability that is due to the tolerance.
_CHANCE_OF_ROUNDING = 1e-3

# A split by values needs each of them twice: fewer rows are different from all others.
_LEAST_SINGLE = 0.1

# Significant digits of means that a sample may have been given.
_DIGITS = 2

# The most frequent row is looked for among the first ones.
_FIRST = 1000


class KeptMeans(NamedTuple):
    """Means of columns that a step keeps of the rows that it was fitted to.

    Attributes
    ----------
    means : (n_columns,) array of float
    n_rows : int or None
        The number of rows; None if it is not known.
    values : function or None
        From rows and their labels to the table of which these are the means; None if it
        is that of the rows.
    of_labels : bool
        Whether it is the mean of the labels.
    tolerance : float
        Relative difference of two means of the same numbers, by rounding.
    is_of_32_bits : bool
        Whether they were computed with 32-bit floats.
    """

    means: NDArray[np.float64]
    n_rows: int | None = None
    values: Callable[[Any, NDArray[Any]], Any] | None = None
    of_labels: bool = False
    tolerance: float = _TOLERANCE
    is_of_32_bits: bool = False

    def can_be_of(self, n_rows: int | None) -> bool:
        """Whether they can be those of as many rows, if this is known."""
        return n_rows is None or self.n_rows in (None, n_rows)


def kept_means(model: Any) -> KeptMeans | None:
    """The means that a fitted step keeps of its rows; None if it keeps none.

    >>> from sklearn.preprocessing import StandardScaler
    >>> from treebounds.risk.reuse.column_means import kept_means
    >>> reference = kept_means(StandardScaler().fit([[1.0, 2.0], [2.0, 5.0]]))
    >>> reference is not None and (reference.means.tolist(), reference.n_rows)
    ([1.5, 3.5], 2)

    Parameters
    ----------
    model : object
        A fitted step of scikit-learn, or a model of XGBoost; others keep none.
    """
    for kind in type(model).__mro__:
        library = kind.__module__.partition(".")[0]
        if library in ("sklearn", "xgboost") and kind.__name__ in _READERS:
            reference = _READERS[kind.__name__](model)
            if reference is None or reference.means.dtype == np.float64:
                return reference
            if reference.means.dtype != np.float32:
                return None
            means = reference.means.astype(np.float64)
            return reference._replace(means=means, is_of_32_bits=True)
    return None


def _of_scaler(scaler: Any) -> KeptMeans | None:
    """Those of a StandardScaler."""
    if getattr(scaler, "mean_", None) is None:
        return None
    # Where values are missing there is a number for each column.
    n_rows = scaler.n_samples_seen_
    if np.ndim(n_rows):
        return KeptMeans(scaler.mean_, None)
    return KeptMeans(scaler.mean_, int(n_rows))


def _of_decomposition(decomposition: Any) -> KeptMeans | None:
    """Those of principal components and other decompositions."""
    if getattr(decomposition, "mean_", None) is None:
        return None
    n_rows = getattr(decomposition, "n_samples_", None)
    return KeptMeans(decomposition.mean_, n_rows)


def _of_imputer(imputer: Any) -> KeptMeans | None:
    """Those of a SimpleImputer that fills in means."""
    # A NaN that was read from a pickle is not the object np.nan.
    missing = imputer.missing_values
    is_nan = isinstance(missing, float) and math.isnan(missing)
    if imputer.strategy != "mean" or not is_nan:
        return None
    return KeptMeans(imputer.statistics_)


def _of_naive_bayes(model: Any) -> KeptMeans:
    """Those of all classes of a GaussianNB together."""
    numbers = model.class_count_
    return KeptMeans(numbers @ model.theta_ / numbers.sum(), round(numbers.sum()))


def _of_discriminant_analysis(model: Any) -> KeptMeans:
    """Those of all classes of a discriminant analysis together, if its priors are the
    shares of the classes.
    """
    return KeptMeans(np.asarray(model.priors_) @ np.asarray(model.means_))


def _of_linear_model(model: Any) -> KeptMeans | None:
    """The intercept of a linear regression, which is the mean of y - X b."""
    if not is_regressor(model) or not getattr(model, "fit_intercept", False):
        return None
    if np.ndim(model.coef_) != 1:
        return None

    def values(X: Any, y: NDArray[Any]) -> NDArray[np.float64]:
        remainders: NDArray[np.float64] = (y - X @ model.coef_)[:, np.newaxis]
        return remainders

    # It is a number, or an array of one.
    intercepts = np.ravel(np.asarray(model.intercept_, dtype=model.coef_.dtype))
    return KeptMeans(intercepts, None, values)


def _of_gradient_boosting(model: Any) -> KeptMeans | None:
    """The mean of y from which a GradientBoostingRegressor starts."""
    return _of_start(model, getattr(model.init_, "constant_", None))


def _of_histogram_boosting(model: Any) -> KeptMeans | None:
    """The mean of y from which a HistGradientBoostingRegressor starts."""
    return _of_start(model, getattr(model, "_baseline_prediction", None))


def _of_start(model: Any, start: Any) -> KeptMeans | None:
    """The number from which boosting starts, if it is the mean of y."""
    if model.loss != "squared_error" or start is None:
        return None
    return KeptMeans(np.ravel(start), of_labels=True)


def _of_xgboost(model: Any) -> KeptMeans | None:
    """The mean of y from which an XGBRegressor starts."""
    learner = json.loads(model.get_booster().save_config())["learner"]
    if learner["objective"]["name"] != "reg:squarederror":
        return None
    mean = json.loads(learner["learner_model_param"]["base_score"])
    means = np.atleast_1d(np.asarray(mean, dtype=float))
    return KeptMeans(means, of_labels=True, tolerance=_TOLERANCE_OF_32_BITS)


# From the names of classes to how their means are read.
_READERS: dict[str, Callable[[Any], KeptMeans | None]] = {
    "StandardScaler": _of_scaler,
    "PCA": _of_decomposition,
    "IncrementalPCA": _of_scaler,
    "FactorAnalysis": _of_decomposition,
    "FastICA": _of_decomposition,
    "SimpleImputer": _of_imputer,
    "IterativeImputer": lambda imputer: _of_imputer(imputer.initial_imputer_),
    "GaussianNB": _of_naive_bayes,
    "LinearDiscriminantAnalysis": _of_discriminant_analysis,
    "QuadraticDiscriminantAnalysis": _of_discriminant_analysis,
    "LinearModel": _of_linear_model,
    "GradientBoostingRegressor": _of_gradient_boosting,
    "HistGradientBoostingRegressor": _of_histogram_boosting,
    "XGBRegressor": _of_xgboost,
}


class MeanCounter:
    """The means of the columns of rows that come batch by batch, as they reach a step.

    >>> import numpy as np
    >>> from sklearn.preprocessing import StandardScaler
    >>> from treebounds.risk.models.inner_models import InnerModel
    >>> from treebounds.risk.reuse.column_means import KeptMeans, MeanCounter
    >>> rows = np.random.default_rng(0).normal(size=(100, 2))
    >>> scaler = StandardScaler().fit(rows)
    >>> reference = KeptMeans(scaler.mean_)
    >>> own, other = (MeanCounter(InnerModel(scaler), reference) for _ in "ab")
    >>> own.add_rows(rows, np.zeros(100))
    >>> other.add_rows(rows + 1e-3, np.zeros(100))
    >>> own.agrees(), other.agrees()
    (True, False)

    Parameters
    ----------
    inner : InnerModel
        The step.
    reference : KeptMeans
        Those that the step keeps.
    in_batches : bool
        Whether the rows may come in several tables.
    """

    def __init__(
        self, inner: InnerModel, reference: KeptMeans, *, in_batches: bool = True
    ) -> None:
        self.inner = inner
        self._reference = reference
        self._in_batches = in_batches
        self._is_of_32_bits = reference.is_of_32_bits
        n_columns = len(reference.means)
        self._n_rows = 0
        self._first: Any = None
        # Of each column the number of values, their sum, and the extreme ones.
        self._numbers = np.zeros(n_columns)
        self._sums = np.zeros(n_columns)
        self._lowest = np.full(n_columns, np.inf)
        self._highest = np.full(n_columns, -np.inf)

    def add_rows(self, X: Any, labels: NDArray[Any]) -> None:
        """Add further rows."""
        if not len(labels):
            return
        self._is_of_32_bits |= not self._reference.of_labels and any(are_of_32_bits(X))
        table, labels = self._table(X, labels)
        if self._first is None:
            self._first = table[:_FIRST]
        self._n_rows += len(labels)
        sums = np.ravel(table.sum(axis=0))
        self._numbers += len(labels)
        if np.isnan(sums).any() and not issparse(table):
            self._numbers -= np.count_nonzero(np.isnan(table), axis=0)
            sums = np.nansum(table, axis=0)
        self._sums += sums
        # In most samples the means are others, and the extreme values do not matter.
        if self._in_batches or self._are_same():
            lowest, highest = _extremes(table)
            self._lowest = np.fmin(self._lowest, lowest)
            self._highest = np.fmax(self._highest, highest)

    def _table(self, X: Any, labels: NDArray[Any]) -> tuple[Any, NDArray[Any]]:
        """The table of which the means are kept, and the labels."""
        if self._reference.of_labels:
            own = np.asarray(self.inner.labels(labels), dtype=float)
            return own[:, np.newaxis], own
        rows, own = self.inner.sample(X, labels)
        table = check_array(
            rows,
            accept_sparse="csr",
            dtype=np.float64,
            ensure_all_finite=False,
            ensure_min_samples=0,
        )
        if self._reference.values is not None:
            table = self._reference.values(table, own)
        return table, own

    def agrees(self) -> bool:
        """Whether the means are those that the step keeps, as others hardly are."""
        if not self._n_rows or not self._are_same():
            return False

        means = self._reference.means
        rounded = np.array([float(f"{mean:.{_DIGITS - 1}e}") for mean in means])
        middle = (self._lowest + self._highest) / 2
        distances = np.abs([means - rounded, means - middle]).min(axis=0)
        allowed = self._allowed()
        # Means of other rows differ by about as much.
        differences = _spread(self._first) / math.sqrt(self._n_rows)
        is_inexact = allowed > _CHANCE_OF_ROUNDING * differences
        columns = np.flatnonzero((distances > allowed) & ~is_inexact)
        return self._chance(columns) < _CHANCE

    def _are_same(self) -> bool:
        """Whether there are as many rows, with the same means."""
        if not self._reference.can_be_of(self._n_rows):
            return False
        # A column without any value has no mean.
        means = self._sums / np.maximum(self._numbers, 1)
        is_other = np.abs(means - self._reference.means) > self._allowed()
        return not is_other[self._numbers > 0].any()

    def _allowed(self) -> NDArray[np.float64]:
        """How far equal means may be apart, by rounding."""
        sizes = np.abs(self._reference.means) + _spread(self._first)
        tolerance = self._reference.tolerance
        if self._is_of_32_bits:
            tolerance = max(tolerance, _STEP_OF_32_BITS * math.sqrt(self._n_rows))
        return tolerance * sizes

    def _chance(self, columns: NDArray[np.intp]) -> float:
        """The probability that other rows agree in these columns, at most; see the head
        of this module.
        """
        if not len(columns):
            return 1.0
        numbers = RowHashes(self._first[:, columns]).of_all()
        counts = np.unique(numbers, return_counts=True)[1]
        if np.count_nonzero(counts == 1) < _LEAST_SINGLE * len(numbers):
            return 1.0
        return chance_of_a_sum(self._n_rows, len(numbers) // (int(counts.max()) + 1))


def chance_of_a_sum(m: int, k: int) -> float:
    """The largest probability, about, that m independent numbers have a given sum, if
    none of them has any value with a probability above 1/k.

    >>> from treebounds.risk.reuse.column_means import chance_of_a_sum
    >>> round(chance_of_a_sum(100, 2), 4), round(chance_of_a_sum(100, 50), 4)
    (0.0798, 0.0028)
    """
    if k < 2:
        return 1.0
    return math.sqrt(6 / (math.pi * m * (k**2 - 1)))


def _extremes(table: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The smallest and the largest values of the columns of an array or of a sparse
    matrix.
    """
    if issparse(table):
        lowest, highest = table.min(axis=0), table.max(axis=0)
        return np.ravel(lowest.toarray()), np.ravel(highest.toarray())
    return np.fmin.reduce(table, axis=0), np.fmax.reduce(table, axis=0)


def _spread(table: Any) -> NDArray[np.float64]:
    """The standard deviation of each column of an array or of a sparse matrix."""
    if issparse(table):
        squares = np.ravel(table.multiply(table).mean(axis=0))
        means = np.ravel(table.mean(axis=0))
        variances: NDArray[np.float64] = np.maximum(squares - means**2, 0.0)
        return np.sqrt(variances)
    deviations: Any = np.ma.masked_invalid(table).std(axis=0)
    return np.ma.filled(deviations, 0.0)
