"""What the cases that judge a model say about it: a limit and its counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Verdict:
    """What a judged sample says about a classifier.

    Attributes
    ----------
    value : float
        Upper limit of the risk.
    n_examples, n_errors : int
        Number of judged examples, and number of errors among them.
    n_groups : int or None
        Number of independent groups; None where examples are independent.
    remark : str
        A sentence that compares the model with a constant one; where groups are
        independent, only that it is constant.
    tolerance : float or None
        For numbers: the size of error that is exceeded in a share ``value`` of cases.
    coverage : float or None
        The share of cases that ``tolerance`` was to cover, if it was computed.
    largest_cost : float or None
        The largest cost of a case, if ``value`` is a mean cost.
    is_by_case : bool
        Whether each case has a cost of its own, so that ``largest_cost`` is that of the
        judged cases.
    cost_order : tuple
        The classes that the costs are of by their places alone, if these are words.
    """

    value: float
    n_examples: int
    n_errors: int
    n_groups: int | None = None
    remark: str = ""
    tolerance: float | None = None
    coverage: float | None = None
    largest_cost: float | None = None
    is_by_case: bool = False
    cost_order: tuple[Any, ...] = ()

    @property
    def limit(self) -> float:
        """The tolerance if a coverage was asked for, else the value."""
        return limit_to_quote(self.value, self.tolerance, self.coverage)

    def declared(self, by: str | None = None) -> tuple[str, ...]:
        """What the caller had to fix before the cases were judged, in words.

        >>> from treebounds.risk.verdict import Verdict
        >>> Verdict(0.1, 30, 0, tolerance=5.0).declared("group")
        ('groups', 'tolerance')
        """
        costs = "costs"
        if self.cost_order:
            classes = ", ".join(map(repr, self.cost_order))
            costs = f"costs of {classes}, in this order,"
        conditions = {
            "groups": by == "group",
            costs: self.largest_cost is not None,
            "coverage": self.coverage is not None,
            "tolerance": self.coverage is None and self.tolerance is not None,
        }
        return tuple(name for name, holds in conditions.items() if holds)


def limit_to_quote(
    value: float, tolerance: float | None, coverage: float | None
) -> float:
    """The number that was computed: the tolerance if a coverage was asked for, else the
    value.

    >>> from treebounds.risk.verdict import limit_to_quote
    >>> limit_to_quote(0.1, 5.0, None), limit_to_quote(0.1, 5.0, 0.9)
    (0.1, 5.0)
    """
    if coverage is not None and tolerance is not None:
        return tolerance
    return value
