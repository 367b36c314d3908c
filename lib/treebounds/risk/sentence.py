"""The sentence of a certificate: what is promised, and of which model."""

from __future__ import annotations

import math
from typing import Any

from treebounds.risk.assumptions import trusted
from treebounds.risk.facts import Facts, n_left_out
from treebounds.risk.models.fingerprints import fingerprint
from treebounds.risk.words import (
    in_full,
    in_percent,
    number_of,
    one_minus,
    percent_rounded_up,
    rounded_up,
)

_PLURALS = {"class": "classes", "leaf": "limits", "group": "limits"}


def sentence(facts: Facts, change: str = "") -> str:
    """A certificate in words, to quote as a whole.

    >>> from treebounds.risk.facts import Facts
    >>> from treebounds.risk.sentence import sentence
    >>> facts = Facts(
    ...     value=1.0,
    ...     method="growth",
    ...     delta=0.05,
    ...     n_examples=5,
    ...     n_errors=3,
    ...     estimator=None,
    ... )
    >>> sentence(facts)
    'This bound, 1, promises nothing (growth).'

    Parameters
    ----------
    facts : Facts
    change : str
        What :func:`about_change` says.
    """
    if promises_nothing(facts):
        return _nothing(facts)
    sentences = [change, _promise(facts), about_rows(facts), facts.remark]
    return " ".join(filter(None, sentences))


def claim(facts: Facts) -> str:
    """What is certified, in a few words."""
    if promises_nothing(facts):
        return "this promises nothing"
    if facts.largest_cost is not None:
        return f"at most {rounded_up(facts.value)} per case on average"
    share = f"at most {in_percent(facts.value)} of new cases"
    if facts.by is not None:
        share = f"at most {in_percent(facts.value)} of such new cases"
    if facts.tolerance is not None:
        return f"off by more than {_tolerance(facts)} on {share}"
    return share


def promises_nothing(facts: Facts) -> bool:
    """Whether the limit is no smaller than what is known without any example."""
    if facts.tolerance == math.inf:
        return True
    if facts.largest_cost is not None:
        return facts.value >= facts.largest_cost
    return percent_rounded_up(facts.value) >= 100


def kind(facts: Facts) -> str:
    """The kind of model: a tree with its number of leaves, else a classifier or a
    regressor.
    """
    if facts.n_leaves is not None:
        return f"tree with {number_of(facts.n_leaves, 'leaf', 'leaves')}"
    return "classifier" if facts.tolerance is None else "regressor"


def about_rows(facts: Facts) -> str:
    """Sentences on rows that are equal to others; empty if there are none."""
    return f"{_recurring_rows(facts)} {_repeated_rows(facts)}".strip()


def about_change(model: Any, certified: int | None) -> str:
    """A sentence if a model is no longer the one that was certified; else nothing.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.models.fingerprints import fingerprint
    >>> from treebounds.risk.sentence import about_change
    >>> tree = DecisionTreeClassifier(random_state=0).fit([[0], [1]], [0, 1])
    >>> certified = fingerprint(tree)
    >>> about_change(tree, certified)
    ''
    >>> about_change(tree.fit([[0], [2]], [0, 1]), certified)
    'The model was changed, or fitted again, after it was certified; the rest is about
    the model as it was.'

    Parameters
    ----------
    model : object
    certified : int or None
        The :func:`treebounds.risk.models.fingerprints.fingerprint` that the model had,
        if any.
    """
    if certified is None or certified == fingerprint(model):
        return ""
    return (
        "The model was changed, or fitted again, after it was certified; the rest is"
        " about the model as it was."
    )


def _nothing(facts: Facts) -> str:
    """The sentence of a limit that is known without any example."""
    value = math.ceil(1e4 * facts.value) / 1e4
    if facts.tolerance == math.inf:
        value = math.inf
    subject = ""
    if facts.by is not None:
        subject = f" for {_part(facts)}"
    reason = ""
    if facts.tolerance is not None and facts.coverage is None:
        judged = f"{facts.n_errors} of {facts.n_examples} examples were off"
        reason = f": {judged} by more than {_tolerance(facts)}"
    bound = f"This bound{subject}, {value:g}, promises nothing ({facts.method})"
    return f"{bound}{reason}. {facts.remark}".strip()


def _promise(facts: Facts) -> str:
    """What is certified, with its probability and its conditions."""
    return (
        f"With probability {one_minus(facts.delta)} over {_sample(facts)}, this"
        f" {kind(facts)} {_does(facts)} {_cases(facts)} ({_method(facts)}),"
        f" {trusted(facts)}."
    )


