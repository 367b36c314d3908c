"""What a certificate assumes: conditions that the data cannot show, each in a sentence
of its own, and the most important ones as parts of the sentence that people quote.
"""

from __future__ import annotations

from treebounds.risk.facts import Facts, n_left_out
from treebounds.risk.words import in_full

_INDEPENDENT = (
    "The examples are independent draws from the distribution of the new cases, each"
    " drawn once."
)

_INDEPENDENT_GROUPS = (
    "The groups are independent draws from the distribution of the new groups; examples"
    " of a group may depend on each other."
)

_NO_CHOICE = (
    "The examples had no part in growing, pruning, tuning or choosing the model,"
    " and nothing that prepares its input (encoding, imputation, selection of features)"
    " was fitted to them."
)

_CHOSE_PRUNING = (
    "The examples had no part in growing the tree or in choosing it (they chose among"
    " its prunings, which the bound allows), and nothing that prepares its input was"
    " fitted to them."
)

_TRUSTED = (
    "It is trusted that the model was made from other examples; it keeps no record"
    " of them."
)

_EQUALS = (
    "Examples that are equal to some that made the model are other cases with the"
    " same values."
)

_EQUALS_AT_LAST_STEP = (
    "Examples that reach the last step of the model with the same values as some that"
    " made it are other cases."
)

_REPEATS_ARE_ALIKE = (
    "Examples that are equal to others among them are different cases with the same"
    " values, not copies."
)

_REPEATS_ARE_COPIES = (
    "Examples that are equal to others, or to some that made the model, are copies of"
    " one case, not different cases with the same values."
)

_NO_COPY_MADE_IT = "No copy of these examples had a part in making the model."

_FIXED_INPUT = (
    "Nothing that prepares the input was fitted to these examples; the classes, the"
    " number of features and all that was declared of their kinds were known before."
)

_DESIGN = (
    "Learners, halvings, delta and the seed were fixed before the data were seen, and"
    " nothing that prepares the input was fitted to them (in a pipeline that is a"
    " learner it is fitted to the growing half, which is allowed)."
)

_LARGEST_COST = (
    "No new case costs more than the largest cost here, {cost}; this was known before"
    " the costs were."
)

_OWN_CODE = (
    "{names}, the caller's own code, used nothing but the rows that it was given."
)


_REPEATS = {
    "refuse": _REPEATS_ARE_ALIKE,
    "ignore": _REPEATS_ARE_ALIKE,
    "together": _REPEATS_ARE_COPIES,
}

_CHOICES = {
    "halves": _DESIGN,
    "occam": _CHOSE_PRUNING,
    "message": _FIXED_INPUT,
    "growth": _FIXED_INPUT,
}


def assumptions(facts: Facts) -> tuple[str, ...]:
    """All that a certificate assumes, in sentences.

    >>> from treebounds.risk.assumptions import assumptions
    >>> from treebounds.risk.facts import Facts
    >>> facts = Facts(
    ...     value=0.1,
    ...     method="halves",
    ...     delta=0.05,
    ...     n_examples=50,
    ...     n_errors=1,
    ...     estimator=None,
    ... )
    >>> len(assumptions(facts))
    2
    """
    sentences = [_INDEPENDENT]
    if facts.n_groups is not None:
        sentences = [_INDEPENDENT_GROUPS]
    sentences.append(_CHOICES.get(facts.method, _NO_CHOICE))
    if facts.declared:
        sentences.append(f"The {_declaration(facts)}.")

    # These two theorems judge a tree by the rows that grew it.
    if facts.method not in ("message", "growth"):
        sentences += _other_examples(facts)

    largest_cost = _largest_cost(facts)
    if largest_cost is not None:
        sentences.append(_LARGEST_COST.format(cost=in_full(largest_cost)))
    if _has_equal_examples(facts):
        sentences.append(_REPEATS[facts.duplicates])
        if facts.duplicates == "together" and not facts.is_recorded:
            sentences.append(_NO_COPY_MADE_IT)
    if facts.own_code:
        sentences.append(_OWN_CODE.format(names=" and ".join(facts.own_code)))
    return (*sentences, *facts.further_assumptions)


