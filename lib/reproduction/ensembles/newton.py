"""Newton boosting with a penalty on leaves: the algorithm of XGBoost, for data without missing values.

Each round replaces the loss by its second-order approximation. For examples with first and second derivatives
g and h, and a tree whose leaf j holds the examples I_j and predicts w_j, it is, up to a constant,

    sum_j [ G_j w_j + (H_j + lambda) w_j^2 / 2 ] + gamma J,     G_j = sum_{I_j} g_i,   H_j = sum_{I_j} h_i.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numba import njit
from numba.extending import register_jitable
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from reproduction.ensembles.additive import AdditiveModel, descend
from treebounds._validation import check_integer, check_number

__all__ = ["NewtonNode", "best_newton_split", "leaf_weight", "newton_boosting", "structure_score"]

_SMALLEST_GAIN = 1e-6  # the package splits no node for less


@dataclass(frozen=True)
class NewtonNode:
    """A node of a tree, with its subtrees; a leaf has none.

    Attributes
    ----------
    weight : float
        What the node predicts as a leaf, -G / (H + lambda), before the learning rate.
    cover : float
        H, the sum of the second derivatives.
    gain, feature, threshold, left, right
        Of the split: ``x[feature] < threshold`` goes left. None in a leaf.
    """

    weight: float
    cover: float
    gain: float | None = None
    feature: int | None = None
    threshold: float | None = None
    left: NewtonNode | None = None
    right: NewtonNode | None = None

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The weight of the leaf of each row, which is compared with the thresholds in single precision."""
        X = np.asarray(X, dtype=np.float32)
        if self.left is None or self.right is None:
            return np.full(len(X), self.weight)
        goes_left = X[:, self.feature] < self.threshold
        out = np.empty(len(X))
        out[goes_left] = self.left.predict(X[goes_left])
        out[~goes_left] = self.right.predict(X[~goes_left])
        return out

    @property
    def n_leaves(self) -> int:
        """Number of leaves below, or 1."""
        return 1 if self.left is None or self.right is None else self.left.n_leaves + self.right.n_leaves


def leaf_weight(G: float, H: float, reg_lambda: float) -> float:
    """The minimizer of G w + (H + lambda) w^2 / 2.

    >>> from reproduction.ensembles import leaf_weight
    >>> leaf_weight(-6.0, 2.0, reg_lambda=1.0)
    2.0
    """
    return -G / (H + reg_lambda)


@register_jitable(error_model="numpy")
def structure_score(G: Any, H: Any, reg_lambda: float) -> Any:
    """Twice what a leaf with its best weight takes off the objective, G^2 / (H + lambda).

    >>> from reproduction.ensembles import structure_score
    >>> structure_score(-6.0, 2.0, reg_lambda=1.0)
    12.0
    """
    return G**2 / (H + reg_lambda)


def best_newton_split(
    X: NDArray[np.float32],
    g: NDArray[np.floating],
    h: NDArray[np.floating],
    reg_lambda: float = 1.0,
    min_child_weight: float = 1.0,
) -> tuple[float, int, float]:
    """The split with the largest gain: score of the left child, plus the right one's, minus the node's.

    Parameters
    ----------
    X : float32 array of shape (n_examples, n_features)
    g, h : arrays of shape (n_examples,)
        First and second derivatives of the loss.
    reg_lambda, min_child_weight : float
        The penalty lambda, and the least H of a child.

    Returns
    -------
    gain : float
        Without the factor 1/2 of the objective, as the package reports it; -inf when nothing can be split.
    feature : int
    threshold : float
        Halfway between two values. Ties: lowest feature, then highest threshold, as in the package.

    Examples
    --------
    >>> import numpy as np
    >>> from reproduction.ensembles import best_newton_split
    >>> X = np.array([[1], [2], [3]], dtype=np.float32)
    >>> best_newton_split(X, np.array([-1.0, -1.0, 2.0]), np.ones(3), reg_lambda=0.0)
    (6.0, 0, 2.5)
    """
    if len(X) < 2:
        return -np.inf, 0, 0.0
    columns = np.ascontiguousarray(X.T)
    order = np.argsort(columns, axis=1, kind="stable")
    x = np.take_along_axis(columns, order, axis=1)
    g, h = g.astype(np.float64), h.astype(np.float64)
    gain, feature, i = _best_cut(x, order, g, h, g.sum(), h.sum(), float(reg_lambda), float(min_child_weight))
    threshold = (x[feature, i] + x[feature, i + 1]) * np.float32(0.5)
    return float(gain), int(feature), float(threshold)


# the error model is numpy's lest a node with H = lambda = 0, none of whose splits is legal, raises
@njit(cache=True, error_model="numpy")
def _best_cut(x, order, g, h, G, H, reg_lambda, min_child_weight):
    """The largest gain, its feature, and how many examples below the cut, less one; rows are features."""
    n_features, m = x.shape
    whole = np.float32(structure_score(G, H, reg_lambda))
    best, best_feature, best_position = np.float32(-np.inf), 0, m - 2
    for f in range(n_features):
        G_left, H_left = 0.0, 0.0
        for i in range(m - 1):
            G_left += g[order[f, i]]
            H_left += h[order[f, i]]
            G_right, H_right = G - G_left, H - H_left
            lightest = min(H_left, H_right)
            if x[f, i] >= x[f, i + 1] or lightest < min_child_weight or lightest <= 0:
                continue
            # each score is rounded before they are added, as in the package: both have the same small gains
            left = np.float32(structure_score(G_left, H_left, reg_lambda))
            right = np.float32(structure_score(G_right, H_right, reg_lambda))
            gain = np.float32(left + right) - whole
            if gain > best or (gain == best and f == best_feature):
                best, best_feature, best_position = gain, f, i
    return best, best_feature, best_position


