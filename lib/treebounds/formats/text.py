"""A tree in words: rules with the names of features, classes and categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treebounds._validation import check_flag, check_integer
from treebounds.formats._conditions import (
    Condition,
    condition_of_split,
    conditions_of,
    feature_names_of,
    known_codes,
    shortest_limit,
)
from treebounds.formats.scikit_learn import as_array_tree
from treebounds.trees.array_tree import ArrayTree

__all__ = ["prediction_of", "rule_of", "to_text"]


def rule_of(
    tree: Any, node: int, *, missing: bool = True, digits: int | None = None
) -> str:
    """The words of the path to a node, with one condition for each feature.

    >>> from treebounds import ArrayTree
    >>> from treebounds.formats import rule_of
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, 3, -1, -1],
    ...     children_right=[2, -1, 4, -1, -1],
    ...     feature=[0, -2, 1, -2, -2],
    ...     threshold=[42, -2, 10000, -2, -2],
    ...     class_counts=[[8, 4], [5, 0], [3, 4], [3, 0], [0, 4]],
    ...     n_features=2,
    ...     feature_names=["age", "income"],
    ... )
    >>> rule_of(tree, 4)
    'age > 42 and income > 10,000'

    Parameters
    ----------
    tree : ArrayTree, DecisionTreeClassifier or DecisionTreeRegressor
        A scikit-learn tree is fitted.
    node : int
        A leaf, or any other node.
    missing : bool
        Whether to say where missing values pass. False makes rules shorter for data
        without missing values.
    digits : int, optional
        The significant digits to which thresholds are rounded; when not given, they are
        the shortest decimals that separate the same values.

    Returns
    -------
    str
        The root's rule is "always".

    Raises
    ------
    ValueError
        If ``tree`` is not such a tree, ``node`` is not one of its nodes, or ``missing``
        is not True or False.
    """
    tree = as_array_tree(tree)
    style = _Style(tree, check_flag(missing, "missing"), check_digits(digits))
    words = [_words(style, condition) for condition in conditions_of(tree, node)]
    return " and ".join(filter(None, words)) or "always"


def to_text(tree: Any, *, missing: bool = True, digits: int | None = None) -> str:
    """A tree as indented rules, with the prediction and the counts of each leaf.

    >>> from treebounds import ArrayTree
    >>> from treebounds.formats import to_text
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, 3, -1, -1],
    ...     children_right=[2, -1, 4, -1, -1],
    ...     feature=[0, -2, 1, -2, -2],
    ...     threshold=[42, -2, 10000, -2, -2],
    ...     class_counts=[[8, 4], [5, 0], [3, 4], [3, 1], [0, 3]],
    ...     n_features=2,
    ...     feature_names=["age", "income"],
    ...     classes=["no", "yes"],
    ... )
    >>> print(to_text(tree))
    age <= 42: no (5 of 5; node 1)
    age > 42
      income <= 10,000: no (3 of 4; node 3)
      income > 10,000: yes (3 of 3; node 4)

    Parameters
    ----------
    tree : ArrayTree, DecisionTreeClassifier or DecisionTreeRegressor
        A scikit-learn tree is fitted. One at the end of a pipeline does not know what
        the steps before it call its columns: give ``from_sklearn(pipeline[-1])`` with
        ``pipeline[:-1].get_feature_names_out()`` as its ``feature_names``, by
        ``dataclasses.replace``.
    missing : bool
        Whether to say where missing values pass.
    digits : int, optional
        The significant digits of thresholds; see :func:`rule_of`. Predicted numbers
        always have up to six.

    Returns
    -------
    str
        One line for each node but the root. A leaf of classes has its label, the number
        of its examples with this label and of all its examples; a leaf of numbers the
        mean and the number of examples. Nodes are numbered as in the tree.

    Raises
    ------
    ValueError
        If ``tree`` is not such a tree, or ``missing`` is not True or False.
    """
    tree = as_array_tree(tree)
    style = _Style(tree, check_flag(missing, "missing"), check_digits(digits))
    if tree.is_leaf[0]:
        return f"always: {_leaf(tree, 0)}"
    lines = []
    for node in tree.preorder[1:].tolist():
        indent = "  " * (int(tree.depth[node]) - 1)
        words = _words(style, condition_of_split(tree, node)) or "always"
        if tree.is_leaf[node]:
            words = f"{words}: {_leaf(tree, node)}"
        lines.append(f"{indent}{words}")
    return "\n".join(lines)


def prediction_of(tree: ArrayTree, node: int) -> Any:
    """The label or the mean that a node predicts as a leaf.

    The label is the index of the class if the tree does not have ``classes``.
    """
    if tree.is_regression:
        return float(tree.leaf_values[node])
    index = int(tree.labels[node])
    if tree.classes is None:
        return index
    return tree.classes[index]


def _leaf(tree: ArrayTree, node: int) -> str:
    """The prediction of a leaf and what it was counted from."""
    prediction = prediction_of(tree, node)
    statistics = tree.statistics[node]
    if tree.is_regression:
        return f"{prediction:,.6g} (mean of {statistics[0]:,.6g}; node {node})"
    right = f"{statistics.max():,.6g}"
    return f"{prediction} ({right} of {statistics.sum():,.6g}; node {node})"


def words_of_condition(
    tree: ArrayTree,
    condition: Condition,
    *,
    missing: bool = True,
    digits: int | None = None,
) -> str:
    """A single condition in words, as in :func:`rule_of`; empty if all values pass."""
    return _words(_Style(tree, missing, digits), condition)


@dataclass(frozen=True)
class _Style:
    """A tree, and how its conditions are written."""

    tree: ArrayTree
    missing: bool
    digits: int | None

    def limit(self, limit: float) -> tuple[str, bool]:
        """A threshold, and whether "x <= limit" is "x < threshold"."""
        value, strict = shortest_limit(limit, self.tree.input_dtype)
        if self.digits is not None:
            rounded = float(f"{value:.{self.digits}g}")
            if rounded != value:
                # Rounding may carry the number to the other side of the threshold.
                strict = float(np.asarray(rounded, self.tree.input_dtype)) > limit
            value = rounded
        return _number(value), strict


def _number(value: float) -> str:
    """A number with separators of thousands and without superfluous zeros."""
    if np.isfinite(value) and value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    if 1e-4 <= abs(value) < 1e15:
        return f"{value:,}"
    return repr(value)


def check_digits(digits: int | None) -> int | None:
    """A number of digits, or None, or a ValueError."""
    return None if digits is None else check_integer(digits, "digits")


def _words(style: _Style, condition: Condition) -> str:
    """A condition in words; empty if there is nothing to say."""
    tree = style.tree
    name = feature_names_of(tree)[condition.feature]
    if not condition.allows_numbers:
        return f"{name} is missing" if condition.missing else f"{name} is impossible"
    if condition.is_open:
        refuses = tree.missing_go_to_left is not None and not condition.missing
        if refuses and style.missing:
            return f"{name} is not missing"
        return ""

    categories = (tree.category_names or {}).get(condition.feature)
    if categories is None:
        words = _numeric(style, name, condition)
    else:
        codes = known_codes(condition, len(categories))
        words = _among(name, [str(categories[code]) for code in codes])
    if condition.missing and style.missing:
        return f"{words} (or missing)"
    return words


def _numeric(style: _Style, name: str, condition: Condition) -> str:
    """A condition on a number, or on the number of a category."""
    above, not_below = style.limit(condition.above)
    up_to, below = style.limit(condition.up_to)
    at_most = "<" if below else "<="
    parts = []
    if condition.above > -np.inf and condition.up_to < np.inf:
        more_than = "<=" if not_below else "<"
        parts.append(f"{above} {more_than} {name} {at_most} {up_to}")
    elif condition.above > -np.inf:
        more_than = ">=" if not_below else ">"
        parts.append(f"{name} {more_than} {above}")
    elif condition.up_to < np.inf:
        parts.append(f"{name} {at_most} {up_to}")

    if condition.among is not None:
        parts.append(_among(name, list(map(str, condition.allowed()))))
    elif condition.not_among:
        excluded = ", ".join(map(str, sorted(condition.not_among)))
        parts.append(f"{name} not in {{{excluded}}}")
    return " and ".join(parts)


def _among(name: str, words: Sequence[str]) -> str:
    """A set of categories in words."""
    if len(words) == 1:
        return f"{name} is {words[0]}"
    return f"{name} in {{{', '.join(words)}}}"
