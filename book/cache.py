"""The cache of executed notebooks: one file for each, with inputs, page and tables.

The inputs are source, imports, pinned versions, claims and data, each with its hash.
All of ``lib/treebounds`` is one input. From ``lib/reproduction``, the modules that the
notebook imports, directly or through others, are inputs. Comments and docstrings of
both do not change the hashes. (jupyter-cache identifies a notebook by its code alone,
so it would miss changes of the library, of versions and of data.)

An entry is a zip file, whose checksums show damage. The files in ``_build/executed``
and ``_build/results`` are copies from the entries; files that differ are written again.
"""

import ast
import functools
import hashlib
import io
import json
import os
import platform
import re
import tomllib
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from modulefinder import ModuleFinder
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
# These files affect every notebook.
MACHINERY = ("book/execute.py", "requirements.lock")
# Files that a notebook may read without an import.
READ = ("book/published/*.toml", "lib/reproduction/**/*.[jmt]*")
# A chapter with this word measures Spark, or shows stored runs without it.
SPARK = "bench_spark"
SPARK_READ = ("benchmarks/*spark*", "benchmarks/measuring.py")
CLAIMS = "book/claims.toml"
ABSENT = "absent"
CODE = re.compile(r"^(`{3,})\{code-cell\}[^\n]*\n(.*?)^\1$", re.M | re.S)
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
OPTIONS = re.compile(r"\A(---\n.*?^---\n|(:[^\n]*\n)+)", re.M | re.S)

# The version of what an entry holds. Entries of other versions are not read.
FORMAT = 1
RECORD = "entry.json"


@dataclass(frozen=True)
class Entry:
    """One execution.

    ``files`` maps names below ``_build`` to contents. An entry that cannot be read is
    empty, and ``error`` has the reason.
    """

    inputs: dict[str, str] = field(default_factory=dict)
    data: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    files: dict[str, bytes] = field(default_factory=dict)
    error: str = ""


def read(path: Path) -> Entry:
    """The entry in a file, or an empty one with the reason why there is none."""
    if not path.exists():
        return Entry(error="not executed before")

    try:
        with zipfile.ZipFile(path) as archive:
            record = json.loads(archive.read(RECORD))
            files = {name: archive.read(name) for name in record["files"]}
    except Exception:  # Damaged bytes lead to errors of many kinds.
        return Entry(error="its entry in the cache is damaged")

    if record["format"] != FORMAT:
        return Entry(error="its entry in the cache is of another version of the cache")
    return Entry(record["inputs"], record["data"], record["seconds"], files)


def write(path: Path, entry: Entry) -> None:
    """Write an entry, never a part of it."""
    record = {
        "format": FORMAT,
        "inputs": entry.inputs,
        "data": entry.data,
        "seconds": entry.seconds,
        "files": sorted(entry.files),
    }
    content = zip_of({RECORD: json.dumps(record).encode(), **entry.files})
    write_whole(path, content)


def what_changed(entry: Entry, now: dict[str, str]) -> str:
    """The reason why an entry is not valid any more, in words; "" if it is valid."""
    if entry.error:
        return entry.error

    before = entry.inputs | entry.data
    now = now | {name: current_data(name) for name in entry.data}
    names = sorted(
        name for name in before.keys() | now.keys() if before.get(name) != now.get(name)
    )
    if not names:
        return ""

    reason = f"changed: {', '.join(names[:3])}"
    if len(names) > 3:
        reason += f" and {len(names) - 3} more"
    return reason


def restore(build: Path, entries: Iterable[Entry]) -> None:
    """Give the folders of pages and tables the contents of the entries."""
    files: dict[str, bytes] = {}
    for entry in entries:
        files |= entry.files
    for part in ("executed", "results"):
        mend(build / part, _below(part, files))


