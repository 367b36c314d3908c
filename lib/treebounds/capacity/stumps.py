"""Decision stumps on real-valued features: the number of splits, and the VC
dimension.
"""

from __future__ import annotations

from itertools import takewhile
from math import comb

from treebounds._validation import check_integer


def distinct_cuts(n_examples: int, n_features: int) -> list[int]:
    """``min(2 l, C(m, k))`` for k = 0..m: the number of k-sets that l features with two
    sides can cut off.
    """
    m = n_examples
    most = 2 * n_features
    # Binomial coefficients increase up to the middle, so all after the first large one
    # are large, too.
    counts = (comb(m, k) for k in range(m // 2 + 1))
    fewer = list(takewhile(lambda count: count < most, counts))
    half = fewer + [most] * (m // 2 + 1 - len(fewer))

    # The other half mirrors it, without the middle if m is even.
    return half + half[(m - 1) // 2 :: -1]


def stump_partitioning_function(n_examples: int, n_features: int) -> int:
    """The largest number of partitions of a sample into two parts that decision stumps
    realize.

    >>> from treebounds.capacity import stump_partitioning_function
    >>> stump_partitioning_function(4, 2), stump_partitioning_function(4, 3)
    (6, 7)

    Parameters
    ----------
    n_examples, n_features : int
        At least 1; the features are real-valued.

    Returns
    -------
    int
        Exact for all arguments; a sum of m - 1 terms.

    Raises
    ------
    ValueError
        If an argument is not an integer of at least 1.

    See Also
    --------
    reproduction.exact.optimal_stump_permutations : samples that attain this number.

    Notes
    -----
    For m examples and l features, it is half the sum of ``min(2 l, C(m, k))`` over k =
    1..m-1. Theorem 7 of Leboeuf et al. (2020, section 5.1) states this as an upper
    bound, with equality for some m and l; the book proves equality for all m and l.
    """
    m = check_integer(n_examples, "n_examples")
    l = check_integer(n_features, "n_features")
    return sum(distinct_cuts(m, l)[1:m]) // 2


def stump_vc_dimension(n_features: int) -> int:
    """The VC dimension of decision stumps on real-valued features, exactly.

    >>> from treebounds.capacity import stump_vc_dimension
    >>> [stump_vc_dimension(n_features) for n_features in (1, 2, 3, 5, 10)]
    [2, 3, 4, 5, 6]

    Parameters
    ----------
    n_features : int
        At least 1.

    Returns
    -------
    int
        The largest d with ``C(d, floor(d/2)) <= 2 l`` for l features (Leboeuf et al.
        2020, Corollary 8, section 5.1). About log2 l, and found in as many steps.

    Raises
    ------
    ValueError
        If ``n_features`` is not an integer of at least 1.
    """
    return _largest_antichain(2 * check_integer(n_features, "n_features"))


def one_sided_stump_vc_dimension(n_features: int) -> int:
    """The VC dimension of stumps whose left leaf has a fixed label, exactly (Gey's
    axis-parallel cuts).

    >>> from treebounds.capacity import one_sided_stump_vc_dimension
    >>> [
    ...     one_sided_stump_vc_dimension(n_features)
    ...     for n_features in (1, 2, 5, 10, 100, 1000)
    ... ]
    [1, 2, 3, 5, 8, 12]

    Parameters
    ----------
    n_features : int
        At least 1; the features are real-valued.

    Returns
    -------
    int
        The largest d with ``C(d, floor(d/2)) <= l`` for l features, since this is the
        smallest number of orders of d examples such that every subset is a prefix of
        one of them (Gey 2018). About log2 l + (1/2) log2 log2 l, and found in as many
        steps.

    Raises
    ------
    ValueError
        If ``n_features`` is not an integer of at least 1.
    """
    return _largest_antichain(check_integer(n_features, "n_features"))


def _largest_antichain(size: int) -> int:
    """The largest d with ``C(d, floor(d/2))`` at most a size."""
    d = 1
    while comb(d + 1, (d + 1) // 2) <= size:
        d += 1
    return d
