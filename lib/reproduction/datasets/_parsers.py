"""Readers of the odd formats: each turns bytes into rows of strings; :func:`parse` cuts them into X and y."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from reproduction.datasets._cells import Table, decoded, labels
from reproduction.datasets._mixed import parse_mixed

_SEPARATORS = {"tab": "\t", "space": None}
Rows = list[list[str]]


def parse(content: bytes, spec: Mapping[str, Any]) -> Table:
    """Read one file as described in the registry's entry ``spec``.

    Raises
    ------
    ValueError
        If the bytes do not have the format, or the rows not all the same length.
    """
    if spec.get("reader") == "mixed":
        return parse_mixed(content, spec)
    names, rows = _READERS[spec.get("reader", "table")](content, spec)
    if not rows:
        raise ValueError("no rows")
    widths = {len(row) for row in rows}
    if len(widths) > 1:
        raise ValueError(f"rows of different lengths: {sorted(widths)}")
    width = widths.pop()
    if names and len(names) != width:
        raise ValueError(f"{len(names)} names of columns, but rows of length {width}")
    target = spec.get("target", width - 1)
    first, end = spec.get("features", (0, width - 1))
    if max(target + 1, end) > width:
        raise ValueError(f"rows of length {width}, at least {max(target + 1, end)} expected")
    columns = [column for column in range(first, end) if column != target]
    if "only" in spec:
        rows = [row for row in rows if row[target] in spec["only"]]
    if not rows:
        raise ValueError(f"no rows of the classes {', '.join(spec['only'])}")
    features = [[row[column] for column in columns] for row in rows]
    found = [names[column] for column in columns] if names else [f"x{i + 1}" for i in range(len(columns))]
    return Table(
        data=_words(features) if spec.get("kind") == "categorical" else _numbers(features),
        target=labels([row[target] for row in rows]),
        row_ids=np.array([row[-1] for row in rows]),
        feature_names=list(spec.get("feature_names", found)),
    )


def _words(cells: Rows) -> np.ndarray:
    """Return the cells of categorical features; an empty one raises an error."""
    for number, row in enumerate(cells, 1):
        if not all(row):
            raise ValueError(f"row {number}: feature {row.index('') + 1} is empty")
    return np.array(cells, dtype=object)


def _numbers(cells: Rows) -> np.ndarray:
    """Return the cells of numeric features; one that is not finite raises an error."""
    numbers = np.array([[_number_or_nan(cell) for cell in row] for row in cells])
    wrong = np.argwhere(~np.isfinite(numbers))
    if len(wrong):
        row, column = wrong[0]
        raise ValueError(f"row {row + 1}: feature {column + 1} is {cells[row][column]!r}, no finite number")
    return numbers


def _number_or_nan(cell: str) -> float:
    """A cell as a number; nan if it is not a number."""
    try:
        return float(cell)
    except ValueError:
        return float("nan")


def _read_table(content: bytes, spec: Mapping[str, Any]) -> tuple[list[str], Rows]:
    """Lines of cells, with a separator; a header if the registry says where."""
    lines = decoded(content).splitlines()
    separator = spec.get("separator", ",")
    separator = _SEPARATORS.get(separator, separator)
    split = [[cell.strip() for cell in line.split(separator)] for line in lines]
    rows = [row for row in split[spec.get("skip", 0) :] if any(row)]
    names = split[spec["header"]] if "header" in spec and rows else []
    unnamed = len(rows[0]) - len(names) if names else 0
    return [""] * unnamed + names, rows


def _read_arff(content: bytes, spec: Mapping[str, Any]) -> tuple[list[str], Rows]:
    """Read the lines after @data of Weka's format."""
    lines = [line.strip() for line in decoded(content).splitlines()]
    keywords = [line.split()[0].lower() if line else "" for line in lines]
    if "@data" not in keywords:
        raise ValueError("no @data line")
    rows = [line.split(",") for line in lines[keywords.index("@data") + 1 :] if line and line[0] != "%"]
    return [], [[cell.strip() for cell in row] for row in rows]


def _read_xls(content: bytes, spec: Mapping[str, Any]) -> tuple[list[str], Rows]:
    """The rows of one sheet that have a class."""
    import xlrd

    try:
        workbook = xlrd.open_workbook(file_contents=content, on_demand=True, logfile=io.StringIO())
        sheet = workbook.sheet_by_name(spec["sheet"])
        lines = [sheet.row_values(line) for line in range(spec["header"], sheet.nrows)]
        names, *rows = [[str(cell).strip() for cell in line] for line in lines]
        return names, [row for row in rows if row[spec["target"]]]
    except Exception as error:  # on damaged files xlrd raises errors of many types
        raise ValueError(f"not the Excel file that was expected: {error!r}") from error


def _read_sequences(content: bytes, spec: Mapping[str, Any]) -> tuple[list[str], Rows]:
    """Class, name, sequence: one column for each letter of the sequence, the class last."""
    _, rows = _read_table(content, {})
    if any(len(row) != 3 for row in rows):
        raise ValueError("a line that is not class, name, sequence")
    return [], [[*sequence, label] for label, _, sequence in rows]


def _read_counts(content: bytes, spec: Mapping[str, Any]) -> tuple[list[str], Rows]:
    """A table of counts, R's row names first and the frequency last: each row as often as it was counted."""
    names, quoted = _read_table(content, {"header": 0, "skip": 1})
    cells = [[cell.strip('"') for cell in row] for row in quoted]
    counts = [int(row[-1]) for row in cells]
    if min(counts, default=0) < 0 or sum(counts) != spec["shape"][0]:
        raise ValueError(f"the counts add up to {sum(counts)}, expected {spec['shape'][0]} and none negative")
    return [name.strip('"') for name in names[1:-1]], [
        row[1:-1] for row, count in zip(cells, counts, strict=True) for _ in range(count)
    ]


_READERS: dict[str, Callable[[bytes, Mapping[str, Any]], tuple[list[str], Rows]]] = {
    "table": _read_table,
    "arff": _read_arff,
    "xls": _read_xls,
    "sequences": _read_sequences,
    "counts": _read_counts,
}
