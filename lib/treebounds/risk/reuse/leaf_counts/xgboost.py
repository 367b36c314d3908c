"""The numbers of rows at the leaves of the first tree of an XGBoost model that splits,
up to a factor.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.base import is_regressor

from treebounds.risk.reuse.leaf_counts.class_numbers import ClassNumbers, FirstStep
from treebounds.risk.reuse.leaf_counts.record import LeafCounts
from treebounds.risk.reuse.leaf_counts.weights import multiples_of_a_weight

# How far numbers of rows that follow from covers may be from whole numbers. With a
# weight for each row they are not whole, and any others are as valid for the evidence.
_TOLERANCE_OF_NUMBERS = 0.1

# Rounds in which a tree that splits is looked for: with the loss "hinge" the first
# trees are single leaves.
_MOST_ROUNDS = 10


def of_xgboost(model: Any) -> LeafCounts | None:
    """The numbers at the leaves of the first tree that splits, up to a factor.

    The cover of a node is the sum of the second derivatives of the loss. Before the
    first tree that splits all predictions are equal, so they are a constant times the
    number of rows. If the classes have weights, as with ``scale_pos_weight`` or weights
    that balance the classes, the constant is another one for each class. The losses of
    gamma and Tweedie regression have second derivatives that are linear in y.
    """
    try:
        first = _first_that_splits(model.get_booster())
    except (ValueError, IndexError, KeyError):
        # It is a linear model, or of a version that keeps no covers.
        return None
    if first is None:
        return None
    leaves = np.array(sorted(first.covers))

    def leaf_of(X: Any) -> NDArray[np.intp]:
        # XGBoost has no leaves of later rounds without those of the first one.
        reached = np.asarray(model.apply(X, iteration_range=(0, first.n_rounds)))
        own = reached.reshape(len(reached), -1)[:, first.column]
        return np.searchsorted(leaves, own.astype(np.intp))

    grown = np.array([first.covers[leaf] for leaf in leaves.tolist()])
    of_a_class = None
    if first.learner is not None and not is_regressor(model):
        of_a_class = _of_a_class(
            model.get_booster(), first.learner, first.tree, leaves, first.column
        )
    classes = np.asarray(getattr(model, "classes_", ())).tolist()
    if len(classes) < 2:
        classes = None
    return LeafCounts(
        grown[:, np.newaxis],
        classes,
        leaf_of,
        is_share=True,
        is_of_numbers=is_regressor(model),
        numbers=_numbers_of_covers(grown, _hessian(first)),
        of_a_class=of_a_class,
    )


def _numbers_of_covers(
    covers: NDArray[Any], hessian: float | None
) -> NDArray[np.float64] | None:
    """The numbers of rows at leaves, from their covers and that of a row, if it is
    known; None if they are not multiples of it, or of any, as if rows have weights.
    """
    if hessian is None:
        multiples = multiples_of_a_weight(covers)
        return None if multiples is None else multiples[:, np.newaxis]
    numbers = covers / hessian
    rounded: NDArray[np.float64] = np.rint(numbers)
    are_whole = np.allclose(numbers, rounded, rtol=0, atol=_TOLERANCE_OF_NUMBERS)
    return rounded[:, np.newaxis] if are_whole else None


class _FirstTree(NamedTuple):
    """The first tree of XGBoost that splits.

    Attributes
    ----------
    covers : dict
        From the number of each leaf to its cover.
    n_rounds : int
        Number of rounds of boosting up to this tree.
    column : int
        Number of trees before it.
    tree : dict
        The tree in XGBoost's JSON.
    learner : dict or None
        The first round, if the tree belongs to it: later trees are grown where
        predictions differ.
    """

    covers: dict[int, float]
    n_rounds: int
    column: int
    tree: dict[str, Any]
    learner: dict[str, Any] | None


def _first_that_splits(booster: Any) -> _FirstTree | None:
    """The first tree of a booster that splits; None if the first few rounds have
    none.
    """
    column = 0
    for number in range(min(_MOST_ROUNDS, booster.num_boosted_rounds())):
        learner = json.loads(booster[number : number + 1].save_raw("json"))["learner"]
        inside = learner["gradient_booster"]
        # "dart" has one layer more.
        for tree in inside.get("gbtree", inside)["model"]["trees"]:
            covers = _leaf_covers(tree)
            if len(covers) > 1:
                start = learner if number == 0 else None
                return _FirstTree(covers, number + 1, column, tree, start)
            column += 1
    return None


def _hessian(first: _FirstTree) -> float | None:
    """The second derivative of the loss of a row before the first tree; None if it is
    not known, as for other losses than the usual ones.
    """
    if first.learner is None:
        return None
    if first.learner["objective"]["name"] == "reg:squarederror":
        return 1.0
    start = _start(first.learner, first.column)
    return None if start is None else start.derivative


def _leaf_covers(tree: dict[str, Any]) -> dict[int, float]:
    """Numbers and covers of the leaves of a tree in XGBoost's JSON, without deleted
    nodes.
    """
    left = tree["left_children"]
    waiting = [0]
    covers = {}
    while waiting:
        node = waiting.pop()
        if left[node] < 0:
            covers[node] = tree["sum_hessian"][node]
        else:
            waiting += [left[node], tree["right_children"][node]]
    return covers


def _of_a_class(
    booster: Any, learner: dict[str, Any], tree: dict[str, Any], leaves: Any, place: int
) -> ClassNumbers | None:
    """The numbers of a class in a tree of the first round.

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
    start = _start(learner, place)
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


class _Start(NamedTuple):
    """The class that a tree of the first round is about, its probability before the
    tree, and the second derivative of the loss of a row.
    """

    place: int
    p: float
    derivative: float


def _start(learner: dict[str, Any], number: int) -> _Start | None:
    """What is known before a tree of the first round, from the JSON of this round; None
    for other losses than the log loss.

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
        return _Start(1, scores[0], scores[0] * (1 - scores[0]))
    if loss not in ("multi:softprob", "multi:softmax"):
        return None
    p = softmax(np.resize(scores, int(parameters["num_class"])))
    place = number % len(p)
    return _Start(place, p[place], 2 * p[place] * (1 - p[place]))
