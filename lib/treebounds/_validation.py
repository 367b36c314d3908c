"""Checks of arguments that the whole library shares."""

from __future__ import annotations

import importlib
import math
import operator
from datetime import date
from enum import Enum
from numbers import Number, Real
from reprlib import Repr
from types import ModuleType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Kind = TypeVar("_Kind")

# From here on several whole numbers become the same float of 64 bits.
_EXACT = 2**53

# An error prints no more entries of a list, and characters of a word, than these.
_FEW = 10
CHARACTERS = 80

# An error prints these as they are; their representations are short.
_SINGLE = (Number, np.generic, np.dtype, bytes, date, Enum, type(None))


class InvalidParameterError(ValueError, TypeError):
    """A parameter has a wrong type or value. It is a ValueError and a TypeError, as in
    scikit-learn.
    """


class _Shown(Repr):
    """Representations of numbers, words, and short lists of them; of anything else the
    name of its type. The representation of a model or a table may hold all of it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 3
        self.maxstring = self.maxother = self.maxlong = CHARACTERS
        self.maxlist = self.maxtuple = self.maxset = self.maxdict = _FEW

    def repr_ndarray(self, values: NDArray[Any], level: int) -> str:
        """A small array as a list, a larger one by its shape."""
        if values.size > _FEW:
            return f"an array of shape {values.shape}"
        return self.repr1(values.tolist(), level)

    def repr_instance(self, value: Any, level: int) -> str:
        """A single value as it is, anything else by its type."""
        if isinstance(value, type):
            return f"the class {value.__name__}"
        if isinstance(value, _SINGLE):
            return super().repr_instance(value, level)
        shape = getattr(value, "shape", None)
        if isinstance(shape, tuple):
            return f"{type(value).__name__} of shape {shape}"
        return type(value).__name__


def shown(value: Any) -> str:
    """A value as an error names it: numbers, words and short lists as they are,
    anything else by its type, so that no error prints a whole table or model.

    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds._validation import shown
    >>> shown(1.5), shown(["a", None]), shown(np.zeros((100, 3)))
    ('1.5', "['a', None]", 'an array of shape (100, 3)')
    >>> shown(DecisionTreeClassifier())
    'DecisionTreeClassifier'
    """
    return _Shown().repr(value)


def check_integer(value: Any, name: str, minimum: int = 1) -> int:
    """Return the value as an int, or raise a ValueError that names the argument.

    >>> from treebounds._validation import check_integer
    >>> check_integer(3, "n_leaves")
    3
    >>> check_integer(0, "n_leaves")
    Traceback (most recent call last):
    treebounds._validation.InvalidParameterError: n_leaves must be an integer of at ...
    """
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None or number < minimum:
        raise InvalidParameterError(
            f"{name} must be an integer of at least {minimum}; got {shown(value)}"
        )
    return number


def check_number(value: Any, name: str, interval: str) -> float:
    """Return the value as a float, or raise a ValueError that names the argument and
    its interval.

    >>> from treebounds._validation import check_number
    >>> check_number(1, "confidence", "(0, 1]")
    1.0
    >>> check_number(1, "delta", "(0, 1)")
    Traceback (most recent call last):
    treebounds._validation.InvalidParameterError: delta must be a number in (0, 1); ...
    """
    number = math.nan
    if isinstance(value, Real) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf

    if not _inside(number, interval):
        raise InvalidParameterError(
            f"{name} must be a number in {interval}; got {shown(value)}"
        )
    return number


def check_flag(value: Any, name: str) -> bool:
    """Return the value if it is True or False, or raise a ValueError that names the
    argument: a word such as "no" would count as True.

    >>> from treebounds._validation import check_flag
    >>> check_flag(True, "remember")
    True
    >>> check_flag("no", "remember")
    Traceback (most recent call last):
    treebounds._validation.InvalidParameterError: remember must be True or False; ...
    """
    if not isinstance(value, bool | np.bool_):
        raise InvalidParameterError(f"{name} must be True or False; got {shown(value)}")
    return bool(value)


def held_out_size(fraction: Any, n_examples: int) -> int:
    """The number of examples that a ``validation_fraction`` holds out, rounded up.

    It raises a ValueError if no example is left to grow a tree on.

    >>> from treebounds._validation import held_out_size
    >>> held_out_size(0.2, 11)
    3
    """
    share = check_number(fraction, "validation_fraction", "(0, 1)")
    size = math.ceil(share * n_examples)
    if size >= n_examples:
        raise ValueError(
            f"validation_fraction {fraction} leaves no row to grow on: n_samples ="
            f" {n_examples}; give more rows, or a smaller fraction"
        )
    return size


def check_numbers(values: ArrayLike, name: str, interval: str) -> NDArray[np.float64]:
    """Return a number or an array of numbers as an array of floats, or raise a
    ValueError.

    >>> from treebounds._validation import check_numbers
    >>> check_numbers([0, 12], "n_errors", "[0, 10]")
    Traceback (most recent call last):
    treebounds._validation.InvalidParameterError: n_errors must hold numbers in [0, ...
    """
    try:
        array = np.asarray(values)
    except ValueError:
        # The rows have different lengths.
        array = np.array(None)
    is_number = array.dtype.kind in "iuf"
    if is_number and _inside(array, interval).all():
        return array.astype(float)

    description = shown(values)
    if is_number and array.size > _FEW:
        first = int(np.flatnonzero(~_inside(array, interval))[0])
        description = f"{array.flat[first]} at position {first}"
    elif array.size > _FEW:
        description = f"an array of {array.dtype}"
    raise InvalidParameterError(
        f"{name} must hold numbers in {interval}; got {description}"
    )


# NaN, when it is converted to an integer, ends in the error below.
@np.errstate(invalid="ignore")
def check_array(values: Any, name: str, dtype: Any) -> NDArray[Any]:
    """Convert to an array of a numeric type; raise a ValueError for other values or if
    they would change.

    >>> from treebounds._validation import check_array
    >>> check_array([0, 1.5], "feature", int)
    Traceback (most recent call last):
    treebounds._validation.InvalidParameterError: feature must hold values of type ...
    """
    try:
        original = np.asarray(values)
        array = np.asarray(original, dtype=dtype, order="C")
    except (TypeError, ValueError, OverflowError):
        raise InvalidParameterError(
            f"{name} must be an array of numbers; got {shown(values)}"
        ) from None

    # A conversion to floats may round; one to integers must not.
    may_change = array is not original and array.dtype.kind != "f"
    is_changed = may_change and not np.array_equal(array, original)
    if original.dtype.kind not in "biuf" or is_changed:
        raise InvalidParameterError(
            f"{name} must hold values of type {np.dtype(dtype)}; got {original.dtype}"
        )
    return array


def place_of_tree(model: Any) -> str:
    """Where a model of scikit-learn keeps the one that predicts, for the errors of
    functions that take a single tree; empty if it keeps none, or several.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds._validation import place_of_tree
    >>> place_of_tree(make_pipeline(DecisionTreeClassifier()))
    'pipeline[-1]'
    """
    if hasattr(model, "steps"):
        return "pipeline[-1]"
    # An ensemble with an estimator_ keeps the pattern of its members there.
    if hasattr(model, "estimators_"):
        return ""
    places = {
        "best_estimator_": "best_estimator_",
        "estimator_": "estimator_",
        # A TransformedTargetRegressor predicts other numbers than its tree.
        "regressor_": "regressor_, which predicts transformed numbers",
    }
    return next((words for name, words in places.items() if hasattr(model, name)), "")


def name_of_type(value: Any) -> str:
    """The name of the type of an argument, or of the argument if it is a type itself.

    >>> from treebounds._validation import name_of_type
    >>> name_of_type([1]), name_of_type(list)
    ('list', 'list')
    """
    kind = value if isinstance(value, type) else type(value)
    return kind.__name__


def check_instance(value: Any, name: str, kind: type[_Kind]) -> _Kind:
    """Return the value, or raise a ValueError unless it is an instance of a class.

    >>> from treebounds._validation import check_instance
    >>> check_instance(None, "tree", dict)
    Traceback (most recent call last):
    treebounds._validation.InvalidParameterError: tree must be a dict; got NoneType
    """
    if not isinstance(value, kind):
        raise InvalidParameterError(
            f"{name} must be a {kind.__name__}; got {type(value).__name__}"
        )
    return value


def _inside(number: Any, interval: str) -> Any:
    """Whether a number, or each number of an array, lies in an interval; NaN lies in
    none.
    """
    low, high = map(float, interval[1:-1].split(","))
    above = number > low if interval[0] == "(" else number >= low
    below = number < high if interval[-1] == ")" else number <= high
    return above & below


def check_option(value: Any, name: str, options: tuple[str, ...]) -> str:
    """Return the value, or raise a ValueError that lists the options.

    >>> from treebounds._validation import check_option
    >>> check_option("tihgt", "form", ("tight", "loose"))
    Traceback (most recent call last):
    treebounds._validation.InvalidParameterError: form must be one of 'tight', ...
    """
    if not (isinstance(value, str) and value in options):
        raise InvalidParameterError(
            f"{name} must be one of {', '.join(map(repr, options))}; got {shown(value)}"
        )
    return value


def is_missing(values: Any) -> NDArray[np.bool_]:
    """A mask of the entries that are None, NaN, NaT or pandas' NA; pandas itself is not
    needed.

    >>> import numpy as np
    >>> from treebounds._validation import is_missing
    >>> is_missing(np.array(["a", None, float("nan")], dtype=object)).tolist()
    [False, True, True]
    """
    array = np.asarray(values)
    if array.dtype.kind != "O":
        # Only NaN and NaT differ from themselves.
        return np.asarray(array != array)

    mask = [_is_missing(value) for value in array.ravel()]
    return np.array(mask, dtype=bool).reshape(array.shape)


def _is_missing(value: Any) -> bool:
    """Whether an object is None, NaN, NaT or pandas' NA."""
    if value is None or type(value).__name__ == "NAType":
        return True
    return bool(np.any(value != value))


def as_floats(values: Any, name: str = "y") -> NDArray[np.float64]:
    """Numbers as floats of 64 bits; NaN for None. Raise a ValueError if they are no
    real numbers, or have more digits than such a float.

    >>> import numpy as np
    >>> from treebounds._validation import as_floats
    >>> as_floats(np.array([1, 2]))
    array([1., 2.])
    >>> as_floats(np.array([2**53]))
    Traceback (most recent call last):
    ValueError: y holds whole numbers beyond 2**53, of which several become the same ...
    """
    array = np.asarray(values)
    if array.dtype.kind == "O" and not is_missing(array).any():
        # Objects get the type that they share; without one they stay objects.
        array = np.array(array.tolist())
    if array.dtype.kind == "c":
        raise ValueError(f"{name} must hold real numbers. Complex data not supported")
    if array.dtype.kind in "mM":
        raise ValueError(
            f"{name} must hold numbers; give times as numbers, for example as days"
            " since a fixed date"
        )

    floats = _converted(array, name)
    is_large = np.isfinite(floats) & (np.abs(floats) >= _EXACT)
    if array.dtype.kind in "iuO" and is_large.any():
        raise ValueError(
            f"{name} holds whole numbers beyond 2**53, of which several become the same"
            " float; subtract a number from them, and from all that they are compared"
            " with"
        )
    if array.dtype.kind == "f" and (np.isfinite(array) & (floats != array)).any():
        raise ValueError(
            f"{name} holds numbers with more digits than a float of 64 bits; round them"
        )
    return floats


def _converted(array: NDArray[Any], name: str) -> NDArray[np.float64]:
    """An array as floats, or a ValueError if it does not hold numbers."""
    try:
        if array.dtype.kind in "biufO":
            return np.asarray(array, dtype=float)
    except (OverflowError, TypeError, ValueError):
        # These objects are no numbers that a float can hold.
        pass
    raise ValueError(f"{name} must hold finite numbers, one for each example")


def with_rows(X: Any) -> Any:
    """X as something that has a shape, or a ValueError if it has no rows.

    >>> from treebounds._validation import with_rows
    >>> with_rows(["a text", "another"]).shape
    (2,)
    >>> with_rows(None)
    Traceback (most recent call last):
    ValueError: X must have a row for each example; got NoneType
    """
    rows = X if hasattr(X, "shape") else np.asarray(X)
    if not rows.shape:
        raise ValueError(f"X must have a row for each example; got {type(X).__name__}")
    return rows


def check_given_together(X: Any, y: Any, sample_weight: Any) -> None:
    """Raise a ValueError if only a part of an optional sample is given.

    >>> from treebounds._validation import check_given_together
    >>> check_given_together([[1.0]], None, None)
    Traceback (most recent call last):
    ValueError: X and y must be given together; sample_weight needs both of them
    """
    is_whole = X is not None and y is not None
    is_missing = X is None and y is None and sample_weight is None
    if not is_whole and not is_missing:
        raise ValueError(
            "X and y must be given together; sample_weight needs both of them"
        )


def require(module: str, extra: str) -> ModuleType:
    """Return a module that an extra of the package installs, or raise an ImportError
    that names the extra.

    >>> from treebounds._validation import require
    >>> require("no_such_module", "plot")
    Traceback (most recent call last):
    ImportError: no_such_module is not installed; pip install "treebounds[plot]" brings
    it
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        message = (
            f'{package} is not installed; pip install "treebounds[{extra}]" brings it'
        )
        raise ImportError(message, name=package) from error
