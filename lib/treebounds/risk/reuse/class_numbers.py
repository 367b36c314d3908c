"""The numbers of rows of a class at the leaves of a boosted classifier's first tree.

Boosting keeps no classes, but values from which they follow. Before the first tree
every row has the same probability p of a class. So at a leaf with rows of total weight
W, of which W_1 belong to the class, the sum of the gradients of the log loss is G = W p
- W_1, and that of the second derivatives is H = h W, where h is that of a single row.
The value of the leaf is -r G / (H + s), with the learning rate r and the penalty s.
Hence W_1 = W p + (H + s) value / r.

Such numbers are used only if they are whole, or become whole when the weights of the
classes are taken out: those of one class are multiples of its weight. They are not
whole with other penalties or weights, with rows that were drawn, or if the learner was
changed after its fit. No test errs more often because of wrong numbers, see
:mod:`treebounds.risk.reuse.leaf_evidence`: there the numbers of the tree may be any
that do not depend on the cases that judge.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax
from sklearn.dummy import DummyClassifier

# How far numbers may be from whole ones: gradients are 32-bit floats.
_TOLERANCE = 0.1

# The same where the weight of a row is not known, and the largest number of rows at the
# leaf with the fewest rows, by which this weight is found.
_TOLERANCE_OF_MULTIPLES = 0.02
_MOST_ROWS = 1000

# A smaller share of all weights is rounding.
_LEAST_SHARE = 1e-6


class ClassNumbers(NamedTuple):
    """The numbers of rows of one class, and of all others, at the leaves of a tree.

    Attributes
    ----------
    place : int
        The place of the class among those of the model.
    grown : (n_leaves, 2) array of float
        Numbers of rows of the other classes, and of this one.
    """

    place: int
    grown: NDArray[np.float64]


class FirstStep(NamedTuple):
    """What a learner keeps of the first tree that it grew for a class.

    Attributes
    ----------
    place : int
        The place of the class among those of the model.
    p : float
        Its probability before the tree.
    derivative : float
        The second derivative h of the loss of a row.
    values : (n_leaves,) array
        The values of the leaves, without the learning rate.
    derivatives : (n_leaves,) array
        The sums H of the second derivatives at the leaves.
    penalty : float
        Added to H.
    """

    place: int
    p: float
    derivative: float
    values: NDArray[Any]
    derivatives: NDArray[Any]
    penalty: float = 0.0

    def weights(self) -> NDArray[np.float64]:
        """The weights of the rows of the other classes, and of this one, at leaves."""
        of_all = self.derivatives / self.derivative
        own = self.p * of_all + (self.derivatives + self.penalty) * self.values
        return np.column_stack([of_all - own, own])

    def numbers(
        self, n_rows: NDArray[Any] | None, own_weight: float = 1.0
    ) -> ClassNumbers | None:
        """The numbers of rows; None if they do not follow.

        Parameters
        ----------
        n_rows : (n_leaves,) array or None
            The numbers of all rows at the leaves, if they are known.
        own_weight : float
            The weight of a row of this class, if those of the others have weight 1.
        """
        weights = self.weights() / [1.0, own_weight]
        if not np.isfinite(weights).all():
            return None
        numbers = np.rint(weights)
        if _are_close(weights, numbers) and _fit(numbers, n_rows):
            return ClassNumbers(self.place, numbers)

        if n_rows is not None:
            weights = _in_rows(weights, n_rows)
            numbers = np.rint(weights)
            are_numbers = _are_close(weights, numbers) and _fit(numbers, n_rows)
            return ClassNumbers(self.place, numbers) if are_numbers else None

        of_all = self.derivatives / self.derivative
        others, own = map(multiples_of_a_weight, weights.T)
        # Where all rows have weight 1, the numbers of a class would have been whole.
        if others is None or own is None or _are_close(of_all, np.rint(of_all)):
            return None
        return ClassNumbers(self.place, np.column_stack([others, own]))


def multiples_of_a_weight(sums: NDArray[Any]) -> NDArray[np.float64] | None:
    """The numbers of rows at leaves from the sums of their weights, if each row has the
    same weight, which is not known; None if there is no such weight.

    Of several weights, the largest one is taken.

    >>> import numpy as np
    >>> from treebounds.risk.reuse.class_numbers import multiples_of_a_weight
    >>> multiples_of_a_weight(np.array([0.75, 1.25, 0.0]))
    array([3., 5., 0.])

    Parameters
    ----------
    sums : (n_leaves,) array of float
    """
    sums = np.where(np.abs(sums) <= _LEAST_SHARE * np.abs(sums).sum(), 0, sums)
    if not sums.any() or (sums < 0).any():
        return None
    at_fewest = np.arange(1, _MOST_ROWS + 1)
    numbers = sums[:, np.newaxis] / sums[sums > 0].min() * at_fewest
    distances = np.abs(numbers - np.rint(numbers)).max(axis=0)
    fits = distances <= _TOLERANCE_OF_MULTIPLES
    return np.rint(numbers[:, fits.argmax()]) if fits.any() else None


def _are_close(values: NDArray[Any], numbers: NDArray[Any]) -> bool:
    """Whether values are these numbers, within rounding."""
    return np.allclose(values, numbers, rtol=0, atol=_TOLERANCE)


def _fit(numbers: NDArray[Any], n_rows: NDArray[Any] | None) -> bool:
    """Whether these can be the numbers of rows by classes at leaves."""
    sums = numbers.sum(axis=1)
    are_all = n_rows is None or np.array_equal(sums, n_rows)
    return bool(are_all and (numbers >= 0).all())


def _in_rows(weights: NDArray[Any], n_rows: NDArray[Any]) -> NDArray[np.float64]:
    """Sums of weights by classes, each divided by the weight of a row of its class.

    The rows of a leaf are the sum of these quotients, and all rows of a class have the
    same weight; so each leaf gives an equation, which is linear in 1 / weight.
    """
    per_weight: NDArray[np.float64] = np.linalg.lstsq(weights, n_rows, rcond=None)[0]
    return weights * per_weight


def _place_of_first_tree(n_classes: int) -> int:
    """The class that the first tree of boosting is about: the second one of two."""
    return 0 if n_classes > 2 else 1


def of_lightgbm(text: str, n_rows: NDArray[Any]) -> ClassNumbers | None:
    """Those of the first tree of a LightGBM model.

    Parameters
    ----------
    text : str
        The model, or its first round, as LightGBM writes it.
    n_rows : (n_leaves,) array
    """
    objective = dict(
        word.partition(":")[::2] for word in _after("objective=", text).split()
    )
    loss = next(iter(objective), "")
    if loss not in ("binary", "multiclass", "multiclassova"):
        return None
    values = _numbers_after("leaf_value=", text)
    derivatives = _numbers_after("leaf_weight=", text)
    penalty = float(_parameter("lambda_l2", text))
    start = 0.0
    if _parameter("boost_from_average", text) == "1":
        # The values of the first tree hold the start, too, where the sum of the
        # gradients is 0. The text has it in few digits.
        start = np.average(values, weights=derivatives + penalty)

    n_classes = int(objective.get("num_class", 2))
    p = float(expit(start))
    factor = 1.0
    if loss == "multiclass":
        p = math.exp(start) if start else 1 / n_classes
        factor = n_classes / (n_classes - 1)
    step = FirstStep(
        place=_place_of_first_tree(n_classes),
        p=p,
        derivative=factor * p * (1 - p),
        values=(values - start) / float(_parameter("learning_rate", text)),
        derivatives=derivatives,
        penalty=penalty,
    )
    return step.numbers(n_rows)


def _parameter(name: str, text: str) -> str:
    """The value of a parameter of LightGBM, in its text of a model."""
    return _after(f"[{name}: ", text).rstrip("]")


def _after(start: str, text: str) -> str:
    """The rest of the first line that begins in this way; empty if none does."""
    found = re.search(rf"^{re.escape(start)}(.*)$", text, re.MULTILINE)
    return found[1] if found else ""


def _numbers_after(start: str, text: str) -> NDArray[np.float64]:
    """The numbers in the first line that begins in this way."""
    return np.array([float(word) for word in _after(start, text).split()])


def of_xgboost(
    booster: Any, learner: dict[str, Any], tree: dict[str, Any], leaves: Any, place: int
) -> ClassNumbers | None:
    """Those of a tree of the first round of an XGBoost model.

    Parameters
    ----------
    booster : xgboost.Booster
        Its settings are read. After it was read from a file they are those of a new
        one.
    learner, tree : dict
        The first round, and the tree, in XGBoost's JSON.
    leaves : (n_leaves,) array of int
        The numbers of the leaves.
    place : int
        The number of the tree in its round.
    """
    start = start_of_xgboost(learner, place)
    if start is None:
        return None
    settings = json.loads(booster.save_config())["learner"]
    inside = settings["gradient_booster"]
    of_trees = inside.get("gbtree", inside)["tree_train_param"]
    step = FirstStep(
        place=start.place,
        p=start.p,
        derivative=start.derivative,
        values=np.array(tree["split_conditions"])[leaves] / float(of_trees["eta"]),
        derivatives=np.array(tree["sum_hessian"])[leaves],
        penalty=float(of_trees["lambda"]),
    )
    of_loss = settings["objective"].get("reg_loss_param", {})
    return step.numbers(None, float(of_loss.get("scale_pos_weight", 1.0)))


class Start(NamedTuple):
    """The class that a tree of the first round is about, its probability before the
    tree, and the second derivative of the loss of a row.
    """

    place: int
    p: float
    derivative: float


def start_of_xgboost(learner: dict[str, Any], number: int) -> Start | None:
    """That of a tree of XGBoost, from its JSON; None for other losses than the log
    loss.

    Parameters
    ----------
    learner : dict
    number : int
        The number of the tree in its round.
    """
    loss = learner["objective"]["name"]
    parameters = learner["learner_model_param"]
    scores = np.atleast_1d(json.loads(parameters["base_score"]))
    if loss == "binary:logistic":
        return Start(1, scores[0], scores[0] * (1 - scores[0]))
    if loss not in ("multi:softprob", "multi:softmax"):
        return None
    p = softmax(np.resize(scores, int(parameters["num_class"])))
    place = number % len(p)
    return Start(place, p[place], 2 * p[place] * (1 - p[place]))


def of_histogram_boosting(model: Any, leaves: NDArray[Any]) -> ClassNumbers | None:
    """Those of the first tree of scikit-learn's HistGradientBoostingClassifier.

    Parameters
    ----------
    model : HistGradientBoostingClassifier
    leaves : structured array
        The leaves of the tree, as scikit-learn keeps them.
    """
    scores = getattr(model, "_baseline_prediction", None)
    if scores is None or model.loss != "log_loss":
        return None
    scores = np.ravel(scores)
    n_classes = max(2, len(scores))
    p = float(expit(scores[0]))
    if n_classes > 2:
        p = float(softmax(scores)[0])
    n_rows = leaves["count"].astype(float)
    step = FirstStep(
        place=_place_of_first_tree(n_classes),
        p=p,
        derivative=p * (1 - p),
        values=leaves["value"] / model.learning_rate,
        derivatives=n_rows * p * (1 - p),
        penalty=model.l2_regularization,
    )
    return step.numbers(n_rows)


def of_gradient_boosting(
    model: Any, tree: Any, leaves: NDArray[np.intp]
) -> ClassNumbers | None:
    """Those of the first tree of scikit-learn's GradientBoostingClassifier.

    Parameters
    ----------
    model : GradientBoostingClassifier
    tree : sklearn.tree._tree.Tree
    leaves : (n_leaves,) array of int
        The numbers of the leaves.
    """
    n_classes = model.n_classes_
    if model.loss != "log_loss":
        return None
    if isinstance(model.init_, DummyClassifier):
        probabilities = model.init_.class_prior_
    elif model.init_ == "zero":
        probabilities = np.full(n_classes, 1 / n_classes)
    else:
        return None

    place = _place_of_first_tree(n_classes)
    p = float(probabilities[place])
    values = tree.value[leaves, 0, 0]
    if n_classes > 2:
        # scikit-learn multiplies the step by another factor (Friedman 2001).
        values = values * n_classes / (n_classes - 1)
    step = FirstStep(
        place=place,
        p=p,
        derivative=p * (1 - p),
        values=values,
        derivatives=tree.weighted_n_node_samples[leaves] * p * (1 - p),
    )
    return step.numbers(tree.n_node_samples[leaves].astype(float))
