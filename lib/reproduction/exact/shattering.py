"""The labelings of a sample that a structure realizes, by plain search for a tree for
each labeling.

The search is slow and obvious on purpose, because exact VC dimensions are verified with
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds._validation import check_numbers, check_option
from treebounds.capacity._trees import check_structure
from treebounds.structure import TreeStructure

FEATURE_TYPES = ("binary", "real")
CHILDREN = ("exchangeable", "fixed")


def find_tree(
    structure: TreeStructure,
    sample: ArrayLike,
    labels: ArrayLike,
    feature_type: str = "binary",
    children: str = "exchangeable",
) -> Any:
    """A tree of a given structure that gives the examples of a sample their labels, or
    None.

    >>> from reproduction.exact.shattering import find_tree
    >>> from treebounds import TreeStructure
    >>> stump = TreeStructure.from_nested([None, None])
    >>> find_tree(stump, [[0, 0], [0, 1], [1, 1]], [5, 7, 7])
    (1, 0, 5, 7)
    >>> find_tree(stump, [[0, 0], [0, 1], [1, 1]], [5, 7, 5]) is None
    True

    Parameters
    ----------
    structure : TreeStructure
    sample : array_like of shape (m, n_features)
    labels : array_like of shape (m,)
        The labels may have any number of classes.
    feature_type : {"binary", "real"}
        A node that tests a binary feature sends the value 0 to the left. A node that
        tests a real-valued feature has any threshold, so it can also send all examples
        to one side.
    children : {"exchangeable", "fixed"}
        Whether the two subtrees of a node may be exchanged. If they are fixed, the left
        one, as in ``structure.to_nested()``, always gets the smaller values.

    Returns
    -------
    tree : tuple, label or None
        ``(feature, threshold, left, right)`` at a node (left: at most the threshold),
        the label at a leaf; None if no tree of the structure realizes the labeling.

    Notes
    -----
    The search tries every feature, threshold and allowed order of the subtrees at every
    node; it does not try a subtree again on examples on which it has failed.
    """
    check_structure(structure, "structure")
    check_option(feature_type, "feature_type", FEATURE_TYPES)
    exchangeable = check_option(children, "children", CHILDREN) == "exchangeable"
    sample = _check_sample(sample)
    labels = np.asarray(labels)
    if labels.shape != sample.shape[:1]:
        raise ValueError(
            f"labels must have one entry per example ({len(sample)}); got shape"
            f" {labels.shape}"
        )

    classes = {label: _mask(labels == label) for label in sorted(set(labels.tolist()))}
    return _search(
        structure,
        2 ** len(sample) - 1,
        classes,
        _questions(sample, feature_type),
        exchangeable,
        set(),
    )


def _check_sample(sample: ArrayLike) -> NDArray[Any]:
    """The sample as an array with rows and columns, or a ValueError."""
    check_numbers(sample, "sample", "[-inf, inf]")
    array = np.asarray(sample)
    if array.ndim != 2 or array.size == 0:
        raise ValueError(
            "sample must have shape (m, n_features) and not be empty; got"
            f" {array.shape}"
        )

    return array


def _mask(examples: np.ndarray) -> int:
    """A set of examples as the bits of a number."""
    return sum(1 << int(i) for i in np.flatnonzero(examples))


def _questions(sample: np.ndarray, feature_type: str) -> list[tuple[int, Any, int]]:
    """All different tests: feature, threshold, and the examples at or below the
    threshold.
    """
    if feature_type == "binary":
        if not np.isin(sample, (0, 1)).all():
            raise ValueError("sample must hold 0 and 1 only for binary features")
        thresholds = [[0]] * sample.shape[1]
    else:
        thresholds = [np.unique(column).tolist() for column in sample.T]

    # Of tests that ask the same, the last one in this order is taken.
    question_of = {}
    for feature in reversed(range(sample.shape[1])):
        for threshold in thresholds[feature]:
            low = _mask(sample[:, feature] <= threshold)
            question_of[low] = (feature, threshold, low)
    return list(question_of.values())


def _search(
    structure: TreeStructure,
    here: int,
    classes: dict[Any, int],
    questions: list[tuple[int, Any, int]],
    exchangeable: bool,
    dead_ends: set[tuple[TreeStructure, int]],
) -> Any:
    """A tree of the structure that separates the classes of the examples ``here``, or
    None.
    """
    present = [label for label, members in classes.items() if members & here]
    if len(present) <= 1:
        # Without examples any label will do.
        return _constant(structure, next(iter(present or classes)))
    if structure.is_leaf or (structure, here) in dead_ends:
        return None

    def part(subtree: TreeStructure, examples: int) -> Any:
        """A tree of the subtree for some of the examples."""
        return _search(subtree, examples, classes, questions, exchangeable, dead_ends)

    orders = {structure.children}
    if exchangeable:
        orders.add(structure.children[::-1])

    for first, second in orders:
        for feature, threshold, low in questions:
            # A leaf fails at once, so it comes before a search of the other subtree.
            if second.is_leaf and part(second, here & ~low) is None:
                continue
            left = part(first, here & low)
            if left is not None:
                right = part(second, here & ~low)
                if right is not None:
                    return feature, threshold, left, right

    dead_ends.add((structure, here))
    return None


def _constant(structure: TreeStructure, label: Any) -> Any:
    """A tree of the structure that gives every example the same label."""
    if structure.is_leaf:
        return label
    left, right = (_constant(child, label) for child in structure.children)
    return 0, 0, left, right


def predict(tree: Any, example: Sequence[Any]) -> Any:
    """The label that a tree, in the form of :func:`find_tree`, gives to one example.

    >>> from reproduction.exact.shattering import predict
    >>> predict((1, 0, 5, 7), [0, 1])
    7
    """
    while isinstance(tree, tuple):
        feature, threshold, left, right = tree
        tree = left
        if example[feature] > threshold:
            tree = right
    return tree


def structure_of(tree: Any) -> TreeStructure:
    """The structure of a tree in the form of :func:`find_tree`.

    >>> from reproduction.exact.shattering import structure_of
    >>> structure_of((1, 0, 5, (0, 0, 7, 5)))
    TreeStructure.from_nested([[None, None], None])
    """
    if isinstance(tree, tuple):
        return TreeStructure(*map(structure_of, tree[2:]))
    return TreeStructure()


def _drawing(tree: Any) -> Any:
    """The structure of a tree as nested lists, with left and right as in the tree."""
    if isinstance(tree, tuple):
        return [_drawing(child) for child in tree[2:]]
    return None


def is_shattered(
    structure: TreeStructure,
    sample: ArrayLike,
    feature_type: str = "binary",
    children: str = "exchangeable",
) -> bool:
    """Whether a structure realizes every labeling of a sample with two classes.

    For each labeling, a tree is searched, and its structure and predictions are
    checked, so True does not rely on the search being correct.

    >>> from reproduction.exact.shattering import is_shattered
    >>> from treebounds import TreeStructure
    >>> stump = TreeStructure.from_nested([None, None])
    >>> is_shattered(stump, [[0, 0, 0], [1, 0, 1], [0, 1, 1]])
    True

    Parameters
    ----------
    structure : TreeStructure
    sample : array_like of shape (m, n_features)
    feature_type : {"binary", "real"}
    children : {"exchangeable", "fixed"}
        See :func:`find_tree`, which is called ``2**(m - 1)`` times.

    Returns
    -------
    bool
    """
    sample = _check_sample(sample)
    examples = sample.tolist()
    for labels in product((0, 1), repeat=len(sample) - 1):
        # The other half follows by exchanging the labels at the leaves.
        labeling = [0, *labels]
        tree = find_tree(structure, sample, labeling, feature_type, children)
        if tree is None or structure_of(tree) is not structure:
            return False
        if children == "fixed" and _drawing(tree) != structure.to_nested():
            return False
        if [predict(tree, example) for example in examples] != labeling:
            return False

    return True


def realizable_labelings(
    structure: TreeStructure, sample: ArrayLike, n_classes: int = 2
) -> frozenset[int]:
    """All labelings of a sample on real-valued features by trees of a structure, found
    by trying all cuts.

    >>> from reproduction.exact.shattering import realizable_labelings
    >>> from treebounds import TreeStructure
    >>> stump = TreeStructure.from_nested([None, None])
    >>> sorted(realizable_labelings(stump, [[0], [1], [2]]))
    [0, 1, 3, 4, 6, 7]

    Parameters
    ----------
    structure : TreeStructure
    sample : array_like of shape (m, n_features)
        No two examples with the same value of a feature.
    n_classes : int

    Returns
    -------
    frozenset of int
        A labeling as a number: the label of example i is its i-th digit in base
        ``n_classes``.
    """
    orders = np.argsort(_check_sample(sample), axis=0).T.tolist()

    @cache
    def labelings(subtree: TreeStructure, here: frozenset[int]) -> frozenset[int]:
        """The labelings of some of the examples by a subtree; each is a sum over these
        examples.
        """
        if subtree.is_leaf:
            ones = sum(n_classes**example for example in here)
            return frozenset(label * ones for label in range(n_classes))

        realized: set[int] = set()
        for order in orders:
            inside = [example for example in order if example in here]
            for k in range(len(inside) + 1):
                ends = (frozenset(inside[:k]), frozenset(inside[k:]))
                for low, high in {ends, ends[::-1]}:
                    first, second = subtree.children
                    pairs = product(labelings(first, low), labelings(second, high))
                    realized |= {f + g for f, g in pairs}

        return frozenset(realized)

    return labelings(
        check_structure(structure, "structure"), frozenset(range(len(orders[0])))
    )
