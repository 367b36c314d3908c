"""Halvings: every tree is grown on one half of the examples and judged on the other, and the best is quoted.

**Theorem.** Draw K halvings (A, B) of the examples independently of the data. Let each of G learners make a
classifier from A alone, which errs on k of the n examples of B, and the same with the sides changed: these
are J = 2 G K classifiers. With probability at least 1 - delta, all J of them at once have risk at most
``binomial_tail_inversion(k, n, ln(delta / J))``.

Proof. Fix the halving and the examples of A: the classifier is fixed, B is a sample that is independent of
it, and k is binomial. So its bound fails with probability at most delta / J. Take the mean over A and the
halvings, and sum over the J classifiers.

All J statements hold together, so any of them may be quoted. Nothing is assumed about the learners.

**Groups.** If examples come in groups, groups are what is drawn independently. They are halved as a whole,
the loss of a group is the fraction of its examples that are errors, and the limit of its mean is
:func:`bounded_mean_inversion`. The sentence is then about the fraction of errors in a new group.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.utils import _safe_indexing, check_random_state, indexable
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, column_or_1d

from treebounds._validation import check_integer, require
from treebounds.risk.tail_inversion import binomial_tail_inversion, bounded_mean_inversion, check_delta

__all__ = ["Candidates", "best_of_halvings"]

# below this number of groups, a half has a single one
_LEAST_GROUPS = 4


@dataclass(frozen=True)
class Candidates:
    """What the classifiers are that a certificate was chosen from; one entry each.

    Attributes
    ----------
    learner : tuple of str
    halving : (n,) array of int
        Which halving, from 0; -1 without halvings.
    side : (n,) array of int
        Which of its halves the classifier was made from; -1 without halvings.
    n_leaves : (n,) array of int
        -1 for a classifier that is no tree.
    n_errors : (n,) array of int
        On the examples that judge.
    n_examples : (n,) array of int
        How many judge.
    bound : (n,) array of float
        All of them hold at once with probability 1 - delta. Not clipped at 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk import best_of_halvings
    >>> learners = [("stump", DecisionTreeClassifier(max_depth=1))]
    >>> best_of_halvings(learners, *load_iris(return_X_y=True), random_state=0).candidates.n_examples
    array([75, 75, 75, 75])
    """

    learner: tuple[str, ...]
    halving: NDArray[np.int64]
    side: NDArray[np.int64]
    n_leaves: NDArray[np.int64]
    n_errors: NDArray[np.int64]
    n_examples: NDArray[np.int64]
    bound: NDArray[np.float64]

    @classmethod
    def of_rows(cls, rows: Iterable[tuple[Any, ...]]) -> Candidates:
        """From one tuple for each candidate, in the order of the attributes."""
        learner, *columns = zip(*rows, strict=True)
        return cls(learner, *map(np.array, columns))

    @property
    def best(self) -> int:
        """Index of the candidate that is quoted, with the smallest bound, of equal ones the fewest leaves."""
        return int(np.lexsort((self.n_leaves, self.bound))[0])

    def to_frame(self) -> Any:
        """The candidates as a pandas.DataFrame, one row each; an ImportError where pandas is missing."""
        return require("pandas", "pandas").DataFrame(vars(self))


@dataclass(frozen=True)
class Halvings:
    """The best classifier of some halvings, and what it was chosen from.

    Attributes
    ----------
    estimator : classifier
    bound : float
        Its bound, at delta / J.
    candidates : Candidates
    n_groups : int or None
        Groups that judged the best; None where examples are independent.
    """

    estimator: Any
    bound: float
    candidates: Candidates
    n_groups: int | None


def best_of_halvings(
    learners: Sequence[tuple[str, Any]],
    X: Any,
    y: ArrayLike,
    *,
    delta: float = 0.05,
    n_halvings: int = 2,
    groups: ArrayLike | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Halvings:
    """Grow on halves, judge on the other halves, and keep the classifier with the smallest bound.

    Parameters
    ----------
    learners : sequence of (name, classifier)
        Unfitted; each is cloned for each half. A pipeline may be a learner: encoders, imputation and
        selection are then fitted on the half, too.
    X : (m, l) array or frame
        At least 2 rows.
    y : (m,) array
    delta : float
    n_halvings : int
        The number K, to be fixed, like the learners, before the data are seen.
    groups : (m,) array, optional
        Which examples belong together, at least 4 groups.
    random_state : int, RandomState instance or None
    n_jobs : int, optional
        How many classifiers are made at a time, as joblib has it.

    Returns
    -------
    Halvings

    Raises
    ------
    ValueError
        If an argument is outside its range, a learner is no classifier or has been fitted, or there are fewer
        than 2 rows or 4 groups.

    Notes
    -----
    Cost: each learner is fitted 2 K times to half of the rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from treebounds.risk import best_of_halvings
    >>> learners = [("neighbors", make_pipeline(StandardScaler(), KNeighborsClassifier()))]
    >>> found = best_of_halvings(learners, *load_iris(return_X_y=True), random_state=0)
    >>> found.bound < 0.2, len(found.candidates.bound)
    (True, 4)
    """
    delta, K = check_delta(delta), check_integer(n_halvings, "n_halvings")
    learners = [(name, check_learner(learner)) for name, learner in learners]
    if not learners:
        raise ValueError("learners must not be empty")
    X, labels = indexable(X, column_or_1d(y))
    units = check_groups(groups, len(labels))
    if len(labels) < 2:
        raise ValueError(f"X must have 2 rows at least to be halved; got n_samples = {len(labels)}")
    rng = check_random_state(random_state)
    log_gamma = math.log(delta) - math.log(2 * len(learners) * K)
    work = [
        (name, halving, side, seeded(learner, rng), *rows)
        for halving in range(K)
        for side, rows in enumerate(_both_sides(units, rng))
        for name, learner in learners
    ]
    counted = None if groups is None else units
    found = Parallel(n_jobs=n_jobs)(delayed(_judged)(*one[3:], X, labels, counted, log_gamma) for one in work)
    candidates = Candidates.of_rows((*one[:3], *said[1:]) for one, said in zip(work, found, strict=True))
    best = candidates.best
    n_groups = None if groups is None else len(np.unique(units[work[best][-1]]))
    return Halvings(found[best][0], float(candidates.bound[best]), candidates, n_groups)


def check_learner(learner: Any) -> Any:
    """The learner, if it is a classifier that is not fitted yet, or a ValueError.

    Parameters
    ----------
    learner : classifier

    Returns
    -------
    classifier

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.halving import check_learner
    >>> check_learner(DecisionTreeClassifier(max_depth=1))
    DecisionTreeClassifier(max_depth=1)
    """
    if isinstance(learner, type) or not (hasattr(learner, "fit") and is_classifier(learner)):
        raise ValueError(f"learners must be classifiers; got {learner!r}")
    try:
        check_is_fitted(learner)
    except NotFittedError:
        return learner
    raise ValueError(
        f"learners must not be fitted yet: {learner!r} has seen data. Pass sklearn.base.clone of it"
    )


def check_groups(groups: ArrayLike | None, n_examples: int) -> NDArray[np.intp]:
    """Which unit each example belongs to: its group, or itself.

    Parameters
    ----------
    groups : (n_examples,) array or None
        At least 4 different values, or a ValueError.
    n_examples : int

    Returns
    -------
    (n_examples,) array of int
        Numbers from 0.

    Examples
    --------
    >>> from treebounds.risk.halving import check_groups
    >>> check_groups(["b", "a", "c", "d", "a"], 5), check_groups(None, 3)
    (array([1, 0, 2, 3, 0]), array([0, 1, 2]))
    """
    if groups is None:
        return np.arange(n_examples)
    given = column_or_1d(groups)
    if len(given) != n_examples:
        raise ValueError(f"groups must have one entry for each of the {n_examples} rows; got {len(given)}")
    names, units = np.unique(given, return_inverse=True)
    if len(names) < _LEAST_GROUPS:
        raise ValueError(f"groups must be {_LEAST_GROUPS} at least; got {len(names)}")
    return units


def loss_limit(wrong: NDArray[np.bool_], units: NDArray[np.intp] | None, log_gamma: float) -> float:
    """Upper limit of the risk from errors on examples that had no part in choosing the classifier.

    Parameters
    ----------
    wrong : (n,) array of bool
    units : (n,) array of int or None
        The groups; None where examples are independent.
    log_gamma : float
        ln of the probability that the limit fails, in nats.

    Returns
    -------
    float
        Between 0 and 1; of the mean loss of a group where there are groups.

    Examples
    --------
    >>> import numpy as np
    >>> from treebounds.risk.halving import loss_limit
    >>> wrong = np.arange(60) < 6
    >>> loss_limit(wrong, None, -3.0) < loss_limit(wrong, np.arange(60) // 3, -3.0)
    True
    """
    if units is not None:
        _, places, sizes = np.unique(units, return_inverse=True, return_counts=True)
        if len(sizes) < len(units):
            losses = np.bincount(places, weights=wrong) / sizes
            return bounded_mean_inversion(float(losses.mean()), len(losses), log_gamma)
    return binomial_tail_inversion(int(wrong.sum()), len(wrong), log_gamma)


def _both_sides(units: NDArray[np.intp], rng: np.random.RandomState) -> list[tuple[NDArray, NDArray]]:
    """Rows of a random half of the units and of the others, then the other way round."""
    n_units = int(units.max()) + 1
    in_first = np.zeros(n_units, dtype=bool)
    in_first[rng.permutation(n_units)[: n_units // 2]] = True
    first, second = np.flatnonzero(in_first[units]), np.flatnonzero(~in_first[units])
    return [(first, second), (second, first)]


def seeded(learner: Any, rng: np.random.RandomState) -> Any:
    """A clone whose open random states are set, so that the result does not depend on the number of jobs.

    Parameters
    ----------
    learner : estimator
    rng : numpy.random.RandomState

    Returns
    -------
    estimator
        Unfitted; where ``random_state`` was None, also of a step inside, it is an integer.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.halving import seeded
    >>> type(seeded(DecisionTreeClassifier(), np.random.RandomState(0)).random_state).__name__
    'int'
    """
    one = clone(learner)
    given = one.get_params()
    names = [n for n in given if n == "random_state" or n.endswith("__random_state")]
    return one.set_params(**{name: rng.randint(2**31 - 1) for name in sorted(names) if given[name] is None})


def _judged(
    learner: Any, grown: NDArray, judged: NDArray, X: Any, y: NDArray, units: NDArray | None, log_gamma: float
) -> tuple[Any, int, int, int, float]:
    """The classifier made from some rows; its leaves, errors and bound on others."""
    rows = operator.getitem if isinstance(X, np.ndarray) else _safe_indexing  # which is slow
    fitted = learner.fit(rows(X, grown), y[grown])
    wrong = np.asarray(fitted.predict(rows(X, judged)) != y[judged])
    tree = getattr(fitted, "tree_", None)
    n_leaves = -1 if tree is None else int(tree.n_leaves)
    bound = loss_limit(wrong, None if units is None else units[judged], log_gamma)
    return fitted, n_leaves, int(wrong.sum()), len(wrong), bound
