"""Halvings: every tree is grown on one half of the examples and tested on the other,
and the best is quoted.

**Theorem.** Draw K halvings of the examples, independently of the data. For each
halving, let each of G learners make a classifier from one half alone, and another one
from the other half alone. These are J = 2 G K classifiers. Let each be made from a half
A and err on k of the n examples of the other half B. With probability at least 1 -
delta, all J of them at once have risk at most ``binomial_tail_inversion(k, n, ln(delta
/ J))``.

Proof. Fix the halving and the examples of A: the classifier is then fixed, B is a
sample that is independent of it, and k is binomial. So its bound fails with probability
at most delta / J. Take the mean over A and the halvings, and sum over the J
classifiers.

All J bounds hold together, so any of them may be quoted. Nothing is assumed about how
the learners work, but each classifier must predict every row by itself. One that looks
at the order or the number of the rows that it predicts is not covered, and is refused
where two rows, predicted alone, show it.

**Groups.** If examples come in groups, only the groups have to be independent draws. A
group is not divided between the halves. Its loss is the fraction of its examples that
are errors, and the upper limit of the mean loss is :func:`bounded_mean_inversion`. The
certificate then bounds the fraction of errors in a new group.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed

from treebounds._validation import check_integer, require
from treebounds.risk.certificate import Certificate, certificate_from_verdict
from treebounds.risk.certificate_table import CertificateTable
from treebounds.risk.checks import check_delta
from treebounds.risk.groups import check_groups, mean_over_groups
from treebounds.risk.judged_cases import JudgedCases
from treebounds.risk.leaves import Leaves
from treebounds.risk.models.kinds import count_leaves
from treebounds.risk.models.learner_parts import own_code
from treebounds.risk.models.learners import check_learner, seeded
from treebounds.risk.models.numbered_labels import NumberedLabels, needs_numbers
from treebounds.risk.models.row_by_row import check_row_by_row
from treebounds.risk.partitions import MIN_ROWS
from treebounds.risk.questions import Errors, Question
from treebounds.risk.reuse.recurrence import Recurrence
from treebounds.risk.rows.duplicates import Repeats, find_duplicates
from treebounds.risk.rows.labels import as_vector
from treebounds.risk.rows.row_hashes import RowHashes
from treebounds.risk.rows.tables import take
from treebounds.risk.tally import Tally
from treebounds.risk.verdict import Verdict

# What is asked if nothing else is.
_ERRORS = Errors()


@dataclass(frozen=True)
class Candidates:
    """The models that a certificate was chosen from; one entry for each.

    Attributes
    ----------
    learner : tuple of str
        Name of the learner.
    halving : (n,) array of int
        Index of the halving, from 0.
    side : (n,) array of int
        Index of the half that the model was made from.
    n_leaves : (n,) array of int
        -1 for a model that is not a tree.
    n_errors : (n,) array of int
        Errors on the test half, or cases that are off by more than the tolerance.
    n_examples : (n,) array of int
        Size of the test half.
    bound : (n,) array of float
        All of them hold at once with probability 1 - delta. Shares of errors, or mean
        costs, or tolerances if a coverage was asked for.
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
        """Make the table from one tuple for each candidate, in the order of the
        attributes.
        """
        learner, *columns = zip(*rows, strict=True)
        return cls(learner, *map(np.array, columns))

    @property
    def best(self) -> int:
        """Index of the quoted candidate: the smallest bound and, among equal ones, the
        fewest leaves.
        """
        return int(np.lexsort((self.n_leaves, self.bound))[0])

    def to_frame(self) -> Any:
        """The candidates as a pandas.DataFrame, one row each; an ImportError if pandas
        is not installed.
        """
        return require("pandas", "pandas").DataFrame(vars(self))


