"""Numbers of rows from sums of their weights, where all rows of a class weigh the
same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# How far the multiples of a weight that is not known may be from whole numbers, and the
# largest number of rows at the leaf with the fewest rows, by which it is found.
_TOLERANCE_OF_MULTIPLES = 0.02
_MOST_ROWS = 1000

# A smaller share of all weights is rounding.
_LEAST_SHARE = 1e-6


def multiples_of_a_weight(sums: NDArray[Any]) -> NDArray[np.float64] | None:
    """The numbers of rows at leaves from the sums of their weights, if each row has the
    same weight, which is not known; None if there is no such weight.

    Of several weights, the largest one is taken.

    >>> import numpy as np
    >>> from treebounds.risk.reuse.leaf_counts.weights import multiples_of_a_weight
    >>> multiples_of_a_weight(np.array([0.75, 1.25, 0.0]))
    array([3., 5., 0.])

    Parameters
    ----------
    sums : (n_leaves,) array of float
    """
    sums = np.where(np.abs(sums) <= _LEAST_SHARE * np.abs(sums).sum(), 0, sums)
    if not sums.any() or (sums < 0).any():
        return None
    at_fewest = np.arange(1, _MOST_ROWS + 1)
    numbers = sums[:, np.newaxis] / sums[sums > 0].min() * at_fewest
    distances = np.abs(numbers - np.rint(numbers)).max(axis=0)
    fits = distances <= _TOLERANCE_OF_MULTIPLES
    return np.rint(numbers[:, fits.argmax()]) if fits.any() else None


def numbers_without_weights(
    sums: NDArray[Any], n_rows: NDArray[Any]
) -> NDArray[np.float64] | None:
    """The numbers of rows at leaves by classes, from the sums of their weights, if all
    rows of a class have the same weight, as those of ``class_weight`` are; else None.

    The rows of a leaf are the sum over the classes of its weights divided by that of a
    row, which are linear equations; that of one leaf for each class would suffice. For
    fewer leaves it is tried whether all rows have the same weight, as those of the
    first tree of AdaBoost.
    """
    rows_per_weight, _, rank, _ = np.linalg.lstsq(sums, n_rows, rcond=None)
    if rank < sums.shape[1]:
        rows_per_weight = n_rows.sum() / sums.sum()
    numbers = sums * rows_per_weight
    rounded: NDArray[np.float64] = np.rint(numbers)
    are_numbers = np.allclose(numbers, rounded, atol=1e-6) and (rounded >= 0).all()
    if are_numbers and (rounded.sum(axis=1) == n_rows).all():
        return rounded
    return None
