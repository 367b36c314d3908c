"""Execute the notebooks whose source, library, pins, parameters or data changed."""

from __future__ import annotations

import ast
import hashlib
import json
import logging
import os
import re
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
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_KEY = "treebounds_key"
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
    import yaml

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
    _set_environment(build)
    logging.getLogger("papermill").setLevel(logging.ERROR)  # it cannot parse comments that contain an =
    base, timings, todo = _common_key(), read_timings(build), []
    for notebook in notebooks:
        key = _key(notebook, small=small, base=base)
        stored = _stored_key(build / "executed" / notebook.page)
        if force or stored != key or notebook.name not in timings:
            todo.append((notebook, key))
    print(f"{len(todo)} notebook(s) to execute", flush=True)
    failed = []
    with ThreadPoolExecutor(max(1, min(jobs, len(todo)))) as pool:
        # the slowest first, so that none is left to run alone at the end
        todo.sort(key=lambda item: -timings.get(item[0].name, 1e9))
        runs = [pool.submit(run_one, notebook, build, small, key, timeout) for notebook, key in todo]
        try:
            for count, run in enumerate(as_completed(runs), 1):
                name, seconds, error = run.result()
                _report(f"[{count}/{len(todo)}]", name, seconds, error)
                if error:
                    failed.append(name)
                else:
                    timings[name] = round(seconds, 1)
                    write_json(build / "timings.json", dict(sorted(timings.items())))
        except KeyboardInterrupt:
            _stop(pool, runs)
            raise
    return failed


def _report(place: str, name: str, seconds: float, error: str) -> None:
    print(f"{place} {'FAILED' if error else 'ok':6s} {name:28s} {seconds:6.1f} s", flush=True)
    if error:
        print(f"\n--- {name}\n{error}\n", file=sys.stderr, flush=True)


def _stop(pool: ThreadPoolExecutor, runs: list[Future]) -> None:
    """Start nothing more; interrupt the kernels, and kill those that do not end within five seconds."""
    import psutil

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


def run_one(notebook: Notebook, build: Path, small: bool, key: str, timeout: int) -> tuple[str, float, str]:
    """Execute one notebook; its name, its seconds, and what went wrong ("" if nothing did)."""
    import jupytext
    import nbformat
    import papermill
    from papermill.exceptions import PapermillExecutionError

    start = time.perf_counter()
    target = build / "executed" / notebook.page
    target.parent.mkdir(parents=True, exist_ok=True)
    given, done = target.with_suffix(".in.ipynb"), target.with_suffix(".out.ipynb")
    source = jupytext.read(notebook.path)
    _number_cells(source)  # jupytext draws new random identifiers at every reading
    nbformat.write(source, given)
    try:
        for attempt in (1, 2):
            try:
                papermill.execute_notebook(
                    *(given, done),
                    parameters=notebook.small if small else {},
                    kernel_name="python3",
                    progress_bar=False,
                    execution_timeout=timeout,
                    request_save_on_cell_execute=False,
                    coalesce_streams=True,  # else what is printed is cut into pieces by the clock
                    extra_arguments=["--log-level=50"],  # loopback is not encrypted: known
                )
                break
            except PapermillExecutionError as error:
                return notebook.name, time.perf_counter() - start, str(error)
            except RuntimeError as error:  # two kernels that start together may race for a port
                if attempt == 2 or _interrupted.is_set():
                    return notebook.name, time.perf_counter() - start, f"{type(error).__name__}: {error}"
        executed = nbformat.read(done, as_version=4)
        problem = _wrong_claims(notebook, executed)
        if problem:
            return notebook.name, time.perf_counter() - start, problem
        _clean(executed, notebook, key, small)
        nbformat.write(executed, done)
        os.replace(done, target)
        return notebook.name, time.perf_counter() - start, ""
    finally:
        given.unlink(missing_ok=True)
        done.unlink(missing_ok=True)


def _wrong_claims(notebook: Notebook, executed: Any) -> str:
    """A chapter settles exactly the claims that its header lists."""
    from reproduction.claims import MIME_TYPE

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


def _clean(executed: Any, notebook: Notebook, key: str, small: bool) -> None:
    """Take out what differs from run to run (paths, times, random identifiers); add key and provenance."""
    executed.metadata.pop("papermill", None)
    executed.metadata[_KEY] = key
    # a notebook of the book shows its own parameters, not the cell that papermill adds for none
    executed.cells = [
        c for c in executed.cells if "injected-parameters" not in c.metadata.get("tags", []) or small
    ]
    _number_cells(executed)
    provenance = _provenance(notebook, small, executed.cells)
    for cell in executed.cells:
        for junk in ("papermill", "execution"):
            cell.metadata.pop(junk, None)
        figure = cell.metadata.get("mystnb", {}).get("figure")
        if figure:
            figure["caption"] = f"{figure['caption'].strip()} {provenance}"
        for output in cell.get("outputs", []):
            output.get("metadata", {}).pop("papermill", None)
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


def _set_environment(build: Path) -> None:
    for name in _ONE_THREAD:
        os.environ[name] = "1"
    os.environ["SOURCE_DATE_EPOCH"] = "0"
    os.environ["PYTHONHASHSEED"] = "0"
    # what joblib's helper says of a kernel that was interrupted; it tidies up all the same
    os.environ.setdefault("PYTHONWARNINGS", "ignore:resource_tracker:UserWarning")
    os.environ["TREEBOUNDS_RESULTS"] = str(build / "results")
    paths = [str(ROOT / "lib"), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))


def _common_key() -> str:
    """Hash of what every notebook depends on: library, pins, published values, the data that are here."""
    state = hashlib.sha256()
    library = [*(ROOT / "lib").rglob("*.py"), *(ROOT / "lib").rglob("*.toml")]
    for path in sorted([*library, *(ROOT / "book" / "published").glob("*.toml"), ROOT / "requirements.lock"]):
        _add(state, path, ROOT)
    for name, path in _data_files():
        state.update(f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}".encode())
    return state.hexdigest()


def _data_files() -> list[tuple[str, Path]]:
    """The registered files that are on this machine, each under a name that does not say where."""
    from reproduction.datasets import _registry
    from reproduction.datasets._files import local_paths

    found = []
    for folder, entry in _registry()["folder"].items():
        for file in entry["files"]:
            here = [path for path in local_paths(folder, file) if path.is_file()]
            found += [(f"{folder}/{file}", path) for path in here[:1]]
    return found


def _key(notebook: Notebook, *, small: bool, base: str) -> str:
    state = hashlib.sha256(base.encode())
    _add(state, notebook.path, ROOT)
    state.update(json.dumps(notebook.small if small else {}, sort_keys=True).encode())
    return state.hexdigest()


def _add(state: Any, path: Path, root: Path) -> None:
    state.update(path.relative_to(root).as_posix().encode() + b"\0")
    state.update(hashlib.sha256(path.read_bytes()).digest())


def _stored_key(path: Path) -> str:
    try:
        return json.loads(path.read_text(encoding="utf-8"))["metadata"].get(_KEY, "")
    except (FileNotFoundError, ValueError, KeyError):
        return ""  # never executed, or damaged: either way it has to be executed


def read_timings(build: Path) -> dict[str, float]:
    path = build / "timings.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def write_json(path: Path, value: Any) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(part, path)
