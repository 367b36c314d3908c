"""Kernels that are forked from a process which has imported what chapters use."""

import json
import os
import signal
import sys
import time

import execute
import kernels
import pytest

pytestmark = [
    pytest.mark.book,
    pytest.mark.skipif(not kernels.CAN_FORK, reason="kernels are not forked here"),
]
# What a forked process finds, and as long as a file is there, it waits.
PROBE = """
import json, os, pathlib, signal, sys, threading
found = {
    "arguments": sys.argv[1:],
    "environment": dict(os.environ),
    "modules": sorted(sys.modules),
    "path": sys.path,
    "threads": threading.active_count(),
    "session": os.getsid(0),
    "child": signal.getsignal(signal.SIGCHLD),
    "main": __name__,
    "drawn": sys.modules["numpy"].random.random(),
}
path = pathlib.Path(sys.argv[1])
path.with_suffix(".part").write_text(json.dumps(found))
path.with_suffix(".part").rename(path)
if len(sys.argv) > 2:
    signal.pause()
"""


@pytest.fixture(scope="module")
def probing(tmp_path_factory):
    """A function that forks a process, and waits for what it finds."""
    folder = tmp_path_factory.mktemp("probe")
    (folder / "probe.py").write_text(PROBE)
    environment = execute.environment()
    environment["PYTHONPATH"] = os.pathsep.join(
        [str(execute.ROOT / "lib"), str(folder)]
    )

    with kernels.origin(environment) as origin:

        def probe(*arguments, **own):
            found = folder / "found.json"
            found.unlink(missing_ok=True)
            command = [sys.executable, "-m", "probe", str(found), *arguments]
            forked = origin.fork(command, environment | own)
            while not found.exists():
                time.sleep(0.01)
            return forked, json.loads(found.read_text())

        yield probe


def test_a_forked_kernel_is_as_fresh_as_one_that_was_started_alone(probing):
    forked, found = probing(TREEBOUNDS_RESULTS="here")
    forked.wait()

    packages = {name.partition(".")[0] for name in found["modules"]}
    assert {"numpy", "sklearn", "matplotlib", "sympy"} <= packages
    assert packages.isdisjoint({"treebounds", "reproduction", "execute", "kernels"})
    # The library chooses by numba what it compiles, and tqdm its bar by the kernel.
    assert packages.isdisjoint({"numba", "tqdm"})
    # It looks for the kernel when it is imported.
    assert "matplotlib_inline.backend_inline" not in found["modules"]

    assert found["threads"] == 1
    assert found["session"] == forked.pid
    assert found["child"] == signal.SIG_DFL
    assert found["main"] == "__main__"
    assert os.path.dirname(kernels.__file__) not in found["path"]


def test_a_forked_kernel_has_an_environment_of_its_own(probing):
    _, found = probing(TREEBOUNDS_RESULTS="here")
    _, other = probing(TREEBOUNDS_READS="there")

    assert found["environment"]["TREEBOUNDS_RESULTS"] == "here"
    assert "TREEBOUNDS_RESULTS" not in other["environment"]
    assert other["environment"]["TREEBOUNDS_READS"] == "there"
    assert found["drawn"] != other["drawn"]


def test_a_forked_kernel_runs_until_it_ends_or_is_killed(probing):
    ending, _ = probing()
    ending.wait()
    assert ending.poll() == 0

    waiting, _ = probing("wait")
    assert waiting.poll() is None
    waiting.kill()
    waiting.wait()
    assert waiting.poll() == 0
