"""What a question has to answer."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from treebounds.risk.verdict import Verdict


class Question(Protocol):
    """What is asked of a model: about its errors, their costs, or numbers it predicts.

    Attributes
    ----------
    is_monotone : bool
        Whether a limit never falls if a loss rises. Then the limits of parts and of the
        whole hold at once by a product of their levels.
    is_about_numbers : bool
        Whether it is asked of a regressor, not of a classifier.
    """

    is_monotone: bool
    is_about_numbers: bool

    def read(self, y: Any) -> NDArray[Any]:
        """The true values as a vector, or a ValueError."""

    def losses(
        self, predicted: Any, labels: NDArray[Any], rows: NDArray[np.intp]
    ) -> NDArray[Any]:
        """The loss of each case; ``rows`` are the cases' numbers in the sample."""

    def verdict(
        self,
        losses: NDArray[Any],
        delta: float,
        *,
        units: NDArray[np.intp] | None = None,
    ) -> Verdict:
        """The limit for some cases, which fails with probability at most delta."""

    def verdicts(self, parts: list[NDArray[Any]], delta: float) -> list[Verdict]:
        """The limit for each of several parts; each fails with probability at most
        delta.
        """

    def remark(
        self, predicted: Any, labels: NDArray[Any], verdict: Verdict, delta: float
    ) -> str:
        """A sentence if the model is constant, or no better than a constant one."""

    def least_cases(self, delta: float) -> int:
        """The smallest number of cases from which anything can be said."""
