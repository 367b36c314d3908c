"""A walk through all that a learner consists of: which of its parts are fitted, and
which are code that no library defines.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, islice
from operator import methodcaller
from types import (
    BuiltinMethodType,
    CellType,
    CodeType,
    FunctionType,
    MethodType,
    MethodWrapperType,
)
from typing import Any

import numpy as np
from scipy import special
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

# Classes of these hold no models of the caller's but in parameters.
_LIBRARIES = frozenset(
    {
        # numba's type of compiled functions, which does not name its package.
        "_dispatcher",
        "catboost",
        "imblearn",
        "lightgbm",
        "numpy",
        "pandas",
        "scipy",
        "sklearn",
        "treebounds",
        "xgboost",
    }
)
# Where objects of libraries keep the function that they call: compiled ones, those that
# remember their results, functions of single numbers, and measures of a search.
_FUNCTIONS_HELD = ("__wrapped__", "py_func", "pyfunc", "_score_func")

# Entries of a container that are searched for models.
_MOST_ENTRIES = 1000


def own_code(learner: Any) -> list[str]:
    """The names of the classes and functions of a learner that no library defines.

    Nobody can check what these read: variables that keep the rows of earlier fits, or a
    file with a model that was made from all rows.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.models.learner_parts import own_code
    >>> own_code(DecisionTreeClassifier())
    []

    Parameters
    ----------
    learner : estimator

    Returns
    -------
    list of str
    """
    code = map(_code_of, _reached(clone(learner, safe=False), _values_of_libraries))
    return sorted({each.__name__ for each in code if not is_of_a_library(each)})


def fitted_parts(learner: Any) -> list[Any]:
    """The fitted models that a clone of a learner would still contain.

    ``sklearn.base.clone`` makes a learner and all learners among its parameters
    unfitted, but keeps a :class:`sklearn.frozen.FrozenEstimator`, and functions whose
    objects are fitted. What predicts but has no ``fit``, such as an :class:`ArrayTree`
    or a booster of LightGBM, is fitted already.

    >>> from sklearn.ensemble import VotingClassifier
    >>> from sklearn.frozen import FrozenEstimator
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.models.learner_parts import fitted_parts
    >>> tree = DecisionTreeClassifier().fit([[0], [1]], [0, 1])
    >>> fitted_parts(VotingClassifier([("tree", tree)]))
    []
    >>> fitted_parts(VotingClassifier([("tree", FrozenEstimator(tree))]))
    [DecisionTreeClassifier()]

    Parameters
    ----------
    learner : estimator

    Returns
    -------
    list of fitted estimators
    """
    values = _reached(clone(learner), _values_inside)
    return [value for value in values if has_learned(value)]


def has_learned(value: Any) -> bool:
    """Whether something is a fitted model: what predicts and cannot be fitted is."""
    if hasattr(type(value), "fit"):
        return _is_fitted(value)
    return hasattr(type(value), "predict")


def says_it_is_fitted(learner: Any) -> bool:
    """Whether a learner is fitted; of those that predict without, such as Gaussian
    processes, this is not known, and a clone is new in any case.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.models.learner_parts import says_it_is_fitted
    >>> says_it_is_fitted(DecisionTreeClassifier())
    False
    """
    last = learner
    while isinstance(last, Pipeline):
        last = last[-1]
    if not isinstance(last, FrozenEstimator) and not get_tags(last).requires_fit:
        return False
    try:
        check_is_fitted(learner)
    except NotFittedError:
        return False
    return True


def _reached(start: Any, inside: Callable[[Any], list[Any]]) -> Iterator[Any]:
    """A value, what is inside it, what is inside that, and so on; each of them once."""
    waiting = [start]
    ids: set[int] = set()
    # An id is taken again after its object is gone, so they are all kept.
    values: list[Any] = []
    while waiting:
        value = waiting.pop()
        if id(value) in ids:
            continue
        ids.add(id(value))
        values.append(value)
        yield value
        waiting.extend(inside(value))


def _code_of(value: Any) -> Any:
    """A function or a class itself; the class of anything else."""
    is_code = isinstance(value, FunctionType | type | np.ufunc)
    return value if is_code else type(value)


def _values_of_libraries(value: Any) -> list[Any]:
    """What is inside an object whose class a library defines; nothing of a function."""
    if isinstance(value, FunctionType) or not is_of_a_library(_code_of(value)):
        return []
    return _values_inside(value)


def _values_inside(value: Any) -> list[Any]:
    """What a parameter consists of: parameters of an estimator, entries of a container,
    what a function holds, and all that an object of the caller's own class has.
    """
    if isinstance(value, FrozenEstimator):
        return [value.estimator]
    if isinstance(value, dict):
        return list(islice(value.values(), _MOST_ENTRIES))
    if isinstance(value, list | tuple | set):
        return list(islice(value, _MOST_ENTRIES))
    if isinstance(value, partial):
        return [value.func, *value.args, *value.keywords.values()]
    if isinstance(value, MethodType):
        return [value.__self__, value.__func__]
    if isinstance(value, BuiltinMethodType | MethodWrapperType):
        return [value.__self__]
    if isinstance(value, methodcaller):
        return list(value.__reduce__())
    if isinstance(value, FunctionType):
        return _values_of_function(value)
    if isinstance(value, type):
        return []
    # Asked of the class, because some objects have every attribute that one asks for.
    has_params = hasattr(type(value), "get_params")
    params = value.get_params(deep=False) if has_params else {}
    return [*params.values(), *_values_of_own_classes(value)]


def _values_of_function(function: FunctionType) -> list[Any]:
    """What a function holds: enclosed variables, global ones that it uses, and defaults
    of its arguments; nothing of a function that a library defines.
    """
    if is_of_a_library(function):
        return []
    variables = function.__globals__
    names = _names_in(function.__code__)
    globals_used = [variables[name] for name in names if name in variables]
    return [*globals_used, *held_by(function)]


def held_by(function: Any) -> list[Any]:
    """The enclosed variables of a function, and the defaults of its arguments.

    >>> from treebounds.risk.models.learner_parts import held_by
    >>> held_by(lambda rows, factor=2, *, power=3: factor * rows**power)
    [2, 3]

    Parameters
    ----------
    function : function, method, or one that numba compiled

    Returns
    -------
    list
    """
    cells = getattr(function, "__closure__", None) or ()
    # A cell is empty until the name that it holds is bound.
    enclosed = [cell.cell_contents for cell in cells if cell != CellType()]
    defaults = getattr(function, "__defaults__", None) or ()
    of_keywords = getattr(function, "__kwdefaults__", None) or {}
    return [*enclosed, *defaults, *of_keywords.values()]


def _names_in(code: CodeType) -> list[str]:
    """The names that a function uses, also inside its comprehensions and the functions
    that it defines, whose code Python keeps among the constants.
    """
    inside = [each for each in code.co_consts if isinstance(each, CodeType)]
    return [*code.co_names, *chain.from_iterable(map(_names_in, inside))]


def _values_of_own_classes(value: Any) -> list[Any]:
    """Methods, and other attributes, of an object whose class no library defines: they
    may hold a model of the caller's.
    """
    kinds = type(value).__mro__
    own = [kind for kind in kinds if not is_of_a_library(kind)]
    if not own:
        attributes = getattr(value, "__dict__", {})
        return [attributes[name] for name in _FUNCTIONS_HELD if name in attributes]
    of_classes = chain.from_iterable(vars(kind).values() for kind in own)
    values = [*of_classes, *getattr(value, "__dict__", {}).values()]
    functions = [getattr(entry, "__func__", None) for entry in values]
    return [*values, *functions, *(getattr(entry, "fget", None) for entry in values)]


def is_of_a_library(code: Any) -> bool:
    """Whether a class or a function comes with Python, is installed, or belongs to a
    library of learners.
    """
    if isinstance(code, np.ufunc):
        # Those of np.frompyfunc call a function that they do not show.
        return any(getattr(at, code.__name__, None) is code for at in (np, special))
    name = code.__module__ or ""
    top = name.partition(".")[0]
    if top in _LIBRARIES or top in sys.stdlib_module_names:
        return True
    file = getattr(sys.modules.get(name), "__file__", None) or ""
    return "site-packages" in file or "dist-packages" in file


def _is_fitted(estimator: Any) -> bool:
    """Whether an estimator has learned something from rows."""
    # What is frozen inside has, and is searched by itself.
    if isinstance(estimator, FrozenEstimator):
        return False
    try:
        return says_it_is_fitted(estimator)
    except (AttributeError, TypeError):
        return False
