"""Checks of arguments that the whole library shares."""

from __future__ import annotations

import operator
from typing import Any


def check_integer(value: Any, name: str, minimum: int = 1) -> int:
    """The value as an int, or a ValueError that names the argument.

    >>> check_integer(3, "n_leaves")
    3
    >>> check_integer(0, "n_leaves")
    Traceback (most recent call last):
    ValueError: n_leaves must be an integer of at least 1; got 0
    """
    message = f"{name} must be an integer of at least {minimum}; got {value!r}"
    if isinstance(value, bool):
        raise ValueError(message)
    try:
        number = operator.index(value)
    except TypeError:
        raise ValueError(message) from None
    if number < minimum:
        raise ValueError(message)
    return number


def check_option(value: Any, name: str, options: tuple[str, ...]) -> str:
    """The value, or a ValueError that lists the options.

    >>> check_option("tihgt", "form", ("tight", "loose"))
    Traceback (most recent call last):
    ValueError: form must be one of 'tight', 'loose'; got 'tihgt'
    """
    if not (isinstance(value, str) and value in options):
        raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}; got {value!r}")
    return value
