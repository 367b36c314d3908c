"""The data sets of the book: one registry, one search order, one :func:`load`.

``load`` looks for a set first in the folder that the environment variable
``TREEBOUNDS_DATA`` names (as ``<folder>/uci/<source>/<file>`` or
``<folder>/<source>/<file>``; tables of R packages as
``<folder>/more/<package>__<name>.csv``), then in the cache of earlier downloads
(``TREEBOUNDS_CACHE`` moves it), then among scikit-learn's bundled copies; otherwise it
downloads the set from its official address. Each file's SHA-256 and each table's shape
and class counts are checked. Simulated sets need no file. ``python -m
reproduction.datasets`` fetches everything.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Collection
from functools import cache
from importlib.resources import files
from typing import Any, cast

import numpy as np
import pandas as pd
from sklearn.utils import Bunch
from tqdm import tqdm

from reproduction.datasets._files import (
    cache_directory,
    download,
    local_paths,
    verified,
)
from reproduction.datasets._parsers import Entry, Table, parse

__all__ = [
    "DataNotAvailable",
    "fetch_all",
    "files_of",
    "group",
    "list_datasets",
    "load",
]

# The name of the function that loads scikit-learn's copy of a set, and the labels that
# the source uses.
_BUNDLED: dict[str, tuple[str, list[Any]]] = {
    "iris": ("load_iris", ["Iris-setosa", "Iris-versicolor", "Iris-virginica"]),
    "wine": ("load_wine", [1, 2, 3]),
    "breast-cancer-wisconsin-diagnostic": ("load_breast_cancer", ["M", "B"]),
}


class DataNotAvailable(OSError):
    """A data set is not on this machine and cannot be downloaded; the message explains
    how to get it.
    """


@cache
def _registry() -> dict[str, dict[str, Any]]:
    """The list of sources and of learning tasks, for classes and for numbers."""
    registry: dict[str, dict[str, Any]] = {}
    for name in ("registry.toml", "regression.toml"):
        text = files("reproduction.datasets").joinpath(name).read_text(encoding="utf-8")
        for table, entries in tomllib.loads(text).items():
            registry.setdefault(table, {}).update(entries)
    return registry


def list_datasets() -> dict[str, str]:
    """Every slug that :func:`load` accepts, with one sentence about the learning task.

    Examples
    --------
    >>> from reproduction.datasets import list_datasets
    >>> sorted(slug for slug in list_datasets() if slug.startswith("monks"))
    ['monks-1', 'monks-2', 'monks-3']
    >>> list_datasets()["vertebral-column-2c"]
    'Normal (NO) or abnormal (AB).'
    """
    return {slug: spec["about"] for slug, spec in _registry()["set"].items()}


def group(name: str) -> tuple[str, ...]:
    """The data sets of one of the book's comparisons, in order.

    Examples
    --------
    >>> from reproduction.datasets import group
    >>> len(group("table 1"))
    19
    """
    return tuple(_registry()["group"][name])


def load(slug: str) -> Bunch:
    """Load a data set.

    >>> from reproduction.datasets import load
    >>> wine = load("wine")
    >>> wine.data.shape, wine.target_names
    ((178, 13), array([1, 2, 3]))

    Parameters
    ----------
    slug : str
        A key of :func:`list_datasets`.

    Returns
    -------
    sklearn.utils.Bunch
        ``data``: (m, l) array, float64 for numeric sets; for categorical sets
        (``DESCR`` names the kind) an object array of strings, in which marks such as
        "?" and "*" remain as values of their own. Tables of numbers and words (those of
        R packages) are converted to numbers: a missing number becomes the median of its
        column; a column of two words becomes one column of 0 and 1, a column of 3 to 15
        words one column for each word, "missing" among them; a column of more words is
        left out. ``target``: (m,) array of the classes as the source writes them: int64
        if they are whole numbers, else strings; for tasks with a numeric target, its
        values. ``target_names``: the classes, sorted; tasks with a numeric target have
        none.
        ``feature_names``: list of str; "x1", "x2", ... if the source has none.
        ``DESCR``: source, license, classes. ``origin``: the copy that was read.
        ``train_indices``: the training rows, if the source defines a training set;
        ``train_target``: the labels of the training file if they can differ (those of
        monks-3 are noisy).

    Raises
    ------
    DataNotAvailable
        If no copy is on this machine and the download fails.
    ValueError
        If there is no such set, or a file is damaged, empty, or not of the registered
        shape.
    """
    spec = _specification(slug)
    if "recipe" in spec:
        return _simulate(slug, spec)

    copies = {file: _find(spec["folder"], file) for file in spec["files"]}
    if slug in _BUNDLED and None in copies.values():
        return _bunch(slug, spec, _bundled(slug, spec), "scikit-learn's bundled copy")

    contents = [copy or _obtain(slug, spec, file) for file, copy in copies.items()]
    return _assemble(slug, spec, contents)


def fetch_all(files: Collection[str] | None = None) -> dict[str, str]:
    """Make data sets available on this machine, with a progress bar at a terminal.

    Parameters
    ----------
    files : collection of str, optional
        ``<folder>/<file>`` of some files; only the sets that need one of them are
        fetched. Without it every set is.

    Returns
    -------
    dict of str to str
        The missing sets with the reason for each; empty if all are available.
    """
    slugs = list(list_datasets())
    if files is not None:
        slugs = [slug for slug in slugs if not files_of(slug).isdisjoint(files)]

    missing = {}
    for slug in tqdm(slugs, desc="data sets", disable=None):
        try:
            load(slug)
        except (DataNotAvailable, ValueError) as error:
            missing[slug] = str(error)
    return missing


def files_of(slug: str) -> set[str]:
    """``<folder>/<file>`` of each file of a set; none if the set is computed.

    Examples
    --------
    >>> from reproduction.datasets import files_of
    >>> files_of("wine")
    {'wine/wine.data'}
    """
    spec = _specification(slug)
    return {f"{_place(spec['folder'])}/{file}" for file in spec.get("files", ())}


def _specification(slug: str) -> Entry:
    """The registry's entry of a set; an unknown name raises an error with a hint."""
    sets = _registry()["set"]
    if not isinstance(slug, str) or slug not in sets:
        near = [name for name, spec in sets.items() if spec.get("folder", name) == slug]
        near = near or difflib.get_close_matches(str(slug), sets, n=3)
        hint = "list_datasets() returns all names"
        if near:
            hint = f"did you mean {' or '.join(near)}?"
        raise ValueError(f"slug: unknown data set {slug!r}; {hint}")

    return cast(Entry, {"folder": slug, **sets[slug]})


