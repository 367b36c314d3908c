"""A small book of its own, built in two places: killed and interrupted builds, and what
two builds share.
"""

import fcntl
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from small_notebook import HEADER, SETTLE

ROOT = Path(__file__).resolve().parents[2]
TABLE_AT_WORK = "work/one/results/leboeuf2020/stub.csv"
pytestmark = pytest.mark.book

TOC = """format: jb-book
root: index
parts:
- caption: Part
  chapters:
  - file: part/one
  - file: status
"""
INDEX = "# A book\n\n## One chapter\n\nSee {doc}`part/one`.\n"
STATUS = (
    "---\nnosearch: true\n---\n\n# Status\n\nOf {doc}`index`.\n\n## Seconds\n\n"
    "```{include} _generated/status.md\n```\n\n"
    "```{csv-table} A table\n:file: part/new.csv\n```\n"
)
CLAIM = """[sources]
new = "This book"
[[claim]]
id = "L-def"
source = "leboeuf2020"
where = "page 1"
statement = "A claim."
expected = "verified"
"""
# A table and a figure, without the library: importing it takes three times as long as
# all the rest of this chapter. In between, two processes below the kernel sleep for as
# long as the environment says.
CHAPTER = """```{code-cell} ipython3
import os, time
from pathlib import Path
import joblib
folder = Path(os.environ["TREEBOUNDS_RESULTS"], "leboeuf2020")
folder.mkdir(parents=True)
lines = (folder / "stub.csv").write_text(f"m\\n{m_max}\\n")
```

```{code-cell} ipython3
seconds = float(os.environ.get("STUB_SECONDS", "0"))
if seconds:
    work = joblib.Parallel(2)(joblib.delayed(time.sleep)(seconds) for _ in range(2))
```

```{code-cell} ipython3
---
mystnb:
  figure:
    caption: A line.
    name: fig-one-line
  image:
    alt: A line.
---
from IPython.display import SVG
SVG('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">'
    f'<path d="M1 {m_max} H9" stroke="black"/></svg>')
```

```{csv-table} The table
:file: ../results/leboeuf2020/stub.csv
:header-rows: 1
```
"""

FILES = {
    "book/_toc.yml": TOC,
    "book/index.md": INDEX,
    "book/status.md": STATUS,
    "book/claims.toml": CLAIM,
    "book/open-problems.toml": "problem = []\n",
    "book/errata.md": (ROOT / "book" / "errata.md").read_text(encoding="utf-8"),
}


def _pages(folder, names):
    """The book's pages, which this book does not have; its fragments are needed."""
    if Path(folder) == ROOT / "book":
        return [
            name
            for name in names
            if name.endswith(".md") or name in ("api", "replications")
        ]
    return []


def new_book(folder, chapter=CHAPTER):
    """The project's machinery around one chapter."""
    shutil.copytree(ROOT / "book", folder / "book", ignore=_pages)
    for name in ("benchmarks", "_config.yml", "requirements.lock", "lib", "proofs"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "notebooks" / "part").mkdir(parents=True)
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / "notebooks" / "part" / "one.md").write_text(HEADER + chapter + SETTLE)
    return folder


def start(folder, *options, seconds=0):
    """A build that prints into a file: a pipe would wait for what a killed build
    leaves.
    """
    environment = {**os.environ, "STUB_SECONDS": str(seconds)}
    command = [
        sys.executable,
        str(folder / "book" / "build.py"),
        "--small",
        "--jobs",
        "1",
        *options,
    ]
    with open(folder / "said", "a") as said:
        return psutil.Popen(
            command,
            env=environment,
            stdout=said,
            stderr=subprocess.STDOUT,
            preexec_fn=_heed_interrupts,
        )