def trusted(facts: Facts) -> str:
    """The part of the sentence that says what nobody can check for the caller.

    >>> from treebounds.risk.assumptions import trusted
    >>> from treebounds.risk.facts import Facts
    >>> facts = Facts(
    ...     value=0.1,
    ...     method="occam",
    ...     delta=0.05,
    ...     n_examples=50,
    ...     n_errors=1,
    ...     estimator=None,
    ... )
    >>> trusted(facts)
    'if none of these examples had a part in preparing the input or in choosing the
    settings (seed, costs and tolerance among them), and if they are drawn like new
    cases, independently of each other'
    """
    conditions = [
        _origin(facts),
        _settings(facts),
        _independence(facts),
        _equal_examples(facts),
        _fixed_before(facts),
        _bounded_costs(facts),
        _used_by_own_code(facts),
    ]
    *first, last = (f"if {condition}" for condition in conditions if condition)
    return ", ".join([*first, f"and {last}"])


def _origin(facts: Facts) -> str:
    """The condition that the examples had no part in the model."""
    if facts.is_prepared:
        return "the steps before it learned nothing from these examples"
    if facts.method == "test-set":
        return (
            f"these {_units(facts)} had no part in making it, in preparing its input or"
            " in choosing it"
        )
    if _is_grown_elsewhere(facts):
        return (
            "these examples had no part in growing the tree that they prune, in"
            " preparing its input or in choosing it"
        )
    return (
        "none of these examples had a part in preparing the input or in choosing"
        " the settings (seed, costs and tolerance among them)"
    )


def _is_grown_elsewhere(facts: Facts) -> bool:
    """Whether the caller grew the tree that these examples prune: then there is no
    record of its rows, or the examples were compared with it.
    """
    return not facts.is_recorded or (facts.method == "occam" and facts.n_compared > 0)


def _settings(facts: Facts) -> str:
    """The condition on the settings, where another one is on steps before."""
    if not facts.is_prepared:
        return ""
    return (
        "these had no part in choosing the settings (seed, costs and tolerance among"
        " them)"
    )


def _independence(facts: Facts) -> str:
    """The condition that the cases are drawn like new ones."""
    new = {"examples": "cases", "groups": "groups"}[_units(facts)]
    condition = f"drawn like new {new}, independently of each other"
    if facts.method == "test-set":
        return f"they are {condition} and of those that made it"
    if _is_grown_elsewhere(facts):
        return f"they are {condition} and of those that grew it"
    if facts.n_groups is None and not facts.is_prepared:
        return f"they are {condition}"
    return f"the {_units(facts)} are {condition}"


def _units(facts: Facts) -> str:
    """What is drawn independently: examples, or groups of them."""
    return "examples" if facts.n_groups is None else "groups"


def _equal_examples(facts: Facts) -> str:
    """The condition on examples that are equal to others: tests find few copies where
    columns have few values.
    """
    if not _has_equal_examples(facts):
        return ""
    if facts.duplicates != "together":
        return "equal examples are different cases"
    copies = "equal examples are copies of one case"
    if facts.is_recorded:
        return copies
    # A table that had copies before it was divided has them on both sides.
    return f"{copies}, none of which had a part in making it"


def _has_equal_examples(facts: Facts) -> bool:
    """Whether some examples are equal to others, or were left out for this reason."""
    return facts.n_repeats + n_left_out(facts) > 0


def _other_examples(facts: Facts) -> list[str]:
    """What is assumed of the examples that made the model."""
    sentences = []
    if not facts.is_recorded:
        sentences.append(_TRUSTED)
    if facts.n_recurring <= n_left_out(facts):
        return sentences
    if facts.is_compared_after_steps:
        return [*sentences, _EQUALS_AT_LAST_STEP]
    return [*sentences, _EQUALS]


def _fixed_before(facts: Facts) -> str:
    """The condition that the caller fixed groups, costs or a tolerance before; for the
    other methods these are settings.
    """
    if facts.method != "test-set" or not facts.declared:
        return ""
    return f"the {_declaration(facts)}"


def _declaration(facts: Facts) -> str:
    """That the caller fixed something before, as part of a sentence."""
    were = "were"
    if facts.declared in (("tolerance",), ("coverage",)):
        were = "was"
    things = " and the ".join(facts.declared)
    return f"{things} {were} fixed before the answers were looked at"


def _bounded_costs(facts: Facts) -> str:
    """The condition that no cost is larger, where each case has its own."""
    largest_cost = _largest_cost(facts)
    if largest_cost is None:
        return ""
    return f"no new case costs more than {in_full(largest_cost)}"


def _largest_cost(facts: Facts) -> float | None:
    """The largest cost that new cases may have; None where cases have no costs of their
    own.
    """
    return facts.largest_cost if facts.is_cost_by_case else None


def _used_by_own_code(facts: Facts) -> str:
    """The condition on classes and functions of the caller's in a learner."""
    if not facts.own_code:
        return ""
    return f"{' and '.join(facts.own_code)} used nothing but the rows given to it"
