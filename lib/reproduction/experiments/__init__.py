"""The experiments of the source documents, one module for each, and the folder of their
result tables.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import joblib
import pandas as pd
from tqdm import tqdm

from reproduction.claims import book_directory
from reproduction.datasets import DataNotAvailable, load
from reproduction.experiments._tables import as_data, leaves_or_dash, number_or_dash

__all__ = [
    "as_data",
    "book_directory",
    "leaves_or_dash",
    "number_or_dash",
    "readable",
    "results_directory",
    "save_table",
    "tabulated",
]

Row = dict[str, Any]


def tabulated(
    task: Callable[..., Iterable[Row]],
    work: Sequence[tuple[Any, ...]],
    columns: Sequence[str],
    n_jobs: int | None = None,
) -> pd.DataFrame:
    """A table of the rows that a task returns for each tuple of arguments, with the
    arguments in front.

    The tasks run in parallel; at a terminal a progress bar is shown.

    >>> from reproduction.experiments import tabulated
    >>> tabulated(lambda n: [{"power": n**2}, {"power": n**3}], [(2,), (3,)], ["n"])[
    ...     "power"
    ... ].tolist()
    [4, 8, 9, 27]

    Parameters
    ----------
    task : callable
        Returns rows, dictionaries of one result each.
    work : sequence of tuple
        The arguments; the rows have this order for any number of workers.
    columns : sequence of str
        Names of the arguments.
    n_jobs : int, optional
        Number of workers, as in joblib; ``joblib.parallel_config`` chooses the backend,
        for example Dask.
    """
    results = joblib.Parallel(n_jobs=n_jobs, return_as="generator")(
        joblib.delayed(task)(*arguments) for arguments in work
    )
    # None shows the bar only at a terminal.
    results = tqdm(results, total=len(work), desc="runs", disable=None)

    table = []
    for arguments, rows in zip(work, results, strict=True):
        front = dict(zip(columns, arguments, strict=True))
        table += [{**front, **row} for row in rows]
    return pd.DataFrame(table)


def readable(data_sets: Iterable[str], read: Callable[[str], Any] = load) -> list[str]:
    """The data sets that can be read on this machine."""
    here = []
    for slug in data_sets:
        with suppress(DataNotAvailable):
            read(slug)
            here.append(slug)
    return here


def results_directory() -> Path:
    """Folder of the result tables.

    It is ``TREEBOUNDS_RESULTS`` if that is set, as in a build of the book, else
    ``results`` in the working directory.
    """
    return Path(os.environ.get("TREEBOUNDS_RESULTS") or "results")


def save_table(
    frame: pd.DataFrame, source: str, name: str, *, float_format: str | None = None
) -> None:
    """Write a result table to ``<results>/<source>/<name>.csv``, never a part of it.

    Markup is removed and cells with two values are split (:func:`as_data`). If this
    changes the table, the original, which the page shows, is written to
    ``<name>-shown.csv``.

    Parameters
    ----------
    frame : pandas.DataFrame
        Written without its index.
    source : str
        Key of the source document, for example "leboeuf2020".
    name : str
        The table's name; it cannot end with "-shown".
    float_format : str, optional
        Format of numbers, for tables that a page shows; tables for comparisons keep
        every digit.
    """
    if name.endswith("-shown"):
        raise ValueError(
            "name must not end with '-shown', which marks a table with markup; got"
            f" {name!r}"
        )

    folder = results_directory() / source
    folder.mkdir(parents=True, exist_ok=True)

    data = as_data(frame)
    tables = {name: data}
    if data.to_csv() != frame.to_csv():
        tables[f"{name}-shown"] = frame

    for stem, table in tables.items():
        part = folder / f"{name}.{os.getpid()}.part"
        table.to_csv(part, index=False, lineterminator="\n", float_format=float_format)
        part.replace(folder / f"{stem}.csv")
