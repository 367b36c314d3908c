"""Samples that regression trees pseudo-shatter, with a tree for each pattern: why Pdim >= N g + N + 1.

Along every feature come the example of leaf 0, the group of node 1, the example of leaf 1, the group of node
2, and so on, in the order of a drawing of the tree. All thresholds of group j are 2 j.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds import ArrayTree, TreeStructure
from treebounds.capacity._trees import check_structure
from treebounds.capacity.shattering import assembled, chains, drawing, ranks_of_orders

__all__ = ["pseudo_shattered_sample", "realizing_regression_tree"]


def pseudo_shattered_sample(
    structure: TreeStructure, n_features: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """A sample and thresholds of which regression trees of a structure realize every pattern.

    Parameters
    ----------
    structure : TreeStructure or fitted tree
    n_features : int
        At least 1.

    Returns
    -------
    sample : ndarray of int, shape (n_examples, n_features)
        The rank of each example along each feature; the number of examples is
        :func:`treebounds.pseudo_dimension_lower_bound`.
    thresholds : ndarray of float, shape (n_examples,)

    See Also
    --------
    realizing_regression_tree : the tree for a pattern.

    Examples
    --------
    >>> from reproduction.exact import pseudo_shattered_sample
    >>> from treebounds import TreeStructure
    >>> sample, thresholds = pseudo_shattered_sample(TreeStructure.from_nested([None, None]), 2)
    >>> sample.tolist(), thresholds.tolist()
    ([[0, 0], [1, 2], [2, 1], [3, 3]], [0.0, 2.0, 2.0, 4.0])
    """
    N = check_structure(structure).n_internal_nodes
    group = ranks_of_orders(n_features)
    size = len(group) + 1
    block = np.concatenate([np.zeros((1, n_features), dtype=np.int64), 1 + group])
    blocks = size * np.arange(N + 1)[:, None, None] + block
    thresholds = 4.0 * np.arange(N + 1)[:, None] + np.append(0.0, np.full(size - 1, 2.0))
    n_examples = N * size + 1
    return blocks.reshape(-1, n_features)[:n_examples], thresholds.ravel()[:n_examples]


def realizing_regression_tree(
    structure: TreeStructure, n_features: int, pattern: ArrayLike
) -> tuple[ArrayTree, NDArray[np.float64]]:
    """The regression tree that realizes a pattern of the pseudo-shattered sample.

    Parameters
    ----------
    structure : TreeStructure or fitted tree
    n_features : int
    pattern : (n_examples,) array of 0 and 1
        1 where the tree should be above the threshold of :func:`pseudo_shattered_sample`.

    Returns
    -------
    tree : ArrayTree
    values : ndarray of float, shape (n_nodes,)
        The number at each leaf; NaN at internal nodes. ``values[tree.apply(sample)]`` are the predictions.

    Examples
    --------
    >>> from reproduction.exact import pseudo_shattered_sample, realizing_regression_tree
    >>> from treebounds import TreeStructure
    >>> stump = TreeStructure.from_nested([None, None])
    >>> sample, thresholds = pseudo_shattered_sample(stump, 2)
    >>> tree, values = realizing_regression_tree(stump, 2, [1, 0, 1, 0])
    >>> (values[tree.apply(sample)] > thresholds).tolist()
    [True, False, True, False]
    """
    structure = check_structure(structure)
    N, size = structure.n_internal_nodes, len(ranks_of_orders(n_features)) + 1
    wanted = np.asarray(pattern, dtype=np.int64)
    if wanted.shape != (N * size + 1,) or not np.isin(wanted, (0, 1)).all():
        raise ValueError(f"pattern must be one 0 or 1 for each of {N * size + 1} examples; got {pattern!r}")
    own, of_nodes = wanted[::size], wanted[:-1].reshape(N, size)[:, 1:]
    stays_below = of_nodes == 0
    feature = chains(size - 1)[1][stays_below @ (1 << np.arange(size - 1))]
    threshold = size * np.arange(N) + stays_below.sum(axis=1) + 0.5
    leaf = np.column_stack([np.arange(N), np.arange(1, N + 1)[:, None] - stays_below])
    tree = assembled(drawing(structure), feature, threshold, np.append(leaf, N), wanted, n_features)
    values = np.full(tree.n_nodes, np.nan)
    first_leaf = drawing(structure)[3]
    values[tree.is_leaf] = (4 * np.arange(N + 1) + own - 0.5)[first_leaf[tree.is_leaf]]
    return tree, values
