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

_FEW = 1000  # all group sizes and all numbers of groups below this are tried


def growth_function_lower_bound(
    structure: TreeStructure, n_examples: int, n_features: int, n_classes: int = 2
) -> int:
    """A lower bound on the number of labelings that a tree structure realizes on some
    sample.

    Parameters
    ----------
    structure : TreeStructure or fitted scikit-learn tree
    n_examples, n_features, n_classes : int
        m, l and n in the formulas; at least 1. The features are real-valued.

    Returns
    -------
    int
        ``n^m``, all labelings, if there are no more examples than leaves. Otherwise the
        larger of two numbers. In these, N is the number of internal nodes and P(W), the
        sum of ``min(l, C(W, k))`` over k = 0..W, is the largest number of different
        prefixes that l orders of W examples can have.

        - ``n (1 + (n - 1) (P(M) - 1))^N`` with ``M = floor((m - 1) / N)``: each node
          has a group of M examples of its own and cuts off a prefix of it.
        - ``n sum_j C(K, j) ((n - 1) P(W))^j`` over j = 0..N: the nodes choose j of K
          groups of W examples and cut off a prefix of each; single examples between the
          groups show which ones were chosen. K and W are the best ones with ``1 + K (W
          + 1) <= m``. If there are more than a million examples, only some thousand
          pairs of K and W are tried.

    See Also
    --------
    log_growth_function_lower_bound : its logarithm, for any size.
    growth_function_bound : from above.

    Notes
    -----
    Both are proved in the book, in the two chapters on growth functions. If the
    structure is fixed and the number of examples grows, the second one is smaller than
    the growth function by at most a factor of 2 per node; for a complete tree the two
    agree to leading order.

    Examples
    --------
    >>> from treebounds import (
    ...     TreeStructure,
    ...     growth_function_bound,
    ...     growth_function_lower_bound,
    ... )
    >>> chain = TreeStructure.from_nested([[None, None], None])
    >>> (
    ...     growth_function_lower_bound(chain, 21, n_features=2),
    ...     growth_function_bound(chain, 21, n_features=2),
    ... )
    (834, 3186)
    """
    N, m, l, n = _checked(structure, n_examples, n_features, n_classes)
    if m <= N + 1 or n == 1:
        return int(n**m)
    own = n * (1 + (n - 1) * (_n_prefixes((m - 1) // max(N, 1), l) - 1)) ** N
    K, size = _best_groups(N, m, l, n)[1:]
    z = (n - 1) * _n_prefixes(size, l)
    by_groups = n * sum(comb(K, j) * z**j for j in range(min(N, K) + 1))
    return int(max(own, by_groups))


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
    >>> (
    ...     round(log_growth_function_lower_bound(chain, 21, n_features=2), 6),
    ...     round(log(834), 6),
    ... )
    (6.726233, 6.726233)
    """
    N, m, l, n = _checked(structure, n_examples, n_features, n_classes)
    if m <= N + 1 or n == 1:
        return m * math.log(n)
    own = N * math.log(1 + (n - 1) * (_n_prefixes((m - 1) // max(N, 1), l) - 1))
    return math.log(n) + max(own, _best_groups(N, m, l, n)[0])


def _checked(
    structure: Any, n_examples: Any, n_features: Any, n_classes: Any
) -> tuple[int, int, int, int]:
    """Return internal nodes, examples, features and classes, or raise a ValueError."""
    m, l = (
        check_integer(n_examples, "n_examples"),
        check_integer(n_features, "n_features"),
    )
    return (
        check_structure(structure, l).n_internal_nodes,
        m,
        l,
        check_integer(n_classes, "n_classes"),
    )


def _n_prefixes(size: int, l: int) -> int:
    """The largest number of different prefixes of l orders of some examples."""
    # C(size, k) for k = 0, 1, ... below size / 2, as long as it is below l.
    fewer = list(
        takewhile(
            lambda count: count < l, (comb(size, k) for k in range((size + 1) // 2))
        )
    )
    middle = size + 1 - 2 * len(fewer)
    return 2 * sum(fewer) + middle * min(l, comb(size, len(fewer)))


def _best_groups(N: int, m: int, l: int, n: int) -> tuple[float, int, int]:
    """The largest logarithm of ``sum_j C(K, j) ((n - 1) P(W))^j``, and the K and W that
    attain it.
    """
    some = [round(1.02**i) for i in range(int(math.log(m) / math.log(1.02)))]
    sizes = {size for size in (*range(1, _FEW), *some) if size < m}  # W + 1
    sizes |= {(m - 1) // K for K in range(1, min(_FEW, m))}
    pairs = sorted(
        {(m - 1) // size: size - 1 for size in sorted(sizes)}.items()
    )  # the largest W for each K
    z = np.array([float((n - 1) * _n_prefixes(W, l)) for _, W in pairs])
    values = _log_partial_sums(N, [K for K, _ in pairs], z)
    best = int(values.argmax())
    return float(values[best]), *pairs[best]


def _log_partial_sums(
    N: int, K: list[int], z: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Logarithms of ``sum_j C(K, j) z^j`` over j = 0..N, for several K and z."""
    size = np.array(K, dtype=float)
    sums = size * np.log1p(z)
    # The sum over all j is (1 + z)^K. If the largest term is among the first N + 1,
    # these are a large share.
    large = (size > N) & (size * z / (1 + z) <= N)
    sums[large] += np.log(betainc(size[large] - N, N + 1, 1 / (1 + z[large])))
    # Otherwise the last terms are the largest ones.
    last = (size > N) & ~large
    ratios, total, j = np.ones(last.sum()), np.ones(last.sum()), N
    while j > 0 and np.any(ratios > 1e-17 * total):
        ratios = ratios * j / ((size[last] - j + 1) * z[last])
        total += ratios
        j -= 1
    logs = np.array(
        [log_binomial(k, N) for k, is_last in zip(K, last, strict=True) if is_last]
    )
    sums[last] = logs + N * np.log(z[last]) + np.log(total)
    return sums
