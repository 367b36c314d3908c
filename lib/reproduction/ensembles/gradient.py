"""Gradient boosting: gradient descent on the function, with a tree for each step."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils import check_random_state

from reproduction.ensembles.additive import AdditiveModel, descend
from treebounds._validation import check_integer, check_option

__all__ = ["gradient_boosting"]


def gradient_boosting(
    X: Any,
    y: Any,
    loss: str = "squared",
    n_rounds: int = 100,
    learning_rate: float = 0.1,
    max_depth: int = 3,
    leaf_step: str = "newton",
    random_state: Any = None,
) -> AdditiveModel:
    """Fit a tree to the negative gradient of the loss, add a fraction of it, repeat.

    Equal to scikit-learn's ``GradientBoostingRegressor`` (squared loss) and ``GradientBoostingClassifier``
    (logistic loss, two classes) with the same parameters and ``leaf_step="newton"``.

    Parameters
    ----------
    X : array of shape (n_examples, n_features)
    y : array of shape (n_examples,)
        Numbers, or two classes for the logistic loss.
    loss : {"squared", "logistic"}
    n_rounds : int
    learning_rate : float
        Above 0; the factor of each tree.
    max_depth : int
    leaf_step : {"newton", "gradient"}
        "gradient": a leaf predicts the mean negative gradient of its examples, the plain step of the CS229
        notes (section 2.2.2). "newton": the sum of the negative gradients divided by the sum of the
        second derivatives, one Newton step in each leaf. The same for squared loss.
    random_state : int, RandomState instance or None
        Decides ties between features, as in scikit-learn.

    Returns
    -------
    AdditiveModel

    Raises
    ------
    ValueError
        If the data are empty, not finite or not of two classes, or a parameter is out of range.

    Examples
    --------
    >>> from reproduction.ensembles import gradient_boosting
    >>> model = gradient_boosting([[0.0], [1.0], [2.0]], [0.0, 0.0, 3.0], n_rounds=50, random_state=0)
    >>> model.predict([[0.0], [2.0]]).round(2).tolist()
    [0.01, 2.99]
    """
    check_option(leaf_step, "leaf_step", ("newton", "gradient"))
    depth, rng = check_integer(max_depth, "max_depth"), check_random_state(random_state)

    def fit_tree(X: NDArray[Any], r: NDArray[Any], h: NDArray[Any]) -> DecisionTreeRegressor:
        """A tree for the negative gradient; with Newton steps, the values of its leaves replaced."""
        tree = DecisionTreeRegressor(max_depth=depth, random_state=rng).fit(X, r)
        if leaf_step == "newton":
            leaves = tree.apply(X)
            for leaf in np.unique(leaves):
                inside = leaves == leaf
                tree.tree_.value[leaf] = _ratio(r[inside].mean(), h[inside].mean())
        return tree

    return descend(fit_tree, X, y, loss, n_rounds, learning_rate)


def _ratio(numerator: float, denominator: float) -> float:
    """No step where the second derivative has vanished: nothing is left to gain there."""
    return 0.0 if denominator < 1e-150 else numerator / denominator
