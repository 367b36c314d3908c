"""Forward stagewise additive modeling with stumps, and AdaBoost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reproduction.ensembles.additive import AdditiveModel, check_for_loss, check_regression, check_two_classes
from treebounds._validation import check_integer, check_option

__all__ = ["Stump", "adaboost", "best_stump", "forward_stagewise"]


@dataclass(frozen=True)
class Stump:
    """``sign`` where ``x[feature] > threshold``, ``-sign`` elsewhere; constant for threshold -inf.

    >>> from reproduction.ensembles import Stump
    >>> Stump(0, 1.5, -1).predict([[1.0], [2.0]])
    array([ 1., -1.])
    """

    feature: int
    threshold: float
    sign: int

    def predict(self, X: Any) -> NDArray[np.float64]:
        """+1.0 or -1.0 for each row of ``X``."""
        right = np.asarray(X)[:, self.feature] > self.threshold
        return np.where(right, float(self.sign), -float(self.sign))


def best_stump(X: Any, r: Any) -> Stump:
    """The stump h that follows the numbers r most closely: the largest ``sum_i r_i h(x_i)``.

    For ``r_i = w_i y_i`` that is the smallest weighted error, as ``sum_i r_i h(x_i) = sum_i w_i - 2 error``.
    Ties go to the lowest feature, then to the lowest threshold. O(l m log m).

    Parameters
    ----------
    X : array of shape (n_examples, n_features)
    r : array of shape (n_examples,)

    Returns
    -------
    Stump

    Examples
    --------
    >>> from reproduction.ensembles import best_stump
    >>> best_stump([[0.0], [1.0], [2.0]], [-1, -1, 1])
    Stump(feature=0, threshold=1.5, sign=1)
    """
    X, r = check_regression(X, r)
    order = np.argsort(X, axis=0, kind="stable")
    x = np.take_along_axis(X, order, axis=0)
    left = np.vstack([np.zeros(X.shape[1]), np.cumsum(r[order], axis=0)[:-1]])
    agreement = r.sum() - 2 * left  # of the stump that says -1 to the first i examples of a feature
    middle = np.vstack([np.full(X.shape[1], -np.inf), (x[:-1] + x[1:]) / 2])
    separates = np.vstack([np.ones(X.shape[1], dtype=bool), x[:-1] < x[1:]])
    score = np.where(separates, np.abs(agreement), -1.0)
    feature, i = np.unravel_index(score.T.argmax(), score.T.shape)
    # halfway between neighboring floats may round up to the upper one
    threshold = middle[i, feature] if i == 0 or middle[i, feature] < x[i, feature] else x[i - 1, feature]
    return Stump(int(feature), float(threshold), 1 if agreement[i, feature] >= 0 else -1)


def forward_stagewise(X: Any, y: Any, n_rounds: int = 100, loss: str = "exponential") -> AdditiveModel:
    """Forward stagewise additive modeling: each round minimizes the loss over a stump and its factor beta.

    For both losses the minimizing stump is the one that agrees most with the negative gradient, and beta has
    a closed form: half the log-odds of its weighted error, or the mean product of residual and stump.

    Parameters
    ----------
    X : array of shape (n_examples, n_features)
    y : array of shape (n_examples,)
        Two classes for the exponential loss exp(-y f), the second counted as +1; numbers for the squared
        loss (y - f)^2 / 2.
    n_rounds : int
    loss : {"exponential", "squared"}

    Returns
    -------
    AdditiveModel
        With fewer terms when a stump makes no error (it stands alone, with weight 1) or none is better than
        a guess.

    Raises
    ------
    ValueError
        If the data are empty, not finite or not of two classes, or a parameter is out of range.

    Examples
    --------
    >>> from reproduction.ensembles import forward_stagewise
    >>> X, y = [[0.0], [1.0], [2.0]], [-1, 1, -1]
    >>> forward_stagewise(X, y, n_rounds=3).predict(X).tolist()
    [-1, 1, -1]
    """
    rounds = range(check_integer(n_rounds, "n_rounds"))
    exponential = check_option(loss, "loss", ("exponential", "squared")) == "exponential"
    X, y, classes = check_for_loss(X, y, loss)
    if exponential:
        y = 2.0 * y - 1.0
    f = np.zeros(len(y))
    terms: list[Stump] = []
    betas: list[float] = []
    for _ in rounds:
        r = y * np.exp(-y * f) if exponential else y - f  # minus the derivative of the loss
        stump = best_stump(X, r)
        h = stump.predict(X)
        if exponential:
            error = np.abs(r[h != y]).sum() / np.abs(r).sum()
            if error == 0:
                return AdditiveModel(0.0, [stump], [1.0], X.shape[1], classes)
            beta = 0.5 * np.log((1 - error) / error)
        else:
            beta = r @ h / len(y)
        if beta <= 0:
            break
        terms.append(stump)
        betas.append(float(beta))
        f = f + beta * h
    return AdditiveModel(0.0, terms, betas, X.shape[1], classes)


def adaboost(X: Any, y: Any, n_rounds: int = 100) -> AdditiveModel:
    """AdaBoost as it was published: examples with weights, and what was wrong weighs more in the next round.

    The same model as ``forward_stagewise`` with the exponential loss.

    Parameters
    ----------
    X : array of shape (n_examples, n_features)
    y : array of shape (n_examples,)
        Two classes.
    n_rounds : int

    Returns
    -------
    AdditiveModel

    Raises
    ------
    ValueError
        If the data are empty, not finite or not of two classes, or ``n_rounds`` is below 1.

    Examples
    --------
    >>> from reproduction.ensembles import adaboost
    >>> X, y = [[0.0], [1.0], [2.0]], ["no", "yes", "no"]
    >>> model = adaboost(X, y, n_rounds=3)
    >>> [round(beta, 3) for beta in model.weights], model.predict(X).tolist()
    ([0.347, 0.549, 0.805], ['no', 'yes', 'no'])
    """
    rounds = range(check_integer(n_rounds, "n_rounds"))
    X, labels, classes = check_two_classes(X, y)
    y = 2 * labels - 1
    w = np.full(len(y), 1 / len(y))
    terms: list[Stump] = []
    betas: list[float] = []
    for _ in rounds:
        stump = best_stump(X, w * y)
        wrong = stump.predict(X) != y
        error = w[wrong].sum()
        if error == 0:
            return AdditiveModel(0.0, [stump], [1.0], X.shape[1], classes)
        if error >= 0.5:
            break
        terms.append(stump)
        betas.append(float(0.5 * np.log((1 - error) / error)))
        w = np.where(wrong, w / (2 * error), w / (2 * (1 - error)))
    return AdditiveModel(0.0, terms, betas, X.shape[1], classes)
