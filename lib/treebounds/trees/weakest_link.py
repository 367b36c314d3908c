"""The weakest-link sequence of a tree: all its minimal cost-complexity prunings.

They are found together, in O(n log n).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds._compiled import compiled
from treebounds._validation import check_number
from treebounds.trees._arrays import above, check_one_per_node
from treebounds.trees.array_tree import ArrayTree, check_array_tree

# Costs, and prices relative to the largest cost, are equal if they differ by less.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class WeakestLinkSequence:
    """The prunings of a tree that minimize cost + alpha leaves for some alpha, largest
    first.

    Attributes
    ----------
    alphas : (n_steps,) array of float
        Member i is the smallest minimizer for ``alphas[i] <= alpha < alphas[i + 1]``;
        ``alphas[0]`` is minus infinity, the full tree. Negative ones occur when a cut
        saves costs.
    n_leaves : (n_steps,) array of int
        Strictly decreasing, down to 1.
    costs : (n_steps,) array of float
    node_alphas : (n_nodes,) array of float
        The smallest alpha for which each node is a leaf, unless a node above it is one
        already; minus infinity for leaves.
    """

    alphas: NDArray[np.float64]
    node_alphas: NDArray[np.float64]
    # For each node, the smallest alpha at which a node above it is a leaf.
    _vanishing_alphas: NDArray[np.float64]
    # The cost of each node as a leaf.
    _leaf_costs: NDArray[np.float64]

    @cached_property
    def n_leaves(self) -> NDArray[np.int64]:
        """(n_steps,) numbers of leaves."""
        return self.along(np.ones(len(self.node_alphas))).astype(np.int64)

    @cached_property
    def costs(self) -> NDArray[np.float64]:
        """(n_steps,) sum of the costs of the leaves of each member."""
        return self.along(self._leaf_costs)

    @property
    def steps(self) -> NDArray[np.int64]:
        """(n_nodes,) first member of the sequence in which each node has become a leaf;
        0 for leaves.
        """
        return np.searchsorted(self.alphas, self.node_alphas)

    def nodes(self, step: int) -> NDArray[np.int64]:
        """The nodes to collapse in the full tree in order to get one member of the
        sequence.

        Parameters
        ----------
        step : int
            Number of the member, from 0 for the full tree.

        Returns
        -------
        array of int
            For :meth:`ArrayTree.collapse`; some may be below others.
        """
        return np.flatnonzero(
            (self.node_alphas <= self.alphas[step]) & np.isfinite(self.node_alphas)
        )

    def step(self, price: float) -> int:
        """The smallest member that minimizes cost + price leaves, up to rounding.

        Parameters
        ----------
        price : float
            The price of a leaf, in the unit of the costs; finite.

        Returns
        -------
        int
            Number of the member.

        Raises
        ------
        ValueError
            If the price is not a finite number.
        """
        price = check_number(price, "price", "(-inf, inf)")
        price += ROUNDING * float(np.abs(self._leaf_costs).max())
        return int(np.searchsorted(self.alphas, price, side="right")) - 1

    def along(self, values: ArrayLike) -> NDArray[np.float64]:
        """For every member of the sequence, the sum of a value over its leaves.

        Parameters
        ----------
        values : (n_nodes,) array
            The contribution of each node when it is a leaf; for example its errors on a
            held-out sample.

        Returns
        -------
        (n_steps,) array of float
        """
        values = check_one_per_node(values, "values", len(self.node_alphas))
        # A node is a leaf from its own alpha to the smallest alpha of the nodes above
        # it.
        appearing = self.node_alphas < self._vanishing_alphas
        appears = np.searchsorted(self.alphas, self.node_alphas[appearing])
        vanishes = np.searchsorted(self.alphas, self._vanishing_alphas[appearing])

        size = len(self.alphas) + 1
        gained = np.bincount(appears, values[appearing], size)
        lost = np.bincount(vanishes, values[appearing], size)
        return np.cumsum(gained - lost)[:-1].astype(np.float64, copy=False)


def weakest_link_sequence(
    tree: ArrayTree, costs: ArrayLike | None = None
) -> WeakestLinkSequence:
    """Breiman's sequence of prunings of a tree, for any cost that adds up over leaves.

    >>> from treebounds.trees import ArrayTree, weakest_link_sequence
    >>> tree = ArrayTree(
    ...     children_left=[1, 3, -1, -1, -1],
    ...     children_right=[2, 4, -1, -1, -1],
    ...     feature=[0] * 5,
    ...     threshold=[0.5, 0.2, 0, 0, 0],
    ...     class_counts=[[6, 5], [5, 1], [1, 4], [5, 0], [0, 1]],
    ...     n_features=1,
    ... )
    >>> sequence = weakest_link_sequence(tree)
    >>> for alpha, leaves, wrong in zip(
    ...     sequence.alphas, sequence.n_leaves, sequence.costs
    ... ):
    ...     print(alpha, leaves, wrong)
    -inf 3 1.0
    1.0 2 2.0
    3.0 1 5.0

    Parameters
    ----------
    tree : ArrayTree
    costs : (n_nodes,) array, optional
        Cost of each node as a leaf; ``tree.leaf_costs`` when not given, the training
        errors or the squared errors. The cost of a tree is the sum over its leaves, and
        may be larger or smaller than the cost of its root.

    Returns
    -------
    WeakestLinkSequence

    Raises
    ------
    ValueError
        If ``tree`` is not an ArrayTree, or ``costs`` are not a finite number for each
        node.

    Notes
    -----
    The sequence is computed from the leaves up, not one link after the other. For a
    price alpha of a leaf, the best pruning below a node costs the smaller of its cost +
    alpha (cut here) and the sum of the costs of its two subtrees. That sum is a
    concave, piecewise linear function of alpha. Its slope is a number of leaves, which
    is at least two everywhere, so the two functions cross once. The corners of the sum
    to the right of the crossing are discarded; a mergeable heap finds them. O(n log n)
    for n nodes, whatever the tree's shape.

    References
    ----------
    Breiman, Friedman, Olshen and Stone (1984), chapter 3.
    """
    check_array_tree(tree)
    leaf_costs = (
        tree.leaf_costs
        if costs is None
        else check_one_per_node(costs, "costs", tree.n_nodes)
    )
    node_alphas = _critical_alphas(tree, leaf_costs)
    vanishing_alphas = above(tree.parents, node_alphas, np.minimum, np.inf)
    is_a_leaf_once = node_alphas < vanishing_alphas
    alphas = np.unique(np.append(node_alphas[is_a_leaf_once], -np.inf))
    return WeakestLinkSequence(alphas, node_alphas, vanishing_alphas, leaf_costs)


def last_minimum(values: NDArray[np.float64]) -> int:
    """The position of the smallest value; of several, the last, which in a sequence
    of prunings is that of the smallest tree.

    >>> import numpy as np
    >>> from treebounds.trees.weakest_link import last_minimum
    >>> last_minimum(np.array([3.0, 1.0, 1.0, 2.0]))
    2
    """
    return len(values) - 1 - int(np.argmin(values[::-1]))


def _critical_alphas(
    tree: ArrayTree, costs: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(n_nodes,) the smallest price of a leaf at which each node is a leaf; minus
    infinity for leaves.

    Without compilation the loop runs on lists, because Python reads single entries of
    lists faster.
    """
    n = tree.n_nodes
    no_node = np.full(n, -1)
    state: dict[str, NDArray[Any]] = {
        "left": tree.children_left,
        "right": tree.children_right,
        "costs": costs,
        "alphas": np.full(n, -np.inf),
        "fewer_leaves": np.zeros(n),
        "more_cost": np.zeros(n),
        "top": no_node,
        "heap_left": no_node.copy(),
        "heap_right": no_node.copy(),
    }
    links = compiled(_links, n)
    if links is _links:
        return np.array(links(*(array.tolist() for array in state.values())))
    return np.asarray(links(*state.values()))


