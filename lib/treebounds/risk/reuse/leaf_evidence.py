"""What the numbers of rows at the leaves of a tree say about a sample: is it the one
that the tree was grown on, a part of it, or all of it among others?

**A small part of the sample is not recognized, by no test on such numbers.** A random
part of m of the n rows is a draw without repetition, and a draw with repetition is m
independent cases. The two differ with probability at most m (m - 1) / (2 n), that of
drawing a row twice; so a test that errs with probability at most a on all independent
cases finds the part with probability at most a + m (m - 1) / (2 n). The numbers of rows
in K pairs of a leaf and a class give it away with probability at most a + K m / n
(Diaconis and Freedman 1980, theorem 3). So the rows themselves are compared, where
there is a record of them.

**A large part of the sample is recognized** at a tree with many leaves: its numbers are
too close to those of the whole. Let c_v of the n rows have been at leaf v, and k_v of
the m others be there. Let E = H / M, where H is the probability of all k_v if the m
rows are drawn from the n rows without repetition, and M if each comes to leaf v with
probability c_v / n. A part of the rows is taken for such if E >= 10^6. For m
independent cases this has probability at most 10^-6, whatever their distribution is.

*Proof.* Let p_v be the probability of leaf v, and r_v = n p_v / c_v. The mean of E is
the sum of H times the product of r_v^(k_v) over all numbers k_v: the mean of the
product of m entries that are drawn without repetition from n, of which c_v equal r_v.
By Maclaurin's inequality it is at most the m-th power of the mean entry, which is at
most 1. Apply Markov's inequality. With classes, E is the product over the classes:
given the numbers of cases of each class, as a stratified split fixes them, the classes
are independent.

*What it finds.* If f = m / n, a leaf with many rows of a class adds on average
(-ln(1 - f) - f) / 2 to ln E, which has to be 13.8. Of 4000 rows, with five continuous
columns and two classes, ten trees were grown, and a random part judged each. Half of
the rows was refused for no tree with 30 leaves, for 3 with 60, and for all with 100 or
more; 80 % for all with 30 or more; 30 % for one with 200 leaves, and for all with 500.

**The whole sample among other rows is recognized**, as in the table before it was
divided, at a tree with many leaves: each leaf v is then reached by at least c_v of the
m rows. They are taken for such if this has probability at most 10^-6 for independent
cases, whatever their distribution is.

*Proof of a bound.* Let p_v be the probability of leaf v. The numbers k_v of independent
cases are multinomial, hence negatively associated (Joag-Dev and Proschan 1983), so the
probability that all k_v >= c_v is at most the product of P[Bin(m, p_v) >= c_v]. Each
factor is the distribution function of a beta law at p_v. The density of that law is
log-concave, and so is the function (Prékopa 1973). So its logarithm is nowhere above a
tangent, ln F_v(q_v) + s_v (p_v - q_v). All p_v add up to at most 1, so the logarithm of
the product is at most the sum of ln F_v(q_v) - s_v q_v, plus the largest s_v, whatever
the places q_v are. With classes, add these bounds over the classes, as above.

*What it finds.* Of 1000 rows of noise with five continuous columns, a tree without a
limit of leaves was grown on 70 % or more: all of ten such tables were refused. On 60 %
it was 6, and with 30 leaves none.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, gammaln, xlogy
from scipy.stats import beta

# Labels that are different in more than this share of the rows are numbers.
_FEW = 0.5

# Halvings of an interval, which leave less than rounding errors of it.
_N_HALVINGS = 50


def log_chance(leaves: NDArray[np.intp], labels: NDArray[Any]) -> float:
    """The logarithm of the probability that other rows, with as many of each class,
    reach the leaves in the same numbers.

    It is large where a tree separates the classes without errors: a sample that is
    divided by classes ("stratified") then agrees with the other half by construction.
    The probabilities of the leaves are taken from the rows themselves.

    >>> import math
    >>> import numpy as np
    >>> from treebounds.risk.reuse.leaf_evidence import log_chance
    >>> labels = np.repeat([0, 1], 50)
    >>> log_chance(labels, labels)  # a leaf for each class
    0.0
    >>> round(math.exp(log_chance(np.tile([0, 1], 50), labels)), 3)
    0.013

    Parameters
    ----------
    leaves : (n,) array of int
        The leaf of each row.
    labels : (n,) array

    Returns
    -------
    float
        At most 0, in nats.
    """
    names, classes = np.unique(labels, return_inverse=True)
    # Numbers are hardly ever equal, and form a single class.
    if len(names) > _FEW * len(labels):
        classes = np.zeros_like(classes)
    cells = np.zeros((leaves.max() + 1, classes.max() + 1))
    np.add.at(cells, (leaves, classes), 1)
    return log_chance_of_numbers(cells)


def log_chance_of_numbers(cells: NDArray[Any]) -> float:
    """The same for the numbers of rows of each class at each leaf.

    >>> import math
    >>> import numpy as np
    >>> from treebounds.risk.reuse.leaf_evidence import log_chance_of_numbers
    >>> round(math.exp(log_chance_of_numbers(np.full((2, 2), 25))), 3)
    0.013

    Parameters
    ----------
    cells : (n_leaves, n_classes) array of whole numbers

    Returns
    -------
    float
        At most 0, in nats.
    """
    n_rows = cells.sum(axis=0)
    arrangements = gammaln(n_rows + 1).sum() - gammaln(cells + 1).sum()
    return float(arrangements + xlogy(cells, cells / np.maximum(n_rows, 1)).sum())


def log_evidence(grown: NDArray[Any], counts: NDArray[Any]) -> float:
    """The logarithm of E, which speaks for a part of the sample that a tree was grown
    on; see the head of this module.

    >>> import numpy as np
    >>> from treebounds.risk.reuse.leaf_evidence import log_evidence
    >>> grown = np.full((100, 1), 10)
    >>> round(log_evidence(grown, np.full((100, 1), 8)))
    76
    >>> log_evidence(grown, np.repeat([[11], [5]], 50, axis=0))
    -inf

    Parameters
    ----------
    grown : (n_leaves, n_classes) array of whole numbers
        Numbers of the rows that the tree was grown on.
    counts : (n_leaves, n_classes) array of whole numbers
        Those of other rows.

    Returns
    -------
    float
        In nats; it exceeds t with probability at most exp(-t) for independent rows.
    """
    if (counts > grown).any():
        return -math.inf
    n = grown.sum(axis=0)
    m = counts.sum(axis=0)
    # The factors 1 / k_v! of both probabilities cancel.
    without = (gammaln(grown + 1) - gammaln(grown - counts + 1)).sum()
    drawn = (gammaln(n + 1) - gammaln(n - m + 1)).sum()
    independent = xlogy(counts, grown / np.maximum(n, 1)).sum()
    return float(without - drawn - independent)


def log_chance_of_more(grown: NDArray[Any], n_rows: float) -> float:
    """The logarithm of a number that is never below the probability that each leaf is
    reached by at least as many of the rows as the tree was grown on; see the head of
    this module.

    >>> import numpy as np
    >>> from treebounds.risk.reuse.leaf_evidence import log_chance_of_more
    >>> log_chance_of_more(np.array([5.0, 5.0]), 1000)
    0.0
    >>> round(log_chance_of_more(np.full(50, 10.0), 550), 1)
    -20.6

    Parameters
    ----------
    grown : (n_leaves,) array of whole numbers
        Numbers of the rows of one class that the tree was grown on.
    n_rows : float
        Number of the other rows of this class.

    Returns
    -------
    float
        At most 0, in nats.
    """
    sizes, times = np.unique(grown[grown > 0], return_counts=True)
    if not len(sizes):
        return 0.0

    # Any places give a bound. At the best ones all tangents have the same slope, and
    # the places add up to 1, as they do where the slope is just large enough.
    tails = _Tails(sizes, n_rows)
    flat = 1e-9
    steep = 1e3 * n_rows
    for _ in range(_N_HALVINGS):
        slope = math.sqrt(flat * steep)
        if times @ tails.places(slope) > 1:
            flat = slope
        else:
            steep = slope

    p = tails.places(steep)
    slopes = tails.slopes(p)
    at_zero = np.log(tails.probabilities(p)) - slopes * p
    return min(0.0, float(times @ at_zero + slopes.max()))


class _Tails(NamedTuple):
    """``P[Bin(n_rows, p) >= size]`` for several sizes, as functions of p.

    The logarithm of each is concave in p.
    """

    sizes: NDArray[Any]
    n_rows: float

    def probabilities(self, p: NDArray[Any]) -> NDArray[Any]:
        """The tail of each size at its own p."""
        return np.asarray(betainc(self.sizes, self.n_rows - self.sizes + 1, p))

    def slopes(self, p: NDArray[Any]) -> NDArray[Any]:
        """The slope of the logarithm of each tail."""
        tails = self.probabilities(p)
        densities = beta.pdf(p, self.sizes, self.n_rows - self.sizes + 1)
        is_positive = tails > 0
        ratios = densities / np.where(is_positive, tails, 1)
        return np.where(is_positive, ratios, np.inf)

    def places(self, slope: float) -> NDArray[Any]:
        """The p at which each logarithm has a slope."""
        low = np.full(len(self.sizes), 1e-9 / self.n_rows)
        high = np.ones(len(self.sizes))
        for _ in range(_N_HALVINGS):
            middle = np.sqrt(low * high)
            is_steeper = self.slopes(middle) > slope
            low = np.where(is_steeper, middle, low)
            high = np.where(is_steeper, high, middle)
        return high
