"""Compilation by numba, if it is installed; it pays for large inputs only, as importing it takes time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any

# Steps of a loop that take longer than reading its compiled form, and longer than the import of numba, too.
_LONG, _LONGER_THAN_IMPORT = 20_000, 400_000


def compiled(function: Callable[..., Any], n_steps: int) -> Callable[..., Any]:
    """The function compiled by numba, or itself where that is faster in all or numba is not installed."""
    long = _LONG if "numba" in sys.modules else _LONGER_THAN_IMPORT
    return _by_numba(function) if n_steps > long else function


@cache
def _by_numba(function: Callable[..., Any]) -> Callable[..., Any]:
    try:
        from numba import njit
    except ImportError:
        return function
    return njit(cache=True)(function)
