"""Samples that tree structures shatter on real-valued features.

In a drawing of the tree, exactly one internal node stands between leaf j - 1 and leaf
j: the j-th node in order. The *base* is a subtree at the left end of the drawing, of a
kind for which a shattered sample is known. Its sample comes first along every feature.
Each node outside of the base has a group of examples, and the groups follow one after
the other along every feature. A node cuts its own group anywhere and does not divide
any other group.

On two features, further subtrees keep samples of their own, of which one example comes
first along both features. All earlier examples that come to such a *later subtree* take
the place of this one, so it stands in the sample only for itself.

In a sum of trees the base may have a subtree of each of several trees, at the left ends
of their drawings. All other thresholds are above its sample, whose examples therefore
come to the subtrees; each later example leaves them on the high side.

Nodes of different trees can share a group: in its range each of them acts as a stump.
On two features, four stumps shatter ten examples of which one comes first along both.
All earlier examples take the place of this one. So four nodes add nine examples, where
four groups have eight.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treebounds.capacity._arrangement import arranged, base_of, later_below
from treebounds.capacity._orders import ranks_of_orders
from treebounds.capacity._small_samples import (
    FOUR_STUMPS,
    LATER,
    LEAF,
    THREE_STUMPS,
    base_sample,
    base_size,
    with_ranks,
)
from treebounds.capacity._trees import (
    TreesLike,
    check_trees,
    real_valued,
)
from treebounds.capacity.stumps import one_sided_stump_vc_dimension
from treebounds.structure import TreeStructure


class _Plan(NamedTuple):
    """How the nodes of trees share a sample: those of a part, those in fours of nodes
    of different trees, and those with a group of their own.

    ``part`` is None for stumps of three trees, and ``n_own`` is its number of examples.
    """

    part: TreeStructure | None
    n_own: int
    n_fours: int
    n_groups: int

    def n_examples(self, l: int) -> int:
        """Number of examples of the sample."""
        in_fours = (len(FOUR_STUMPS) - 1) * self.n_fours
        return self.n_own + in_fours + one_sided_stump_vc_dimension(l) * self.n_groups


def largest_known_sample(structures: Sequence[TreeStructure], l: int) -> int:
    """Number of examples of :func:`shattered_sample`."""
    return _best_plan(structures, l).n_examples(l)


def _best_plan(structures: Sequence[TreeStructure], l: int) -> _Plan:
    """The plan with the largest sample."""
    in_order = sorted(structures, key=lambda tree: tree.n_leaves, reverse=True)
    n_nodes = np.array([tree.n_internal_nodes for tree in in_order], dtype=np.int64)

    # Of the trees with the same base, the largest one leaves the most fours.
    bases: dict[TreeStructure, int] = {}
    for place, structure in enumerate(in_order):
        bases.setdefault(base_of(structure, l), place)

    plans = []
    for base, place in sorted(bases.items(), key=lambda item: item[0].n_leaves):
        others = n_nodes.copy()
        others[place] -= base.n_internal_nodes
        plans.append(_planned(base, base_size(base, l), others, l))

    # Later subtrees belong to a single tree, which is then the part as a whole.
    place, whole = _tree_with_most_later(in_order) if l == 2 else (0, LEAF)
    if not whole.is_leaf:
        others = n_nodes.copy()
        others[place] = 0
        n_own = arranged(whole, l).n_examples(l)
        plans.append(_planned(whole, n_own, others, l))

    # Every internal node has a stump at or below it, so any three trees have three.
    if l == 2 and np.count_nonzero(n_nodes) >= 3:
        others = n_nodes - (np.arange(len(n_nodes)) < 3)
        plans.append(_planned(None, len(THREE_STUMPS), others, l))

    only_a_leaf = _Plan(LEAF, 1, 0, 0)
    # The values at the leaves of trees in fours are not free, so take few of them.
    return max(
        plans,
        key=lambda plan: (plan.n_examples(l), -plan.n_fours),
        default=only_a_leaf,
    )


def _tree_with_most_later(
    structures: Sequence[TreeStructure],
) -> tuple[int, TreeStructure]:
    """The place of the smallest tree with the most later subtrees, and this tree; a
    leaf if no tree has one.
    """
    n_later = {structure: _n_later(structure) for structure in set(structures)}
    places = range(len(structures))
    place = max(
        places,
        key=lambda i: (n_later[structures[i]], -structures[i].n_leaves),
        default=0,
    )
    if not n_later or n_later[structures[place]] == 0:
        return 0, LEAF
    return place, structures[place]


def _n_later(structure: TreeStructure) -> int:
    """How many later subtrees the sample of a tree on two features has."""
    inside = later_below(structure)
    own = 0 if inside[structure].has_other_base else 1
    return max(0, inside[structure].number - own)


def _planned(
    part: TreeStructure | None, n_own: int, others: NDArray[np.int64], l: int
) -> _Plan:
    """The plan with a given part, from the numbers of nodes of each tree outside."""
    n_others = int(others.sum())
    n_fours = _most_fours(others) if l == 2 else 0
    return _Plan(part, n_own, n_fours, n_others - 4 * n_fours)


def _most_fours(n_nodes: NDArray[np.int64]) -> int:
    """How many disjoint fours of nodes of four different trees there are."""

    def are_too_many(k: int) -> bool:
        """Whether some of k fours would have two nodes of one tree."""
        return bool(np.minimum(n_nodes, k).sum() < 4 * k)

    most = int(n_nodes.sum()) // 4
    return bisect_left(range(1, most + 1), True, key=are_too_many)


def shattered_sample(
    tree: TreesLike, n_features: int | None = None
) -> NDArray[np.int64]:
    """A sample on real-valued features that trees of a structure shatter, or sums of
    trees of several structures.

    >>> from treebounds import TreeStructure
    >>> from treebounds.capacity import shattered_sample
    >>> chain = TreeStructure.from_nested([[None, None], None])
    >>> shattered_sample(chain, n_features=2)
    array([[0, 0],
           [1, 2],
           [2, 1],
           [3, 4],
           [4, 3]])

    Parameters
    ----------
    tree : TreeStructure, ArrayTree, fitted classification tree, list, or ensemble
        Several trees mean the classifiers ``f_1(x) + ... + f_B(x) > c``; see
        :func:`vc_dimension_lower_bound`.
    n_features : int, optional
        l, at least 1; the features are real-valued. May be omitted for fitted trees and
        ensembles.

    Returns
    -------
    ndarray of int, shape (n_examples, n_features)
        The rank of each example along each feature. The number of examples is
        ``vc_dimension_lower_bound``, unless this is the size of a dyadic net. Along
        every feature, the examples of a part come first: those of a leaf (one), of a
        small subtree at the left end of one tree, or, on two features, of stumps at the
        left ends of three trees or of one whole tree. The whole tree has the sample of
        its small subtree, and then, from left to right, the groups of its nodes and the
        samples of its later subtrees without the first example. On two features, nine
        examples for each four nodes of four trees come next, as many fours as possible,
        each node after those to its left in its tree.
        The groups of all other nodes follow, tree by tree and from left to right.
        Within a group, feature i has the examples in the i-th of l orders, which are
        chosen such that every subset of the group is a prefix of one of them.

    Raises
    ------
    ValueError
        See :func:`vc_dimension_lower_bound`.

    See Also
    --------
    realizing_tree : the tree that gives the sample some labels.

    Notes
    -----
    Cost: O(rows times columns), 20 ms for 1,000 nodes on 100 features, which shatter
    8,001 examples. The proofs are in the book's chapters on the VC dimension, on small
    trees and on many trees.
    """
    structures, kinds = check_trees(tree, n_features)
    l = real_valued(kinds)
    plan = _best_plan(structures, l)

    own = with_ranks(THREE_STUMPS)
    if plan.part is not None:
        own = _own_sample(plan.part, l)

    blocks = [own]
    begin = len(own)
    if plan.n_fours:
        # All earlier examples stand for the first one of the ten.
        nine = with_ranks(FOUR_STUMPS)[1:] - 1
        blocks.append(_repeated(nine, begin, plan.n_fours))
        begin += len(nine) * plan.n_fours
    blocks.append(_repeated(ranks_of_orders(l), begin, plan.n_groups))
    return np.concatenate(blocks)


def _own_sample(part: TreeStructure, l: int) -> NDArray[np.int64]:
    """The sample of a tree that is the only one, or a part."""
    arrangement = arranged(part, l)
    blocks = [base_sample(arrangement.base, l)]
    begin = len(blocks[0])
    for n_groups, node in arrangement.runs():
        blocks.append(_repeated(ranks_of_orders(l), begin, n_groups))
        begin += len(blocks[-1])
        if node >= 0:
            # All earlier examples stand for the first one.
            others = with_ranks(LATER[arrangement.later[node]])[1:] - 1
            blocks.append(begin + others)
            begin += len(others)
    return np.concatenate(blocks)


def _repeated(block: NDArray[np.int64], begin: int, times: int) -> NDArray[np.int64]:
    """Examples one block after another along every feature, from a given rank on."""
    begins = begin + len(block) * np.arange(times)
    return (begins[:, None, None] + block).reshape(-1, block.shape[1])
