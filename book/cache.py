"""The cache of executed notebooks: one file for each, with its inputs, its page and its
result tables.

The inputs are source, imports, pinned versions and data, each with its hash. All of
``lib/treebounds`` is one input. From ``lib/reproduction``, the modules that the
notebook imports, directly or through others, are inputs. Comments and docstrings of
both do not change the hashes. (jupyter-cache identifies a notebook by its code alone,
so it would miss changes of the library, of versions and of data.)

An entry is a compressed pickle, whose checksum shows damage. The files in
``_build/executed`` and ``_build/results`` are copies from the entries; files that
differ are written again.
"""

import ast
import functools
import gzip
import hashlib
import json
import os
import pickle
import platform
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from modulefinder import ModuleFinder
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
# These files affect every notebook.
MACHINERY = ("book/execute.py", "requirements.lock")
ABSENT = "absent"
CODE = re.compile(r"^(`{3,})\{code-cell\}[^\n]*\n(.*?)^\1$", re.M | re.S)
OPTIONS = re.compile(r"\A(---\n.*?^---\n|(:[^\n]*\n)+)", re.M | re.S)


@dataclass(frozen=True)
class Entry:
    """One execution; ``files`` maps names below ``_build`` to contents; ``error``
    explains its absence.
    """

    inputs: dict[str, str]
    data: dict[str, str]
    seconds: float
    files: dict[str, bytes]
    error: str = ""


def read(path: Path) -> Entry:
    """The entry in a file, or an empty one with the reason why there is none."""
    content, error = path.read_bytes() if path.exists() else b"", "not executed before"
    if content:
        try:
            return pickle.loads(gzip.decompress(content))
        except Exception:  # Damaged bytes lead to errors of many kinds.
            error = "its entry in the cache is damaged"
    return Entry({}, {}, 0.0, {}, error)


def write(path: Path, entry: Entry) -> None:
    """Write an entry, never a part of it."""
    write_whole(path, gzip.compress(pickle.dumps(entry), 6))


def what_changed(entry: Entry, now: dict[str, str]) -> str:
    """The reason why an entry is not valid any more, in words; "" if it is valid."""
    before = entry.inputs | entry.data
    now = now | {name: current_data(name) for name in entry.data}
    names = sorted(
        name for name in before.keys() | now.keys() if before.get(name) != now.get(name)
    )
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return entry.error or (f"changed: {', '.join(names[:3])}{more}" if names else "")


def restore(build: Path, entries: Iterable[Entry]) -> None:
    """Give the folders of pages and tables the contents of the entries."""
    files = [pair for entry in entries for pair in entry.files.items()]
    for part in ("executed", "results"):
        mend(
            build / part,
            {name[len(part) + 1 :]: c for name, c in files if name.startswith(part)},
        )


def mend(folder: Path, wanted: Mapping[str, bytes]) -> None:
    """Give a folder exactly these files, and write only files that differ."""
    for path in folder.rglob("*"):
        if not path.is_dir() and path.relative_to(folder).as_posix() not in wanted:
            path.unlink()
    for name, content in wanted.items():
        path = folder / name
        if not path.is_file() or path.read_bytes() != content:
            write_whole(path, content)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, never a part of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(content)
    os.replace(part, path)


def static_inputs(source: Path, parameters: dict[str, Any]) -> dict[str, str]:
    """Names and hashes of all inputs that are known before the notebook runs, which
    excludes data sets.
    """
    text = source.read_text(encoding="utf-8")
    modules = _behind("".join(OPTIONS.sub("", cell[1]) for cell in CODE.findall(text)))
    spark = (
        "bench_spark" in text
    )  # The chapter measures Spark, or shows stored runs if there is no Spark.
    tables = [
        "book/published/*.toml",
        "lib/reproduction/**/*.[jmt]*",
        *["benchmarks/*spark*"] * spark,
    ]
    files = modules.union(*(ROOT.glob(pattern) for pattern in (*tables, *MACHINERY)))
    library = [_hash(path) for path in sorted(ROOT.glob("lib/treebounds/**/*.py"))]
    return {
        "its source": hashlib.sha256(text.encode()).hexdigest(),
        "its parameters": json.dumps(parameters, sort_keys=True),
        "Python": platform.python_version(),
        "Spark": str(
            spark
            and (
                os.environ.get("TREEBOUNDS_SPARK_PYTHON") or bool(find_spec("pyspark"))
            )
        ),
        "lib/treebounds": hashlib.sha256("".join(library).encode()).hexdigest(),
        # Temporary files of numba, which may be gone a moment later, match the
        # patterns, too.
        **{
            f.relative_to(ROOT).as_posix(): _hash(f)
            for f in sorted(files)
            if f.parent.name != "__pycache__"
        },
    }


def data_inputs(log: Path) -> dict[str, str]:
    """The data files that a notebook opened, or did not find, as ``datasets.load``
    recorded them.
    """
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return {name: current_data(name) for name in sorted(set(lines))}


def current_data(name: str) -> str:
    """The hash of the copy of ``<folder>/<file>`` on this machine; ``ABSENT`` if there
    is none.
    """
    from reproduction.datasets import local_paths

    here = [path for path in local_paths(*name.split("/")) if path.is_file()]
    return hashlib.sha256(here[0].read_bytes()).hexdigest() if here else ABSENT


def _behind(code: str) -> set[Path]:
    """The modules of ``reproduction`` that some code imports, directly or through
    others.
    """
    finder = ModuleFinder([str(ROOT / "lib")], excludes=["treebounds"])
    try:
        finder.scan_code(
            compile(code, "notebook", "exec"), finder.add_module("notebook")
        )
    except (
        SyntaxError
    ):  # The code has a magic command, or an error that the execution will show.
        return set(ROOT.glob("lib/reproduction/**/*.py"))
    return {
        Path(module.__file__) for module in finder.modules.values() if module.__file__
    }


@functools.cache
def _hash(path: Path) -> str:
    """The hash of a file; that of a module of ``lib`` ignores comments and docstrings."""
    content = path.read_bytes()
    if path.suffix == ".py" and path.is_relative_to(ROOT / "lib"):
        tree = ast.parse(content)
        for node in ast.walk(tree):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                node.value = ast.Constant(None)
        content = ast.dump(tree).encode()
    return hashlib.sha256(content).hexdigest()
