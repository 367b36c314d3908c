"""Readers of the odd formats: each turns bytes into rows of strings; :func:`parse` cuts them into X and y."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Table", "parse"]

_SEPARATORS = {"tab": "\t", "space": None}
Rows = list[list[str]]


@dataclass(frozen=True)
class Table:
    """What a file holds; ``row_ids`` are the cells of the last column, which names the rows in some files."""

    data: np.ndarray
    target: np.ndarray
    feature_names: list[str]
    row_ids: list[str]


def parse(content: bytes, spec: Mapping[str, Any]) -> Table:
    """Read one file as the registry's entry ``spec`` says.

    Raises
    ------
    ValueError
        If the bytes do not have the format, or the rows not all the same length.
    """
    names, rows = _READERS[spec.get("reader", "table")](content, spec)
    if not rows:
        raise ValueError("no rows")
    widths = {len(row) for row in rows}
    if len(widths) > 1:
        raise ValueError(f"rows of different lengths: {sorted(widths)}")
    width = widths.pop()
    target = spec.get("target", width - 1)
    if isinstance(target, str):
        target = names.index(target)
    first, end = spec.get("features", (0, width - 1))
    if isinstance(first, str):
        first, end = names.index(first), names.index(end) + 1
    columns = [column for column in range(first, end) if column != target]
    if "only" in spec:
        rows = [row for row in rows if row[target] in spec["only"]]
    features = [[row[column] for column in columns] for row in rows]
    categorical = spec.get("kind") == "categorical"
    return Table(
        data=np.array(features, dtype=object) if categorical else np.array(features, dtype=np.float64),
        target=_labels([row[target] for row in rows]),
        feature_names=list(spec.get("feature_names", ())) or _names(names, columns),
        row_ids=[row[-1] for row in rows],
    )


def _names(names: Sequence[str], columns: Sequence[int]) -> list[str]:
    if names:
        return [names[column] for column in columns]
    return [f"x{number}" for number in range(1, len(columns) + 1)]


def _labels(labels: Sequence[str]) -> np.ndarray:
    """Integers where the source writes whole numbers (1.0 is the class 1), strings otherwise."""
    try:
        numbers = np.array(labels, dtype=np.float64)
    except ValueError:
        return np.array(labels)
    if not np.array_equal(numbers, np.round(numbers)):
        raise ValueError("class labels that are numbers but not whole")
    return numbers.astype(np.int64)


def _read_table(content: bytes, spec: Mapping[str, Any]) -> tuple[list[str], Rows]:
    lines = content.decode("utf-8").splitlines()
    separator = spec.get("separator", ",")
    separator = _SEPARATORS.get(separator, separator)
    split = [[cell.strip() for cell in line.split(separator)] for line in lines]
    rows = [row for row in split[spec.get("skip", 0) :] if any(row)]
    names = split[spec["header"]] if "header" in spec and rows else []
    unnamed = len(rows[0]) - len(names) if names else 0
    return [""] * unnamed + names, rows


def _read_arff(content: bytes, spec: Mapping[str, Any]) -> tuple[list[str], Rows]:
    lines = [line.strip() for line in content.decode("utf-8").splitlines()]
    keywords = [line.split()[0].lower() if line else "" for line in lines]
    if "@data" not in keywords:
        raise ValueError("no @data line")
    rows = [line.split(",") for line in lines[keywords.index("@data") + 1 :] if line and line[0] != "%"]
    return [], [[cell.strip() for cell in row] for row in rows]


def _read_xls(content: bytes, spec: Mapping[str, Any]) -> tuple[list[str], Rows]:
    """The rows of one sheet that have a class, from the first feature to the last, then the class."""
    import xlrd

    try:
        sheet = xlrd.open_workbook(file_contents=content, on_demand=True).sheet_by_name(spec["sheet"])
    except (xlrd.XLRDError, AssertionError, IndexError) as error:
        raise ValueError(f"not the Excel file that was expected: {error}") from error
    header = spec["header"]
    names = [str(name).strip() for name in sheet.row_values(header)]
    # a name that stands twice means the later column: counts come first, then the features
    first, last = (len(names) - 1 - names[::-1].index(name) for name in spec["features"])
    target = names.index(spec["target"])
    kept = [*range(first, last + 1), target]
    records = [sheet.row_values(row) for row in range(header + 1, sheet.nrows)]
    rows = [[str(record[column]) for column in kept] for record in records if record[target] != ""]
    return [names[column] for column in kept], rows


def _read_sequences(content: bytes, spec: Mapping[str, Any]) -> tuple[list[str], Rows]:
    """Class, name, sequence: one column for each letter of the sequence, the class last."""
    _, rows = _read_table(content, {})
    if any(len(row) != 3 for row in rows):
        raise ValueError("a line that is not class, name, sequence")
    return [], [[*sequence, label] for label, _, sequence in rows]


def _read_counts(content: bytes, spec: Mapping[str, Any]) -> tuple[list[str], Rows]:
    """A table of counts, R's row names first and the frequency last: each row as often as it was counted."""
    names, *cells = csv.reader(content.decode("utf-8").splitlines())
    return names[1:-1], [row[1:-1] for row in cells for _ in range(int(row[-1]))]


_READERS: dict[str, Callable[[bytes, Mapping[str, Any]], tuple[list[str], Rows]]] = {
    "table": _read_table,
    "arff": _read_arff,
    "xls": _read_xls,
    "sequences": _read_sequences,
    "counts": _read_counts,
}
