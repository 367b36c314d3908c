"""Samples that tree structures shatter on real-valued features, and the tree for each
of their labelings.

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
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import accumulate, combinations
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
_CHAIN_3 = TreeStructure(_CHAIN, _LEAF)
_BALANCED = TreeStructure(_STUMP, _STUMP)
# Samples on two features that sums of three and of four stumps shatter; see
# _TWO_FEATURES. The first example of the second one comes first along both features.
_THREE_STUMPS = (1, 6, 5, 2, 4, 0, 7, 3)
_FOUR_STUMPS = (0, 6, 2, 9, 4, 7, 3, 5, 8, 1)
# Samples on two features that these structures shatter, found by exhaustive search: 2 N
# + 2 examples, in the order of feature 1, with their ranks along feature 2.
_TWO_FEATURES = {
    _CHAIN_3: (1, 6, 5, 2, 4, 0, 7, 3),
    _BALANCED: (2, 6, 0, 3, 4, 7, 1, 5),
    TreeStructure(_CHAIN, _STUMP): (1, 8, 0, 2, 4, 6, 9, 5, 3, 7),
    TreeStructure(_CHAIN, _CHAIN): (1, 0, 4, 8, 2, 5, 6, 9, 3, 7, 11, 10),
}
# The same for every smallest structure with at least four internal nodes; the first
# example comes first along both features.
_LATER = {
    TreeStructure(_CHAIN, _STUMP): (0, 2, 1, 8, 4, 7, 5, 9, 3, 6),
    TreeStructure(_BALANCED, _LEAF): (0, 6, 2, 5, 3, 7, 1, 4, 9, 8),
    TreeStructure(_CHAIN_3, _LEAF): (0, 9, 2, 6, 4, 7, 1, 5, 8, 3),
    TreeStructure(_CHAIN, _CHAIN): (0, 2, 1, 9, 4, 11, 7, 10, 6, 3, 8, 5),
    TreeStructure(_CHAIN_3, _STUMP): (0, 7, 2, 9, 11, 4, 1, 10, 6, 3, 8, 5),
    TreeStructure(_BALANCED, _STUMP): (0, 6, 4, 9, 11, 8, 2, 5, 3, 7, 1, 10),
    TreeStructure(_CHAIN_3, _CHAIN): (0, 11, 6, 2, 13, 10, 4, 7, 9, 1, 5, 3, 12, 8),
    TreeStructure(_BALANCED, _CHAIN): (0, 11, 5, 2, 13, 10, 4, 7, 9, 1, 6, 3, 12, 8),
}


class _Cut(NamedTuple):
    """A feature and a threshold."""

    feature: int
    threshold: float


class _Cuts(NamedTuple):
    """Features and thresholds of several nodes."""

    feature: NDArray[np.int64]
    threshold: NDArray[np.float64]


class _Split(NamedTuple):
    """A cut, the subtree below it with the examples that it gets, as bits, and the
    subtree above it.
    """

    cut: _Cut
    low: TreeStructure
    goes_low: int
    high: TreeStructure


class _Grown(NamedTuple):
    """A tree: the numbers of leaves below its nodes in preorder, the cuts of its
    internal nodes in order, and the examples at its leaves from left to right, as bits.
    """

    sizes: list[int]
    cuts: list[_Cut]
    at_leaves: list[int]


class _Arrangement(NamedTuple):
    """A drawing of a tree, its base, the depth of the base on the leftmost path, and
    the later subtrees by their nodes.
    """

    rows: NDArray[np.int64]
    base: TreeStructure
    depth: int
    later: dict[int, TreeStructure]

    def runs(self) -> list[tuple[int, int]]:
        """For each later subtree, the number of nodes with a group before it, and its
        own node; at the end, the number of nodes behind all of them, and -1.
        """
        runs = []
        leaf = self.base.n_leaves - 1  # the last leaf so far
        for node, subtree in self.later.items():
            first = int(self.rows[3, node])
            runs.append((first - leaf, node))
            leaf = first + subtree.n_internal_nodes
        return [*runs, (int(self.rows[4, 0]) - 1 - leaf, -1)]

    def n_examples(self, l: int) -> int:
        """Number of examples of the sample."""
        n_groups = sum(n_nodes for n_nodes, _ in self.runs())
        n_later = sum(len(_LATER[subtree]) - 1 for subtree in self.later.values())
        in_groups = one_sided_stump_vc_dimension(l) * n_groups
        return _base_size(self.base, l) + n_later + in_groups


class _Plan(NamedTuple):
    """How the nodes of trees share a sample: those of a part, those in fours of nodes
    of different trees, and those with a group of their own.
    """

    part: TreeStructure | None  # None for stumps of three trees
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
        bases.setdefault(_base_of(structure, l), place)

    plans = []
    for base, place in sorted(bases.items(), key=lambda item: item[0].n_leaves):
        others = n_nodes.copy()
        others[place] -= base.n_internal_nodes
        plans.append(_planned(base, _base_size(base, l), others, l))

    # Later subtrees belong to a single tree, which is then the part as a whole.
    place, whole = _tree_with_most_later(in_order) if l == 2 else (0, _LEAF)
    if not whole.is_leaf:
        others = n_nodes.copy()
        others[place] = 0
        n_own = _arranged(whole, l).n_examples(l)
        plans.append(_planned(whole, n_own, others, l))

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
        return 0, _LEAF
    return place, structures[place]


def _n_later(structure: TreeStructure) -> int:
    """How many later subtrees the sample of a tree on two features has."""
    inside = _later_below(structure)
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


class _Below(NamedTuple):
    """The number of later subtrees below a node, itself included, and whether there is
    a base outside of them.
    """

    number: int
    has_other_base: bool


def _later_below(structure: TreeStructure) -> dict[TreeStructure, _Below]:
    """The same for all subtrees of a tree on two features."""
    below: dict[TreeStructure, _Below] = {}
    for subtree in structure.subtrees():
        inside = [below[child] for child in subtree.children]
        number = sum(child.number for child in inside)
        has_other = any(child.has_other_base for child in inside)
        if subtree in _LATER:
            # A smallest structure contains none of the others.
            below[subtree] = _Below(1, False)
        else:
            below[subtree] = _Below(number, has_other or subtree.n_leaves == 4)
    return below


def _least_base(structure: TreeStructure, l: int) -> int:
    """The least number of internal nodes of a base."""
    # A stump as the base is better than a leaf only if it shatters more than 1 + g
    # examples: those of a leaf and a group of g.
    least = 0
    if l == 2:
        least = 3
    elif stump_vc_dimension(l) > 1 + one_sided_stump_vc_dimension(l):
        least = 1
    return least if structure.n_internal_nodes >= least else 0


def _base_of(structure: TreeStructure, l: int) -> TreeStructure:
    """The base of a tree without later subtrees."""
    least = _least_base(structure, l)
    while structure.left is not None and structure.left.n_internal_nodes >= least:
        structure = structure.left
    return structure


def _way_to_base(structure: TreeStructure, l: int) -> list[int]:
    """At each node above the base, which child is drawn at the left."""
    least = _least_base(structure, l)
    below = _later_below(structure) if l == 2 else {}

    way = []
    while structure.left is not None and structure.left.n_internal_nodes >= least:
        # A base inside of a later subtree takes its place.
        is_better = [
            l == 2 and below[child].has_other_base for child in structure.children
        ]
        side = 1 if is_better == [False, True] else 0
        way.append(side)
        structure = structure.children[side]
    return way


@lru_cache(maxsize=4)
def _arranged(structure: TreeStructure, l: int) -> _Arrangement:
    """The drawing of a tree with the base at the left end, cached."""
    way = _way_to_base(structure, l)
    base = structure
    for side in way:
        base = base.children[side]

    sizes: list[int] = []
    later = {}
    pending = [structure]
    while pending:
        subtree = pending.pop()
        node = len(sizes)
        sizes.append(subtree.n_leaves)
        is_above_base = node < len(way)
        if l == 2 and node > len(way) and subtree in _LATER:
            later[node] = subtree

        is_turned = is_above_base and way[node] == 1
        pending += subtree.children if is_turned else subtree.children[::-1]
    return _Arrangement(_draw(sizes), base, len(way), later)


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

    own = _with_ranks(_THREE_STUMPS)
    if plan.part is not None:
        own = _own_sample(plan.part, l)

    blocks = [own]
    begin = len(own)
    if plan.n_fours:
        # All earlier examples stand for the first one of the ten.
        nine = _with_ranks(_FOUR_STUMPS)[1:] - 1
        blocks.append(_repeated(nine, begin, plan.n_fours))
        begin += len(nine) * plan.n_fours
    blocks.append(_repeated(ranks_of_orders(l), begin, plan.n_groups))
    return np.concatenate(blocks)


def _own_sample(part: TreeStructure, l: int) -> NDArray[np.int64]:
    """The sample of a tree that is the only one, or a part."""
    arrangement = _arranged(part, l)
    blocks = [_base_sample(arrangement.base, l)]
    begin = len(blocks[0])
    for n_groups, node in arrangement.runs():
        blocks.append(_repeated(ranks_of_orders(l), begin, n_groups))
        begin += len(blocks[-1])
        if node >= 0:
            # All earlier examples stand for the first one.
            others = _with_ranks(_LATER[arrangement.later[node]])[1:] - 1
            blocks.append(begin + others)
            begin += len(others)
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
    Only the base and the later subtrees are found by trying cuts. They have one
    internal node, or at most six and 14 examples, which takes at most some
    milliseconds.
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
    arrangement = _arranged(structure, l)
    tree = _Growing(arrangement.rows.copy(), labels, l)
    tree.add_base(arrangement.base, arrangement.depth)
    for n_groups, node in arrangement.runs():
        tree.add_groups(n_groups)
        if node >= 0:
            tree.add_later(arrangement.later[node], node)
    return tree.finished()


class _Growing:
    """A tree that gets its cuts and the leaves of the examples from left to right."""

    def __init__(
        self, rows: NDArray[np.int64], labels: NDArray[np.int64], l: int
    ) -> None:
        self.rows = rows
        self.labels = labels
        self.l = l
        self.n_examples = 0
        self.n_leaves = 0
        self.label = 0  # of later examples that come to the last leaf
        self.features: list[NDArray[np.int64]] = []
        self.thresholds: list[NDArray[np.float64]] = []
        self.leaves: list[NDArray[np.int64]] = []

    def add_base(self, base: TreeStructure, node: int) -> None:
        """The base, whose sample comes first."""
        labels = self.labels[: _base_size(base, self.l)]
        self._add_found(_tree_of_base(base, self.l, _bits(labels)), labels, node, 0)

    def add_later(self, subtree: TreeStructure, node: int) -> None:
        """A later subtree. It gives its first example, in whose place earlier ones
        come, the label of the group before that goes right.
        """
        end = self.n_examples + len(_LATER[subtree]) - 1
        labels = np.append(self.label, self.labels[self.n_examples : end])
        self._add_found(_later_tree(subtree, _bits(labels)), labels, node, 1)

    def _add_found(
        self, grown: _Grown, labels: NDArray[np.int64], node: int, n_stand_ins: int
    ) -> None:
        """A subtree that was found by trying cuts, for a sample whose first examples
        stand for earlier ones.
        """
        begin = self.n_examples - n_stand_ins
        self.features.append(np.array([cut.feature for cut in grown.cuts], np.int64))
        self.thresholds.append(
            begin + np.array([cut.threshold for cut in grown.cuts], np.float64)
        )
        leaf_of = np.array(_leaves_of(grown.at_leaves, len(labels)))
        first_leaf = self.n_leaves - n_stand_ins
        self.leaves.append(first_leaf + leaf_of[n_stand_ins:])
        _redraw(self.rows, node, grown.sizes)

        # Later examples are above all thresholds, so those that come to the subtree
        # reach its last leaf.
        self.label = int(grown.at_leaves[-1] & _bits(labels) > 0)
        self.n_examples = begin + len(labels)
        self.n_leaves = first_leaf + len(grown.at_leaves)

    def add_groups(self, n_groups: int) -> None:
        """Nodes that cut their groups, and the leaves behind all but the last of
        them.
        """
        n_labels = n_groups * one_sided_stump_vc_dimension(self.l)
        labels = self.labels[self.n_examples : self.n_examples + n_labels]
        cuts, leaf = _cut_groups(labels, n_groups, self.label, self.l)
        self.features.append(cuts.feature)
        self.thresholds.append(self.n_examples + cuts.threshold)
        self.leaves.append(self.n_leaves + leaf)

        self.label = (self.label + n_groups) % 2
        self.n_examples += n_labels
        self.n_leaves += n_groups

    def finished(self) -> ArrayTree:
        """The tree."""
        return assembled(
            self.rows,
            np.concatenate(self.features),
            np.concatenate(self.thresholds),
            np.concatenate(self.leaves),
            self.labels,
            self.l,
        )


def _bits(labels: NDArray[np.int64]) -> int:
    """The examples with label 1, as bits."""
    return sum(1 << i for i in np.flatnonzero(labels).tolist())


def _redraw(rows: NDArray[np.int64], node: int, sizes: Sequence[int]) -> None:
    """Draw the subtree at a node in the way in which it was found."""
    block = _draw(sizes)
    is_inside = block[0] >= 0
    block[:2, is_inside] += node
    block[2, is_inside] += rows[3, node]
    block[3:] += rows[3, node]
    rows[:, node : node + block.shape[1]] = block


def _leaves_of(at_leaves: list[int], size: int) -> list[int]:
    """The leaf of each example, from the examples at each leaf, which are bits."""
    leaves = enumerate(at_leaves)
    leaf_of = {j: leaf for leaf, here in leaves for j in range(size) if here >> j & 1}
    return [leaf_of[j] for j in range(size)]


@lru_cache(maxsize=1 << 12)
def _tree_of_base(base: TreeStructure, l: int, ones: int) -> _Grown:
    """A tree of the base that gives label 1 to exactly a set of its sample.

    Sets of examples are bits of integers.
    """
    return _found_tree(base, _prefixes_of_base(base, l), ones)


@lru_cache(maxsize=1 << 12)
def _later_tree(subtree: TreeStructure, ones: int) -> _Grown:
    """The same for a later subtree."""
    return _found_tree(subtree, _prefixes(_with_ranks(_LATER[subtree])), ones)


def _found_tree(
    structure: TreeStructure, prefixes: list[list[int]], ones: int
) -> _Grown:
    """A tree that gives label 1 to exactly a set of examples, from the sets that can be
    cut off along each feature.
    """

    @cache
    def split(subtree: TreeStructure, here: int) -> _Split | None:
        """How a subtree divides the examples that reach it, or None."""
        if here & ones in (0, here):
            # With one label, any cut will do, and a leaf needs none.
            low, high = subtree.children or (subtree, subtree)
            return _Split(_Cut(0, 0.5), low, here & prefixes[0][0], high)
        return None if subtree.is_leaf else next(splits(subtree, here), None)

    def splits(subtree: TreeStructure, here: int) -> Iterator[_Split]:
        """Those in which the smaller subtree has as many examples as it can label."""
        # A subtree that can label some examples can label fewer of them.
        large, small = subtree.children
        for feature, sets in enumerate(prefixes):
            ends = [here & low for low in sets]
            rank = (
                bisect_left(ends, True, key=lambda end: split(small, end) is None) - 1
            )
            if split(large, here - ends[rank]) is not None:
                yield _Split(_Cut(feature, rank + 0.5), small, ends[rank], large)

            starts = [here - low for low in ends]
            rank = bisect_left(
                starts, True, key=lambda start: split(small, start) is not None
            )
            if split(large, ends[rank]) is not None:
                yield _Split(_Cut(feature, rank + 0.5), large, ends[rank], small)

    def grown(subtree: TreeStructure, here: int) -> _Grown:
        """The tree for examples that a subtree can label."""
        if subtree.is_leaf:
            return _Grown([1], [], [here])
        chosen = split(subtree, here)
        assert chosen is not None, "the sample is shattered"
        left = grown(chosen.low, chosen.goes_low)
        right = grown(chosen.high, here - chosen.goes_low)
        return _Grown(
            [subtree.n_leaves, *left.sizes, *right.sizes],
            [*left.cuts, chosen.cut, *right.cuts],
            left.at_leaves + right.at_leaves,
        )

    return grown(structure, prefixes[0][-1])


@lru_cache(maxsize=4)
def _prefixes_of_base(base: TreeStructure, l: int) -> list[list[int]]:
    """The prefixes of the sample of the base, cached."""
    return _prefixes(_base_sample(base, l))


def _prefixes(sample: NDArray[np.int64]) -> list[list[int]]:
    """For each feature, the sets of examples that come first, as bits: one example, two
    examples, and so on.
    """
    orders = sample.argsort(axis=0).T.tolist()
    return [list(accumulate(1 << example for example in order)) for order in orders]


def _cut_groups(
    labels: NDArray[np.int64], n_groups: int, label: int, l: int
) -> tuple[_Cuts, NDArray[np.int64]]:
    """The cuts of nodes one after another, and the leaves of the examples of their
    groups.

    Ranks and leaves are counted from the leaf before the first node on, which has the
    given label.
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
