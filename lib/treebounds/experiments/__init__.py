"""The experiments of the source documents, one module each, and where their result tables go."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from treebounds.claims import book_directory

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["results_directory", "save_table"]


def results_directory() -> Path:
    """Folder of the result tables: ``TREEBOUNDS_RESULTS`` when set, else ``_build/results`` of the clone."""
    folder = os.environ.get("TREEBOUNDS_RESULTS")
    return Path(folder) if folder else book_directory().parent / "_build" / "results"


def save_table(frame: pd.DataFrame, source: str, name: str, *, float_format: str | None = None) -> Path:
    """Write a result table to ``<results>/<source>/<name>.csv``, whole or not at all.

    Parameters
    ----------
    frame : pandas.DataFrame
        Written without its index.
    source : str
        Key of the source document, for example "leboeuf2020".
    name : str
        The table's name.
    float_format : str, optional
        For tables that a page shows; result tables that are compared keep every digit.

    Returns
    -------
    pathlib.Path
    """
    folder = results_directory() / source
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{name}.csv"
    with tempfile.NamedTemporaryFile("w", dir=folder, suffix=".part", delete=False, encoding="utf-8") as part:
        frame.to_csv(part, index=False, lineterminator="\n", float_format=float_format)
    os.chmod(part.name, 0o644)
    os.replace(part.name, target)
    return target