def _links(
    left: Any,
    right: Any,
    costs: Any,
    alphas: Any,
    fewer_leaves: Any,
    more_cost: Any,
    top: Any,
    heap_left: Any,
    heap_right: Any,
) -> Any:
    """The alphas, which are filled in from the leaves to the root.

    As alpha passes the corner at a node, the best pruning loses ``fewer_leaves`` leaves
    and gains ``more_cost``. The corners of a subtree form a skew heap with the largest
    alpha at its root; ``top`` of the subtree's root is the root of the heap.
    """
    for node in range(len(left) - 1, -1, -1):
        if left[node] < 0:
            continue

        leaves = 2.0
        cost = costs[left[node]] + costs[right[node]]
        a = top[left[node]]
        b = top[right[node]]
        while True:
            # Merge the heaps a and b down their right sides: corner is the root of the
            # merged heap.
            corner = -1
            last = -1
            while a >= 0 or b >= 0:
                if a < 0 or (b >= 0 and alphas[a] < alphas[b]):
                    a, b = b, a
                if last < 0:
                    corner = a
                else:
                    heap_left[last] = a
                if b < 0:
                    break
                last = a
                a = heap_right[last]
                heap_right[last] = heap_left[last]

            # Corners to the right of the crossing are discarded.
            crossing = (costs[node] - cost) / (leaves - 1)
            if corner < 0 or crossing >= alphas[corner]:
                break
            leaves += fewer_leaves[corner]
            cost -= more_cost[corner]
            a = heap_left[corner]
            b = heap_right[corner]

        alphas[node] = crossing
        fewer_leaves[node] = leaves - 1
        more_cost[node] = costs[node] - cost
        heap_left[node] = corner
        heap_right[node] = -1
        top[node] = node
    return alphas
