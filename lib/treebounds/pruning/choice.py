"""The rule that is meant by the argument ``rule``: a name, a number, a function or a
rule object.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

from treebounds._validation import (
    InvalidParameterError,
    check_number,
    check_option,
    shown,
)
from treebounds.pruning.bound import BoundRule
from treebounds.pruning.counted_price import CountedRule
from treebounds.pruning.local_price import LocalRule
from treebounds.pruning.rules import (
    CountingRule,
    ErrorBasedRule,
    FunctionRule,
    KearnsMansourRule,
    MinimumErrorRule,
    NodeStatistics,
    PessimisticRule,
    PriceRule,
    ReducedErrorRule,
)

RULES: dict[str, CountingRule] = {
    "bound": BoundRule(),
    "noise": PriceRule("noise"),
    "pessimistic": PessimisticRule(),
    "error-based": ErrorBasedRule(),
    "minimum-error": MinimumErrorRule(),
    "kearns-mansour": KearnsMansourRule(),
    "reduced-error": ReducedErrorRule(),
    "local": LocalRule(),
    "counted": CountedRule(),
}
Rule = str | float | CountingRule | Callable[[NodeStatistics], bool]


def check_rule(rule: Any) -> CountingRule:
    """The rule for a name, a price, a function or a rule object, or an error that names
    the argument.
    """
    if isinstance(rule, CountingRule):
        return rule
    if isinstance(rule, Real) and not isinstance(rule, bool):
        return PriceRule(check_number(rule, "rule", "[0, inf)"))
    if isinstance(rule, str):
        return RULES[check_option(rule, "rule", tuple(RULES))]
    if callable(rule) and not isinstance(rule, type):
        return FunctionRule(rule)
    raise InvalidParameterError(
        "rule must be a name, a number, a CountingRule or a function of a node's"
        f" statistics; got {shown(rule)}"
    )


def rule_for(kind: str, rule: Any) -> CountingRule:
    """The rule for trees that predict "classes" or "numbers", or a ValueError if it is
    for the other kind of tree.

    >>> from treebounds.pruning.choice import rule_for
    >>> rule_for("classes", 2)
    PriceRule(price=2.0)
    >>> rule_for("numbers", "bound")
    Traceback (most recent call last):
    ValueError: rule must be one of 'reduced-error', 'local', 'counted', a number or ...
    """
    counting = check_rule(rule)
    if _prunes(counting, kind):
        return counting

    names = [
        repr(name) for name, candidate in RULES.items() if _prunes(candidate, kind)
    ]
    raise ValueError(
        f"rule must be one of {', '.join(names)}, a number or a function for a tree"
        f" that predicts {kind}; got {shown(rule)}"
    )


def rule_or_default(predicts_numbers: bool, rule: Any) -> CountingRule:
    """The rule for a tree that predicts numbers or classes; the default one if none is
    given.
    """
    kind, default = "classes", "bound"
    if predicts_numbers:
        kind, default = "numbers", "local"
    if rule is None:
        rule = default
    return rule_for(kind, rule)


def _prunes(rule: CountingRule, kind: str) -> bool:
    """Whether a rule can prune trees that predict "classes" or "numbers"."""
    by_noise = isinstance(rule, PriceRule) and isinstance(rule.price, str)
    return kind in rule.kinds and not (by_noise and kind == "numbers")
