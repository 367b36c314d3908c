"""How often different rows occur: can independent draws repeat rows like this?

**Idea.** If rows are drawn one by one, a row that may occur twice may also occur once,
or three times. A sample in which 300 rows occur twice and none three times was not
drawn like this, whatever the distribution is: some rows were written twice.

**Test.** Let f_k be the number of different rows that occur k times among n rows. For
j > 1, let ab = (j + 1) / (4 j) and 0 < g <= min(1/a, 1/b), and

    e = (1 - g a)^f_(j-1)  (1 + g)^f_j  (1 - g b)^f_(j+1).

Let E be the weighted mean of e over all j, with weights 1 / (j (j - 1)), and over a
grid of a and g. The numbers are taken for those of copies if
p = sqrt(2 pi n) exp(1/(12 n)) / E is at most 1/1000. For independent rows this has
probability at most 1/1000.

*Proof.* Draw a Poisson number of rows, n in the mean. The numbers N of occurrences of
different rows are then independent, and Poisson with means L. Each of them contributes
a factor to e, with the mean 1 + g P[N = j] (1 - a j / L - b L / (j + 1)). The last two
terms sum to at least 2 sqrt(a b j / (j + 1)) = 1, so the mean of the factor is at most
1, and so are those of e and of E. By Markov's inequality E is at least t with
probability at most 1/t. Exactly n rows are drawn with probability at least 1 / (sqrt(2
pi n) exp(1/(12 n))); divide by it.

The features are independent draws if the rows are, so the test is made for the rows
without their labels, too. It then finds cases that were measured several times, with
answers that differ.

**Rows that were repeated before the table was divided** recur in the other part, and
random divisions of the same rows have as many in common. But a row that was written
three times, and is in one part twice, is in the other once: never twice, nor missing.
So the test is made for the rows that occur a times in the first part, for each a, with
their numbers of occurrences in the second part; those that are not there occur 0 times,
so j = 1 is possible, too. The weights are 1 / (j (j + 1)) and 1 / (a (a + 1)). The
proof holds as it stands, given the first part: only the second one has to be drawn
independently. Its rows may have been repeated in the first part alone, as to balance
classes in training. A second part without equal rows may have been freed of them, and
is not tested.

*What it finds.* Rows repeated by whole weights, one class or one region written several
times, a validation part that was added to the whole, a join that multiplies rows; also
in tables of few values, where equal rows of different cases hide the copies from a test
of pairs. Among 1000 rows that are else different it needs 18 that are written three
times, or 147 that are written twice. *It does not find* rows that were drawn with
repetition from a table: that is independent sampling.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlog1py

# The grid: ln(a / b) / 2, and g as a share of the largest possible one.
_TILTS = np.log(2.0) * np.arange(-8, 9)
_SHARES = np.array([0.25, 0.5, 0.75, 1.0])


def occurrences_p_value(counts: ArrayLike, times: ArrayLike = 1) -> float:
    """The p-value of this module's test.

    >>> import numpy as np
    >>> from treebounds.risk.rows.occurrences import occurrences_p_value
    >>> occurrences_p_value([1, 2], [700, 300]) < 1e-9
    True
    >>> occurrences_p_value([1, 2], [950, 50])
    1.0

    Parameters
    ----------
    counts : (V,) array of int
        How often each of the different rows occurs.
    times : (V,) array of int
        How many rows each entry of ``counts`` stands for.

    Returns
    -------
    float

    Notes
    -----
    Cost: a sort of the counts.
    """
    counts = np.asarray(counts, dtype=np.int64)
    sizes, places = np.unique(counts, return_inverse=True)
    weights = np.broadcast_to(np.asarray(times, dtype=float), counts.shape)
    numbers = np.bincount(places, weights=weights)
    n = float(sizes @ numbers)

    j, log_e = _log_evidence(sizes, numbers, least=2)
    return _p_value(log_e - np.log(j * (j - 1.0)), n)


def divided_p_value(first: ArrayLike, second: ArrayLike) -> float:
    """The p-value of the test for rows that were repeated before they were divided.

    >>> import numpy as np
    >>> from treebounds.risk.rows.occurrences import divided_p_value
    >>> divided_p_value(np.repeat([1, 2], 200), np.repeat([2, 1], 200)) < 1e-9
    True
    >>> divided_p_value(np.repeat(3, 400), np.repeat([0, 1, 2], [200, 150, 50]))
    1.0

    Parameters
    ----------
    first, second : (V,) array of int
        How often each of the different rows occurs in the two parts.

    Returns
    -------
    float
    """
    first = np.asarray(first, dtype=np.int64)
    second = np.asarray(second, dtype=np.int64)
    if not len(second) or second.max() < 2:
        return 1.0
    logs = [np.empty(0)]
    for a in np.unique(first[(first > 0) & (second > 0)]):
        sizes, numbers = np.unique(second[first == a], return_counts=True)
        j, log_e = _log_evidence(sizes, numbers.astype(float), least=1)
        logs.append(log_e - np.log(j * (j + 1.0)) - math.log(a * (a + 1.0)))
    return _p_value(np.concatenate(logs), float(second.sum()))


def places_p_value(counts: ArrayLike) -> float:
    """The p-value of the test for rows that come to given places, some of which may
    stay empty.

    >>> import numpy as np
    >>> from treebounds.risk.rows.occurrences import places_p_value
    >>> places_p_value(np.repeat([0, 1], 200)) < 1e-9
    True
    >>> places_p_value(np.repeat([0, 1, 2, 3], [220, 130, 40, 10]))
    1.0

    Parameters
    ----------
    counts : (V,) array of int
        How many rows come to each place.

    Returns
    -------
    float
    """
    sizes, numbers = np.unique(np.asarray(counts, dtype=np.int64), return_counts=True)
    j, log_e = _log_evidence(sizes, numbers.astype(float), least=1)
    return _p_value(log_e - np.log(j * (j + 1.0)), float(sizes @ numbers))


def _log_evidence(
    sizes: NDArray[np.int64], numbers: NDArray[Any], least: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Each j that occurs and is large enough, and the logarithm of the mean of e over
    the grid. Every j that does not occur has an e of at most 1, and is left out.
    """
    j = sizes[(sizes >= least) & (numbers > 0)]
    if not len(j):
        return j, np.empty(0)
    near = [_numbers_at(size, sizes, numbers) for size in (j - 1, j, j + 1)]
    return j, _log_means(j.astype(float), *near)


