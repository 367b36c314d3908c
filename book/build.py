"""Build the book: execute the notebooks that changed, gather the ledger, run Jupyter
Book.

    python book/build.py                     everything, into _build/
    python book/build.py --only stumps       one chapter, executed if it changed; the
    others as they are python book/build.py --small --output D  with the notebooks'
    small parameters, into D/_build/ python book/build.py --execute-only      no pages

While the chapters run, Coq checks the theorems if it is installed and they have
changed.

``_build/cache`` has an entry for each executed notebook: its inputs (source,
parameters, modules that it imports, pinned versions, data, and the programs in book/
that execute it), its page and its result tables. A notebook is executed if one of the
inputs differs; a notebook that fails keeps its last good version. The page of a chapter
that was never executed shows its text, and a notice in place of its results. Sphinx
reads and writes only the pages that changed since its last successful run; after a
failed run it starts from scratch. Two builds never work in the same folder at the same
time.
"""

import argparse
import fcntl
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
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
KEPT = "The chapters that are finished are kept; the next build goes on from there."
RELEASED = 1767225600  # In seconds since 1970; the year is shown below each page.
# Sphinx keeps the trees of all pages, so collecting garbage frees little. Without it a
# run takes at least a tenth less time, and 1.6 GB of memory.
KEEP_ALL = "import gc; gc.disable()"
JUPYTER_BOOK = (
    sys.executable,
    "-c",
    f"{KEEP_ALL}; from jupyter_book.cli.main import main; main()",
    "build",
)


def main(arguments: list[str] | None = None) -> int:
    """Run a build by its command line; return the exit code of the process."""
    options = _parse(arguments)
    build = options.output.resolve() / "_build"
    os.chdir(ROOT)  # Kernels start in this folder.
    signal.signal(signal.SIGINT, _interrupted)
    try:
        with _alone(build) as lock:
            return _build(options, build, lock)
    except OSError as error:  # The disk is full, or a folder cannot be written.
        print(f"Stopped: {error}. {KEPT}", file=sys.stderr)
        return 1


def _interrupted(*received: Any) -> None:
    """Kill all child processes and exit at once: threads wait for kernels, and kernels
    wait for workers.
    """
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            process.kill()
    print(f"Interrupted. {KEPT}", file=sys.stderr, flush=True)
    os._exit(130)


