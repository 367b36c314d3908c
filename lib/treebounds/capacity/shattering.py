"""Samples that tree structures shatter on real-valued features, and the tree for each
of their labelings.

In a drawing of the tree, exactly one internal node stands between leaf j - 1 and leaf
j: the j-th node in order. The *base* is a subtree at the left end of the drawing, of a
kind for which a shattered sample is known. Its sample comes first along every feature.
Each node outside of the base has a group of examples, and the groups follow one after
the other along every feature. A node cuts its own group anywhere and does not divide
any other group.

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
from functools import cache, lru_cache
from itertools import combinations, product
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds._validation import check_array
from treebounds.capacity._trees import (
    TreeLike,
    TreesLike,
    check_structure,
    check_trees,
    real_valued,
)
from treebounds.capacity.stumps import one_sided_stump_vc_dimension, stump_vc_dimension
from treebounds.structure import TreeStructure
from treebounds.trees.array_tree import ArrayTree

_LEAF = TreeStructure()
_STUMP = TreeStructure(_LEAF, _LEAF)
_CHAIN = TreeStructure(_STUMP, _LEAF)
# Samples on two features that sums of three and of four stumps shatter; see
# _TWO_FEATURES. The first example of the second one comes first along both features.
_THREE_STUMPS = (1, 6, 5, 2, 4, 0, 7, 3)
_FOUR_STUMPS = (0, 6, 2, 9, 4, 7, 3, 5, 8, 1)
# Samples on two features that these structures shatter, found by exhaustive search: 2 N
# + 2 examples, in the order of feature 1, with their ranks along feature 2.
_TWO_FEATURES = {
    TreeStructure(_CHAIN, _LEAF): (1, 6, 5, 2, 4, 0, 7, 3),
    TreeStructure(_STUMP, _STUMP): (2, 6, 0, 3, 4, 7, 1, 5),
    TreeStructure(_CHAIN, _STUMP): (1, 8, 0, 2, 4, 6, 9, 5, 3, 7),
    TreeStructure(_CHAIN, _CHAIN): (1, 0, 4, 8, 2, 5, 6, 9, 3, 7, 11, 10),
}


class _Cut(NamedTuple):
    """A feature and a threshold."""

    feature: int
    threshold: float


class _Cuts(NamedTuple):
    """Features and thresholds of several nodes."""

    feature: NDArray[np.int64]
    threshold: NDArray[np.float64]


class _Grown(NamedTuple):
    """A tree: the numbers of leaves below its nodes in preorder, the cuts of its
    internal nodes in order, and the examples at its leaves from left to right, as bits.
    """

    sizes: list[int]
    cuts: list[_Cut]
    at_leaves: list[int]


class _Plan(NamedTuple):
    """How the nodes of trees share a sample: those of a part, those in fours of nodes
    of different trees, and those with a group of their own.
    """

    base: TreeStructure | None  # None for stumps of three trees
    n_own: int  # examples of the part
    n_fours: int
    n_groups: int

    def n_examples(self, l: int) -> int:
        """Number of examples of the sample."""
        in_fours = (len(_FOUR_STUMPS) - 1) * self.n_fours
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
        bases.setdefault(_base_of(structure, l)[0], place)

    plans = []
    for base, place in sorted(bases.items(), key=lambda item: item[0].n_leaves):
        others = n_nodes.copy()
        others[place] -= base.n_internal_nodes
        plans.append(_planned(base, _base_size(base, l), others, l))

    # Every internal node has a stump at or below it, so any three trees have three.
    if l == 2 and np.count_nonzero(n_nodes) >= 3:
        others = n_nodes - (np.arange(len(n_nodes)) < 3)
        plans.append(_planned(None, len(_THREE_STUMPS), others, l))

    only_a_leaf = _Plan(_LEAF, 1, 0, 0)
    # The values at the leaves of trees in fours are not free, so take few of them.
    return max(
        plans,
        key=lambda plan: (plan.n_examples(l), -plan.n_fours),
        default=only_a_leaf,
    )


def _planned(
    base: TreeStructure | None, n_own: int, others: NDArray[np.int64], l: int
) -> _Plan:
    """The plan with a given part, from the numbers of nodes of each tree outside."""
    n_others = int(others.sum())
    n_fours = _most_fours(others) if l == 2 else 0
    return _Plan(base, n_own, n_fours, n_others - 4 * n_fours)


def _most_fours(n_nodes: NDArray[np.int64]) -> int:
    """How many disjoint fours of nodes of four different trees there are."""

    def are_too_many(k: int) -> bool:
        """Whether some of k fours would have two nodes of one tree."""
        return bool(np.minimum(n_nodes, k).sum() < 4 * k)

    most = int(n_nodes.sum()) // 4
    return bisect_left(range(1, most + 1), True, key=are_too_many)


def _base_of(structure: TreeStructure, l: int) -> tuple[TreeStructure, int]:
    """The base, and its depth on the leftmost path."""
    # A stump as the base is better than a leaf only if it shatters more than 1 + g
    # examples: those of a leaf and a group of g.
    least = 0
    if l == 2:
        least = 3
    elif stump_vc_dimension(l) > 1 + one_sided_stump_vc_dimension(l):
        least = 1
    if structure.n_internal_nodes < least:
        least = 0

    depth = 0
    while structure.left is not None and structure.left.n_internal_nodes >= least:
        structure = structure.left
        depth += 1
    return structure, depth


def _base_size(base: TreeStructure, l: int) -> int:
    """Number of examples that the base shatters."""
    if base.is_leaf:
        return 1
    if base is _STUMP:
        return stump_vc_dimension(l)
    return len(_TWO_FEATURES[base])


@lru_cache(maxsize=4)
def _base_sample(base: TreeStructure, l: int) -> NDArray[np.int64]:
    """Ranks of the base's examples along each feature."""
    if base.is_leaf:
        return np.zeros((1, l), dtype=np.int64)
    if base is _STUMP:
        return _ranks(_orders_for_both_ends(stump_vc_dimension(l)), l)

    return _with_ranks(_TWO_FEATURES[base])


