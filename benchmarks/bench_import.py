"""The time to import the library, divided by the time to import scikit-learn's trees,
on which it builds.

Python keeps local names of calls in pieces of memory. Where a call crosses the end of a
piece, Python asks for a new piece and gives it back on return; a loop that makes such
calls takes longer. So up to a fifth of an import's time depends on how many calls are
open around it, which says nothing of what is imported. Both imports are therefore
measured below different numbers of open calls.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from statistics import median

from measuring import Measurement, at_most

OPEN_CALLS = range(0, 64, 4)
IMPORT_BELOW = """
def import_below(n_calls):
    if n_calls:
        import_below(n_calls - 1)
    else:
        import {module}

import_below({n_calls})
"""


def seconds(module: str, n_calls: int) -> float:
    """Processor time of a process that imports a module below some open calls."""
    program = IMPORT_BELOW.format(module=module, n_calls=n_calls)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", program], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)

    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run() -> list[Measurement]:
    # They take turns, so that a busy machine changes neither.
    pairs = [
        (seconds("treebounds", n_calls), seconds("sklearn.tree", n_calls))
        for n_calls in OPEN_CALLS
    ]
    ours, theirs = (median(times) for times in zip(*pairs, strict=True))

    name = "import treebounds / import sklearn.tree"
    return [at_most(name, ours / theirs, 1.1, "times")]