@contextmanager
def _alone(build: Path) -> Iterator[int]:
    """Wait until no other build works in the folder. Sphinx inherits the lock, and
    keeps it until it ends.
    """
    build.mkdir(parents=True, exist_ok=True)
    with open(build / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(
                f"Another build works in {build}; waiting for it.",
                file=sys.stderr,
                flush=True,
            )
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock.fileno()


def _build(options: argparse.Namespace, build: Path, lock: int) -> int:
    """Execute notebooks, gather the ledger, build the pages; return 0 if there is no
    problem.
    """
    notebooks = execute.discover(ROOT / "notebooks")
    chosen = execute.choose(notebooks, options.only)
    # Coq runs at the same time; a theorem that it refuses has no badge, and the page
    # reports it.
    checks = [] if options.small or options.execute_only else [subprocess.Popen(PROOFS)]
    # Data are downloaded before a notebook runs, because the hashes of its inputs
    # depend on them.
    data_are_here = not options.small and _fetch_data()
    failed = execute.run_all(chosen, build, small=options.small, jobs=options.jobs)
    refused = [
        "Coq refuses a theorem" for check in checks if check.wait() not in (0, 3)
    ]  # 3: no Coq
    entries = {
        n.name: entry
        for n in notebooks
        if not (entry := cache.read(n.entry(build))).error
    }
    cache.restore(build, entries.values())
    if failed:
        print(
            f"{len(failed)} notebook(s) failed; the last good pages are kept.",
            file=sys.stderr,
        )
        return 1
    executed = {
        n.name: build / "executed" / f"{n.page}.ipynb"
        for n in notebooks
        if n.name in entries
    }
    _write_json(
        build / "timings.json",
        {name: entry.seconds for name, entry in sorted(entries.items())},
    )
    settles = {notebook.name: notebook.claims for notebook in notebooks}
    # If a claim has moved to another chapter, records of the old chapter's last
    # execution are ignored.
    records = [
        record
        for record in claims.collect(executed)
        if record["id"] in settles[record["chapter"]]
    ]
    listed = claims.load_claims(BOOK / "claims.toml")
    _write_json(build / "claims.json", records)
    whole = len(executed) == len(notebooks)
    # A build of some chapters must settle only the claims of these chapters.
    due = (
        listed
        if whole or options.strict
        else [c for c in listed if c.id in {r["id"] for r in records}]
    )
    problems = claims.check(
        due, records, complete=options.strict or (whole and data_are_here)
    )
    files = (name for entry in entries.values() for name in entry.files)
    if not options.only:  # Only then are all entries up to date.
        problems += [
            f"{name} is written by two notebooks" for name in claims.repeated(files)
        ]
    problems += refused if options.strict else []
    for problem in problems:
        print(f"problem: {problem}", file=sys.stderr)
    if options.execute_only:
        return bool(problems)
    written = pages.write_all(
        build, listed, notebooks, entries=entries, records=records, small=options.small
    )
    cache.mend(build / "src", _staged(entries.values()) | written)
    if not whole:
        print(
            f"{len(notebooks) - len(executed)} chapters were not executed; their pages"
            " have a notice."
        )
    return _build_pages(build, lock) or bool(problems)


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    """The options of the command line."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    add = parser.add_argument
    add("--only", default="", help="names of notebooks, separated by spaces or commas")
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


def _fetch_data() -> bool:
    """Download the data sets that are missing; return whether all of them are there."""
    from reproduction import datasets

    missing = datasets.fetch_all()
    if missing:
        reason = next(iter(missing.values()))
        print(
            f"Missing data; claims may end as not run: {', '.join(missing)}. {reason}",
            file=sys.stderr,
        )
    return not missing


def _staged(entries: Iterable[cache.Entry]) -> dict[str, bytes]:
    """The files that Jupyter Book reads, without the generated ones: prose, executed
    notebooks, tables.
    """
    unread = {"published", "_fragments", "__pycache__", "claims.toml"}
    files = (
        path
        for path in BOOK.rglob("*")
        if not unread & {*path.parts} and path.suffix != ".py"
    )
    staged = {
        path.relative_to(BOOK).as_posix(): path.read_bytes()
        for path in files
        if path.is_file()
    }
    return staged | {
        name.removeprefix("executed/"): c
        for entry in entries
        for name, c in entry.files.items()
    }


def _write_json(path: Path, value: Any) -> None:
    """Write a value as JSON, never a part of it."""
    cache.write_whole(
        path, json.dumps(value, indent=1, ensure_ascii=False).encode() + b"\n"
    )


def _build_pages(build: Path, lock: int) -> int:
    """Run Jupyter Book, from scratch unless its last run succeeded with the same
    configuration.
    """
    finished = build / "pages-finished"
    shaping = [
        CONFIG,
        ROOT / "requirements.lock",
        BOOK / "_toc.yml",
        *sorted((BOOK / "_ext").iterdir()),
    ]
    shape = hashlib.sha256(
        b"".join(path.read_bytes() for path in shaping if path.is_file())
    )
    if not finished.exists() or finished.read_text() != shape.hexdigest():
        for folder in ("html", "jupyter_execute", ".doctrees"):
            shutil.rmtree(build / folder, ignore_errors=True)
    finished.unlink(missing_ok=True)
    places = [build / "src", "--config", CONFIG, "--path-output", build.parent]
    command = [*JUPYTER_BOOK, *places, "-q", "-W", "--keep-going", "-n"]
    # All builds have the same date, so that they do not differ. Sphinx has a session of
    # its own, so that Ctrl-C reaches only this process, which ends Sphinx and prints
    # one line.
    environment = execute.environment(SOURCE_DATE_EPOCH=str(RELEASED))
    apart = {"env": environment, "pass_fds": (lock,), "start_new_session": True}
    code = subprocess.run(
        command, check=False, stdout=subprocess.DEVNULL, **apart
    ).returncode
    if code == 0:
        finished.write_text(shape.hexdigest())
        print(f"The book is at {(build / 'html' / 'index.html').as_uri()}")
    return code


if __name__ == "__main__":
    raise SystemExit(main())
