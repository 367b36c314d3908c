"""Tables for programs, made from the tables that a page shows."""

import math
import re
from typing import Any, NamedTuple

import pandas as pd

_NUMBER = r"[+\u2212-]?\d[\d,]*(?:\.\d+)?(?:e\d+)?%?"
_PAIR = re.compile(rf"({_NUMBER})\s*(\u00b1|\(|/|of|to)\s*({_NUMBER})\)?\s*(.*)")
_NAMES = {
    "\u00b1": "uncertainty",
    "(": "in parentheses",
    "/": "of",
    "of": "of",
    "to": "to",
}
_MARKUP = (  # TeX powers of ten, roles and code of MyST, other TeX
    (r"\$([\d.]+) \\cdot 10\^\{(-?\d+)\}\$", r"\1e\2"),
    (r"(?:\{\w+\})?`([^`<]*?)\s*(?:<[^>]*>)?`", r"\1"),
    (r"[$\\{}]", ""),
    ("\u25b2", "higher"),
    ("\u25bc", "lower"),
    (r"^\u2013$", ""),
)


def as_data(table: pd.DataFrame) -> pd.DataFrame:
    """A table with numbers and words only: no markup, one value in each cell.

    The second number of a cell such as "0.93 ± 0.02", "93 (7)", "14 / 15" or "6 of 6"
    gets a column of its own, and so does the text after it; a number in parentheses is
    an uncertainty if it has decimals. Percentages become fractions, a dash becomes an
    empty cell, and an arrow becomes "higher" or "lower".

    Examples
    --------
    >>> import pandas as pd
    >>> from reproduction.experiments import as_data
    >>> as_data(
    ...     pd.DataFrame(
    ...         {"r": ["$2^{-5}$"], "error": ["0.25 ± 0.02"], "equal": ["97%"]}
    ...     )
    ... )
          r  error  error, uncertainty  equal
    0  2^-5   0.25                0.02   0.97
    """
    columns: dict[str, list[Any]] = {}
    for name, values in table.items():
        cells = [_parts(value) for value in values]
        columns |= _columns(_plain(str(name)), cells)
    return pd.DataFrame(columns)


def number_or_dash(value: float, form: str) -> str:
    """A number as a page shows it; a dash if it is NaN.

    >>> from reproduction.experiments import number_or_dash
    >>> number_or_dash(0.25, ".1f"), number_or_dash(float("nan"), ".1f")
    ('0.2', '–')
    """
    if math.isnan(value):
        return "\u2013"
    return format(value, form)


def leaves_or_dash(mean: float) -> str:
    """A mean number of leaves; a dash if it is negative, for a model without leaves."""
    if mean < 0:
        return "\u2013"
    return f"{mean:.0f}"


class _Cell(NamedTuple):
    """The parts of a cell; ``kind`` is the meaning of its second number."""

    first: Any
    second: Any = ""
    kind: str = ""
    remark: str = ""


def _parts(value: Any) -> _Cell:
    """A cell without markup, taken apart if it has two numbers."""
    if not isinstance(value, str):
        return _Cell(value)

    text = _plain(value)
    pair = _PAIR.fullmatch(text)
    if pair is None:
        return _Cell(_number(text))

    first, sign, second, remark = pair.groups()
    kind = _NAMES[sign]
    if sign == "(" and "." in second:
        kind = _NAMES["\u00b1"]
    return _Cell(_number(first), _number(second), kind, remark.strip("() "))


def _columns(title: str, cells: list[_Cell]) -> dict[str, list[Any]]:
    """The columns that a column becomes: one for each part that its cells have."""
    columns = {title: [cell.first for cell in cells]}

    kinds = dict.fromkeys(cell.kind for cell in cells if cell.kind)
    for kind in kinds:
        columns[f"{title}, {kind}"] = [_second(cell, kind) for cell in cells]

    remarks = [cell.remark for cell in cells]
    if any(remarks):
        columns[f"{title}, remark"] = remarks
    return columns


def _second(cell: _Cell, kind: str) -> Any:
    """The second number of a cell if it has this meaning, else an empty text."""
    if cell.kind == kind:
        return cell.second
    return ""


def _plain(text: str) -> str:
    """A text without markup."""
    for pattern, plain in _MARKUP:
        text = re.sub(pattern, plain, text)
    return text.replace("\xa0", " ").strip()


def _number(text: str) -> Any:
    """The value of a text as a number, if it is one."""
    if not re.fullmatch(_NUMBER, text):
        return text

    digits = text.removesuffix("%").replace(",", "").replace("\u2212", "-")
    try:
        number: float = int(digits)
    except ValueError:
        number = float(digits)

    if text.endswith("%"):
        return round(number / 100, 12)
    return number
