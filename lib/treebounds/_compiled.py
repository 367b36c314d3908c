"""numba where it is installed: `njit` compiles a function there and leaves it as it is elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

try:
    from numba import njit
except ImportError:

    def njit(  # type: ignore[no-redef]
        *functions: Callable[..., Any], **options: Any
    ) -> Any:
        """The function itself, which Python runs."""
        return functions[0] if functions else lambda function: function


__all__ = ["njit"]