def _heed_interrupts():
    """A test run in the background ignores Ctrl-C, and its children inherit that."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def end(process, folder):
    """What a build returned, and what was printed since the last call."""
    code = process.wait(timeout=300)
    output = (folder / "said").read_text()
    (folder / "said").unlink()
    return code, output


def build(folder):
    return end(start(folder), folder)


def wait_for(condition, process):
    while not condition():
        assert process.poll() is None
        time.sleep(0.02)


def at_work(folder):
    """A build whose kernel waits for two processes of its own; what was started below
    it, oldest first.
    """
    process = start(folder, seconds=60)
    wait_for((folder / "_build" / TABLE_AT_WORK).exists, process)
    wait_for(lambda: len(process.children(recursive=True)) > 3, process)
    return process, sorted(
        process.children(recursive=True), key=psutil.Process.create_time
    )


def interrupt(process, below, folder, received=signal.SIGINT):
    """Press Ctrl-C, or send another signal.

    The build ends with what it started, and prints that it was interrupted.
    """
    process.send_signal(received)
    code, output = end(process, folder)
    assert code == 128 + received
    # A worker that was just starting may print something before.
    kept = "The chapters that are finished are kept; the next build goes on from there."
    assert output.endswith(f"\nInterrupted. {kept}\n")
    assert output.count("Interrupted.") == 1
    assert "Traceback" not in output
    assert psutil.wait_procs(below, timeout=5)[1] == []


def files_of(folder):
    """Every file of the built book by name; the status page tells how many seconds the
    chapter took.
    """
    built = folder / "_build"
    folders = ("html", "executed", "results")
    paths = [path for name in folders for path in (built / name).rglob("*")]
    files = [path for path in paths if path.is_file()]
    files.append(built / "claims.json")
    return {
        path.relative_to(built).as_posix(): path.read_bytes()
        for path in files
        if not path.name.startswith("status.")
    }


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A copy of a book that was built without trouble, once for all workers of a test
    run. Nothing changes it.
    """
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder = shared / "finished"

    with alone(shared / "finished.lock"):
        if not folder.exists():
            place = shared / "book"
            shutil.rmtree(place, ignore_errors=True)
            code, output = build(new_book(place))
            assert code == 0, output
            part = shutil.copytree(place, shared / "finished.part", symlinks=True)
            part.rename(folder)
    return folder


@pytest.fixture
def book_again(finished):
    """The finished book in the folder where it was built, to change and to build again.

    In any other folder Sphinx would read all pages anew. One test at a time has it.
    """
    place = finished.with_name("book")
    with alone(finished.with_name("book.lock")):
        shutil.rmtree(place)
        yield shutil.copytree(finished, place, symlinks=True)


