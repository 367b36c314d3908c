"""Execute the notebooks whose source, library, pins, parameters or data changed."""

import logging
import os
import re
import shutil
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any

import cache
import jupytext
import nbformat
import papermill
import yaml
from jupyter_client import AsyncKernelManager

from reproduction.claims import Claim, records_in, repeated

ROOT = Path(__file__).resolve().parents[1]
CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
SOURCES = f"{CONFIG['repository']['url']}/blob/main/notebooks"
MARK = '<span class="provenance"><label><input type="checkbox">how it was made</label>'
# A cell that takes longer hangs; one on Spark takes 15 minutes on an idle machine.
CELL_SECONDS = 3600
# A table that a page shows, by its name below _build.
SHOWN_TABLE = re.compile(r"^:file: \.\./(results/\S+\.csv)$", re.M)
# A parameter and its value, which may take several lines.
ASSIGNED = re.compile(r"^(\w+) = ([^#]+?) *(?:#.*)?$(?!\n )", re.M)
# Kernels make many small objects that stay, so collecting garbage after every 700 of
# them frees little and takes up to a twentieth of the time. When a kernel ends, Python
# would look for garbage in everything that was imported, for half a second.
COLLECT_RARELY = (
    "import atexit, gc; gc.set_threshold(50_000); atexit.register(gc.freeze)"
)
COLORS = re.compile(r"\x1b\[[\d;]*m")


@dataclass(frozen=True)
class Notebook:
    """A source notebook and the entries of its header.

    ``tables_from`` are the pages of the chapters that make tables which it shows.
    """

    path: Path
    claims: Sequence[str] = ()
    small: Mapping[str, Any] = field(default_factory=dict)
    needs: Sequence[str] = ()
    seeds: str = ""
    tables_from: Sequence[str] = ()

    @property
    def name(self) -> str:
        """The name of its file without the ending; it is unique over all parts."""
        return self.path.stem

    @property
    def page(self) -> str:
        """The page of the book that is made from it: ``<part>/<name>``."""
        return f"{self.path.parent.name}/{self.name}"

    def entry(self, build: Path) -> Path:
        """Its file in the cache."""
        return build / "cache" / f"{self.name}.zip"


@dataclass(frozen=True)
class Task:
    """A notebook to execute, with its inputs, the reason, and how long it may take."""

    notebook: Notebook
    parameters: Mapping[str, Any]
    inputs: dict[str, str]
    reason: str
    expected_seconds: float


@dataclass(frozen=True)
class Outcome:
    """How long an execution took, and its error ("" without one)."""

    seconds: float
    error: str


def discover(folder: Path) -> list[Notebook]:
    """The notebooks ``<part>/<name>.md`` of a folder, sorted.

    Raises a ValueError if two have the same name, or settle the same claim.
    """
    notebooks = [read_header(path) for path in sorted(folder.glob("*/*.md"))]

    names = [notebook.name for notebook in notebooks]
    if twice := repeated(names):
        raise ValueError(f"notebooks with the same name: {', '.join(twice)}")

    claims = chain.from_iterable(notebook.claims for notebook in notebooks)
    if twice := repeated(claims):
        raise ValueError(f"notebooks with the same claim: {', '.join(twice)}")

    return notebooks


def read_header(path: Path) -> Notebook:
    """Read the YAML header of a notebook."""
    header = next(yaml.safe_load_all(path.read_text(encoding="utf-8")))
    entries = dict(header.get("treebounds", {}))
    entries["seeds"] = str(entries.get("seeds", ""))
    try:
        return Notebook(path, **entries)
    except TypeError as error:  # An entry has an unknown name.
        raise ValueError(f"{path}: under treebounds: {error}") from None


