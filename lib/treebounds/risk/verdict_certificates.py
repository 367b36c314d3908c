"""The certificate of a model from the verdict of the cases that judged it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treebounds.risk.certificate import Certificate
from treebounds.risk.reuse.check import Recurrence
from treebounds.risk.rows.duplicates import Repeats
from treebounds.risk.verdict import Verdict


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
    >>> from treebounds.risk.reuse.check import Recurrence
    >>> from treebounds.risk.verdict import Verdict
    >>> from treebounds.risk.verdict_certificates import certificate_from_verdict
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