@contextmanager
def alone(path):
    """Wait until no other worker is between these lines."""
    with open(path, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def differing(a, b):
    return sorted(name for name in a.keys() | b.keys() if a.get(name) != b.get(name))


def test_a_killed_build_leaves_nothing_that_the_next_one_shows(finished, tmp_path):
    folder = new_book(tmp_path / "elsewhere")
    source = folder / "notebooks" / "part" / "one.md"
    whole = source.read_text()
    built = folder / "_build"
    source.write_text(
        whole.replace("A line.", "Another line.").replace("{m_max}\\n", "0\\n")
    )

    process, (kernel, *workers) = at_work(folder)
    process.kill()
    # The kernel ends with the build; the workers end their task first.
    assert psutil.wait_procs([kernel], timeout=30)[1] == []
    for worker in workers:
        with suppress(psutil.NoSuchProcess):
            worker.kill()
    assert not (built / "cache" / "one.zip").exists()

    process = start(folder)
    made = built / "pages" / "_build" / "html"
    wait_for((made / "_static").exists, process)
    running = [process, *process.children(recursive=True)]
    for part in running:
        part.kill()
    psutil.wait_procs(running, timeout=30)
    (made / "part").mkdir(exist_ok=True)
    (made / "part" / "one.html").write_text("<html>half a pa")

    source.write_text(whole)
    code, output = build(folder)
    assert code == 0, output
    assert differing(files_of(folder), files_of(finished)) == []
    assert list(built.rglob("*.part")) + list(built.rglob("*.in.ipynb")) == []
    for path in (built / "html").rglob("*"):
        assert path.is_dir() or str(folder).encode() not in path.read_bytes(), path


def test_a_changed_page_is_written_and_the_others_stay_as_they_are(book_again):
    html = book_again / "_build" / "html"
    chapter = html / "part" / "one.html"
    written = chapter.stat().st_mtime_ns
    (book_again / "book" / "status.md").write_text(STATUS + "\nA new sentence.\n")

    code, output = build(book_again)

    assert code == 0, output
    assert "0 notebook(s) to execute" in output
    assert "A new sentence." in (html / "status.html").read_text()
    assert chapter.stat().st_mtime_ns == written


def test_a_table_appears_on_a_page_when_its_file_does(book_again):
    status = book_again / "_build" / "html" / "status.html"
    assert "not computed in this build" in status.read_text()

    (book_again / "book" / "part").mkdir()
    (book_again / "book" / "part" / "new.csv").write_text("a cell\n")
    code, output = build(book_again)

    assert code == 0, output
    assert "a cell" in status.read_text()


def test_a_changed_page_is_read_again_though_the_clock_was_set_back(book_again):
    saved = book_again / "_build/pages/_build/.doctrees/environment.pickle"
    environment = pickle.loads(saved.read_bytes())
    # Sphinx keeps times in microseconds.
    for page in environment.all_docs:
        environment.all_docs[page] += 10**15
    saved.write_bytes(pickle.dumps(environment))
    index = book_again / "book" / "index.md"
    index.write_text(INDEX + "\nA new sentence.\n")

    code, output = build(book_again)

    assert code == 0, output
    assert "A new sentence." in (book_again / "_build/html/index.html").read_text()


def test_a_new_title_stands_on_the_pages_that_refer_to_it(book_again):
    # Sphinx writes a page again if one below it has changed, but not the other way.
    index = book_again / "book" / "index.md"
    index.write_text(INDEX.replace("# A book\n", "# Another title\n"))

    code, output = build(book_again)

    assert code == 0, output
    status = (book_again / "_build" / "html" / "status.html").read_text()
    assert "Another title" in status.partition("<article")[2].partition("</article")[0]


def test_a_build_killed_while_it_replaces_the_pages_leaves_them_to_the_next(book_again):
    html = book_again / "_build" / "html"
    html.rename(book_again / "_build" / "html.old")
    (book_again / "book" / "index.md").write_text(INDEX + "\n{doc}`nowhere`\n")

    code, _ = build(book_again)

    assert code != 0
    assert (html / "index.html").exists()


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    folder = new_book(tmp_path / "book", chapter="")
    for name in ("_build", "_build/cache"):
        (folder / name).write_text("a file in the way")
        code, output = build(folder)
        assert code == 1
        assert name in output
        assert "Traceback" not in output
        (folder / name).unlink()
        (folder / name).mkdir()


def test_two_builds_at_once_execute_the_chapter_once(tmp_path):
    folder = new_book(tmp_path / "book")
    both = [start(folder, "--execute-only") for _ in "ab"]
    assert [process.wait(timeout=300) for process in both] == [0, 0]
    output = (folder / "said").read_text()
    assert output.count("1 notebook(s) to execute") == 1
    assert output.count("0 notebook(s) to execute") == 1
    assert output.count("waiting for it") == 1


@pytest.mark.parametrize("received", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_build_leaves_no_process(tmp_path, received):
    folder = new_book(tmp_path / "book")
    interrupt(*at_work(folder), folder, received)
    assert list((folder / "_build" / "cache").rglob("*")) == []


def test_an_interrupted_sphinx_ends_too(finished, tmp_path):
    folder = shutil.copytree(finished, tmp_path / "book", symlinks=True)
    shutil.rmtree(folder / "_build" / "pages")
    process = start(folder)
    wait_for((folder / "_build" / "pages" / "_build" / "html").exists, process)
    interrupt(process, process.children(recursive=True), folder)


def test_a_warning_that_failed_a_build_fails_the_next_one(finished, book_again):
    (book_again / "book" / "index.md").write_text(INDEX + "\n{doc}`nowhere`\n")
    for attempt in (1, 2):
        code, output = build(book_again)
        assert code != 0, attempt
        assert "nowhere" in output
    shown = book_again / "_build" / "html" / "index.html"
    before = finished / "_build" / "html" / "index.html"
    assert shown.read_bytes() == before.read_bytes()
