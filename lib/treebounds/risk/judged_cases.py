"""The cases that judge a model, batch by batch, with the loss and the part of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treebounds.risk.certificate import Certificate
from treebounds.risk.certificate_table import CertificateTable, Part, level_of_each
from treebounds.risk.groups import mean_over_groups
from treebounds.risk.partitions import Partition
from treebounds.risk.questions import Question
from treebounds.risk.rows.labels import as_vector, counts_of
from treebounds.risk.tally import Tally
from treebounds.risk.verdict import Verdict


class _CountedPart(NamedTuple):
    """The counts of one part of the cases, and its limit if they are enough for one."""

    n_cases: int
    n_errors: int
    verdict: Verdict | None


class CountedErrors:
    """The errors of a classifier on test examples, which are counted as they come.

    For all cases together it does what :class:`JudgedCases` does with ``Errors``. Why
    are there two? This one keeps no predictions and no labels and compares them once,
    so that it takes less time on words, and less memory on batches.

    >>> import numpy as np
    >>> from treebounds.risk.judged_cases import CountedErrors
    >>> cases = CountedErrors()
    >>> cases.add(None, np.array([0, 1]), np.array([0, 0]), np.arange(2))
    >>> verdict = cases.verdict(0.05)
    >>> verdict.n_errors, verdict.n_examples
    (1, 2)

    Attributes
    ----------
    n_cases : int
    tally : Tally
    """

    def __init__(self) -> None:
        self.n_cases = 0
        self.tally = Tally()
        self._wrong: list[NDArray[np.bool_]] = []

    def add(
        self, X: Any, predicted: Any, labels: NDArray[Any], rows: NDArray[np.intp]
    ) -> None:
        """Judge further cases, see :meth:`JudgedCases.add`."""
        self._wrong.append(self.tally.count(predicted, labels))
        self.n_cases += len(labels)

    def labels(self) -> set[Any]:
        """All labels of the cases."""
        return set(self.tally.totals)

    def verdict(self, delta: float, units: NDArray[np.intp] | None = None) -> Verdict:
        """The limit for all cases, see :meth:`JudgedCases.verdict`."""
        losses = None
        if units is not None:
            losses = mean_over_groups(np.concatenate(self._wrong), units)
        return self.tally.verdict(math.log(delta), losses)


class JudgedCases:
    """The losses of a model on test examples.

    >>> import numpy as np
    >>> from treebounds.risk.judged_cases import JudgedCases
    >>> from treebounds.risk.questions import Tolerance
    >>> cases = JudgedCases(Tolerance(1.0))
    >>> cases.add(None, np.zeros(3), np.array([0.5, 1.5, 0.0]), np.arange(3))
    >>> verdict = cases.verdict(0.05)
    >>> verdict.n_errors, verdict.n_examples
    (1, 3)

    Parameters
    ----------
    question : Question
        What is asked of the model.
    partition : Partition, optional
        The parts for which it is asked.

    Attributes
    ----------
    n_cases : int
    """

    def __init__(self, question: Question, partition: Partition | None = None) -> None:
        self.question = question
        self.partition = partition
        self.n_cases = 0
        self._losses: list[NDArray[Any]] = []
        self._predicted: list[NDArray[Any]] = []
        self._labels: list[NDArray[Any]] = []
        self._codes: list[NDArray[np.intp]] = []

    def add(
        self, X: Any, predicted: Any, labels: NDArray[Any], rows: NDArray[np.intp]
    ) -> None:
        """Judge further cases.

        Parameters
        ----------
        X : (n, l) array or frame
            As the model takes it; only read where leaves are the parts.
        predicted, labels : (n,) array
        rows : (n,) array of int
            The cases' numbers in the whole sample.
        """
        self._losses.append(self.question.losses(predicted, labels, rows))
        self._predicted.append(as_vector(predicted, labels))
        self._labels.append(labels)
        if self.partition is not None:
            self._codes.append(self.partition.codes(X, rows))
        self.n_cases += len(labels)

    def labels(self) -> set[Any]:
        """All labels of the cases."""
        return set().union(*map(counts_of, self._labels))

    def verdict(self, delta: float, units: NDArray[np.intp] | None = None) -> Verdict:
        """The limit for all cases, which fails with probability at most delta.

        Parameters
        ----------
        delta : float
        units : (n_cases,) array of int, optional
            The group of each case, if the groups and not the cases are independent.

        Returns
        -------
        Verdict
        """
        losses = np.concatenate(self._losses)
        verdict = self.question.verdict(losses, delta, units=units)
        predicted, labels = map(np.concatenate, (self._predicted, self._labels))
        remark = self.question.remark(predicted, labels, verdict, delta)
        return replace(verdict, remark=remark)

    def table(
        self,
        delta: float,
        certificate: Callable[..., Certificate],
        *,
        quoted_delta: float | None = None,
    ) -> CertificateTable:
        """The limits for the parts and for all cases, which hold at once with
        probability 1 - delta.

        Parameters
        ----------
        delta : float
        certificate : function
            It makes a certificate of a verdict; with the keywords ``by``, ``label`` and
            ``n_parts``.
        quoted_delta : float, optional
            If the model was chosen from several, the probability that the table of any
            of them fails; ``delta`` is that for this one.

        Returns
        -------
        CertificateTable
        """
        partition: Any = self.partition
        n_statements = len(partition.labels) + 1
        level = level_of_each(delta, n_statements, self.question.is_monotone)
        whole = self.verdict(level)
        counted = self._counted_parts(level, whole.tolerance or 0.0)

        parts = []
        for label, part in zip(partition.labels, counted, strict=True):
            limit = None
            if part.verdict is not None:
                limit = certificate(
                    part.verdict, by=partition.kind, label=label, n_parts=n_statements
                )
            columns = partition.describe(label)
            parts.append(
                Part(
                    label,
                    part.n_cases,
                    part.n_errors,
                    limit,
                    least_cases=self.question.least_cases(level),
                    **columns,
                )
            )

        of_all = certificate(whole, n_parts=n_statements)
        delta_to_quote = delta if quoted_delta is None else quoted_delta
        return CertificateTable(
            parts, by=partition.kind, delta=delta_to_quote, whole=of_all
        )

    def _counted_parts(self, level: float, tolerance: float) -> Iterator[_CountedPart]:
        """The parts with their limits, each of which fails with probability at most
        ``level``; ``tolerance`` says what an error is where a part has no limit.
        """
        losses_of = self._by_part()
        least = self.question.least_cases(level)
        enough = [losses for losses in losses_of if len(losses) >= least]
        verdicts = iter(self.question.verdicts(enough, level))
        for losses in losses_of:
            if len(losses) >= least:
                verdict = next(verdicts)
                yield _CountedPart(len(losses), verdict.n_errors, verdict)
            else:
                n_errors = int(np.count_nonzero(losses > tolerance))
                yield _CountedPart(len(losses), n_errors, None)

    def _by_part(self) -> list[NDArray[Any]]:
        """The losses of the cases of each part."""
        partition: Any = self.partition
        codes = np.concatenate(self._codes)
        # NumPy sorts numbers of 16 bits in linear time.
        n_parts = len(partition.labels)
        narrow = codes.astype(np.uint16) if n_parts <= 2**16 else codes
        order = np.argsort(narrow, kind="stable")
        ends = np.bincount(codes, minlength=n_parts).cumsum()
        return np.split(np.concatenate(self._losses)[order], ends[:-1])