def _find(folder: str, file: str) -> tuple[str, bytes] | None:
    """Path and bytes of the first copy on this machine, verified; None if there is no
    copy.
    """
    _note(f"{_place(folder)}/{file}")
    entry = _registry()["folder"][folder]["files"][file]
    for path in local_paths(_place(folder), file):
        if path.is_file():
            return str(path), verified(path, entry["sha256"])
    return None


def _place(folder: str) -> str:
    """The directory that holds the files of a source."""
    return str(_registry()["folder"][folder].get("place", folder))


def _note(name: str) -> None:
    """Record that a build reads this file, as a line of the file that
    ``TREEBOUNDS_READS`` names.
    """
    if log := os.environ.get("TREEBOUNDS_READS"):
        with open(log, "a", encoding="utf-8") as lines:
            lines.write(f"{name}\n")


def _obtain(slug: str, spec: Entry, file: str) -> tuple[str, bytes]:
    """Download a file; return its path and bytes."""
    source = _registry()["folder"][spec["folder"]]
    place = _place(spec["folder"])
    entry = source["files"][file]
    try:
        path = download(place, file, entry, source["zips"])
    except OSError as error:
        own = os.environ.get("TREEBOUNDS_DATA")
        raise DataNotAvailable(
            f"data set {slug!r} is not available here. Its file {file} is not in the"
            f" folder TREEBOUNDS_DATA ({own or 'not set'}), not in the cache"
            f" ({cache_directory()}), and the download failed: {error}. To get it:"
            " connect to the network and run `python -m reproduction.datasets`, or"
            f" fetch {file} from {source['page']} and save it as {place}/{file} below a"
            " folder that TREEBOUNDS_DATA names."
        ) from error

    return str(path), verified(path, entry["sha256"])


def _assemble(slug: str, spec: Entry, contents: list[tuple[str, bytes]]) -> Bunch:
    """The set from the paths and bytes of its files, in the registry's order."""
    tables = [_table(path, content, spec) for path, content in contents]
    origin = ", ".join(path for path, _ in contents)
    by_id = spec.get("training") == "by-id"

    if by_id:
        # The second file names the training rows of the first.
        bunch = _bunch(slug, spec, tables[0], origin)
        training_path, _ = contents[1]
        bunch.train_indices = _rows_by_id(training_path, *tables)
        bunch.train_target = tables[1].target
    else:
        bunch = _bunch(slug, spec, _stacked(tables), origin)
        training_path, _ = contents[0]
        if "training" in spec:
            bunch.train_indices = np.arange(len(tables[0].target))

    n_training = len(bunch.get("train_indices", ()))
    expected = spec.get("train_examples", 0)
    if n_training != expected:
        raise ValueError(
            f"{training_path} has {n_training} training examples of {slug!r}, expected"
            f" {expected}"
        )

    return bunch


