"""Partitions that tree structures realize: the definitions by brute force, and Theorem
9 as it is printed.

A sample is a list of features, each a permutation of the examples 0..m-1 in increasing
order of its values; a set of examples is a frozenset.
"""

from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product
from math import comb, factorial, perm


def set_partitions(items):
    """Every partition of a list, as a list of lists."""
    if not items:
        yield []
        return

    first, *rest = items
    for partition in set_partitions(rest):
        yield [[first], *partition]
        for i, part in enumerate(partition):
            yield [*partition[:i], [first, *part], *partition[i + 1 :]]


@cache
def stirling(m, c):
    if m == 0 or c == 0:
        return int(m == c)
    return c * stirling(m - 1, c) + stirling(m - 1, c - 1)


def leaf_cells(structure, examples, sample):
    """The sets of non-empty leaves into which trees of the structure can sort the
    examples.
    """
    if structure.is_leaf:
        if not examples:
            return {frozenset()}
        return {frozenset([examples])}

    partitions = set()
    for order in sample:
        there = [example for example in order if example in examples]
        for k in range(len(there) + 1):
            below = frozenset(there[:k])
            above = frozenset(there[k:])
            for left, right in ((below, above), (above, below)):
                for cells in leaf_cells(structure.left, left, sample):
                    partitions |= {
                        cells | others
                        for others in leaf_cells(structure.right, right, sample)
                    }

    return partitions


def realizable_partitions(structure, sample):
    """Definition 5: leaves with the same label are one part."""
    examples = frozenset(sample[0])
    partitions = set()
    for cells in leaf_cells(structure, examples, sample):
        for grouping in set_partitions(list(cells)):
            partitions.add(frozenset(frozenset().union(*group) for group in grouping))
    return partitions


def samples(m, l):
    """Every sample up to the names of the examples and the order of the features,
    without ties.
    """
    orders = list(permutations(range(m)))
    for others in product(orders, repeat=l - 1):
        if list(others) == sorted(others):
            yield [orders[0], *others]


def partitioning_functions(structure, m, l):
    """Definition 6 for 1, ..., L parts, and the growth function (Equation 2) for 1,
    ..., L classes.
    """
    L = structure.n_leaves
    parts = [0] * L
    growth = [0] * L
    for sample in samples(m, l):
        sizes = [
            len(partition) for partition in realizable_partitions(structure, sample)
        ]
        counts = [sizes.count(c) for c in range(1, L + 1)]
        parts = list(map(max, parts, counts))
        labelings = [
            sum(perm(n, c) * counts[c - 1] for c in range(1, L + 1))
            for n in range(1, L + 1)
        ]
        growth = list(map(max, growth, labelings))

    return parts, growth


def theorem_9(structure, c, m, l, capped=True, table=None):
    """Theorem 9 and Algorithm 1: one number of parts at a time, both sums as they are
    printed.
    """
    if table is None:
        table = {}
    key = structure, c, m
    if key in table:
        return table[key]

    L = structure.n_leaves
    if c > m or c > L:
        value = 0
    elif c == 1:
        value = 1
    elif m <= L:
        value = stirling(m, c)
    else:
        value = theorem_9_sum(structure, c, m, l, capped, table)
        if capped:
            value = min(value, stirling(m, c))

    table[key] = value
    return value


def theorem_9_sum(structure, c, m, l, capped, table):
    left = structure.left
    right = structure.right
    total = 0
    for k in range(left.n_leaves, m - right.n_leaves + 1):
        inner = 0
        for a in range(1, c + 1):
            for b in range(max(1, c - a), c + 1):
                inner += (
                    comb(a, c - b)
                    * comb(b, c - a)
                    * factorial(a + b - c)
                    * theorem_9(left, a, k, l, capped, table)
                    * theorem_9(right, b, m - k, l, capped, table)
                )

        total += min(2 * l, comb(m, k)) * inner

    if left == right:
        return Fraction(total, 2)
    return Fraction(total)


def looser_bound(structure, c, m, l, n_terms_more):
    """Section 6.2 with the factor m - L + n_terms_more, capped."""
    L = structure.n_leaves
    if c == 1:
        return 1
    if c > L:
        return 0
    if m <= L:
        return stirling(m, c)

    left = structure.left
    right = structure.right
    total = 0
    for a in range(1, c + 1):
        for b in range(max(1, c - a), c + 1):
            total += (
                comb(a, c - b)
                * comb(b, c - a)
                * factorial(a + b - c)
                * looser_bound(left, a, m - right.n_leaves, l, n_terms_more)
                * looser_bound(right, b, m - left.n_leaves, l, n_terms_more)
            )

    value = Fraction((m - L + n_terms_more) * 2 * l * total)
    if left == right:
        value /= 2
    return min(value, stirling(m, c))


def splits_of_thresholds(row):
    """The partitions into two parts that one feature realizes, each as the part without
    example 0.
    """
    m = len(row)
    for k in range(1, m):
        cut = frozenset(row[:k])
        if 0 in cut:
            cut = frozenset(row[k:])
        yield cut


def is_shattered(structure, sample):
    m = len(sample[0])
    return (
        sum(len(p) == 2 for p in realizable_partitions(structure, sample))
        == 2 ** (m - 1) - 1
    )


def subsets(items, size):
    return map(frozenset, combinations(items, size))


def labelings(m, n, n_parts):
    """Labelings of m examples with at most ``n_parts`` different ones of n classes."""
    parts = range(1, min(n, m, n_parts) + 1)
    return sum(perm(n, c) * stirling(m, c) for c in parts)
