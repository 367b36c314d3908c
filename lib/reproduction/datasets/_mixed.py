"""Tables of numbers and words as R writes them: every column becomes numbers, by one encoding."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

import numpy as np

from reproduction.datasets._cells import Table, decoded, labels

MAX_LEVELS = 15  # a column with more different words is left out
_MISSING = ("", "NA")


def parse_mixed(content: bytes, spec: Mapping[str, Any]) -> Table:
    """Read a table with a header and names of rows, as described in the registry's entry ``spec``.

    Its keys: ``target``, a column, is the class; ``without`` names columns that are left out; ``cuts``
    (limits, or "terciles") makes classes 0, 1, ... of a number: how many limits are below it;
    ``first_classes`` keeps only that number of classes, by name. Rows without a target are left out.

    A column of numbers stays, with its median where a number is missing. A column of two words becomes one
    column of 0 and 1, of 3 to ``MAX_LEVELS`` words one for each, of more none; a missing word is the
    word "missing". Columns with one value go. Words and medians are those of all rows.

    Raises
    ------
    ValueError
        If the bytes do not have the format, or a column is not there.
    """
    columns = _columns(content)
    absent = {spec["target"], *spec.get("without", ())} - set(columns)
    if absent:
        raise ValueError(f"no column {', '.join(sorted(absent))}")
    target, kept = _classes(columns.pop(spec["target"]), spec)
    encoded: dict[str, np.ndarray] = {}
    for name, values in columns.items():
        if name not in spec.get("without", ()):
            encoded |= _encoded(name, values[kept])
    if not encoded:
        raise ValueError("no column with more than one value")
    return Table(np.column_stack(list(encoded.values())), target, np.array([]), list(encoded))


def _columns(content: bytes) -> dict[str, np.ndarray]:
    """The columns by name, without the first, which numbers the rows."""
    try:
        header, *rows = csv.reader(io.StringIO(decoded(content), newline=""), strict=True)
    except csv.Error as error:
        raise ValueError(str(error)) from error
    if not rows:
        raise ValueError("no rows")
    if widths := {len(row) for row in rows} - {len(header)}:
        raise ValueError(f"{len(header)} names of columns, but rows of length {min(widths)}")
    if len(set(header)) < len(header):
        raise ValueError("two columns have the same name")
    return dict(zip(header[1:], np.array(rows, dtype=object).T[1:], strict=True))


def _classes(values: np.ndarray, spec: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """The class of each row that has one, and which rows these are."""
    kept = ~np.isin(values, _MISSING)
    if "first_classes" in spec:
        kept &= np.isin(values, sorted(set(values[kept]))[: spec["first_classes"]])
    if not kept.any():
        raise ValueError("no row has a class")
    if "cuts" not in spec:
        return labels(values[kept].tolist()), kept
    numbers = _numbers(values[kept])
    if numbers is None:
        raise ValueError(f"column {spec['target']} holds words")
    limits = np.quantile(numbers, [1 / 3, 2 / 3]) if spec["cuts"] == "terciles" else spec["cuts"]
    return np.searchsorted(limits, numbers).astype(np.int64), kept


def _encoded(name: str, values: np.ndarray) -> dict[str, np.ndarray]:
    """The columns of numbers that stand for one column."""
    numbers = _numbers(values)
    if numbers is not None:
        numbers[np.isnan(numbers)] = np.median(numbers[~np.isnan(numbers)])
        return {name: numbers} if numbers.min() < numbers.max() else {}
    words = np.where(np.isin(values, _MISSING), "missing", values).astype(str)
    levels = np.unique(words)
    if not 2 <= len(levels) <= MAX_LEVELS:
        return {}
    shown = levels[1:] if len(levels) == 2 else levels
    return {f"{name}={level}": (words == level).astype(float) for level in shown}


def _numbers(values: np.ndarray) -> np.ndarray | None:
    """The values as finite numbers, NaN where they are missing; None where they are words or all missing."""
    missing = np.isin(values, _MISSING)
    try:
        numbers = np.where(missing, "nan", values).astype(np.float64)
    except ValueError:
        return None
    return numbers if np.isfinite(numbers[~missing]).all() and not missing.all() else None
