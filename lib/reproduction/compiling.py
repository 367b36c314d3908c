"""Compilation by numba, whose results are kept on disk where that is possible.

numba is imported when the first compiled function is called: half of the chapters call
none, and the import takes longer than many of their cells.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cached_property, partial, update_wrapper
from typing import Any


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
    return Compiled(function, options)


def load() -> None:
    """Import numba now, so that its import does not count in a time that is measured.

    >>> from reproduction.compiling import load
    >>> load()
    """
    importlib.import_module("numba")


class Compiled:
    """A function that is compiled when it is called, also by another such function."""

    __wrapped__: Callable[..., Any]

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self._options = options

    def __call__(self, *arguments: Any) -> Any:
        return self.by_numba(*arguments)

    def __reduce__(self) -> str:
        """Its name, by which another process finds it."""
        return self.__wrapped__.__qualname__

    @cached_property
    def by_numba(self) -> Any:
        """What numba makes of the function."""
        import numba
        from numba.extending import typeof_impl

        typeof_impl.register(Compiled, _type_of)
        try:
            return numba.njit(cache=True, **self._options)(self.__wrapped__)
        # Neither the folder of the module nor that of the user can be written.
        except RuntimeError:
            return numba.njit(**self._options)(self.__wrapped__)


def _type_of(function: Compiled, context: Any) -> Any:
    """The type by which numba knows a function that another one calls."""
    from numba.extending import typeof_impl

    return typeof_impl(function.by_numba, context)
