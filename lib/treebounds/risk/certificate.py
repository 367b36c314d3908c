"""A statement about a classifier that holds with probability 1 - delta, with its
assumptions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from functools import total_ordering
from numbers import Real
from typing import Any

import numpy as np

from treebounds.risk.classifiers import count_leaves

# "halves" is for estimators, which make their own test sets by halving; certify
# receives a test set.
METHODS = ("halves", "test-set", "message", "occam", "growth")


# For each argument of an estimator that not all methods use, the methods that use it.
_USED_BY = {
    "groups": ("halves",),
    "feature_kinds": ("growth",),
    "learners": ("halves",),
    "n_halvings": ("halves",),
}

_INDEPENDENT = (
    "The examples are independent draws from the distribution of the new cases, each"
    " drawn once."
)

_INDEPENDENT_GROUPS = (
    "The groups are independent draws from the distribution of the new groups; examples"
    " of a group may depend on each other."
)

_NO_CHOICE = (
    "The examples had no part in growing, pruning, tuning or choosing the classifier,"
    " and nothing that prepares its input (encoding, imputation, selection of features)"
    " was fitted to them."
)

_CHOSE_PRUNING = (
    "The examples had no part in growing the tree (they chose among its prunings, which"
    " the bound allows), and nothing that prepares its input was fitted to them."
)

_TRUSTED = (
    "It is trusted that the classifier was made from other examples; it keeps no record"
    " of them."
)

_EQUALS = (
    "Examples that are equal to some that made the classifier are other cases with the"
    " same values."
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

_PLURALS = {"class": "classes", "leaf": "leaves", "group": "groups"}


@total_ordering
@dataclass(frozen=True, eq=False, kw_only=True)
class Certificate:
    """An upper bound of a classifier's risk, with its meaning; ``print`` shows it as a
    sentence.

    With probability at least 1 - delta over the sample, the classifier errs on at most
    the fraction ``value`` of new cases. If groups were given, these are the cases of a
    new group; with ``by``, those of one class or of another part.

    A certificate compares, rounds and formats as the number ``value``.

    Attributes
    ----------
    value : float
        At most 1; ``float(certificate)`` is the same.
    method : str
        "test-set", "halves", "message", "occam" or "growth".
    delta : float
        Probability that this bound, or any of the bounds that it was chosen from,
        fails.
    n_examples, n_errors : int
        Number of test examples, and number of those that the classifier gets wrong.
    estimator : classifier
        The classifier to which the bound applies.
    assumptions : tuple of str
        Conditions that must hold and that cannot be checked from the data.
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
    remark : str
        Further remarks, for example that the classifier is constant.
    n_leaves : int or None
        Number of leaves of the estimator; None if it is not a tree.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from treebounds import certify
    >>> never = DummyClassifier().fit([[0], [0]], [0, 0])
    >>> certificate = certify(never, [[1]] * 59, [0] * 59)
    >>> print(certificate)
    With probability 0.95 over the 59 examples, this classifier errs on at most 5.0% of new cases (test-set).
    It predicts 0 for each of these examples.
    >>> certificate < 0.1, f"{certificate:.3f}"
    (True, '0.050')
    """

    value: float
    method: str
    delta: float
    n_examples: int
    n_errors: int
    estimator: Any = field(repr=False)
    assumptions: tuple[str, ...] = field(repr=False)
    n_candidates: int = 1
    n_groups: int | None = None
    learner: str | None = None
    halving: int | None = None
    by: str | None = None
    label: Any = None
    n_parts: int = 1
    n_compared: int = field(default=0, repr=False)
    n_recurring: int = 0
    remark: str = field(default="", repr=False)
    n_leaves: int | None = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_leaves", count_leaves(self.estimator))

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
    def sentence(self) -> str:
        """The certificate in words, to quote as a whole."""
        if self._percent() >= 100:
            return self._promises_nothing()

        sentences = [self._promise(), self._recurring_rows(), self.remark]
        text = " ".join(sentence for sentence in sentences if sentence)
        return text.replace(" 1 examples", " 1 example")

    def to_dict(self) -> dict[str, Any]:
        """All attributes and the sentence as plain numbers and words, with the type's
        name as the estimator.

        Returns
        -------
        dict
            ``json.dumps`` accepts it.

        Examples
        --------
        >>> import json
        >>> from sklearn.dummy import DummyClassifier
        >>> from treebounds import certify
        >>> never = DummyClassifier().fit([[0], [0]], [0, 0])
        >>> plain = certify(never, [[1]] * 59, [0] * 59).to_dict()
        >>> plain["n_examples"], plain["estimator"], len(json.dumps(plain)) > 100
        (59, 'DummyClassifier', True)
        """
        label = self.label.item() if isinstance(self.label, np.generic) else self.label
        if not isinstance(label, str | int | float | None):
            label = str(label)

        plain = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        plain["estimator"] = type(self.estimator).__name__
        plain["assumptions"] = list(self.assumptions)
        plain["label"] = label
        return {"sentence": self.sentence, **plain}

    def _percent(self) -> float:
        """The value in percent, rounded up: a smaller number would not be certified."""
        return math.ceil(1000 * self.value) / 10

    def _promises_nothing(self) -> str:
        """The sentence of a bound of 100 percent."""
        value = math.ceil(1e4 * self.value) / 1e4
        if self.by is None:
            return f"This bound, {value:g}, promises nothing ({self.method})."
        part = f"{self.by} {self.label!r}"
        return f"This bound for {part}, {value:g}, promises nothing ({self.method})."

    def _promise(self) -> str:
        """What is certified, with its probability."""
        misses = "misses" if self.by == "class" else "errs on"
        return (
            f"With probability {self._probability()} over {self._sample()}, this"
            f" {self._kind()} {misses} at most {self._percent():.1f}% of"
            f" {self._cases()} ({self._method()})."
        )

    def _probability(self) -> str:
        """1 - delta, rounded down: no larger probability is certified."""
        if self.delta < 1e-4:
            return f"1 - {self.delta}"
        return f"{math.floor(round(1e4 * (1 - self.delta), 6)) / 1e4:g}"

    def _sample(self) -> str:
        """The random objects of the probability."""
        number = (
            f"{self.n_examples} examples"
            if self.n_groups is None
            else f"{self.n_groups} groups"
        )
        judges = f"the {number}"
        if self.by is not None:
            judges = f"{judges} of {self.by} {self.label!r}"

        # With these methods the tree depends on the random sample, too.
        if self.method in ("halves", "message"):
            return f"the examples that made it and {judges} that judge it"
        return judges

    def _kind(self) -> str:
        """What the certificate is about."""
        if self.n_leaves is None:
            return "classifier"
        leaves = "leaf" if self.n_leaves == 1 else "leaves"
        return f"tree with {self.n_leaves} {leaves}"

    def _cases(self) -> str:
        """The cases whose share is bounded."""
        if self.n_groups is not None:
            return "the cases of a new group, in the mean over groups"
        if self.by is not None:
            return f"the new cases of {self.by} {self.label!r}"
        return "new cases"

    def _method(self) -> str:
        """The method, and how many bounds hold at once."""
        if self.method == "halves":
            return (
                f"halves: the best of {self.n_candidates}, each made from one half of"
                " the examples and judged on the other"
            )
        if self.n_parts > 1:
            parts = _PLURALS.get(str(self.by), "parts")
            return f"{self.method}, {self.n_parts} {parts} at once"
        return self.method

    def _recurring_rows(self) -> str:
        """How many of the judging examples are equal to examples that made the
        classifier.
        """
        if not self.n_recurring:
            return ""
        have = "has" if self.n_recurring == 1 else "have"
        return (
            f"Of {self.n_compared} examples that can be compared with those that made"
            f" it, {self.n_recurring} {have} an equal among them."
        )


def refuse_unused(name: str, is_set: bool, method: str) -> None:
    """Raise a ValueError if an argument is set that the method does not support."""
    if is_set and method not in _USED_BY[name]:
        methods = " or ".join(map(repr, _USED_BY[name]))
        raise ValueError(
            f"{name} needs method={methods}; {method!r} does not support it"
        )


def assumptions(
    method: str,
    *,
    grouped: bool = False,
    recorded: bool = True,
    recurring: bool = False,
) -> tuple[str, ...]:
    """The assumptions of a certificate by one of the methods.

    Parameters
    ----------
    method : str
    grouped : bool
        Whether groups, not examples, are independent.
    recorded : bool
        Whether the classifier has a record of the examples that it was made from.
    recurring : bool
        Whether some of these examples are equal to test examples.

    Returns
    -------
    tuple of str
        Sentences.

    Examples
    --------
    >>> from treebounds.risk.certificate import assumptions
    >>> len(assumptions("halves")), len(assumptions("test-set", recorded=False))
    (2, 3)
    """
    drawn = _INDEPENDENT_GROUPS if grouped else _INDEPENDENT
    if method in ("message", "growth"):
        return drawn, _FIXED_INPUT

    made = {"halves": _DESIGN, "occam": _CHOSE_PRUNING}.get(method, _NO_CHOICE)
    sentences = [drawn, made]
    if not recorded:
        sentences.append(_TRUSTED)
    if recurring:
        sentences.append(_EQUALS)
    return tuple(sentences)
