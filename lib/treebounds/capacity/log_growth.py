"""Logarithms of growth function bounds, in floating point: no overflow, any number of classes.

The recursion runs on the growth bounds themselves. The labelings of all cuts of a node are a convolution of
the growth bounds of its two subtrees, whose terms differ by hundreds of orders of magnitude.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import groupby

import numpy as np
from numba import njit

from treebounds._validation import check_integer, check_option
from treebounds.capacity.growth import FORMS, check_structure, growth_function_bound
from treebounds.structure import TreeStructure

__all__ = ["LogGrowth", "log_all_structures_growth_bound", "log_growth_function_bound"]

_BLOCK = 32

# Up to here the caps on single numbers of parts are felt (more than 5 %), and the integers cost milliseconds.
_FEW_LEAVES, _FEW_EXAMPLES = 10, 64


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

    See Also
    --------
    LogGrowth : the same for many structures, which shares the work between them.

    Notes
    -----
    With m examples and L leaves, "tight" takes ``O((m - L)^2)`` for each distinct subtree (linear where one
    child is a leaf): 0.2 s for 40 leaves and m = 8000. The other forms take ``O(L)``.

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
            if structure.n_leaves <= _FEW_LEAVES and self.n_examples <= _FEW_EXAMPLES:
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
        for subtree in structure.subtrees()[:-1]:
            if subtree not in self._tables:
                self._tables[subtree] = self._table(subtree, 0, self.n_examples - subtree.n_leaves)
        return float(self._table(structure, excess, excess)[0])

    def _table(self, subtree: TreeStructure, first: int, last: int) -> np.ndarray:
        """Logarithms of the growth bound at L + first, ..., L + last examples."""
        if subtree.is_leaf:
            return np.full(last - first + 1, self._log_classes)
        labelings_of_cuts, cuts = self._cuts(subtree, first, last)
        table = join_log_growth(labelings_of_cuts, cuts, subtree.left is subtree.right, self._log_classes)
        cap = self._log_labelings(subtree.n_leaves)[subtree.n_leaves :]
        if first == 0:
            table[0] = cap[0]  # as many examples as leaves: every labeling
        return np.minimum(table, cap[first : last + 1])

    def _cuts(self, subtree: TreeStructure, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
        """Logarithms of the labelings on both sides, summed over the cuts, and of the number of cuts."""
        m, l = subtree.n_leaves, self.n_features
        groups = groupby(range(first, last + 1), lambda extra: _first_full_size(m + extra, l))
        parts = [self._similar_cuts(subtree, np.array(list(extras)), size) for size, extras in groups]
        return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])

    def _similar_cuts(
        self, subtree: TreeStructure, extras: np.ndarray, full_size: int | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same where sides of at least full_size examples, and no smaller ones, are cut off 2 l times."""
        left, right = subtree.children
        x, y, last = self._tables[left], self._tables[right], int(extras[-1])
        # so many of the smallest left and right sides are special; without a full size, every side is
        few_left = last + 1 if full_size is None else max(0, full_size - left.n_leaves)
        few_right = 0 if full_size is None else max(0, full_size - right.n_leaves)
        rest = extras - few_left - few_right
        labelings, cuts = np.full((2, len(rest)), -np.inf)
        if rest[-1] >= 0:
            convolve = _log_running_sum if right.is_leaf else _log_convolution
            log_sides = math.log(2 * self.n_features)
            wanted = rest[rest >= 0]
            sums = convolve(x[few_left:], y[few_right:], wanted[0], wanted[-1])
            labelings[rest >= 0] = log_sides + sums
            cuts[rest >= 0] = log_sides + np.log(wanted + 1.0)
        for few, size, near, far in ((few_left, left.n_leaves, x, y), (few_right, right.n_leaves, y, x)):
            for i in range(min(few, last + 1)):
                inside = extras >= i
                log_sets = np.array(
                    [math.log(math.comb(subtree.n_leaves + e, size + i)) for e in extras[inside].tolist()]
                )
                labelings[inside] = np.logaddexp(
                    labelings[inside], log_sets + near[i] + far[extras[inside] - i]
                )
                cuts[inside] = np.logaddexp(cuts[inside], log_sets)
        return labelings, cuts

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
            self._labelings[n_leaves] = _log_labelings(self.n_classes, n_leaves, self.n_examples)
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
    """Logarithm of a node's growth bound (numbers or arrays; more than one class; also in compiled code).

    ``G = n + (labelings_of_cuts - n cuts) / (2 if symmetric else 1)``: the n constant labelings, which every
    cut has, are counted once.
    """
    others = log_labelings_of_cuts + np.log1p(-np.exp(log_classes + log_cuts - log_labelings_of_cuts))
    if symmetric:
        others = others - np.log(2.0)
    return others + np.log1p(np.exp(log_classes - others))


@lru_cache(maxsize=1 << 16)
def _first_full_size(m: int, n_features: int) -> int | None:
    """The smallest k with ``C(m, k) >= 2 l``, None if there is none."""
    return next((k for k in range(1, m // 2 + 1) if math.comb(m, k) >= 2 * n_features), None)


@lru_cache(maxsize=1 << 12)
def _log_binomial(n: int, k: int) -> float:
    k = min(k, n - k)
    # a sum of logarithms loses less than a difference of log-gammas
    return float(np.log1p((n - k) / np.arange(1, k + 1)).sum())


def _log_running_sum(x: np.ndarray, y: np.ndarray, first: int, last: int) -> np.ndarray:
    """:func:`_log_convolution` with a constant y."""
    return np.logaddexp.accumulate(x[: last + 1])[first:] + y[0]


def _log_convolution(x: np.ndarray, y: np.ndarray, first: int, last: int) -> np.ndarray:
    """``log(sum_i exp(x[i] + y[e - i]))`` for e = first..last, where x and y do not decrease."""
    blocks = last // _BLOCK + 1
    start = first // _BLOCK
    sums = _convolve_blocks(*_blocks(x[: last + 1], blocks), *_blocks(y[: last + 1], blocks), start)
    return sums[first - start * _BLOCK : last + 1 - start * _BLOCK]


def _blocks(logs: np.ndarray, n_blocks: int) -> tuple[np.ndarray, np.ndarray]:
    """The logarithm of a scale for each block of numbers, and the numbers over it: neither huge nor tiny."""
    padded = np.full(n_blocks * _BLOCK, logs[-1])
    padded[: len(logs)] = logs
    table = padded.reshape(n_blocks, _BLOCK)
    scale = (table[:, 0] + table[:, -1]) / 2
    return scale, np.exp(table - scale[:, None])


@njit(cache=True)
def _convolve_blocks(x_scale, x, y_scale, y, start):
    size = x.shape[1]
    out = np.empty((len(x) - start, size))
    for block in range(start, len(x)):
        total, total_scale = np.zeros(size), -np.inf
        for i in range(block + 1):
            for j in range(max(block - i - 1, 0), block - i + 1):
                part = np.zeros(size)
                if j == block - i:
                    for a in range(size):
                        for t in range(a, size):
                            part[t] += x[i, a] * y[j, t - a]
                else:
                    for a in range(1, size):
                        for t in range(a):
                            part[t] += x[i, a] * y[j, size + t - a]
                scale = x_scale[i] + y_scale[j]
                if scale > total_scale:
                    total *= np.exp(total_scale - scale)
                    total_scale = scale
                total += part * np.exp(scale - total_scale)
        out[block - start] = np.log(total) + total_scale
    return out.ravel()


@njit(cache=True)
def _log_labelings(n, n_parts, m_max):
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
