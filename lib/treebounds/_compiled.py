"""Compilation by numba if it is installed, for large inputs only, since the import of
numba takes time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any

# Numbers of steps of a loop for which compiled code is faster in total: if only the
# compiled code has to be loaded, and if numba has to be imported before.
_LONG = 20_000
_LONGER_THAN_IMPORT = 400_000


def compiled(function: Callable[..., Any], n_steps: int) -> Callable[..., Any]:
    """The function compiled by numba, or the function itself if that is faster or numba
    is not installed.
    """
    long = _LONG if "numba" in sys.modules else _LONGER_THAN_IMPORT
    return _by_numba(function) if n_steps > long else function


@cache
def _by_numba(function: Callable[..., Any]) -> Callable[..., Any]:
    try:
        from numba import njit
    except ImportError:
        return function

    try:
        return njit(cache=True)(function)
    # Neither the folder of the module nor that of the user can be written.
    except RuntimeError:
        return njit(function)
