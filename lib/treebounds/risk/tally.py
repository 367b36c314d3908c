"""Counting the errors of a classifier, batch by batch, and the limit that follows."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treebounds.risk.tail_inversion import (
    binomial_tail_inversion,
    bounded_mean_inversion,
)


class Tally:
    """The errors of a classifier on test examples, counted for each class, batch by
    batch.

    Attributes
    ----------
    totals, errors : Counter
        Number of examples of each class, and number of errors among them.
    predicted : set
        Labels that the classifier predicts.

    Examples
    --------
    >>> import numpy as np
    >>> from treebounds.risk.tally import Tally
    >>> tally = Tally()
    >>> tally.add(np.array(["a", "a"]), np.array(["a", "b"]))
    array([False,  True])
    >>> tally.errors.total(), tally.remark(0.9, -3.0)
    (1, "It predicts 'a' for each of these examples.")
    >>> round(tally.verdict(-3.0)["value"], 3)
    0.975
    """

    def __init__(self) -> None:
        self.totals: Counter[Any] = Counter()
        self.errors: Counter[Any] = Counter()
        self.predicted: set[Any] = set()

    def add(self, predicted: Any, labels: NDArray[Any]) -> NDArray[np.bool_]:
        """Count further examples; return a mask of the errors."""
        found = np.asarray(predicted)
        if found.shape != labels.shape:
            raise ValueError(
                f"y must have one label for each prediction; got {labels.shape},"
                f" {found.shape}"
            )
        wrong = np.asarray(found != labels)
        self.totals.update(labels.tolist())
        self.errors.update(labels[wrong].tolist())
        self.predicted.update(found.tolist())
        return wrong

    def verdict(
        self, log_gamma: float, groups: tuple[int, float] | None = None
    ) -> dict[str, Any]:
        """The upper limit of the risk, with further attributes of a certificate.

        Parameters
        ----------
        log_gamma : float
            ln of the probability that the limit fails, in nats.
        groups : (int, float), optional
            The result of :func:`mean_over_groups`, if groups and not examples are
            independent. The limit is then for the mean loss of a group.

        Returns
        -------
        dict
            ``value``, ``n_examples``, ``n_errors``, ``n_groups`` and ``remark``.
        """
        n, k = self.totals.total(), self.errors.total()
        n_groups, mean = (None, 0.0) if groups is None else groups
        if n_groups in (None, n):
            value = binomial_tail_inversion(k, n, log_gamma)
        else:
            value = bounded_mean_inversion(mean, n_groups, log_gamma)
        remark = self.remark(0.0 if groups else value, log_gamma)
        return {
            "value": value,
            "n_examples": n,
            "n_errors": k,
            "n_groups": n_groups,
            "remark": remark,
        }

    def remark(self, value: float, log_gamma: float) -> str:
        """A certificate's remark if the classifier is constant or shows no gain over a
        constant one.

        Parameters
        ----------
        value : float
            The certified risk; 0 if groups are independent, when it is not compared
            with that of a constant.
        log_gamma : float
            ln of the probability that it fails.

        Returns
        -------
        str
            A sentence, or an empty string.
        """
        if len(self.predicted) == 1:
            return (
                f"It predicts {next(iter(self.predicted))!r} for each of these"
                " examples."
            )
        majority, n_majority = max(self.totals.items(), key=lambda item: item[1])
        n, k = self.totals.total(), self.totals.total() - n_majority
        if not value or binomial_tail_inversion(k, n, log_gamma) > value:
            return ""
        return (
            f"It shows no gain over always predicting {majority!r}, which errs on {k}"
            " of these examples."
        )
