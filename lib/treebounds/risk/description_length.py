"""Description length: a prefix-free code for trees and the risk bound that it pays for."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from treebounds._validation import check_array, check_instance, check_integer, check_number
from treebounds.risk.tail_inversion import check_delta
from treebounds.trees.multiway import MultiwayTree

__all__ = ["code_length", "decode_tree", "description_length_bound", "encode_tree"]


def code_length(n_nodes: int, n_features: int, n_classes: int = 2) -> float:
    """Length in bits of the preorder code of a tree: (n_nodes + 1) log2(n_features + n_classes + 1).

    One block for each node, one for the end; each block names a feature, a class or the end.

    Parameters
    ----------
    n_nodes, n_features, n_classes : int
        Internal nodes and leaves; categorical features; classes.

    Returns
    -------
    float
        In bits.

    Examples
    --------
    >>> from treebounds.risk import code_length
    >>> code_length(3, 5)
    12.0
    """
    n_blocks = check_integer(n_nodes, "n_nodes") + 1
    n_symbols = check_integer(n_features, "n_features") + check_integer(n_classes, "n_classes") + 1
    return n_blocks * math.log2(n_symbols)


def description_length_bound(
    train_error: float,
    n_nodes: int,
    n_features: int,
    n_examples: int,
    delta: float = 0.05,
    n_classes: int = 2,
) -> float:
    """Risk bound from the length of a tree's description.

    ``train_error + sqrt(((n_nodes + 1) log2(n_features + 3) + ln(2 / delta)) / (2 n_examples))`` for two
    classes: with probability at least 1 - delta over the sample, the risk of every tree is at most this.

    Parameters
    ----------
    train_error : float
        A fraction.
    n_nodes : int
        Internal nodes and leaves.
    n_features : int
        Categorical features; a split has a branch for each value.
    n_examples : int
    delta : float
        In (0, 1).
    n_classes : int
        A block of the code then has n_features + n_classes + 1 possible contents.

    Returns
    -------
    float
        Not clipped at 1.

    Notes
    -----
    The logarithm of the code is to base 2, since it counts bits; that of delta is natural, since it comes
    from Hoeffding's exp(-2 m t^2). A code of b bits has weight 2^-b, so b ln 2 would do in place of b: the
    bound is valid with the natural logarithm in both places, and holds all the more as printed.

    References
    ----------
    Peng's notes, section 18.1; Shalev-Shwartz and Ben-David, section 18.1 and Theorem 7.7.

    Examples
    --------
    >>> from treebounds import description_length_bound
    >>> round(description_length_bound(0.05, n_nodes=7, n_features=10, n_examples=1000), 4)
    0.179
    """
    error = check_number(train_error, "train_error", "[0, 1]")
    m = check_integer(n_examples, "n_examples")
    bits = code_length(n_nodes, n_features, n_classes)
    return error + math.sqrt((bits + math.log(2 / check_delta(delta))) / (2 * m))


def encode_tree(tree: MultiwayTree) -> list[int]:
    """The preorder code of a tree, one number for each block.

    A block holds i < n_features for a node that asks for feature i, n_features + c for a leaf of class c, and
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
        If a split lacks a branch for some value: the decoder could not know.

    Examples
    --------
    >>> from treebounds.risk import encode_tree
    >>> from treebounds.trees import MultiwayTree
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
    """The tree that a preorder code describes (its training counts, which no code tells, are 0).

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
    >>> from treebounds.risk import decode_tree
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
