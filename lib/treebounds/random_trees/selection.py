"""How well an attribute splits a node, for many data sets at once."""

from __future__ import annotations

import numpy as np

SELECTIONS = ("random", "information-gain", "gini", "gain-ratio")
# gains closer than this are a tie: the first attribute wins
_TIE = 1e-12


def gain(children: np.ndarray, selection: str) -> np.ndarray:
    """Gain of splitting nodes into children with the given class counts.

    Parameters
    ----------
    children : ndarray of shape (n_children, ..., k)
    selection : {"information-gain", "gini", "gain-ratio"}
        Decrease of the entropy (nats), decrease of the Gini index, or information gain divided by the
        entropy of the split itself (0 where that is 0).

    Returns
    -------
    ndarray of shape (...,)

    Examples
    --------
    >>> import numpy as np
    >>> from treebounds.random_trees.selection import gain
    >>> pure_split = np.array([[4, 0], [0, 4]])
    >>> [round(float(gain(pure_split, s)), 4) for s in ("information-gain", "gini", "gain-ratio")]
    [0.6931, 0.5, 1.0]
    """
    total = children.sum(axis=(0, -1))
    sizes = np.moveaxis(children.sum(axis=-1), 0, -1)
    impurity = _gini if selection == "gini" else _entropy
    before = impurity(children.sum(axis=0))
    after = np.sum(impurity(children) * np.moveaxis(sizes, -1, 0), axis=0) / np.maximum(total, 1)
    result = before - after
    if selection == "gain-ratio":
        split = _entropy(sizes)
        return np.divide(result, split, out=np.zeros_like(result), where=split > _TIE)
    return result


def first_best(gains: list[np.ndarray]) -> np.ndarray:
    """Position of the largest gain, the first of those that tie."""
    stacked = np.stack(gains)
    return np.argmax(stacked >= stacked.max(axis=0) - _TIE, axis=0)


def _shares(counts: np.ndarray) -> np.ndarray:
    return counts / np.maximum(counts.sum(axis=-1, keepdims=True), 1)


def _gini(counts: np.ndarray) -> np.ndarray:
    return np.where(counts.sum(axis=-1) > 0, 1 - np.sum(_shares(counts) ** 2, axis=-1), 0.0)


def _entropy(counts: np.ndarray) -> np.ndarray:
    q = _shares(counts)
    return -np.sum(q * np.log(np.where(q > 0, q, 1)), axis=-1)
