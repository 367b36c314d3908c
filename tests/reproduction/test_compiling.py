"""Functions that numba compiles when they are called."""

import pickle
import subprocess
import sys

from reproduction.compiling import njit

IMPORTS = """
import sys
import reproduction.exact, reproduction.growing, reproduction.random_trees
import reproduction.experiments.leboeuf2020 as experiment
assert "numba" not in sys.modules
in_time = experiment.timed(lambda: "numba" in sys.modules)
assert in_time[0]
"""


@njit
def doubled(x):
    return 2 * x


@njit
def plus_doubled(x, y):
    return x + doubled(y)


def test_numba_is_imported_for_the_first_call_and_before_a_time_is_measured():
    subprocess.run([sys.executable, "-c", IMPORTS], check=True)


def test_a_compiled_function_calls_another_one():
    assert plus_doubled(1, 2) == 5
    assert len(plus_doubled.by_numba.signatures) == 1


def test_a_compiled_function_is_itself_in_another_process():
    assert pickle.loads(pickle.dumps(doubled)) is doubled
