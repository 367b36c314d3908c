"""Execute the notebooks whose source, library, pins, parameters or data changed."""

from __future__ import annotations

import ast
import logging
import math
import os
import re
import shutil
import signal
import sys
import threading
import time
import warnings
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import cache
import jupytext
import nbformat
import papermill
import psutil
import yaml
from inputs import data_inputs, static_inputs
from jupyter_client import AsyncKernelManager
from papermill.exceptions import PapermillExecutionError

from reproduction.claims import MIME_TYPE

ROOT = Path(__file__).resolve().parents[1]
_ONLY_SPEED = {"n_jobs"}  # parameters that change how fast a result comes, not what it is
_interrupted = threading.Event()


@dataclass(frozen=True)
class Notebook:
    """A source notebook and what its header says about it."""

    path: Path
    claims: tuple[str, ...]
    small: dict[str, Any]
    needs: tuple[str, ...] = ()
    seeds: str = ""

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def page(self) -> Path:
        """Where the executed notebook goes, relative to the book's folder."""
        return Path(self.path.parent.name) / f"{self.path.stem}.ipynb"

    def entry(self, build: Path) -> Path:
        """Its file in the cache."""
        return build / "cache" / f"{self.name}.zip"


def discover(folder: Path) -> list[Notebook]:
    """The notebooks ``<part>/<name>.md`` of a folder, by part and name; names are unique."""
    notebooks = [read_header(path) for path in sorted(folder.glob("*/*.md"))]
    names = [notebook.name for notebook in notebooks]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"notebooks with the same name: {', '.join(twice)}")
    return notebooks


def read_header(path: Path) -> Notebook:
    """Read the YAML header of a notebook."""
    found = re.match(r"---\n(.*?)\n---\n", path.read_text(encoding="utf-8"), re.S)
    header = yaml.safe_load(found[1]) if found else {}
    own = header.get("treebounds", {})
    unknown = sorted(set(own) - {"claims", "needs", "seeds", "small"})
    if unknown:
        raise ValueError(f"{path}: unknown entries under treebounds: {', '.join(unknown)}")
    claims, needs = tuple(own.get("claims") or ()), tuple(own.get("needs") or ())
    return Notebook(path, claims, own.get("small") or {}, needs, str(own.get("seeds", "")))


def choose(notebooks: list[Notebook], names: str) -> list[Notebook]:
    """The notebooks with the given names (separated by spaces or commas); all when there are none."""
    wanted = names.replace(",", " ").split()
    unknown = sorted(set(wanted) - {notebook.name for notebook in notebooks})
    if unknown:
        known = ", ".join(notebook.name for notebook in notebooks)
        raise SystemExit(f"no notebook named {', '.join(unknown)}; there are {known}")
    return [notebook for notebook in notebooks if not wanted or notebook.name in wanted]


def run_all(
    notebooks: Iterable[Notebook], build: Path, *, small: bool, jobs: int, force: bool, timeout: int
) -> list[str]:
    """Execute what changed, in parallel, a line for each as it finishes; return the names that failed.

    The kernels are children of this process: one that is killed takes them with it.
    """
    _interrupted.clear()
    logging.getLogger("papermill").setLevel(logging.ERROR)  # it cannot parse comments that contain an =
    _set_environment()
    shutil.rmtree(build / "work", ignore_errors=True)  # of a build that was killed
    todo = []
    for notebook in notebooks:
        now = static_inputs(notebook.path, notebook.small if small else {})
        entry = cache.read(notebook.entry(build))
        if why := "forced" if force else cache.what_changed(entry, now):
            todo.append((-entry.seconds or -math.inf, notebook, now, why))
    print(f"{len(todo)} notebook(s) to execute", flush=True)
    todo.sort(key=lambda item: item[0])  # the slowest first, so that none is left to run alone at the end
    failed = []
    with ThreadPoolExecutor(max(1, min(jobs, len(todo)))) as pool:
        runs = {
            pool.submit(run_one, notebook, build, small, now, timeout): f"{notebook.name:28s} {why}"
            for _, notebook, now, why in todo
        }
        try:
            for count, run in enumerate(as_completed(runs), 1):
                name, seconds, error = run.result()
                _report(f"[{count}/{len(todo)}]", runs[run], seconds, error)
                failed += [name] if error else []
        except KeyboardInterrupt:
            _stop(pool, list(runs))
            raise
    return failed


