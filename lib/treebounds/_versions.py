"""Pickles know the versions that wrote them, and another version warns."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any

import sklearn
from sklearn.exceptions import InconsistentVersionWarning

from treebounds.exceptions import OtherVersionWarning

_OURS = "_treebounds_version"
_THEIRS = "_sklearn_version"


def library_version() -> str:
    """``treebounds.__version__``, which stands above all floors."""
    return str(sys.modules["treebounds"].__version__)


def warn_of_other_version(kind: str, version: str | None, stacklevel: int) -> None:
    """Warn if a pickle is not from this version of the library.

    Parameters
    ----------
    kind : str
        The class of the object.
    version : str or None
        The version that wrote the pickle; None if it is not known.
    stacklevel : int
        As in ``warnings.warn``, counted from the caller.
    """
    current = library_version()
    if version != current:
        by = "an unknown version" if version is None else f"version {version}"
        warnings.warn(
            f"{kind} was pickled by {by} of treebounds, and version {current} reads it,"
            " perhaps wrongly: make it again, or read it with the version that wrote"
            " it. Trees that should outlive a version are kept by"
            " treebounds.formats.to_json",
            OtherVersionWarning,
            stacklevel=stacklevel + 1,
        )


class Versioned:
    """Pickles the versions of this library and of scikit-learn beside the attributes.

    scikit-learn does so for its own classes only.
    """

    def __getstate__(self) -> dict[str, Any]:
        versions = {_OURS: library_version(), _THEIRS: sklearn.__version__}
        return {**vars(self), **versions}

    def __setstate__(self, state: dict[str, Any]) -> None:
        attributes = dict(state)
        kind = type(self).__name__
        warn_of_other_version(kind, attributes.pop(_OURS, None), stacklevel=2)

        theirs = attributes.pop(_THEIRS, None)
        if theirs is not None and theirs != sklearn.__version__:
            warnings.warn(
                InconsistentVersionWarning(
                    estimator_name=kind,
                    current_sklearn_version=sklearn.__version__,
                    original_sklearn_version=theirs,
                ),
                stacklevel=2,
            )
        vars(self).update(attributes)


def unpickled(make: Callable[..., Any], version: str, arguments: dict[str, Any]) -> Any:
    """An object that pickles as the arguments of its class.

    Parameters
    ----------
    make : class
    version : str
        The version of the library that wrote the pickle.
    arguments : dict

    Returns
    -------
    object
    """
    warn_of_other_version(make.__name__, version, stacklevel=2)
    return make(**arguments)