def _with_ranks(second: tuple[int, ...]) -> NDArray[np.int64]:
    """A sample on two features, in the order of the first, from its ranks along the
    second.
    """
    return np.stack([np.arange(len(second)), second], axis=1)


def _ranks(orders: NDArray[np.int64], l: int) -> NDArray[np.int64]:
    """Ranks of examples along l features, from orders, which repeat if there are fewer
    of them.
    """
    return orders.argsort(axis=1)[np.arange(l) % len(orders)].T


def ranks_of_orders(n_features: int) -> NDArray[np.int64]:
    """Ranks of a group of g examples along each feature such that every subset is a
    prefix of one.
    """
    return _ranks(chains(one_sided_stump_vc_dimension(n_features))[0], n_features)


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
        left ends of three trees. On two features, nine examples for each four nodes of
        four trees come next, as many fours as possible, each node after those to its
        left in its tree.
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
    8,001 examples. The proofs are in the book's chapters on the VC dimension and on
    many trees.
    """
    structures, kinds = check_trees(tree, n_features)
    l = real_valued(kinds)
    plan = _best_plan(structures, l)

    own = _with_ranks(_THREE_STUMPS)
    if plan.base is not None:
        own = _base_sample(plan.base, l)

    blocks = [own]
    begin = len(own)
    if plan.n_fours:
        # All earlier examples stand for the first one of the ten.
        nine = _with_ranks(_FOUR_STUMPS)[1:] - 1
        blocks.append(_repeated(nine, begin, plan.n_fours))
        begin += len(nine) * plan.n_fours
    blocks.append(_repeated(ranks_of_orders(l), begin, plan.n_groups))
    return np.concatenate(blocks)


def _repeated(block: NDArray[np.int64], begin: int, times: int) -> NDArray[np.int64]:
    """Examples one block after another along every feature, from a given rank on."""
    begins = begin + len(block) * np.arange(times)
    return (begins[:, None, None] + block).reshape(-1, block.shape[1])


@lru_cache(maxsize=8)
def chains(size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Orders of g examples such that every subset is a prefix of one, and the index of
    this order.

    There are ``C(g, floor(g/2))`` orders. Read a subset as a sequence of brackets: an
    example outside of it opens a bracket, one inside closes one. The subsets with the
    same matched brackets form a chain: each contains the examples of the matched
    closing brackets and the first few of the unmatched places from the left.
    """
    order_of = np.empty(2**size, dtype=np.int64)
    orders: dict[tuple[int, ...], int] = {}
    for subset in range(2**size):
        order = _chain_of(subset, size)
        order_of[subset] = orders.setdefault(order, len(orders))
    return np.array(list(orders), dtype=np.int64), order_of


