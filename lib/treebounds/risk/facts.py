"""The facts that a certificate says in words: a model, a limit, and its counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from treebounds.risk.models.kinds import count_leaves


@dataclass(frozen=True, eq=False, kw_only=True)
class Facts:
    """The attributes of a :class:`treebounds.Certificate`, which explains each of them.

    The sentences of a certificate are functions of these: ``assumptions`` says what
    nobody can check, and ``sentence`` says the rest.
    """

    value: float
    method: str
    delta: float
    n_examples: int
    n_errors: int
    estimator: Any = field(repr=False)
    n_candidates: int = 1
    n_groups: int | None = None
    learner: str | None = None
    halving: int | None = None
    by: str | None = None
    label: Any = None
    n_parts: int = 1
    n_compared: int = field(default=0, repr=False)
    n_recurring: int = 0
    is_compared_after_steps: bool = field(default=False, repr=False)
    is_recorded: bool = True
    is_prepared: bool = False
    duplicates: str = "refuse"
    n_rows: int = 0
    n_repeats: int = 0
    remark: str = field(default="", repr=False)
    tolerance: float | None = None
    coverage: float | None = None
    largest_cost: float | None = None
    is_cost_by_case: bool = field(default=False, repr=False)
    declared: tuple[str, ...] = ()
    own_code: tuple[str, ...] = ()
    further_assumptions: tuple[str, ...] = field(default=(), repr=False)
    n_leaves: int | None = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_leaves", count_leaves(self.estimator))


def n_left_out(facts: Facts) -> int:
    """How many of the examples that recur did not judge.

    >>> from treebounds.risk.facts import Facts, n_left_out
    >>> facts = Facts(
    ...     value=0.1,
    ...     method="test-set",
    ...     delta=0.05,
    ...     n_examples=50,
    ...     n_errors=1,
    ...     estimator=None,
    ...     n_compared=60,
    ...     n_recurring=10,
    ...     duplicates="together",
    ... )
    >>> n_left_out(facts)
    10
    """
    # What is equal only after the steps of a pipeline is not left out. In halvings
    # copies are on one side, so that none has to be left out.
    if facts.is_compared_after_steps or facts.method == "halves":
        return 0
    return facts.n_recurring if facts.duplicates == "together" else 0
