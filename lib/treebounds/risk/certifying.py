"""Certify a fitted classifier: an upper bound of its risk from a sample."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import (
    column_or_1d,
    validate_data,
)

from treebounds._validation import (
    check_integer,
    check_known,
    check_labels,
    check_option,
)
from treebounds.formats import collapse_classifier
from treebounds.formats.scikit_learn import (
    check_classification_tree,
    from_sklearn,
    move_thresholds,
)
from treebounds.risk._features import known_features
from treebounds.risk.certificate import METHODS, Certificate, assumptions, refuse_unused
from treebounds.risk.classifiers import known_classes
from treebounds.risk.compression import Compression, compress_tree
from treebounds.risk.growth_bounds import growth_bound
from treebounds.risk.occam import occam_bounds
from treebounds.risk.reuse import Comparisons
from treebounds.risk.tail_inversion import (
    binomial_tail_inversion,
    check_delta,
    check_groups,
    mean_over_groups,
)
from treebounds.risk.tally import Tally
from treebounds.trees import ArrayTree
from treebounds.trees.counting import held_out_errors
from treebounds.trees.weakest_link import WeakestLinkSequence


class MovedThresholdsWarning(UserWarning):
    """A certificate holds for a copy of the tree whose thresholds are training values."""


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
        known_classes(classifier),
        Comparisons(X_grown),
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
        hint = "; to_sklearn(tree, classes) predicts other labels" * isinstance(
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
        comparisons = Comparisons(X_grown)
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
    >>> from treebounds.risk.certifying import best_member
    >>> from treebounds.formats import from_sklearn
    >>> from treebounds.trees import weakest_link_sequence
    >>> stump = DecisionTreeClassifier().fit([[0], [1]], [0, 1])
    >>> sequence = weakest_link_sequence(from_sklearn(stump))
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
    labels: ArrayLike,
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
    >>> from treebounds.risk.certifying import certificate_of_tree
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
        from_sklearn(fitted_tree),
        rows,
        labels,
        check_known(labels, fitted_tree.classes_),
    )


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
