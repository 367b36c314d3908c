"""Which labelings of a sample does a structure realize? By plain search for a tree, one labeling at a time.

Slow and obvious on purpose: everything that the library says about exact VC dimensions is verified with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treebounds._validation import check_option
from treebounds.structure import TreeStructure

__all__ = ["find_tree", "is_shattered", "predict", "structure_of"]

FEATURE_TYPES = ("binary", "real")


def find_tree(
    structure: TreeStructure, sample: ArrayLike, labels: ArrayLike, feature_type: str = "binary"
) -> Any:
    """A tree of a given structure that gives the examples of a sample their labels, or None.

    Parameters
    ----------
    structure : TreeStructure
    sample : array_like of shape (m, n_features)
    labels : array_like of shape (m,)
        Of any number of classes.
    feature_type : {"binary", "real"}
        A node on a binary feature asks whether it is at most 0. One on a real-valued feature has any
        threshold, so it can also send all examples to one side.

    Returns
    -------
    tree : tuple, label or None
        ``(feature, threshold, left, right)`` at a node (left: at most the threshold), the label at a leaf;
        None if no tree of the structure realizes the labeling.

    Notes
    -----
    Tries every feature, threshold and order of the subtrees at every node; a subtree that failed on some
    examples is not tried on them again.

    Examples
    --------
    >>> stump = TreeStructure.from_nested([None, None])
    >>> find_tree(stump, [[0, 0], [0, 1], [1, 1]], [5, 7, 7])
    (1, 0, 5, 7)
    >>> find_tree(stump, [[0, 0], [0, 1], [1, 1]], [5, 7, 5]) is None
    True
    """
    check_option(feature_type, "feature_type", FEATURE_TYPES)
    sample, labels = np.asarray(sample), np.asarray(labels)
    if sample.ndim != 2 or labels.shape != sample.shape[:1] or sample.size == 0:
        raise ValueError(
            f"sample must be (m, n_features) and labels (m,); got {sample.shape}, {labels.shape}"
        )
    rows = sample.tolist()
    columns = range(sample.shape[1])
    if feature_type == "binary":
        if not np.isin(sample, (0, 1)).all():
            raise ValueError("sample must hold 0 and 1 only for binary features")
        questions = [(feature, 0) for feature in columns]
    else:
        # the largest value of feature 0 is the threshold that sends every example left
        questions = [(j, t) for j in columns for t in sorted({row[j] for row in rows})[:-1]]
        questions.append((0, max(row[0] for row in rows)))
    return _search(structure, tuple(range(len(rows))), rows, labels.tolist(), questions, set())


def _search(
    structure: TreeStructure, here: tuple, rows: list, labels: list, questions: list, failed: set
) -> Any:
    classes = {labels[i] for i in here}
    if len(classes) <= 1:
        return _constant(structure, *(classes or {labels[0]}))
    if structure.is_leaf or (structure, here) in failed:
        return None
    for feature, threshold in questions:
        low = tuple(i for i in here if rows[i][feature] <= threshold)
        high = tuple(i for i in here if rows[i][feature] > threshold)
        for first, second in {structure.children, structure.children[::-1]}:
            left = _search(first, low, rows, labels, questions, failed)
            if left is not None:
                right = _search(second, high, rows, labels, questions, failed)
                if right is not None:
                    return feature, threshold, left, right
    failed.add((structure, here))
    return None


def _constant(structure: TreeStructure, label: Any) -> Any:
    if structure.is_leaf:
        return label
    left, right = (_constant(child, label) for child in structure.children)
    return 0, 0, left, right


def predict(tree: Any, example: ArrayLike) -> Any:
    """The label that a tree as :func:`find_tree` returns it gives to one example.

    >>> predict((1, 0, 5, 7), [0, 1])
    7
    """
    while isinstance(tree, tuple):
        feature, threshold, left, right = tree
        tree = left if np.asarray(example)[feature] <= threshold else right
    return tree


def structure_of(tree: Any) -> TreeStructure:
    """The structure of a tree as :func:`find_tree` returns it.

    >>> structure_of((1, 0, 5, (0, 0, 7, 5)))
    TreeStructure.from_nested([[None, None], None])
    """
    return TreeStructure(*map(structure_of, tree[2:])) if isinstance(tree, tuple) else TreeStructure()


def is_shattered(structure: TreeStructure, sample: ArrayLike, feature_type: str = "binary") -> bool:
    """Whether a structure realizes every labeling of a sample with two classes.

    For each labeling a tree is found, its structure compared, and its predictions read off, so a positive
    answer does not depend on the search.

    >>> stump = TreeStructure.from_nested([None, None])
    >>> is_shattered(stump, [[0, 0, 0], [1, 0, 1], [0, 1, 1]])
    True
    """
    sample = np.asarray(sample)
    return all(
        tree is not None
        and structure_of(tree) is structure
        and [predict(tree, example) for example in sample] == list(labels)
        for labels, tree in _trees(structure, sample, feature_type)
    )


def _trees(structure: TreeStructure, sample: np.ndarray, feature_type: str) -> Iterator[tuple[tuple, Any]]:
    for labels in product((0, 1), repeat=len(sample)):
        yield labels, find_tree(structure, sample, labels, feature_type)
