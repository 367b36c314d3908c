"""The number of ways in which trees divide a sample, whatever the labels are."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from treebounds._validation import check_integer, shown
from treebounds.capacity._binomials import log_binomial_sum
from treebounds.capacity.features import FeatureKinds, check_features


def log_tree_partitions(
    n_leaves: ArrayLike, n_examples: int, n_features: int | FeatureKinds
) -> NDArray[np.float64]:
    """ln M_L: an upper bound on the number of partitions of m examples into the L
    non-empty leaves of all trees together.

    With N = L - 1 internal nodes and l real-valued features, ``M_L = Catalan(N) l^N
    C(m - 1, N)``: the shapes, the features, and the places of the N thresholds among
    the m - 1 gaps of the examples. If other features offer s splits together, ``l^N C(m
    - 1, N)`` becomes ``sum_b C(N, b) s^(N - b) l^b C(m - 1, b)``.

    >>> from treebounds.capacity.partitions import log_tree_partitions
    >>> log_tree_partitions([1, 2, 3], n_examples=30, n_features=1).round(2)
    array([0.  , 3.37, 6.7 ])

    Parameters
    ----------
    n_leaves : int or array of int
        Numbers of leaves L, from 1 to m.
    n_examples : int
        m.
    n_features : int or FeatureKinds
        An integer for real-valued features.

    Returns
    -------
    array of float
        In nats, of the shape of ``n_leaves``. For real-valued features it is a concave
        function of L.

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Notes
    -----
    O(1) for each number of leaves, and O(L) if there are other features. A leaf more
    than L adds about ``ln(4 l m / L)`` nats.
    """
    m = check_integer(n_examples, "n_examples")
    kinds = check_features(n_features)
    leaves = np.asarray(n_leaves)
    if leaves.dtype.kind not in "iu" or np.any((leaves < 1) | (leaves > m)):
        raise ValueError(
            f"n_leaves must hold integers from 1 to n_examples = {m}, since no leaf is"
            f" empty; got {shown(n_leaves)}"
        )

    N = leaves - 1.0
    log_catalan = gammaln(2 * N + 1) - gammaln(N + 1) - gammaln(N + 2)
    splits = kinds.n_finite_splits
    if not splits:
        log_places = gammaln(m) - gammaln(N + 1) - gammaln(m - N)
        return np.asarray(log_catalan + N * math.log(kinds.real) + log_places)

    log_sums = N * math.log(splits)
    if kinds.real:
        ratio = kinds.real / splits
        log_sums += np.vectorize(
            lambda nodes: log_binomial_sum(int(nodes), m - 1, ratio), otypes=[float]
        )(N)
    return np.asarray(log_catalan + log_sums)