def _sample(facts: Facts) -> str:
    """The random objects of the probability."""
    judges = f"the {number_of(facts.n_examples, 'example')}"
    if facts.n_groups is not None:
        judges = f"the {facts.n_groups} groups"
    reach, judge = "reach", "judge"
    if judges == "the 1 example":
        reach, judge = "reaches", "judges"
    if facts.by == "leaf":
        judges = f"{judges} that {reach} {_part(facts)}"
    elif facts.by is not None:
        judges = f"{judges} of {_part(facts)}"

    # With these methods the tree depends on the random sample, too.
    if facts.method in ("halves", "message"):
        return f"the examples that made it and {judges} that {judge} it"
    return judges


def _does(facts: Facts) -> str:
    """What the model does at most, up to the cases that it does it on."""
    if facts.largest_cost is not None:
        return f"costs at most {rounded_up(facts.value)} per case on average over"
    share = f"at most {in_percent(facts.value)} of"
    if facts.tolerance is not None:
        return f"is off by more than {_tolerance(facts)} on {share}"
    if facts.by == "class":
        return f"misses {share}"
    return f"errs on {share}"


def _cases(facts: Facts) -> str:
    """The cases whose share is bounded."""
    if facts.n_groups is not None:
        return "the cases of a new group, in the mean over groups"
    if facts.by == "leaf":
        return f"the new cases that reach {_part(facts)}"
    if facts.by is not None:
        return f"the new cases of {_part(facts)}"
    return "new cases"


def _part(facts: Facts) -> str:
    """The part of the cases that the certificate is about."""
    part = "node" if facts.by == "leaf" else facts.by
    return f"{part} {facts.label!r}"


def _method(facts: Facts) -> str:
    """The method, and how many bounds hold at once."""
    together = ""
    if facts.n_parts > 1:
        parts = _PLURALS.get(str(facts.by), "limits")
        together = f", {facts.n_parts} {parts} at once"
    if facts.method != "halves":
        return f"{facts.method}{together}"
    return (
        f"judged on {number_of(facts.n_examples, 'example')} that had no part in making"
        f" it; the best of {facts.n_candidates} candidates, which the limit allows"
        f" for{together}"
    )


def _tolerance(facts: Facts) -> str:
    """The tolerance in words; one that was computed is rounded up."""
    tolerance = float(facts.tolerance or 0.0)
    if facts.coverage is None:
        return in_full(tolerance)
    return rounded_up(tolerance)


def _recurring_rows(facts: Facts) -> str:
    """How many of the judging examples are equal to examples that made the model."""
    n_recurring = facts.n_recurring
    if not n_recurring:
        return ""
    compared = (
        f"Of {number_of(facts.n_compared, 'example')} that can be compared with those"
        f" that made it, {n_recurring}"
    )
    if facts.is_compared_after_steps:
        reach = "reaches" if n_recurring == 1 else "reach"
        return f"{compared} {reach} its last step with the same values as one of these."

    have = "has" if n_recurring == 1 else "have"
    if n_left_out(facts):
        return f"{compared} {have} an equal among them and did not judge."
    return f"{compared} {have} an equal among them."


def _repeated_rows(facts: Facts) -> str:
    """How many of the examples are equal to others, and what was done with them."""
    n_repeats = facts.n_repeats
    if not n_repeats:
        return ""
    repeat = "repeats" if n_repeats == 1 else "repeat"
    percentage = f"{n_repeats / facts.n_rows:.1%}"
    if percentage == "0.0%":
        percentage = "less than 0.1%"
    share = (
        f"Of {number_of(facts.n_rows, 'example')}, {n_repeats} ({percentage})"
        f" {repeat} others"
    )
    if facts.duplicates == "together":
        # Only halvings choose the rows that make the model.
        treatment = "taken for copies and counted once"
        if facts.method == "halves":
            treatment = "taken for copies, kept on one side and counted once"
        return f"{share}; equal ones were {treatment}."
    were_counted = "were counted as different cases"
    are_copies = "they are copies"
    if n_repeats == 1:
        were_counted = "was counted as a different case"
        are_copies = "it is a copy"
    if facts.duplicates == "ignore":
        return f"{share} and {were_counted}; whether {are_copies} was not looked into."
    return f"{share} and {were_counted}."
