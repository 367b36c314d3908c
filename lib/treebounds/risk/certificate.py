"""A statement about a model that holds with probability 1 - delta, with its
assumptions.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import total_ordering
from numbers import Real
from typing import Any

from treebounds._versions import Versioned
from treebounds.risk.assumptions import assumptions, trusted
from treebounds.risk.facts import Facts
from treebounds.risk.models.fingerprints import fingerprint
from treebounds.risk.reuse.recurrence import Recurrence
from treebounds.risk.rows.duplicates import Repeats
from treebounds.risk.sentence import (
    about_change,
    about_rows,
    claim,
    kind,
    promises_nothing,
    sentence,
)
from treebounds.risk.verdict import Verdict, limit_to_quote
from treebounds.risk.words import in_percent, plain_word, rounded_up


@total_ordering
@dataclass(frozen=True, eq=False, kw_only=True)
class Certificate(Facts, Versioned):
    """An upper bound of a model's risk, with its meaning; ``print`` shows it as a
    sentence.

    With probability at least 1 - delta over the sample, the classifier errs on at most
    the fraction ``value`` of new cases. If groups were given, these are the cases of a
    new group; with ``by``, those of one class or of another part. A regressor is off by
    more than ``tolerance`` on at most this fraction. With ``cost``, ``value`` is a
    limit of the mean cost of a case.

    A certificate compares, rounds and formats as the number ``value``. Those of a
    coverage all have the same value: compare their ``tolerance``.

    >>> from sklearn.dummy import DummyClassifier
    >>> from treebounds import certify
    >>> never = DummyClassifier().fit([[0], [0]], [0, 0])
    >>> certificate = certify(never, [[i] for i in range(59)], [0] * 59)
    >>> print(certificate)
    With probability 0.95 over the 59 examples, this classifier errs on at most 5.0% of
    new cases (test-set), if these examples had no part in making it, in preparing its
    input or in choosing it, and if they are drawn like new cases, independently of each
    other and of those that made it. It predicts 0 for each of these examples.
    >>> certificate < 0.1, f"{certificate:.3f}"
    (True, '0.050')

    Attributes
    ----------
    value : float
        At most 1, or the largest cost; ``float(certificate)`` is the same.
    method : str
        "test-set", "halves", "message", "occam" or "growth".
    delta : float
        Probability that this bound, or any of the bounds that it was chosen from,
        fails.
    n_examples, n_errors : int
        Number of test examples, and number of those that the model gets wrong, is off
        by more than ``tolerance`` on, or makes costs on.
    estimator : classifier or regressor
        The model to which the bound applies, as it was then. It is not a copy. If it is
        fitted again or changed later, the sentence of a limit for all cases says so,
        and so does the table of its parts. Models of scikit-learn, LightGBM, XGBoost
        and CatBoost are looked at; what other models keep is not always found.
    n_candidates : int
        Number of classifiers whose bounds hold at once.
    n_groups : int or None
        Number of independent test groups; None where examples are independent.
    learner : str or None
        Only for "halves": name of the learner that made the classifier.
    halving : int or None
        Only for "halves": number of the halving, from 0.
    by : str or None
        "class" if the bound is about the cases of one class; None for all cases.
    label : object
        The part of the cases to which the bound applies, such as a class.
    n_parts : int
        Number of parts whose bounds hold at once.
    n_compared, n_recurring : int
        Number of test examples that could be compared with the examples that the
        classifier was made from, and number of those that are equal to one of these.
    is_recorded : bool
        Whether there is a record of the examples that the classifier was made from, or
        whether these are known for another reason.
    is_compared_after_steps : bool
        Whether they were compared as they reach the last step of a pipeline, whose
        record is that of this step.
    is_prepared : bool
        Whether steps before the estimator in a pipeline were fitted to the same
        examples. The sentence then says that they must have learned nothing from them.
    duplicates : str
        What was done with equal examples: copies were "refuse"d, equal ones were taken
        "together", on one side of a halving, and counted once, or "ignore"d.
    n_rows, n_repeats : int
        Number of examples that were looked through for equal ones, and how many of them
        repeat others.
    remark : str
        Further remarks, for example that the classifier is constant.
    tolerance : float or None
        For regressors, in the unit of y. A prediction plus or minus the tolerance is an
        interval that misses at most the share ``value`` of new cases, with the
        probability of the certificate.
    coverage : float or None
        The share that the caller asked ``tolerance`` to cover, 1 - ``value``; None if
        the tolerance was given.
    largest_cost : float or None
        The largest cost that a case may have; None if errors are counted.
    is_cost_by_case : bool
        Whether each case has a cost of its own, so that no new case may cost more.
    declared : tuple of str
        What the caller had to fix before the answers were looked at: "groups", "costs",
        "tolerance" or "coverage".
    own_code : tuple of str
        Classes and functions of the caller's in a learner, which must use nothing but
        the rows that they are given.
    further_assumptions : tuple of str
        What a special way to certify assumes besides, in sentences.
    n_leaves : int or None
        Number of leaves of the estimator; None if it is not a tree.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        # A table has many parts, which would all read the same model.
        certified = fingerprint(self.estimator) if self.by is None else None
        object.__setattr__(self, "_fingerprint", certified)

    def __float__(self) -> float:
        return self.value

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Certificate | Real):
            return self.value == float(other)
        return NotImplemented

    def __lt__(self, other: object) -> bool:
        if isinstance(other, Certificate | Real):
            return self.value < float(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.value)

    def __round__(self, n_digits: int | None = None) -> float:
        return round(self.value, n_digits)

    def __format__(self, specification: str) -> str:
        if specification:
            return format(self.value, specification)
        return self.sentence

    def __str__(self) -> str:
        return self.sentence

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Conditions that must hold and that cannot be checked from the data, in
        sentences.
        """
        return assumptions(self)

    @property
    def sentence(self) -> str:
        """The certificate in words, to quote as a whole."""
        # It is not a field, so that it is no part of ``to_dict``.
        certified = getattr(self, "_fingerprint", None)
        return sentence(self, about_change(self.estimator, certified))

    @property
    def promises_nothing(self) -> bool:
        """Whether the limit is no smaller than what is known without any example."""
        return promises_nothing(self)

    @property
    def limit(self) -> float:
        """What was computed: the tolerance if a coverage was asked for, else
        ``value``.
        """
        return limit_to_quote(self.value, self.tolerance, self.coverage)

    @property
    def short_limit(self) -> str:
        """The limit as a number with its unit, rounded up."""
        if self.largest_cost is not None or self.coverage is not None:
            return rounded_up(self.limit)
        return in_percent(self.value)

    @property
    def claim(self) -> str:
        """What is certified, in a few words.

        >>> from sklearn.dummy import DummyClassifier
        >>> from treebounds import certify
        >>> never = DummyClassifier().fit([[0], [0]], [0, 0])
        >>> certify(never, [[1]] * 59, [0] * 59).claim
        'at most 5.0% of new cases'
        """
        return claim(self)

    @property
    def kind(self) -> str:
        """The kind of model: a tree with its number of leaves, else a classifier or a
        regressor.
        """
        return kind(self)

    @property
    def trusted(self) -> str:
        """The part of the sentence that says what nobody can check for the caller.

        A record of the rows that made a model finds these rows again, but not rounded
        or scaled copies of them, nor what earlier steps learned from them. So the
        sentence about a test set names this condition with a record, too. The other
        methods grow or choose the model themselves, and see only the input they get.

        No record tells whether the cases depend on each other: near copies, visits of
        the same person, days of one season. Nor does it tell whether several models, or
        several settings, were tried and the best limit was kept.
        """
        return trusted(self)

    @property
    def about_rows(self) -> str:
        """Sentences on rows that are equal to others; empty if there are none."""
        return about_rows(self)

    def to_dict(self) -> dict[str, Any]:
        """All attributes and the sentence as plain numbers and words, with the type's
        name as the estimator.

        >>> import json
        >>> from sklearn.dummy import DummyClassifier
        >>> from treebounds import certify
        >>> never = DummyClassifier().fit([[0], [0]], [0, 0])
        >>> plain = certify(never, [[i] for i in range(59)], [0] * 59).to_dict()
        >>> plain["n_examples"], plain["estimator"], len(json.dumps(plain)) > 100
        (59, 'DummyClassifier', True)

        Returns
        -------
        dict
            ``json.dumps`` accepts it.
        """
        plain = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        plain["estimator"] = type(self.estimator).__name__
        if self.tolerance == math.inf:
            plain["tolerance"] = None  # JSON has no infinity
        plain["assumptions"] = list(self.assumptions)
        for name in ("declared", "own_code", "further_assumptions"):
            plain[name] = list(plain[name])
        plain["label"] = plain_word(self.label)
        return {"sentence": self.sentence, **plain}

    def _repr_html_(self) -> str:
        """The sentence, with the limit beside the counts that it comes from."""
        kinds = {True: "cases off by more", False: "errors"}
        counted = kinds[self.tolerance is not None]
        return (
            f"<p>{html.escape(self.sentence)}</p><table>"
            f"<tr><th>judged</th><th>{counted}</th><th>observed</th><th>limit</th></tr>"
            f"<tr><td>{self.n_examples}</td><td>{self.n_errors}</td>"
            f"<td>{self.n_errors / max(1, self.n_examples):.1%}</td>"
            f"<td>{html.escape(self.short_limit)}</td></tr></table>"
        )


def certificate_from_verdict(
    model: Any,
    verdict: Verdict,
    delta: float,
    recurrence: Recurrence,
    repeats: Repeats,
    *,
    method: str = "test-set",
    by: str | None = None,
    own_code: Sequence[str] = (),
    **further: Any,
) -> Certificate:
    """The certificate of a model from the verdict of the examples that judged it.

    >>> from sklearn.dummy import DummyClassifier
    >>> from treebounds.risk.rows.duplicates import Repeats
    >>> from treebounds.risk.reuse.recurrence import Recurrence
    >>> from treebounds.risk.verdict import Verdict
    >>> from treebounds.risk.certificate import certificate_from_verdict
    >>> never = DummyClassifier().fit([[0], [0]], [0, 0])
    >>> verdict = Verdict(0.05, n_examples=59, n_errors=0)
    >>> certificate_from_verdict(never, verdict, 0.05, Recurrence(), Repeats()).claim
    'at most 5.0% of new cases'

    Parameters
    ----------
    model : classifier or regressor
    verdict : Verdict
    delta : float
    recurrence : Recurrence
        How many of the examples were used before; ``Recurrence()`` where they need not
        be new.
    repeats : Repeats
        How many of the examples repeat others.
    method : {"test-set", "halves", "message", "occam", "growth"}
    by : str, optional
        The kind of parts if the certificate is about a part of the cases: "class".
    own_code : sequence of str
        The classes and functions of the learner that no library defines.
    **further
        Other attributes of the certificate, such as ``label`` and ``n_parts``.

    Returns
    -------
    Certificate
    """
    return Certificate(
        value=verdict.value,
        method=method,
        delta=delta,
        n_examples=verdict.n_examples,
        n_errors=verdict.n_errors,
        n_groups=verdict.n_groups,
        estimator=model,
        by=by,
        n_compared=recurrence.n_compared,
        n_recurring=recurrence.n_recurring,
        is_compared_after_steps=recurrence.after_steps,
        is_recorded=recurrence.is_recorded,
        duplicates=repeats.policy,
        n_rows=repeats.n_rows,
        n_repeats=repeats.n_repeats,
        remark=verdict.remark,
        tolerance=verdict.tolerance,
        coverage=verdict.coverage,
        largest_cost=verdict.largest_cost,
        is_cost_by_case=verdict.is_by_case,
        declared=verdict.declared(by),
        own_code=tuple(own_code),
        **further,
    )