def best_of_halvings(
    learners: Sequence[tuple[str, Any]],
    X: Any,
    y: NDArray[Any],
    *,
    delta: float = 0.05,
    n_halvings: int = 4,
    groups: ArrayLike | None = None,
    duplicates: str = "refuse",
    random_state: Any = None,
    n_jobs: int | None = None,
    question: Question = _ERRORS,
    is_prepared: bool = False,
) -> Halvings:
    """Fit models to halves, test them on the other halves, and certify the one with the
    smallest bound.

    :class:`treebounds.CertifiedClassifier` and
    :class:`treebounds.CertifiedTreeClassifier` call it.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.halving import best_of_halvings
    >>> learners = [("stump", DecisionTreeClassifier(max_depth=1))]
    >>> halvings = best_of_halvings(
    ...     learners, *load_iris(return_X_y=True), random_state=0
    ... )
    >>> halvings.certificate.n_examples, len(halvings.candidates.bound)
    (75, 8)

    Parameters
    ----------
    learners : sequence of (name, classifier)
        Unfitted; each is cloned for each half.
    X : (m, l) array, sparse matrix or frame
        At least 2 rows.
    y : (m,) array
    delta : float
    n_halvings : int
        The number K.
    groups : (m,) array, optional
        Which examples belong together, in at least 4 groups.
    duplicates : {"refuse", "together", "ignore"}
        What to do with examples that are equal to others, see
        :func:`treebounds.risk.rows.duplicates.find_duplicates`. With "together" equal
        examples are in the same half; they are all there to fit, and one of them
        judges.
    random_state : int, RandomState instance or None
    n_jobs : int, optional
        Number of classifiers that are fitted at the same time, as in joblib.
    question : Question
        What is asked of the models, see :mod:`treebounds.risk.questions`: the errors of
        classifiers when not given. A tolerance or a coverage is asked of regressors.
    is_prepared : bool
        Whether X comes from steps that were fitted to it, which the certificates then
        say.

    Returns
    -------
    Halvings
        ``certificate``, whose ``estimator`` is the fitted model, ``candidates``, and
        ``by_leaf``.

    Raises
    ------
    ValueError
        If an argument is outside its range, a learner is not a classifier or has been
        fitted, or contains a fitted model, examples are copies of others, or there are
        fewer than 2 different examples or fewer than 4 groups.
    """
    delta = check_delta(delta)
    n_halvings = check_integer(n_halvings, "n_halvings")
    learners = [
        (name, check_learner(learner, predicts_numbers=question.is_about_numbers))
        for name, learner in learners
    ]
    if not learners:
        raise ValueError(
            "learners (or estimators) must be a list with at least one of them; a"
            " generator is used up by the first look at it"
        )
    if len(y) < 2:
        raise ValueError(
            f"X must have at least 2 rows to be halved; got n_samples = {len(y)}"
        )

    # The design: which learner is fitted to which half. It must not depend on y.
    sample = _sample(X, y, groups, duplicates)._replace(is_prepared=is_prepared)
    trials = _design(learners, n_halvings, sample, check_random_state(random_state))

    # Fit and judge. All bounds hold at once, so the smallest one may be quoted.
    log_gamma = math.log(delta) - math.log(len(trials))
    groups_of_rows = sample.units if sample.is_grouped else None
    judging = _Judging(X, y, groups_of_rows, log_gamma, question)
    return _best(_run(trials, judging, n_jobs), sample, judging, delta)


def _best(
    judged: Sequence[_Judged], sample: _Sample, judging: _Judging, delta: float
) -> Halvings:
    """The model with the smallest bound, with its certificates."""
    candidates = _table(judged)
    trial, model, verdict = judged[candidates.best]

    certificate = partial(
        certificate_from_verdict,
        delta=delta,
        recurrence=_recurrence(trial, sample.hashes),
        repeats=sample.repeats,
        method="halves",
        n_candidates=len(judged),
        learner=trial.name,
        halving=trial.halving,
        is_prepared=sample.is_prepared,
        own_code=own_code(trial.learner),
    )
    by_leaf = partial(_by_leaf, trial, model, judging, certificate, delta)
    return Halvings(certificate(model, verdict), candidates, by_leaf, sample.hashes)


