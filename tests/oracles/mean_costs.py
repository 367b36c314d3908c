"""The exact limit of a mean cost with two values, by trying probabilities."""

import numpy as np
from scipy.stats import beta, binom


def limits_of_counts(n_cases, gamma):
    """Clopper and Pearson's limit for 0, ..., n_cases cases."""
    k = np.arange(n_cases)
    return np.append(beta.isf(gamma, k + 1, n_cases - k), 1.0)


def mean_cost_limit(n_low, n_high, n_cases, low, high, delta, steps=400):
    """The largest mean on a grid of probabilities of the high cost at which the
    observed sum of limits, or a smaller one, has more than probability delta.
    """
    limits = limits_of_counts(n_cases, delta / 2)
    i, j = np.meshgrid(np.arange(n_cases + 1), np.arange(n_cases + 1), indexing="ij")
    possible = i + j <= n_cases
    sums = np.full(i.shape, np.inf)
    some_cost = limits[(i + j)[possible]]
    sums[possible] = low * some_cost + (high - low) * limits[j[possible]]
    region = sums <= sums[n_low, n_high] + 1e-12

    largest = 0.0
    for p_high in np.linspace(0, 1, steps + 1)[:-1]:
        p_low = _largest_p_low(region, p_high, delta)
        if p_low is not None:
            largest = max(largest, low * p_low + high * p_high)
    return largest


def _largest_p_low(region, p_high, delta):
    """The largest probability of a low cost, by halving; None if there is none."""
    n_cases = len(region) - 1
    numbers = np.arange(n_cases + 1)
    of_high = binom.pmf(numbers, n_cases, p_high)

    def probability(p_low):
        of_low = binom.pmf(
            numbers[:, np.newaxis], n_cases - numbers, p_low / (1 - p_high)
        )
        return float((region * of_low * of_high).sum())

    if probability(0.0) <= delta:
        return None
    below = 0.0
    above = 1 - p_high
    for _ in range(40):
        middle = (below + above) / 2
        if probability(middle) > delta:
            below = middle
        else:
            above = middle
    return below