def _grown(
    X: NDArray[np.float32],
    g: NDArray[np.floating],
    h: NDArray[np.floating],
    max_depth: int,
    reg_lambda: float,
    gamma: float,
    min_child_weight: float,
    draw_columns: Callable[[], NDArray[np.int64]],
) -> NewtonNode:
    """Grow by the largest gain; then, from the leaves up, take back the splits that gain less than gamma.

    ``draw_columns`` returns the features that a split may use. The rest as in :func:`newton_boosting`.
    """
    G, H = float(g.sum(dtype=np.float64)), float(h.sum(dtype=np.float64))
    if H == 0 or min_child_weight > H:  # only a root can be so light; the package lets it predict 0
        return NewtonNode(0.0, H)
    node = NewtonNode(leaf_weight(G, H, reg_lambda), H)
    if max_depth == 0:
        return node
    columns = draw_columns()
    gain, best, threshold = best_newton_split(X[:, columns], g, h, reg_lambda, min_child_weight)
    if gain <= _SMALLEST_GAIN:
        return node
    feature = int(columns[best])
    goes_left = X[:, feature] < threshold
    limits = (max_depth - 1, reg_lambda, gamma, min_child_weight, draw_columns)
    left, right = (_grown(X[side], g[side], h[side], *limits) for side in (goes_left, ~goes_left))
    if gain < gamma and left.n_leaves == right.n_leaves == 1:
        return node
    return NewtonNode(node.weight, node.cover, gain, feature, threshold, left, right)


def _drawn_columns(n_features: int, fraction: float, rng: np.random.RandomState) -> NDArray[np.int64]:
    """A fraction of the features, at least one, in their order."""
    return np.sort(rng.choice(n_features, max(1, int(fraction * n_features)), replace=False))


def newton_boosting(
    X: Any,
    y: Any,
    loss: str = "squared",
    n_rounds: int = 100,
    learning_rate: float = 0.3,
    max_depth: int = 6,
    reg_lambda: float = 1.0,
    gamma: float = 0.0,
    min_child_weight: float = 1.0,
    colsample_bynode: float = 1.0,
    random_state: Any = None,
) -> AdditiveModel:
    """Boosting by the regularized second-order objective, equal to ``xgboost`` with ``tree_method="exact"``.

    Splits, thresholds, leaf weights and gains agree with the package's up to its single-precision arithmetic;
    with column subsampling, only in distribution. The parameters have the package's names and defaults.
    O(l m log m) for each level of each tree.

    Parameters
    ----------
    X : array of shape (n_examples, n_features)
        Rounded to single precision, as in the package.
    y : array of shape (n_examples,)
        Numbers, or two classes for the logistic loss.
    loss : {"squared", "logistic"}
        (y - f)^2 / 2, or ln(1 + e^f) - y f for labels 0 and 1.
    n_rounds, max_depth : int
    learning_rate : float
        Above 0.
    reg_lambda : float
        The penalty on squared leaf weights; at least 0.
    gamma : float
        The least gain of a split, at least 0. As in the package the gain lacks the factor 1/2 of the
        objective, so this is twice the objective's price of a leaf.
    min_child_weight : float
        The least sum of second derivatives in a child; at least 0.
    colsample_bynode : float
        Fraction of the features drawn for each split, in (0, 1].
    random_state : int, RandomState instance or None
        Draws the features.

    Returns
    -------
    AdditiveModel
        Its terms are the root nodes of the trees.

    Raises
    ------
    ValueError
        If the data are empty, not finite or not of two classes, or a parameter is out of range.

    Examples
    --------
    >>> from reproduction.ensembles import newton_boosting
    >>> model = newton_boosting([[0.0], [1.0], [2.0]], [0.0, 0.0, 3.0], n_rounds=1, reg_lambda=0.0)
    >>> model.terms[0].threshold, model.terms[0].gain, model.terms[0].right.weight
    (1.5, 6.0, 2.0)
    """
    fraction = check_number(colsample_bynode, "colsample_bynode", "(0, 1]")
    limits = (
        check_integer(max_depth, "max_depth"),
        check_number(reg_lambda, "reg_lambda", "[0, inf)"),
        check_number(gamma, "gamma", "[0, inf)"),
        check_number(min_child_weight, "min_child_weight", "[0, inf)"),
    )
    rng = check_random_state(random_state)

    def fit_tree(X: NDArray[Any], r: NDArray[Any], h: NDArray[Any]) -> NewtonNode:
        """A tree for the derivatives of the loss."""
        return _grown(X, -r, h, *limits, partial(_drawn_columns, X.shape[1], fraction, rng))

    # single precision where the package has it, so that splits of equal gain are equal here too
    return descend(fit_tree, X, y, loss, n_rounds, learning_rate, np.float32)
