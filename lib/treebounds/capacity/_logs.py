"""Arithmetic with large numbers that are stored as logarithms.

The same lines of a recursion compute with these and with arrays of integers.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np


class Logs:
    """Nonnegative numbers stored as logarithms; they can be added, subtracted,
    multiplied and divided.

    >>> import math
    >>> from treebounds.capacity._logs import Logs
    >>> round(math.exp((3 + Logs(math.log(4.0)) * 5 - 2).logs), 9)
    21.0
    """

    def __init__(self, logs: Any) -> None:
        self.logs = logs

    def __getitem__(self, places: Any) -> Logs:
        return Logs(self.logs[places])

    def __add__(self, other: Any) -> Logs:
        return Logs(np.logaddexp(self.logs, logs_of(other)))

    def __sub__(self, other: Any) -> Logs:
        # Differences that are below 0 by rounding count as 0.
        with np.errstate(divide="ignore"):
            log_share = np.minimum(logs_of(other) - self.logs, 0.0)
            return Logs(self.logs + np.log1p(-np.exp(log_share)))

    def __mul__(self, other: Any) -> Logs:
        return Logs(self.logs + logs_of(other))

    def __floordiv__(self, other: Any) -> Logs:
        return Logs(self.logs - logs_of(other))

    __radd__ = __add__
    __rmul__ = __mul__


def logs_of(numbers: Any) -> Any:
    """The logarithms of numbers, which may be stored as logarithms already."""
    return numbers.logs if isinstance(numbers, Logs) else math.log(numbers)


def smaller(a: Any, b: Any) -> Any:
    """The smaller of two numbers at each place."""
    if isinstance(a, Logs):
        return Logs(np.minimum(a.logs, logs_of(b)))
    return np.minimum(a, b)


def concatenated(a: Any, b: Any) -> Any:
    """The table for the examples of both tables; the first one has fewer."""
    if isinstance(a, Logs):
        return Logs(np.append(a.logs, b.logs))
    return np.append(a, b, axis=-1)
