"""Build the book: execute the notebooks that changed, gather the ledger, run Jupyter Book.

    python book/build.py                     everything, into _build/
    python book/build.py --only stumps       one chapter executed anew if it changed; the others as they are
    python book/build.py --small --output D  with the notebooks' small parameters, into D/_build/
    python book/build.py --execute-only      no pages
    python book/build.py --pdf               print the built book into two files, _build/treebounds*.pdf

``_build/cache`` has an entry for each executed notebook: the inputs it depended on (source, parameters,
modules that it imports, pins, data, machinery), its page and its result tables. A notebook is executed when
one of the inputs differs; one that fails keeps its last good version. Entries are written whole or not at
all, and pages that were not finished are built anew, so a build that was killed leaves nothing to clean up.
Two builds do not work in one folder at a time.
"""

import argparse
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cache
import execute
import pages
import print_pdf

from reproduction import claims

BOOK = Path(__file__).resolve().parent
ROOT = BOOK.parent
CONFIG = ROOT / "_config.yml"


def main(arguments: list[str] | None = None) -> int:
    """Run a build by its command line; the code that the process ends with."""
    options = _parse(arguments)
    build = options.output.resolve() / "_build"
    os.chdir(ROOT)  # where the kernels start
    try:
        with _alone(build) as lock:
            if options.pdf:
                return print_pdf.print_book(build, CONFIG, _environment())
            return _build(options, build, lock)
    except KeyboardInterrupt:
        code, why = 130, "Interrupted"
    except OSError as error:  # a full disk, a folder without the right to write
        code, why = 1, f"Stopped: {error}"
    print(f"{why}. What is finished is kept; the next build goes on from there.", file=sys.stderr)
    return code


