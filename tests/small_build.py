"""One small build of the book, for the tests of its pages and of its chapters."""

import fcntl
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import jupytext
import pytest

import opened
import unseeded
from chapters import NOTEBOOKS

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
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    built = output / "built-for"

    with open(output / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not built.exists() or not built.read_text().startswith(run):
            failure = _build(output, _only_perturbed(request.session.items))
            built.write_text(f"{run}\n{failure}")
        assert built.read_text() == f"{run}\n", built.read_text()
    return output


def _build(output, options):
    """Build; the end of what was printed if that fails, "" if it works."""
    program = [sys.executable, str(ROOT / "book" / "build.py")]
    process = subprocess.run(
        [*program, "--small", "--output", str(output), *options],
        cwd=ROOT,
        env=_watched(output),
        capture_output=True,
        text=True,
        check=False,
    )
    if process.returncode == 0:
        return ""
    return (process.stdout + process.stderr)[-6000:]


def _only_perturbed(items):
    """What the build is told if no test of the run needs its pages."""
    chapters = []
    for item in items:
        if "small_build" in getattr(item, "fixturenames", ()):
            chapter = None
            if hasattr(item, "callspec"):
                chapter = item.callspec.params.get("perturbed")
            chapters.append(chapter)
    if None in chapters:
        return []
    return ["--only", " ".join(chapters), "--execute-only"]


def _watched(output):
    """The environment in which kernels perturb; chapters whose perturbations changed
    run again.
    """
    folder = output / "perturbed"
    folder.mkdir(exist_ok=True)
    startup = output / "startup.py"
    startup.write_text(
        f"import sys\nsys.path.append({str(ROOT / 'tests')!r})\n"
        "__import__('opened').watch()\n"
        "__import__('unseeded').watch(get_ipython())\n"
        "__import__('perturbing').watch(get_ipython())\ndel sys\n"
    )

    for notebook in NOTEBOOKS:
        records = (noted.record(folder, notebook.name) for noted in (opened, unseeded))
        if not all(record.exists() for record in records):
            notebook.entry(output / "_build").unlink(missing_ok=True)
        if not notebook.claims:
            continue
        task = _task(notebook)
        (folder / f"{notebook.name}.json").write_text(json.dumps(task))
        found = folder / f"{notebook.name}-found.json"
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
    cells = _cells_outside_solutions(notebook)
    perturbations = PERTURBATIONS / f"{notebook.name.replace('-', '_')}.py"

    digest = hashlib.sha256(repr(cells).encode())
    digest.update(perturbations.read_bytes())
    digest.update((ROOT / "tests" / "perturbing.py").read_bytes())
    return {
        "name": notebook.name,
        "cells": cells,
        "perturbations": str(perturbations),
        "digest": digest.hexdigest(),
    }


def _cells_outside_solutions(notebook):
    """The code cells, with the small parameters behind those of the book."""
    cells = []
    in_solution = False
    for cell in jupytext.read(notebook.path).cells:
        if cell.cell_type == "markdown":
            start = cell.source.rfind("{solution-start}")
            end = cell.source.rfind("{solution-end}")
            if max(start, end) >= 0:
                in_solution = start > end
        elif cell.cell_type == "code" and not in_solution:
            cells.append(cell.source)
            if "parameters" in cell.metadata.get("tags", []):
                small = notebook.small.items()
                cells.append("\n".join(f"{name} = {value!r}" for name, value in small))
    return cells


@pytest.fixture(scope="session")
def book(small_build):
    """The folder of its pages."""
    return small_build / "_build" / "html"
