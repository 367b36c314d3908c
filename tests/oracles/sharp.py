"""The sharp growth bound, its closed form and series as they are written; and brute
force.
"""

from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, perm

from oracles.partitioning import stirling


@cache
def sharp(structure, m, l, S, n):
    """The book's upper bounds of growth functions, node by node: the smallest of all
    ways to count a root's labelings.
    """
    L = structure.n_leaves
    if m == 0:
        return 1
    if L == 1:
        return n
    if l > 0 and m <= L:
        return n**m

    left = structure.left
    right = structure.right
    everything = sum(perm(n, c) * stirling(m, c) for c in range(1, min(n, L, m) + 1))
    return min(
        by_real_features(left, right, m, l, S, n) + by_subsets(left, right, m, l, S, n),
        everything,
    )


def by_real_features(left, right, m, l, S, n):
    """The constant labelings, and those of a root with a real-valued feature."""
    if l == 0:
        return n
    return min(
        as_many_as_possible(right, left, m, m, l, S, n),
        as_many_as_possible(right, left, m, m - left.n_leaves, l, S, n),
        as_many_as_possible(left, right, m, m, l, S, n),
        as_many_as_possible(left, right, m, m - right.n_leaves, l, S, n),
    )


def by_subsets(left, right, m, l, S, n):
    """The other labelings of a root that makes S splits of any kind."""
    first = 0
    if l > 0:
        first = 1
    halves = 1
    if left == right:
        halves = 2

    sides = [
        sharp(left, k, l, S, n) * sharp(right, m - k, l, S, n)
        + sharp(left, m - k, l, S, n) * sharp(right, k, l, S, n)
        - 2 * n
        for k in range(first, m)
    ]
    return S * max(sides, default=0) // halves


def as_many_as_possible(a, b, m, most, l, S, n):
    """Labelings by a real-valued root whose side a has k examples, the most it can have
    up to a number.

    A set of k < most examples is followed by one to which a gives another label.
    Constant labelings belong to the last k. Subtrees that are equal: a has at least
    half of the examples.
    """

    def n_splits(k):
        """How many splits into k and m - k examples there are; subtrees that are equal
        can be exchanged.
        """
        splits = Fraction(min(2 * l, comb(m, k)))
        if a == b and 2 * k == m:
            return splits / 2
        return splits

    if most == m:
        total = Fraction(sharp(a, m, l, S, n))
    else:
        labelings = sharp(a, most, l, S, n) * sharp(b, m - most, l, S, n)
        total = n_splits(most) * (labelings - n) + n

    for k in range(a.n_leaves, most):
        if a == b and 2 * k < m:
            continue
        of_a = min(sharp(a, k, l, S, n), Fraction(n - 1, n) * sharp(a, k + 1, l, S, n))
        labelings = of_a * sharp(b, m - k, l, S, n)
        if not a.is_leaf:
            labelings -= n
        total += n_splits(k) * labelings

    return total


def closed_sharp(N, m, l, S, n):
    """The closed form of 2.8, which is that of 2.5 for S = 0."""
    return n * sum(
        comb(N, j)
        * (1 + 2 * n * S) ** (N - j)
        * (2 * (n - 1) * l) ** j
        * comb(m - 1, j)
        for j in range(N + 1)
    )


def series_coefficients(n, b, N):
    """P_0, ..., P_N of P = y (P^2 + 2 b P + n (n - 1)), one power after the other."""
    P = [0] * (N + 1)
    for j in range(1, N + 1):
        squares = sum(P[i] * P[j - 1 - i] for i in range(j))
        P[j] = squares + 2 * b * P[j - 1]
        if j == 1:
            P[j] += n * (n - 1)
    return P


def series(N, m, l, S, n):
    """All structures with N nodes together: the smaller of the two estimates, before
    rounding.
    """
    estimates = []
    for b, weight in ((n - 1, Fraction(n * S, n - 1)), (n, Fraction(S))):
        P = series_coefficients(n, b, N)
        estimates.append(
            n
            + sum(
                P[j]
                * sum(
                    comb(j, i) * weight ** (j - i) * l**i * comb(m - 1, i)
                    for i in range(j + 1)
                )
                for j in range(1, N + 1)
            )
        )

    return min(estimates)


def prefixes(m, l):
    """The most different prefixes that l orders of m examples can have."""
    return sum(min(l, comb(m, k)) for k in range(m + 1))


def lower(N, m, l, n):
    """The larger one of the book's lower bounds, for every number of groups."""
    if m <= N + 1:
        return n**m

    own = n * (1 + (n - 1) * (prefixes((m - 1) // max(N, 1), l) - 1)) ** N
    return max(
        own,
        *(
            n
            * sum(
                comb((m - 1) // (W + 1), j) * ((n - 1) * prefixes(W, l)) ** j
                for j in range(N + 1)
            )
            for W in range(m)
        ),
    )


def columns_of(kinds):
    """Kind and number of values of each column; 0 values for a real-valued one."""
    columns = [("real", 0)] * kinds.real
    for kind in ("ordinal", "nominal", "nominal_subsets"):
        columns += [(kind, n_values) for n_values in getattr(kinds, kind)]
    return columns + [("binary", 2)] * kinds.binary


def splits_of(sample, kinds):
    """The sets of examples, as masks, that a test on a column can send to the left."""
    m = len(sample)
    splits = set()
    for (kind, size), column in zip(
        columns_of(kinds), zip(*sample, strict=True), strict=True
    ):
        if kind == "nominal":
            sides = [{value} for value in range(size)]
        elif kind == "nominal_subsets":
            sides = [
                {v for v in range(size) if code >> v & 1} for code in range(2**size)
            ]
        else:
            sides = [{v for v in column if v <= threshold} for threshold in set(column)]
        for side in sides:
            mask = sum(1 << i for i in range(m) if column[i] in side)
            splits |= {mask, 2**m - 1 - mask}

    return splits


def labelings_of(structure, sample, kinds, n):
    """Every labeling of a sample that trees of a structure realize, on features of any
    kinds.
    """
    m = len(sample)
    masks = splits_of(sample, kinds)
    if kinds.real:
        masks |= {0, 2**m - 1}

    @cache
    def realized(subtree, here):
        places = [i for i in range(m) if here >> i & 1]
        if subtree.is_leaf or not places:
            return {tuple((i, label) for i in places) for label in range(n)}

        labelings = set()
        for mask in masks:
            for first, second in (
                (subtree.left, subtree.right),
                (subtree.right, subtree.left),
            ):
                for a, b in product(
                    realized(first, here & mask), realized(second, here & ~mask)
                ):
                    labelings.add(tuple(sorted(a + b)))

        return labelings

    return realized(structure, 2**m - 1)