def choose(notebooks: list[Notebook], names: str) -> list[Notebook]:
    """The notebooks with the given names, separated by spaces or commas.

    A name may stand alone or behind its part, as in ``capacity/stumps``; it may also be
    the path of the source. Without names, all notebooks.
    """
    requested_names = names.replace(",", " ").split()
    if not requested_names:
        return notebooks

    notebook_of = {name: _notebook_named(name, notebooks) for name in requested_names}
    if unknown := [name for name, notebook in notebook_of.items() if notebook is None]:
        pages = ", ".join(notebook.page for notebook in notebooks)
        raise SystemExit(f"no notebook named {', '.join(unknown)}; there are {pages}")
    return [notebook for notebook in notebooks if notebook in notebook_of.values()]


def _notebook_named(name: str, notebooks: list[Notebook]) -> Notebook | None:
    """The notebook with a name; None if there is none."""
    name = name.removesuffix(".md")
    for notebook in notebooks:
        if name in (notebook.name, notebook.page, f"notebooks/{notebook.page}"):
            return notebook
    return None


def of_source(
    notebooks: list[Notebook], source: str, claims: Iterable[Claim]
) -> list[Notebook]:
    """The notebooks that settle a claim of a document.

    Raises a SystemExit that names the documents if there is no such one.
    """
    listed = list(claims)
    sources = sorted({claim.source for claim in listed} - {"new"})
    if source not in sources:
        raise SystemExit(f"no document named {source}; there are {', '.join(sources)}")

    ids = {claim.id for claim in listed if claim.source == source}
    return [notebook for notebook in notebooks if ids & set(notebook.claims)]


def makers(notebook: Notebook, notebooks: Iterable[Notebook]) -> dict[str, str]:
    """For each table that a notebook shows, the page that makes it.

    Only the tables that other chapters make are listed.
    """
    texts = {
        other.page: other.path.read_text(encoding="utf-8")
        for other in notebooks
        if other.page in notebook.tables_from
    }
    page_of = {}
    for table in SHOWN_TABLE.findall(notebook.path.read_text(encoding="utf-8")):
        for page, text in texts.items():
            if f'"{Path(table).stem}"' in text:
                page_of[table] = page
    return page_of


