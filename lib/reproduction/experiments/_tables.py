"""Tables for programs, made from the tables that a page shows."""

import re
from typing import Any

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
    for name, cells in table.items():
        title = _plain(str(name))
        texts = [_plain(cell) if isinstance(cell, str) else cell for cell in cells]
        pairs = [
            _PAIR.fullmatch(text) if isinstance(text, str) else None for text in texts
        ]
        first = [
            pair[1] if pair else text for pair, text in zip(pairs, texts, strict=True)
        ]
        columns[title] = [_number(text) for text in first]
        kinds = [_kind(pair) if pair else "" for pair in pairs]

        for kind in filter(None, dict.fromkeys(kinds)):
            second = [
                pair[3] if pair and kind == own else ""
                for pair, own in zip(pairs, kinds, strict=True)
            ]
            columns[f"{title}, {kind}"] = [_number(text) for text in second]

        if any(pair and pair[4] for pair in pairs):
            columns[f"{title}, remark"] = [
                pair[4].strip("() ") if pair else "" for pair in pairs
            ]

    return pd.DataFrame(columns)


def _kind(pair: re.Match[str]) -> str:
    """The meaning of the second number of a cell."""
    return _NAMES["\u00b1" if pair[2] == "(" and "." in pair[3] else pair[2]]


def _plain(text: str) -> str:
    """A text without markup."""
    for pattern, plain in _MARKUP:
        text = re.sub(pattern, plain, text)
    return text.replace("\xa0", " ").strip()


def _number(value: Any) -> Any:
    """The value of a cell as a number, if it is one."""
    if not isinstance(value, str) or not re.fullmatch(_NUMBER, value):
        return value
    text = value.removesuffix("%").replace(",", "").replace("\u2212", "-")
    number = int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
    return round(number / 100, 12) if value.endswith("%") else number
