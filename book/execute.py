"""Execute the notebooks whose source, library, pins, parameters or data changed."""

import logging
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cache
import jupytext
import nbformat
import papermill
import yaml
from jupyter_client import AsyncKernelManager
from kernels import PACKAGES, Forks, Provisioner
from traitlets.config import Config

from reproduction.claims import records_in, repeated

ROOT = Path(__file__).resolve().parents[1]
SOURCES = f"{yaml.safe_load((ROOT / '_config.yml').read_text())['repository']['url']}/blob/main/notebooks"
MARK = '<span class="provenance"><label><input type="checkbox">how it was made</label>'
# A cell that takes longer hangs; one on Spark takes 15 minutes on an idle machine.
CELL_SECONDS = 3600
ASSIGNED = re.compile(
    r"^(\w+) = ([^#]+?) *(?:#.*)?$(?!\n )", re.M
)  # A value may take several lines.


@dataclass(frozen=True)
class Notebook:
    """A source notebook and the entries of its header."""

    path: Path
    claims: Sequence[str] = ()
    small: Mapping[str, Any] = field(default_factory=dict)
    needs: Sequence[str] = ()
    seeds: str = ""

    @property
    def name(self) -> str:
        """The name of its file without the ending; it is unique over all parts."""
        return self.path.stem

    @property
    def page(self) -> str:
        """The page of the book, ``<part>/<name>``; its source is
        ``<part>/<name>.ipynb``.
        """
        return f"{self.path.parent.name}/{self.name}"

    def entry(self, build: Path) -> Path:
        """Its file in the cache."""
        return build / "cache" / f"{self.name}.gz"


def discover(folder: Path) -> list[Notebook]:
    """The notebooks ``<part>/<name>.md`` of a folder, sorted; a ValueError if a name or
    a claim recurs.
    """
    notebooks = [read_header(path) for path in sorted(folder.glob("*/*.md"))]
    found = {
        "name": [n.name for n in notebooks],
        "claim": [id for n in notebooks for id in n.claims],
    }
    for what, names in found.items():
        if twice := repeated(names):
            raise ValueError(f"notebooks with the same {what}: {', '.join(twice)}")
    return notebooks


def read_header(path: Path) -> Notebook:
    """Read the YAML header of a notebook."""
    header = next(yaml.safe_load_all(path.read_text(encoding="utf-8")))
    own = header.get("treebounds", {})
    try:
        return Notebook(path, **{**own, "seeds": str(own.get("seeds", ""))})
    except TypeError as error:  # An entry has an unknown name.
        raise ValueError(f"{path}: under treebounds: {error}") from None


def choose(notebooks: list[Notebook], names: str) -> list[Notebook]:
    """The notebooks with the given names (separated by spaces or commas); all notebooks
    without names.
    """
    wanted, known = (
        names.replace(",", " ").split(),
        [notebook.name for notebook in notebooks],
    )
    if unknown := sorted(set(wanted).difference(known)):
        raise SystemExit(
            f"no notebook named {', '.join(unknown)}; there are {', '.join(known)}"
        )
    return [notebook for notebook in notebooks if not wanted or notebook.name in wanted]


