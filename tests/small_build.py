"""One small build of the book, for the tests of its pages and of its chapters."""

import fcntl
import hashlib
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import execute
import jupytext
import pytest

ROOT = Path(__file__).resolve().parents[1]
PERTURBATIONS = ROOT / "tests" / "notebooks" / "perturbations"


@pytest.fixture(scope="session")
def small_build(request):
    """The folder of a build with the notebooks' small parameters, warnings as errors.

    Built once for all workers of a test run: the first one builds, the others wait for
    it. Each kernel perturbs the claims of its chapter, see ``perturbing.py``. If the
    tests of the run are about perturbations alone, only their chapters are executed,
    and no page is written.
    """
    output = ROOT / "_build" / "test"
    output.mkdir(parents=True, exist_ok=True)
    run, built = (
        os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid())),
        output / "built-for",
    )
    with open(output / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not built.exists() or not built.read_text().startswith(run):
            command = [
                sys.executable,
                str(ROOT / "book" / "build.py"),
                "--small",
                "--output",
                str(output),
            ]
            command += _only_perturbed(request.session.items)
            done = subprocess.run(
                command, cwd=ROOT, env=_watched(output), capture_output=True, text=True
            )
            failure = (done.stdout + done.stderr)[-6000:] if done.returncode else ""
            built.write_text(f"{run}\n{failure}")
        assert built.read_text() == f"{run}\n", built.read_text()
    return output


def _only_perturbed(items):
    """What the build is told if no test of the run needs its pages."""
    users = [
        item for item in items if "small_build" in getattr(item, "fixturenames", ())
    ]
    names = [
        getattr(item, "callspec", None) and item.callspec.params.get("perturbed")
        for item in users
    ]
    return [] if None in names else ["--only", " ".join(names), "--execute-only"]


def _watched(output):
    """The environment in which kernels perturb; chapters whose perturbations changed
    run again.
    """
    folder = output / "perturbed"
    folder.mkdir(exist_ok=True)
    startup = output / "startup.py"
    startup.write_text(
        f"import sys\nsys.path.append({str(ROOT / 'tests')!r})\n"
        "__import__('perturbing').watch(get_ipython())\ndel sys\n"
    )
    for notebook in execute.discover(ROOT / "notebooks"):
        if notebook.claims:
            task, found = _task(notebook), folder / f"{notebook.name}-found.json"
            (folder / f"{notebook.name}.json").write_text(json.dumps(task))
            if (
                not found.exists()
                or json.loads(found.read_text())["digest"] != task["digest"]
            ):
                notebook.entry(output / "_build").unlink(missing_ok=True)
    return {
        **os.environ,
        "PYTHONSTARTUP": str(startup),
        "TREEBOUNDS_PERTURBED": str(folder),
    }


def _task(notebook):
    """The cells of a chapter, without those of solutions, and its perturbations."""
    text = (PERTURBATIONS / f"{notebook.name}.toml").read_text(encoding="utf-8")
    code = (ROOT / "tests" / "perturbing.py").read_text(encoding="utf-8")
    cells, in_solution = [], False
    for cell in jupytext.read(notebook.path).cells:
        if cell.cell_type == "markdown":
            start, end = (
                cell.source.rfind(f"{{solution-{word}}}") for word in ("start", "end")
            )
            if max(start, end) >= 0:
                in_solution = start > end
        elif cell.cell_type == "code" and not in_solution:
            cells.append(cell.source)
            if "parameters" in cell.metadata.get("tags", []):
                cells.append(
                    "\n".join(
                        f"{name} = {value!r}" for name, value in notebook.small.items()
                    )
                )
    task = {"name": notebook.name, "cells": cells, "perturbations": tomllib.loads(text)}
    return task | {"digest": hashlib.sha256(f"{task}{code}".encode()).hexdigest()}


@pytest.fixture(scope="session")
def book(small_build):
    """The folder of its pages."""
    return small_build / "_build" / "html"
