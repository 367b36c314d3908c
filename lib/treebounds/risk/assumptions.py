"""What a certificate assumes, in sentences: conditions that the data cannot show."""

from __future__ import annotations

from collections.abc import Sequence

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


def assumptions(
    method: str,
    *,
    grouped: bool = False,
    recorded: bool = True,
    recurring: bool = False,
    after_steps: bool = False,
    declared: Sequence[str] = (),
    largest_cost: float | None = None,
    alike: bool = False,
    copies: bool = False,
    own_code: Sequence[str] = (),
) -> tuple[str, ...]:
    """The assumptions of a certificate by one of the methods.

    >>> from treebounds.risk.assumptions import assumptions
    >>> len(assumptions("halves")), len(assumptions("test-set", recorded=False))
    (2, 3)

    Parameters
    ----------
    method : str
    grouped : bool
        Whether groups, not examples, are independent.
    recorded : bool
        Whether the classifier has a record of the examples that it was made from.
    recurring : bool
        Whether some of the examples that judge are equal to one of these.
    after_steps : bool
        Whether they are equal as they reach the last step of the model.
    declared : sequence of str
        What the caller has fixed, in words: "groups", "costs", "tolerance".
    largest_cost : float, optional
        If each case has a cost of its own, the largest of them.
    alike, copies : bool
        Whether some examples are equal to others and count as different cases, or as
        copies of one case.
    own_code : sequence of str
        Names of the classes and functions in a learner that no library defines.

    Returns
    -------
    tuple of str
        Sentences.
    """
    independence = _INDEPENDENT_GROUPS if grouped else _INDEPENDENT
    choices = {
        "halves": _DESIGN,
        "occam": _CHOSE_PRUNING,
        "message": _FIXED_INPUT,
        "growth": _FIXED_INPUT,
    }
    sentences = [independence, choices.get(method, _NO_CHOICE)]
    if declared:
        sentences.append(f"The {declaration(declared)}.")

    # These two theorems judge a tree by the rows that grew it.
    if method not in ("message", "growth"):
        if not recorded:
            sentences.append(_TRUSTED)
        if recurring:
            sentences.append(_EQUALS_AT_LAST_STEP if after_steps else _EQUALS)

    if largest_cost is not None:
        sentences.append(_LARGEST_COST.format(cost=in_full(largest_cost)))
    if alike:
        sentences.append(_REPEATS_ARE_ALIKE)
    if copies:
        sentences.append(_REPEATS_ARE_COPIES)
    if own_code:
        sentences.append(_OWN_CODE.format(names=" and ".join(own_code)))
    return tuple(sentences)


def declaration(declared: Sequence[str]) -> str:
    """That the caller fixed something before, as part of a sentence.

    >>> from treebounds.risk.assumptions import declaration
    >>> declaration(["groups", "costs"])
    'groups and the costs were fixed before the answers were looked at'
    """
    were = "was" if list(declared) in (["tolerance"], ["coverage"]) else "were"
    return (
        f"{' and the '.join(declared)} {were} fixed before the answers were looked at"
    )
