"""Compilation by numba, whose results are kept on disk where that is possible."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numba


def njit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """numba's ``njit`` with ``cache=True``, or without it if no folder can be written.

    Examples
    --------
    >>> from reproduction.compiling import njit
    >>> @njit
    ... def doubled(x):
    ...     return 2 * x
    >>> doubled(4)
    8
    """
    if function is None:
        return partial(njit, **options)

    try:
        return numba.njit(cache=True, **options)(function)
    # Neither the folder of the module nor that of the user can be written.
    except RuntimeError:
        return numba.njit(**options)(function)
