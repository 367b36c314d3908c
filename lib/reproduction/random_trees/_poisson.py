"""Poisson sampling on a circle of the complex plane: exact multinomial expectations by
one Fourier sum.

Let the cells hold independent Poisson numbers of examples, with N examples in total on
average. For a function F of the counts, consider the power series G(z) = E[z^total F].
If the total is N, the counts are multinomial, so the multinomial expectation of F is
[z^N] G(z) / P[total = N], where [z^N] G(z) is the coefficient of z^N. Disjoint regions
are independent, so G factorizes at every z, and the coefficient is a sum over roots of
unity.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import fft, stats

# A window of 10.5 standard deviations leaves out less than 1e-20 of a Poisson
# distribution.
_WIDTH = 10.5


def _stirlings_error(m: int) -> float:
    """ln m! minus Stirling's formula; 0 for m = 0."""
    if m == 0:
        return 0.0
    return (
        math.lgamma(m + 1) - (m + 0.5) * math.log(m) + m - 0.5 * math.log(2 * math.pi)
    )


_STIRLINGS_ERRORS = np.array([_stirlings_error(m) for m in range(16)])


def poisson_pmf(m: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """Poisson probabilities by the saddle-point form (Loader 2000), whose terms stay
    small near the mode.
    """
    m, rate = np.broadcast_arrays(
        np.asarray(m, dtype=float), np.asarray(rate, dtype=float)
    )
    safe_m = np.maximum(m, 1.0)
    safe_rate = np.where(rate > 0, rate, 1.0)

    # Stirling's error of the factorial: from a table, or by its series.
    inverse = 1 / safe_m
    square = inverse * inverse
    series = inverse * (
        1 / 12
        - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188)))
    )
    small = _STIRLINGS_ERRORS[np.minimum(safe_m, 15).astype(int)]
    correction = np.where(safe_m < 16, small, series)

    above = safe_m - safe_rate
    log_p = above - safe_m * np.log1p(above / safe_rate) - correction
    p = np.where(m < 1, np.exp(-rate), np.exp(log_p) / np.sqrt(2 * np.pi * safe_m))
    return np.where((m < 0) | ((rate <= 0) & (m > 0)), 0.0, p)


