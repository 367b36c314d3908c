"""One sentence about a classifier that holds with probability 1 - delta, and what it assumes."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from treebounds._validation import check_integer, check_option, row_hashes
from treebounds.capacity.closed import log_all_structures_growth_bound
from treebounds.capacity.features import FeatureKinds
from treebounds.capacity.growth import FORMS
from treebounds.capacity.log_growth import log_growth_function_bound
from treebounds.risk._features import known_features
from treebounds.risk.compression import Compression, compress
from treebounds.risk.growth_bounds import hypergeometric_bound, relative_deviation_bound
from treebounds.risk.halving import check_groups, loss_limit
from treebounds.risk.occam import occam_bounds
from treebounds.risk.shawe_taylor import log_leaves_prior, log_structure_prior
from treebounds.risk.tail_inversion import check_delta
from treebounds.trees import ArrayTree, collapse_classifier
from treebounds.trees.errors import held_out_errors
from treebounds.trees.scikit_learn import check_classification_tree, move_thresholds, was_grown_on

__all__ = ["METHODS", "Certificate", "MovedThresholdsWarning", "certify"]

# m'/m of the hypergeometric bound. The price of a node grows like c + ln(1 + m'/m), with c about 9 nats for
# usual samples, the variance falls like 1 + m/m'; their product is flat from 8 to 16.
GHOSTS_PER_EXAMPLE = 8

METHODS = ("test-set", "message", "occam", "growth")
TAILS = ("hypergeometric", "relative-deviation")
# the printed loose form is no upper bound, so nothing can be certified by it
CERTIFICATE_CAPACITIES = ("all-structures", *(form for form in FORMS if form != "loose"))

_INDEPENDENT = "The examples are independent draws from the distribution of the new cases, each drawn once."
_INDEPENDENT_GROUPS = (
    "The groups are independent draws from the distribution of the new groups; examples of a group may "
    "depend on each other."
)
_NO_CHOICE = (
    "They had no part in growing, pruning or tuning the classifier, or in picking it among others, and "
    "nothing that prepares its input (encoding, imputation, selection of features) was fitted to them."
)
_TRUSTED = "That the classifier was made without these examples is trusted: it keeps no record of its own."
_FIXED_INPUT = (
    "Nothing that prepares the input was fitted to these examples; the classes, the number of features and "
    "what was declared of their kinds were known before."
)
_DESIGN = (
    "Learners, halvings, delta and the seed were fixed before the data were seen, and nothing that prepares "
    "the input was fitted to them (in a pipeline that is a learner it is fitted to the growing half, which "
    "is allowed)."
)


class MovedThresholdsWarning(UserWarning):
    """A certificate holds for a copy of the tree whose thresholds are training values."""


@dataclass(frozen=True, eq=False)
class Certificate:
    """An upper bound of a classifier's risk, and what it is about; print it to read it as a sentence.

    With probability at least 1 - delta over the sample, the classifier errs on at most the fraction ``value``
    of new cases (of the cases of a new group, where groups were given).

    Attributes
    ----------
    value : float
        At most 1; ``float(certificate)`` is the same.
    method : str
    delta : float
        Probability that this sentence fails, or any of those it was chosen from.
    n_examples, n_errors : int
        The examples that judge the classifier, and how many of them it gets wrong.
    estimator : classifier
        The one that the sentence is about.
    assumptions : tuple of str
        What has to be true and cannot be seen from the numbers.
    n_candidates : int
        For how many classifiers the sentences hold at once.
    n_groups : int or None
        Independent groups that judge; None where examples are independent.
    learner : str or None
        Of "halves": who made the classifier.
    halving : int or None
        Of "halves": in which halving, from 0.
    n_leaves : int or None
        Of the estimator; None where it is no tree.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from treebounds import certify
    >>> never = DummyClassifier().fit([[0], [0]], [0, 0])
    >>> print(certify(never, [[1]] * 59, [0] * 59))
    With probability 0.95 over the 59 examples, this classifier errs on at most 5.0% of new cases (test-set).
    """

    value: float
    method: str
    delta: float
    n_examples: int
    n_errors: int
    estimator: Any = field(repr=False)
    assumptions: tuple[str, ...] = field(repr=False)
    n_candidates: int = 1
    n_groups: int | None = None
    learner: str | None = None
    halving: int | None = None
    n_leaves: int | None = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_leaves", count_leaves(self.estimator))

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        if self.value >= 1:
            return f"This bound is not below 1 and promises nothing ({self.method})."
        percent = math.ceil(1000 * self.value) / 10  # a smaller number would not be certified
        sample, cases = f"the {self.n_examples} examples", "new cases"
        if self.n_groups is not None:
            sample, cases = f"the {self.n_groups} groups", "the cases of a new group, in the mean over groups"
        if self.method in ("halves", "message"):  # the tree depends on the random sample, too
            sample = f"the examples that made it and {sample} that judge it"
        among = f", {self.n_candidates} candidates at once" if self.n_candidates > 1 else ""
        size = "classifier"
        if self.n_leaves is not None:
            size = f"tree with {count(self.n_leaves, 'leaf', 'leaves')}"
        return (
            f"With probability {1 - self.delta:.4g} over {sample}, this {size} errs "
            f"on at most {percent:.1f}% of {cases} ({self.method}{among})."
        )


def count(number: int, one: str, several: str) -> str:
    """A number with its noun.

    >>> from treebounds.risk.certificate import count
    >>> count(1, "leaf", "leaves"), count(2, "leaf", "leaves")
    ('1 leaf', '2 leaves')
    """
    return f"{number} {one if number == 1 else several}"


def count_leaves(classifier: Any) -> int | None:
    """The leaves of a fitted tree, of one at the end of a pipeline, or of the best of a search.

    Parameters
    ----------
    classifier : object

    Returns
    -------
    int or None
        None if there is no single tree.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.certificate import count_leaves
    >>> count_leaves(make_pipeline(DecisionTreeClassifier()).fit([[0], [1]], [0, 1]))
    2
    """
    if isinstance(classifier, Pipeline):
        return count_leaves(classifier[-1])
    if hasattr(classifier, "best_estimator_"):
        return count_leaves(classifier.best_estimator_)
    tree = getattr(classifier, "tree_", classifier)
    return int(tree.n_leaves) if isinstance(getattr(tree, "n_leaves", None), Integral) else None


def certify(
    fitted_tree: Any,
    X: Any,
    y: ArrayLike,
    *,
    delta: float = 0.05,
    method: str = "test-set",
    groups: ArrayLike | None = None,
    X_grown: Any = None,
    duplicates: str = "refuse",
    capacity: str = "all-structures",
    tail: str = "hypergeometric",
    n_classes: int | None = None,
    feature_kinds: Any = None,
) -> Any:
    """Certify a classifier: an upper bound of its risk that holds with probability 1 - delta.

    Parameters
    ----------
    fitted_tree : classifier, or list of classifiers
        For "test-set" any fitted classifier: a tree, a whole pipeline, a search. For the other methods a
        scikit-learn ``DecisionTreeClassifier`` or a subclass. A list shares delta equally, so that the
        sentences hold for all at once and any of them may be quoted.
    X : (m, l) array or frame
        What the classifier takes. For "test-set" and "occam": examples that it has never met.
    y : (m,) array
    delta : float
        Probability that the statement fails, strictly between 0 and 1.
    method : {"test-set", "message", "occam", "growth"}
        - "test-set": the classifier as it is, on other data.
        - "message": the tree as a message to somebody who has the examples' features (sample compression with
          the sorted code); X are usually the examples that it was grown on. Thresholds become values of X.
        - "occam": the best pruning of a tree that was grown on other data.
        - "growth": counting what trees with so many leaves can do; X as for "message".
    groups : (m,) array, optional
        Which examples belong together (patients, batches, days): at least 4 groups. Then groups, not
        examples, have to be independent. Only with "test-set"; the other methods refuse.
    X_grown : (n_grown, l) array or frame, optional
        The examples on which a classifier was grown, pruned, tuned or chosen, to be compared with X. The
        estimators of this library remember theirs; other classifiers do not.
    duplicates : {"refuse", "independent"}
        What equal rows in X and among the growing examples are. "refuse": the same cases, so that there is no
        certificate. "independent": other cases that happen to have the same values, as with few distinct
        rows; the caller answers for it.
    capacity : str
        Only for "growth". "all-structures" pays for all shapes with as many leaves; a form of
        :func:`growth_function_bound` other than the paper's "loose" (no bound) pays for shapes one by one.
    tail : {"hypergeometric", "relative-deviation"}
        Only for "growth": an imagined second sample eight times as large, or Vapnik's relative deviations.
    n_classes : int, optional
        Only for "message" and "growth": number of classes of the problem if it is more than the tree has met.
    feature_kinds : dict or "from_dtype", optional
        Only for "growth": columns, by name or position, and their numbers of levels, if these are known
        before the sample is seen; "from_dtype" takes those of a data frame's categorical columns. Columns
        with two levels, or few, cost less than real-valued ones.

    Returns
    -------
    Certificate, or a list of them for a list
        It holds for its ``estimator``, which for "message" and "occam" is not always ``fitted_tree``.

    Raises
    ------
    ValueError
        If an argument is outside its range, the sample does not fit the tree, or, for "test-set" and "occam",
        a row of X is known to be one of those the classifier was made from.

    Warns
    -----
    MovedThresholdsWarning
        If the certified tree is a copy with other thresholds.

    Notes
    -----
    What can be seen of earlier use is refused: rows that an estimator of this library was fitted to, alone,
    at the end of a pipeline or as the best of a search; rows of ``X_grown``; and for any single tree exactly
    the sample that it was grown on. The rest is trusted, and the certificate's ``assumptions`` say so.

    A certificate of the last step of a pipeline, on transformed rows, holds only if the transformation was
    fitted without these rows. Certify the whole pipeline instead.

    The message and the growth bound charge for every tree that could have been chosen, so that nothing about
    the choice of this one matters. They need complete rows.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import train_test_split
    >>> from treebounds import CostComplexityPrunedTreeClassifier, certify
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
    >>> tree = CostComplexityPrunedTreeClassifier(random_state=0).fit(X, y)
    >>> print(certify(tree, X_test, y_test))
    With probability 0.95 over the 285 examples, this tree with 4 leaves errs on at most 10.5% of new cases
    (test-set).
    """
    delta = check_request(METHODS, method, capacity, tail, delta, groups)
    check_option(duplicates, "duplicates", ("refuse", "independent"))
    several = isinstance(fitted_tree, list | tuple)
    if several and not fitted_tree:
        raise ValueError("fitted_tree must not be an empty list")
    trees = list(fitted_tree) if several else [fitted_tree]
    share = delta / len(trees)
    options = capacity, tail, n_classes, feature_kinds
    certified = partial(_CERTIFIED[method], _Request(X, y, share, groups, X_grown, duplicates, *options))
    each = list(map(certified, trees))  # without a frame of its own, which the warning would count
    found = [replace(one, delta=delta, n_candidates=len(trees)) for one in each]
    return found if several else found[0]


@dataclass(frozen=True)
class _Request:
    """What :func:`certify` was asked about one classifier; each method looks at its own part."""

    X: Any
    y: ArrayLike
    delta: float
    groups: ArrayLike | None
    X_grown: Any
    duplicates: str
    capacity: str
    tail: str
    n_classes: int | None
    feature_kinds: Any


def check_request(
    methods: tuple[str, ...], method: str, capacity: str, tail: str, delta: float, groups: Any
) -> float:
    """Delta, if there is a certificate of this kind; groups go with the first of the methods only."""
    check_option(method, "method", methods)
    check_option(capacity, "capacity", CERTIFICATE_CAPACITIES)
    check_option(tail, "tail", TAILS)
    if groups is not None and method != methods[0]:
        proved = "is proved for independent examples only"
        raise ValueError(f"groups need method={methods[0]!r}; {method!r} {proved}")
    return check_delta(delta)


def assumptions(method: str, *, grouped: bool = False, recorded: bool = True) -> tuple[str, ...]:
    """What a certificate of a method takes for granted.

    Parameters
    ----------
    method : str
    grouped : bool
        Whether groups, not examples, are independent.
    recorded : bool
        Whether the classifier knows which examples it was made from.

    Returns
    -------
    tuple of str
        Sentences.

    Examples
    --------
    >>> from treebounds.risk.certificate import assumptions
    >>> len(assumptions("halves")), len(assumptions("test-set", recorded=False))
    (2, 3)
    """
    drawn = _INDEPENDENT_GROUPS if grouped else _INDEPENDENT
    if method == "halves":
        return drawn, _DESIGN
    if method in ("message", "growth"):
        return drawn, _FIXED_INPUT
    return (drawn, _NO_CHOICE) if recorded else (drawn, _NO_CHOICE, _TRUSTED)


def growth_bound(
    tree: ArrayTree,
    n_examples: int,
    n_errors: int,
    n_classes: int,
    n_features: int | FeatureKinds,
    delta: float = 0.05,
    capacity: str = "all-structures",
    tail: str = "hypergeometric",
) -> float:
    """The bound of "growth" in :func:`certify`, which needs of a tree its leaves, or its shape, only.

    Parameters
    ----------
    tree : ArrayTree
    n_examples, n_errors, n_classes : int
    n_features : int or FeatureKinds
        An integer for real-valued features.
    delta, capacity, tail
        See :func:`certify`.

    Returns
    -------
    float
        Not clipped at 1, so that values can be compared: a hypergeometric tail that excludes no risk gives
        the relative deviation, or 1 if that is smaller.

    Examples
    --------
    >>> from treebounds.risk.certificate import growth_bound
    >>> from treebounds.trees import ArrayTree
    >>> stump = ArrayTree(
    ...     children_left=[1, -1, -1], children_right=[2, -1, -1], feature=[0, 0, 0], threshold=[0.5, 0, 0],
    ...     class_counts=[[3, 4], [3, 0], [0, 4]], n_features=1
    ... )
    >>> growth_bound(stump, 400, 20, 2, 1) < growth_bound(stump, 400, 20, 2, 1, tail="relative-deviation")
    True
    """
    m, L = n_examples, tree.n_leaves

    def price(total: int) -> tuple[float, float]:
        """Logarithms of the growth function and of the prior for a number of examples."""
        if capacity == "all-structures":
            return log_all_structures_growth_bound(L, total, n_features, n_classes), log_leaves_prior(L)
        log_growth = log_growth_function_bound(tree.structure, total, n_features, n_classes, capacity)
        return log_growth, log_structure_prior(L)

    if tail == "hypergeometric":
        ghosts = GHOSTS_PER_EXAMPLE * m
        value = hypergeometric_bound(m, n_errors, ghosts, *price(m + ghosts), delta)
        if value < 1:
            return value
        return max(1.0, relative_deviation_bound(m, n_errors, *price(2 * m), delta))
    return relative_deviation_bound(m, n_errors, *price(2 * m), delta)


def _test_set(asked: _Request, estimator: Any) -> Certificate:
    """The certificate of a classifier as it is, on new examples."""
    recorded = _check_new(estimator, asked)
    labels = column_or_1d(asked.y)
    predicted = np.asarray(estimator.predict(asked.X))
    if predicted.shape != labels.shape:
        raise ValueError(f"y must have one label for each of the {len(predicted)} rows; got {len(labels)}")
    if not np.isin(labels, estimator.classes_).any():
        raise ValueError(f"y has none of the labels that the classifier knows: {estimator.classes_.tolist()}")
    wrong = predicted != labels  # a label that the classifier does not know is an error
    units = None if asked.groups is None else check_groups(asked.groups, len(labels))
    value = loss_limit(wrong, units, math.log(asked.delta))
    n_groups = None if units is None else len(np.unique(units))
    sentences = assumptions("test-set", grouped=units is not None, recorded=recorded)
    counts = len(wrong), int(wrong.sum())
    return Certificate(value, "test-set", asked.delta, *counts, estimator, sentences, n_groups=n_groups)


def _occam(asked: _Request, fitted_tree: Any) -> Certificate:
    """The certificate of the best pruning, on new examples."""
    recorded = _check_new(fitted_tree, asked)
    tree, rows, codes = _read(fitted_tree, asked, finite=False)
    sequence, bounds = occam_bounds(tree, held_out_errors(tree, rows, codes), len(codes), asked.delta)
    best = len(bounds) - 1 - int(np.argmin(bounds[::-1]))
    pruned = collapse_classifier(fitted_tree, sequence.nodes(best))
    counts, sentences = (len(codes), round(sequence.errors[best])), assumptions("occam", recorded=recorded)
    return Certificate(float(bounds[best]), "occam", asked.delta, *counts, pruned, sentences)


def _message(asked: _Request, fitted_tree: Any) -> Certificate:
    """The certificate of a tree as a message to somebody who has the rows of X."""
    tree, rows, codes = _read(fitted_tree, asked)
    found = compress(tree, rows, codes, _at_least(tree.n_classes, asked.n_classes), asked.delta)
    counts = len(codes) - len(found.examples), found.n_errors
    estimator = _with_thresholds(fitted_tree, tree, found)
    return Certificate(found.value, "message", asked.delta, *counts, estimator, assumptions("message"))


def _growth(asked: _Request, fitted_tree: Any) -> Certificate:
    """The certificate of any tree with so many leaves, or of this shape."""
    tree, rows, codes = _read(fitted_tree, asked)
    m, k, n = len(codes), int((tree.predict(rows) != codes).sum()), _at_least(tree.n_classes, asked.n_classes)
    features = known_features(asked.X, rows, asked.feature_kinds)
    value = growth_bound(tree, m, k, n, features, asked.delta, asked.capacity, asked.tail)
    return Certificate(min(value, 1.0), "growth", asked.delta, m, k, fitted_tree, assumptions("growth"))


_CERTIFIED = dict(zip(METHODS, (_test_set, _message, _occam, _growth), strict=True))


def _at_least(met: int, n_classes: int | None) -> int:
    """The number of classes of the problem, which is that of the tree where nothing else is said."""
    return met if n_classes is None else check_integer(n_classes, "n_classes", met)


def _read(
    fitted_tree: Any, asked: _Request, finite: bool = True
) -> tuple[ArrayTree, NDArray[np.float32], NDArray[np.intp]]:
    """The tree, X as scikit-learn's trees compare it, and class indices."""
    check_classification_tree(fitted_tree)
    allowed: dict[str, Any] = {"dtype": np.float32, "ensure_all_finite": "allow-nan"}
    rows = validate_data(fitted_tree, asked.X, reset=False, **allowed)
    if finite and np.isnan(rows).any():
        raise ValueError(
            "X contains NaN, for which 'message' and 'growth' have no proof; 'test-set' and 'occam' have"
        )
    labels: Any = column_or_1d(asked.y)
    if len(labels) != len(rows):
        raise ValueError(f"y must have one label for each of the {len(rows)} examples; got {len(labels)}")
    unseen = np.setdiff1d(labels, fitted_tree.classes_)
    if len(unseen):
        raise ValueError(f"y: labels {unseen.tolist()} were unseen in training; the tree cannot predict them")
    return ArrayTree.from_sklearn(fitted_tree), rows, np.searchsorted(fitted_tree.classes_, labels)


