"""Gains of an attribute at a node, for many data sets at once."""

from __future__ import annotations

import numpy as np

from reproduction.multiway.criteria import impurity, split_gain

SELECTIONS = ("random", "information-gain", "gini", "gain-ratio")
# gains closer than this are a tie: the first attribute wins
_TIE = 1e-12


def gain(children: np.ndarray, selection: str) -> np.ndarray:
    """Gain of splitting nodes into children with the given class counts.

    Parameters
    ----------
    children : ndarray of shape (..., n_children, k)
    selection : {"information-gain", "gini", "gain-ratio"}
        Decrease of the entropy (nats), decrease of the Gini index, or information gain divided by the
        entropy of the split itself (0 where that is 0).

    Returns
    -------
    ndarray of shape (...,)

    Examples
    --------
    >>> import numpy as np
    >>> from reproduction.random_trees.selection import gain
    >>> pure_split = np.array([[4, 0], [0, 4]])
    >>> [round(float(gain(pure_split, s)), 4) for s in ("information-gain", "gini", "gain-ratio")]
    [0.6931, 0.5, 1.0]
    """
    gained = split_gain(children, "gini" if selection == "gini" else "entropy")
    if selection == "gain-ratio":
        split = impurity(children.sum(axis=-1))
        return np.divide(gained, split, out=np.zeros_like(gained), where=split > _TIE)
    return gained


def first_best(gains: list[np.ndarray]) -> np.ndarray:
    """Position of the largest gain, the first of those that tie."""
    stacked = np.stack(gains)
    return np.argmax(stacked >= stacked.max(axis=0) - _TIE, axis=0)
