"""What every tree structure can do on real-valued features: lower bounds, with the sample that attains them.

Between leaf j - 1 and leaf j of a drawing of the tree stands one internal node, the j-th in order. Each node
has its own group of examples; the groups come one after the other along every feature. A node cuts its own
group in any way it likes and leaves every other group whole.
"""

from __future__ import annotations

import math
from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds._validation import check_array, check_integer
from treebounds.capacity.growth import check_structure
from treebounds.capacity.permutations import optimal_stump_permutations
from treebounds.capacity.stumps import one_sided_stump_vc_dimension, stump_vc_dimension
from treebounds.structure import TreeStructure
from treebounds.trees.array_tree import ArrayTree

__all__ = [
    "growth_function_lower_bound",
    "log_growth_function_lower_bound",
    "realizing_tree",
    "shattered_sample",
    "vc_dimension_lower_bound",
]


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


def vc_dimension_lower_bound(structure: TreeStructure, n_features: int) -> int:
    """A lower bound on the VC dimension of a tree structure.

    Parameters
    ----------
    structure : TreeStructure or fitted scikit-learn tree
    n_features : int
        At least 1; the features are real-valued.

    Returns
    -------
    int
        ``1 + N g`` for N internal nodes, where g is :func:`one_sided_stump_vc_dimension`, about log2 l; for
        a stump its exact value, :func:`stump_vc_dimension`.

    See Also
    --------
    shattered_sample : a sample of this size.
    realizing_tree : the tree for each of its labelings.
    vc_dimension_upper_bound : from above.

    Notes
    -----
    The other rule, that VC dimensions of the two subtrees add up, gives no more above a stump: a stump has
    at most g + 2, and at most 2 g.

    Examples
    --------
    >>> from treebounds import TreeStructure, vc_dimension_lower_bound
    >>> stump = TreeStructure.from_nested([None, None])
    >>> [vc_dimension_lower_bound(TreeStructure(stump, stump), n_features) for n_features in (1, 2, 100)]
    [4, 7, 25]
    """
    N = check_structure(structure).n_internal_nodes
    return stump_vc_dimension(n_features) if N == 1 else 1 + N * one_sided_stump_vc_dimension(n_features)


def shattered_sample(structure: TreeStructure, n_features: int) -> NDArray[np.int64]:
    """A sample on real-valued features that a structure shatters, as large as the lower bound says.

    Parameters
    ----------
    structure : TreeStructure or fitted scikit-learn tree
    n_features : int
        At least 1.

    Returns
    -------
    ndarray of int, shape (n_examples, n_features)
        The rank of each example along each feature; there are as many examples as
        :func:`vc_dimension_lower_bound` says. Example 0 comes first along every feature, then the group of
        node 1 in order, that of node 2, and so on; inside a group feature i lists the examples in the i-th of
        l orders such that every subset is a prefix of one. For a stump on features that cut off more from
        both ends, the sample of :func:`optimal_stump_permutations`.

    See Also
    --------
    realizing_tree : the tree that gives the sample some labels.

    Notes
    -----
    O(rows times columns): 20 ms for 1,000 nodes on 100 features, 8,001 examples.

    Examples
    --------
    >>> from treebounds import TreeStructure, shattered_sample
    >>> shattered_sample(TreeStructure.from_nested([[None, None], None]), 2)
    array([[0, 0],
           [1, 2],
           [2, 1],
           [3, 4],
           [4, 3]])
    """
    N, l = check_structure(structure).n_internal_nodes, check_integer(n_features, "n_features")
    size = one_sided_stump_vc_dimension(l)
    if N == 1 and stump_vc_dimension(l) > 1 + size:
        orders = optimal_stump_permutations(stump_vc_dimension(l))
        return orders.argsort(axis=1)[np.arange(l) % len(orders)].T
    orders = _chains(size)[0]
    ranks = orders.argsort(axis=1)[np.arange(l) % len(orders)].T  # more features than orders: repeat some
    groups = 1 + size * np.arange(N)[:, None, None] + ranks
    return np.concatenate([np.zeros((1, l), dtype=np.int64), groups.reshape(-1, l)])


