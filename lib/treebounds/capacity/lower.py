"""Lower bounds on growth functions of tree structures on real-valued features."""

from __future__ import annotations

import math
from math import comb

from treebounds._validation import check_integer
from treebounds.capacity._trees import check_structure
from treebounds.structure import TreeStructure

__all__ = ["growth_function_lower_bound", "log_growth_function_lower_bound"]


def growth_function_lower_bound(
    structure: TreeStructure, n_examples: int, n_features: int, n_classes: int = 2
) -> int:
    """A lower bound on how many labelings of some sample a tree structure realizes.

    Parameters
    ----------
    structure : TreeStructure or fitted scikit-learn tree
    n_examples, n_features, n_classes : int
        At least 1; the features are real-valued.

    Returns
    -------
    int
        ``n (1 + (n - 1) (P - 1))^N`` for N internal nodes and n classes, where P is the largest number of
        different prefixes of l orders of ``floor((m - 1) / N)`` examples, the sum of ``min(l, C(M, k))`` over
        k = 0..M. All ``n^m`` labelings where there are no more examples than leaves.

    See Also
    --------
    log_growth_function_lower_bound : its logarithm, for any size.
    growth_function_bound : from above.

    Notes
    -----
    The construction of :func:`shattered_sample`, with more examples in each group (the book's chapter on
    growth functions). For a fixed structure and many examples it is below the closed form by a factor that
    tends to ``(2 e)^N / sqrt(2 pi N)``.

    Examples
    --------
    >>> from treebounds import TreeStructure, growth_function_bound, growth_function_lower_bound
    >>> chain = TreeStructure.from_nested([[None, None], None])
    >>> growth_function_lower_bound(chain, 21, n_features=2), growth_function_bound(chain, 21, n_features=2)
    (800, 3186)
    """
    prefixes, N, n = _prefixes(structure, n_examples, n_features, n_classes)
    return n * (1 + (n - 1) * (prefixes - 1)) ** N if prefixes else int(n**n_examples)


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
    >>> round(log_growth_function_lower_bound(chain, 21, n_features=2), 6), round(log(800), 6)
    (6.684612, 6.684612)
    """
    prefixes, N, n = _prefixes(structure, n_examples, n_features, n_classes)
    return math.log(n) + N * math.log(1 + (n - 1) * (prefixes - 1)) if prefixes else n_examples * math.log(n)


def _prefixes(
    structure: TreeStructure, n_examples: int, n_features: int, n_classes: int
) -> tuple[int, int, int]:
    """Prefixes of a group, nodes and classes; 0 prefixes where every labeling is realized."""
    N = check_structure(structure).n_internal_nodes
    m, n = check_integer(n_examples, "n_examples"), check_integer(n_classes, "n_classes")
    l = check_integer(n_features, "n_features")
    if m <= N:
        return 0, N, n
    size = (m - 1) // max(N, 1)
    fewer: list[int] = []  # the numbers of prefixes of k examples that are below l, for k < size / 2
    while 2 * len(fewer) < size and comb(size, len(fewer)) < l:
        fewer.append(comb(size, len(fewer)))
    middle = size + 1 - 2 * len(fewer)
    return 2 * sum(fewer) + middle * min(l, comb(size, len(fewer))), N, n
