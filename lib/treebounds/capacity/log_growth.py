"""Logarithms of growth function bounds, in floating point: no overflow, any number of classes.

The recursion runs on the growth bounds themselves. The labelings of all cuts of a node are a convolution of
the growth bounds of its two subtrees, whose terms differ by hundreds of orders of magnitude.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numba import njit

from treebounds._validation import check_integer, check_option
from treebounds.capacity._log_convolution import log_convolution
from treebounds.capacity.growth import FORMS, check_structure, growth_function_bound
from treebounds.structure import TreeStructure

__all__ = ["LogGrowth", "join_log_growth", "log_all_structures_growth_bound", "log_growth_function_bound"]

# Up to here, with more than two classes, the caps on single numbers of parts are felt (by more than 5 %).
_FEW_LEAVES, _FEW_EXAMPLES = 10, 56

# What the tight form may cost: some five minutes, and 2 GB for what is kept and what one step works on.
_MOST_PRODUCTS, _MOST_NUMBERS, _WORKING_TABLES = 5 * 10**11, 2**28, 5


def log_growth_function_bound(
    structure: TreeStructure, n_examples: int, n_features: int, n_classes: int = 2, form: str = "tight"
) -> float:
    """The natural logarithm of :func:`growth_function_bound`, for trees and samples of any size.

    Parameters
    ----------
    structure : TreeStructure
    n_examples, n_features, n_classes : int
        At least 1; the features are real-valued.
    form : {"tight", "loose", "loose-corrected", "closed"}
        See :func:`growth_function_bound`.

    Returns
    -------
    float
        In nats. Never below the logarithm of the integer (up to 1e-9), and equal to it for two classes. With
        more classes it is up to 5 % larger where the number of partitions into some parts is capped.

    Raises
    ------
    ValueError
        For a wrong argument; for "tight" also where it would take more than some five minutes or 2 GB. The
        other forms have no such limit.

    See Also
    --------
    LogGrowth : the same for many structures, which shares the work between them.

    Notes
    -----
    For each distinct subtree below the root "tight" takes ``O(m)`` memory and ``O(m^2)`` time, ``O(m)`` where
    one child is a leaf: 0.2 s for 40 leaves and m = 8000, 2 s for a chain of 10 nodes and m = 10^6. The other
    forms take ``O(L)`` for L leaves.

    Examples
    --------
    >>> tree = TreeStructure.from_nested([[None, None], None])
    >>> round(log_growth_function_bound(tree, n_examples=1000, n_features=10, n_classes=5), 3)
    23.023
    """
    return LogGrowth(n_examples, n_features, n_classes, form)(structure)


class LogGrowth:
    """Logarithms of growth function bounds of many structures on one sample.

    What was found for a subtree is kept for as long as this object lives. With the tight form, pruning a tree
    costs the path from the pruned node to the root only. The loose forms evaluate each subtree at m - L more
    examples than it has leaves, L leaves of the whole tree, so they share only between trees with the same L;
    a subtree is one line of arithmetic for them, and nothing at all for "closed".

    Parameters
    ----------
    n_examples, n_features, n_classes : int
    form : {"tight", "loose", "loose-corrected", "closed"}

    Examples
    --------
    >>> log_growth = LogGrowth(n_examples=300, n_features=13, n_classes=3, form="loose-corrected")
    >>> stump = TreeStructure.from_nested([None, None])
    >>> round(log_growth(TreeStructure(stump, stump)), 3), round(log_growth(stump), 3)
    (28.36, 10.057)
    """

    def __init__(self, n_examples: int, n_features: int, n_classes: int = 2, form: str = "tight") -> None:
        self.n_examples = check_integer(n_examples, "n_examples")
        self.n_features = check_integer(n_features, "n_features")
        self.n_classes = check_integer(n_classes, "n_classes")
        self.form = check_option(form, "form", FORMS)
        self._sample = self.n_examples, self.n_features, self.n_classes
        self._log_classes = math.log(self.n_classes)
        self._labelings: dict[int, np.ndarray] = {}
        self._tables: dict[TreeStructure, np.ndarray] = {}
        self._values: dict[tuple[TreeStructure, int], float] = {}

    def __call__(self, structure: TreeStructure) -> float:
        """The bound for one structure, in nats."""
        excess = self.n_examples - check_structure(structure).n_leaves
        if excess <= 0 or self.n_classes == 1:
            return self.n_examples * self._log_classes
        if structure.is_leaf:
            return self._log_classes
        if self.form == "closed":
            return self._capped(self._closed(structure), structure.n_leaves, self.n_examples)
        if (structure, excess) not in self._values:
            if self.n_classes > 2 and structure.n_leaves <= _FEW_LEAVES and self.n_examples <= _FEW_EXAMPLES:
                value = math.log(growth_function_bound(structure, *self._sample, self.form))
            else:
                value = (self._tight if self.form == "tight" else self._loose)(structure, excess)
            self._values[structure, excess] = value
        return self._values[structure, excess]

    def _closed(self, structure: TreeStructure) -> float:
        N = structure.n_internal_nodes
        return (
            structure.n_leaves * self._log_classes
            + N * math.log(2 * self.n_features)
            + _log_binomial(self.n_examples - 1, N)
            - structure.n_symmetric_nodes * math.log(2)
        )

    def _loose(self, structure: TreeStructure, excess: int) -> float:
        log_cuts = math.log(2 * self.n_features) + math.log(excess + (self.form == "loose-corrected"))
        values = self._values
        for subtree in structure.subtrees():
            if (subtree, excess) in values:
                continue
            if subtree.is_leaf:
                values[subtree, excess] = self._log_classes
                continue
            left, right = subtree.children
            both = values[left, excess] + values[right, excess]
            value = join_log_growth(log_cuts + both, log_cuts, left is right, self._log_classes)
            values[subtree, excess] = self._capped(value, subtree.n_leaves, subtree.n_leaves + excess)
        return values[structure, excess]

    def _tight(self, structure: TreeStructure, excess: int) -> float:
        missing = [subtree for subtree in structure.subtrees()[:-1] if subtree not in self._tables]
        self._check_cost(missing)
        for subtree in missing:
            self._tables[subtree] = self._table(subtree, 0, self.n_examples - subtree.n_leaves)
        return float(self._table(structure, excess, excess)[0])

    def _check_cost(self, missing: list[TreeStructure]) -> None:
        m = self.n_examples
        n_products = sum(
            (m - subtree.n_leaves) ** 2 // 2
            for subtree in missing
            if subtree.right is not None and not subtree.right.is_leaf  # the right child is the smaller one
        )
        n_numbers = m * (len(self._tables) + len(missing) + _WORKING_TABLES)
        if n_products > _MOST_PRODUCTS or n_numbers > _MOST_NUMBERS:
            raise ValueError(
                f"n_examples={m}: form='tight' would take {n_products:.1e} multiplications and hold "
                f"{n_numbers:.1e} numbers; form='closed' is a bound for any number of examples"
            )

    def _table(self, subtree: TreeStructure, first: int, last: int) -> np.ndarray:
        """Logarithms of the growth bound at L + first, ..., L + last examples."""
        if subtree.is_leaf:
            return np.full(last - first + 1, self._log_classes)
        left, right = subtree.children
        tables = self._tables[left], self._tables[right]
        sides = _small_sides(self.n_examples, self.n_features)
        labelings_of_cuts, cuts = _sum_over_cuts(*tables, left.n_leaves, right.n_leaves, first, last, *sides)
        table = join_log_growth(labelings_of_cuts, cuts, left is right, self._log_classes)
        cap = self._log_labelings(subtree.n_leaves)[subtree.n_leaves :]
        if first == 0:
            table[0] = cap[0]  # as many examples as leaves: every labeling
        return np.minimum(table, cap[first : last + 1])

    def _capped(self, value: float, n_leaves: int, m: int) -> float:
        n, log_classes = self.n_classes, self._log_classes
        if n_leaves >= n:
            return min(value, m * log_classes)
        if value <= math.log(math.perm(n, n_leaves)) + (m - n_leaves) * math.log(n_leaves):
            return value  # S(m, L) alone is at least L^(m - L)
        return min(value, float(self._log_labelings(n_leaves)[m]))

    def _log_labelings(self, n_leaves: int) -> np.ndarray:
        """Logarithms of the labelings of 0..m examples that use no more classes than there are leaves."""
        if n_leaves >= self.n_classes:
            return np.arange(self.n_examples + 1) * self._log_classes
        if n_leaves not in self._labelings:
            self._labelings[n_leaves] = log_labelings_with_few_classes(
                self.n_classes, n_leaves, self.n_examples
            )
        return self._labelings[n_leaves]


def log_all_structures_growth_bound(
    n_leaves: int, n_examples: int, n_features: int, n_classes: int = 2
) -> float:
    """The natural logarithm of :func:`all_structures_growth_bound`, in floating point.

    Parameters
    ----------
    n_leaves, n_examples, n_features, n_classes : int

    Returns
    -------
    float
        In nats, within 1e-9.

    Examples
    --------
    >>> round(log_all_structures_growth_bound(3, 20, 2), 6), round(math.log(10944), 6)
    (9.300547, 9.300547)
    """
    n_leaves = check_integer(n_leaves, "n_leaves")
    m = check_integer(n_examples, "n_examples")
    l = check_integer(n_features, "n_features")
    n = check_integer(n_classes, "n_classes")
    if m < n_leaves:
        return m * math.log(n)
    N = n_leaves - 1
    log_catalan = _log_binomial(2 * N, N) - math.log(n_leaves)
    return n_leaves * math.log(n) + N * math.log(l) + log_catalan + _log_binomial(m - 1, N)


@njit(cache=True)
def join_log_growth(log_labelings_of_cuts, log_cuts, symmetric, log_classes):
    """The logarithm of a node's growth bound, from its cuts and the labelings on both sides of each.

    ``G = n + (labelings_of_cuts - n cuts) / (2 if symmetric else 1)``: the n constant labelings, which every
    cut has, are counted once. For a loose form, ``cuts`` is ``2 l`` times the number of terms, and
    ``labelings_of_cuts`` is that times the bounds of the two subtrees.

    Parameters
    ----------
    log_labelings_of_cuts, log_cuts : float or ndarray
    symmetric : bool
        Whether the two subtrees are equal.
    log_classes : float
        Positive: more than one class.

    Returns
    -------
    float or ndarray
        In nats, not capped. It may also be called in compiled code.

    Examples
    --------
    >>> log_growth = join_log_growth(math.log(18 * 4), math.log(18), True, math.log(2))  # a stump, m = 10
    >>> round(math.exp(log_growth), 9)
    20.0
    """
    others = log_labelings_of_cuts + np.log1p(-np.exp(log_classes + log_cuts - log_labelings_of_cuts))
    if symmetric:
        others = others - np.log(2.0)
    return others + np.log1p(np.exp(log_classes - others))


@lru_cache(maxsize=32)
def _small_sides(m_max: int, l: int) -> tuple[np.ndarray, np.ndarray]:
    """Of how many k-sets 2 l sides can cut off: where there are enough of them, and how many there are.

    For each m = 0..m_max the smallest k >= 1 with ``C(m, k) >= 2 l`` (m if there is none), and the logarithms
    of ``min(2 l, C(m, k))`` for the k that are smaller for some m, and for one more k. From m = 2 l on there
    are enough single examples, and nothing is smaller.
    """
    full_size = np.ones(m_max + 1, dtype=np.int64)
    smaller: list[list[float]] = []
    for m in range(min(m_max + 1, 2 * l)):
        sizes = range(1, m // 2 + 1)
        full_size[m] = next((k for k in sizes if math.comb(m, k) >= 2 * l), m)
        smaller.append([math.log(math.comb(m, k)) for k in range(min(full_size[m], m // 2 + 1))])
    log_sides = np.full((len(smaller), max(map(len, smaller)) + 1), math.log(2 * l))
    for m, logs in enumerate(smaller):
        log_sides[m, : len(logs)] = logs
    return full_size, log_sides


@lru_cache(maxsize=1 << 12)
def _log_binomial(n: int, k: int) -> float:
    k = min(k, n - k)
    # a sum of logarithms loses less than a difference of log-gammas
    return float(np.log1p(float(n - k) / np.arange(1, k + 1)).sum())


@njit(cache=True)
def _sum_over_cuts(x, y, n_left, n_right, first, last, full_size, log_sides):
    """Logarithms of sums over the cuts of L + e examples, e = first..last: of labelings on both sides; of 1.

    Sides with as many examples as full_size says are cut off equally often and make a convolution. The few
    others are added one by one.
    """
    labelings, cuts = np.full(last - first + 1, -np.inf), np.full(last - first + 1, -np.inf)
    start = first
    while start <= last:
        size = full_size[n_left + n_right + start]
        stop = start + 1
        while stop <= last and full_size[n_left + n_right + stop] == size:
            stop += 1
        few_left, few_right = max(0, size - n_left), max(0, size - n_right)
        start = max(start, few_left + few_right)
        if start < stop:
            low, high = start - few_left - few_right, stop - few_left - few_right
            sums = log_convolution(x[few_left:], y[few_right:], low, high, n_right == 1)
            labelings[start - first : stop - first] = log_sides[0, -1] + sums
            cuts[start - first : stop - first] = log_sides[0, -1] + np.log(np.arange(low + 1, high + 1))
        start = stop
    for e in range(first, last + 1):
        m = n_left + n_right + e
        few_left, few_right = max(0, full_size[m] - n_left), max(0, full_size[m] - n_right)
        last_left, first_right = min(few_left, e + 1), max(few_left, e + 1 - few_right)
        for special in (range(last_left), range(first_right, e + 1)):
            for i in special:
                log_sets = log_sides[m, min(n_left + i, n_right + e - i)]
                labelings[e - first] = np.logaddexp(labelings[e - first], log_sets + x[i] + y[e - i])
                cuts[e - first] = np.logaddexp(cuts[e - first], log_sets)
    return labelings, cuts


@njit(cache=True)
def log_labelings_with_few_classes(n, n_parts, m_max):
    """Logarithms of how many labelings of 0..m_max examples use at most n_parts of n classes, n_parts < n."""
    out = np.zeros(m_max + 1)
    counts = np.zeros(
        n_parts + 1
    )  # of labelings that use exactly c classes, over n_parts^m and exp(log_scale)
    counts[0] = 1.0
    log_scale = 0.0
    for m in range(1, m_max + 1):
        for c in range(n_parts, 0, -1):
            counts[c] = (counts[c] * c + counts[c - 1] * (n - c + 1)) / n_parts
        counts[0] = 0.0
        total = counts.sum()
        if total > 1e100 or total < 1e-100:
            counts /= total
            log_scale += np.log(total)
            total = 1.0
        out[m] = np.log(total) + log_scale + m * np.log(n_parts)
    return out
