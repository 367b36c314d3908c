"""Weights of examples: their check, and the number of examples that they are worth."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds._validation import check_numbers


def check_weights(
    sample_weight: ArrayLike | None, n_examples: int
) -> NDArray[np.float64]:
    """The weight of each example, finite and not negative, and not 0 for all of them,
    or a ValueError.

    Only the ratios of weights matter. Positive weights that are all equal become 1,
    because sums of other numbers are rounded, which would break ties between splits.
    Very large or small weights are divided by a power of two, which rounds nothing.

    >>> from treebounds.pruning.weights import check_weights
    >>> check_weights([0.1, 0.0, 0.1], 3)
    array([1., 0., 1.])
    """
    values = 1.0 if sample_weight is None else sample_weight
    if getattr(getattr(values, "dtype", None), "kind", "") == "b":
        values = np.asarray(values, dtype=float)
    weights = check_numbers(values, "sample_weight", "[0, inf)")
    if not weights.any():
        raise ValueError("sample_weight must not be zero everywhere")
    if weights.shape not in ((), (n_examples,)):
        raise ValueError(
            f"sample_weight must have {n_examples} entries, one per row; got"
            f" {weights.shape}"
        )

    largest = weights.max()
    weights = np.broadcast_to(weights, n_examples)
    if np.all((weights == 0) | (weights == largest)):
        return (weights > 0).astype(float)

    exponent = int(np.frexp(largest)[1])
    return weights if abs(exponent) < 64 else np.ldexp(weights, -exponent)


def effective_scale(weights: NDArray[np.float64]) -> float:
    """The factor that makes weights sum to their effective sample size (sum w)^2 / sum
    w^2 (Kish 1965).

    Rules charge each leaf a number of errors. With unscaled weights, a single heavy
    example could outweigh this price; with scaled weights, a leaf needs as many
    examples as if all of them had the same weight.

    >>> import numpy as np
    >>> from treebounds.pruning.weights import effective_scale
    >>> weights = np.array([9.0, 1.0])  # worth 100 / 82 examples
    >>> round(effective_scale(weights) * float(weights.sum()), 3)
    1.22

    Parameters
    ----------
    weights : (n_examples,) array
        Not negative, and not all 0.

    Returns
    -------
    float
        1 where all weights are 1.
    """
    largest = weights.max()
    # Squares of these neither overflow nor vanish.
    shares = weights / largest
    return float(shares.sum() / (shares**2).sum() / largest)
