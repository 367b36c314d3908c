"""Samples that tree structures shatter on real-valued features, and the tree for each
of their labelings.

In a drawing of the tree, exactly one internal node stands between leaf j - 1 and leaf
j: the j-th node in order. The *base* is a subtree at the left end of the drawing, of a
kind for which a shattered sample is known. Its sample comes first along every feature.
Each node outside of the base has a group of examples, and the groups follow one after
the other along every feature. A node cuts its own group anywhere and does not divide
any other group.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import combinations, product
from random import Random
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds._validation import check_array, check_integer
from treebounds.capacity._trees import check_structure
from treebounds.capacity.stumps import one_sided_stump_vc_dimension, stump_vc_dimension
from treebounds.structure import TreeStructure
from treebounds.trees.array_tree import ArrayTree

_LEAF = TreeStructure()
_STUMP = TreeStructure(_LEAF, _LEAF)
_CHAIN = TreeStructure(_STUMP, _LEAF)
# Samples on two features that these structures shatter, found by exhaustive search: 2 N
# + 2 examples, in the order of feature 1, with their ranks along feature 2.
_TWO_FEATURES = {
    TreeStructure(_CHAIN, _LEAF): (1, 6, 5, 2, 4, 0, 7, 3),
    TreeStructure(_STUMP, _STUMP): (2, 6, 0, 3, 4, 7, 1, 5),
    TreeStructure(_CHAIN, _STUMP): (1, 8, 0, 2, 4, 6, 9, 5, 3, 7),
    TreeStructure(_CHAIN, _CHAIN): (1, 0, 4, 8, 2, 5, 6, 9, 3, 7, 11, 10),
}


_Grown = tuple[list[int], list[tuple[int, float]], list[int]]


def largest_known_sample(structure: TreeStructure, l: int) -> int:
    """Number of examples of :func:`shattered_sample`."""
    base, _ = _base_of(structure, l)
    outside = structure.n_leaves - base.n_leaves
    return _base_size(base, l) + outside * one_sided_stump_vc_dimension(l)


def _base_of(structure: TreeStructure, l: int) -> tuple[TreeStructure, int]:
    """The base, and its depth on the leftmost path."""
    # A stump as the base is better than a leaf only if it shatters more than 1 + g
    # examples: those of a leaf and a group of g.
    least = (
        3
        if l == 2
        else int(stump_vc_dimension(l) > 1 + one_sided_stump_vc_dimension(l))
    )
    least = least if structure.n_internal_nodes >= least else 0
    depth = 0
    while structure.left is not None and structure.left.n_internal_nodes >= least:
        structure, depth = structure.left, depth + 1
    return structure, depth


def _base_size(base: TreeStructure, l: int) -> int:
    """Number of examples that the base shatters."""
    if base.n_leaves <= 2:
        return 1 if base.is_leaf else stump_vc_dimension(l)
    return len(_TWO_FEATURES[base])


@lru_cache(maxsize=4)
def _base_sample(base: TreeStructure, l: int) -> NDArray[np.int64]:
    """Ranks of the base's examples along each feature."""
    if base.is_leaf:
        return np.zeros((1, l), dtype=np.int64)
    if base is _STUMP:
        return _ranks(_orders_for_both_ends(stump_vc_dimension(l)), l)
    return np.stack([np.arange(len(_TWO_FEATURES[base])), _TWO_FEATURES[base]], axis=1)


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


def shattered_sample(structure: TreeStructure, n_features: int) -> NDArray[np.int64]:
    """A sample on real-valued features that a structure shatters, of the size of the
    lower bound.

    Parameters
    ----------
    structure : TreeStructure or fitted tree
    n_features : int
        At least 1.

    Returns
    -------
    ndarray of int, shape (n_examples, n_features)
        The rank of each example along each feature. The number of examples is
        ``vc_dimension_lower_bound``. The base is a leaf or a small subtree at the left
        end of the tree. Along every feature, its examples come first (one if it is a
        leaf), then the groups of the nodes outside of the base, from left to right.
        Within a group, feature i has the examples in the i-th of l orders, which are
        chosen such that every subset of the group is a prefix of one of them.

    See Also
    --------
    realizing_tree : the tree that gives the sample some labels.

    Notes
    -----
    Cost: O(rows times columns), 20 ms for 1,000 nodes on 100 features, which shatter
    8,001 examples.

    Examples
    --------
    >>> from treebounds import TreeStructure
    >>> from treebounds.capacity import shattered_sample
    >>> shattered_sample(TreeStructure.from_nested([[None, None], None]), 2)
    array([[0, 0],
           [1, 2],
           [2, 1],
           [3, 4],
           [4, 3]])
    """
    l = check_integer(n_features, "n_features")
    structure = check_structure(structure, l)
    base, _ = _base_of(structure, l)
    first, size = _base_sample(base, l), one_sided_stump_vc_dimension(l)
    n_groups = structure.n_leaves - base.n_leaves
    groups = len(first) + size * np.arange(n_groups)[:, None, None] + ranks_of_orders(l)
    return np.concatenate([first, groups.reshape(-1, l)])


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
        order_of[subset] = orders.setdefault(
            (*ones, *unmatched, *opened, *zeros), len(orders)
        )
    return np.array(list(orders), dtype=np.int64), order_of


