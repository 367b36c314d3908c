"""Certify a fitted classifier from examples that it has never seen."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from treebounds._validation import check_option
from treebounds.risk.certificate import Certificate, assumptions
from treebounds.risk.classifiers import known_classes
from treebounds.risk.reuse import Recurrence, ReuseCheck
from treebounds.risk.tail_inversion import (
    binomial_tail_inversion,
    check_delta,
    check_groups,
    mean_over_groups,
)
from treebounds.risk.tally import Tally, Verdict
from treebounds.risk.tree_certificates import read_labels
from treebounds.trees import ArrayTree


@overload
def certify(
    model: object,
    X: Any,
    y: Any = None,
    *,
    by: None = None,
    delta: float = ...,
    groups: ArrayLike | None = ...,
    X_grown: Any = ...,
) -> Certificate: ...


@overload
def certify(
    model: object,
    X: Any,
    y: Any = None,
    *,
    by: Literal["class"],
    delta: float = ...,
    groups: ArrayLike | None = ...,
    X_grown: Any = ...,
) -> dict[Any, Certificate]: ...


def certify(
    model: object,
    X: Any,
    y: Any = None,
    *,
    delta: float = 0.05,
    by: Literal["class"] | None = None,
    groups: ArrayLike | None = None,
    X_grown: Any = None,
) -> Certificate | dict[Any, Certificate]:
    """Certify a classifier: an upper bound of its risk, from examples that it has never
    seen.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import train_test_split
    >>> from treebounds import CostComplexityPrunedTreeClassifier, certify
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
    >>> tree = CostComplexityPrunedTreeClassifier(random_state=0).fit(X, y)
    >>> print(certify(tree, X_test, y_test))
    With probability 0.95 over the 285 examples, this tree with 4 leaves errs on at most 10.5% of new cases
    (test-set).
    >>> for label, certificate in certify(tree, X_test, y_test, by="class").items():
    ...     print(label, f"{certificate:.3f}")
    0 0.233
    1 0.070

    Parameters
    ----------
    model : classifier
        Any fitted classifier with scikit-learn's interface (a tree, a pipeline, a
        search, the classifiers of LightGBM, XGBoost and CatBoost), or an
        :class:`ArrayTree`, whose classes are 0, 1, ...
    X : (m, l) array or frame, or iterable of pairs
        The classifier's input, of examples that it has never seen. y may be omitted if
        X yields batches (X, y), which are judged one after the other and may be empty.
    y : (m,) array, optional
        The labels. A label that the classifier has never met counts as an error.
    delta : float
        Probability that the statement fails, strictly between 0 and 1. To quote the
        best of k classifiers, give each of them delta / k.
    by : {None, "class"}
        "class" certifies the share of errors among the cases of each class, with delta
        divided by the number of classes. Given the number of examples of each class,
        the errors in a class are binomial, so all these bounds hold at once, however
        rare a class is. Without groups.
    groups : (m,) array, optional
        Which examples belong together (patients, batches, days), in at least 4 groups.
        The groups, but not the examples of a group, have to be independent.
    X_grown : (n_grown, l) array or frame, optional
        The examples on which a classifier was grown, pruned, tuned or chosen, to be
        compared with X. The estimators of this library keep a record of some of their
        rows; other classifiers keep none.

    Returns
    -------
    Certificate; with ``by="class"`` a dict of them, by class
        It applies to its ``estimator``, which is ``model``.

    Raises
    ------
    ValueError
        If an argument is outside its range, a label is missing, or X was used to make
        the classifier; see Notes.

    See Also
    --------
    treebounds.risk.certify_prunings : the best pruning of a tree, from new examples.
    treebounds.risk.certify_by_message, treebounds.risk.certify_by_growth : a tree, from
        the examples that it was grown on.

    Notes
    -----
    The errors on examples that had no part in making the classifier are binomial; see
    :func:`binomial_tail_inversion`. Cost: one prediction for each example, and one hash
    of each row where there is a record to compare it with.

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

    The certificate has a remark if the classifier predicts the same class for all
    examples, or if always predicting the most frequent class would have a bound that is
    not larger.
    """
    delta = check_delta(delta)
    _check_partition(by, groups)
    known = known_classes(model)

    # Judge the batches one after the other.
    reuse = ReuseCheck(X_grown)
    tally = Tally()
    for rows, labels in _batches(X, y, groups):
        reuse.compare(model, rows, labels)
        wrong = tally.count(model.predict(rows), labels)  # type: ignore[attr-defined]
    _check_labels_met(tally, known, model)
    recurrence = reuse.recurrence()

    if by is not None:
        return _by_class(model, tally, known, delta, recurrence)

    losses = None
    if groups is not None:
        losses = mean_over_groups(wrong, check_groups(groups, len(wrong)))
    verdict = tally.verdict(math.log(delta), losses)
    return certificate_from_verdict(model, verdict, delta, recurrence)


def certificate_from_verdict(
    model: Any,
    verdict: Verdict,
    delta: float,
    recurrence: Recurrence,
    *,
    by: str | None = None,
    label: Any = None,
    n_parts: int = 1,
) -> Certificate:
    """The certificate of a classifier from examples that it has never seen.

    Parameters
    ----------
    model : classifier
    verdict : Verdict
    delta : float
    recurrence : Recurrence
        How many of the examples were used before.
    by : str, optional
        The kind of parts if the certificate is about a part of the cases: "class".
    label : object, optional
        The part.
    n_parts : int
        Number of parts whose bounds hold at once.

    Returns
    -------
    Certificate
    """
    return Certificate(
        value=verdict.value,
        method="test-set",
        delta=delta,
        n_examples=verdict.n_examples,
        n_errors=verdict.n_errors,
        n_groups=verdict.n_groups,
        estimator=model,
        assumptions=assumptions(
            "test-set",
            grouped=verdict.n_groups is not None,
            recorded=recurrence.is_recorded,
            recurring=recurrence.n_recurring > 0,
        ),
        by=by,
        label=label,
        n_parts=n_parts,
        n_compared=recurrence.n_compared,
        n_recurring=recurrence.n_recurring,
        remark=verdict.remark,
    )


def _check_partition(by: Any, groups: Any) -> None:
    """Raise a ValueError unless ``by`` is known and goes together with ``groups``."""
    if by is None:
        return
    check_option(by, "by, if not None,", ("class",))
    if groups is not None:
        raise ValueError(
            "groups and by='class' exclude each other: a group has cases of several"
            " classes"
        )


def _batches(X: Any, y: Any, groups: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the sample as batches of rows and labels, without empty ones."""
    if y is not None and not isinstance(X, Iterator):
        yield X, read_labels(y)
        return

    if groups is not None:
        raise ValueError("y may be omitted, with batches as X, only without groups")
    if y is not None or hasattr(X, "shape") or not isinstance(X, Iterable):
        raise ValueError(
            "y must hold the labels, or be None if X is an iterable of batches (X, y)"
        )
    for rows, targets in X:
        labels = read_labels(targets)
        if len(labels) or np.shape(rows)[0]:
            yield rows, labels