def _report(place: str, what: str, seconds: float, error: str) -> None:
    print(f"{place} {'FAILED' if error else 'ok':6s} {seconds:6.1f} s  {what}", flush=True)
    if error:
        print(f"\n--- {what.split()[0]}\n{error}\n", file=sys.stderr, flush=True)


def _stop(pool: ThreadPoolExecutor, runs: list[Future]) -> None:
    """Start nothing more; interrupt the kernels, and kill those that do not end within five seconds."""
    logging.disable()  # that cells were interrupted is no news now
    warnings.simplefilter("ignore")
    _interrupted.set()
    pool.shutdown(wait=False, cancel_futures=True)
    patience = time.monotonic() + 5
    while not all(run.done() for run in runs):
        kill = time.monotonic() > patience
        for process in psutil.Process().children(recursive=kill):
            with suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGKILL if kill else signal.SIGINT)
        time.sleep(0.5)


def run_one(
    notebook: Notebook, build: Path, small: bool, now: dict[str, str], timeout: int
) -> tuple[str, float, str]:
    """Execute one notebook into the cache; its name, its seconds, and what went wrong ("" if nothing did)."""
    start, work = time.perf_counter(), build / "work" / notebook.name
    source = jupytext.read(notebook.path)
    _number_cells(source)  # jupytext draws new random identifiers at every reading
    try:
        document, error = _execute(source, notebook.small if small else {}, work, timeout)
        error = error or _wrong_claims(notebook, document)
        seconds = time.perf_counter() - start
        if not error:
            _clean(document, notebook, small)
            page = (Path("executed") / notebook.page).as_posix()
            files = {page: nbformat.writes(document).encode() + b"\n"}
            files |= {
                p.relative_to(work).as_posix(): p.read_bytes() for p in (work / "results").rglob("*.csv")
            }
            data = data_inputs(work / "reads")
            cache.write(notebook.entry(build), cache.Entry(now, data, round(seconds, 1), files))
        return notebook.name, seconds, error
    except OSError as error:  # a full disk, a folder without the right to write
        return notebook.name, time.perf_counter() - start, f"{type(error).__name__}: {error}"
    finally:
        shutil.rmtree(work, ignore_errors=True)


class _Kernels(AsyncKernelManager):
    """Kernels with an environment of their own: papermill gives all of them that of its process."""

    environment: ClassVar[dict[str, str]] = {}

    @property
    def kernel_spec(self) -> Any:
        spec = super().kernel_spec
        spec.env = spec.env | self.environment
        return spec


def _execute(source: Any, parameters: dict[str, Any], work: Path, timeout: int) -> tuple[Any, str]:
    """Run all cells in a kernel that leaves its tables in ``work``; the document, and what went wrong."""
    places = {"TREEBOUNDS_RESULTS": str(work / "results"), "TREEBOUNDS_READS": str(work / "reads")}
    kernels = type("Kernels", (_Kernels,), {"environment": places})
    for attempt in (1, 2):
        work.mkdir(parents=True, exist_ok=True)
        try:
            done = papermill.execute_notebook(
                *(source, None),
                parameters=parameters,
                kernel_name="python3",
                progress_bar=False,
                execution_timeout=timeout,
                kernel_manager_class=kernels,
                coalesce_streams=True,  # else what is printed is cut into pieces by the clock
                extra_arguments=["--log-level=50"],  # loopback is not encrypted: known
            )
            return done, ""
        except (PapermillExecutionError, TimeoutError) as error:
            return source, str(error)
        except RuntimeError as error:  # two kernels that start together may race for a port
            if attempt == 2 or _interrupted.is_set():
                return source, f"{type(error).__name__}: {error}"
    return source, ""


