"""What every benchmark does: time a call, and hold the result against a target."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import NamedTuple


class Measurement(NamedTuple):
    """A quantity and its target, which is a limit from above or from below.

    Examples
    --------
    >>> from measuring import Measurement
    >>> Measurement("a task", 0.5, 1.0, "s, at most").met
    True
    >>> str(Measurement("a task", 1.5, 1.0, "s, at most"))
    '       1.5 s, at most 1      MISSED a task'
    """

    name: str
    value: float
    target: float
    unit: str

    @property
    def met(self) -> bool:
        """Whether the value meets the target."""
        if "at least" in self.unit:
            return self.value >= self.target
        return self.value <= self.target

    def __str__(self) -> str:
        name = self.name
        if not self.met:
            name = f"MISSED {name}"
        return f"{self.value:10.3g} {self.unit} {self.target:<6g} {name}"


def at_most(name: str, value: float, target: float, unit: str = "s") -> Measurement:
    """A measurement that should not exceed its target."""
    return Measurement(name, value, target, f"{unit}, at most")


def at_least(
    name: str, value: float, target: float, unit: str = "times"
) -> Measurement:
    """A measurement that should reach its target."""
    return Measurement(name, value, target, f"{unit}, at least")


def seconds(function: Callable[[], object], repeat: int = 1) -> float:
    """Processor time of the fastest of some calls."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def quotient(
    first: Callable[[], object], second: Callable[[], object], repeat: int
) -> float:
    """Median quotient of the processor times of two calls, which take turns, so that a
    busy machine changes neither.
    """
    return median(seconds(first) / seconds(second) for _ in range(repeat))
