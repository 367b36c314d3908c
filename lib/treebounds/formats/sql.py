"""A tree as SQL: one CASE expression that predicts as the tree does."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import numpy as np

from treebounds._validation import check_flag, shown
from treebounds.formats._conditions import (
    Condition,
    conditions_of_leaves,
    feature_names_of,
    known_codes,
    last_below,
)
from treebounds.formats.scikit_learn import as_array_tree
from treebounds.formats.text import prediction_of
from treebounds.trees.array_tree import ArrayTree

__all__ = ["to_sql"]


def to_sql(
    tree: Any,
    table: str | Sequence[str] | None = None,
    *,
    columns: Sequence[str] | None = None,
    nan: bool = True,
) -> str:
    """A tree as one CASE expression, or as a query over a table.

    Each leaf is one WHEN with a condition for each feature that its path tests, so the
    expression is flat, however deep the tree. Tried on SQLite and DuckDB; nothing in it
    is beyond standard SQL.

    >>> from treebounds import ArrayTree
    >>> from treebounds.formats import to_sql
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, -2, -2],
    ...     threshold=[42, -2, -2],
    ...     class_counts=[[5, 4], [5, 0], [0, 4]],
    ...     n_features=1,
    ...     feature_names=["age"],
    ...     classes=["no", "yes"],
    ... )
    >>> print(to_sql(tree, "customers", nan=False))
    SELECT *, CASE
      WHEN "age" <= 42e0 THEN 'no'
      WHEN "age" > 42e0 THEN 'yes'
    END AS prediction
    FROM "customers"

    Parameters
    ----------
    tree : ArrayTree, DecisionTreeClassifier or DecisionTreeRegressor
        A scikit-learn tree is fitted.
    table : str or sequence of str, optional
        A table, or the parts of its name (schema, table): the result is then a query
        for all its columns and one called ``prediction``.
    columns : sequence of str, optional
        The column of each feature; ``tree.feature_names`` when not given, or feature_0,
        feature_1, ... if the tree has none. The table needs all of them that the tree
        tests, also those that a pipeline made.
    nan : bool
        Whether columns may hold NaN beside NULL, as in DuckDB and PostgreSQL. False
        makes the expression shorter for databases without NaN, such as SQLite.

    Returns
    -------
    str
        NULL and NaN go where the tree sends missing values; if it has no direction for
        them, the result is NULL. A feature with ``category_names`` is compared by these
        names; one that is not among them counts as missing. Other categories are whole
        numbers, and numbers are finite.

    Raises
    ------
    ValueError
        If ``tree`` is not such a tree, ``columns`` are not one for each feature,
        ``nan`` is not True or False, or a class or a category is a duration or bytes.
    """
    check_flag(nan, "nan")
    tree = as_array_tree(tree)
    if columns is None:
        columns = feature_names_of(tree)
    if isinstance(columns, str) or len(columns) != tree.n_features:
        raise ValueError(
            f"columns must be {tree.n_features} names, one for each feature; got"
            f" {len(columns)}"
        )
    expression = _case(tree, [_identifier(column) for column in columns], nan)
    if table is None:
        return expression
    parts = [table] if isinstance(table, str) else table
    name = ".".join(map(_identifier, parts))
    return f"SELECT *, {expression} AS prediction\nFROM {name}"


def _case(tree: ArrayTree, columns: Sequence[str], nan: bool) -> str:
    """The CASE expression of a tree."""
    if tree.is_leaf[0]:
        return _literal(prediction_of(tree, 0))
    lines = ["CASE"]
    for node, conditions in conditions_of_leaves(tree):
        tests = [
            _test(tree, condition, columns[condition.feature], nan)
            for condition in conditions
        ]
        result = _literal(prediction_of(tree, node))
        test = " AND ".join(tests) or "1 = 1"
        lines.append(f"  WHEN {test} THEN {result}")
    return "\n".join([*lines, "END"])


def _test(tree: ArrayTree, condition: Condition, column: str, nan: bool) -> str:
    """A condition as an expression that is true where it holds."""
    names = (tree.category_names or {}).get(condition.feature)
    if names is not None:
        return _test_of_names(condition, column, names)

    # DuckDB and PostgreSQL take NaN for a number above all others.
    value = column
    if nan:
        value = f"NULLIF(CAST({column} AS DOUBLE PRECISION), 'NaN')"
    if not condition.allows_numbers:
        return f"{value} IS NULL" if condition.missing else "1 = 0"
    if condition.is_open:
        return f"{value} IS NOT NULL"
    test = " AND ".join(_comparisons(tree, condition, value))
    if condition.missing:
        return f"({value} IS NULL OR ({test}))"
    return test


def _comparisons(tree: ArrayTree, condition: Condition, value: str) -> list[str]:
    """What a number has to fulfil."""
    parts = []
    if condition.above > -np.inf:
        parts.append(f"{value} > {_limit(condition.above, tree.input_dtype)}")
    if condition.up_to < np.inf:
        parts.append(f"{value} <= {_limit(condition.up_to, tree.input_dtype)}")
    if condition.among is not None:
        parts.append(f"{value} IN ({_list(condition.allowed())})")
    elif condition.not_among:
        parts.append(f"{value} NOT IN ({_list(sorted(condition.not_among))})")
    return parts


def _test_of_names(condition: Condition, column: str, names: Sequence[Any]) -> str:
    """A condition on a category, which the column holds by its name."""
    codes = known_codes(condition, len(names))
    passing = [names[code] for code in codes]
    failing = [name for code, name in enumerate(names) if code not in set(codes)]
    if not condition.missing and not passing:
        return "1 = 0"
    if not condition.missing:
        return f"{column} IN ({_list(passing)})"
    if not failing:
        return "1 = 1"
    return f"({column} IS NULL OR {column} NOT IN ({_list(failing)}))"


def _limit(limit: float, dtype: np.dtype[Any]) -> str:
    """A threshold for columns of 64 bits, which a tree may compare in 32 bits."""
    if dtype == np.float64:
        return _literal(float(limit))
    return _literal(last_rounded(limit))


def last_rounded(limit: float) -> float:
    """The largest number of 64 bits that is at most a limit after it is rounded to 32
    bits.

    >>> from treebounds.formats.sql import last_rounded
    >>> last_rounded(0.5) > 0.5, last_rounded(0.5) < 0.5 + 1e-7
    (True, True)
    """
    largest = np.float32(last_below(limit, np.dtype(np.float32)))
    infinity = np.float32(np.inf)
    if largest == infinity:
        return np.inf
    if np.isneginf(largest):
        # What is below the smallest number by half a step is rounded to minus infinity.
        above = -np.finfo(np.float32).max
        step = float(np.nextafter(above, infinity)) - float(above)
        return float(above) - step / 2

    above = np.nextafter(largest, infinity)
    if above == infinity:
        step = float(largest) - float(np.nextafter(largest, -infinity))
        middle = float(largest) + step / 2
    else:
        middle = (float(largest) + float(above)) / 2
    # A number in the middle of two is rounded to the even one.
    if float(np.float32(middle)) == float(largest):
        return middle
    return float(np.nextafter(middle, -np.inf))


def _literal(value: Any) -> str:
    """A value as a literal of SQL; dates are words there."""
    if isinstance(value, bytes | timedelta | np.timedelta64):
        raise ValueError(
            "classes and category_names must be words, numbers, dates or truth values"
            f" in SQL; got {shown(value)}. Give the tree words in place of them"
        )
    if isinstance(value, bool | np.bool_):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, float | np.floating):
        return _float_literal(float(value))
    text = str(value).replace("'", "''")
    return f"'{text}'"


def _float_literal(value: float) -> str:
    """A number of 64 bits; without an exponent, SQL would take it for a decimal."""
    if np.isnan(value):
        return "NULL"
    digits = repr(value).removesuffix(".0")
    if "e" in digits:
        return digits
    return f"{digits}e0"


def _list(values: Sequence[Any]) -> str:
    """Literals, separated by commas."""
    return ", ".join(map(_literal, values))


def _identifier(name: str) -> str:
    """A name in quotes, so that any character may be in it."""
    if not isinstance(name, str) or "\0" in name:
        raise ValueError(f"columns and table must be words; got {shown(name)}")
    quoted = name.replace('"', '""')
    return f'"{quoted}"'
