"""Note which cells of a chapter draw from numpy's global generator.

It is seeded by the clock, and scikit-learn draws from it where `random_state` is
missing. The kernels of the tests' book call `watch` when they start.
"""

import os
from pathlib import Path

import numpy as np


def record(folder, name):
    """The file that lists the cells of a chapter that drew without a seed."""
    return folder / f"{name}-unseeded.txt"


def watch(shell):
    """List each cell from now on during which the global generator moves."""
    folder = Path(os.environ["TREEBOUNDS_PERTURBED"])
    report = record(folder, Path(os.environ["TREEBOUNDS_RESULTS"]).parent.name)
    report.write_text("", encoding="utf-8")
    before = []

    def remember(_):
        before[:] = [_place()]

    def compare(result):
        if before and before.pop() != _place():
            with report.open("a", encoding="utf-8") as lines:
                lines.write(f"{result.info.raw_cell!r}\n")

    shell.events.register("pre_run_cell", remember)
    shell.events.register("post_run_cell", compare)


def _place():
    """Where the global generator stands in its sequence."""
    _, key, position, *_ = np.random.get_state()  # noqa: NPY002
    return key.tobytes(), position