def _check_new(estimator: Any, asked: _Request) -> bool:
    """Refuse rows that the classifier is known to come from; whether anything is known about them."""
    if isinstance(estimator, type) or not (hasattr(estimator, "predict") and is_classifier(estimator)):
        raise ValueError(f"fitted_tree must be a fitted classifier; got {estimator!r}")
    check_is_fitted(estimator, msg="fitted_tree is not fitted yet: call fit on this %(name)s first")
    parts = list(_parts(estimator, asked.X))
    records = [(part._row_hashes_, rows) for part, rows in parts if hasattr(part, "_row_hashes_")]
    if asked.duplicates == "refuse":
        for known, rows in records:
            _refuse_overlap(np.isin(row_hashes(rows), known))
        if asked.X_grown is not None:
            known_rows = set(_as_keys(asked.X_grown))
            _refuse_overlap(np.array([row in known_rows for row in _as_keys(asked.X)]))
        for part, rows in parts:
            if hasattr(part, "tree_") and not hasattr(part, "_row_hashes_") and was_grown_on(part, rows):
                raise ValueError("X: the tree was grown on these examples; a certificate needs others")
    return bool(records) or asked.X_grown is not None


def _refuse_overlap(met: NDArray[np.bool_]) -> None:
    """A ValueError if any row has been met before."""
    if met.any():
        raise ValueError(
            f"X: {met.sum()} of its {len(met)} rows are among those that the classifier was grown, pruned or "
            "chosen on; a certificate needs others. If they are other cases with the same values, drawn "
            "independently, say duplicates='independent'"
        )


