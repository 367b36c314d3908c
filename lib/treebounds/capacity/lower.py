"""Lower bounds on growth functions of tree structures on real-valued features."""

from __future__ import annotations

import math
from itertools import takewhile
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from treebounds._validation import check_integer
from treebounds.capacity._trees import check_structure
from treebounds.capacity.closed import log_binomial
from treebounds.structure import TreeStructure

_FEW = 1000  # group sizes and numbers of groups that are all tried


def growth_function_lower_bound(
    structure: TreeStructure, n_examples: int, n_features: int, n_classes: int = 2
) -> int:
    """A lower bound on the number of labelings that a tree structure realizes on some sample.

    Parameters
    ----------
    structure : TreeStructure or fitted scikit-learn tree
    n_examples, n_features, n_classes : int
        At least 1; the features are real-valued.

    Returns
    -------
    int
        All ``n^m`` labelings if there are at most as many examples as leaves. Else the larger of two numbers,
        for N internal nodes, n classes and P(W), the largest number of different prefixes of l orders of W
        examples, the sum of ``min(l, C(W, k))`` over k = 0..W:

        - ``n (1 + (n - 1) (P(M) - 1))^N`` with ``M = floor((m - 1) / N)``: each node cuts a group of its own;
        - ``n sum_j C(K, j) ((n - 1) P(W))^j`` over j = 0..N, for the best K and W with ``1 + K (W + 1) <= m``
          (up to a million examples; else the best of some thousand): the nodes choose among K groups, and
          single examples between the groups identify those that were cut.

    See Also
    --------
    log_growth_function_lower_bound : its logarithm, for any size.
    growth_function_bound : from above.

    Notes
    -----
    Both are proved in the book's chapter on growth functions. The second one is the growth function to
    leading order for a complete tree of fixed size, and at most a factor of 2 per node below it
    for every shape.

    Examples
    --------
    >>> from treebounds import TreeStructure, growth_function_bound, growth_function_lower_bound
    >>> chain = TreeStructure.from_nested([[None, None], None])
    >>> growth_function_lower_bound(chain, 21, n_features=2), growth_function_bound(chain, 21, n_features=2)
    (834, 3186)
    """
    N, m, l, n = _checked(structure, n_examples, n_features, n_classes)
    if m <= N + 1 or n == 1:
        return n**m
    own = n * (1 + (n - 1) * (_n_prefixes((m - 1) // max(N, 1), l) - 1)) ** N
    K, size = _best_groups(N, m, l, n)[1:]
    z = (n - 1) * _n_prefixes(size, l)
    return max(own, n * sum(comb(K, j) * z**j for j in range(min(N, K) + 1)))


def log_growth_function_lower_bound(
    structure: TreeStructure, n_examples: int, n_features: int, n_classes: int = 2
) -> float:
    """The natural logarithm of :func:`growth_function_lower_bound`, for any size.

    Parameters
    ----------
    structure : TreeStructure or fitted scikit-learn tree
    n_examples, n_features, n_classes : int

    Returns
    -------
    float
        In nats.

    Examples
    --------
    >>> from math import log
    >>> from treebounds import TreeStructure, log_growth_function_lower_bound
    >>> chain = TreeStructure.from_nested([[None, None], None])
    >>> round(log_growth_function_lower_bound(chain, 21, n_features=2), 6), round(log(834), 6)
    (6.726233, 6.726233)
    """
    N, m, l, n = _checked(structure, n_examples, n_features, n_classes)
    if m <= N + 1 or n == 1:
        return m * math.log(n)
    own = N * math.log(1 + (n - 1) * (_n_prefixes((m - 1) // max(N, 1), l) - 1))
    return math.log(n) + max(own, _best_groups(N, m, l, n)[0])


def _checked(structure: Any, n_examples: Any, n_features: Any, n_classes: Any) -> tuple[int, int, int, int]:
    """Internal nodes, examples, features and classes, or a ValueError."""
    m, l = check_integer(n_examples, "n_examples"), check_integer(n_features, "n_features")
    return check_structure(structure, l).n_internal_nodes, m, l, check_integer(n_classes, "n_classes")


def _n_prefixes(size: int, l: int) -> int:
    """The largest number of different prefixes of l orders of some examples."""
    # the numbers of sets of k examples that are below l, for k < size / 2
    fewer = list(takewhile(lambda count: count < l, (comb(size, k) for k in range((size + 1) // 2))))
    middle = size + 1 - 2 * len(fewer)
    return 2 * sum(fewer) + middle * min(l, comb(size, len(fewer)))


def _best_groups(N: int, m: int, l: int, n: int) -> tuple[float, int, int]:
    """The logarithm of ``sum_j C(K, j) ((n - 1) P(W))^j`` for the best K and W, with these."""
    some = [round(1.02**i) for i in range(int(math.log(m) / math.log(1.02)))]
    sizes = {size for size in (*range(1, _FEW), *some) if size < m}  # W + 1
    sizes |= {(m - 1) // K for K in range(1, min(_FEW, m))}
    pairs = sorted({(m - 1) // size: size - 1 for size in sorted(sizes)}.items())  # the largest W for each K
    z = np.array([float((n - 1) * _n_prefixes(W, l)) for _, W in pairs])
    values = _log_partial_sums(N, [K for K, _ in pairs], z)
    best = int(values.argmax())
    return float(values[best]), *pairs[best]


def _log_partial_sums(N: int, K: list[int], z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithms of ``sum_j C(K, j) z^j`` over j = 0..N, for several K and z."""
    size = np.array(K, dtype=float)
    sums = size * np.log1p(z)
    # up to the largest term, or with all: a share of (1 + z)^K
    large = (size > N) & (size * z / (1 + z) <= N)
    sums[large] += np.log(betainc(size[large] - N, N + 1, 1 / (1 + z[large])))
    # else the last terms are the largest
    last = (size > N) & ~large
    ratios, total, j = np.ones(last.sum()), np.ones(last.sum()), N
    while j > 0 and np.any(ratios > 1e-17 * total):
        ratios = ratios * j / ((size[last] - j + 1) * z[last])
        total += ratios
        j -= 1
    logs = np.array([log_binomial(k, N) for k, is_last in zip(K, last, strict=True) if is_last])
    sums[last] = logs + N * np.log(z[last]) + np.log(total)
    return sums
