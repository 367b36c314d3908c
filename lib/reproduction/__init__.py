"""The book's own package besides the library: experiments, data sets, the ledger of
claims, figures; and bounds and estimators that only a document or the book needs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reproduction.description_length import code_length, description_length_bound
    from reproduction.distilled import DistilledTreeClassifier
    from reproduction.vc_srm import vc_srm_bound

__all__ = [
    "DistilledTreeClassifier",
    "code_length",
    "description_length_bound",
    "vc_srm_bound",
]

_MODULES = {
    "DistilledTreeClassifier": "distilled",
    "code_length": "description_length",
    "description_length_bound": "description_length",
    "vc_srm_bound": "vc_srm",
}


def __getattr__(name: str) -> Any:
    """A name of ``__all__``, whose module is imported when somebody asks for it.

    What builds the book needs the ledger alone, and starts without scikit-learn.
    """
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    """The names, also those whose modules are not imported yet, for the reference."""
    return sorted({*globals(), *__all__})
