"""The sharp growth bound, its closed form and series as they are written; and brute force."""

from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, perm

from oracles.partitioning import stirling


@cache
def sharp(structure, m, l, S, n):
    """MATH 2.5 and 2.8, node by node: the smaller of two bounds where a leaf stands beside a subtree."""
    L = structure.n_leaves
    if m == 0:
        return 1
    if L == 1:
        return n
    if l > 0 and m <= L:
        return n**m
    left, right = structure.left, structure.right
    halves = 2 if left == right else 1
    value = n
    if l > 0:
        total = sum(
            min(2 * l, comb(m, k)) * (sharp(left, k, l, S, n) * sharp(right, m - k, l, S, n) - n)
            for k in range(left.n_leaves, m - right.n_leaves + 1)
        )
        assert total % halves == 0
        value += total // halves
        if right.is_leaf and not left.is_leaf:
            beside = sum(min(2 * l, comb(m, k)) * sharp(left, m - k, l, S, n) for k in range(1, m))
            value = min(value, n + (n - 1) * beside)
    sides = [
        sharp(left, k, l, S, n) * sharp(right, m - k, l, S, n)
        + sharp(left, m - k, l, S, n) * sharp(right, k, l, S, n)
        - 2 * n
        for k in range(1 if l > 0 else 0, m)
    ]
    value += S * max(sides, default=0) // halves
    return min(value, sum(perm(n, c) * stirling(m, c) for c in range(1, min(n, L, m) + 1)))


def closed_sharp(N, m, l, S, n):
    """The closed form of 2.8, which is that of 2.5 for S = 0."""
    return n * sum(
        comb(N, j) * (1 + 2 * n * S) ** (N - j) * (2 * (n - 1) * l) ** j * comb(m - 1, j)
        for j in range(N + 1)
    )


def series_coefficients(n, b, N):
    """P_0, ..., P_N of P = y (P^2 + 2 b P + n (n - 1)), one power after the other."""
    P = [0] * (N + 1)
    for j in range(1, N + 1):
        squares = sum(P[i] * P[j - 1 - i] for i in range(j))
        P[j] = squares + 2 * b * P[j - 1] + (n * (n - 1) if j == 1 else 0)
    return P


def series(N, m, l, S, n):
    """All structures with N nodes together: the smaller of the two estimates, before rounding."""
    estimates = []
    for b, weight in ((n - 1, Fraction(n * S, n - 1)), (n, Fraction(S))):
        P = series_coefficients(n, b, N)
        estimates.append(
            n
            + sum(
                P[j] * sum(comb(j, i) * weight ** (j - i) * l**i * comb(m - 1, i) for i in range(j + 1))
                for j in range(1, N + 1)
            )
        )
    return min(estimates)


def prefixes(m, l):
    """The most different prefixes that l orders of m examples can have."""
    return sum(min(l, comb(m, k)) for k in range(m + 1))


def splits_of(sample, kinds):
    """The sets of examples (as masks) that one test on a column can send to the left."""
    m = len(sample)
    found = set()
    for (kind, size), column in zip(kinds.columns, zip(*sample, strict=True), strict=True):
        if kind == "nominal":
            sides = [{value} for value in range(size)]
        elif kind == "nominal_subsets":
            sides = [{v for v in range(size) if code >> v & 1} for code in range(2**size)]
        else:
            sides = [{v for v in column if v <= threshold} for threshold in set(column)]
        for side in sides:
            mask = sum(1 << i for i in range(m) if column[i] in side)
            found |= {mask, 2**m - 1 - mask}
    return found


def labelings_of(structure, sample, kinds, n):
    """Every labeling of a sample that trees of a structure realize, on features of any kinds."""
    m = len(sample)
    masks = splits_of(sample, kinds) | (
        {0, 2**m - 1} if any(k == "real" for k, _ in kinds.columns) else set()
    )

    @cache
    def realized(subtree, here):
        places = [i for i in range(m) if here >> i & 1]
        if subtree.is_leaf or not places:
            return {tuple((i, label) for i in places) for label in range(n)}
        found = set()
        for mask in masks:
            for first, second in ((subtree.left, subtree.right), (subtree.right, subtree.left)):
                for a, b in product(realized(first, here & mask), realized(second, here & ~mask)):
                    found.add(tuple(sorted(a + b)))
        return found

    return realized(structure, 2**m - 1)