def _check_labels_met(tally: Tally, known: list[Any], model: Any) -> None:
    """Raise a ValueError if no label is one of the classifier's."""
    if set(known) & set(tally.totals):
        return
    hint = ""
    if isinstance(model, ArrayTree):
        hint = "; to_sklearn(tree, classes) predicts other labels"
    raise ValueError(f"y has none of the labels of the classifier: {known}{hint}")


def _by_class(
    model: Any, tally: Tally, known: list[Any], delta: float, recurrence: Recurrence
) -> dict[Any, Certificate]:
    """A certificate for the cases of each class. All of them hold at once."""
    unknown = sorted(map(repr, set(tally.totals) - set(known)))
    if unknown:
        raise ValueError(
            f"y may have only the classes {known} if by='class'; got"
            f" {', '.join(unknown)}"
        )

    log_gamma = math.log(delta / len(known))
    certificates = {}
    for label in known:
        n = tally.totals[label]
        k = tally.errors[label]
        value = binomial_tail_inversion(k, n, log_gamma) if n else 1.0
        certificates[label] = certificate_from_verdict(
            model,
            Verdict(value, n, k, remark=tally.remark_on_a_constant()),
            delta,
            recurrence,
            by="class",
            label=label,
            n_parts=len(known),
        )
    return certificates
