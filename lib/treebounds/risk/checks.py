"""Checks of arguments that several certificates have."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

from treebounds._validation import check_integer, check_number


def check_delta(delta: float) -> float:
    """Return delta, the probability with which a bound may fail, or raise a ValueError
    outside (0, 1); warn a user whose delta is above 1/2, where confidence is often
    meant.

    >>> from treebounds.risk.checks import check_delta
    >>> check_delta(1.0)
    Traceback (most recent call last):
    treebounds._validation.InvalidParameterError: delta must be a number in (0, 1); ...

    Parameters
    ----------
    delta : float

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If delta is not strictly between 0 and 1.

    Warns
    -----
    UserWarning
        If delta is above 1/2 and a user gave it, not this library.
    """
    value = check_number(delta, "delta", "(0, 1)")
    if value > 0.5 and not _is_called_by_library(sys._getframe(1)):
        warnings.warn(
            "delta is the probability that the statement fails, so that it holds with"
            f" probability {1 - value:g} only; delta=0.05 is usual",
            UserWarning,
            stacklevel=3,
        )
    return value


def _is_called_by_library(frame: FrameType) -> bool:
    """Whether a function was called by another one of this library, which has checked
    the same delta before.
    """
    caller = frame.f_back
    name = "" if caller is None else caller.f_globals.get("__name__", "")
    return bool(name.startswith("treebounds."))


def check_n_classes(n_classes: int | None, n_known: int) -> int:
    """The number of classes of a problem: those of the sample if it is not given, and
    no fewer.

    >>> from treebounds.risk.checks import check_n_classes
    >>> check_n_classes(None, 3), check_n_classes(4, 3)
    (3, 4)
    """
    if n_classes is None:
        return n_known
    return check_integer(n_classes, "n_classes", n_known)


def check_errors(n_errors: int, n_examples: int) -> int:
    """Return a number of errors as an int, or raise a ValueError unless it is between 0
    and ``n_examples``.

    >>> from treebounds.risk.checks import check_errors
    >>> check_errors(11, 10)
    Traceback (most recent call last):
    ValueError: n_errors must be at most n_examples = 10; got 11

    Parameters
    ----------
    n_errors, n_examples : int

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If ``n_errors`` is not an integer between 0 and ``n_examples``.
    """
    k = check_integer(n_errors, "n_errors", minimum=0)
    if k > n_examples:
        raise ValueError(f"n_errors must be at most n_examples = {n_examples}; got {k}")
    return k