def _chain_of(subset: int, size: int) -> tuple[int, ...]:
    """The order of the examples of which a subset, given as bits, is a prefix."""
    opened: list[int] = []
    unmatched: list[int] = []
    opening: list[int] = []
    closing: list[int] = []
    for place in range(size):
        if not subset >> place & 1:
            opened.append(place)
        elif opened:
            opening.append(opened.pop())
            closing.append(place)
        else:
            unmatched.append(place)
    return (*sorted(closing), *unmatched, *opened, *sorted(opening))


def _orders_for_both_ends(size: int) -> NDArray[np.int64]:
    """Orders of d = 2 h + 1 examples such that every subset or its complement is a
    prefix of one.

    There are ``ceil(C(d, h) / 2)`` of them. Each set of h examples, in the order of its
    chain, is the beginning of one of them or, in reverse order, the end of one. So the
    sets have to be paired with sets that are disjoint from them.
    """
    orders, order_of = chains(size)
    everything = 2**size - 1
    half = size // 2
    sets = [sum(1 << i for i in chosen) for chosen in combinations(range(size), half)]
    partner = _disjoint_pairs(sets, size)

    rows = []
    for begin in sets:
        end = partner[begin]
        # A pair needs one order, which has the other set at its other end.
        if begin > end and partner[end] == begin:
            continue
        head = orders[order_of[begin]][:half]
        tail = orders[order_of[end]][:half]
        middle = (everything ^ begin ^ end).bit_length() - 1
        rows.append([*head, middle, *tail[::-1]])
    return np.array(rows, dtype=np.int64)


def _disjoint_pairs(sets: list[int], size: int) -> dict[int, int]:
    """Disjoint pairs of the sets of h among 2 h + 1 examples; a set that is left over
    shares a partner.
    """
    # A set without a partner takes any disjoint set. If that set had a partner, the
    # partner is now alone and does the same.
    random = Random(0)
    partner: dict[int, int] = {}
    alone = dict.fromkeys(sets)

    def disjoint(members: int) -> int:
        """A random set of h examples outside of a set: all but one of them."""
        outside = [1 << i for i in range(size) if not members >> i & 1]
        return int(2**size - 1 - members - random.choice(outside))

    while len(alone) > 1:
        single, _ = alone.popitem()
        other = disjoint(single)
        while other in partner:
            before = partner.pop(other)
            partner[single] = other
            partner[other] = single
            single = before
            other = disjoint(single)
        partner[single] = other
        partner[other] = single
        del alone[other]

    return partner | {single: disjoint(single) for single in alone}


