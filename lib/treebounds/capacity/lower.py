"""Lower bounds on growth functions of tree structures on real-valued features."""

from __future__ import annotations

import math
from itertools import takewhile
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from treebounds._validation import check_integer
from treebounds.capacity._binomials import log_binomial
from treebounds.capacity._trees import TreeLike, check_real_tree

# All sizes and all numbers of groups up to this are tried.
_FEW = 1000


class _Groups(NamedTuple):
    """K groups of W examples, and the logarithm of the number of labelings."""

    log_count: float
    number: int
    size: int


def growth_function_lower_bound(
    tree: TreeLike, n_examples: int, n_features: int | None = None, n_classes: int = 2
) -> int:
    """A lower bound on the number of labelings that a tree structure realizes on some
    sample.

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

    Parameters
    ----------
    tree : TreeStructure, ArrayTree or fitted scikit-learn tree
    n_examples, n_classes : int
        m and n in the formulas; at least 1. Two classes when not given, also for a
        fitted tree that predicts more.
    n_features : int, optional
        l, at least 1; the features are real-valued. May be omitted for a fitted tree.

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

    Raises
    ------
    ValueError
        If an argument is outside its range, or a fitted tree tests more features.

    See Also
    --------
    log_growth_function_lower_bound : its logarithm, for any size.
    growth_function_bound : from above.

    Notes
    -----
    Both are proved in the book, in the two chapters on growth functions. If the
    structure is fixed and the number of examples grows, the second one is smaller than
    the growth function by at most a factor of 2 per node; for a complete tree the two
    agree to leading order. The integers have O(N log(l m)) digits, and a sum has N + 1
    terms.
    """
    structure, l = check_real_tree(tree, n_features)
    m = check_integer(n_examples, "n_examples")
    n = check_integer(n_classes, "n_classes")
    N = structure.n_internal_nodes
    if m <= N + 1 or n == 1:
        return int(n**m)

    own = n * _labelings_of_a_group(N, m, l, n) ** N

    groups = _best_groups(N, m, l, n)
    z = (n - 1) * _n_prefixes(groups.size, l)
    chosen = (comb(groups.number, j) * z**j for j in range(min(N, groups.number) + 1))
    return int(max(own, n * sum(chosen)))


def log_growth_function_lower_bound(
    tree: TreeLike, n_examples: int, n_features: int | None = None, n_classes: int = 2
) -> float:
    """The natural logarithm of :func:`growth_function_lower_bound`, for any size.

    >>> from math import log
    >>> from treebounds import TreeStructure, log_growth_function_lower_bound
    >>> chain = TreeStructure.from_nested([[None, None], None])
    >>> (
    ...     round(log_growth_function_lower_bound(chain, 21, n_features=2), 6),
    ...     round(log(834), 6),
    ... )
    (6.726233, 6.726233)

    Parameters
    ----------
    tree, n_examples, n_features, n_classes
        See :func:`growth_function_lower_bound`.

    Returns
    -------
    float
        In nats.

    Raises
    ------
    ValueError
        See :func:`growth_function_lower_bound`.
    """
    structure, l = check_real_tree(tree, n_features)
    m = check_integer(n_examples, "n_examples")
    n = check_integer(n_classes, "n_classes")
    N = structure.n_internal_nodes
    if m <= N + 1 or n == 1:
        return m * math.log(n)

    own = N * math.log(_labelings_of_a_group(N, m, l, n))
    return math.log(n) + max(own, _best_groups(N, m, l, n).log_count)


def _labelings_of_a_group(N: int, m: int, l: int, n: int) -> int:
    """The labelings of a group that each node has to itself, for a fixed last label."""
    size = (m - 1) // max(N, 1)
    return 1 + (n - 1) * (_n_prefixes(size, l) - 1)


def _n_prefixes(size: int, l: int) -> int:
    """The largest number of different prefixes of l orders of some examples."""
    # C(size, k) for k = 0, 1, ... below size / 2, as long as it is below l.
    counts = (comb(size, k) for k in range((size + 1) // 2))
    fewer = list(takewhile(lambda count: count < l, counts))

    middle = size + 1 - 2 * len(fewer)
    return 2 * sum(fewer) + middle * min(l, comb(size, len(fewer)))


def _best_groups(N: int, m: int, l: int, n: int) -> _Groups:
    """The K and W with the largest ``sum_j C(K, j) ((n - 1) P(W))^j``."""
    # A group takes W + 1 examples, with the single one before it. All small sizes are
    # tried, those of few groups, and between them some in steps of two percent.
    n_steps = int(math.log(m) / math.log(1.02))
    candidates = [*range(1, _FEW), *(round(1.02**i) for i in range(n_steps))]
    sizes = {size for size in candidates if size < m}
    sizes |= {(m - 1) // K for K in range(1, min(_FEW, m))}

    # The largest W for each K.
    width_of = {(m - 1) // size: size - 1 for size in sorted(sizes)}
    numbers = sorted(width_of)
    z = [float((n - 1) * _n_prefixes(width_of[K], l)) for K in numbers]

    values = _log_partial_sums(N, numbers, np.array(z))
    best = int(values.argmax())
    return _Groups(float(values[best]), numbers[best], width_of[numbers[best]])


def log_partial_sum(N: int, K: int) -> float:
    """The logarithm of ``sum_j C(K, j)`` over j = 0..N.

    >>> import math
    >>> from treebounds.capacity.lower import log_partial_sum
    >>> round(math.exp(log_partial_sum(2, 10)), 9)
    56.0
    """
    return float(_log_partial_sums(N, [K], np.ones(1))[0])


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
    ratios = np.ones(last.sum())
    total = ratios.copy()
    j = N
    while j > 0 and np.any(ratios > 1e-17 * total):
        ratios = ratios * j / ((size[last] - j + 1) * z[last])
        total += ratios
        j -= 1

    largest = [log_binomial(K[place], N) for place in np.flatnonzero(last)]
    sums[last] = np.array(largest) + N * np.log(z[last]) + np.log(total)
    return sums
