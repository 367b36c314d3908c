"""How a tree is drawn, and which of its subtrees keep a sample of their own; the terms
are those of :mod:`treebounds.capacity.shattering`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treebounds.capacity._small_samples import LATER, base_size
from treebounds.capacity.stumps import one_sided_stump_vc_dimension, stump_vc_dimension
from treebounds.structure import TreeStructure


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
        # The last leaf so far.
        leaf = self.base.n_leaves - 1
        for node, subtree in self.later.items():
            first = int(self.rows[3, node])
            runs.append((first - leaf, node))
            leaf = first + subtree.n_internal_nodes
        return [*runs, (int(self.rows[4, 0]) - 1 - leaf, -1)]

    def n_examples(self, l: int) -> int:
        """Number of examples of the sample."""
        n_groups = sum(n_nodes for n_nodes, _ in self.runs())
        n_later = sum(len(LATER[subtree]) - 1 for subtree in self.later.values())
        in_groups = one_sided_stump_vc_dimension(l) * n_groups
        return base_size(self.base, l) + n_later + in_groups


class _Below(NamedTuple):
    """The number of later subtrees below a node, itself included, and whether there is
    a base outside of them.
    """

    number: int
    has_other_base: bool


def later_below(structure: TreeStructure) -> dict[TreeStructure, _Below]:
    """For each subtree of a tree on two features, the later subtrees inside of it and
    whether it has another base.
    """
    below: dict[TreeStructure, _Below] = {}
    for subtree in structure.subtrees():
        inside = [below[child] for child in subtree.children]
        number = sum(child.number for child in inside)
        has_other = any(child.has_other_base for child in inside)
        if subtree in LATER:
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
    if structure.n_internal_nodes < least:
        return 0
    return least


def base_of(structure: TreeStructure, l: int) -> TreeStructure:
    """The base of a tree without later subtrees."""
    least = _least_base(structure, l)
    while structure.left is not None and structure.left.n_internal_nodes >= least:
        structure = structure.left
    return structure


def _way_to_base(structure: TreeStructure, l: int) -> list[int]:
    """At each node above the base, which child is drawn at the left."""
    least = _least_base(structure, l)
    below = later_below(structure) if l == 2 else {}

    way = []
    while structure.left is not None and structure.left.n_internal_nodes >= least:
        # A base inside of a later subtree takes its place.
        is_better = [
            l == 2 and below[child].has_other_base for child in structure.children
        ]
        side = int(is_better == [False, True])
        way.append(side)
        structure = structure.children[side]
    return way


@lru_cache(maxsize=4)
def arranged(structure: TreeStructure, l: int) -> _Arrangement:
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
        if l == 2 and node > len(way) and subtree in LATER:
            later[node] = subtree

        children = subtree.children[::-1]
        if is_above_base and way[node] == 1:
            children = subtree.children
        pending += children
    return _Arrangement(draw(sizes), base, len(way), later)


def draw(sizes: Sequence[int]) -> NDArray[np.int64]:
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