@contextmanager
def _alone(build: Path) -> Iterator[int]:
    """Wait until no other build works in the folder. Sphinx inherits the lock, lest this one is killed."""
    build.mkdir(parents=True, exist_ok=True)
    with open(build / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"Another build works in {build}; waiting for it.", file=sys.stderr, flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock.fileno()


def _build(options: argparse.Namespace, build: Path, lock: int) -> int:
    """Execute, gather the ledger, build the pages; 0 if all of it is right."""
    # what has to be downloaded is there before the keys of the notebooks are computed, which depend on it
    data_are_here = not options.small and _fetch_data()
    notebooks = execute.discover(ROOT / "notebooks")
    chosen = execute.choose(notebooks, options.only)
    for name in cache.restore(build, _entries(notebooks, build).values()):
        print(f"brought back from the cache: {name}")
    failed = execute.run_all(chosen, build, small=options.small, jobs=options.jobs)
    entries = _entries(notebooks, build)
    cache.restore(build, entries.values())
    if failed:
        print(f"{len(failed)} notebook(s) failed; the last good pages are kept.", file=sys.stderr)
        return 1
    executed = {n.name: build / "executed" / n.page for n in notebooks if n.name in entries}
    _write_json(build / "timings.json", {name: entry.seconds for name, entry in sorted(entries.items())})
    records, listed = claims.collect(executed), claims.load_claims(BOOK / "claims.toml")
    _write_json(build / "claims.json", records)
    whole = len(executed) == len(notebooks)
    due = listed if whole or options.strict else _settled(listed, records)
    problems = claims.check(due, records, complete=options.strict or (whole and data_are_here))
    written = (name for entry in entries.values() for name in entry.files)
    problems += [f"{name} is written by two notebooks" for name in claims.repeated(written)]
    for problem in problems:
        print(f"problem: {problem}", file=sys.stderr)
    if options.execute_only:
        return bool(problems)
    _stage(notebooks, build)
    about = {"entries": entries, "notebooks": notebooks, "small": options.small}
    pages.write_all(build / "src", claims=listed, records=records, **about)
    return _build_pages(build, lock, warnings_are_errors=whole) or bool(problems)


def _entries(notebooks: list[execute.Notebook], build: Path) -> dict[str, cache.Entry]:
    """What the cache has of each notebook by name, up to date or not."""
    entries = {notebook.name: cache.read(notebook.entry(build)) for notebook in notebooks}
    return {name: entry for name, entry in entries.items() if not entry.error}


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--only", default="", help="names of notebooks, separated by spaces or commas")
    add("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    add("--small", action="store_true", help="the notebooks' small parameters")
    add("--strict", action="store_true", help="every claim with an expected verdict must be settled")
    add("--execute-only", action="store_true", help="no pages")
    add("--pdf", action="store_true", help="print the book that is built")
    add("--output", type=Path, default=ROOT, help="folder that gets _build")
    return parser.parse_args(arguments)


def _settled(listed: list[claims.Claim], records: list[dict]) -> list[claims.Claim]:
    """The claims that a build of some chapters answers for."""
    found = {record["id"] for record in records}
    return [claim for claim in listed if claim.id in found]


def _fetch_data() -> bool:
    """Download what is missing; whether all data sets are here then."""
    from reproduction import datasets

    missing = datasets.fetch_all()
    if missing:
        reason = next(iter(missing.values()))
        print(f"Not here, so claims may end as not run: {', '.join(missing)}. {reason}", file=sys.stderr)
    return not missing


def _stage(notebooks: list[execute.Notebook], build: Path) -> None:
    """Put together what Jupyter Book reads: prose, executed notebooks, result tables."""
    source = build / "src"
    shutil.rmtree(source, ignore_errors=True)
    unread = shutil.ignore_patterns("__pycache__", "*.py", "claims.toml", "published")
    shutil.copytree(BOOK, source, ignore=unread)
    for folder, place in (("results", source / "results"), ("executed", source)):
        if (build / folder).is_dir():
            shutil.copytree(build / folder, place, dirs_exist_ok=True)
    for notebook in notebooks:
        page = source / notebook.page
        if not page.exists():  # a build of one chapter in a fresh clone: the others stand without results
            page.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(notebook.path, page.with_suffix(".md"))


def _write_json(path: Path, value: Any) -> None:
    """Write a value as JSON, whole or not at all."""
    cache.write_whole(path, json.dumps(value, indent=1, ensure_ascii=False).encode() + b"\n")


def _build_pages(build: Path, lock: int, *, warnings_are_errors: bool) -> int:
    """Run Jupyter Book, unless the pages are as it left them and what they are made of is, too.

    All pages are written anew: one that is kept may be half a page, and its style sheets do not carry the
    checksums of a first run. What was read before counts only if that run came to a good end.
    """
    environment, html, finished = _environment(), build / "html", build / "pages-finished"
    shaping = [CONFIG, ROOT / "requirements.lock", *sorted((BOOK / "_ext").glob("*.py"))]
    options = sys.version, str(warnings_are_errors), environment["SOURCE_DATE_EPOCH"]
    read = (build / "src", *sorted((ROOT / "lib").rglob("*.py")))
    shape, content = _fingerprint(shaping, *options), _fingerprint(read)
    last = finished.read_text().split() if finished.exists() else [""]
    if last == [shape, content, _fingerprint([html])]:
        print(f"Nothing to do: the book is at {(html / 'index.html').as_uri()}")
        return 0
    for folder in ("html", "jupyter_execute", *(() if last[0] == shape else (".doctrees",))):
        shutil.rmtree(build / folder, ignore_errors=True)
    finished.unlink(missing_ok=True)
    strict = ("-W", "--keep-going", "-n") if warnings_are_errors else ()
    # a session of its own: Ctrl-C reaches this process alone, which ends Sphinx and says so in one line
    apart = {"env": environment, "pass_fds": (lock,), "start_new_session": True}
    code = print_pdf.jupyter_book(build, CONFIG, *strict, **apart)
    if code == 0:
        cache.write_whole(finished, " ".join((shape, content, _fingerprint([html]))).encode())
        print(f"The book is at {(html / 'index.html').as_uri()}")
    return code


def _fingerprint(paths: Iterable[Path], *others: str) -> str:
    """A hash of the names and bytes of all files at and below some paths, and of some texts."""
    files = [p for path in paths for p in (path, *sorted(path.rglob("*"))) if p.is_file()]
    parts = [part for file in files for part in (str(file).encode(), file.read_bytes())]
    parts += [text.encode() for text in others]
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def _environment() -> dict[str, str]:
    """Sphinx's: two builds of one commit carry the same dates, that of the commit."""
    done = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    # an unpacked archive: the year of the release
    return execute.environment(SOURCE_DATE_EPOCH=done.stdout.strip() or "1767225600")


if __name__ == "__main__":
    raise SystemExit(main())