def _recurrence(trial: _Trial, hashes: RowHashes) -> Recurrence:
    """How many of the rows that judge are equal to rows that made the model."""
    numbers = hashes.of_all()
    n_recurring = int(np.isin(numbers[trial.judged], numbers[trial.grown]).sum())
    return Recurrence(len(trial.judged), n_recurring)


class Halvings(NamedTuple):
    """What halvings give.

    Attributes
    ----------
    certificate : Certificate
        Of the best model.
    candidates : Candidates
        All models that it was chosen from.
    by_leaf : function
        Of the best model, a tree, as it is published, perhaps with names. It gives the
        CertificateTable by leaf.
    hashes : RowHashes
        Of all rows, for the record of them.
    """

    certificate: Certificate
    candidates: Candidates
    by_leaf: Callable[[Any], CertificateTable]
    hashes: RowHashes


class _Sample(NamedTuple):
    """What is known of the examples, and which of them are one case.

    ``units`` is the number of the independent unit of each row: of its group, or of its
    case. ``is_first`` is a mask of the rows that judge: all, or one of each case.
    """

    units: NDArray[np.intp]
    is_grouped: bool
    is_first: NDArray[np.bool_]
    repeats: Repeats
    hashes: RowHashes
    is_prepared: bool = False


def _sample(X: Any, y: NDArray[Any], groups: Any, policy: str) -> _Sample:
    """The sample, after a look for rows that are equal to others."""
    groups = None if groups is None else check_groups(groups, len(y))
    duplicates = find_duplicates(X, y, policy, groups)
    if len(duplicates.kept) < 2:
        raise ValueError("X must have at least 2 different rows to be halved")

    units = duplicates.cases if groups is None else groups
    is_first = np.zeros(len(y), dtype=bool)
    is_first[duplicates.kept] = True
    return _Sample(
        units=units,
        is_grouped=groups is not None,
        is_first=is_first,
        repeats=duplicates.repeats,
        hashes=duplicates.hashes,
    )


class _Judging(NamedTuple):
    """How the models of all trials are judged: what a process needs that judges some.

    ``groups`` is the group of each row, if groups are independent. ``log_gamma`` is ln
    of the probability with which the limit of one model may fail.
    """

    X: Any
    y: NDArray[Any]
    groups: NDArray[np.intp] | None
    log_gamma: float
    question: Question

    def verdict(self, predicted: NDArray[Any], judged: NDArray[np.intp]) -> Verdict:
        """The limit of a model from its predictions for the rows that judge it."""
        groups = None if self.groups is None else self.groups[judged]
        if not isinstance(self.question, Errors):
            cases = JudgedCases(self.question)
            cases.add(None, predicted, self.y[judged], judged)
            return cases.verdict(math.exp(self.log_gamma), groups)

        # The errors of classifiers are only counted.
        tally = Tally()
        wrong = tally.count(predicted, self.y[judged])
        losses = None if groups is None else mean_over_groups(wrong, groups)
        return tally.verdict(self.log_gamma, losses)


def _by_leaf(
    trial: _Trial,
    model: Any,
    judging: _Judging,
    certificate: Callable[..., Certificate],
    delta: float,
    published: Any,
) -> CertificateTable:
    """The table of the chosen tree, from the half that judged it.

    Every candidate has such a table, and all of them hold at once: a table of one leaf
    is the certificate, so its price cannot be less.
    """
    names = getattr(published, "feature_names_in_", None)
    cases = JudgedCases(judging.question, Leaves(model, MIN_ROWS, names))
    rows = take(judging.X, trial.judged)
    labels = judging.y[trial.judged]
    cases.add(rows, model.predict(rows), labels, trial.judged)
    gamma = math.exp(judging.log_gamma)
    return cases.table(gamma, partial(certificate, published), quoted_delta=delta)


class _Trial(NamedTuple):
    """One learner on one side of one halving."""

    name: str
    halving: int
    side: int
    learner: Any
    grown: NDArray[np.intp]
    judged: NDArray[np.intp]


