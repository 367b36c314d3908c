"""Bootstrap samples, bagged trees and random forests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils import check_random_state, check_X_y

from reproduction.ensembles._checks import check_features, check_regression
from treebounds._validation import check_integer, check_option


def bootstrap_coverage(n_examples: int) -> float:
    """Expected fraction of the examples that a bootstrap sample of the same size holds, 1 - (1 - 1/n)^n.

    Examples
    --------
    >>> from reproduction.ensembles import bootstrap_coverage
    >>> bootstrap_coverage(1), bootstrap_coverage(2), round(bootstrap_coverage(10**9), 4)
    (1.0, 0.75, 0.6321)
    """
    n = check_integer(n_examples, "n_examples")
    return 1.0 if n == 1 else -math.expm1(n * math.log1p(-1 / n))


def bootstrap_sample(n_examples: int, random_state: Any = None) -> NDArray[np.int64]:
    """Indices of ``n_examples`` examples drawn uniformly with replacement.

    Examples
    --------
    >>> from reproduction.ensembles import bootstrap_sample
    >>> bootstrap_sample(5, random_state=0)
    array([4, 0, 3, 3, 3])
    """
    n = check_integer(n_examples, "n_examples")
    # the narrow type draws the numbers that scikit-learn's forests draw
    return check_random_state(random_state).randint(0, n, n, dtype=np.int32).astype(np.int64)


@dataclass(frozen=True)
class Bag:
    """Trees that vote: the mean of their predictions in regression, the plurality in classification.

    Attributes
    ----------
    trees : sequence of fitted scikit-learn trees
    samples : sequence of int arrays
        The bootstrap sample of each tree.
    n_features : int
    classes : array or None
        None for regression.
    """

    trees: Sequence[Any]
    samples: Sequence[NDArray[np.int64]]
    n_features: int
    classes: NDArray[Any] | None

    def predict_each(self, X: Any) -> NDArray[Any]:
        """Prediction of each tree, of shape (n_trees, n_examples); of a class, its number."""
        X = check_features(X, self.n_features)
        predictions = np.array([tree.predict(X) for tree in self.trees])
        return predictions if self.classes is None else predictions.astype(np.int64)

    def predict(self, X: Any) -> NDArray[Any]:
        """Mean or plurality; the first of several classes with as many votes."""
        each = self.predict_each(X)
        if self.classes is None:
            return each.mean(axis=0)
        votes = np.stack([(each == k).sum(axis=0) for k in range(len(self.classes))])
        return self.classes[votes.argmax(axis=0)]


def bag_trees(
    X: Any,
    y: Any,
    n_trees: int = 100,
    max_features: int | None = None,
    task: str = "classification",
    random_state: Any = None,
) -> Bag:
    """Trees grown without limit, each on its own bootstrap sample.

    With all features at every node this is bagging; with ``max_features=k`` drawn anew at every node, a
    random forest. For the same ``random_state`` the trees are those of scikit-learn's
    ``RandomForestClassifier`` or ``RandomForestRegressor``, tree by tree.

    Parameters
    ----------
    X : array of shape (n_examples, n_features)
    y : array of shape (n_examples,)
    n_trees : int
    max_features : int, optional
        Features that are considered at each node; all of them when not given.
    task : {"classification", "regression"}
    random_state : int, RandomState instance or None

    Returns
    -------
    Bag

    Raises
    ------
    ValueError
        If the data are empty, not finite or of one class, or a parameter is out of range.

    Examples
    --------
    >>> from reproduction.ensembles import bag_trees
    >>> bag = bag_trees([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"], n_trees=25, random_state=0)
    >>> bag.predict([[0.0], [3.0]]).tolist()
    ['a', 'b']
    """
    check_option(task, "task", ("classification", "regression"))
    classes: NDArray[Any] | None = None
    if task == "regression":
        X, y = check_regression(X, y)
    else:
        X, y = check_X_y(X, y, dtype=np.float64)
        classes, y = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise ValueError("y must hold at least two classes; got 1")
    n_examples, n_features = X.shape
    if max_features is not None and check_integer(max_features, "max_features") > n_features:
        raise ValueError(f"max_features must be at most {n_features}, the number of features")
    grow = DecisionTreeRegressor if classes is None else DecisionTreeClassifier
    seeds = check_random_state(random_state).randint(2**31 - 1, size=check_integer(n_trees, "n_trees"))
    trees, samples = [], []
    for seed in seeds:
        samples.append(bootstrap_sample(n_examples, seed))
        times_drawn = np.bincount(samples[-1], minlength=n_examples)
        tree = grow(max_features=max_features, random_state=seed)
        trees.append(tree.fit(X, y, sample_weight=times_drawn))
    return Bag(trees, samples, n_features, classes)
