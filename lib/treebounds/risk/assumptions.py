"""What a certificate assumes, in sentences: conditions that the data cannot show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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

_OWN_CODE = ", the caller's own code, used nothing but the rows that it was given."

_BEFORE = "fixed before the answers were looked at."
_DECLARED = "The {things} {were} " + _BEFORE


def about_repeats(policy: str, *numbers: int) -> tuple[str, ...]:
    """What a certificate assumes of equal examples, if there are any.

    >>> from treebounds.risk.assumptions import about_repeats
    >>> about_repeats("refuse", 0), len(about_repeats("together", 3))
    ((), 1)

    Parameters
    ----------
    policy : str
        "refuse", "together" or "ignore".
    *numbers : int
        How many examples are equal to others.

    Returns
    -------
    tuple of str
        One sentence, or none.
    """
    if not any(numbers):
        return ()
    return (_REPEATS_ARE_COPIES if policy == "together" else _REPEATS_ARE_ALIKE,)


def assumptions(
    method: str,
    *,
    grouped: bool = False,
    recorded: bool = True,
    recurring: bool = False,
    after_steps: bool = False,
    declared: Sequence[str] = (),
    largest_cost: float | None = None,
    repeats: Sequence[str] = (),
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
        Whether some of these examples are equal to examples that judge.
    after_steps : bool
        Whether they are equal as they reach the last step of the model.
    declared : sequence of str
        What the caller has fixed, in words: "groups", "costs", "tolerance".
    largest_cost : float, optional
        If each case has a cost of its own, the largest of them.
    repeats : sequence of str
        What is assumed of equal examples, by ``about_repeats``.

    Returns
    -------
    tuple of str
        Sentences.
    """
    independence = _INDEPENDENT_GROUPS if grouped else _INDEPENDENT
    if method in ("message", "growth"):
        return (independence, _FIXED_INPUT, *repeats)

    choices = {"halves": _DESIGN, "occam": _CHOSE_PRUNING}
    sentences = [independence, choices.get(method, _NO_CHOICE)]
    if declared:
        were = "was" if list(declared) in (["tolerance"], ["coverage"]) else "were"
        things = " and the ".join(declared)
        sentences.append(_DECLARED.format(things=things, were=were))
    if not recorded:
        sentences.append(_TRUSTED)
    if recurring:
        sentences.append(_EQUALS_AT_LAST_STEP if after_steps else _EQUALS)
    if largest_cost is not None:
        sentences.append(no_larger_cost(largest_cost))
    return (*sentences, *repeats)


def about_own_code(names: Sequence[str]) -> tuple[str, ...]:
    """What is assumed of classes and functions that no library defines, if a learner
    has any.

    >>> from treebounds.risk.assumptions import about_own_code
    >>> about_own_code(["Kept"])
    ("Kept, the caller's own code, used nothing but the rows that it was given.",)

    Parameters
    ----------
    names : sequence of str

    Returns
    -------
    tuple of str
        One sentence, or none.
    """
    return (" and ".join(names) + _OWN_CODE,) if names else ()


def are_equal_after_steps(sentences: Iterable[str]) -> bool:
    """Whether examples are said to be equal to others at the last step of a model.

    >>> from treebounds.risk.assumptions import are_equal_after_steps, assumptions
    >>> are_equal_after_steps(assumptions("test-set", recurring=True))
    False
    """
    return _EQUALS_AT_LAST_STEP in sentences


def own_code_named(sentences: Iterable[str]) -> str:
    """The names in the sentence of :func:`about_own_code`; empty if it is missing.

    >>> from treebounds.risk.assumptions import about_own_code, own_code_named
    >>> own_code_named(about_own_code(["Kept"]))
    'Kept'
    """
    about_code = (text for text in sentences if text.endswith(_OWN_CODE))
    return next(about_code, "").removesuffix(_OWN_CODE)


def declared_before(sentences: Iterable[str]) -> str:
    """The sentence that says what the caller has declared; empty if there is none.

    >>> from treebounds.risk.assumptions import assumptions, declared_before
    >>> declared_before(assumptions("test-set", declared=["costs"]))
    'The costs were fixed before the answers were looked at.'
    """
    return next((text for text in sentences if text.endswith(_BEFORE)), "")


def no_larger_cost(largest: float) -> str:
    """The sentence that no case costs more.

    >>> from treebounds.risk.assumptions import no_larger_cost
    >>> no_larger_cost(10.0)
    'No new case costs more than the largest cost here, 10; this was known before the
    costs were.'
    """
    return (
        "No new case costs more than the largest cost here,"
        f" {in_full(largest)}; this was known before the costs were."
    )
