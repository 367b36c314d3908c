"""What sends an example to a node: one condition for each feature that its path
tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treebounds._validation import check_integer
from treebounds.trees.array_tree import ArrayTree


@dataclass(frozen=True)
class Condition:
    """What a path asks of one feature.

    Attributes
    ----------
    feature : int
    above, up_to : float
        A finite number x passes if ``above < x <= up_to``.
    among : frozenset of int, optional
        If given, only these categories pass.
    not_among : frozenset of int
        These categories do not pass.
    missing : bool
        Whether a missing value passes.
    """

    feature: int
    above: float = -np.inf
    up_to: float = np.inf
    among: frozenset[int] | None = None
    not_among: frozenset[int] = frozenset()
    missing: bool = True

    @property
    def allows_numbers(self) -> bool:
        """Whether some value that is not missing passes."""
        if self.among is not None:
            return any(self.above < code <= self.up_to for code in self.allowed())
        return self.above < self.up_to

    @property
    def is_open(self) -> bool:
        """Whether every value that is not missing passes."""
        unlimited = self.above == -np.inf and self.up_to == np.inf
        return unlimited and self.among is None and not self.not_among

    def allowed(self) -> list[int]:
        """The categories that pass, if ``among`` names them."""
        return sorted((self.among or frozenset()) - self.not_among)


def conditions_of(tree: ArrayTree, node: int) -> list[Condition]:
    """The conditions that send an example to a node, in the order in which the path
    first tests their features.

    A condition that every value passes is left out. With a tree that has no direction
    for missing values, none passes.

    Parameters
    ----------
    tree : ArrayTree
    node : int
    """
    node = check_integer(node, "node", minimum=0)
    if node >= tree.n_nodes:
        raise ValueError(f"node must be from 0 to {tree.n_nodes - 1}; got {node}")

    conditions: dict[int, Condition] = {}
    for parent, goes_left in _path(tree, node):
        feature = int(tree.feature[parent])
        before = conditions.get(feature, Condition(feature))
        conditions[feature] = _narrowed(before, tree, parent, goes_left)
    return _without_open_ones(conditions)


def conditions_of_leaves(tree: ArrayTree) -> Iterator[tuple[int, list[Condition]]]:
    """Each leaf with its conditions, as :func:`conditions_of` has them, from left to
    right.

    A node narrows what its parent has found, so a deep tree takes no longer than a wide
    one.
    """
    above: dict[int, dict[int, Condition]] = {0: {}}
    for node in tree.preorder.tolist():
        conditions = above.pop(node)
        if tree.is_leaf[node]:
            yield node, _without_open_ones(conditions)
            continue

        feature = int(tree.feature[node])
        before = conditions.get(feature, Condition(feature))
        for goes_left in (True, False):
            children = tree.children_left if goes_left else tree.children_right
            narrowed = _narrowed(before, tree, node, goes_left)
            above[int(children[node])] = {**conditions, feature: narrowed}


def _without_open_ones(conditions: Mapping[int, Condition]) -> list[Condition]:
    """The conditions that some value does not pass."""
    return [
        condition
        for condition in conditions.values()
        if not (condition.is_open and condition.missing)
    ]


def condition_of_split(tree: ArrayTree, node: int) -> Condition:
    """What the parent of a node alone asks of the examples that it sends there."""
    parent = int(tree.parents[node])
    goes_left = bool(node == tree.children_left[parent])
    return _narrowed(Condition(int(tree.feature[parent])), tree, parent, goes_left)


def _path(tree: ArrayTree, node: int) -> list[tuple[int, bool]]:
    """The nodes above a node from the root on, and whether the path goes left there."""
    path = []
    while node > 0:
        parent = int(tree.parents[node])
        path.append((parent, node == tree.children_left[parent]))
        node = parent
    return path[::-1]


def _narrowed(
    condition: Condition, tree: ArrayTree, parent: int, goes_left: bool
) -> Condition:
    """A condition and what one more node asks of the same feature."""
    sides = tree.missing_go_to_left
    missing = sides is not None and bool(sides[parent]) == goes_left
    condition = replace(condition, missing=condition.missing and missing)

    if tree.asks_for_category[parent] and tree.left_categories is not None:
        categories = frozenset(tree.left_categories[parent].tolist())
        if not goes_left:
            return replace(condition, not_among=condition.not_among | categories)
        before = categories if condition.among is None else condition.among
        return replace(condition, among=before & categories)

    limit = float(tree.threshold[parent])
    if goes_left:
        return replace(condition, up_to=min(condition.up_to, limit))
    return replace(condition, above=max(condition.above, limit))


def known_codes(condition: Condition, n_categories: int) -> list[int]:
    """The categories 0, ..., n_categories - 1 that pass."""
    return [
        code
        for code in range(n_categories)
        if condition.above < code <= condition.up_to
        and (condition.among is None or code in condition.among)
        and code not in condition.not_among
    ]


def feature_names_of(tree: ArrayTree) -> list[str]:
    """The names of the features, or "feature_0", "feature_1", ..."""
    if tree.feature_names is not None:
        return list(tree.feature_names)
    return [f"feature_{number}" for number in range(tree.n_features)]


# The paths of a tree share their thresholds.
@lru_cache(maxsize=2**14)
def shortest_limit(limit: float, dtype: np.dtype[Any]) -> tuple[float, bool]:
    """The decimal with the fewest digits that separates the same values of a type.

    >>> import numpy as np
    >>> from treebounds.formats._conditions import shortest_limit
    >>> shortest_limit(2.449999988079071, np.dtype("float32"))
    (2.45, False)
    >>> shortest_limit(np.nextafter(8.5, 0), np.dtype("float64"))
    (8.5, True)

    Returns
    -------
    number : float
    strict : bool
        Whether "x <= limit" is "x < number", not "x <= number". Libraries that compare
        by "<" have thresholds just below a short number.
    """
    if not np.isfinite(limit):
        return limit, False
    largest = last_below(limit, dtype)
    next_one = float(np.nextafter(np.array(largest, dtype), np.array(np.inf, dtype)))
    for n_digits in range(1, 17):
        shorter = float(f"{limit:.{n_digits}g}")
        if last_below(shorter, dtype) == largest:
            return shorter, False
        shorter = float(f"{next_one:.{n_digits}g}")
        if largest < shorter <= next_one:
            return shorter, True
    return float(limit), False


@np.errstate(over="ignore")
def last_below(limit: float, dtype: np.dtype[Any]) -> float:
    """The largest number of a type that is at most a limit."""
    rounded: NDArray[Any] = np.asarray(limit).astype(dtype)
    if float(rounded) > limit:
        rounded = np.nextafter(rounded, np.array(-np.inf, dtype))
    return float(rounded)