@lru_cache(maxsize=8)
def _chains(size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """``C(g, floor(g/2))`` orders of g examples such that every subset is a prefix of one, and of which.

    Read a subset as brackets, 0 open and 1 closed. The subsets with the same matched brackets are a chain:
    the matched 1s, and one after the other of the unmatched places from the left.
    """
    order_of = np.empty(2**size, dtype=np.int64)
    orders: dict[tuple[int, ...], int] = {}
    for subset in range(2**size):
        opened, unmatched = list[int](), list[int]()
        matched: list[tuple[int, int]] = []
        for place in range(size):
            if not subset >> place & 1:
                opened.append(place)
            elif opened:
                matched.append((opened.pop(), place))
            else:
                unmatched.append(place)
        ones, zeros = (sorted(pair[side] for pair in matched) for side in (1, 0))
        order_of[subset] = orders.setdefault((*ones, *unmatched, *opened, *zeros), len(orders))
    return np.array(list(orders), dtype=np.int64), order_of


def realizing_tree(structure: TreeStructure, sample: ArrayLike, labels: ArrayLike) -> ArrayTree:
    """The tree of a given structure that gives the examples of its shattered sample their labels.

    Parameters
    ----------
    structure : TreeStructure or fitted scikit-learn tree
    sample : (n_examples, n_features) array
        What :func:`shattered_sample` gives for this structure.
    labels : (n_examples,) array of 0 and 1

    Returns
    -------
    ArrayTree
        Of this structure, in its canonical drawing. An example goes left where its rank is at most a
        threshold, which lies between two ranks. Class counts are those of the sample.

    Raises
    ------
    ValueError
        For another sample, or labels of another length or with other values.

    Notes
    -----
    No search, O(rows times columns) for the check of the sample and O(rows) for the tree: the leaves have
    the labels 0, 1, 0, 1, ... from left to right, or 1, 0, 1, 0, ... if example 0 has label 1, and the node
    between two leaves cuts off those examples of its group that have the label of the left one.

    Examples
    --------
    >>> from treebounds import TreeStructure, realizing_tree, shattered_sample
    >>> chain = TreeStructure.from_nested([[None, None], None])
    >>> sample = shattered_sample(chain, 2)
    >>> tree = realizing_tree(chain, sample, [1, 0, 1, 1, 0])
    >>> tree.structure is chain, tree.predict(sample)
    (True, array([1, 0, 1, 1, 0]))
    """
    structure = check_structure(structure)
    ranks, labels = check_array(sample, "sample", np.int64), check_array(labels, "labels", np.int64)
    if ranks.ndim != 2 or ranks.shape[1] == 0:
        raise ValueError(f"sample must have shape (n_examples, n_features); got {ranks.shape}")
    if not np.array_equal(ranks, shattered_sample(structure, ranks.shape[1])):
        raise ValueError("sample must be the shattered_sample of this structure")
    if labels.shape != ranks.shape[:1] or not np.isin(labels, (0, 1)).all():
        raise ValueError(f"labels must be one 0 or 1 for each of the {len(ranks)} examples; got {labels!r}")
    N, l = structure.n_internal_nodes, ranks.shape[1]
    if N == 1 and len(ranks) > 1 + one_sided_stump_vc_dimension(l):
        return _tree(structure, l, *_stump(ranks, labels), labels)
    size = (len(ranks) - 1) // max(N, 1)
    of_left_leaf = (labels[0] + np.arange(N)) % 2  # the label of the leaf to the left of each node in order
    goes_left = labels[1:].reshape(N, size) == of_left_leaf[:, None]
    feature = _chains(size)[1][goes_left @ (1 << np.arange(size))] if N else np.zeros(0, dtype=np.int64)
    threshold = size * np.arange(N) + goes_left.sum(axis=1) + 0.5
    leaf = np.append(0, np.arange(1, N + 1)[:, None] - goes_left)
    return _tree(structure, l, feature, threshold, leaf, labels)


def _stump(ranks: NDArray[np.int64], labels: NDArray[np.int64]) -> tuple[NDArray, NDArray, NDArray]:
    """Feature and threshold with one label on each side, and the side of each example."""
    along = labels[ranks.argsort(axis=0)]
    changes = np.diff(along, axis=0, append=1 - along[-1:]) != 0
    feature = changes.sum(axis=0).argmin()
    threshold = changes[:, feature].argmax() + 0.5
    return np.array([feature]), np.array([threshold]), (ranks[:, feature] > threshold).astype(np.int64)


def _tree(
    structure: TreeStructure, l: int, feature: NDArray, threshold: NDArray, leaf: NDArray, labels: NDArray
) -> ArrayTree:
    """The tree whose nodes, in order, have these features and thresholds."""
    counts = np.zeros((structure.n_leaves + 1, 2))
    np.add.at(counts, (leaf + 1, labels), 1)
    before = counts.cumsum(axis=0)  # of each leaf, the examples that end to its left
    left, right, in_order, first, last = _drawing(structure)
    # a single leaf has no node in order
    feature, threshold = (np.append(values, 0)[in_order] for values in (feature, threshold))
    return ArrayTree(
        children_left=left,
        children_right=right,
        feature=feature,
        threshold=threshold,
        class_counts=before[last] - before[first],
        n_features=l,
    )


@lru_cache(maxsize=4)
def _drawing(structure: TreeStructure) -> NDArray[np.int64]:
    """For each node its children, its number in order, its first leaf, and the one after its last leaf."""
    rows = np.zeros((5, structure.n_leaves + structure.n_internal_nodes), dtype=np.int64)
    rows[:2] = -1
    stack = [(structure, 0, 0)]
    while stack:
        subtree, node, start = stack.pop()
        rows[3:, node] = start, start + subtree.n_leaves
        if subtree.left is not None and subtree.right is not None:
            n_left = subtree.left.n_leaves
            rows[:3, node] = node + 1, node + 2 * n_left, start + n_left - 1
            stack += [(subtree.left, node + 1, start), (subtree.right, node + 2 * n_left, start + n_left)]
    return rows