def _parts(estimator: Any, X: Any) -> Iterator[tuple[Any, Any]]:
    """A classifier and what predicts inside it, a pipeline's end or a search's best, each with its X."""
    yield estimator, X
    if isinstance(estimator, Pipeline):
        yield from _parts(estimator[-1], estimator[:-1].transform(X) if len(estimator) > 1 else X)
    elif hasattr(estimator, "best_estimator_"):
        yield from _parts(estimator.best_estimator_, X)


def _as_keys(X: Any) -> list[Any]:
    """Rows that can be compared: by hash if they are numbers, else by their values."""
    try:
        return row_hashes(X).tolist()
    except (TypeError, ValueError):
        return [tuple(row) for row in np.asarray(X, dtype=object).tolist()]


def _with_thresholds(fitted_tree: Any, tree: ArrayTree, found: Compression) -> Any:
    """The certified classifier: the given one if it has the certified thresholds, else a copy."""
    if not len(found.collapsed) and np.array_equal(tree.threshold, found.tree.threshold):
        return fitted_tree
    warnings.warn(
        "the certificate holds for its `estimator`, a copy of the tree whose thresholds are training values "
        "(and in which sibling leaves that predict the same are one): predict with that",
        MovedThresholdsWarning,
        stacklevel=4,  # of whoever called certify
    )
    return move_thresholds(collapse_classifier(fitted_tree, found.collapsed), found.tree.threshold)
