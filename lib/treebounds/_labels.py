"""Checks of labels: of one type, known to a tree, or indices of classes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds._validation import check_array, is_missing, shown


def check_classes(
    y: ArrayLike, n_examples: int, n_classes: float = math.inf
) -> NDArray[np.int64]:
    """Return an array with a class index for each example, or raise a ValueError.

    >>> from treebounds._labels import check_classes
    >>> check_classes([0, 2], 2, n_classes=2)
    Traceback (most recent call last):
    ValueError: y must hold indices of classes from 0 to 1
    """
    classes = check_array(y, "y", np.int64)
    if classes.shape != (n_examples,):
        raise ValueError(
            f"y must have one class for each of the {n_examples} rows of X; got"
            f" {classes.shape}"
        )
    if n_classes < math.inf and np.any((classes < 0) | (classes >= n_classes)):
        raise ValueError(f"y must hold indices of classes from 0 to {n_classes - 1}")
    return classes


def check_known(y: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Return the position of each label among the classes of a tree, or raise a
    ValueError.

    >>> import numpy as np
    >>> from treebounds._labels import check_known
    >>> check_known(np.array(["b", "c"]), np.array(["a", "b"]))
    Traceback (most recent call last):
    ValueError: y has labels that the tree does not know, ['c']; its classes are ['a',
    'b']
    """
    names = classes.tolist()
    unknown = sorted(set(y.tolist()) - set(names), key=str)
    if unknown:
        raise ValueError(
            f"y has labels that the tree does not know, {shown(unknown)}; its classes"
            f" are {shown(names)}{hint_of_numbers(names)}"
        )
    return np.searchsorted(classes, y)


def hint_of_numbers(classes: list[Any]) -> str:
    """What to give as y if the classes of a tree are numbers from 0 on, as those of a
    forest's members and of array trees are; empty if they are other labels.

    >>> from treebounds._labels import hint_of_numbers
    >>> hint_of_numbers(["a", "b"])
    ''
    """
    if classes != list(range(len(classes))):
        return ""
    return (
        ". If these are the numbers of your labels, give np.searchsorted(labels, y)"
        " with the labels in increasing order: tree.classes of an ArrayTree,"
        " forest.classes_ of the forest that a tree comes from"
    )


def check_labels(y: Any) -> None:
    """Raise a ValueError if a label is missing, if words occur together with labels of
    other types, or if floats are too large to tell whole numbers apart.

    >>> from treebounds._labels import check_labels
    >>> check_labels([0, "a"])
    Traceback (most recent call last):
    ValueError: y must hold labels of one type, numbers or words; got int and str
    """
    labels = np.asarray(y) if hasattr(y, "dtype") else np.asarray(y, dtype=object)
    if y is None or labels.ndim == 0:
        # scikit-learn raises its own error for these.
        return
    if is_missing(labels).any():
        raise ValueError("y contains NaN or None: every example needs a class")
    if labels.dtype.kind == "f":
        _refuse_rounded(labels)
    if labels.dtype.kind != "O":
        return

    types = {type(label) for label in labels.ravel()}
    has_words = any(issubclass(kind, str | bytes) for kind in types)
    if has_words and len(types) > 1:
        names = " and ".join(sorted(kind.__name__ for kind in types))
        raise ValueError(
            f"y must hold labels of one type, numbers or words; got {names}"
        )


def _refuse_rounded(labels: NDArray[np.floating]) -> None:
    """Raise a ValueError if several whole numbers may have become one float."""
    exact = 2 / np.finfo(labels.dtype).eps
    if np.any(np.isfinite(labels) & (np.abs(labels) >= exact)):
        raise ValueError(
            f"y holds floats of {exact:.0f} and more, each of which stands for several"
            " whole numbers; give labels as integers or words"
        )