class _Judged(NamedTuple):
    """The model of a trial, and its verdict."""

    trial: _Trial
    model: Any
    verdict: Verdict


def _design(
    learners: Sequence[tuple[str, Any]],
    n_halvings: int,
    sample: _Sample,
    rng: np.random.RandomState,
) -> list[_Trial]:
    """All trials: each learner on both sides of each halving."""
    trials = []
    for halving in range(n_halvings):
        for side, (grown, judged) in enumerate(_both_sides(sample.units, rng)):
            judged = judged[sample.is_first[judged]]
            for name, learner in learners:
                unfitted = seeded(learner, rng)
                trials.append(_Trial(name, halving, side, unfitted, grown, judged))
    return trials


def _run(
    trials: Sequence[_Trial], judging: _Judging, n_jobs: int | None
) -> list[_Judged]:
    """The models of all trials, with their verdicts."""
    jobs = [delayed(_fit_and_judge)(trial, judging) for trial in trials]
    results = Parallel(n_jobs=n_jobs, return_as="generator")(jobs)
    models_and_verdicts = with_progress(results, len(jobs))
    return [
        _Judged(trial, model, verdict)
        for trial, (model, verdict) in zip(trials, models_and_verdicts, strict=True)
    ]


def _table(judged: Sequence[_Judged]) -> Candidates:
    """The table of candidates, one row for each trial."""
    return Candidates.of_rows(
        (
            trial.name,
            trial.halving,
            trial.side,
            count_leaves(model) or -1,
            verdict.n_errors,
            verdict.n_examples,
            verdict.limit,
        )
        for trial, model, verdict in judged
    )


def with_progress(results: Iterable[Any], n_results: int) -> Iterable[Any]:
    """The results, with a progress bar after two seconds if tqdm is installed and
    writes to a terminal.

    >>> from treebounds.risk.halving import with_progress
    >>> list(with_progress(iter("abc"), 3))
    ['a', 'b', 'c']
    """
    try:
        tqdm: Any = require("tqdm", "progress")
    except ImportError:
        return results
    bar: Iterable[Any] = tqdm.tqdm(
        results, total=n_results, delay=2, disable=None, leave=False
    )
    return bar


def _both_sides(
    units: NDArray[np.intp], rng: np.random.RandomState
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Rows of a random half of the units and of the other half, then with the sides
    exchanged.
    """
    n_units = int(units.max()) + 1
    in_first = np.isin(units, rng.permutation(n_units)[: n_units // 2])
    first = np.flatnonzero(in_first)
    second = np.flatnonzero(~in_first)
    return [(first, second), (second, first)]


def _fit_and_judge(trial: _Trial, judging: _Judging) -> tuple[Any, Verdict]:
    """The model of a trial, fitted to some rows, and its verdict on others."""
    grown = trial.grown
    model = _fitted(trial.learner, take(judging.X, grown), judging.y[grown])

    rows = take(judging.X, trial.judged)
    predicted = as_vector(model.predict(rows), judging.y[trial.judged])
    check_row_by_row(model, rows, predicted)
    return model, judging.verdict(predicted, trial.judged)


def _fitted(learner: Any, X: Any, y: NDArray[Any]) -> Any:
    """A learner after its fit, which numbers the labels where the learner needs it."""
    if needs_numbers(learner) and not _are_numbered(y):
        learner = NumberedLabels(learner)
    try:
        return learner.fit(X, y)
    except NotFittedError as error:
        raise ValueError(
            "learners (or estimators) must fit all that they use; a model inside"
            f" {type(learner).__name__} has to be fitted before, as with cv='prefit',"
            " and then the examples that judge may have had a part in it"
        ) from error


def _are_numbered(labels: NDArray[Any]) -> bool:
    """Whether the labels are 0, 1, ... without a gap."""
    classes = np.unique(labels)
    return classes.dtype.kind in "iu" and np.array_equal(
        classes, np.arange(len(classes))
    )
