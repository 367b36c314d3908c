"""Readers of the sources' files; :func:`parse` turns bytes, whose hash is already
checked, into a table.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, NamedTuple, TypedDict

import numpy as np
import pandas as pd

MAX_LEVELS = 15  # A column with more different words is left out.
_SEPARATORS = {"tab": "\t", "space": r"\s+"}
_EXACT = 2.0**53  # Not every larger whole number is a float.


class Entry(TypedDict, total=False):
    """A learning task in ``registry.toml``; how its files are read, and what they hold.

    ``target`` and ``features`` are numbers of columns, or for "mixed" tables the name
    of the column of the class. ``folder`` is the source, by default the task's own
    name; ``recipe`` is for simulated sets, which have no files. A set with
    ``target_is_number`` has no classes. ``kind`` is "numeric" by default, or
    "categorical".
    """

    about: str
    folder: str
    files: list[str]
    recipe: str
    shape: list[int]
    classes: dict[str, int]
    target_is_number: bool
    kind: str
    training: str
    train_examples: int
    # --- how the files are read ---
    reader: str
    separator: str
    skip: int
    header: int
    sheet: str
    target: Any
    features: tuple[int, int]
    feature_names: list[str]
    only: list[str]
    without: list[str]
    cuts: Any
    first_classes: int


class Table(NamedTuple):
    """The contents of a file; ``row_ids`` is its last column, which holds names of rows
    in some files.
    """

    data: np.ndarray
    target: np.ndarray
    row_ids: np.ndarray
    feature_names: list[str]


def parse(content: bytes, spec: Entry) -> Table:
    """Read one file in the format that ``spec``, its entry in the registry, describes.

    Raises
    ------
    ValueError
        If the bytes do not have the format, or a cell is empty or not a finite number.
    """
    reader = spec.get("reader", "table")
    if reader == "mixed":
        return parse_mixed(content, spec)

    frame = _READERS[reader](content, spec)
    width = frame.shape[1]
    target = spec.get("target", width - 1)
    first, end = spec.get("features", (0, width - 1))
    if max(target + 1, end) > width:
        raise ValueError(
            f"rows have {width} cells, at least {max(target + 1, end)} expected"
        )

    if "only" in spec:
        frame = frame[frame.iloc[:, target].isin(spec["only"])]

    features = frame.iloc[
        :, [column for column in range(first, end) if column != target]
    ]
    names = list(features.columns)
    for i, name in enumerate(names):
        if not isinstance(name, str):
            names[i] = f"x{i + 1}"

    read = _numbers
    if spec.get("kind") == "categorical":
        read = _words
    return Table(
        data=read(features),
        target=labels(frame.iloc[:, target]),
        row_ids=frame.iloc[:, -1].to_numpy(),
        feature_names=list(spec.get("feature_names", names)),
    )


def labels(words: pd.Series) -> np.ndarray:
    """Integers if the source writes whole numbers (1.0 is the class 1), strings
    otherwise.
    """
    try:
        numbers = words.to_numpy(dtype=np.float64)
    except ValueError:
        return words.to_numpy(dtype=str)

    are_whole = np.array_equal(numbers, np.round(numbers))
    if not (are_whole and np.all(np.abs(numbers) < _EXACT)):
        raise ValueError("the class labels are numbers but not whole")

    return numbers.astype(np.int64)


def _words(features: pd.DataFrame) -> np.ndarray:
    """The cells of categorical features, or a ValueError if one is empty."""
    if features.isna().any(axis=None) or (features == "").any(axis=None):
        raise ValueError("a feature is empty")
    return features.to_numpy(dtype=object)


def _numbers(features: pd.DataFrame) -> np.ndarray:
    """The cells of numeric features, or a ValueError if one is not a finite number."""
    numbers = features.to_numpy(dtype=np.float64)
    if not np.isfinite(numbers).all():
        raise ValueError("a feature is empty or not a finite number")
    return numbers


def _decoded(content: bytes) -> io.StringIO:
    """The text, without the byte order mark that some editors put in front."""
    return io.StringIO(content.decode("utf-8-sig"))


def _read_table(content: bytes, spec: Entry) -> pd.DataFrame:
    """A table of words with a separator; ``header`` is the number of the line with
    names, if there is one.
    """
    text = _decoded(content)
    separator = spec.get("separator", ",")
    separator = _SEPARATORS.get(separator, separator)
    lines = [text.readline() for _ in range(spec.get("skip", 0))]
    options = {
        "sep": separator,
        "header": None,
        "dtype": object,
        "keep_default_na": False,
    }
    frame = pd.read_csv(text, skipinitialspace=True, **options)
    frame = frame.apply(lambda column: column.str.strip())

    if "header" in spec:
        names = pd.read_csv(
            io.StringIO(lines[spec["header"]]), skipinitialspace=True, **options
        ).iloc[0]
        # The first columns may lack names.
        frame.columns = [""] * (frame.shape[1] - len(names)) + names.tolist()

    return frame


def _read_xls(content: bytes, spec: Entry) -> pd.DataFrame:
    """The rows of one sheet that have a class."""
    import xlrd

    sheet = xlrd.open_workbook(file_contents=content).sheet_by_name(spec["sheet"])
    names, *rows = [
        sheet.row_values(line) for line in range(spec["header"], sheet.nrows)
    ]

    return pd.DataFrame(
        [row for row in rows if row[spec["target"]]], columns=names, dtype=object
    )


def _read_sequences(content: bytes, spec: Entry) -> pd.DataFrame:
    """A column for each letter of the sequence, and the class, from lines of class,
    name and sequence.
    """
    table = _read_table(content, {})
    return pd.DataFrame([*map(list, table[2])]).assign(label=table[0])


def _read_counts(content: bytes, spec: Entry) -> pd.DataFrame:
    """Each row of a table of counts as often as its last column counts it; the first
    has R's row names.
    """
    table = pd.read_csv(_decoded(content), index_col=0, dtype=object)
    counts = table.iloc[:, -1].astype(int)
    return table.loc[table.index.repeat(counts)].iloc[:, :-1]


_READERS: dict[str, Callable[[bytes, Entry], pd.DataFrame]] = {
    "table": _read_table,
    "xls": _read_xls,
    "sequences": _read_sequences,
    "counts": _read_counts,
}


def parse_mixed(content: bytes, spec: Entry) -> Table:
    """Read a table of numbers and words with a header and names of rows, as R writes
    it.

    ``spec`` is the entry in the registry, with these keys: ``target`` names the column
    of the class; ``without`` names columns that are left out; ``cuts`` (limits, or
    "terciles") turns a numeric target into classes 0, 1, ..., the number of limits
    below it; ``first_classes`` is the number of classes that are kept, the first by
    name; ``target_is_number`` keeps the numbers of the target. Rows without a target
    are left out.

    A column of numbers remains, and missing numbers become its median. A column of two
    words becomes one column of 0 and 1, a column of 3 to ``MAX_LEVELS`` words one
    column for each word, and a column of more words is left out; a missing word counts
    as the word "missing". Columns with a single value are left out. Words and medians
    are those of all rows.

    Raises
    ------
    ValueError
        If the bytes do not have the format, or a column is missing.
    """
    frame = pd.read_csv(
        _decoded(content),
        index_col=0,
        dtype=object,
        keep_default_na=False,
        na_values=["", "NA"],
    )
    if absent := {spec["target"], *spec.get("without", ())} - set(frame):
        raise ValueError(f"no column {', '.join(sorted(absent))}")

    classes = frame.pop(spec["target"]).dropna()
    if "first_classes" in spec:
        classes = classes[
            classes.isin(sorted(classes.unique())[: spec["first_classes"]])
        ]

    features = frame.loc[classes.index].drop(columns=spec.get("without", []))
    encoded = pd.concat(
        [_encoded(column) for _, column in features.items()], axis="columns"
    )
    return Table(encoded.to_numpy(), _cut(classes, spec), np.array([]), list(encoded))


def _cut(classes: pd.Series, spec: Entry) -> np.ndarray:
    """The classes or, for a numeric target, the number of limits below it, or the
    numbers themselves.
    """
    is_number = spec.get("target_is_number", False)
    if "cuts" not in spec and not is_number:
        return labels(classes)

    numbers = classes.to_numpy(dtype=np.float64)
    if is_number:
        return numbers

    limits = spec["cuts"]
    if limits == "terciles":
        limits = np.quantile(numbers, [1 / 3, 2 / 3])
    return np.searchsorted(limits, numbers).astype(np.int64)


def _encoded(column: pd.Series) -> pd.DataFrame:
    """The columns of numbers that represent one column."""
    try:
        numbers = column.astype(np.float64)
    except ValueError:
        words = column.fillna("missing")
        n_levels = words.nunique()
        dummies = pd.get_dummies(
            words.to_frame(), prefix_sep="=", drop_first=n_levels == 2, dtype=float
        )
        if 2 <= n_levels <= MAX_LEVELS:
            return dummies
        return dummies.iloc[:, :0]

    numbers = numbers.fillna(numbers.median())
    if numbers.nunique() > 1:
        return numbers.to_frame()
    return numbers.to_frame().iloc[:, :0]
