"""numba where it is installed: large inputs are worth the time that it takes to import and to compile."""

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