def run_all(
    notebooks: Iterable[Notebook], build: Path, *, small: bool, jobs: int
) -> list[str]:
    """Execute the notebooks that changed, in parallel, with a line for each; return
    those that failed.
    """
    logging.getLogger("papermill").setLevel(
        logging.ERROR
    )  # It warns of comments that contain "=".
    shutil.rmtree(
        build / "work", ignore_errors=True
    )  # A build that was killed leaves these files.
    todo = []
    for notebook in notebooks:
        parameters = notebook.small if small else {}
        now = cache.static_inputs(notebook.path, parameters)
        entry = cache.read(notebook.entry(build))
        if why := cache.what_changed(entry, now):
            # Without a known time, notebooks that can use several processes are taken
            # to be the slowest.
            unknown = (
                2e9 if "n_jobs" in notebook.path.read_text(encoding="utf-8") else 1e9
            )
            todo.append((entry.seconds or unknown, (notebook, parameters, now), why))
    print(f"{len(todo)} notebook(s) to execute", flush=True)
    if not todo:
        return []
    # Start with the slowest, so that it does not run alone at the end.
    todo.sort(key=lambda item: item[0], reverse=True)
    jobs = max(1, min(jobs, len(todo)))
    # Kernels that run together share the cores, so their own worker processes would
    # gain nothing.
    os.environ.setdefault(
        "LOKY_MAX_CPU_COUNT", str(max(1, (os.cpu_count() or 1) // jobs))
    )
    failed = []
    # A single chapter imports its own packages. On macOS numpy's Accelerate does not
    # survive a fork.
    packages = PACKAGES if len(todo) > 1 and sys.platform != "darwin" else ""
    with Forks(environment(), packages) as forks, ThreadPoolExecutor(jobs) as pool:
        runs = {
            pool.submit(run_one, forks, build, *task): (task[0].name, why)
            for _, task, why in todo
        }
        for count, run in enumerate(as_completed(runs), 1):
            (name, why), (seconds, error) = runs[run], run.result()
            outcome = "FAILED" if error else "ok    "
            print(
                f"[{count}/{len(todo)}] {outcome} {seconds:6.1f} s  {name:28s} {why}",
                flush=True,
            )
            if error:
                print(f"\n--- {name}\n{error}\n", file=sys.stderr, flush=True)
                failed.append(name)
    return failed


def run_one(
    forks: Forks,
    build: Path,
    notebook: Notebook,
    parameters: Mapping[str, Any],
    now: dict[str, str],
) -> tuple[float, str]:
    """Execute one notebook and store it in the cache; return the seconds, and the error
    ("" without one).
    """
    start, work, error = time.perf_counter(), build / "work" / notebook.name, ""
    try:
        document = _execute(forks, jupytext.read(notebook.path), parameters, work)
        _check_claims(notebook, document)
        _clean(document, notebook)
        tables = (work / "results").rglob("*.csv")
        files = {
            path.relative_to(work).as_posix(): path.read_bytes() for path in tables
        }
        files[f"executed/{notebook.page}.ipynb"] = (
            nbformat.writes(document).encode() + b"\n"
        )
        seconds = round(time.perf_counter() - start, 1)
        entry = cache.Entry(now, cache.data_inputs(work / "reads"), seconds, files)
        cache.write(notebook.entry(build), entry)
    except papermill.PapermillExecutionError as failure:
        error = _described(notebook.path, failure)
    # If time runs out, a kernel dies or cannot start, or the disk is full, the other
    # notebooks continue.
    except Exception as failure:
        error = f"{type(failure).__name__}: {failure}"
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return time.perf_counter() - start, error


def _described(path: Path, failure: papermill.PapermillExecutionError) -> str:
    """The error of the cell that failed, with its heading, file and line of the source."""
    traceback = re.sub(
        r"\x1b\[[\d;]*m", "", "\n".join(failure.traceback)
    )  # without colors
    before, found, _ = path.read_text(encoding="utf-8").partition(failure.source)
    heading = re.findall(r"^#+ (.+)$", cache.CODE.sub("", before), re.M)[-1]
    inside = re.search(r"Cell In\[\d+\], line (\d+)", traceback)
    line = before.count("\n") + int(inside[1] if inside else 1)
    place = (
        f'"{heading}", {path}, line {line}' if found else f"{path}, in the parameters"
    )
    return f"{place}: {failure.ename}: {failure.evalue}\n{traceback}"


def _execute(
    forks: Forks, source: Any, parameters: Mapping[str, Any], work: Path
) -> Any:
    """The document after papermill has run all cells in a kernel that writes its tables
    to ``work``.
    """
    places = {
        f"TREEBOUNDS_{name.upper()}": str(work / name) for name in ("results", "reads")
    }
    work.mkdir(parents=True, exist_ok=True)

    class Kernel(AsyncKernelManager):
        """The manager of a forked kernel whose environment names the folder of the
        chapter's tables.
        """

        def start_kernel(self, **options: Any) -> Any:
            self.forks, self.provisioner = (
                forks,
                Provisioner(parent=self, kernel_spec=self.kernel_spec),
            )
            return super().start_kernel(env=environment(**places), **options)

    # On a busy machine output can arrive later than after the default 4 s. Without
    # coalescing, printed text is cut into pieces that depend on time. The log level
    # hides warnings of kernels that are shut down.
    times = {
        "execution_timeout": CELL_SECONDS,
        "start_timeout": 300,
        "iopub_timeout": 60,
    }
    printed = {
        "progress_bar": False,
        "coalesce_streams": True,
        "extra_arguments": ["--log-level=50"],
    }
    with tempfile.TemporaryDirectory() as sockets:
        # Sockets are files, because two kernels that start together could choose the
        # same port.
        config = Config(
            {"KernelManager": {"transport": "ipc", "ip": f"{sockets}/kernel"}}
        )
        kernel = {
            "kernel_name": "python3",
            "kernel_manager_class": Kernel,
            "config": config,
        }
        return papermill.execute_notebook(
            source, None, parameters, **kernel, **times, **printed
        )


def _check_claims(notebook: Notebook, executed: Any) -> None:
    """Raise a ValueError unless a chapter settles exactly the claims that its header
    lists.
    """
    settled, listed = (
        [record["id"] for record in records_in(executed.cells)],
        set(notebook.claims),
    )
    wrong = {
        "not settled": listed.difference(settled),
        "settled twice": repeated(settled),
    }
    wrong["settled but not in the header"] = set(settled) - listed
    if faults := [
        f"{what}: {', '.join(sorted(ids))}" for what, ids in wrong.items() if ids
    ]:
        raise ValueError("; ".join(faults))


def _clean(executed: Any, notebook: Notebook) -> None:
    """Remove metadata that differ from run to run, and add the origin of each figure to
    its caption.
    """
    source = notebook.path.read_text(encoding="utf-8")
    executed.metadata.pop("papermill")
    for number, cell in enumerate(executed.cells):
        cell["id"] = f"cell-{number:03d}"
        for timed in ("papermill", "execution"):
            cell.metadata.pop(timed, None)
        if "injected-parameters" in cell.metadata.get("tags", []):
            cell.metadata["tags"].append("hide-input")
        if figure := cell.metadata.get("mystnb", {}).get("figure"):
            line = source[: source.find(cell.source)].count("\n") + 1
            figure["caption"] = (
                f"{figure['caption'].strip()}"
                f" {_provenance(notebook, executed.cells, line)}"
            )


def _provenance(notebook: Notebook, cells: Iterable[Any], line: int) -> str:
    """The origin of a figure, behind a mark: its notebook, the parameters of the run,
    and the seeds.
    """
    tagged = {"parameters", "injected-parameters"}
    given = [
        cell.source for cell in cells if tagged & set(cell.metadata.get("tags", []))
    ]
    values = dict(
        ASSIGNED.findall("\n".join(given))
    )  # Injected values come last, and replace others.
    # The number of processes does not change the result, only its time.
    shown = [
        f"`{name} = {' '.join(v.split())}`"
        for name, v in values.items()
        if name != "n_jobs"
    ]
    plural = "" if notebook.seeds.isdecimal() else "s"
    seeds = f"seed{plural} {notebook.seeds}" if notebook.seeds else "no random draws"
    name = (
        f"[Notebook `{notebook.page}`, line"
        f" {line}]({SOURCES}/{notebook.page}.md?plain=1#L{line})"
    )
    return (
        f"{MARK} *({'; '.join(filter(None, (name, ', '.join(shown), seeds)))}.)*</span>"
    )


def environment(**own: str) -> dict[str, str]:
    """The environment of kernels and of Sphinx: the project's packages, one thread
    each, and fixed hashes.
    """
    paths = filter(None, (str(ROOT / "lib"), os.environ.get("PYTHONPATH", "")))
    threads = dict.fromkeys(
        ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"
    )
    fixed = {
        "SOURCE_DATE_EPOCH": "0",
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": os.pathsep.join(paths),
    }
    return os.environ | threads | fixed | own
