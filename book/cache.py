"""The cache of executed notebooks: one file for each, with its inputs, its page and its result tables.

An entry is a pickle, compressed, whose checksum shows damage. The files in ``_build/executed`` and
``_build/results`` are copies from the entries, mended when they differ.
jupyter-cache keys a notebook by its code alone, so it would miss changes of the library, of pins and of data.
"""

import gzip
import os
import pickle
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import inputs


@dataclass(frozen=True)
class Entry:
    """One execution; ``files`` maps names below ``_build`` to contents, ``error`` says why there is none."""

    inputs: dict[str, str]
    data: dict[str, str]
    seconds: float
    files: dict[str, bytes]
    error: str = ""


def read(path: Path) -> Entry:
    """The entry in a file, or one that says why there is none."""
    content, error = path.read_bytes() if path.exists() else b"", "not executed before"
    if content:
        try:
            return pickle.loads(gzip.decompress(content))
        except Exception:  # damaged bytes lead to errors of many kinds
            error = "its entry in the cache is damaged"
    return Entry({}, {}, 0.0, {}, error)


def write(path: Path, entry: Entry) -> None:
    """Write an entry whole or not at all."""
    write_whole(path, gzip.compress(pickle.dumps(entry), 6))


def what_changed(entry: Entry, now: dict[str, str]) -> str:
    """Why an entry does not serve any more, in words; "" when it does."""
    before = entry.inputs | entry.data
    now = now | {name: inputs.current_data(name) for name in entry.data}
    names = sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return entry.error or (f"changed: {', '.join(names[:3])}{more}" if names else "")


def restore(build: Path, entries: Iterable[Entry]) -> None:
    """Make the folders of pages and tables hold what the entries hold."""
    files = [pair for entry in entries for pair in entry.files.items()]
    for part in ("executed", "results"):
        mend(build / part, {name[len(part) + 1 :]: c for name, c in files if name.startswith(part)})


def mend(folder: Path, wanted: Mapping[str, bytes]) -> None:
    """Make a folder hold these files and no others, writing only those that differ."""
    for path in folder.rglob("*"):
        if not path.is_dir() and path.relative_to(folder).as_posix() not in wanted:
            path.unlink()
    for name, content in wanted.items():
        path = folder / name
        if not path.is_file() or path.read_bytes() != content:
            write_whole(path, content)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(content)
    os.replace(part, path)