def realizing_tree(tree: TreeLike, sample: ArrayLike, labels: ArrayLike) -> ArrayTree:
    """The tree of a given structure that gives the examples of its shattered sample
    their labels.

    >>> from treebounds import TreeStructure
    >>> from treebounds.capacity import realizing_tree, shattered_sample
    >>> chain = TreeStructure.from_nested([[None, None], None])
    >>> sample = shattered_sample(chain, 2)
    >>> tree = realizing_tree(chain, sample, [1, 0, 1, 1, 0])
    >>> tree.structure is chain, tree.predict(sample)
    (True, array([1, 0, 1, 1, 0]))

    Parameters
    ----------
    tree : TreeStructure, ArrayTree or fitted scikit-learn tree
    sample : (n_examples, n_features) array
        The result of :func:`shattered_sample` for this structure.
    labels : (n_examples,) array of 0 and 1

    Returns
    -------
    ArrayTree
        A tree of this structure. An example goes left if its rank is at most a
        threshold, which lies between two ranks. The class counts are those of the
        sample.

    Raises
    ------
    ValueError
        If ``sample`` is not the shattered sample of the structure, or ``labels`` are
        not one 0 or 1 for each of its examples.

    Notes
    -----
    The check of the sample takes O(rows times columns), the tree O(rows). From the base
    to the right, the leaves have the two labels in turn, and the node between two
    leaves cuts off those examples of its group that have the label of the left one.
    Only the tree of the base is found by trying all cuts; if it has more than one
    internal node, it has at most five, and at most 12 examples.
    """
    structure = check_structure(tree)
    ranks = check_array(sample, "sample", np.int64)
    classes = check_array(labels, "labels", np.int64)

    l = ranks.shape[1] if ranks.ndim == 2 else 0
    if l == 0 or not np.array_equal(ranks, shattered_sample(structure, l)):
        raise ValueError(
            f"sample must be the shattered_sample of this tree; got shape {ranks.shape}"
        )
    if classes.shape != ranks.shape[:1] or not np.isin(classes, (0, 1)).all():
        raise ValueError(
            f"labels must be one 0 or 1 for each of the {len(ranks)} examples; got"
            f" {labels!r}"
        )
    return _labeled(structure, classes, l)


def _labeled(structure: TreeStructure, labels: NDArray[np.int64], l: int) -> ArrayTree:
    """The tree that gives its shattered sample these labels."""
    base, depth = _base_of(structure, l)
    size = _base_size(base, l)
    ones = sum(1 << i for i in np.flatnonzero(labels[:size]).tolist())
    grown = _tree_of_base(base, l, ones)

    # Later examples are above all thresholds in the base, so those that reach the base
    # reach its last leaf.
    label = int(grown.at_leaves[-1] & ones > 0)
    n_groups = structure.n_leaves - base.n_leaves
    cuts, leaf = _cut_groups(labels[size:], n_groups, label, l)

    feature = np.array([cut.feature for cut in grown.cuts], dtype=np.int64)
    threshold = np.array([cut.threshold for cut in grown.cuts])
    return assembled(
        _drawing_with_base(structure, grown.sizes, depth),
        np.append(feature, cuts.feature),
        np.append(threshold, size + cuts.threshold),
        np.append(_leaves_of(grown.at_leaves, size), base.n_leaves + leaf),
        labels,
        l,
    )


def _drawing_with_base(
    structure: TreeStructure, sizes: list[int], depth: int
) -> NDArray[np.int64]:
    """The drawing of a structure in which the base is drawn as it was found."""
    rows = drawing(structure).copy()
    block = _draw(sizes)
    children = block[:2]
    children[children >= 0] += depth
    rows[:, depth : depth + block.shape[1]] = block
    return rows


def _leaves_of(at_leaves: list[int], size: int) -> list[int]:
    """The leaf of each example, from the examples at each leaf, which are bits."""
    leaves = enumerate(at_leaves)
    leaf_of = {j: leaf for leaf, here in leaves for j in range(size) if here >> j & 1}
    return [leaf_of[j] for j in range(size)]


