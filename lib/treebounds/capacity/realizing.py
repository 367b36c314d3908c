"""The tree for each labeling of a shattered sample; the terms are those of
:mod:`treebounds.capacity.shattering`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds._validation import check_array, shown
from treebounds.capacity._arrangement import arranged, draw
from treebounds.capacity._orders import chains
from treebounds.capacity._small_samples import LATER, base_sample, base_size, with_ranks
from treebounds.capacity._trees import (
    TreeLike,
    check_structure,
)
from treebounds.capacity.shattering import shattered_sample
from treebounds.capacity.stumps import one_sided_stump_vc_dimension
from treebounds.structure import TreeStructure
from treebounds.trees.array_tree import ArrayTree


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
    if l == 0 or not np.array_equal(ranks, _sample_of(structure, l)):
        raise ValueError(
            f"sample must be the shattered_sample of this tree; got shape {ranks.shape}"
        )
    if classes.shape != ranks.shape[:1] or not np.isin(classes, (0, 1)).all():
        raise ValueError(
            f"labels must be one 0 or 1 for each of the {len(ranks)} examples; got"
            f" {shown(labels)}"
        )
    return _labeled(structure, classes, l)


# One sample gets many labelings.
@lru_cache(maxsize=1)
def _sample_of(structure: TreeStructure, l: int) -> NDArray[np.int64]:
    """The shattered sample of a structure, cached."""
    return shattered_sample(structure, l)


def _labeled(structure: TreeStructure, labels: NDArray[np.int64], l: int) -> ArrayTree:
    """The tree that gives its shattered sample these labels."""
    arrangement = arranged(structure, l)
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
        # The label of later examples that come to the last leaf.
        self.label = 0
        self.features: list[NDArray[np.int64]] = []
        self.thresholds: list[NDArray[np.float64]] = []
        self.leaves: list[NDArray[np.int64]] = []

    def add_base(self, base: TreeStructure, node: int) -> None:
        """The base, whose sample comes first."""
        labels = self.labels[: base_size(base, self.l)]
        self._add_searched(_tree_of_base(base, self.l, _bits(labels)), labels, node, 0)

    def add_later(self, subtree: TreeStructure, node: int) -> None:
        """A later subtree. It gives its first example, in whose place earlier ones
        come, the label of the group before that goes right.
        """
        end = self.n_examples + len(LATER[subtree]) - 1
        labels = np.append(self.label, self.labels[self.n_examples : end])
        self._add_searched(_later_tree(subtree, _bits(labels)), labels, node, 1)

    def _add_searched(
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
    block = draw(sizes)
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
    return _tree_by_search(base, _prefixes_of_base(base, l), ones)


@lru_cache(maxsize=1 << 12)
def _later_tree(subtree: TreeStructure, ones: int) -> _Grown:
    """A tree of a later subtree that gives label 1 to exactly a set of its sample."""
    return _tree_by_search(subtree, _prefixes(with_ranks(LATER[subtree])), ones)


def _tree_by_search(
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
        # A subtree that can label some examples can label fewer of them, so the first
        # prefix that is too large is found by bisection. One example is never too many.
        large, small = subtree.children
        for feature, sets in enumerate(prefixes):
            ends = [here & low for low in sets]
            too_large = bisect_left(
                ends, True, key=lambda end: split(small, end) is None
            )
            rank = too_large - 1
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
    return _prefixes(base_sample(base, l))


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
    # For each leaf, the class counts of the leaves to its left.
    before = counts.cumsum(axis=0)

    # A single leaf has no internal node, and leaves have the number of no node.
    return ArrayTree(
        children_left=left,
        children_right=right,
        feature=np.append(feature, 0)[in_order],
        threshold=np.append(threshold, 0)[in_order],
        class_counts=before[last] - before[first],
        n_features=l,
    )
