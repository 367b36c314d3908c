"""Certify a fitted model from examples that it has never seen."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds._labels import hint_of_numbers
from treebounds._row_order import check_same_order
from treebounds._validation import shown
from treebounds.risk.certificate import Certificate, certificate_from_verdict
from treebounds.risk.certificate_table import CertificateTable, Part
from treebounds.risk.checks import check_delta
from treebounds.risk.groups import check_groups
from treebounds.risk.judged_cases import CountedErrors, JudgedCases
from treebounds.risk.models.kinds import known_classes
from treebounds.risk.models.row_by_row import WatchedModel
from treebounds.risk.partitions import MIN_ROWS, partition_of
from treebounds.risk.questions import Costs, Errors, Question, ask
from treebounds.risk.reuse.check import ReuseCheck
from treebounds.risk.reuse.recurrence import Recurrence
from treebounds.risk.rows.duplicates import DuplicateCheck, Policy, Repeats
from treebounds.risk.rows.row_hashes import RowHashes
from treebounds.risk.rows.tables import check_table, copied, take
from treebounds.risk.tail_inversion import binomial_tail_inversion
from treebounds.risk.tally import Tally
from treebounds.risk.verdict import Verdict


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
    tolerance: float | None = ...,
    coverage: float | None = ...,
    cost: Any = ...,
    min_rows: int = ...,
    duplicates: Policy = ...,
) -> Certificate: ...


@overload
def certify(
    model: object,
    X: Any,
    y: Any = None,
    *,
    by: Literal["class", "leaf"] | ArrayLike,
    delta: float = ...,
    groups: ArrayLike | None = ...,
    X_grown: Any = ...,
    tolerance: float | None = ...,
    coverage: float | None = ...,
    cost: Any = ...,
    min_rows: int = ...,
    duplicates: Policy = ...,
) -> CertificateTable: ...


def certify(
    model: object,
    X: Any,
    y: Any = None,
    *,
    delta: float = 0.05,
    by: Literal["class", "leaf"] | ArrayLike | None = None,
    groups: ArrayLike | None = None,
    X_grown: Any = None,
    tolerance: float | None = None,
    coverage: float | None = None,
    cost: Any = None,
    min_rows: int = MIN_ROWS,
    duplicates: Policy = "refuse",
) -> Certificate | CertificateTable:
    """Certify a model: an upper bound of its risk, from examples that it has never
    seen.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import train_test_split
    >>> from treebounds import CostComplexityPrunedTreeClassifier, certify
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
    >>> tree = CostComplexityPrunedTreeClassifier(random_state=0).fit(X, y)
    >>> print(certify(tree, X_test, y_test))
    With probability 0.95 over the 285 examples, this tree with 4 leaves errs on at most
    10.5% of new cases (test-set), if these examples had no part in making it, in
    preparing its input or in choosing it, and if they are drawn like new cases,
    independently of each other and of those that made it. Always predicting 1 errs on
    35.4% of these examples.
    >>> for label, certificate in certify(tree, X_test, y_test, by="class").items():
    ...     print(label, f"{certificate:.3f}")
    0 0.233
    1 0.070

    A regressor is certified for a tolerance, or for a share of cases to cover:

    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> tree = DecisionTreeRegressor(max_leaf_nodes=8).fit(X[:242], y[:242])
    >>> certify(tree, X[242:], y[242:], tolerance=100).n_errors
    25
    >>> certify(tree, X[242:], y[242:], coverage=0.8).limit < 110
    True

    Parameters
    ----------
    model : classifier or regressor
        Any fitted one with scikit-learn's interface (a tree, a pipeline, a search, the
        models of LightGBM, XGBoost and CatBoost), or an :class:`ArrayTree`, whose
        classes are 0, 1, ...: for labels in words give it
        ``np.searchsorted(tree.classes, y)``.
    X : (m, l) array or frame, or iterable of pairs
        The model's input, of examples that it has never seen. y may be omitted if
        X yields batches (X, y), which are judged one after the other and may be empty.
    y : (m,) array, optional
        The labels, or numbers. A label that the classifier has never met counts as an
        error.
    delta : float
        Probability that the statement fails, strictly between 0 and 1. To quote the
        best of k models, give each of them delta / k.
    by : {None, "class", "leaf"} or (m,) array
        For which parts of the cases limits are wanted; all of them hold at once.

        - "class": the share of errors among the cases of each class, with delta divided
          by the number of classes. Given the number of examples of each class, the
          errors in a class are binomial, however rare a class is. Only for errors of
          classifiers.
        - "leaf": for each leaf of a tree, and for all cases together; see ``min_rows``.
        - an array: for each group of cases (region, sex), and for all cases together.
          It has one entry for each row, like the column ``X["region"]``. The groups are
          to be declared before the answers were looked at.

        Not together with ``groups``.
    groups : (m,) array, optional
        Which examples belong together (patients, batches, days), in at least 4 groups.
        The groups, but not the examples of a group, have to be independent.
    X_grown : (n_grown, l) array or frame, optional
        The examples on which the model was grown, pruned, tuned or chosen, to be
        compared with X, in the same form and with the same columns; those of frames are
        compared by name. The estimators of this library keep a record of some of their
        rows; other models keep none.
    tolerance : float, optional
        For a regressor: bounds the share of new cases on which it is off by more than
        this, in the unit of y. To be fixed before the answers were looked at.
    coverage : float, optional
        For a regressor: bounds the size of error that this share of new cases does not
        exceed. It is the certificate's ``tolerance``.
    cost : matrix, mapping, or array, optional
        For a classifier: bounds the mean cost of a case. Entry (i, j) of the matrix is
        the cost of class j for a case of class i, with the classes in increasing order
        (words: "high", "low", "mid"); a frame that names its rows and columns by the
        classes may have them in any order.
        A mapping from classes, or an array with a number for each, gives the cost of an
        error on a case of each class; an array with a number for each case in y gives
        that of an error on each (then the largest must be the largest of all cases).
    min_rows : int
        For ``by="leaf"``: leaves are joined by the numbers of *training* examples
        alone, and their predictions stay. A node is divided into its two branches only
        if both have this many; 1 joins none.
    duplicates : {"refuse", "together", "ignore"}
        What to do with examples that are equal to others, labels included. "refuse"
        raises an error if they look like copies, also of rows in ``X_grown``;
        "together" takes equal ones for copies of one case, counts them once, and leaves
        out those that made the model as far as its record is complete, which
        ``X_grown`` is. If a record shows copies that it cannot tell from other cases,
        as behind the steps of a pipeline, ``X_grown`` is needed. Without any record,
        the sentence has the condition that no copy of an example had a part in making
        the model. "ignore" takes them for different cases and counts each.

    Returns
    -------
    Certificate; with ``by`` a :class:`CertificateTable`, a mapping from parts to them
        It applies to its ``estimator``, which is ``model``.

    Raises
    ------
    ValueError
        If an argument is outside its range, a label is missing, X was used to make the
        model, or it predicts a row otherwise alone; see Notes.

    See Also
    --------
    treebounds.risk.certify_prunings : the best pruning of a tree, from new examples.
    treebounds.risk.certify_by_message, treebounds.risk.certify_by_growth : a tree, from
        the examples that it was grown on.

    Notes
    -----
    *The limit.* The errors on examples that had no part in making the model are
    binomial; see :func:`binomial_tail_inversion`. For tables see
    ``treebounds.risk.certificate_table``, for costs :func:`mean_cost_limit`, for
    coverage :func:`covering_tolerance`. Cost: one prediction and one hash for each
    example; for ``by="leaf"`` the tree is applied once more. If the first columns tell
    most of many examples apart, the hash reads no others.

    *Rows that were used before.* X is compared with all that is known of the rows that
    made the model, and refused if it is recognized: with the record of an estimator of
    this library, alone, inside a pipeline or a search; with the rows that models keep,
    as nearest neighbours do; with ``X_grown``; with the numbers of rows at the leaves
    of trees; and with the means that scalers and linear models keep. Independent
    samples are hardly ever refused. :mod:`treebounds.risk.reuse` says what is
    recognized of which model, what is not, and how likely a wrong refusal is.

    Many models keep too little, above all linear classifiers without a scaler, boosting
    on parts of the rows, and what learns from counts of words; and no record shows rows
    that were changed in between. Nor can one see whether cases depend on each other, as
    near copies do, or whether the model is the best of several by these examples. So
    the sentence says "if these examples had no part in making it, in preparing its
    input or in choosing it, and if they are drawn like new cases, independently of each
    other and of those that made it", and the certificate's ``assumptions`` list all
    that is not checked.

    *Models that are refused.* A model that predicts a row otherwise alone than among
    others is refused if two of the rows show it: new cases come one at a time. So is
    one that predicts otherwise for the first batch after the last one, or was fitted in
    between, because it learns from what judges it, and one that writes into the rows
    that it predicts. A model that takes the columns of a frame by their places, as
    those of LightGBM do, is refused if they are in another order than those that it was
    fitted to. A certificate of the last step of a pipeline, on transformed rows, holds
    only if the transformation was fitted without these rows: certify the whole pipeline
    instead.

    *Equal examples* count as different cases unless they look like copies, by the tests
    of :mod:`treebounds.risk.rows.copies` and :mod:`treebounds.risk.rows.occurrences`.
    Cases that were measured several times, with answers that differ, are refused, too:
    give ``groups``. The sentence gives the share of examples that repeat others, with
    the condition "if equal examples are different cases".

    *The remark* of the certificate says how often the most frequent class, or the best
    number, errs on these examples if it is always predicted, or what the best class
    then costs; or that the model is constant. With ``groups`` only the latter is
    remarked.
    """
    delta = check_delta(delta)
    _check_partition(by, groups, min_rows)
    check_same_order(X=X, y=y, by=by, groups=groups, cost=_by_case(cost))
    n_rows = None
    if y is not None and not isinstance(X, Iterator):
        n_rows = np.size(y)
    question = ask(
        model, tolerance=tolerance, coverage=coverage, cost=cost, n_rows=n_rows
    )
    by_case = _values_by_case(question, cost, by)
    judge = _Judge(model, X, y, n_rows, groups, X_grown, duplicates, question, by_case)
    if isinstance(by, str) and by == "class":
        return _by_class(judge, delta)

    if by is not None:
        parts = JudgedCases(question, partition_of(by, model, min_rows, n_rows))
        certificate = judge.judge(parts, delta)
        return parts.table(delta, certificate)

    cases = CountedErrors() if isinstance(question, Errors) else JudgedCases(question)
    certificate = judge.judge(cases, delta)
    return certificate(cases.verdict(delta, judge.units(cases.n_cases)))


class _Judge(NamedTuple):
    """A model and the examples that judge it, as :func:`certify` receives them.

    ``n_rows`` is None if the examples come in batches. ``by_case`` are arguments that
    have an entry for each example.
    """

    model: Any
    X: Any
    y: Any
    n_rows: int | None
    groups: Any
    X_grown: Any
    duplicates: str
    question: Question
    by_case: dict[str, NDArray[Any]]

    def judge(
        self, cases: CountedErrors | JudgedCases, delta: float
    ) -> Callable[..., Certificate]:
        """Let all examples judge the model; return the function that makes a
        certificate of a verdict.
        """
        recurrence, repeats = self._hand_on(cases)
        if not cases.n_cases:
            raise ValueError("X must hold at least one example")
        if isinstance(self.question, Errors | Costs):
            _check_labels_met(cases.labels(), known_classes(self.model))
        return partial(
            certificate_from_verdict,
            self.model,
            delta=delta,
            recurrence=recurrence,
            repeats=repeats,
        )

    def _hand_on(
        self, cases: CountedErrors | JudgedCases
    ) -> tuple[Recurrence, Repeats]:
        """Predict batch by batch and hand rows, predictions, true values and the rows'
        numbers on; return how many of the rows were used before, and how many repeat
        others.
        """
        reuse = ReuseCheck(
            self.model,
            self.X_grown,
            self.n_rows,
            are_independent=self.groups is None,
            duplicates=self.duplicates,
        )
        together = self.duplicates == "together"
        check = DuplicateCheck(self.duplicates, self.units(self.n_rows))

        n_seen = 0
        model = WatchedModel(self.model, in_batches=self.n_rows is None)
        for rows, labels in _batches(self.X, self.y, self.groups, self.question.read):
            predicted = model.predict(rows, labels)
            hashes = RowHashes(rows)
            reuse.compare(rows, labels, hashes)
            places = check.examine(hashes, labels)
            if together:
                different = take(rows, places)
                reuse.compare_different(different, labels[places])
                places = places[~reuse.recurs(different)]
                rows = take(rows, places)
                labels = labels[places]
                predicted = predicted[places]
            if len(places):
                cases.add(rows, predicted, labels, n_seen + places)
            n_seen += len(hashes)

        model.check_unchanged()
        if together:
            _check_copies_agree(check.cases(), self.by_case)
        return reuse.recurrence(left_out=together), check.repeats()

    def units(self, n_cases: int | None) -> NDArray[np.intp] | None:
        """The number of the group of each case, if there are groups; batches, whose
        number of cases is not known, have none.
        """
        if self.groups is None or n_cases is None:
            return None
        return check_groups(self.groups, n_cases)


def _check_copies_agree(
    cases: NDArray[np.uint64], by_case: dict[str, NDArray[Any]]
) -> None:
    """Raise a ValueError if examples that are taken for one case have different costs,
    or are in different groups.
    """
    order = np.argsort(cases, kind="stable")
    is_copy = cases[order][1:] == cases[order][:-1]
    for name, values in by_case.items():
        ordered = values[order]
        if (ordered[1:] != ordered[:-1])[is_copy].any():
            raise ValueError(
                f"{name} must be the same for equal examples, since"
                " duplicates='together' takes them for copies of one case and judges"
                " the first of them"
            )


def _check_partition(by: Any, groups: Any, min_rows: Any) -> None:
    """Raise a ValueError unless ``by`` goes together with the other arguments."""
    is_leaf = isinstance(by, str) and by == "leaf"
    if not is_leaf and min_rows != MIN_ROWS:
        raise ValueError(f"min_rows needs by='leaf'; got by={shown(by)}")
    if by is not None and groups is not None:
        raise ValueError(
            "groups and by exclude each other: given the part of each case, the cases"
            " must be independent. Use groups=, or by= with independent cases, such as"
            " one of each group"
        )


def _by_case(cost: Any) -> Any:
    """The cost if it may have an entry for each case, not a row for each class."""
    return cost if np.ndim(cost) == 1 else None


def _values_by_case(question: Question, cost: Any, by: Any) -> dict[str, NDArray[Any]]:
    """The arguments that have an entry for each example, by their names."""
    values = {}
    if isinstance(question, Costs) and question.is_by_case:
        values["cost"] = np.asarray(cost)
    if by is not None and not isinstance(by, str):
        values["by"] = np.asarray(by)
    return values


def _batches(
    X: Any, y: Any, groups: Any, read_labels: Callable[[Any], NDArray[Any]]
) -> Iterator[tuple[Any, NDArray[Any]]]:
    """Yield the sample as batches of rows and labels, without empty ones."""
    if y is not None and not isinstance(X, Iterator):
        labels = read_labels(y)
        _check_a_label_for_each_row(X, labels)
        yield X, labels
        return

    if groups is not None:
        raise ValueError("y may be omitted, with batches as X, only without groups")
    if y is not None or hasattr(X, "shape") or not isinstance(X, Iterable):
        raise ValueError(
            "y must hold the labels, or be None if X is an iterable of batches (X, y)"
        )
    for batch in X:
        if not isinstance(batch, tuple | list) or len(batch) != 2:
            raise ValueError(
                "y must hold the labels, or be None if X is an iterable of batches"
                " (X, y); got an entry that is no such pair"
            )
        rows, targets = batch
        check_same_order(X=rows, y=targets)
        labels = read_labels(targets)
        _check_a_label_for_each_row(rows, labels)
        if len(labels):
            # The caller may fill the same arrays with the next batch.
            yield copied(rows), copied(labels)


def _check_a_label_for_each_row(X: Any, labels: NDArray[Any]) -> None:
    """Raise a ValueError if there are more rows than labels, or fewer."""
    n_rows = check_table(X, "X")
    if n_rows == len(labels):
        return
    of_batches = ""
    if isinstance(X, list | tuple):
        of_batches = "; batches (X, y) bring their own labels, and y is None then"
    raise ValueError(
        f"y must have one label for each row; X has {n_rows} rows, and y has"
        f" {len(labels)} labels{of_batches}"
    )


def _check_labels_met(labels: set[Any], classes: list[Any]) -> None:
    """Raise a ValueError if no label is one of the classifier's."""
    if labels & set(classes):
        return
    raise ValueError(
        f"y has none of the labels of the classifier: {shown(classes)}"
        f"{hint_of_numbers(classes)}"
    )


