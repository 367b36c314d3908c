"""The model of every kind of boosting, a start and a weighted sum of small models; and its fit by descent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from sklearn.utils import check_array, check_X_y

from treebounds._validation import check_integer, check_number, check_option

__all__ = ["AdditiveModel"]


@dataclass(frozen=True)
class AdditiveModel:
    """``f(x) = start + sum_i weights[i] * terms[i].predict(x)``.

    Attributes
    ----------
    start : float
    terms : sequence
        Models F_1, F_2, ... with a method ``predict``.
    weights : sequence of float
        beta_1, beta_2, ..., or the learning rate once for each term.
    n_features : int
    classes : array of shape (2,) or None
        The two classes; None for regression.
    """

    start: float
    terms: Sequence[Any]
    weights: Sequence[float]
    n_features: int
    classes: NDArray[Any] | None = None

    def staged_decision_function(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """f on the rows of ``X`` after 1, 2, ... terms."""
        X = check_features(X, self.n_features)
        f = np.full(len(X), self.start)
        for term, weight in zip(self.terms, self.weights, strict=True):
            f = f + weight * term.predict(X)
            yield f

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """f on the rows of ``X``."""
        X = check_features(X, self.n_features)
        each = (w * term.predict(X) for term, w in zip(self.terms, self.weights, strict=True))
        return sum(each, np.full(len(X), self.start))

    def predict(self, X: Any) -> NDArray[Any]:
        """f itself in regression; the second class where f > 0, else the first, in classification."""
        f = self.decision_function(X)
        return f if self.classes is None else self.classes[(f > 0).astype(int)]


def descend(
    fit_term: Callable[[NDArray[Any], NDArray[Any], NDArray[Any]], Any],
    X: Any,
    y: Any,
    loss: str,
    n_rounds: int,
    learning_rate: float,
    dtype: DTypeLike = np.float64,
) -> AdditiveModel:
    """Gradient descent on the function: each round fits a term to the derivatives and adds a fraction of it.

    ``fit_term`` takes the data, and for each example minus the first derivative of its loss, and the second;
    ``dtype`` is the precision of the data and of the function.
    """
    check_option(loss, "loss", ("squared", "logistic"))
    rounds = range(check_integer(n_rounds, "n_rounds"))
    rate = check_number(learning_rate, "learning_rate", "(0, inf)")
    X, y, classes = check_for_loss(X, y, loss)
    start = initial_value(y, loss)
    with np.errstate(over="ignore"):  # what is too large for the precision is refused here
        X = check_array(X, dtype=dtype, input_name="X")
        y = check_array(y, dtype=dtype, input_name="y", ensure_2d=False)
    f, terms = np.full(len(y), start, dtype), []
    for _ in rounds:
        terms.append(fit_term(X, *negative_gradient_and_hessian(y, f, loss)))
        f = f + (rate * terms[-1].predict(X)).astype(dtype)
    return AdditiveModel(start, terms, [rate] * len(terms), X.shape[1], classes)


def initial_value(y: NDArray[Any], loss: str) -> float:
    """The best constant: the mean of the targets, or the log-odds of the labels 0 and 1."""
    mean = float(np.mean(y))
    return mean if loss == "squared" else float(np.log(mean / (1 - mean)))


def negative_gradient_and_hessian(
    y: NDArray[Any], f: NDArray[np.floating], loss: str
) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
    """First derivative with a minus sign, and second derivative, of each example's loss with respect to f.

    Squared loss is (y - f)^2 / 2; logistic loss is ln(1 + e^f) - y f for labels 0 and 1.
    """
    if loss == "squared":
        return y - f, np.ones_like(f)
    p = 1 / (1 + np.exp(-f))
    return y - p, p * (1 - p)


# --- training data, with scikit-learn's conventions ---------------------------------------------------------


def check_regression(X: Any, y: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Training data for regression: finite numbers, at least one example."""
    X, y = check_X_y(X, y, dtype=np.float64, y_numeric=True)
    return X, y.astype(np.float64)


def check_two_classes(X: Any, y: Any) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[Any]]:
    """Training data for two classes: the data, the class of each example as 0 or 1, and the two classes.

    >>> from reproduction.ensembles.additive import check_two_classes
    >>> check_two_classes([[1.0], [2.0]], ["a", "a"])
    Traceback (most recent call last):
    ValueError: y must hold two classes; got 1
    """
    X, y = check_X_y(X, y, dtype=np.float64)
    classes, encoded = np.unique(y, return_inverse=True)
    if len(classes) != 2:
        raise ValueError(f"y must hold two classes; got {len(classes)}")
    return X, encoded, classes


def check_for_loss(
    X: Any, y: Any, loss: str
) -> tuple[NDArray[np.float64], NDArray[Any], NDArray[Any] | None]:
    """Training data for a loss: numbers for the squared loss, else two classes, encoded as 0 and 1."""
    return (*check_regression(X, y), None) if loss == "squared" else check_two_classes(X, y)


def check_features(X: Any, n_features: int) -> NDArray[np.float64]:
    """Data to predict for: finite numbers, as many features as in training."""
    X = check_array(X, dtype=np.float64, input_name="X")
    if X.shape[1] != n_features:
        raise ValueError(f"X must have {n_features} features, as in training; got {X.shape[1]}")
    return X