def _table(path: str, content: bytes, spec: Entry) -> Table:
    """One file as a table."""
    try:
        return parse(content, spec)
    except ValueError as error:
        raise ValueError(f"{path} cannot be read: {error}") from error


def _rows_by_id(path: str, whole: Table, training: Table) -> np.ndarray:
    """The rows of the whole set that the training file repeats, perhaps with other
    labels.
    """
    rows = pd.Index(whole.row_ids).get_indexer(training.row_ids)
    if (rows < 0).any() or not np.array_equal(whole.data[rows], training.data):
        raise ValueError(
            f"{path} has a training example that is not a row of the whole set"
        )
    return rows


def _stacked(tables: list[Table]) -> Table:
    """The rows of all tables in one."""
    return Table(
        data=np.concatenate([table.data for table in tables]),
        target=np.concatenate([table.target for table in tables]),
        row_ids=np.concatenate([table.row_ids for table in tables]),
        feature_names=tables[0].feature_names,
    )


def _bundled(slug: str, spec: Entry) -> Table:
    """scikit-learn's copy, with the labels of the source."""
    # Imported here: a third of the chapters import this package and load no such set.
    import sklearn.datasets

    loader, labels = _BUNDLED[slug]
    data, target = getattr(sklearn.datasets, loader)(return_X_y=True)
    names = list(spec["feature_names"])
    return Table(data, np.array(labels)[target], np.array([]), names)


def _simulate(slug: str, spec: Entry) -> Bunch:
    """Make a simulated set."""
    # Imported here, for sklearn.datasets is behind it.
    from reproduction.datasets._simulated import SEED, simulated

    X, y = simulated(spec["recipe"], spec["shape"][0])
    names = [f"x{i + 1}" for i in range(X.shape[1])]
    table = Table(X, y, np.array([]), names)
    return _bunch(slug, spec, table, f"the recipe, with the seed {SEED}")


def _bunch(slug: str, spec: Entry, table: Table, origin: str) -> Bunch:
    """The set, after a check of its shape and class counts."""
    shape = list(table.data.shape)
    if shape != spec["shape"] or len(table.feature_names) != shape[1]:
        raise ValueError(
            f"{origin}: the table of {slug!r} has shape {shape}, expected"
            f" {spec['shape']}"
        )

    bunch = Bunch(
        data=table.data,
        target=table.target,
        feature_names=table.feature_names,
        DESCR=_description(slug, spec, origin),
        origin=origin,
    )
    if not spec.get("target_is_number"):
        bunch.target_names = _check_classes(slug, spec, table, origin)
    return bunch


def _check_classes(slug: str, spec: Entry, table: Table, origin: str) -> np.ndarray:
    """The classes, after a check of their counts."""
    names, counts = np.unique(table.target, return_counts=True)
    classes = {str(name): int(count) for name, count in zip(names, counts, strict=True)}
    if classes != spec["classes"]:
        raise ValueError(
            f"{origin}: the classes of {slug!r} are {classes}, expected"
            f" {spec['classes']}"
        )
    return names


def _source(spec: Entry) -> dict[str, Any]:
    """Where a set comes from: its folder in the registry, or a simulation."""
    if "recipe" not in spec:
        return _registry()["folder"][spec["folder"]]
    return {
        "title": "Simulated",
        "cite": "the recipe above.",
        "page": "",
        "license": "none needed",
    }


def _description(slug: str, spec: Entry, origin: str) -> str:
    """Title, task, size, source and licence in a few lines."""
    source = _source(spec)
    m, l = spec["shape"]
    target = f"Target: {spec.get('target')}, a number"
    if "classes" in spec:
        counts = spec["classes"].items()
        target = "Classes: " + ", ".join(f"{name} ({count})" for name, count in counts)
    lines = [
        f"{source['title']} ({slug})",
        spec["about"],
        (f"{m} examples, {l} {spec.get('kind', 'numeric')} features. {target}."),
        f"Source: {source['cite']} {source['page']}".rstrip(),
        f"License: {source['license']}.",
        f"Read from: {origin}.",
    ]

    if slug == "iris" and origin.startswith("scikit-learn"):
        lines.append(
            "This copy differs from UCI's file in three cells of rows 35 and 38"
            " (counting from 1)."
        )

    return "\n".join(lines)