def _by_class(judge: _Judge, delta: float) -> CertificateTable:
    """A certificate for the cases of each class. All of them hold at once."""
    if not isinstance(judge.question, Errors):
        raise ValueError(
            "by='class' is for the errors of classifiers; certify numbers and costs by"
            " 'leaf', or by an array of groups"
        )
    errors = CountedErrors()
    certificate = judge.judge(errors, delta)
    tally = errors.tally
    classes = known_classes(judge.model)
    _check_classes_known(tally, classes)

    log_gamma = math.log(delta / len(classes))
    parts = []
    for label in classes:
        verdict = _verdict_of_class(tally, label, log_gamma)
        limit = certificate(verdict, by="class", label=label, n_parts=len(classes))
        parts.append(Part(label, verdict.n_examples, verdict.n_errors, limit))
    return CertificateTable(parts, by="class", delta=delta)


def _check_classes_known(tally: Tally, classes: list[Any]) -> None:
    """Raise a ValueError if a label is none of the classifier's."""
    unknown = sorted(set(tally.totals) - set(classes), key=str)
    if unknown:
        raise ValueError(
            f"y may have only the classes {shown(classes)} if by='class'; got"
            f" {shown(unknown)}"
        )


def _verdict_of_class(tally: Tally, label: Any, log_gamma: float) -> Verdict:
    """The limit for the cases of one class."""
    n = tally.totals[label]
    k = tally.errors[label]
    value = binomial_tail_inversion(k, n, log_gamma) if n else 1.0
    return Verdict(value, n, k, remark=tally.remark_on_a_constant())