def run_all(
    notebooks: Iterable[Notebook], build: Path, *, small: bool, jobs: int
) -> list[str]:
    """Execute the notebooks that changed, in parallel; return those that failed.

    Prints a line for each.
    """
    # papermill warns of comments that contain "=".
    logging.getLogger("papermill").setLevel(logging.ERROR)
    # A build that was killed leaves these files.
    shutil.rmtree(build / "work", ignore_errors=True)

    tasks = _due(notebooks, build, small=small)
    print(f"{len(tasks)} notebook(s) to execute", flush=True)
    if not tasks:
        return []

    jobs = max(1, min(jobs, len(tasks)))
    # Kernels that run together share the cores, so their own worker processes would
    # gain nothing.
    cores_each = max(1, (os.cpu_count() or 1) // jobs)
    os.environ.setdefault("LOKY_MAX_CPU_COUNT", str(cores_each))

    failed = []
    with ThreadPoolExecutor(jobs) as pool:
        runs = {pool.submit(run_one, task, build): task for task in tasks}
        for count, run in enumerate(as_completed(runs), 1):
            task = runs[run]
            outcome = run.result()
            _report(task, outcome, f"{count}/{len(tasks)}")
            if outcome.error:
                failed.append(task.notebook.name)
    return failed


def _due(notebooks: Iterable[Notebook], build: Path, *, small: bool) -> list[Task]:
    """The executions that are due; the slowest first, so that it does not end alone."""
    tasks = []
    for notebook in notebooks:
        parameters: Mapping[str, Any] = {}
        if small:
            parameters = notebook.small
        inputs = cache.static_inputs(notebook.path, parameters, notebook.claims)
        entry = cache.read(notebook.entry(build))
        reason = cache.what_changed(entry, inputs)
        if reason:
            seconds = entry.seconds or _guessed_seconds(notebook)
            tasks.append(Task(notebook, parameters, inputs, reason, seconds))

    return sorted(tasks, key=attrgetter("expected_seconds"), reverse=True)


def _guessed_seconds(notebook: Notebook) -> float:
    """More than any known time; the most for notebooks that may use processes."""
    source = notebook.path.read_text(encoding="utf-8")
    if "n_jobs" in source:
        return 2e9
    return 1e9


def _report(task: Task, outcome: Outcome, count: str) -> None:
    """Print how an execution ended."""
    word = "ok    "
    if outcome.error:
        word = "FAILED"
    name = task.notebook.name
    print(
        f"[{count}] {word} {outcome.seconds:6.1f} s  {name:28s} {task.reason}",
        flush=True,
    )
    if outcome.error:
        print(f"\n--- {name}\n{outcome.error}\n", file=sys.stderr, flush=True)


def run_one(task: Task, build: Path) -> Outcome:
    """Execute one notebook and store it in the cache."""
    start = time.perf_counter()
    work = build / "work" / task.notebook.name
    error = ""
    try:
        document = _execute(task, work)
        _check_claims(task.notebook, document)
        _clean(document, task.notebook)
        entry = cache.Entry(
            inputs=task.inputs,
            data=cache.data_inputs(work / "reads"),
            seconds=round(time.perf_counter() - start, 1),
            files=_files(work, document, task.notebook),
        )
        cache.write(task.notebook.entry(build), entry)
    except papermill.PapermillExecutionError as failure:
        error = _error_message(task, failure)
    # If time runs out, a kernel dies or cannot start, or the disk is full, the other
    # notebooks continue.
    except Exception as failure:
        error = f"{type(failure).__name__}: {failure}"
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return Outcome(time.perf_counter() - start, error)


def _execute(task: Task, work: Path) -> Any:
    """The document after papermill has run all cells in a kernel.

    The kernel writes its tables, and the names of the data that it reads, to ``work``.
    """
    work.mkdir(parents=True, exist_ok=True)
    own = environment(
        TREEBOUNDS_RESULTS=str(work / "results"),
        TREEBOUNDS_READS=str(work / "reads"),
    )

    class Kernel(AsyncKernelManager):
        """The manager of a kernel with an environment of its own."""

        def start_kernel(self, **options: Any) -> Any:
            return super().start_kernel(env=own, **options)

    return papermill.execute_notebook(
        jupytext.read(task.notebook.path),
        None,
        task.parameters,
        kernel_name="python3",
        kernel_manager_class=Kernel,
        execution_timeout=CELL_SECONDS,
        start_timeout=300,
        # On a busy machine output can arrive later than after the default 4 s.
        iopub_timeout=60,
        progress_bar=False,
        # Otherwise printed text is cut into pieces that depend on time.
        coalesce_streams=True,
        # No warnings of kernels that are shut down.
        extra_arguments=[
            "--log-level=50",
            f"--IPKernelApp.exec_lines={COLLECT_RARELY}",
        ],
    )


def _files(work: Path, document: Any, notebook: Notebook) -> dict[str, bytes]:
    """The tables that a chapter wrote, and its page, by names below ``_build``."""
    files = {
        path.relative_to(work).as_posix(): path.read_bytes()
        for path in (work / "results").rglob("*.csv")
    }
    page = nbformat.writes(document) + "\n"
    files[f"executed/{notebook.page}.ipynb"] = page.encode()
    return files


def _error_message(task: Task, failure: papermill.PapermillExecutionError) -> str:
    """The error of the cell that failed, with its heading, file and line."""
    path = task.notebook.path
    traceback = COLORS.sub("", "\n".join(failure.traceback))

    start = _start_of_cell(task, failure)
    if start is None:
        place = f"{path}, in the parameters"
    else:
        before = path.read_text(encoding="utf-8")[:start]
        heading = re.findall(r"^#+ (.+)$", cache.CODE.sub("", before), re.M)[-1]
        line = before.count("\n") + _line_in_cell(traceback)
        place = f'"{heading}", {path}, line {line}'

    return f"{place}: {failure.ename}: {failure.evalue}\n{traceback}"


def _line_in_cell(traceback: str) -> int:
    """The line of a cell that failed, by its traceback; else the first one."""
    place = re.search(r"Cell In\[\d+\], line (\d+)", traceback)
    if place is None:
        return 1
    return int(place[1])


def _start_of_cell(
    task: Task, failure: papermill.PapermillExecutionError
) -> int | None:
    """Where the code of the cell that failed starts in the source; None if nowhere.

    Several cells may have the same code, so those before it are counted.
    """
    # papermill has inserted a cell if there are parameters.
    n_before = failure.cell_index - bool(task.parameters)
    cells = jupytext.read(task.notebook.path).cells[:n_before]
    n_same = sum(cell.source == failure.source for cell in cells)

    pieces = task.notebook.path.read_text(encoding="utf-8").split(failure.source)
    if len(pieces) < n_same + 2:
        return None
    return len(failure.source.join(pieces[: n_same + 1]))


def _check_claims(notebook: Notebook, executed: Any) -> None:
    """Raise a ValueError unless a chapter settles exactly the claims in its header."""
    settled = [record["id"] for record in records_in(executed.cells)]
    header = set(notebook.claims)
    wrong = {
        "not settled": header.difference(settled),
        "settled twice": repeated(settled),
        "settled but not in the header": set(settled) - header,
    }
    faults = [
        f"{fault}: {', '.join(sorted(ids))}" for fault, ids in wrong.items() if ids
    ]
    if faults:
        raise ValueError("; ".join(faults))


def _clean(executed: Any, notebook: Notebook) -> None:
    """Remove metadata that differ from run to run; add its origin to each figure."""
    source = notebook.path.read_text(encoding="utf-8")
    executed.metadata.pop("papermill")
    for number, cell in enumerate(executed.cells):
        cell["id"] = f"cell-{number:03d}"
        for timed in ("papermill", "execution"):
            cell.metadata.pop(timed, None)

        if "injected-parameters" in cell.metadata.get("tags", []):
            cell.metadata["tags"].append("hide-input")

        figure = cell.metadata.get("mystnb", {}).get("figure")
        if figure:
            line = source[: source.find(cell.source)].count("\n") + 1
            origin = _provenance(notebook, executed.cells, line)
            figure["caption"] = f"{figure['caption'].strip()} {origin}"


def _provenance(notebook: Notebook, cells: Iterable[Any], line: int) -> str:
    """The origin of a figure, behind a mark: notebook, parameters of the run, seeds."""
    place = f"{SOURCES}/{notebook.page}.md?plain=1#L{line}"
    facts = [f"[Notebook `{notebook.page}`, line {line}]({place})"]

    parameters = _parameters(cells)
    if parameters:
        facts.append(", ".join(parameters))

    if not notebook.seeds:
        facts.append("no random draws")
    elif notebook.seeds.isdecimal():
        facts.append(f"seed {notebook.seeds}")
    else:
        facts.append(f"seeds {notebook.seeds}")

    return f"{MARK} *({'; '.join(facts)}.)*</span>"


def _parameters(cells: Iterable[Any]) -> list[str]:
    """The parameters of a run, as its cells assign them, in Markdown."""
    tagged = {"parameters", "injected-parameters"}
    assigning = [
        cell.source for cell in cells if tagged & set(cell.metadata.get("tags", []))
    ]
    # Injected values come last, and replace others.
    values = dict(ASSIGNED.findall("\n".join(assigning)))
    # The number of processes does not change the result, only its time.
    values.pop("n_jobs", None)
    return [f"`{name} = {' '.join(value.split())}`" for name, value in values.items()]


def environment(**own: str) -> dict[str, str]:
    """The environment of kernels and of Sphinx.

    It has the project's packages, one thread each, and fixed hashes.
    """
    paths = [str(ROOT / "lib")]
    if os.environ.get("PYTHONPATH"):
        paths.append(os.environ["PYTHONPATH"])

    return {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "SOURCE_DATE_EPOCH": "0",
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": os.pathsep.join(paths),
        **own,
    }