def window(rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The smallest and largest number of examples, given its mean, that is not
    negligible.
    """
    reach = _WIDTH * np.sqrt(rate) + 22
    low = np.maximum(np.floor(rate - reach), 0)
    high = np.ceil(rate + reach)
    return low.astype(int), high.astype(int)


def alike(rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different rows of mean class counts, and the index of each region's row."""
    distinct, places = np.unique(
        rates.reshape(-1, rates.shape[-1]), axis=0, return_inverse=True
    )
    return distinct, places.reshape(rates.shape[:-1])


class Contour:
    """The roots of unity at which generating functions are evaluated, one of each
    conjugate pair.

    Parameters
    ----------
    n_examples : int
        Sample size N.
    width : int
        Smallest number of roots that the caller needs.
    """

    def __init__(self, n_examples: int, width: int = 0) -> None:
        self.n_examples = n_examples
        self.size = fft.next_fast_len(
            max(math.ceil(9.5 * math.sqrt(n_examples)) + 22, width), real=True
        )
        turns = np.arange(self.size // 2 + 1)
        self.z = np.exp(-2j * np.pi * turns / self.size)
        weight = np.where((turns == 0) | (2 * turns == self.size), 1.0, 2.0)
        phase = np.exp(2j * np.pi * (turns * n_examples % self.size) / self.size)
        probability = poisson_pmf(np.array(n_examples), np.array(n_examples))
        self._extract = weight * phase / (self.size * probability)

    def empty_sum(self, rate: np.ndarray) -> np.ndarray:
        """E[z^n] of a region with the given mean number of examples."""
        distinct, places = alike(rate[..., None])
        return np.exp(distinct * (self.z - 1))[places]

    def expectation(self, values: np.ndarray) -> np.ndarray:
        """[z^N] G(z) / P[total = N] for a series G given at the roots (last axis)."""
        return (values @ self._extract).real

    def truncate(self, values: np.ndarray, rate: np.ndarray, most: float) -> np.ndarray:
        """The part of E[z^n F] of a region to which at most ``most`` examples in it
        contribute.
        """
        low, high = window(rate[..., None])
        count = low + (np.arange(self.size) - low) % self.size
        is_at_most = (count <= most) | (high <= most)
        if not is_at_most.any():
            return np.zeros_like(values)
        if is_at_most.all():
            return values

        return fft.rfft(np.where(is_at_most, fft.irfft(values, self.size), 0.0))

    def label_series(self, rates: np.ndarray, ties: str) -> np.ndarray:
        """E[z^n; class i is predicted] in regions with the given mean class counts.

        Parameters
        ----------
        rates : ndarray of shape (..., k)
        ties : {"lowest", "uniform"}

        Returns
        -------
        ndarray of shape (k, ..., size // 2 + 1)
        """
        distinct, places = alike(rates)
        if rates.shape[-1] == 2:
            series = self._two_classes(distinct, ties)
        else:
            series = np.stack(
                [self._many_classes(row, ties) for row in distinct], axis=1
            )

        return series[:, places]

    def _two_classes(self, rates: np.ndarray, ties: str) -> np.ndarray:
        """:meth:`label_series` from the distribution of the number n, and of the winner
        given n.
        """
        total = rates.sum(axis=1)
        low, high = window(total)
        m = low[:, None] + np.arange(np.max(high - low) + 1)
        share = np.divide(
            rates,
            total[:, None],
            out=np.full_like(rates, 0.5),
            where=total[:, None] > 0,
        )

        # Computed for the rarer class, so that even a tiny probability has a small
        # relative error.
        rarer = np.argmin(share, axis=1)
        rarer_wins = _majority(
            m, share.min(axis=1)[:, None], ties, wins_ties=(rarer == 0)[:, None]
        )
        pmf = poisson_pmf(m, total[:, None])
        chosen = self._transform(pmf * rarer_wins, low)
        other = self._transform(pmf * (1 - rarer_wins), low)
        first = (rarer == 0)[:, None]

        return np.stack(
            [np.where(first, chosen, other), np.where(first, other, chosen)]
        )

    def _transform(self, values: np.ndarray, low: np.ndarray) -> np.ndarray:
        """Fourier transform of sequences that start at ``low``, folded modulo the
        number of roots.
        """
        folded = np.zeros((len(values), self.size))
        rows = np.arange(len(values))[:, None]
        for start in range(0, values.shape[1], self.size):
            part = values[:, start : start + self.size]
            places = (low[:, None] + start + np.arange(part.shape[1])) % self.size
            folded[rows, places] += part
        return fft.rfft(folded)

    def _many_classes(self, rates: np.ndarray, ties: str) -> np.ndarray:
        """Sum over the winner's count c of P[c] z^c times the series of 'every other
        class has fewer'.
        """
        low, high = window(rates)
        count = np.arange(low.min(), high.max() + 1)
        powers = np.exp(
            -2j * np.pi * np.outer(count, np.arange(len(self.z))) / self.size
        )
        terms = poisson_pmf(count, rates[:, None])[:, :, None] * powers
        at_most = np.cumsum(terms, axis=1)

        result = np.empty((len(rates), len(self.z)), dtype=complex)

        for i in range(len(rates)):
            if ties == "lowest":
                fewer = at_most[:i] - terms[:i]
                others = np.prod(fewer, axis=0) * np.prod(at_most[i + 1 :], axis=0)
            else:
                others = _share_of_ties(
                    np.delete(terms, i, 0), np.delete(at_most, i, 0)
                )
            result[i] = np.sum(terms[i] * others, axis=0)

        return result


def _share_of_ties(terms: np.ndarray, at_most: np.ndarray) -> np.ndarray:
    """The series of 'no other class has more', divided by the number of winners.

    The sum over the numbers of ties is an integral over u in [0, 1], and the quadrature
    is exact: the integrand has degree k - 1 in u.
    """
    fewer = at_most - terms
    nodes, weights = np.polynomial.legendre.leggauss((len(terms) + 1) // 2 + 1)
    products = [np.prod(fewer + u * terms, axis=0) for u in (nodes + 1) / 2]
    return np.tensordot(weights / 2, products, 1)


def _majority(
    m: np.ndarray, share: np.ndarray, ties: str, wins_ties: np.ndarray
) -> np.ndarray:
    """P[a class of the given share is predicted | m examples of two classes]."""
    # Counts that the sum of the others has to exceed.
    more = m // 2
    not_fewer = (m - 1) // 2
    if ties == "lowest":
        return stats.binom.sf(np.where(wins_ties, not_fewer, more), m, share)
    return (stats.binom.sf(more, m, share) + stats.binom.sf(not_fewer, m, share)) / 2
