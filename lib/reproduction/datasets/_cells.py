"""Helpers that the readers share: the table that they return, class labels, and text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

_EXACT = 2.0**53  # beyond it not every whole number is a float


class Table(NamedTuple):
    """The contents of a file; ``row_ids`` are the cells of the last column, the names of the rows in some."""

    data: np.ndarray
    target: np.ndarray
    row_ids: np.ndarray
    feature_names: list[str]


def labels(words: Sequence[str]) -> np.ndarray:
    """Integers where the source writes whole numbers (1.0 is the class 1), strings otherwise."""
    try:
        numbers = np.array(words, dtype=np.float64)
    except ValueError:
        return np.array(words)
    if not (np.array_equal(numbers, np.round(numbers)) and np.all(np.abs(numbers) < _EXACT)):
        raise ValueError("class labels that are numbers but not whole")
    return numbers.astype(np.int64)


def decoded(content: bytes) -> str:
    """Decode the bytes as UTF-8, without the byte order mark that some editors write first."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"not a text in UTF-8: {error.reason} at byte {error.start}") from error
