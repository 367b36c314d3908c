"""Structures that many chapters use."""

from __future__ import annotations

from itertools import chain as joined

from treebounds._validation import check_integer
from treebounds.structure import TreeStructure, enumerate_structures

__all__ = ["LEAF", "STUMP", "chain", "structures_up_to"]

LEAF = TreeStructure()
STUMP = TreeStructure(LEAF, LEAF)


def chain(n_nodes: int) -> TreeStructure:
    """The structure in which at most one child of each node is a node.

    >>> from reproduction.structures import chain
    >>> chain(2).to_nested()
    [[None, None], None]
    """
    structure = LEAF
    for _ in range(check_integer(n_nodes, "n_nodes", 0)):
        structure = TreeStructure(structure, LEAF)
    return structure


def structures_up_to(n_leaves: int) -> list[TreeStructure]:
    """All structures with at most some number of leaves, the smallest first.

    >>> from reproduction.structures import structures_up_to
    >>> [structure.n_leaves for structure in structures_up_to(4)]
    [1, 2, 3, 4, 4]
    """
    sizes = range(1, check_integer(n_leaves, "n_leaves") + 1)
    return list(joined.from_iterable(map(enumerate_structures, sizes)))
