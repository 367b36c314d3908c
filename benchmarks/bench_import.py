"""The time to import the library, divided by the time to import scikit-learn's trees,
on which it builds.
"""

from __future__ import annotations

import resource
import subprocess
import sys

from measuring import Measurement, at_most


def seconds(module: str, repeat: int = 5) -> float:
    """Processor time of the fastest of some processes that import a module."""
    times = []
    for _ in range(repeat):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(
            after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        )

    return min(times)


def run() -> list[Measurement]:
    ratio = seconds("treebounds") / seconds("sklearn.tree")
    return [at_most("import treebounds / import sklearn.tree", ratio, 1.1, "times")]
