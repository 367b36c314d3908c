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
columns and two classes, ten trees of noise and ten with a signal were grown, and a
random part judged each. Half of the rows was refused for no tree with 30 leaves, for 6
of the 20 with 60, for 19 with 100, and for all with 200 or more; 80 % for all with 30
or more; 30 % for 3 with 200 leaves, and for all with 500.

**The whole sample among other rows is recognized**, as in the table before it was
divided, at a tree with many leaves: each leaf v is then reached by at least c_v of the
m rows, and by less than chance adds above that. Let q_v be guesses of the shares of the
other m - n rows, and p_v = (c_v + (m - n) q_v) / m those of all. Let E = A / B, where A
is the probability of all k_v if n of the m rows are at the leaves in the numbers c_v,
and each other one comes to leaf v with probability q_v; and B if each of the m rows
comes to it with probability p_v. The m rows are taken for such if E >= 10^6. For m
independent cases this has probability at most 10^-6, whatever their distribution is.

*Proof.* Let x_v be the probability of leaf v. A and B differ in k_v! / (k_v - c_v)! and
in powers of q_v and p_v. The mean of such a factorial times powers r_v^(k_v - c_v) is,
as that of all factorial moments of a multinomial law, m! / (m - n)! times the product
of x_v^(c_v) times (sum of x_v r_v)^(m - n). With r_v = q_v / p_v, its logarithm is up
to a constant the sum of c_v ln x_v, plus (m - n) ln(sum of x_v r_v). That is concave in
x, and at x = p its derivative by x_v is c_v / p_v + (m - n) q_v / p_v = m for all v,
because the sum of p_v r_v is 1. So it is largest at x = p. There the mean of E is that
of A / B under B itself, which is at most 1. Apply Markov's inequality. With classes, E
is the product over the classes, as above. The guesses of a class are its shares among
the rows of the tree, mixed with those of all its rows, because a tree separates its own
rows better than others; E is the mean over several such mixtures, which is at most 1
on average, too.

*What it finds.* Of 1000 rows of noise with five continuous columns, ten trees without a
limit of leaves were grown on half of the rows: all tables were refused, as were all
with 100 leaves. With 60 leaves it was one of ten, seven on 60 % of the rows, and all on
70 %; with 30 leaves one on 70 %, and nine on 80 %.

**A part of the sample among other rows is recognized** of a regression tree that has
leaves of a single row, as one without limits has. Look at the rows whose y is the value
of such a leaf. Independent cases may come to it again and again; of a part of the
sample each leaf gets its own row once, or not at all. So their numbers at these leaves
are tested as :mod:`treebounds.risk.rows.occurrences` tests how often rows occur, with
j = 1 possible. The rows are taken for such if p <= 10^-6.

*Proof.* The tree and the values of its leaves are given. Of independent cases, those
that come to such a leaf and have its value are independent draws of the leaves.

*What it finds.* Of tables with five continuous columns and a normal y, one of each
size, a tree was grown on seven tenths. Then the table was divided again with another
seed, so that about seven tenths of the new test part were rows of the tree. It was
refused of 1000 and of 3000 rows, but not of 500; four fifths of the whole table were
refused of 300. With y rounded to some twenty values, it was refused of 3000 only. *A
false alarm* is possible if the rows are not independent: where a table has each
combination of its features once and y is a rounded function of them, without noise, or
where the visits of a panel share y.

**Of a classifier whose trees do not tell some classes apart**, as those of boosting,
the numbers of all rows of these classes are compared. A stratified split fixes the
number m_y of cases of each class; then they are not drawn alike. But m independent
cases that have class y with probability m_y / m have these numbers with some
probability P, and given these numbers they are such cases. So the mean of E is at most
1 / P, and E has to be at least 10^6 / P. By its values, the first tree of boosting
tells one class apart from all others
(:mod:`treebounds.risk.reuse.leaf_counts.class_numbers`); if there are two, P is 1.

*What it finds.* Of 1000 and of 4000 rows of noise in two classes, ten tables each, the
first trees of LightGBM, XGBoost and scikit-learn's histogram boosting were grown, 60 in
all, with some 30 leaves. Eight tenths of the rows were refused for all of them, seven
tenths for 50, and six tenths for 13; all rows and a fifth more for 60, all and a third
more for 44. By the numbers of both classes together, eight tenths were refused for 8.
The eight leaves of ``GradientBoostingClassifier`` say too little: nine tenths were
refused for none of 20.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp, xlogy

# Labels that are different in more than this share of the rows are numbers.
_FEW = 0.5

# Of the shares of all rows, in guesses of where other rows of a class come to.
_WEIGHTS = (0.0, 0.1, 0.3, 0.6, 1.0)


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
    return log_chance_of_numbers(_cells(leaves, labels))


