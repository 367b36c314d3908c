"""Numbers and labels as certificates write them. A limit is rounded up, because no
smaller one is certified.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Decimal
from typing import Any

import numpy as np


def percent_rounded_up(share: float) -> float:
    """A share in percent with one decimal, rounded up.

    >>> from treebounds.risk.words import percent_rounded_up
    >>> percent_rounded_up(0.1001), percent_rounded_up(0.1)
    (10.1, 10.0)
    """
    return math.ceil(round(1000 * share, 9)) / 10


def in_percent(share: float) -> str:
    """A share in words, rounded up.

    >>> from treebounds.risk.words import in_percent
    >>> in_percent(0.1001)
    '10.1%'
    """
    return f"{percent_rounded_up(share):.1f}%"


def one_minus(delta: float) -> str:
    """The probability 1 - delta in words, rounded down: no larger one is certified.

    >>> from treebounds.risk.words import one_minus
    >>> one_minus(0.05), one_minus(0.05 / 7), one_minus(1e-6)
    ('0.95', '0.9928', '1 - 1e-06')
    """
    if delta < 1e-4:
        return f"1 - {delta}"
    return f"{math.floor(round(1e4 * (1 - delta), 6)) / 1e4:g}"


def rounded_up(value: float) -> str:
    """A number of at least 0 in words, with four digits, rounded up.

    >>> from treebounds.risk.words import rounded_up
    >>> rounded_up(7.43012), rounded_up(0.5), rounded_up(123456.7)
    ('7.431', '0.5', '123500')
    """
    if not 0 < value < math.inf:
        return f"{value:g}"
    number = Decimal(repr(value))
    step = Decimal(1).scaleb(number.adjusted() - 3)
    rounded = (number / step).to_integral_value(ROUND_CEILING) * step
    return f"{float(rounded):.10g}"


def in_full(value: float) -> str:
    """A number that was given, as it is.

    >>> from treebounds.risk.words import in_full
    >>> in_full(0.1), in_full(1 / 3), in_full(1e6)
    ('0.1', '0.3333333333333333', '1000000')
    """
    text = f"{value:.15g}"
    return text if float(text) == value else repr(float(value))


def number_in_words(value: float) -> str:
    """A number with six digits; with two decimals if it is larger than these show, and
    with all digits if it is so large that it has no decimals.

    >>> from treebounds.risk.words import number_in_words
    >>> number_in_words(1234567.8), number_in_words(2 / 3), number_in_words(12.0)
    ('1234567.8', '0.666667', '12')
    >>> number_in_words(2.0**53)
    '9007199254740992'
    """
    if abs(value) >= 1e15:
        return repr(float(value)).removesuffix(".0")
    if abs(value) < 1e5:
        return f"{value:.6g}"
    return f"{value:.2f}".rstrip("0").rstrip(".")


def number_of(n: int, singular: str, plural: str | None = None) -> str:
    """A number with its noun; the plural ends in s if it is not given.

    >>> from treebounds.risk.words import number_of
    >>> number_of(1, "leaf", "leaves"), number_of(2, "leaf", "leaves")
    ('1 leaf', '2 leaves')
    >>> number_of(0, "example")
    '0 examples'
    """
    if n == 1:
        return f"1 {singular}"
    return f"{n} {plural or f'{singular}s'}"


def plain_scalar(value: Any) -> Any:
    """A scalar of NumPy as one of Python.

    >>> import numpy as np
    >>> from treebounds.risk.words import plain_scalar
    >>> plain_scalar(np.int64(3)), plain_scalar("a")
    (3, 'a')
    """
    return value.item() if isinstance(value, np.generic) else value


def plain_word(value: Any) -> Any:
    """A label that ``json.dumps`` accepts: a number, or a word.

    >>> from treebounds.risk.words import plain_word
    >>> plain_word(3), plain_word((1, 2))
    (3, '(1, 2)')
    """
    value = plain_scalar(value)
    return value if isinstance(value, str | int | float | None) else str(value)