def _wrong_claims(notebook: Notebook, executed: Any) -> str:
    """A chapter settles exactly the claims that its header lists."""
    settled = [
        output["data"][MIME_TYPE]["id"]
        for cell in executed.cells
        for output in cell.get("outputs", [])
        if MIME_TYPE in output.get("data", {})
    ]
    missing, extra = set(notebook.claims) - set(settled), set(settled) - set(notebook.claims)
    parts = [f"not settled: {', '.join(sorted(missing))}"] if missing else []
    parts += [f"settled but not in the header: {', '.join(sorted(extra))}"] if extra else []
    return "; ".join(parts)


def _clean(executed: Any, notebook: Notebook, small: bool) -> None:
    """Take out what differs from run to run (addresses, random names); add where each figure comes from."""
    executed.metadata.pop("papermill", None)
    _number_cells(executed)
    provenance = _provenance(notebook, small, executed.cells)
    for cell in executed.cells:
        for junk in ("papermill", "execution"):
            cell.metadata.pop(junk, None)
        figure = cell.metadata.get("mystnb", {}).get("figure")
        if figure:
            figure["caption"] = f"{figure['caption'].strip()} {provenance}"
        for output in cell.get("outputs", []):
            for kind, text in output.get("data", {}).items():
                if kind.startswith("text/"):
                    output["data"][kind] = _without_random_names(text, cell["id"])


def _without_random_names(text: str, cell: str) -> str:
    """An output without addresses in memory, its styled table named after the cell instead of at random."""
    text = re.sub(r"(<[\w.]+(?: object)?) at 0x[0-9a-f]+>", r"\1>", text)
    return re.sub(r"\bT_[0-9a-f]{5}(?=_|\b)", f"T_{cell}", text)


def _provenance(notebook: Notebook, small: bool, cells: Iterable[Any]) -> str:
    """Where a figure comes from: its notebook, the parameters of the run, the seeds of its random draws."""
    values = _parameters(cells)
    if small:
        values |= {name: repr(value) for name, value in notebook.small.items()}
    shown = [f"`{name} = {_short(value)}`" for name, value in values.items() if name not in _ONLY_SPEED]
    plural = "" if notebook.seeds.isdecimal() else "s"
    seeds = f"seed{plural} {notebook.seeds}" if notebook.seeds else "no random draws"
    parts = [f"Notebook `{notebook.path.parent.name}/{notebook.name}`", ", ".join(shown), seeds]
    return f"*({'; '.join(filter(None, parts))}.)*"


def _parameters(cells: Iterable[Any]) -> dict[str, str]:
    """The assignments of the cell tagged "parameters", as they are written."""
    tagged = [cell.source for cell in cells if "parameters" in cell.metadata.get("tags", [])]
    lines = ast.parse("\n".join(tagged)).body
    return {ast.unparse(n.targets[0]): ast.unparse(n.value) for n in lines if isinstance(n, ast.Assign)}


def _short(value: str) -> str:
    """A list of many numbers or names as its first, second and last one."""
    items = value.strip("[]").split(", ")
    return value if len(value) <= 32 or len(items) < 4 else f"[{items[0]}, {items[1]}, ..., {items[-1]}]"


def _number_cells(notebook: Any) -> None:
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number:03d}"


def _set_environment() -> None:
    """What every kernel inherits."""
    paths = [str(ROOT / "lib"), os.environ.get("PYTHONPATH", "")]
    os.environ |= {
        **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
        "SOURCE_DATE_EPOCH": "0",
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
    }
    # what joblib's helper says of a kernel that was interrupted; it tidies up all the same
    os.environ.setdefault("PYTHONWARNINGS", "ignore:resource_tracker:UserWarning")
