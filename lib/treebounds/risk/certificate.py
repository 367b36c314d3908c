"""A statement about a model that holds with probability 1 - delta, with its
assumptions.
"""

from __future__ import annotations

import html
import math
from dataclasses import dataclass, field, fields
from functools import total_ordering
from numbers import Real
from typing import Any

from treebounds._versions import Versioned
from treebounds.risk.assumptions import assumptions, declaration
from treebounds.risk.models.fingerprints import fingerprint
from treebounds.risk.models.kinds import count_leaves
from treebounds.risk.verdict import limit_to_quote
from treebounds.risk.words import (
    in_full,
    in_percent,
    one_minus,
    percent_rounded_up,
    plain_word,
    rounded_up,
)

_PLURALS = {"class": "classes", "leaf": "limits", "group": "limits"}


@total_ordering
@dataclass(frozen=True, eq=False, kw_only=True)
class Certificate(Versioned):
    """An upper bound of a model's risk, with its meaning; ``print`` shows it as a
    sentence.

    With probability at least 1 - delta over the sample, the classifier errs on at most
    the fraction ``value`` of new cases. If groups were given, these are the cases of a
    new group; with ``by``, those of one class or of another part. A regressor is off by
    more than ``tolerance`` on at most this fraction. With ``cost``, ``value`` is a
    limit of the mean cost of a case.

    A certificate compares, rounds and formats as the number ``value``. Those of a
    coverage all have the same value: compare their ``tolerance``.

    >>> from sklearn.dummy import DummyClassifier
    >>> from treebounds import certify
    >>> never = DummyClassifier().fit([[0], [0]], [0, 0])
    >>> certificate = certify(never, [[i] for i in range(59)], [0] * 59)
    >>> print(certificate)
    With probability 0.95 over the 59 examples, this classifier errs on at most 5.0% of
    new cases (test-set), if these examples had no part in making it, in preparing its
    input or in choosing it, and if they are drawn like new cases, independently of each
    other and of those that made it. It predicts 0 for each of these examples.
    >>> certificate < 0.1, f"{certificate:.3f}"
    (True, '0.050')

    Attributes
    ----------
    value : float
        At most 1, or the largest cost; ``float(certificate)`` is the same.
    method : str
        "test-set", "halves", "message", "occam" or "growth".
    delta : float
        Probability that this bound, or any of the bounds that it was chosen from,
        fails.
    n_examples, n_errors : int
        Number of test examples, and number of those that the model gets wrong, is off
        by more than ``tolerance`` on, or makes costs on.
    estimator : classifier or regressor
        The model to which the bound applies, as it was then. It is not a copy. If it is
        fitted again or changed later, the sentence of a limit for all cases says so,
        and so does the table of its parts. Models of scikit-learn, LightGBM, XGBoost
        and CatBoost are looked at; what other models keep is not always found.
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
    is_recorded : bool
        Whether there is a record of the examples that the classifier was made from, or
        whether these are known for another reason.
    is_compared_after_steps : bool
        Whether they were compared as they reach the last step of a pipeline, whose
        record is that of this step.
    is_prepared : bool
        Whether steps before the estimator in a pipeline were fitted to the same
        examples. The sentence then says that they must have learned nothing from them.
    duplicates : str
        What was done with equal examples: copies were "refuse"d, equal ones were kept
        "together" on one side and counted once, or "ignore"d.
    n_rows, n_repeats : int
        Number of examples that were looked through for equal ones, and how many of them
        repeat others.
    remark : str
        Further remarks, for example that the classifier is constant.
    tolerance : float or None
        For regressors, in the unit of y. A prediction plus or minus the tolerance is an
        interval that misses at most the share ``value`` of new cases, with the
        probability of the certificate.
    coverage : float or None
        The share that the caller asked ``tolerance`` to cover, 1 - ``value``; None if
        the tolerance was given.
    largest_cost : float or None
        The largest cost that a case may have; None if errors are counted.
    is_cost_by_case : bool
        Whether each case has a cost of its own, so that no new case may cost more.
    declared : tuple of str
        What the caller had to fix before the answers were looked at: "groups", "costs",
        "tolerance" or "coverage".
    own_code : tuple of str
        Classes and functions of the caller's in a learner, which must use nothing but
        the rows that they are given.
    further_assumptions : tuple of str
        What a special way to certify assumes besides, in sentences.
    n_leaves : int or None
        Number of leaves of the estimator; None if it is not a tree.
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
        # A table has many parts, which would all read the same model.
        certified = fingerprint(self.estimator) if self.by is None else None
        object.__setattr__(self, "_fingerprint", certified)

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
    def assumptions(self) -> tuple[str, ...]:
        """Conditions that must hold and that cannot be checked from the data, in
        sentences.
        """
        counts_once = self.duplicates == "together"
        n_equal = self.n_repeats + self._n_left_out
        sentences = assumptions(
            self.method,
            grouped=self.n_groups is not None,
            recorded=self.is_recorded,
            recurring=self.n_recurring > self._n_left_out,
            after_steps=self.is_compared_after_steps,
            declared=self.declared,
            largest_cost=self.largest_cost if self.is_cost_by_case else None,
            alike=n_equal > 0 and not counts_once,
            copies=n_equal > 0 and counts_once,
            own_code=self.own_code,
        )
        return (*sentences, *self.further_assumptions)

    @property
    def sentence(self) -> str:
        """The certificate in words, to quote as a whole."""
        if self.promises_nothing:
            return self._promises_nothing()

        sentences = [self._about_change(), self._promise()]
        sentences += [self.about_rows, self.remark]
        text = " ".join(sentence for sentence in sentences if sentence)
        text = text.replace(" 1 examples that judge ", " 1 example that judges ")
        return text.replace(" 1 examples", " 1 example")

    @property
    def promises_nothing(self) -> bool:
        """Whether the limit is no smaller than what is known without any example."""
        if self.tolerance == math.inf:
            return True
        if self.largest_cost is not None:
            return self.value >= self.largest_cost
        return self._percent() >= 100

    @property
    def limit(self) -> float:
        """What was computed: the tolerance if a coverage was asked for, else
        ``value``.
        """
        return limit_to_quote(self.value, self.tolerance, self.coverage)

    @property
    def short_limit(self) -> str:
        """The limit as a number with its unit, rounded up."""
        if self.largest_cost is not None or self.coverage is not None:
            return rounded_up(self.limit)
        return in_percent(self.value)

    @property
    def claim(self) -> str:
        """What is certified, in a few words.

        >>> from sklearn.dummy import DummyClassifier
        >>> from treebounds import certify
        >>> never = DummyClassifier().fit([[0], [0]], [0, 0])
        >>> certify(never, [[1]] * 59, [0] * 59).claim
        'at most 5.0% of new cases'
        """
        if self.promises_nothing:
            return "this promises nothing"
        if self.largest_cost is not None:
            return f"at most {rounded_up(self.value)} per case on average"
        cases = "new cases" if self.by is None else "such new cases"
        share = f"at most {in_percent(self.value)} of {cases}"
        if self.tolerance is not None:
            return f"off by more than {self._tolerance()} on {share}"
        return share

    @property
    def kind(self) -> str:
        """The kind of model: a tree with its number of leaves, else a classifier or a
        regressor.
        """
        if self.n_leaves is None:
            return "classifier" if self.tolerance is None else "regressor"
        leaves = "leaf" if self.n_leaves == 1 else "leaves"
        return f"tree with {self.n_leaves} {leaves}"

    @property
    def trusted(self) -> str:
        """The part of the sentence that says what nobody can check for the caller.

        A record of the rows that made a model finds these rows again, but not rounded
        or scaled copies of them, nor what earlier steps learned from them. So the
        sentence about a test set names this condition with a record, too. The other
        methods grow or choose the model themselves, and see only the input they get.

        No record tells whether the cases depend on each other: near copies, visits of
        the same person, days of one season. Nor does it tell whether several models, or
        several settings, were tried and the best limit was kept.
        """
        conditions = [
            self._origin(),
            self._settings(),
            self._independence(),
            self._equal_examples(),
            self._declaration(),
            self._bounded_costs(),
            self._own_code(),
        ]
        conditions = [condition for condition in conditions if condition]
        *first, last = (f"if {condition}" for condition in conditions)
        return ", ".join([*first, f"and {last}"])

    @property
    def about_rows(self) -> str:
        """Sentences on rows that are equal to others; empty if there are none."""
        return f"{self._recurring_rows()} {self._repeated_rows()}".strip()

    def to_dict(self) -> dict[str, Any]:
        """All attributes and the sentence as plain numbers and words, with the type's
        name as the estimator.

        >>> import json
        >>> from sklearn.dummy import DummyClassifier
        >>> from treebounds import certify
        >>> never = DummyClassifier().fit([[0], [0]], [0, 0])
        >>> plain = certify(never, [[i] for i in range(59)], [0] * 59).to_dict()
        >>> plain["n_examples"], plain["estimator"], len(json.dumps(plain)) > 100
        (59, 'DummyClassifier', True)

        Returns
        -------
        dict
            ``json.dumps`` accepts it.
        """
        plain = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        plain["estimator"] = type(self.estimator).__name__
        if self.tolerance == math.inf:
            plain["tolerance"] = None  # JSON has no infinity
        plain["assumptions"] = list(self.assumptions)
        for name in ("declared", "own_code", "further_assumptions"):
            plain[name] = list(plain[name])
        plain["label"] = plain_word(self.label)
        return {"sentence": self.sentence, **plain}

    def _repr_html_(self) -> str:
        """The sentence, with the limit beside the counts that it comes from."""
        kinds = {True: "cases off by more", False: "errors"}
        counted = kinds[self.tolerance is not None]
        return (
            f"<p>{html.escape(self.sentence)}</p><table>"
            f"<tr><th>judged</th><th>{counted}</th><th>observed</th><th>limit</th></tr>"
            f"<tr><td>{self.n_examples}</td><td>{self.n_errors}</td>"
            f"<td>{self.n_errors / max(1, self.n_examples):.1%}</td>"
            f"<td>{html.escape(self.short_limit)}</td></tr></table>"
        )

    def _origin(self) -> str:
        """The condition that the examples had no part in the model."""
        if self.is_prepared:
            return "the steps before it learned nothing from these examples"
        if self.method == "test-set":
            judges = "examples" if self.n_groups is None else "groups"
            return (
                f"these {judges} had no part in making it, in preparing its input or in"
                " choosing it"
            )
        if self._is_grown_elsewhere():
            return (
                "these examples had no part in growing the tree that they prune, in"
                " preparing its input or in choosing it"
            )
        return (
            "none of these examples had a part in preparing the input or in choosing"
            " the settings (seed, costs and tolerance among them)"
        )

    def _is_grown_elsewhere(self) -> bool:
        """Whether the caller grew the tree that these examples prune: then there is no
        record of its rows, or the examples were compared with it.
        """
        return not self.is_recorded or (self.method == "occam" and self.n_compared > 0)

    def _settings(self) -> str:
        """The condition on the settings, where another one is on steps before."""
        if self.is_prepared:
            return (
                "these had no part in choosing the settings (seed, costs and tolerance"
                " among them)"
            )
        return ""

    def _independence(self) -> str:
        """The condition that the cases are drawn like new ones."""
        things = "examples" if self.n_groups is None else "groups"
        new = "cases" if self.n_groups is None else "groups"
        condition = f"drawn like new {new}, independently of each other"
        if self.method == "test-set":
            return f"they are {condition} and of those that made it"
        if self._is_grown_elsewhere():
            return f"they are {condition} and of those that grew it"
        if self.n_groups is None and not self.is_prepared:
            return f"they are {condition}"
        return f"the {things} are {condition}"

    def _equal_examples(self) -> str:
        """The condition on examples that are equal to others: tests find few copies
        where columns have few values.
        """
        if not self.n_repeats and not self._n_left_out:
            return ""
        if self.duplicates == "together":
            return "equal examples are copies of one case"
        return "equal examples are different cases"

    def _declaration(self) -> str:
        """The condition that the caller fixed groups, costs or a tolerance before; for
        the other methods these are settings.
        """
        if self.method != "test-set" or not self.declared:
            return ""
        return f"the {declaration(self.declared)}"

    def _bounded_costs(self) -> str:
        """The condition that no cost is larger, where each case has its own."""
        if self.largest_cost is None or not self.is_cost_by_case:
            return ""
        return f"no new case costs more than {in_full(self.largest_cost)}"

    def _own_code(self) -> str:
        """The condition on classes and functions of the caller's in a learner."""
        if not self.own_code:
            return ""
        return f"{' and '.join(self.own_code)} used nothing but the rows given to it"

    def _tolerance(self) -> str:
        """The tolerance in words; one that was computed is rounded up."""
        tolerance = float(self.tolerance or 0.0)
        return in_full(tolerance) if self.coverage is None else rounded_up(tolerance)

    def _percent(self) -> float:
        """The value in percent, rounded up: a smaller number would not be certified."""
        return percent_rounded_up(self.value)

    def _promises_nothing(self) -> str:
        """The sentence of a bound of 100 percent."""
        value = math.ceil(1e4 * self.value) / 1e4
        if self.tolerance == math.inf:
            value = math.inf
        subject = "" if self.by is None else f" for {self._part()}"
        reason = ""
        if self.tolerance is not None and self.coverage is None:
            judged = f"{self.n_errors} of {self.n_examples} examples were off"
            reason = f": {judged} by more than {self._tolerance()}"
        bound = f"This bound{subject}, {value:g}, promises nothing ({self.method})"
        return f"{bound}{reason}. {self.remark}".strip()

    def _promise(self) -> str:
        """What is certified, with its probability."""
        return (
            f"With probability {one_minus(self.delta)} over {self._sample()}, this"
            f" {self.kind} {self._does()} {self._cases()} ({self._method()}),"
            f" {self.trusted}."
        )

    def _about_change(self) -> str:
        """A sentence if the model is no longer the one that was certified."""
        return about_change(self.estimator, getattr(self, "_fingerprint", None))

    def _does(self) -> str:
        """What the model does at most, up to the cases that it does it on."""
        if self.largest_cost is not None:
            return f"costs at most {rounded_up(self.value)} per case on average over"
        share = f"at most {in_percent(self.value)} of"
        if self.tolerance is not None:
            return f"is off by more than {self._tolerance()} on {share}"
        return f"misses {share}" if self.by == "class" else f"errs on {share}"

    def _sample(self) -> str:
        """The random objects of the probability."""
        number = (
            f"{self.n_examples} examples"
            if self.n_groups is None
            else f"{self.n_groups} groups"
        )
        judges = f"the {number}"
        if self.by is not None:
            reach = "that reach" if self.by == "leaf" else "of"
            judges = f"{judges} {reach} {self._part()}"

        # With these methods the tree depends on the random sample, too.
        if self.method in ("halves", "message"):
            return f"the examples that made it and {judges} that judge it"
        return judges

    def _cases(self) -> str:
        """The cases whose share is bounded."""
        if self.n_groups is not None:
            return "the cases of a new group, in the mean over groups"
        if self.by == "leaf":
            return f"the new cases that reach {self._part()}"
        if self.by is not None:
            return f"the new cases of {self._part()}"
        return "new cases"

    def _part(self) -> str:
        """The part of the cases that the certificate is about."""
        kind = "node" if self.by == "leaf" else self.by
        return f"{kind} {self.label!r}"

    def _method(self) -> str:
        """The method, and how many bounds hold at once."""
        together = ""
        if self.n_parts > 1:
            parts = _PLURALS.get(str(self.by), "limits")
            together = f", {self.n_parts} {parts} at once"
        if self.method != "halves":
            return f"{self.method}{together}"

        examples = "example" if self.n_examples == 1 else "examples"
        return (
            f"judged on {self.n_examples} {examples} that had no part in making it; the"
            f" best of {self.n_candidates} candidates, which the limit allows"
            f" for{together}"
        )

    @property
    def _n_left_out(self) -> int:
        """How many of the examples that recur did not judge."""
        # What is equal only after the steps of a pipeline is not left out. In halvings
        # copies are on one side, so that none has to be left out.
        if self.is_compared_after_steps or self.method == "halves":
            return 0
        return self.n_recurring if self.duplicates == "together" else 0

    def _recurring_rows(self) -> str:
        """How many of the judging examples are equal to examples that made the
        classifier.
        """
        if not self.n_recurring:
            return ""
        compared = (
            f"Of {self.n_compared} examples that can be compared with those that made"
            f" it, {self.n_recurring}"
        )
        if self.is_compared_after_steps:
            reach = "reaches" if self.n_recurring == 1 else "reach"
            return (
                f"{compared} {reach} its last step with the same values as one of"
                " these."
            )

        have = "has" if self.n_recurring == 1 else "have"
        left_out = " and did not judge" if self._n_left_out else ""
        return f"{compared} {have} an equal among them{left_out}."

    def _repeated_rows(self) -> str:
        """How many of the examples are equal to others, and what was done with them."""
        if not self.n_repeats:
            return ""
        repeat = "repeats" if self.n_repeats == 1 else "repeat"
        share = (
            f"Of {self.n_rows} examples, {self.n_repeats}"
            f" ({self.n_repeats / self.n_rows:.1%}) {repeat} others"
        )
        if self.duplicates == "together":
            return (
                f"{share}; equal ones were taken for copies, kept on one side and"
                " counted once."
            )
        if self.duplicates == "ignore":
            return (
                f"{share} and were counted as different cases; whether they are copies"
                " was not looked into."
            )
        return f"{share} and were counted as different cases."


def about_change(model: Any, certified: int | None) -> str:
    """A sentence if a model is no longer the one that was certified; else nothing.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.certificate import about_change
    >>> from treebounds.risk.models.fingerprints import fingerprint
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