def log_chance_of_totals(leaves: NDArray[np.intp], labels: NDArray[Any]) -> float:
    """The same where only the numbers of rows of all classes together have to be equal,
    because the tree does not tell the classes apart.

    They are sums of independent multinomial numbers, one for each class. Let S be their
    covariance, without that of the leaf with the most rows. Then det(1 + 2 pi S)^(-1/2)
    is close to the probability of the numbers that are expected: for large numbers by
    the local limit theorem, and it is 1 if S is 0.

    >>> import math
    >>> import numpy as np
    >>> from treebounds.risk.reuse.leaf_evidence import log_chance_of_totals
    >>> labels = np.repeat([0, 1], 50)
    >>> log_chance_of_totals(labels, labels)  # a leaf for each class
    0.0
    >>> round(math.exp(log_chance_of_totals(np.tile([0, 1], 50), labels)), 3)
    0.08

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
    return log_chance_of_sums(_cells(leaves, labels))


def log_chance_of_sums(cells: NDArray[Any]) -> float:
    """The same for the numbers of rows of each class at each leaf.

    >>> import math
    >>> import numpy as np
    >>> from treebounds.risk.reuse.leaf_evidence import log_chance_of_sums
    >>> round(math.exp(log_chance_of_sums(np.full((2, 2), 25))), 3)
    0.08

    Parameters
    ----------
    cells : (n_leaves, n_classes) array of whole numbers

    Returns
    -------
    float
        At most 0, in nats.
    """
    n_rows = np.maximum(cells.sum(axis=0), 1)
    cells = np.delete(cells, cells.sum(axis=1).argmax(), axis=0)
    covariance = np.diag(cells.sum(axis=1)) - (cells / n_rows) @ cells.T
    identity = np.eye(len(cells))
    _, log_determinant = np.linalg.slogdet(identity + 2 * math.pi * covariance)
    return min(0.0, -float(log_determinant) / 2)


def _cells(leaves: NDArray[np.intp], labels: NDArray[Any]) -> NDArray[np.float64]:
    """The numbers of rows of each class at each leaf."""
    names, classes = np.unique(labels, return_inverse=True)
    # Numbers are hardly ever equal, and form a single class.
    if len(names) > _FEW * len(labels):
        classes = np.zeros_like(classes)
    cells = np.zeros((leaves.max() + 1, classes.max() + 1))
    np.add.at(cells, (leaves, classes), 1)
    return cells


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


def log_chance_of_classes(n_rows: NDArray[Any]) -> float:
    """The logarithm of P, the probability that independent cases have these numbers of
    classes, if these are the ones to be expected.

    >>> import math
    >>> import numpy as np
    >>> from treebounds.risk.reuse.leaf_evidence import log_chance_of_classes
    >>> round(math.exp(log_chance_of_classes(np.array([1, 1]))), 3)
    0.5

    Parameters
    ----------
    n_rows : (n_classes,) array of whole numbers

    Returns
    -------
    float
        At most 0, in nats.
    """
    return log_chance_of_numbers(np.reshape(n_rows, (-1, 1)))


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


def log_evidence_of_more(grown: NDArray[Any], counts: NDArray[Any]) -> float:
    """The logarithm of E, which speaks for the sample that a tree was grown on, among
    other rows; see the head of this module.

    >>> import numpy as np
    >>> from treebounds.risk.reuse.leaf_evidence import log_evidence_of_more
    >>> grown = np.full((50, 1), 10)
    >>> round(log_evidence_of_more(grown, grown + 1))
    55
    >>> round(log_evidence_of_more(grown, 3 * grown))
    10
    >>> log_evidence_of_more(grown, np.repeat([[9], [13]], 25, axis=0))
    -inf

    Parameters
    ----------
    grown : (n_leaves, n_classes) array of whole numbers
        Numbers of the rows that the tree was grown on.
    counts : (n_leaves, n_classes) array of whole numbers
        Those of more rows.

    Returns
    -------
    float
        In nats; it exceeds t with probability at most exp(-t) for independent rows.
    """
    others = counts - grown
    if (others < 0).any():
        return -math.inf
    n = grown.sum(axis=0)
    m = counts.sum(axis=0)
    chosen = (gammaln(counts + 1) - gammaln(others + 1)).sum()
    drawn = (gammaln(m + 1) - gammaln(m - n + 1)).sum()

    of_guesses = []
    for q in _guesses(grown):
        p = (grown + (m - n) * q) / np.maximum(m, 1)
        ratios = np.divide(q, p, out=np.zeros_like(p), where=p > 0)
        powers = xlogy(others, ratios).sum() - xlogy(grown, p).sum()
        of_guesses.append(chosen - drawn + powers)
    return float(logsumexp(of_guesses) - math.log(len(of_guesses)))


def _guesses(grown: NDArray[Any]) -> list[NDArray[np.float64]]:
    """Shares of other rows of each class that may come to the leaves of a tree, from
    the numbers of its own rows.
    """
    n = grown.sum(axis=0)
    of_class = grown / np.maximum(n, 1)
    of_all = grown.sum(axis=1, keepdims=True) / max(1, n.sum())
    # Of a class without rows at the leaves nothing is known but the shares of all.
    return [
        np.where(n > 0, (1 - weight) * of_class + weight * of_all, of_all)
        for weight in _WEIGHTS
    ]