def _below(folder: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files below a folder, by their names there."""
    return {
        name.removeprefix(f"{folder}/"): content
        for name, content in files.items()
        if name.startswith(f"{folder}/")
    }


def mend(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Give a folder exactly these files, and write only files that differ."""
    for path in folder.rglob("*"):
        if not path.is_dir() and path.relative_to(folder).as_posix() not in contents:
            path.unlink()

    for name, content in contents.items():
        path = folder / name
        if not path.is_file() or path.read_bytes() != content:
            write_whole(path, content)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, never a part of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(content)
    os.replace(part, path)


def zip_of(files: Mapping[str, bytes]) -> bytes:
    """The bytes of a zip file with some members, the same at every time."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in files.items():
            # ZipInfo has a fixed time.
            information = zipfile.ZipInfo(name)
            information.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(information, member)
    return content.getvalue()


def static_inputs(
    source: Path, parameters: Mapping[str, Any], claims: Iterable[str] = ()
) -> dict[str, str]:
    """Names and hashes of all inputs that are known before a notebook runs.

    Data sets are not among them. ``claims`` are those that the notebook settles.
    """
    text = source.read_text(encoding="utf-8")
    inputs = {
        "its source": hashlib.sha256(text.encode()).hexdigest(),
        "its parameters": json.dumps(parameters, sort_keys=True),
        "Python": platform.python_version(),
        "lib/treebounds": _hash_of_library(),
    }
    for claim in claims:
        inputs[f"{CLAIMS}: {claim}"] = _hash_of_claim(claim)

    paths = _modules_behind(text).union(*map(ROOT.glob, (*MACHINERY, *READ)))
    if SPARK in text:
        inputs["Spark"] = _spark()
        paths.update(*map(ROOT.glob, SPARK_READ))

    for path in sorted(paths):
        # Temporary files of numba, which may be gone a moment later, match the
        # patterns, too.
        if path.parent.name != "__pycache__":
            inputs[path.relative_to(ROOT).as_posix()] = _hash(path)
    return inputs


def _hash_of_library() -> str:
    """The hash of all modules of ``lib/treebounds``."""
    paths = sorted(ROOT.glob("lib/treebounds/**/*.py"))
    names = [f"{path.relative_to(ROOT).as_posix()} {_hash(path)}" for path in paths]
    return hashlib.sha256("\n".join(names).encode()).hexdigest()


def _hash_of_claim(id: str) -> str:
    """The hash of a claim's row in the book's list, which its card shows."""
    rows = _claims((ROOT / CLAIMS).read_text(encoding="utf-8"))
    of_claim = [row for row in rows if row["id"] == id]
    return hashlib.sha256(json.dumps(of_claim, sort_keys=True).encode()).hexdigest()


@functools.cache
def _claims(text: str) -> list[dict[str, Any]]:
    """The rows of the book's list of claims."""
    return tomllib.loads(text)["claim"]


def _spark() -> str:
    """The Spark that a chapter would measure; "" if there is none."""
    if os.environ.get("TREEBOUNDS_SPARK_PYTHON"):
        return os.environ["TREEBOUNDS_SPARK_PYTHON"]
    if find_spec("pyspark"):
        return "pyspark"
    return ""


def data_inputs(log: Path) -> dict[str, str]:
    """The data files that a notebook opened or missed, as ``datasets.load`` noted."""
    if not log.exists():
        return {}
    names = set(log.read_text(encoding="utf-8").splitlines())
    return {name: current_data(name) for name in sorted(names)}


def current_data(name: str) -> str:
    """The hash of the copy of ``<folder>/<file>`` on this machine, or ``ABSENT``."""
    from reproduction.datasets import local_paths

    for path in local_paths(*name.split("/")):
        if path.is_file():
            return hashlib.sha256(path.read_bytes()).hexdigest()
    return ABSENT


def _modules_behind(text: str) -> set[Path]:
    """The modules of ``reproduction`` that a notebook imports, also through others."""
    code = "".join(OPTIONS.sub("", cell[1]) for cell in CODE.findall(text))
    finder = ModuleFinder([str(ROOT / "lib")], excludes=["treebounds"])
    try:
        compiled = compile(code, "notebook", "exec")
        finder.scan_code(compiled, finder.add_module("notebook"))
    # The code has a magic command, or an error that the execution will show.
    except SyntaxError:
        return set(ROOT.glob("lib/reproduction/**/*.py"))

    return {
        Path(module.__file__) for module in finder.modules.values() if module.__file__
    }


@functools.cache
def _hash(path: Path) -> str:
    """The hash of a file; for a module of ``lib``, without comments and docstrings."""
    content = path.read_bytes()
    if path.suffix == ".py" and path.is_relative_to(ROOT / "lib"):
        content = _without_words(content)
    return hashlib.sha256(content).hexdigest()


def _without_words(code: bytes) -> bytes:
    """The syntax tree of some code without its docstrings."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node) is not None:
            del node.body[0]
    return ast.dump(tree).encode()