def _p_value(log_parts: NDArray[np.float64], n: float) -> float:
    """The p-value of n rows, from the logarithms of the parts of E."""
    if not len(log_parts):
        return 1.0
    log_mean = float(np.logaddexp.reduce(log_parts))
    log_p = math.log(2 * math.pi * n) / 2 + 1 / (12 * n) - log_mean
    return math.exp(min(0.0, log_p))


def _numbers_at(
    wanted: NDArray[np.int64], sizes: NDArray[np.int64], numbers: NDArray[Any]
) -> NDArray[Any]:
    """How many rows occur as often as wanted, which may be 0."""
    places = np.minimum(np.searchsorted(sizes, wanted), len(sizes) - 1)
    return np.where(sizes[places] == wanted, numbers[places], 0.0)


def _log_means(
    j: NDArray[np.float64],
    before: NDArray[Any],
    here: NDArray[Any],
    after: NDArray[Any],
) -> NDArray[np.float64]:
    """The logarithm of the mean of e over the grid, for each j."""
    j, before, here, after = (
        values[:, None, None] for values in (j, before, here, after)
    )
    root = np.sqrt((j + 1) / (4 * j))
    a = root * np.exp(_TILTS)[:, None]
    b = root * np.exp(-_TILTS)[:, None]
    g = _SHARES / np.maximum(a, b)
    log_e = (
        xlog1py(before, -g * a) + xlog1py(here, g) + xlog1py(after, -g * b)
    ).reshape(len(j), -1)
    # For so few numbers, scipy's logsumexp takes several times as long.
    log_sums: NDArray[np.float64] = np.logaddexp.reduce(log_e, axis=1)
    return log_sums - math.log(log_e.shape[1])
