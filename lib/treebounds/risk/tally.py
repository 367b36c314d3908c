"""Counting the errors of a classifier, batch by batch, and the limit that follows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treebounds._validation import check_same_order
from treebounds.risk.tail_inversion import (
    binomial_tail_inversion,
    bounded_mean_inversion,
)


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
        if self.coverage is not None and self.tolerance is not None:
            return self.tolerance
        return self.value

    def declared(self, by: str | None = None) -> list[str]:
        """What the caller had to fix before the cases were judged, in words.

        >>> from treebounds.risk.tally import Verdict
        >>> Verdict(0.1, 30, 0, tolerance=5.0).declared("group")
        ['groups', 'tolerance']
        """
        conditions = {
            "groups": by == "group",
            "costs": self.largest_cost is not None,
            "coverage": self.coverage is not None,
            "tolerance": self.coverage is None and self.tolerance is not None,
        }
        names = [name for name, holds in conditions.items() if holds]
        if not self.cost_order:
            return names
        classes = ", ".join(map(repr, self.cost_order))
        costs_in_order = f"costs of {classes}, in this order,"
        return [costs_in_order if name == "costs" else name for name in names]


class Tally:
    """The errors of a classifier on test examples, counted for each class, batch by
    batch.

    >>> import numpy as np
    >>> from treebounds.risk.tally import Tally
    >>> tally = Tally()
    >>> tally.count(np.array(["a", "a"]), np.array(["a", "b"]))
    array([False,  True])
    >>> tally.errors.total(), tally.remark(0.9, -3.0)
    (1, "It predicts 'a' for each of these examples.")
    >>> round(tally.verdict(-3.0).value, 3)
    0.975

    Attributes
    ----------
    totals, errors : Counter
        Number of examples of each class, and number of errors among them.
    predicted : set
        Labels that the classifier predicts.
    """

    def __init__(self) -> None:
        self.totals: Counter[Any] = Counter()
        self.errors: Counter[Any] = Counter()
        self.predicted: set[Any] = set()

    def count(self, predicted: Any, labels: NDArray[Any]) -> NDArray[np.bool_]:
        """Count further examples; return a mask of the errors.

        Parameters
        ----------
        predicted : (n,) or (n, 1) array
            CatBoost's classifiers predict a column.
        labels : (n,) array

        Returns
        -------
        (n,) array of bool
        """
        predicted = as_vector(predicted, labels)
        wrong = np.asarray(predicted != labels)
        self.totals.update(counts_of(labels))
        self.errors.update(counts_of(labels[wrong]))
        self.predicted.update(counts_of(predicted))
        return wrong

    def verdict(
        self, log_gamma: float, groups: tuple[int, float] | None = None
    ) -> Verdict:
        """The upper limit of the risk, and the counts that it follows from.

        Parameters
        ----------
        log_gamma : float
            ln of the probability that the limit fails, in nats.
        groups : (int, float), optional
            The result of :func:`mean_over_groups`, if groups and not examples are
            independent. The limit is then for the mean loss of a group.

        Returns
        -------
        Verdict
        """
        n = self.totals.total()
        k = self.errors.total()

        if groups is None:
            value = binomial_tail_inversion(k, n, log_gamma)
            return Verdict(value, n, k, remark=self.remark(value, log_gamma))

        n_groups, mean = groups
        value = bounded_mean_inversion(mean, n_groups, log_gamma)
        return Verdict(value, n, k, n_groups, self.remark_on_a_constant())

    def remark(self, value: float, log_gamma: float) -> str:
        """A certificate's remark: the error of always predicting the most frequent
        class, or that the classifier is constant, or shows no gain.

        Parameters
        ----------
        value : float
            The certified risk.
        log_gamma : float
            ln of the probability that it fails.

        Returns
        -------
        str
            A sentence.
        """
        constant = self.remark_on_a_constant()
        if constant:
            return constant

        majority, n_majority = max(self.totals.items(), key=lambda item: item[1])
        n = self.totals.total()
        k = n - n_majority
        if binomial_tail_inversion(k, n, log_gamma) > value:
            return (
                f"Always predicting {majority!r} errs on {k / n:.1%} of these examples."
            )
        return (
            f"It shows no gain over always predicting {majority!r}, which errs on {k}"
            " of these examples."
        )

    def remark_on_a_constant(self) -> str:
        """A sentence if the classifier predicts one label only, else an empty string.

        >>> from treebounds.risk.tally import Tally
        >>> Tally().remark_on_a_constant()
        ''
        """
        if len(self.predicted) != 1:
            return ""
        label = next(iter(self.predicted))
        return f"It predicts {label!r} for each of these examples."


def as_vector(predicted: Any, labels: NDArray[Any]) -> NDArray[Any]:
    """Predictions as a vector; raise a ValueError unless there is one for each label.

    >>> import numpy as np
    >>> from treebounds.risk.tally import as_vector
    >>> as_vector(np.array([["a"], ["b"]]), np.array(["a", "a"])).tolist()
    ['a', 'b']
    """
    check_same_order(predictions=predicted)
    vector = np.asarray(predicted)
    if vector.shape == (len(labels), 1):
        vector = vector[:, 0]

    if vector.dtype.kind == "f" and holds_rounded_integers(labels):
        raise ValueError(
            "model predicts floats, and y holds whole numbers beyond 2**53, of which"
            " several become the same float. Give labels as smaller numbers or as words"
        )
    if vector.shape != labels.shape:
        raise ValueError(
            "y must have one label for each prediction; the shapes of y and of the"
            f" predictions are {labels.shape} and {vector.shape}. If the model drops"
            " rows, let it keep them all: a dropped row has no prediction"
        )
    return vector


def holds_rounded_integers(numbers: NDArray[Any]) -> bool:
    """Whether some are integers that are not floats of 64 bits, too.

    >>> import numpy as np
    >>> from treebounds.risk.tally import holds_rounded_integers
    >>> holds_rounded_integers(np.array([2**53])), holds_rounded_integers(np.array([7]))
    (True, False)
    """
    if numbers.dtype.kind not in "iu" or numbers.dtype.itemsize < 8:
        return False
    return bool(((numbers >= 2**53) | (numbers <= -(2**53))).any())


def counts_of(labels: NDArray[Any]) -> dict[Any, int]:
    """How often each label occurs, with the labels as plain Python objects.

    >>> import numpy as np
    >>> from treebounds.risk.tally import counts_of
    >>> counts_of(np.array(["b", "a", "b"]))
    {'a': 1, 'b': 2}
    """
    if labels.dtype.kind == "O":
        return Counter(labels.tolist())
    values, counts = np.unique(labels, return_counts=True)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))
