"""Build the book: execute what changed, gather the ledger, make the pages.

    python book/build.py                        everything, into _build/
    python book/build.py --only capacity/stumps     one chapter, if it changed
    python book/build.py --source yildiz2012    the chapters about one document
    python book/build.py --small --output D     small parameters, into D/_build/
    python book/build.py --execute-only         no pages

While all chapters run, Coq checks the theorems if it is installed and they have
changed.

``_build/cache`` has an entry for each executed notebook: its inputs (source,
parameters, modules that it imports, pinned versions, claims, data, and the programs in
book/ that execute it), its page and its result tables. A notebook is executed if one of
the inputs differs; a notebook that fails keeps its last good version. The page of a
chapter that was never executed shows its text, and a notice in place of its results.

Sphinx works in ``_build/pages``. It reads and writes the pages whose contents changed
since its last successful run; after a failed run it starts from scratch. Pages that
were made without an error replace those in ``_build/html`` all at once. Two builds
never work in the same folder at the same time.
"""

import argparse
import atexit
import fcntl
import gc
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import cache
import execute
import pages
import psutil

from reproduction import claims

BOOK = Path(__file__).resolve().parent
ROOT = BOOK.parent
CONFIG = ROOT / "_config.yml"
PROOFS = (sys.executable, ROOT / "proofs" / "check.py", "--if-changed")
ACCEPTED = (0, 3)  # 3: Coq is not installed.
KEPT = "The chapters that are finished are kept; the next build goes on from there."
# All builds have the same date, so that they do not differ. In seconds since 1970; the
# year is shown below each page.
RELEASED = 1767225600
# Sphinx keeps the trees of all pages, so collecting garbage frees little. Without it a
# run takes at least a tenth less time, and 1.6 GB of memory; nor is any collected when
# Python ends, which would take some seconds.
KEEP_ALL = "import atexit, gc; gc.disable(); atexit.register(gc.freeze)"
JUPYTER_BOOK = (
    sys.executable,
    "-c",
    f"{KEEP_ALL}; from jupyter_book.cli.main import main; main()",
    "build",
)


