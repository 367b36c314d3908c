"""A prefix-free code for trees with a branch for each value, and its decoder (Peng's notes)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from reproduction.multiway.tree import MultiwayTree
from treebounds._validation import check_array, check_instance, check_integer

__all__ = ["decode_tree", "encode_tree"]


def encode_tree(tree: MultiwayTree) -> list[int]:
    """The preorder code of a tree, one number for each block.

    A block holds i < n_features for a node that tests feature i, n_features + c for a leaf of class c, and
    n_features + n_classes at the end. Children follow in the order of their values.

    Parameters
    ----------
    tree : MultiwayTree

    Returns
    -------
    list of int

    Raises
    ------
    ValueError
        If a split lacks a branch for some value, which the decoder could not know.

    Examples
    --------
    >>> from reproduction.multiway import encode_tree
    >>> from reproduction.multiway import MultiwayTree
    >>> encode_tree(MultiwayTree([1, -1, -1], [-1, 0, 0], [-1, 0, 1], [[3, 2], [3, 0], [0, 2]], [2, 2]))
    [1, 2, 3, 4]
    """
    check_instance(tree, "tree", MultiwayTree)
    n_children = np.bincount(tree.parents[1:], minlength=tree.n_nodes)
    if np.any(~tree.is_leaf & (n_children < tree.n_values[tree.feature])):
        raise ValueError("tree must have a branch for each value of a feature that it asks for")
    blocks = np.where(tree.is_leaf, tree.n_features + tree.labels, tree.feature)
    return [*blocks[tree.preorder].tolist(), tree.n_features + tree.n_classes]


def decode_tree(code: Sequence[int], n_values: ArrayLike, n_classes: int = 2) -> MultiwayTree:
    """The tree that a preorder code describes; its training counts are not part of the code and are 0.

    Parameters
    ----------
    code : sequence of int
        One number for each block, as :func:`encode_tree` writes them.
    n_values : array_like of int, shape (n_features,)
        Number of values of each feature.
    n_classes : int

    Returns
    -------
    MultiwayTree

    Raises
    ------
    ValueError
        If the code ends too early, goes on after its end, or has a block out of range.

    Examples
    --------
    >>> from reproduction.multiway import decode_tree
    >>> decode_tree([1, 2, 3, 4], n_values=[2, 2]).predict([[0, 0], [0, 1]]).tolist()
    [0, 1]
    """
    blocks, n_values = check_array(code, "code", np.int64), check_array(n_values, "n_values", np.int64)
    if blocks.ndim != 1 or n_values.ndim != 1 or (n_values < 1).any():
        raise ValueError("code must be a list of blocks, n_values one positive integer for each feature")
    d, n_classes = len(n_values), check_integer(n_classes, "n_classes")
    wrong = blocks[(blocks < 0) | (blocks > d + n_classes)]
    if len(wrong):
        raise ValueError(f"code has the block {wrong[0]}; blocks are 0 .. {d + n_classes}")
    rows: list[tuple[int, ...]] = []
    expected = [(-1, -1)]  # parent and branch of the nodes to come, the next one last
    for block in blocks[:-1].tolist():
        if not expected:
            raise ValueError("code goes on after the tree")
        if block == d + n_classes:
            break
        place = expected.pop()
        if block < d:
            expected.extend((len(rows), v) for v in reversed(range(n_values[block])))
        rows.append((block, *place, 0) if block < d else (-1, *place, block - d))
    if expected:
        raise ValueError("code ends too early")
    if blocks[-1] != d + n_classes:
        raise ValueError("code goes on after the tree")
    features, parents, branches, labels = zip(*rows, strict=True)
    counts = np.zeros((len(rows), n_classes), dtype=np.int64)
    return MultiwayTree(features, parents, branches, counts, n_values, labels)
