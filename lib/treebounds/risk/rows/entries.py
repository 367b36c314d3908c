"""The entries of a table as numbers, equal for entries that a tree cannot tell apart:
32-bit floats, also for days and times, and bits of words.
"""

from __future__ import annotations

import hashlib
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treebounds._validation import is_missing

# How often each unit of time, from the second down, is in a second.
_PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9, "ps": 1e12}


def bits_of(values: NDArray[Any]) -> NDArray[np.uint64]:
    """One word of 64 bits for each entry, 0 for the number 0.

    >>> import numpy as np
    >>> from treebounds.risk.rows.entries import bits_of
    >>> bits_of(np.array([0.0, -0.0])).tolist()
    [0, 0]
    """
    numbers = numbers_of(values)
    if numbers is None:
        return _bits_of_words(values)
    return numbers.view(np.uint32).astype(np.uint64)


def numbers_of(values: NDArray[Any]) -> NDArray[np.float32] | None:
    """The entries as numbers by :func:`as_float32`; None if one of them is a word, or
    if they are complex.

    >>> import numpy as np
    >>> from treebounds.risk.rows.entries import numbers_of
    >>> numbers_of(np.array([1, None]))
    array([ 1., nan], dtype=float32)
    >>> numbers_of(np.array(["a", "b"])) is None
    True
    """
    if values.dtype.kind == "c":
        return None
    # NumPy converts None to NaN, but not the NA of pandas.
    if values.dtype.kind == "O":
        kinds = {type(value).__name__ for value in values.flat}
        if "NAType" in kinds:
            values = np.where(is_missing(values), np.array(None), values)
        if "datetime" in kinds and kinds <= {"datetime", "NoneType"}:
            values = _without_zones(values)
    if values.dtype.kind in "OU":
        days = _days(values)
        values = values if days is None else days
    try:
        return as_float32(values)
    except (TypeError, ValueError):
        return None


def as_float32(values: NDArray[Any]) -> NDArray[np.float32]:
    """Numbers or times as 32-bit floats, equal ones with the same bits.

    >>> import numpy as np
    >>> from treebounds.risk.rows.entries import as_float32
    >>> as_float32(np.array([-0.0, 0.1]))
    array([0. , 0.1], dtype=float32)
    """
    if values.dtype.kind in "mM":
        values = _seconds(values)
    # Numbers beyond float32 become infinite.
    with np.errstate(over="ignore"):
        if values.ndim == 2 and not values.flags.c_contiguous:
            # Few columns of a table are copied quickly only one by one.
            numbers = np.empty(values.shape, dtype=np.float32)
            for column in range(values.shape[1]):
                numbers[:, column] = values[:, column]
        else:
            numbers = values.astype(np.float32, order="C")
    # -0.0 becomes 0.0.
    numbers += np.float32(0)
    if numbers.size and np.isnan(numbers.max()):
        numbers[np.isnan(numbers)] = np.nan
    return numbers


def _days(values: NDArray[Any]) -> NDArray[Any] | None:
    """Days that are written as words, such as 2024-03-01, or are objects of ``date``,
    as times; None if other entries are among them.

    Words with a time of day stay words: as 32-bit floats, times of one minute are
    equal.
    """
    # Most columns of words are known by their first word.
    if not _are_days([next(filter(_is_word, values.flat), "")]):
        return None
    known = np.fromiter(map(_is_word, values.flat), bool, values.size)
    known = known.reshape(values.shape)
    words = values[known].astype(str)
    if not _are_days(words) or not is_missing(values[~known]).all():
        return None
    days = np.full(values.shape, np.datetime64("NaT"), dtype="M8[D]")
    try:
        days[known] = words.astype("M8[D]")
    except ValueError:
        # No month has so many days.
        return None
    return days


def _is_word(value: Any) -> bool:
    """Whether an entry is a word or a date, and not missing."""
    return isinstance(value, str | date) and bool(value == value)


def _are_days(words: Any) -> bool:
    """Whether all words have the form of 2024-03-01."""
    texts = np.asarray(words, dtype=str)
    if texts.dtype != np.dtype("U10"):
        return False
    codes = texts.view(np.uint32).reshape(-1, 10)
    are_digits = (codes >= ord("0")) & (codes <= ord("9"))
    are_digits[:, [4, 7]] = codes[:, [4, 7]] == ord("-")
    return bool(are_digits.all())


def _without_zones(times: NDArray[Any]) -> NDArray[Any]:
    """Objects of ``datetime`` as times of NumPy, if they are in no time zone."""
    zones = {getattr(time, "tzinfo", None) for time in times.flat}
    return times if zones != {None} else times.astype("M8[us]")


def _seconds(times: NDArray[Any]) -> NDArray[np.float64]:
    """Times in seconds, whatever their unit is; NaN where one is missing."""
    kind = times.dtype.kind
    unit, step = np.datetime_data(times.dtype)
    # Numbers of months or years, which are not dates, have no length in seconds.
    has_length = kind == "M" or unit not in ("Y", "M")
    if unit not in _PER_SECOND and has_length:
        times = times.astype(f"{kind}8[s]")
        unit = "s"
        step = 1
    counts = times.astype(np.int64).astype(float) * step
    seconds: NDArray[np.float64] = counts / _PER_SECOND.get(unit, 1.0)
    seconds[np.isnat(times)] = np.nan
    return seconds


def _bits_of_words(values: NDArray[Any]) -> NDArray[np.uint64]:
    """One number for each word, the same in every sample."""
    try:
        texts = values.astype(str)
    except ValueError:
        # The entries are lists or arrays.
        lists = [np.asarray(entry, dtype=object).tolist() for entry in values.ravel()]
        texts = np.array(list(map(str, lists))).reshape(values.shape)
    words, places = np.unique(texts, return_inverse=True)
    digests = [
        hashlib.blake2b(word.encode(), digest_size=8).digest()
        for word in words.tolist()
    ]
    numbers = np.frombuffer(b"".join(digests), dtype=np.uint64)
    return numbers[places].reshape(values.shape)
