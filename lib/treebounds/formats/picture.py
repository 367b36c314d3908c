"""A picture of a tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import plot_tree

from treebounds._validation import check_flag, require
from treebounds.formats._conditions import condition_of_split
from treebounds.formats.scikit_learn import as_array_tree, numbered_by_name, to_sklearn
from treebounds.formats.text import check_digits, prediction_of, words_of_condition
from treebounds.trees._statistics import weights_of_nodes
from treebounds.trees.array_tree import ArrayTree

__all__ = ["plot"]

# Where the words of a branch stand on its line, as a part of the way from the parent.
_WAY_LEFT, _WAY_RIGHT = 0.36, 0.54


def plot(
    tree: Any,
    *,
    notes: Mapping[int, str] | None = None,
    digits: int | None = 3,
    missing: bool = False,
    ax: Any = None,
) -> Any:
    """A picture of a tree with the names that it has.

    Trees that scikit-learn can show are drawn by its ``plot_tree``; others, and trees
    with notes, by a plain picture.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.formats import from_sklearn, plot
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fitted = DecisionTreeClassifier(max_leaf_nodes=3, random_state=0).fit(X, y)
    >>> axes = plot(from_sklearn(fitted), notes={1: "never misjudged in training"})

    Parameters
    ----------
    tree : ArrayTree, DecisionTreeClassifier or DecisionTreeRegressor
        A scikit-learn tree is fitted.
    notes : mapping from int to str, optional
        Words below the boxes of some nodes, for example limits of the leaves' errors.
    digits : int, optional
        Significant digits of thresholds; all of them when None.
    missing : bool
        Whether to say where missing values go.
    ax : matplotlib.axes.Axes, optional
        The current axes when not given.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If ``tree`` is not such a tree, a note belongs to no node, ``digits`` is not a
        number of digits, or ``missing`` is not True or False.
    ImportError
        If matplotlib is not installed; ``pip install "treebounds[plot]"`` brings it.
    """
    check_flag(missing, "missing")
    check_digits(digits)
    tree = as_array_tree(tree)
    outside = [node for node in notes or {} if not 0 <= node < tree.n_nodes]
    if outside:
        raise ValueError(
            f"notes must belong to nodes from 0 to {tree.n_nodes - 1}; got {outside[0]}"
        )
    axes = ax
    if axes is None:
        axes = require("matplotlib.pyplot", "plot").gca()
    if notes or not _scikit_learn_can_show(tree):
        return _plain_picture(tree, notes or {}, digits, missing, axes)

    fitted = to_sklearn(tree)
    names = None if tree.feature_names is None else list(tree.feature_names)
    labels = None if tree.is_regression else list(map(str, fitted.classes_))
    words = plot_tree(
        fitted, feature_names=names, class_names=labels, filled=True, ax=axes
    )

    # scikit-learn rounds thresholds to decimals, and would draw 0.00005 as 0.0. The
    # names of the two branches are among its words, too, but hold no examples.
    boxes = [word for word in words if "\nsamples = " in word.get_text()]
    for node, box in zip(tree.preorder.tolist(), boxes, strict=True):
        if not tree.is_leaf[node]:
            left = condition_of_split(tree, int(tree.children_left[node]))
            condition = words_of_condition(tree, left, missing=missing, digits=digits)
            _write_condition(box, condition, fitted.criterion)
    return axes


def _write_condition(box: Any, condition: str, criterion: str) -> None:
    """Put a condition in the place of the one in a box of scikit-learn."""
    before, impurity, rest = box.get_text().partition(f"\n{criterion} = ")
    # A split that only separates missing values may have no words.
    box.set_text((condition or before) + impurity + rest)


def _scikit_learn_can_show(tree: ArrayTree) -> bool:
    """Whether a tree has only thresholds, and examples at every node."""
    by_category = tree.asks_for_category.any() or bool(numbered_by_name(tree))
    return not by_category and bool((weights_of_nodes(tree) > 0).all())


def _plain_picture(
    tree: ArrayTree,
    notes: Mapping[int, str],
    digits: int | None,
    missing: bool,
    ax: Any,
) -> Any:
    """Boxes with predictions, and the condition of each split on its two lines."""
    x = _places(tree)
    y = -tree.depth.astype(float)
    points = np.column_stack([x, y])
    for node in range(1, tree.n_nodes):
        parent = int(tree.parents[node])
        ax.plot([x[parent], x[node]], [y[parent], y[node]], color="0.6")
        words = words_of_condition(
            tree, condition_of_split(tree, node), missing=missing, digits=digits
        )
        # The words of two branches that are close need different heights, and both
        # keep away from the child, whose box may be tall.
        way = _WAY_LEFT if node == tree.children_left[parent] else _WAY_RIGHT
        place = (1 - way) * points[parent] + way * points[node]
        ax.annotate(
            words,
            place,
            ha="center",
            va="center",
            fontsize="small",
            zorder=4,
            bbox={"boxstyle": "square,pad=0", "color": "white", "alpha": 0.8},
        )

    weights = weights_of_nodes(tree)
    for node in range(tree.n_nodes):
        text = _box(tree, node, weights[node], notes.get(node))
        style = {"boxstyle": "round", "facecolor": "white", "edgecolor": "0.4"}
        ax.annotate(text, (x[node], y[node]), ha="center", va="center", bbox=style)
    ax.set_xlim(-0.7, max(tree.n_leaves - 0.3, 0.7))
    ax.set_ylim(-tree.height - 0.5, 0.5)
    ax.set_axis_off()
    return ax


def _box(tree: ArrayTree, node: int, weight: float, note: str | None) -> str:
    """What the box of a node says."""
    lines = [f"node {node}"]
    if tree.is_leaf[node] and tree.is_regression:
        lines.append(f"{prediction_of(tree, node):.4g}")
    elif tree.is_leaf[node]:
        lines.append(str(prediction_of(tree, node)))
    lines.append(f"{weight:,.6g} cases")
    if note:
        lines.append(note)
    return "\n".join(lines)


def _places(tree: ArrayTree) -> NDArray[np.float64]:
    """The horizontal place of each node: leaves side by side, others between their
    children.
    """
    x = np.zeros(tree.n_nodes)
    leaves = tree.preorder[tree.is_leaf[tree.preorder]]
    x[leaves] = np.arange(len(leaves))
    # Children come after their parents.
    for node in np.flatnonzero(~tree.is_leaf)[::-1].tolist():
        x[node] = np.mean(x[tree.children(node)])
    return x