@lru_cache(maxsize=1 << 12)
def _tree_of_base(base: TreeStructure, l: int, ones: int) -> _Grown:
    """The first tree of the base that gives label 1 to exactly a set of its sample.

    Sets of examples are bits of integers.
    """
    prefixes = _prefixes_of_base(base, l)

    @cache
    def grown(subtree: TreeStructure, here: int) -> _Grown | None:
        """The tree for the examples that reach a subtree, or None."""
        if subtree.is_leaf:
            return _Grown([1], [], [here]) if here & ones in (0, here) else None

        orders = [subtree.children]
        if subtree.left is not subtree.right:
            orders.append(subtree.children[::-1])

        for (low, high), (prefix, cut) in product(orders, prefixes.items()):
            right = grown(high, here & ~prefix)
            if right is None:
                continue
            left = grown(low, here & prefix)
            if left is not None:
                return _Grown(
                    [subtree.n_leaves, *left.sizes, *right.sizes],
                    [*left.cuts, cut, *right.cuts],
                    left.at_leaves + right.at_leaves,
                )
        return None

    tree = grown(base, (1 << _base_size(base, l)) - 1)
    assert tree is not None, "the sample of the base is shattered"
    return tree


@lru_cache(maxsize=4)
def _prefixes_of_base(base: TreeStructure, l: int) -> dict[int, _Cut]:
    """A feature and a threshold for each set of examples that can be cut off; sets are
    bits of integers.
    """
    prefixes: dict[int, _Cut] = {}
    orders = _base_sample(base, l).argsort(axis=0).T.tolist()
    for feature, order in enumerate(orders):
        prefix = 0
        for rank, example in enumerate(order):
            prefix |= 1 << example
            prefixes.setdefault(prefix, _Cut(feature, rank + 0.5))
    return prefixes


def _cut_groups(
    labels: NDArray[np.int64], n_groups: int, label: int, l: int
) -> tuple[_Cuts, NDArray[np.int64]]:
    """The cuts of the nodes outside of the base, and the leaves of the examples.

    Ranks and leaves are counted from the end of the base, whose last leaf has the given
    label.
    """
    size = one_sided_stump_vc_dimension(l)
    number = np.arange(n_groups)
    label_of_leaf = (label + number) % 2
    goes_left = labels.reshape(n_groups, size) == label_of_leaf[:, None]

    feature = chains(size)[1][goes_left @ (1 << np.arange(size))]
    threshold = size * number + goes_left.sum(axis=1) - 0.5
    leaf = number[:, None] - goes_left
    return _Cuts(feature, threshold), leaf.ravel()


def assembled(
    rows: NDArray[np.int64],
    feature: NDArray[np.int64],
    threshold: NDArray[np.float64],
    leaf: NDArray[np.int64],
    labels: NDArray[np.int64],
    l: int,
) -> ArrayTree:
    """The tree whose nodes, in order, have these features and thresholds."""
    left, right, in_order, first, last = rows
    counts = np.zeros((len(feature) + 2, 2))
    np.add.at(counts, (leaf + 1, labels), 1)
    before = counts.cumsum(axis=0)  # for each leaf, the class counts to its left

    # A single leaf has no internal node, and leaves have the number of no node.
    return ArrayTree(
        children_left=left,
        children_right=right,
        feature=np.append(feature, 0)[in_order],
        threshold=np.append(threshold, 0)[in_order],
        class_counts=before[last] - before[first],
        n_features=l,
    )


def _draw(sizes: Sequence[int]) -> NDArray[np.int64]:
    """For each node its children, its number in order, its first leaf, and the leaf
    after its last one.

    The argument has, in preorder, the number of leaves below each node.
    """
    rows = np.zeros((5, len(sizes)), dtype=np.int64)
    left, right, in_order, first, last = rows
    left[:] = -1
    right[:] = -1

    for node, size in enumerate(sizes):
        last[node] = first[node] + size
        if size == 1:
            continue

        size_of_left = sizes[node + 1]
        left[node] = node + 1
        right[node] = node + 2 * size_of_left
        first[left[node]] = first[node]
        first[right[node]] = first[node] + size_of_left
        in_order[node] = first[right[node]] - 1
    return rows


@lru_cache(maxsize=4)
def drawing(structure: TreeStructure) -> NDArray[np.int64]:
    """The canonical drawing of a structure, cached; see :func:`_draw`."""
    sizes: list[int] = []
    pending = [structure]
    while pending:
        sizes.append(pending[-1].n_leaves)
        pending += reversed(pending.pop().children)
    return _draw(sizes)
