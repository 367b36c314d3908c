"""Compilation by numba, if it is installed; it pays for large inputs only, as importing it takes time."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any


@cache
def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function compiled by numba, or itself where numba is not installed."""
    try:
        from numba import njit
    except ImportError:
        return function
    return njit(cache=True)(function)