def main(arguments: list[str] | None = None) -> int:
    """Run a build by its command line; return the exit code of the process."""
    # The same as for kernels: see COLLECT_RARELY.
    gc.set_threshold(50_000)
    atexit.register(gc.freeze)

    options = _parse(arguments)
    build = options.output.resolve() / "_build"
    os.chdir(ROOT)  # Kernels start in this folder.
    for received in (signal.SIGINT, signal.SIGTERM):
        signal.signal(received, _end_all)

    try:
        with _alone(build) as lock:
            return _build(options, build, lock)
    except OSError as error:  # The disk is full, or a folder cannot be written.
        print(f"Stopped: {error}. {KEPT}", file=sys.stderr)
        return 1


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    """The options of the command line."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    add = parser.add_argument
    chosen = parser.add_mutually_exclusive_group().add_argument
    chosen(
        "--only", default="", help="names of chapters, with spaces or commas between"
    )
    chosen(
        "--source", default="", help="a document: the chapters that settle its claims"
    )
    add("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    add("--small", action="store_true", help="the notebooks' small parameters")
    add(
        "--strict",
        action="store_true",
        help="every claim with an expected verdict must be settled",
    )
    add("--execute-only", action="store_true", help="no pages")
    add("--output", type=Path, default=ROOT, help="folder that gets _build")
    return parser.parse_args(arguments)


def _end_all(received: int, *frame: Any) -> None:
    """Kill all child processes and exit at once.

    Threads wait for kernels, and kernels wait for workers.
    """
    # Processes that are stopped start no others meanwhile.
    stopped: set[psutil.Process] = set()
    while new := set(psutil.Process().children(recursive=True)) - stopped:
        for process in new:
            with suppress(psutil.NoSuchProcess):
                process.suspend()
        stopped |= new

    for process in stopped:
        with suppress(psutil.NoSuchProcess):
            process.kill()

    print(f"Interrupted. {KEPT}", file=sys.stderr, flush=True)
    os._exit(128 + received)


@contextmanager
def _alone(build: Path) -> Iterator[int]:
    """Wait until no other build works in the folder.

    Sphinx inherits the lock, and keeps it until it ends.
    """
    build.mkdir(parents=True, exist_ok=True)
    with open(build / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            message = f"Another build works in {build}; waiting for it."
            print(message, file=sys.stderr, flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock.fileno()


def _build(options: argparse.Namespace, build: Path, lock: int) -> int:
    """Execute notebooks, gather the ledger, make the pages; return the exit code."""
    ledger = claims.load_claims(BOOK / "claims.toml")
    notebooks = execute.discover(ROOT / "notebooks")
    chosen = _chosen(options, notebooks, ledger)

    run = _run(options, build, chosen, everything=len(chosen) == len(notebooks))
    entries = _entries(notebooks, build)
    cache.restore(build, entries.values())
    if run.failed:
        message = f"{len(run.failed)} notebook(s) failed; the last good pages are kept."
        print(message, file=sys.stderr)
        return 1

    seconds = {name: entry.seconds for name, entry in sorted(entries.items())}
    records = _records(notebooks, entries, build)
    _write_json(build / "timings.json", seconds)
    _write_json(build / "claims.json", records)

    problems = _problems(options, run, ledger, records, entries)
    for problem in problems:
        print(f"problem: {problem}", file=sys.stderr)
    _report_missing_tables(chosen, notebooks, entries)
    if options.execute_only:
        return int(bool(problems))

    generated = pages.write_all(
        build, ledger, notebooks, entries=entries, records=records, small=options.small
    )
    cache.mend(build / "src", _staged(entries.values()) | generated)
    if absent := len(notebooks) - len(entries):
        print(f"{absent} chapters were not executed; their pages have a notice.")
    return _make_pages(build, lock) or int(bool(problems))


def _chosen(
    options: argparse.Namespace,
    notebooks: list[execute.Notebook],
    ledger: list[claims.Claim],
) -> list[execute.Notebook]:
    """The notebooks that the command line names."""
    if options.source:
        return execute.of_source(notebooks, options.source, ledger)
    return execute.choose(notebooks, options.only)


@dataclass(frozen=True)
class Run:
    """What the execution of some notebooks, or of all, came to.

    ``failed`` names notebooks; ``refused`` is whether Coq refused a theorem.
    """

    everything: bool
    data_are_here: bool
    failed: list[str]
    refused: bool


def _run(
    options: argparse.Namespace,
    build: Path,
    chosen: list[execute.Notebook],
    *,
    everything: bool,
) -> Run:
    """Execute notebooks once their data are here; check the proofs meanwhile."""
    # A theorem that Coq refuses has no badge, and the page reports it.
    proofs = None
    if everything and not options.small and not options.execute_only:
        proofs = subprocess.Popen(PROOFS)

    # With small parameters nothing is complete, so nothing is downloaded beforehand.
    data_are_here = False
    if not options.small:
        data_are_here = _fetch_data(chosen, build, everything=everything)

    failed = execute.run_all(chosen, build, small=options.small, jobs=options.jobs)
    refused = proofs is not None and proofs.wait() not in ACCEPTED
    return Run(everything, data_are_here, failed, refused)


def _fetch_data(
    chosen: list[execute.Notebook], build: Path, *, everything: bool
) -> bool:
    """Download what is missing; return whether all data sets are there.

    A build of some chapters downloads what they missed before; what they never asked
    for, they download themselves.
    """
    # With scikit-learn and pandas behind it; a small build needs no data beforehand.
    from reproduction import datasets

    if everything:
        missing = datasets.fetch_all()
    else:
        entries = [cache.read(notebook.entry(build)) for notebook in chosen]
        missing = datasets.fetch_all(set(chain.from_iterable(map(_missed, entries))))
    if missing:
        reason = next(iter(missing.values()))
        print(
            f"Missing data; claims may end as not run: {', '.join(missing)}. {reason}",
            file=sys.stderr,
        )
    return everything and not missing


def _missed(entry: cache.Entry) -> list[str]:
    """The data files that an execution asked for and that were not there."""
    return [name for name, content in entry.data.items() if content == cache.ABSENT]


def _entries(notebooks: list[execute.Notebook], build: Path) -> dict[str, cache.Entry]:
    """The entries of the notebooks that were executed, by name."""
    entries = {
        notebook.name: cache.read(notebook.entry(build)) for notebook in notebooks
    }
    return {name: entry for name, entry in entries.items() if not entry.error}


def _records(
    notebooks: list[execute.Notebook],
    entries: Mapping[str, cache.Entry],
    build: Path,
) -> list[dict[str, Any]]:
    """The records of the claims that the executed notebooks settle.

    If a claim has moved to another chapter, records of the old chapter's last execution
    are ignored.
    """
    executed = {
        notebook.name: build / "executed" / f"{notebook.page}.ipynb"
        for notebook in notebooks
        if notebook.name in entries
    }
    settles = {notebook.name: notebook.claims for notebook in notebooks}
    return [
        record
        for record in claims.collect(executed)
        if record["id"] in settles[record["chapter"]]
    ]


def _problems(
    options: argparse.Namespace,
    run: Run,
    ledger: list[claims.Claim],
    records: list[dict[str, Any]],
    entries: Mapping[str, cache.Entry],
) -> list[str]:
    """What is wrong with a run, one sentence each."""
    due = ledger
    # A build of some chapters must settle only the claims of these chapters.
    if not run.everything and not options.strict:
        settled = {record["id"] for record in records}
        due = [claim for claim in ledger if claim.id in settled]

    complete = options.strict or (run.everything and run.data_are_here)
    problems = claims.check(due, records, complete=complete)

    if run.everything:  # Only then are all entries up to date.
        files = [entry.files for entry in entries.values()]
        twice = claims.repeated(chain.from_iterable(files))
        problems += [f"{name} is written by two notebooks" for name in twice]

    if options.strict and run.refused:
        problems.append("Coq refuses a theorem")
    return problems


def _report_missing_tables(
    chosen: list[execute.Notebook],
    notebooks: list[execute.Notebook],
    entries: Mapping[str, cache.Entry],
) -> None:
    """Print which tables the chosen chapters show that other chapters have to make."""
    here = set().union(*(entry.files for entry in entries.values()))
    for notebook in chosen:
        makers = execute.makers(notebook, notebooks)
        missing = {name: page for name, page in makers.items() if name not in here}
        if missing:
            pages_to_run = " ".join([*dict.fromkeys(missing.values()), notebook.page])
            print(
                f"{notebook.page} shows tables that other chapters make:"
                f" {', '.join(missing)}. To have them, run"
                f' make book NOTEBOOKS="{pages_to_run}"'
            )


def _staged(entries: Iterable[cache.Entry]) -> dict[str, bytes]:
    """The files that Jupyter Book reads, without the generated ones.

    These are prose, executed notebooks and tables.
    """
    unread = {"published", "_fragments", "__pycache__", "claims.toml", "documents.toml"}
    staged = {}
    for path in BOOK.rglob("*"):
        name = path.relative_to(BOOK)
        is_read = not unread.intersection(name.parts) and path.suffix != ".py"
        if is_read and path.is_file():
            staged[name.as_posix()] = path.read_bytes()

    for entry in entries:
        for name, content in entry.files.items():
            staged[name.removeprefix("executed/")] = content
    return staged


def _write_json(path: Path, value: Any) -> None:
    """Write a value as JSON, never a part of it."""
    text = json.dumps(value, indent=1, ensure_ascii=False) + "\n"
    cache.write_whole(path, text.encode())


def _make_pages(build: Path, lock: int) -> int:
    """Run Jupyter Book, and replace the pages as a whole; return its exit code.

    It starts from scratch unless its last run succeeded with the same configuration.
    """
    _recover(build / "html")
    work = build / "pages"
    finished = work / "finished"
    shape = _shape()
    if not finished.exists() or finished.read_text() != shape:
        shutil.rmtree(work, ignore_errors=True)
    work.mkdir(exist_ok=True)
    finished.unlink(missing_ok=True)

    places = [build / "src", "--config", CONFIG, "--path-output", work]
    process = subprocess.run(
        [*JUPYTER_BOOK, *places, "-q", "-W", "--keep-going", "-n"],
        check=False,
        stdout=subprocess.DEVNULL,
        env=execute.environment(SOURCE_DATE_EPOCH=str(RELEASED)),
        pass_fds=(lock,),
        # A session of its own, so that Ctrl-C reaches only this process, which ends
        # Sphinx and prints one line.
        start_new_session=True,
    )
    if process.returncode == 0:
        finished.write_text(shape)
        _replace(build / "html", work / "_build" / "html")
        print(f"The book is at {(build / 'html' / 'index.html').as_uri()}")
    return process.returncode


def _shape() -> str:
    """The hash of the files that shape all pages."""
    paths = [
        CONFIG,
        ROOT / "requirements.lock",
        BOOK / "_toc.yml",
        BOOK / "references.bib",
        *sorted((BOOK / "_ext").iterdir()),
        *sorted((BOOK / "_templates").iterdir()),
    ]
    content = b"".join(path.read_bytes() for path in paths if path.is_file())
    return hashlib.sha256(content).hexdigest()


def _replace(folder: Path, by: Path) -> None:
    """Replace a folder by a copy of another one: a reader finds the old or the new."""
    new = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    shutil.copytree(by, new)

    old = _old(folder)
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    new.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def _recover(folder: Path) -> None:
    """Bring back a folder if the build that was replacing it was killed."""
    if _old(folder).exists() and not folder.exists():
        _old(folder).rename(folder)


def _old(folder: Path) -> Path:
    """The place of a folder while another one takes its place."""
    return folder.with_name(f"{folder.name}.old")


if __name__ == "__main__":
    raise SystemExit(main())
