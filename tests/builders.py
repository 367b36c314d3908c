"""Structures and small trees that many tests build."""

import random

from treebounds import TreeStructure, enumerate_structures
from treebounds.trees import ArrayTree

LEAF = TreeStructure()
STUMP = TreeStructure(LEAF, LEAF)
CHAIN = TreeStructure(STUMP, LEAF)
BALANCED = TreeStructure(STUMP, STUMP)


def structures_up_to(n_leaves):
    """Every structure with at most so many leaves, small ones first."""
    return [structure for L in range(1, n_leaves + 1) for structure in enumerate_structures(L)]


def chain_of(n_nodes, start=LEAF):
    """A structure with this number of nodes in a row above another one."""
    for _ in range(n_nodes):
        start = TreeStructure(start, LEAF)
    return start


def complete(height):
    """The complete structure of a height."""
    structure = LEAF
    for _ in range(height):
        structure = TreeStructure(structure, structure)
    return structure


def random_structure(n_leaves, seed=0):
    """A random structure."""
    rng = seed if isinstance(seed, random.Random) else random.Random(seed)
    if n_leaves == 1:
        return LEAF
    left = rng.randint(1, n_leaves - 1)
    return TreeStructure(random_structure(left, rng), random_structure(n_leaves - left, rng))


def leaf_tree(counts):
    """A tree of one leaf with these class counts."""
    nodes = {"children_left": [-1], "children_right": [-1], "feature": [0], "threshold": [0.0]}
    return ArrayTree(**nodes, class_counts=[counts], n_features=1)


def stump_tree(counts, **more):
    """A tree of one split whose nodes have these class counts."""
    nodes = {"children_left": [1, -1, -1], "children_right": [2, -1, -1], "feature": [0] * 3}
    return ArrayTree(**nodes | {"threshold": [0.5, 0, 0], "class_counts": counts, "n_features": 1} | more)
