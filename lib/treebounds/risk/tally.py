"""Counting the errors of a classifier, batch by batch, and the limit that follows."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treebounds.risk.rows.labels import as_vector, counts_of
from treebounds.risk.tail_inversion import (
    binomial_tail_inversion,
    bounded_mean_inversion,
)
from treebounds.risk.verdict import Verdict


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