def _orders_for_both_ends(size: int) -> NDArray[np.int64]:
    """Orders of d = 2 h + 1 examples such that every subset or its complement is a
    prefix of one.

    There are ``ceil(C(d, h) / 2)`` of them. Each set of h examples, in the order of its
    chain, is the beginning of one of them or, in reverse order, the end of one. So the
    sets have to be paired with sets that are disjoint from them.
    """
    (orders, order_of), everything = chains(size), 2**size - 1
    sets = [
        sum(1 << i for i in chosen) for chosen in combinations(range(size), size // 2)
    ]
    partner = _disjoint_pairs(sets, size)
    rows = []
    for one in sets:
        other = partner[one]
        if one < other or partner[other] != one:
            head, tail = (orders[order_of[part]][: size // 2] for part in (one, other))
            middle = (everything ^ one ^ other).bit_length() - 1
            rows.append([*head, middle, *tail[::-1]])
    return np.array(rows, dtype=np.int64)


def _disjoint_pairs(sets: list[int], size: int) -> dict[int, int]:
    """Disjoint pairs of the sets of h among 2 h + 1 examples; a set that is left over
    shares a partner.
    """
    # A set without a partner takes any disjoint set. If that set had a partner, the
    # partner is now alone and does the same.
    random, partner, alone = Random(0), dict[int, int](), dict.fromkeys(sets)

    everything = (1 << size) - 1

    def disjoint(one: int) -> int:
        """A random set of h examples outside of a set: all but one of them."""
        outside = [1 << i for i in range(size) if not one >> i & 1]
        return everything - one - random.choice(outside)

    while len(alone) > 1:
        one, _ = alone.popitem()
        other = disjoint(one)
        while (before := partner.pop(other, None)) is not None:
            partner[one], partner[other] = other, one
            one = before
            other = disjoint(one)
        partner[one], partner[other] = other, one
        del alone[other]
    return partner | {one: disjoint(one) for one in alone}


def realizing_tree(
    structure: TreeStructure, sample: ArrayLike, labels: ArrayLike
) -> ArrayTree:
    """The tree of a given structure that gives the examples of its shattered sample
    their labels.

    Parameters
    ----------
    structure : TreeStructure or fitted tree
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

    Examples
    --------
    >>> from treebounds import TreeStructure
    >>> from treebounds.capacity import realizing_tree, shattered_sample
    >>> chain = TreeStructure.from_nested([[None, None], None])
    >>> sample = shattered_sample(chain, 2)
    >>> tree = realizing_tree(chain, sample, [1, 0, 1, 1, 0])
    >>> tree.structure is chain, tree.predict(sample)
    (True, array([1, 0, 1, 1, 0]))
    """
    structure = check_structure(structure)
    ranks, labels = (
        check_array(sample, "sample", np.int64),
        check_array(labels, "labels", np.int64),
    )
    l = ranks.shape[1] if ranks.ndim == 2 else 0
    if l == 0 or not np.array_equal(ranks, shattered_sample(structure, l)):
        raise ValueError(
            "sample must be the shattered_sample of this structure; got shape"
            f" {ranks.shape}"
        )
    if labels.shape != ranks.shape[:1] or not np.isin(labels, (0, 1)).all():
        raise ValueError(
            f"labels must be one 0 or 1 for each of the {len(ranks)} examples; got"
            f" {labels!r}"
        )
    base, depth = _base_of(structure, l)
    size = _base_size(base, l)
    ones = sum(1 << i for i in np.flatnonzero(labels[:size]).tolist())
    sizes, cuts, at_leaves = _tree_of_base(base, l, ones)
    leaf_of_base = [
        next(i for i, here in enumerate(at_leaves) if here >> j & 1)
        for j in range(size)
    ]
    # Later examples are above all thresholds in the base, so those that reach the base
    # reach its last leaf.
    label = int(at_leaves[-1] & ones > 0)
    feature, threshold, leaf = _cut_groups(
        labels[size:], structure.n_leaves - base.n_leaves, label, l
    )
    rows, block = drawing(structure).copy(), _draw(sizes)
    block[:2] += depth * (block[:2] >= 0)
    rows[:, depth : depth + block.shape[1]] = block
    feature = np.append([cut[0] for cut in cuts], feature).astype(np.int64)
    threshold = np.append([cut[1] for cut in cuts], size + threshold)
    return assembled(
        rows,
        feature,
        threshold,
        np.append(leaf_of_base, base.n_leaves + leaf),
        labels,
        l,
    )


@lru_cache(maxsize=1 << 12)
def _tree_of_base(base: TreeStructure, l: int, ones: int) -> _Grown:
    """The first tree of the base that gives label 1 to exactly a set of its sample.

    Sets of examples are bits of integers. The result consists of the numbers of leaves
    below the nodes in preorder, the features and thresholds of the internal nodes in
    order, and the examples at the leaves from left to right.
    """
    prefixes = _prefixes_of_base(base, l)

    @cache
    def grown(subtree: TreeStructure, here: int) -> _Grown | None:
        """The tree for the examples that reach a subtree, or None."""
        if subtree.is_leaf:
            return ([1], [], [here]) if here & ones in (0, here) else None
        orders = [subtree.children, subtree.children[::-1]][
            : 1 + (subtree.left is not subtree.right)
        ]
        for (low, high), (prefix, cut) in product(orders, prefixes.items()):
            right = grown(high, here & ~prefix)
            left = grown(low, here & prefix) if right is not None else None
            if left is not None and right is not None:
                sizes = [subtree.n_leaves, *left[0], *right[0]]
                return sizes, [*left[1], cut, *right[1]], left[2] + right[2]
        return None

    tree = grown(base, (1 << _base_size(base, l)) - 1)
    assert tree is not None, "the sample of the base is shattered"
    return tree


@lru_cache(maxsize=4)
def _prefixes_of_base(base: TreeStructure, l: int) -> dict[int, tuple[int, float]]:
    """A feature and a threshold for each set of examples that can be cut off; sets are
    bits of integers.
    """
    prefixes: dict[int, tuple[int, float]] = {}
    for feature, order in enumerate(_base_sample(base, l).argsort(axis=0).T.tolist()):
        prefix = 0
        for rank, example in enumerate(order):
            prefix |= 1 << example
            prefixes.setdefault(prefix, (feature, rank + 0.5))
    return prefixes


def _cut_groups(
    labels: NDArray[np.int64], n_groups: int, label: int, l: int
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """Features and thresholds of the nodes outside of the base, and leaves of the
    examples.

    Ranks and leaves are counted from the end of the base, whose last leaf has the given
    label.
    """
    size = one_sided_stump_vc_dimension(l)
    number = np.arange(n_groups)
    goes_left = labels.reshape(n_groups, size) == ((label + number) % 2)[:, None]
    feature = chains(size)[1][goes_left @ (1 << np.arange(size))]
    threshold = size * number + goes_left.sum(axis=1) - 0.5
    return feature, threshold, (number[:, None] - goes_left).ravel()


def assembled(
    rows: NDArray[Any],
    feature: NDArray[Any],
    threshold: NDArray[Any],
    leaf: NDArray[Any],
    labels: NDArray[Any],
    l: int,
) -> ArrayTree:
    """The tree whose nodes, in order, have these features and thresholds."""
    left, right, in_order, first, last = rows
    counts = np.zeros((len(feature) + 2, 2))
    np.add.at(counts, (leaf + 1, labels), 1)
    before = counts.cumsum(axis=0)  # for each leaf, the class counts to its left
    # A single leaf has no internal node.
    feature, threshold = (
        np.append(values, 0)[in_order] for values in (feature, threshold)
    )
    nodes = {
        "children_left": left,
        "children_right": right,
        "feature": feature,
        "threshold": threshold,
    }
    return ArrayTree(**nodes, class_counts=before[last] - before[first], n_features=l)


def _draw(sizes: Sequence[int]) -> NDArray[np.int64]:
    """For each node its children, its number in order, its first leaf, and the leaf
    after its last one.

    The argument has, in preorder, the number of leaves below each node.
    """
    left, right, in_order, first, last = rows = np.zeros(
        (5, len(sizes)), dtype=np.int64
    )
    rows[:2] = -1
    for node, size in enumerate(sizes):
        last[node] = first[node] + size
        if size > 1:
            left[node], right[node] = node + 1, node + 2 * sizes[node + 1]
            first[left[node]], first[right[node]] = (
                first[node],
                first[node] + sizes[node + 1],
            )
            in_order[node] = first[right[node]] - 1
    return rows


@lru_cache(maxsize=4)
def drawing(structure: TreeStructure) -> NDArray[np.int64]:
    """The canonical drawing of a structure, cached; see :func:`_draw`."""
    sizes, pending = list[int](), [structure]
    while pending:
        sizes.append(pending[-1].n_leaves)
        pending += reversed(pending.pop().children)
    return _draw(sizes)
