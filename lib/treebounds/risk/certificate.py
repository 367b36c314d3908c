"""A statement about a classifier that holds with probability 1 - delta, with its
assumptions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from treebounds.risk.classifiers import count_leaves

# "halves" is for estimators, which make their own test sets by halving; certify
# receives a test set.
METHODS = ("halves", "test-set", "message", "occam", "growth")


# For each argument of certify or of an estimator that not all methods use, the methods
# that use it.
_USED_BY = {
    "groups": ("test-set", "halves"),
    "by": ("test-set",),
    "X_grown": ("test-set", "occam"),
    "n_classes": ("message", "growth"),
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


@dataclass(frozen=True, eq=False)
class Certificate:
    """An upper bound of a classifier's risk, with its meaning; ``print`` shows it as a
    sentence.

    With probability at least 1 - delta over the sample, the classifier errs on at most
    the fraction ``value`` of new cases. If groups were given, these are the cases of a
    new group; with ``by="class"``, those of one class.

    Attributes
    ----------
    value : float
        At most 1; ``float(certificate)`` is the same.
    method : str
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
    label : object
        The class to whose cases the bound applies, one of ``n_labels`` classes; None
        for all cases.
    n_labels : int
        Number of classes whose bounds hold at once.
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
    >>> print(certify(never, [[1]] * 59, [0] * 59))
    With probability 0.95 over the 59 examples, this classifier errs on at most 5.0% of new cases (test-set).
    It predicts 0 for each of these examples.
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
    label: Any = None
    n_labels: int = 1
    n_compared: int = field(default=0, repr=False)
    n_recurring: int = 0
    remark: str = field(default="", repr=False)
    n_leaves: int | None = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_leaves", count_leaves(self.estimator))

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        percent = (
            math.ceil(1000 * self.value) / 10
        )  # rounded up: a smaller number would not be certified
        if percent >= 100:
            return (
                f"This bound, {math.ceil(1e4 * self.value) / 1e4:g}, promises nothing"
                f" ({self.method})."
            )
        # Rounded down: no larger probability is certified.
        sure = math.floor(round(1e4 * (1 - self.delta), 6)) / 1e4
        probability = f"1 - {self.delta}" if self.delta < 1e-4 else f"{sure:g}"
        leaves = "leaf" if self.n_leaves == 1 else "leaves"
        kind = (
            "classifier"
            if self.n_leaves is None
            else f"tree with {self.n_leaves} {leaves}"
        )
        at_once = ((self.n_candidates, "candidates"), (self.n_labels, "classes"))
        notes = [
            self.method,
            *(f"{number} {name} at once" for number, name in at_once if number > 1),
        ]
        errs = (
            f"{'errs on' if self.label is None else 'misses'} at most {percent:.1f}% of"
            f" {self._cases()}"
        )
        start = f"With probability {probability} over {self._sample()}, this {kind}"
        sentences = [f"{start} {errs} ({', '.join(notes)})."]
        if self.n_recurring:
            rows = (
                f"Of {self.n_compared} examples that can be compared with those that"
                " made it"
            )
            have = "has" if self.n_recurring == 1 else "have"
            sentences.append(f"{rows}, {self.n_recurring} {have} an equal among them.")
        return (
            " ".join([*sentences, self.remark])
            .rstrip()
            .replace(" 1 examples", " 1 example")
        )

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
        >>> found = certify(never, [[1]] * 59, [0] * 59).to_dict()
        >>> found["n_examples"], found["estimator"], len(json.dumps(found)) > 100
        (59, 'DummyClassifier', True)
        """
        plain = {one.name: getattr(self, one.name) for one in fields(self)}
        label = self.label.item() if isinstance(self.label, np.generic) else self.label
        plain |= {
            "estimator": type(self.estimator).__name__,
            "assumptions": list(self.assumptions),
        }
        plain |= {
            "label": (
                label if isinstance(label, str | int | float | None) else str(label)
            )
        }
        return {"sentence": str(self), **plain}

    def _sample(self) -> str:
        """The random objects of the probability."""
        number = (
            f"{self.n_examples} examples"
            if self.n_groups is None
            else f"{self.n_groups} groups"
        )
        judges = (
            f"the {number}"
            if self.label is None
            else f"the {number} of class {self.label!r}"
        )
        # With these methods the tree depends on the random sample, too.
        made = self.method in ("halves", "message")
        return (
            f"the examples that made it and {judges} that judge it" if made else judges
        )

    def _cases(self) -> str:
        """The cases whose share is bounded."""
        if self.n_groups is not None:
            return "the cases of a new group, in the mean over groups"
        return (
            "new cases"
            if self.label is None
            else f"the new cases of class {self.label!r}"
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
    made = _DESIGN if method == "halves" else _NO_CHOICE
    conditional = ((not recorded, _TRUSTED), (recurring, _EQUALS))
    return (drawn, made, *(sentence for applies, sentence in conditional if applies))
