"""Growing trees best-first, with the growth order and the arithmetic of Leboeuf et al.

scikit-learn expands the leaf whose split decreases the total impurity most. The program
behind Table 1 of Leboeuf, LeBlanc and Marchand (2020) expands the leaf whose best split
leaves the *lowest mean impurity in its children*, whatever the leaf's size. The two
orders end in the same tree when nothing limits the number of leaves; they differ when a
limit binds. Both are offered here, on otherwise equal terms.

All comparisons are plain float64 ``<``: rounding decides between candidates that are
mathematically equal, and the last printed digit of the published table depends on it.
So the formulas below are evaluated and summed in the order of the published program,
and must not be rearranged or compiled with ``fastmath``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reproduction.compiling import njit
from treebounds._validation import check_array, check_integer, check_option
from treebounds.trees.array_tree import ArrayTree

GROWTH_ORDERS = ("lowest-impurity", "largest-decrease")


def grow_tree(
    X: ArrayLike,
    y: ArrayLike,
    *,
    max_leaf_nodes: int | None = None,
    growth_order: str = "lowest-impurity",
    n_classes: int | None = None,
) -> ArrayTree:
    """Grow a binary tree on real-valued features, best-first by the Gini index.

    A leaf is split where the mean Gini index of the children, weighted by their sizes,
    is smallest, if that mean is below the Gini index of the leaf. Thresholds are
    midpoints; an example on the threshold goes to the right. Two values that are close
    in the sense of numpy's ``isclose`` are not separated.

    >>> from reproduction.growing import grow_tree
    >>> tree = grow_tree([[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 0], max_leaf_nodes=2)
    >>> tree.class_counts.tolist(), bool(tree.threshold[0] < 2.5)
    ([[3.0, 1.0], [2.0, 0.0], [1.0, 1.0]], True)

    Parameters
    ----------
    X : array-like of float, shape (m, l)
    y : array-like of int, shape (m,)
        Classes 0, 1, ..., n - 1.
    max_leaf_nodes : int, optional
        Without it, the tree grows until no leaf can be split.
    growth_order : {"lowest-impurity", "largest-decrease"}
        The leaf that is split next. "lowest-impurity": the leaf whose children have the
        lowest mean impurity, as in the program of Leboeuf et al. (2020); this order
        prefers small, nearly pure leaves. "largest-decrease": the leaf whose split
        decreases the number of examples times impurity most, which is the usual
        best-first order, also of scikit-learn. If several leaves tie, the oldest is
        split.
    n_classes : int, optional
        Number of classes, if ``y`` may lack the last ones, as in a fold; it affects how
        sums are rounded.

    Returns
    -------
    ArrayTree

    Raises
    ------
    ValueError
        If X is not a finite matrix, y not integers from 0 to n_classes - 1, or an
        option is unknown.

    Notes
    -----
    Sorting once takes O(l m log m), and each level of the tree O(l m).
    """
    X = check_array(X, "X", np.float64)
    y = np.asarray(y)
    if X.ndim != 2 or 0 in X.shape or not np.isfinite(X).all():
        raise ValueError(
            f"X must be a matrix of finite numbers with at least one row; got {X.shape}"
        )
    if y.shape != (len(X),) or not np.issubdtype(y.dtype, np.integer) or y.min() < 0:
        raise ValueError(
            f"y must hold {len(X)} classes 0, 1, ...; got {y.dtype} of shape {y.shape}"
        )

    n_classes = _number_of_classes(y, n_classes)
    limit = len(y)
    if max_leaf_nodes is not None:
        limit = min(limit, check_integer(max_leaf_nodes, "max_leaf_nodes"))

    check_option(growth_order, "growth_order", GROWTH_ORDERS)

    columns = np.ascontiguousarray(X.T)
    order = np.argsort(columns, axis=1, kind="stable")
    by_impurity = growth_order == GROWTH_ORDERS[0]
    left, right, feature, threshold, counts = _grow(
        columns, y.astype(np.int64), order, n_classes, limit, by_impurity
    )

    # An ArrayTree sends x <= threshold to the left, so the next lower float makes
    # exactly the same split.
    return ArrayTree(
        children_left=left,
        children_right=right,
        feature=feature,
        threshold=np.nextafter(threshold, -np.inf),
        class_counts=counts,
        n_features=X.shape[1],
    )


def _number_of_classes(y: NDArray[np.integer], n_classes: int | None) -> int:
    """The number of classes, at least that of the labels."""
    occurring = int(y.max()) + 1
    if n_classes is None:
        return occurring
    return check_integer(n_classes, "n_classes", occurring)


@njit
def _gini(counts, n_examples):
    """Sum of p (1 - p) over the classes, added up in numpy's order."""
    n_classes = counts.shape[0]
    whole = n_classes - n_classes % 8
    total = 0.0

    if whole:
        partial = np.zeros(8)
        for c in range(whole):
            p = counts[c] / n_examples
            partial[c % 8] += p * (1.0 - p)
        pairs = partial[::2] + partial[1::2]
        total = (pairs[0] + pairs[1]) + (pairs[2] + pairs[3])

    for c in range(whole, n_classes):
        p = counts[c] / n_examples
        total += p * (1.0 - p)

    return total


@njit
def _best_split(columns, y, rows, counts):
    """The best split of a node, as (mean child impurity, position, feature).

    ``rows`` holds the node's examples in the order of each feature. Among equal values
    the first position wins, and at the same position the first feature. The exact
    formula, with its divisions per class, is evaluated only if the sums of squared
    counts show that it could win.
    """
    best = (np.inf, rows.shape[1], -1)
    for f in range(len(rows)):
        best = _best_split_on(f, columns[f][rows[f]], y[rows[f]], counts, best)
    return best


@njit
def _best_split_on(f, values, classes, counts, best):
    """The better one of a split and of the best split of a node on feature f, whose
    values are in increasing order.
    """
    m = len(values)
    left = np.zeros_like(counts)
    right = counts.copy()
    squares_left = 0
    squares_right = (counts * counts).sum()

    for i in range(m - 1):
        c = classes[i]
        squares_left += 2 * left[c] + 1
        squares_right -= 2 * right[c] - 1
        left[c] += 1
        right[c] -= 1

        if _is_close(values[i], values[i + 1]):
            continue

        n_left = i + 1
        squares = squares_left / n_left + squares_right / (m - n_left)
        if 1.0 - squares / m > best[0] + 1e-9:
            continue

        value = _mean_gini(left, right, n_left, m)
        if value < best[0] or (value == best[0] and i < best[1]):
            best = (value, i, f)

    return best


@njit
def _is_close(low, high):
    """Whether numpy's ``isclose`` holds for two values in increasing order."""
    return high - low <= 1e-8 + 1e-5 * abs(high)


@njit
def _mean_gini(left, right, n_left, m):
    """The mean Gini index of the two children of a node with m examples."""
    n_right = m - n_left
    return (_gini(left, n_left) * n_left + _gini(right, n_right) * n_right) / m


@njit
def _partition(values, order, threshold):
    """Put the examples with values below the threshold first, for every feature; return
    their number.
    """
    n_left = 0
    for f in range(order.shape[0]):
        examples = order[f].copy()
        n_left = 0
        for left in (True, False):
            place = n_left
            for example in examples:
                if (values[example] < threshold) == left:
                    order[f, place] = example
                    place += 1
            if left:
                n_left = place

    return n_left


@njit
def _grow(columns, y, order, n_classes, max_leaf_nodes, by_impurity):
    """The arrays of a tree; each row of ``order`` holds the examples in the order of
    one feature.

    The examples of a node are a slice of every row; a split puts those that go left
    first.
    """
    size = 2 * max_leaf_nodes - 1
    children = np.full((2, size), -1)
    feature = np.full(size, -2)
    threshold = np.full(size, -2.0)
    counts = np.zeros((size, n_classes), np.int64)

    # The start and the stop of each node's slice, and its best split in there.
    limits = np.zeros((size, 2), np.int64)
    limits[0, 1] = len(y)
    position = np.zeros(size, np.int64)
    priority = np.full(size, np.inf)

    n_nodes = 1
    while True:
        # The new leaves are the last two nodes, or the root.
        for node in range(max(n_nodes - 2, 0), n_nodes):
            rows = order[:, limits[node, 0] : limits[node, 1]]
            _count_classes(y, rows[0], counts[node])
            priority[node], position[node], feature[node] = _candidate(
                columns, y, rows, counts[node], by_impurity
            )

        # Split the first of the leaves with the smallest priority.
        node = int(np.argmin(priority[:n_nodes]))
        if priority[node] == np.inf or n_nodes == size:
            break

        priority[node] = np.inf

        rows = order[:, limits[node, 0] : limits[node, 1]]
        threshold[node], n_left = _split(columns, rows, feature[node], position[node])

        children[0, node] = n_nodes
        children[1, node] = n_nodes + 1
        # One by one, since the assignment of a slice takes seconds to compile.
        limits[n_nodes, 0] = limits[node, 0]
        limits[n_nodes, 1] = limits[node, 0] + n_left
        limits[n_nodes + 1, 0] = limits[node, 0] + n_left
        limits[n_nodes + 1, 1] = limits[node, 1]
        n_nodes += 2

    return (
        children[0, :n_nodes],
        children[1, :n_nodes],
        feature[:n_nodes],
        threshold[:n_nodes],
        counts[:n_nodes],
    )


@njit
def _count_classes(y, rows, counts):
    """Add the number of examples of each class among some rows to ``counts``."""
    for row in rows:
        counts[y[row]] += 1


@njit
def _candidate(columns, y, rows, counts, by_impurity):
    """The best split of a new leaf, as (priority, position, feature); the leaf with the
    smallest priority is split next, and infinity means never.
    """
    n = rows.shape[1]
    if counts.max() == n:
        return np.inf, 0, -2

    impurity = _gini(counts, n)
    value, position, feature = _best_split(columns, y, rows, counts)
    if value >= impurity:
        return np.inf, position, feature
    if by_impurity:
        return value, position, feature

    return -n * (impurity - value), position, feature


@njit
def _split(columns, rows, feature, position):
    """Put the examples that go left first, for every feature; return the threshold,
    which is a midpoint, and their number.
    """
    column = columns[feature]
    low = column[rows[feature, position]]
    high = column[rows[feature, position + 1]]
    threshold = (low + high) / 2
    return threshold, _partition(column, rows, threshold)
