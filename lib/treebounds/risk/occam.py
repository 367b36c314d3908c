"""Occam's bound over the prunings of a tree that was grown on other data.

The prior is the distribution of a random pruning: from the root down, each internal
node that is reached becomes a leaf with probability 1/2 (Willems, Shtarkov and Tjalkens
1995, Buntine 1992). The nodes have the labels that the growing data gave them.

**Theorem** (Langford 2005, Theorem 4.6). Let a tree be fixed before the m examples are
seen. With probability at least 1 - delta, every pruning of it at once has risk at most
``binomial_tail_inversion(k, m, ln(delta p))``, where k is the number of its errors and
p its prior probability. For the bound of each pruning fails with probability at most
delta p, and the sum of p over the prunings is 1.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds.risk.tail_inversion import binomial_tail_inversion, check_delta
from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.weakest_link import WeakestLinkSequence, weakest_link_sequence


def log_pruning_prior(tree: ArrayTree, nodes: ArrayLike) -> float:
    """ln of the prior probability of the pruning that makes leaves of ``nodes``.

    It is the sum of -ln 2 over the nodes of the pruning that are not leaves of the
    tree.

    Parameters
    ----------
    tree : ArrayTree
    nodes : array of int
        Nodes that become leaves.

    Returns
    -------
    float
        In nats, at most 0.

    Examples
    --------
    >>> import math
    >>> from treebounds.risk.occam import log_pruning_prior
    >>> from treebounds.trees import ArrayTree
    >>> stump = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     class_counts=[[3, 4], [3, 0], [0, 4]],
    ...     n_features=1,
    ... )
    >>> log_pruning_prior(stump, [0]) == log_pruning_prior(stump, []) == -math.log(2)
    True
    """
    return -math.log(2) * int(np.count_nonzero(~tree.is_leaf[tree.kept_nodes(nodes)]))


def occam_bounds(
    tree: ArrayTree, errors: ArrayLike, n_examples: int, delta: float = 0.05
) -> tuple[WeakestLinkSequence, NDArray[np.float64]]:
    """Upper bounds of the risks of the prunings that are best for some price per leaf.

    The bounds hold for all prunings at once, so the smallest one may be quoted.

    Parameters
    ----------
    tree : ArrayTree
        Grown on other data than the examples.
    errors : (n_nodes,) array
        For each node, its number of errors on the examples if it were a leaf; see
        ``held_out_errors``.
    n_examples : int
    delta : float

    Returns
    -------
    sequence : WeakestLinkSequence
        The weakest-link sequence of the tree, with the errors on the examples as costs.
    bounds : (n_members,) array of float

    Examples
    --------
    >>> from treebounds.risk.occam import occam_bounds
    >>> from treebounds.trees import ArrayTree
    >>> stump = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     class_counts=[[3, 4], [3, 0], [0, 4]],
    ...     n_features=1,
    ... )
    >>> sequence, bounds = occam_bounds(stump, errors=[90, 4, 3], n_examples=200)
    >>> sequence.n_leaves, bounds.round(3)
    (array([2, 1]), array([0.071, 0.522]))
    """
    log_delta = math.log(check_delta(delta))
    sequence = weakest_link_sequence(tree, errors)
    bounds = [
        binomial_tail_inversion(
            round(k), n_examples, log_delta + log_pruning_prior(tree, sequence.nodes(i))
        )
        for i, k in enumerate(sequence.errors)
    ]
    return sequence, np.array(bounds)
