"""Slow, obvious versions of tail inversions, prunings and message probabilities."""

from itertools import product

import mpmath


def log_binomial_tail(k, n, p):
    """ln P[Bin(n, p) <= k] for 0 < p < 1, term by term with 50 digits."""
    with mpmath.workdps(50):
        p = mpmath.mpf(p)
        odds = p / (1 - p)
        term = (1 - p) ** n
        total = term
        for j in range(k):
            # From the probability of j to that of j + 1.
            term *= odds * (n - j) / (j + 1)
            total += term
        return mpmath.log(total)


def binomial_tail_inversion(k, n, log_gamma):
    """sup {p : P[Bin(n, p) <= k] >= gamma} by halving."""
    with mpmath.workdps(50):
        low = mpmath.mpf(0)
        high = mpmath.mpf(1)
        for _ in range(120):
            middle = (low + high) / 2
            if log_binomial_tail(k, n, middle) >= log_gamma:
                low = middle
            else:
                high = middle
        return low


def divergence(q, p):
    """kl(q, p) of two coins with 50 digits, for 0 < p < 1."""
    with mpmath.workdps(50):
        q = mpmath.mpf(q)
        p = mpmath.mpf(p)
        parts = [(q, p), (1 - q, 1 - p)]
        return mpmath.fsum(a * mpmath.log(a / b) for a, b in parts if a)


def log_hypergeometric_tail(k, m, M, K):
    """ln P[Hyp(M, K, m) <= k] in exact integers."""
    count = sum(
        mpmath.binomial(K, j) * mpmath.binomial(M - K, m - j)
        for j in range(max(0, m - M + K), min(k, K, m) + 1)
    )
    if count == 0:
        return -mpmath.inf
    return mpmath.log(count / mpmath.binomial(M, m))


def hypergeometric_tail_inversion(k, m, M, log_gamma):
    """min {K : P[Hyp(M, K, m) <= k] <= gamma} by trying every K; K = M + 1 has
    probability 0.
    """
    return next(
        K
        for K in range(k, M + 2)
        if M - m < K - k or log_hypergeometric_tail(k, m, M, K) <= log_gamma
    )


def prunings(tree, node=0):
    """Every pruning of a node's subtree: its leaves, and how many of its nodes are not
    leaves of the tree.
    """
    if tree.is_leaf[node]:
        yield (node,), 0
        return

    yield (node,), 1
    on_the_left = prunings(tree, tree.children_left[node])
    on_the_right = prunings(tree, tree.children_right[node])
    for (left, a), (right, b) in product(on_the_left, on_the_right):
        yield left + right, 1 + a + b
