"""A statement about a classifier that holds with probability 1 - delta, with its
assumptions.
"""

from __future__ import annotations

import math
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from numbers import Integral
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import (
    check_array,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from treebounds._validation import (
    check_integer,
    check_known,
    check_labels,
    check_option,
)
from treebounds.risk._features import known_features
from treebounds.risk.compression import Compression, compress_tree
from treebounds.risk.growth_bounds import growth_bound
from treebounds.risk.memory import Comparison, RowMemory, row_hashes
from treebounds.risk.occam import occam_bounds
from treebounds.risk.tail_inversion import (
    binomial_tail_inversion,
    bounded_mean_inversion,
    check_delta,
    check_groups,
    mean_over_groups,
)
from treebounds.trees import ArrayTree, collapse_classifier
from treebounds.trees.errors import held_out_errors
from treebounds.trees.scikit_learn import check_classification_tree, move_thresholds
from treebounds.trees.weakest_link import WeakestLinkSequence

# "halves" is for estimators, which make their own test sets by halving; certify
# receives a test set.
METHODS = ("halves", "test-set", "message", "occam", "growth")
# For each argument of certify or of an estimator that not all methods use, the methods
# that use it.
_USED_BY = {
    "groups": ("test-set", "halves"),
    "by": ("test-set",),
    "X_grown": ("test-set", "occam"),
    "n_classes": ("message", "growth"),
    "feature_kinds": ("growth",),
    "learners": ("halves",),
    "n_halvings": ("halves",),
}

_INDEPENDENT = (
    "The examples are independent draws from the distribution of the new cases, each"
    " drawn once."
)
_INDEPENDENT_GROUPS = (
    "The groups are independent draws from the distribution of the new groups; examples"
    " of a group may depend on each other."
)
_NO_CHOICE = (
    "The examples had no part in growing, pruning, tuning or choosing the classifier,"
    " and nothing that prepares its input (encoding, imputation, selection of features)"
    " was fitted to them."
)
_TRUSTED = (
    "It is trusted that the classifier was made from other examples; it keeps no record"
    " of them."
)
_EQUALS = (
    "Examples that are equal to some that made the classifier are other cases with the"
    " same values."
)
_FIXED_INPUT = (
    "Nothing that prepares the input was fitted to these examples; the classes, the"
    " number of features and all that was declared of their kinds were known before."
)
_DESIGN = (
    "Learners, halvings, delta and the seed were fixed before the data were seen, and"
    " nothing that prepares the input was fitted to them (in a pipeline that is a"
    " learner it is fitted to the growing half, which is allowed)."
)


class MovedThresholdsWarning(UserWarning):
    """A certificate holds for a copy of the tree whose thresholds are training values."""


@dataclass(frozen=True, eq=False)
class Certificate:
    """An upper bound of a classifier's risk, with its meaning; ``print`` shows it as a
    sentence.

    With probability at least 1 - delta over the sample, the classifier errs on at most
    the fraction ``value`` of new cases. If groups were given, these are the cases of a
    new group; with ``by="class"``, those of one class.

    Attributes
    ----------
    value : float
        At most 1; ``float(certificate)`` is the same.
    method : str
    delta : float
        Probability that this bound, or any of the bounds that it was chosen from,
        fails.
    n_examples, n_errors : int
        Number of test examples, and number of those that the classifier gets wrong.
    estimator : classifier
        The classifier to which the bound applies.
    assumptions : tuple of str
        Conditions that must hold and that cannot be checked from the data.
    n_candidates : int
        Number of classifiers whose bounds hold at once.
    n_groups : int or None
        Number of independent test groups; None where examples are independent.
    learner : str or None
        Only for "halves": name of the learner that made the classifier.
    halving : int or None
        Only for "halves": number of the halving, from 0.
    label : object
        The class to whose cases the bound applies, one of ``n_labels`` classes; None
        for all cases.
    n_labels : int
        Number of classes whose bounds hold at once.
    n_compared, n_recurring : int
        Number of test examples that could be compared with the examples that the
        classifier was made from, and number of those that are equal to one of these.
    remark : str
        Further remarks, for example that the classifier is constant.
    n_leaves : int or None
        Number of leaves of the estimator; None if it is not a tree.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from treebounds import certify
    >>> never = DummyClassifier().fit([[0], [0]], [0, 0])
    >>> print(certify(never, [[1]] * 59, [0] * 59))
    With probability 0.95 over the 59 examples, this classifier errs on at most 5.0% of new cases (test-set).
    It predicts 0 for each of these examples.
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
    label: Any = None
    n_labels: int = 1
    n_compared: int = field(default=0, repr=False)
    n_recurring: int = 0
    remark: str = field(default="", repr=False)
    n_leaves: int | None = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_leaves", count_leaves(self.estimator))

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        percent = (
            math.ceil(1000 * self.value) / 10
        )  # rounded up: a smaller number would not be certified
        if percent >= 100:
            return (
                f"This bound, {math.ceil(1e4 * self.value) / 1e4:g}, promises nothing"
                f" ({self.method})."
            )
        # Rounded down: no larger probability is certified.
        sure = math.floor(round(1e4 * (1 - self.delta), 6)) / 1e4
        probability = f"1 - {self.delta}" if self.delta < 1e-4 else f"{sure:g}"
        leaves = "leaf" if self.n_leaves == 1 else "leaves"
        kind = (
            "classifier"
            if self.n_leaves is None
            else f"tree with {self.n_leaves} {leaves}"
        )
        at_once = ((self.n_candidates, "candidates"), (self.n_labels, "classes"))
        notes = [
            self.method,
            *(f"{number} {name} at once" for number, name in at_once if number > 1),
        ]
        errs = (
            f"{'errs on' if self.label is None else 'misses'} at most {percent:.1f}% of"
            f" {self._cases()}"
        )
        start = f"With probability {probability} over {self._sample()}, this {kind}"
        sentences = [f"{start} {errs} ({', '.join(notes)})."]
        if self.n_recurring:
            rows = (
                f"Of {self.n_compared} examples that can be compared with those that"
                " made it"
            )
            have = "has" if self.n_recurring == 1 else "have"
            sentences.append(f"{rows}, {self.n_recurring} {have} an equal among them.")
        return (
            " ".join([*sentences, self.remark])
            .rstrip()
            .replace(" 1 examples", " 1 example")
        )

    def to_dict(self) -> dict[str, Any]:
        """All attributes and the sentence as plain numbers and words, with the type's
        name as the estimator.

        Returns
        -------
        dict
            ``json.dumps`` accepts it.

        Examples
        --------
        >>> import json
        >>> from sklearn.dummy import DummyClassifier
        >>> from treebounds import certify
        >>> never = DummyClassifier().fit([[0], [0]], [0, 0])
        >>> found = certify(never, [[1]] * 59, [0] * 59).to_dict()
        >>> found["n_examples"], found["estimator"], len(json.dumps(found)) > 100
        (59, 'DummyClassifier', True)
        """
        plain = {one.name: getattr(self, one.name) for one in fields(self)}
        label = self.label.item() if isinstance(self.label, np.generic) else self.label
        plain |= {
            "estimator": type(self.estimator).__name__,
            "assumptions": list(self.assumptions),
        }
        plain |= {
            "label": (
                label if isinstance(label, str | int | float | None) else str(label)
            )
        }
        return {"sentence": str(self), **plain}

    def _sample(self) -> str:
        """The random objects of the probability."""
        number = (
            f"{self.n_examples} examples"
            if self.n_groups is None
            else f"{self.n_groups} groups"
        )
        judges = (
            f"the {number}"
            if self.label is None
            else f"the {number} of class {self.label!r}"
        )
        # With these methods the tree depends on the random sample, too.
        made = self.method in ("halves", "message")
        return (
            f"the examples that made it and {judges} that judge it" if made else judges
        )

    def _cases(self) -> str:
        """The cases whose share is bounded."""
        if self.n_groups is not None:
            return "the cases of a new group, in the mean over groups"
        return (
            "new cases"
            if self.label is None
            else f"the new cases of class {self.label!r}"
        )


def count_leaves(classifier: Any) -> int | None:
    """Number of leaves of a fitted tree, also of one at the end of a pipeline or of the
    best one of a search.

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
    if (inside := _inside(classifier)) is not None:
        return count_leaves(inside)
    tree = getattr(classifier, "tree_", classifier)
    if hasattr(tree, "numNodes"):  # a tree of Spark
        return (int(tree.numNodes) + 1) // 2
    return (
        int(tree.n_leaves)
        if isinstance(getattr(tree, "n_leaves", None), Integral)
        else None
    )


def _inside(classifier: Any) -> Any:
    """The last step of a pipeline (also of Spark) or the best estimator of a search;
    None for all others.
    """
    if isinstance(classifier, Pipeline) or hasattr(classifier, "stages"):
        return getattr(classifier, "stages", classifier)[-1]
    return getattr(classifier, "best_estimator_", None)


@overload
def certify(
    fitted: object,
    X: Any,
    y: Any = None,
    *,
    by: None = None,
    delta: float = ...,
    method: str = ...,
    groups: ArrayLike | None = ...,
    X_grown: Any = ...,
    n_classes: int | None = ...,
    feature_kinds: Any = ...,
) -> Certificate: ...
@overload
def certify(
    fitted: object,
    X: Any,
    y: Any = None,
    *,
    by: Literal["class"],
    delta: float = ...,
    method: str = ...,
    groups: ArrayLike | None = ...,
    X_grown: Any = ...,
    n_classes: int | None = ...,
    feature_kinds: Any = ...,
) -> dict[Any, Certificate]: ...
def certify(
    fitted: object,
    X: Any,
    y: Any = None,
    *,
    delta: float = 0.05,
    method: str = "test-set",
    by: Literal["class"] | None = None,
    groups: ArrayLike | None = None,
    X_grown: Any = None,
    n_classes: int | None = None,
    feature_kinds: Any = None,
) -> Certificate | dict[Any, Certificate]:
    """Certify a classifier: an upper bound of its risk that holds with probability 1 -
    delta.

    Parameters
    ----------
    fitted : classifier
        For "test-set" any fitted classifier with scikit-learn's interface (a tree, a
        pipeline, a search, LightGBM's and XGBoost's classifiers), or an
        :class:`ArrayTree`, whose classes are 0, 1, ... For the other methods a
        scikit-learn ``DecisionTreeClassifier`` or a subclass.
    X : (m, l) array or frame, or iterable of pairs
        The classifier's input. "test-set" and "occam" need examples that the classifier
        has never seen. For "test-set", y may be omitted if X yields batches (X, y),
        which are tested one after the other and may be empty.
    y : (m,) array, optional
        The labels. For "test-set", a label that the classifier has never met counts as
        an error.
    delta : float
        Probability that the statement fails, strictly between 0 and 1. To quote the
        best of k classifiers, give each of them delta / k.
    method : {"test-set", "message", "occam", "growth"}
        - "test-set": certifies the classifier as it is, from examples that it has never
          seen.
        - "message": a sample compression bound, from the length of a message that
          describes the tree to somebody who has the examples' features. X is usually
          the sample that the tree was grown on. Each threshold is moved to a value of
          X.
        - "occam": certifies the best pruning of a tree that was grown on other data.
        - "growth": a bound from the number of labelings that all trees with as many
          leaves realize. X is usually the sample that the tree was grown on.
    by : {None, "class"}
        "class" certifies the share of errors among the cases of each class, with delta
        divided by the number of classes. Given the number of examples of each class,
        the errors in a class are binomial, so all these bounds hold at once, however
        rare a class is. Only with "test-set", without groups.
    groups : (m,) array, optional
        Which examples belong together (patients, batches, days), in at least 4 groups.
        The groups, but not the examples of a group, have to be independent. Only with
        "test-set".
    X_grown : (n_grown, l) array or frame, optional
        The examples on which a classifier was grown, pruned, tuned or chosen, to be
        compared with X. The estimators of this library keep a record of 256 of their
        rows; other classifiers keep none.
    n_classes : int, optional
        Only for "message" and "growth": number of classes of the problem if the tree's
        sample lacks some.
    feature_kinds : dict or "from_dtype", optional
        Only for "growth": a dict from columns, by name or position, to their numbers of
        levels, which have to be known before the sample is seen; "from_dtype" takes the
        categorical columns of a data frame. Columns with few levels make the bound
        smaller than real-valued columns do.

    Returns
    -------
    Certificate; with ``by="class"`` a dict of them, by class
        It applies to its ``estimator``, which for "message" and "occam" is not always
        ``fitted``.

    Raises
    ------
    ValueError
        If an argument is outside its range or not used by the method, a label is
        missing, or the sample does not fit the tree. For "test-set" and "occam" also if
        X was used to make the classifier; see Notes.

    Warns
    -----
    MovedThresholdsWarning
        If the certified tree is a copy with other thresholds.

    Notes
    -----
    An error is raised if the rows were recognizably used before. There are two checks.
    First, X is compared with the rows that an estimator of this library was fitted to
    (alone, at the end of a pipeline or as the best of a search) and with ``X_grown``: X
    is refused if more rows recur than independent samples explain; fewer are accepted,
    and the certificate gives their number. Second, X is refused if as many rows of each
    class reach each leaf of a single tree, or of the first tree of an ensemble, as when
    it was grown (as many rows of all classes together if the rows had weights, as in a
    forest). The second check refuses an independent sample of the same size m with a
    probability of at most about ((2 pi m)^(K - 1) p_1 ... p_K)^(-1/2), where p_1, ...,
    p_K are the probabilities of the K pairs of a leaf and a class, or of the K leaves.
    The certificate's ``assumptions`` list all that is not checked.

    A certificate of the last step of a pipeline, on transformed rows, holds only if the
    transformation was fitted without these rows. Certify the whole pipeline instead.

    "message" and "growth" hold for all trees at once, so it does not matter how this
    one was chosen. They do not accept missing values.

    The certificate has a remark if the classifier predicts the same class for all
    examples, or if always predicting the most frequent class would have a bound that is
    not larger.

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
    >>> {
    ...     label: round(one.value, 3)
    ...     for label, one in certify(tree, X_test, y_test, by="class").items()
    ... }
    {0: 0.233, 1: 0.07}
    """
    check_option(method, "method", METHODS[1:])
    given = {"by": by, "groups": groups, "X_grown": X_grown}
    given |= {"n_classes": n_classes, "feature_kinds": feature_kinds}
    for name, value in given.items():
        refuse_unused(name, value is not None, method)
    delta = check_delta(delta)
    sample = _batches(X, y, method, groups)
    if method == "test-set":
        return _test_set(fitted, sample, delta, by, groups, X_grown)
    return _from_tree(fitted, X, y, delta, method, X_grown, n_classes, feature_kinds)


def _batches(X: Any, y: Any, method: str, groups: Any) -> Iterable[tuple[Any, Any]]:
    """Return the sample as batches of rows and labels, or raise a ValueError."""
    if y is not None and not isinstance(X, Iterator):
        return [(X, y)]
    if method != "test-set" or groups is not None:
        raise ValueError(
            "y may be omitted, with batches as X, only for 'test-set' without groups"
        )
    if y is not None or hasattr(X, "shape") or not isinstance(X, Iterable):
        raise ValueError(
            "y must hold the labels, or be None if X is an iterable of batches (X, y)"
        )
    return X


def refuse_unused(name: str, is_set: bool, method: str) -> None:
    """Raise a ValueError if an argument is set that the method does not support."""
    if is_set and method not in _USED_BY[name]:
        methods = " or ".join(map(repr, _USED_BY[name]))
        raise ValueError(
            f"{name} needs method={methods}; {method!r} does not support it"
        )


def assumptions(
    method: str,
    *,
    grouped: bool = False,
    recorded: bool = True,
    recurring: bool = False,
) -> tuple[str, ...]:
    """The assumptions of a certificate by one of the methods.

    Parameters
    ----------
    method : str
    grouped : bool
        Whether groups, not examples, are independent.
    recorded : bool
        Whether the classifier has a record of the examples that it was made from.
    recurring : bool
        Whether some of these examples are equal to test examples.

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
    if method in ("message", "growth"):
        return drawn, _FIXED_INPUT
    made = _DESIGN if method == "halves" else _NO_CHOICE
    conditional = ((not recorded, _TRUSTED), (recurring, _EQUALS))
    return (drawn, made, *(sentence for applies, sentence in conditional if applies))


class Tally:
    """The errors of a classifier on test examples, counted for each class, batch by
    batch.

    Attributes
    ----------
    totals, errors : Counter
        Number of examples of each class, and number of errors among them.
    predicted : set
        Labels that the classifier predicts.

    Examples
    --------
    >>> import numpy as np
    >>> from treebounds.risk.certificate import Tally
    >>> tally = Tally()
    >>> tally.add(np.array(["a", "a"]), np.array(["a", "b"]))
    array([False,  True])
    >>> tally.errors.total(), tally.remark(0.9, -3.0)
    (1, "It predicts 'a' for each of these examples.")
    >>> round(tally.verdict(-3.0)["value"], 3)
    0.975
    """

    def __init__(self) -> None:
        self.totals: Counter[Any] = Counter()
        self.errors: Counter[Any] = Counter()
        self.predicted: set[Any] = set()

    def add(self, predicted: Any, labels: NDArray[Any]) -> NDArray[np.bool_]:
        """Count further examples; return a mask of the errors."""
        found = np.asarray(predicted)
        if found.shape != labels.shape:
            raise ValueError(
                f"y must have one label for each prediction; got {labels.shape},"
                f" {found.shape}"
            )
        wrong = np.asarray(found != labels)
        self.totals.update(labels.tolist())
        self.errors.update(labels[wrong].tolist())
        self.predicted.update(found.tolist())
        return wrong

    def verdict(
        self, log_gamma: float, groups: tuple[int, float] | None = None
    ) -> dict[str, Any]:
        """The upper limit of the risk, with further attributes of a certificate.

        Parameters
        ----------
        log_gamma : float
            ln of the probability that the limit fails, in nats.
        groups : (int, float), optional
            The result of :func:`mean_over_groups`, if groups and not examples are
            independent. The limit is then for the mean loss of a group.

        Returns
        -------
        dict
            ``value``, ``n_examples``, ``n_errors``, ``n_groups`` and ``remark``.
        """
        n, k = self.totals.total(), self.errors.total()
        n_groups, mean = (None, 0.0) if groups is None else groups
        if n_groups in (None, n):
            value = binomial_tail_inversion(k, n, log_gamma)
        else:
            value = bounded_mean_inversion(mean, n_groups, log_gamma)
        remark = self.remark(0.0 if groups else value, log_gamma)
        return {
            "value": value,
            "n_examples": n,
            "n_errors": k,
            "n_groups": n_groups,
            "remark": remark,
        }

    def remark(self, value: float, log_gamma: float) -> str:
        """A certificate's remark if the classifier is constant or shows no gain over a
        constant one.

        Parameters
        ----------
        value : float
            The certified risk; 0 if groups are independent, when it is not compared
            with that of a constant.
        log_gamma : float
            ln of the probability that it fails.

        Returns
        -------
        str
            A sentence, or an empty string.
        """
        if len(self.predicted) == 1:
            return (
                f"It predicts {next(iter(self.predicted))!r} for each of these"
                " examples."
            )
        majority, n_majority = max(self.totals.items(), key=lambda item: item[1])
        n, k = self.totals.total(), self.totals.total() - n_majority
        if not value or binomial_tail_inversion(k, n, log_gamma) > value:
            return ""
        return (
            f"It shows no gain over always predicting {majority!r}, which errs on {k}"
            " of these examples."
        )


def _test_set(
    classifier: Any,
    sample: Iterable[tuple[Any, Any]],
    delta: float,
    by: Any,
    groups: Any,
    X_grown: Any,
) -> Certificate | dict[Any, Certificate]:
    """The certificate of a classifier on new examples, or one for each of its classes."""
    known, comparisons, tally = (
        _known_classes(classifier),
        _Comparisons(X_grown),
        Tally(),
    )
    for X, y in sample:
        if (
            len(labels := _labels(y)) or np.shape(X)[0]
        ):  # A stream of batches may have empty ones.
            comparisons.add(classifier, X, labels)
            wrong = tally.add(
                classifier.predict(X), labels
            )  # unknown labels are errors
    if not set(known) & set(tally.totals):
        hint = "; tree.to_sklearn(classes) predicts other labels" * isinstance(
            classifier, ArrayTree
        )
        raise ValueError(f"y has none of the labels of the classifier: {known}{hint}")
    about: dict[str, Any] = {
        "method": "test-set",
        "delta": delta,
        "estimator": classifier,
    }
    about |= comparisons.found(grouped=groups is not None)
    if by is not None:
        check_option(by, "by, if not None,", ("class",))
        if groups is not None:
            raise ValueError(
                "groups and by='class' exclude each other: a group has cases of several"
                " classes"
            )
        return _by_class(tally, known, about)
    losses = (
        None
        if groups is None
        else mean_over_groups(wrong, check_groups(groups, len(wrong)))
    )
    return Certificate(**about, **tally.verdict(math.log(delta), losses))


def _by_class(
    tally: Tally, known: list[Any], about: dict[str, Any]
) -> dict[Any, Certificate]:
    """A certificate for the cases of each class. All of them hold at once."""
    unknown = sorted(map(repr, set(tally.totals) - set(known)))
    if unknown:
        raise ValueError(
            f"y may have only the classes {known} if by='class'; got"
            f" {', '.join(unknown)}"
        )
    found = {}
    for label in known:
        n, k = tally.totals[label], tally.errors[label]
        value = (
            binomial_tail_inversion(k, n, math.log(about["delta"] / len(known)))
            if n
            else 1.0
        )
        found[label] = Certificate(
            value, n_examples=n, n_errors=k, label=label, n_labels=len(known), **about
        )
    return found


def _from_tree(
    fitted: Any,
    X: Any,
    y: Any,
    delta: float,
    method: str,
    X_grown: Any,
    n_classes: Any,
    feature_kinds: Any,
) -> Certificate:
    """The certificate of a tree, or of a pruning or a copy of it, by a method for
    trees.
    """
    tree, rows, labels, codes = _read(fitted, X, y, finite=method != "occam")
    certified, m, about = fitted, len(codes), {}
    n = (
        tree.n_classes
        if n_classes is None
        else check_integer(n_classes, "n_classes", tree.n_classes)
    )
    if method == "occam":
        comparisons = _Comparisons(X_grown)
        comparisons.add(fitted, X, labels)
        about = comparisons.found()
        errors = held_out_errors(tree, rows, codes)
        value, certified = best_member(fitted, *occam_bounds(tree, errors, m, delta))
    elif method == "message":
        found = compress_tree(tree, rows, codes, n, delta)
        value, about = (
            found.value,
            {"n_errors": found.n_errors, "n_examples": m - len(found.examples)},
        )
        certified = _with_thresholds(fitted, tree, found)
    else:
        features, k = (
            known_features(X, rows, feature_kinds),
            int((tree.predict(rows) != codes).sum()),
        )
        value = growth_bound(tree.n_leaves, m, k, n, features, delta)
    return certificate_of_tree(value, method, delta, certified, rows, labels, **about)


def best_member(
    fitted_tree: Any, sequence: WeakestLinkSequence, bounds: NDArray[np.float64]
) -> tuple[float, Any]:
    """The smallest bound along a weakest-link sequence, and the smallest tree that has
    it.

    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.certificate import best_member
    >>> from treebounds.trees import ArrayTree, weakest_link_sequence
    >>> stump = DecisionTreeClassifier().fit([[0], [1]], [0, 1])
    >>> sequence = weakest_link_sequence(ArrayTree.from_sklearn(stump))
    >>> value, pruned = best_member(stump, sequence, np.array([0.5, 0.5]))
    >>> value, int(pruned.get_n_leaves())
    (0.5, 1)
    """
    best = len(bounds) - 1 - int(np.argmin(bounds[::-1]))
    return float(bounds[best]), collapse_classifier(fitted_tree, sequence.nodes(best))


def certificate_of_tree(
    value: float,
    method: str,
    delta: float,
    tree: Any,
    rows: Any,
    labels: NDArray[Any],
    **about: Any,
) -> Certificate:
    """The certificate of a tree, compared with that of a constant on the same examples.

    Parameters
    ----------
    value : float
        Clipped at 1.
    method : str
    delta : float
    tree : DecisionTreeClassifier
    rows : (n, l) array
    labels : (n,) array
    **about
        Further attributes of the certificate. They replace attributes that are computed
        from these examples.

    Returns
    -------
    Certificate

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.certificate import certificate_of_tree
    >>> stump = DecisionTreeClassifier().fit([[0], [1]], [0, 1])
    >>> certificate_of_tree(0.5, "growth", 0.1, stump, [[0], [1]], [0, 1]).n_errors
    0
    """
    tally = Tally()
    tally.add(tree.predict(rows), np.asarray(labels))
    found = {
        **tally.verdict(math.log(delta)),
        "value": min(1.0, value),
        "assumptions": assumptions(method),
    }
    found |= {"remark": tally.remark(value, math.log(delta)), **about}
    return Certificate(method=method, delta=delta, estimator=tree, **found)


def _labels(y: Any) -> NDArray[Any]:
    """Labels as a vector, none of them missing."""
    check_labels(y)
    return np.asarray(column_or_1d(y))


def _known_classes(classifier: Any) -> list[Any]:
    """Return the labels that a fitted classifier can predict, or raise a ValueError if
    it is not one.
    """
    if isinstance(classifier, ArrayTree):
        return list(range(classifier.n_classes))
    if not is_classifier_instance(classifier):
        raise ValueError(f"fitted must be a fitted classifier; got {classifier!r}")
    check_is_fitted(
        classifier, msg="fitted is not fitted yet: call fit on this %(name)s first"
    )
    return list(np.asarray(classifier.classes_).tolist())


def is_classifier_instance(one: Any) -> bool:
    """Whether an object is an instance of a classifier with scikit-learn's interface.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.certificate import is_classifier_instance
    >>> (
    ...     is_classifier_instance(DecisionTreeClassifier()),
    ...     is_classifier_instance(DecisionTreeClassifier),
    ... )
    (True, False)
    """
    return (
        hasattr(one, "__sklearn_tags__")
        and not isinstance(one, type)
        and is_classifier(one)
    )


def _read(
    fitted_tree: Any, X: Any, y: Any, finite: bool = True
) -> tuple[ArrayTree, NDArray[np.float32], NDArray[Any], NDArray[np.intp]]:
    """The tree, X as scikit-learn's trees compare it, labels and class indices."""
    check_classification_tree(fitted_tree)
    allowed: dict[str, Any] = {"dtype": np.float32, "ensure_all_finite": "allow-nan"}
    rows, labels = validate_data(fitted_tree, X, reset=False, **allowed), _labels(y)
    if finite and np.isnan(rows).any():
        raise ValueError(
            "X contains NaN; only 'test-set' and 'occam' are proved for missing values"
        )
    if len(labels) != len(rows):
        raise ValueError(
            f"y must have one label for each of the {len(rows)} examples; got"
            f" {len(labels)}"
        )
    return (
        ArrayTree.from_sklearn(fitted_tree),
        rows,
        labels,
        check_known(labels, fitted_tree.classes_),
    )


class _Comparisons:
    """Comparison of the rows that a classifier is known to be made from with the rows
    that test it.
    """

    def __init__(self, X_grown: Any) -> None:
        # The keys are the identities of estimators, and None for the rows that the
        # caller gives.
        self.each: dict[int | None, Comparison] = {}
        if X_grown is not None:
            self.each[None] = Comparison(RowMemory.of(row_hashes(X_grown)))

    def add(self, classifier: Any, X: Any, labels: NDArray[Any]) -> None:
        """Compare further rows; raise a ValueError if they are the sample that a tree
        was grown on.
        """
        if None in self.each:
            self.each[None].add(X)
        for part, rows in _parts(classifier, X):
            memory = getattr(part, "_row_memory_", None)
            if memory is not None:
                self.each.setdefault(id(part), Comparison(memory)).add(rows)
            elif _was_grown_on(part, rows, labels):
                raise ValueError(
                    "X: the tree was grown on these examples; a certificate needs"
                    " others"
                )

    def found(self, grouped: bool = False) -> dict[str, Any]:
        """A certificate's attributes from these comparisons; raise a ValueError if too
        many rows recur.
        """
        for one in self.each.values():
            if one.in_common():
                used = (
                    f"X: {one.n_recurring} of {one.n_compared} rows that can be"
                    " compared are among those "
                )
                used += (
                    "that the classifier was grown, pruned or chosen on, more than"
                    " independent samples "
                )
                raise ValueError(used + "have in common; a certificate needs others")
        pairs = [(one.n_recurring, one.n_compared) for one in self.each.values()]
        equals, compared = max(pairs, default=(0, 0))
        taken = assumptions(
            "test-set", grouped=grouped, recorded=bool(self.each), recurring=equals > 0
        )
        return {"assumptions": taken, "n_compared": compared, "n_recurring": equals}


def _was_grown_on(part: Any, rows: Any, labels: NDArray[Any]) -> bool:
    """Whether each node of a fitted tree is reached by as many rows of each class as
    when it was grown.
    """
    if hasattr(part, "booster_"):
        return _lightgbm_was_grown_on(part.booster_, rows)
    members, first = getattr(part, "estimators_", None), part
    if isinstance(members, list | np.ndarray) and len(members):
        first = members.flat[0] if isinstance(members, np.ndarray) else members[0]
    tree: Any = getattr(first, "tree_", None)
    if (
        not hasattr(tree, "n_node_samples")
        or tree.node_count == 1
        or tree.n_features != np.shape(rows)[1]
    ):
        return False
    if not hasattr(
        first, "feature_names_in_"
    ):  # The members of a forest do not know the names of columns.
        rows = check_array(
            rows, accept_sparse=True, dtype=None, ensure_all_finite=False
        )
    # A forest draws rows with repetition: a row counts once, with a weight, or as often
    # as it was drawn.
    drawn, paths = (
        getattr(part, "estimators_samples_", [range(len(labels))]),
        first.decision_path(rows),
    )
    for used in (
        (drawn[0], np.unique(drawn[0]))
        if 1 + max(map(np.max, drawn)) == len(labels)
        else ()
    ):
        if np.array_equal(
            np.asarray(paths[used].sum(axis=0)).ravel(), tree.n_node_samples
        ):
            break
    else:
        return False
    weights = tree.weighted_n_node_samples
    if not np.array_equal(weights, tree.n_node_samples) or tree.value.shape[1:] != (
        1,
        len(part.classes_),
    ):
        return True  # the tree has no counts of classes to compare
    each = paths[used].T @ (labels[used, np.newaxis] == np.asarray(part.classes_))
    return bool(np.allclose(each, tree.value[:, 0, :] * weights[:, np.newaxis]))


def _lightgbm_was_grown_on(booster: Any, rows: Any) -> bool:
    """Whether as many rows reach each leaf of the first tree of a LightGBM model as in
    its training.
    """
    counts = re.search(
        r"^leaf_count=(.*)$", booster.model_to_string(num_iteration=1), re.M
    )
    grown = [int(count) for count in counts[1].split()] if counts else []
    reached = booster.predict(rows, pred_leaf=True, num_iteration=1)
    first = np.asarray(reached).reshape(len(reached), -1)[:, 0]
    return len(grown) > 1 and np.bincount(first, minlength=len(grown)).tolist() == grown


def _parts(estimator: Any, X: Any) -> Iterator[tuple[Any, Any]]:
    """A classifier, and the last step of a pipeline or the best of a search inside it,
    each with its X.
    """
    yield estimator, X
    if (inside := _inside(estimator)) is not None:
        transforms = isinstance(estimator, Pipeline) and len(estimator) > 1
        yield from _parts(inside, estimator[:-1].transform(X) if transforms else X)


def _with_thresholds(fitted_tree: Any, tree: ArrayTree, found: Compression) -> Any:
    """The certified classifier: the given one if it has the certified thresholds
    already, else a copy.
    """
    if not len(found.collapsed) and np.array_equal(
        tree.threshold, found.tree.threshold
    ):
        return fitted_tree
    advice = (
        "predict with the certificate's estimator, a copy in which thresholds are"
        " training values"
    )
    warnings.warn(
        advice, MovedThresholdsWarning, stacklevel=4
    )  # in the caller of certify
    return move_thresholds(
        collapse_classifier(fitted_tree, found.collapsed), found.tree.threshold
    )
