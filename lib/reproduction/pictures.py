"""Interactive pictures of the book: the data that they show, and the function that
embeds one in a chapter.

A still image is shown until a script replaces it by the interactive picture. In print,
without JavaScript and in a notebook the still image remains. ``book/_assets/pictures``
holds the scripts; a page loads those that it names. The data are part of the page, so
the page works from a folder, without a server.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from math import comb, log
from typing import TYPE_CHECKING, Any

import numpy as np
from IPython.display import HTML

from reproduction.plotting import as_svg
from reproduction.published import smallest_errors
from treebounds import TreeStructure, growth_function_bound
from treebounds._validation import check_option
from treebounds.capacity import stump_partitioning_function
from treebounds.capacity._orders import ranks_of_orders
from treebounds.capacity.partitions import log_tree_partitions
from treebounds.pruning.counted_price import CountedRule
from treebounds.risk import compress_tree
from treebounds.risk.compression import message_length

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray

    from treebounds.trees import ArrayTree

# The scripts that a picture needs besides the shared one, in their order.
PICTURES = {
    "calculator": ("bounds", "calculator"),
    "falling-noise": ("falling-noise",),
    "flip": ("flip",),
    "grow": ("grow",),
    "growth": ("bounds", "growth"),
    "price-slider": ("price-slider",),
    "shatter": ("shatter",),
    "telegram": ("telegram",),
    "test-sets": ("test-sets",),
    "two-paths": ("two-paths",),
    "weave": ("weave",),
}


def show(
    name: str,
    data: Mapping[str, Any] | None = None,
    still: Figure | None = None,
    alt: str = "",
) -> HTML:
    """An interactive picture for the end of a notebook's cell.

    ``mystnb: figure`` in the header of the cell gives it a number and a caption, as for
    any figure.

    >>> from reproduction.pictures import show
    >>> show("growth").data[:40]
    '<div class="picture" data-picture="growt'

    Parameters
    ----------
    name : {"calculator", "falling-noise", "flip", "grow", "growth", "price-slider", \
"shatter", "telegram", "test-sets", "two-paths", "weave"}
        The picture.
    data : mapping, optional
        Its data, made by :func:`price_slider_data`, :func:`telegram_data`, ...:
        numbers, texts, and lists and mappings of them. "growth", "test-sets" and
        "two-paths" need none.
    still : matplotlib.figure.Figure, optional
        The image for print and for readers without JavaScript. The figure is closed.
    alt : str
        What the image shows, in words.

    Returns
    -------
    IPython.display.HTML
        The picture, with the still image inside.
    """
    check_option(name, "name", tuple(PICTURES))
    image = ""
    if still is not None:
        code = base64.b64encode(as_svg(still).encode()).decode()
        image = f'<img src="data:image/svg+xml;base64,{code}" alt="{escape(alt)}">'

    script = ""
    if data is not None:
        compact = (",", ":")
        text = json.dumps(data, default=_plain, ensure_ascii=False, separators=compact)
        # "</script>" would end the element.
        text = text.replace("</", "<\\/")
        script = f'<script type="application/json">{text}</script>'

    return HTML(
        f'<div class="picture" data-picture="{name}"'
        f' data-scripts="{" ".join(PICTURES[name])}">'
        f'{script}<div class="picture-still">{image}</div></div>'
    )


def price_slider_data(
    tree: ArrayTree, known: float, validated: Iterable[float]
) -> dict[str, Any]:
    """The data of the price slider for one data set; the picture needs a mapping from
    names of sets to these.

    Parameters
    ----------
    tree : ArrayTree
        The tree that is pruned.
    known : float
        The price of a leaf that is known before the labels are seen, in training
        errors.
    validated : iterable of float
        The prices that cross-validation chose, one for each split.

    Returns
    -------
    dict
        Lists and numbers: the children of each node, its errors as a leaf, its class
        and its number of examples; the smallest numbers of errors of the prunings with
        1, 2, ... leaves; and the prices.
    """
    return {
        "left": tree.children_left,
        "right": tree.children_right,
        "errors": tree.leaf_errors,
        "labels": tree.labels,
        "examples": tree.class_counts.sum(axis=1),
        "fewest": smallest_errors(tree),
        "known": float(known),
        "validated": [float(price) for price in validated],
    }


def falling_noise_data(
    tree: ArrayTree,
    truth: float,
    rule: CountedRule | None = None,
    sample: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None,
) -> dict[str, Any]:
    """The data of the noise that is found from above, for one regression tree; the
    picture needs a mapping from names of sets to these.

    Parameters
    ----------
    tree : ArrayTree
        The grown tree.
    truth : float
        The variance of the noise.
    rule : CountedRule, optional
        The rule with its K; by default that of the library.
    sample : (x, y), optional
        Increasing values of the only feature, and the numbers to predict, if the
        picture should show them.

    Returns
    -------
    dict
        The prunings that the rule compares: numbers of leaves and squared errors; the
        number m of examples, ln M_L for L = 1, ..., m, K, the estimate at the root, and
        the variance; and for each pruning what it predicts at the points.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from reproduction.pictures import falling_noise_data
    >>> from treebounds.formats import from_sklearn
    >>> grown = DecisionTreeRegressor().fit([[0], [1], [2]], [1, 3, 8])
    >>> data = falling_noise_data(from_sklearn(grown), truth=1)
    >>> data["leaves"], data["squared"], data["start"]
    (array([3, 2, 1]), array([ 0.,  2., 26.]), 13.0)
    """
    if rule is None:
        rule = CountedRule()
    path = rule.path(tree)
    m = round(float(tree.target_sums[0, 0]))
    data = {
        "leaves": path.n_leaves,
        "squared": path.squared_errors,
        "m": m,
        "nats": log_tree_partitions(np.arange(1, m + 1), m, tree.n_features),
        "factor": rule.factor,
        "start": float(path.noises[0]),
        "truth": float(truth),
    }
    if sample is not None:
        x, y = sample
        prunings = [tree.collapse(path.nodes(i)) for i in range(len(path.n_leaves))]
        predicted = np.array([pruned.predict(x[:, np.newaxis]) for pruned in prunings])
        data["points"] = {"x": x, "y": y, "predicted": predicted}
    return data


def shatter_data() -> dict[str, list[list[int]]]:
    """Largest numbers of partitions into two parts, by features (rows: 1, 2) and
    examples (columns: 2 to 6).

    Those of a stump follow from Theorem 7, which is attained. Those of a chain of two
    nodes are half of its growth bound, after the constant labelings are subtracted.

    Examples
    --------
    >>> from reproduction.pictures import shatter_data
    >>> shatter_data()["stump"]
    [[1, 2, 3, 4, 5], [1, 3, 6, 8, 10]]
    """
    chain = TreeStructure.from_nested([[None, None], None])
    sizes = range(2, 7)
    data: dict[str, list[list[int]]] = {"stump": [], "chain": []}
    for l in (1, 2):
        bounds = [growth_function_bound(chain, m, l) for m in sizes]
        data["chain"].append([bound // 2 - 1 for bound in bounds])
        data["stump"].append([stump_partitioning_function(m, l) for m in sizes])
    return data


def flip_data(trees: Mapping[str, TreeStructure]) -> dict[str, Any]:
    """The data of the shattered sample: for two and for three features the ranks of the
    examples, one group below another example for each internal node.

    Examples
    --------
    >>> from reproduction.pictures import flip_data
    >>> from treebounds import TreeStructure
    >>> stump = TreeStructure.from_nested([None, None])
    >>> flip_data({"a stump": stump})["a stump"][2]
    {'shape': [None, None], 'ranks': [[0, 0], [1, 2], [2, 1]]}
    """
    return {
        name: {
            l: {"shape": tree.to_nested(), "ranks": _groups(tree.n_internal_nodes, l)}
            for l in (2, 3)
        }
        for name, tree in trees.items()
    }


def _groups(n_nodes: int, n_features: int) -> list[list[int]]:
    """The ranks of one example and, above it, of one group for each node."""
    group = ranks_of_orders(n_features)
    above = [1 + j * len(group) + group for j in range(n_nodes)]
    rows: list[list[int]] = np.concatenate(
        [np.zeros((1, n_features), dtype=np.int64), *above]
    ).tolist()
    return rows


def telegram_data(
    tree: ArrayTree,
    X: ArrayLike,
    y: ArrayLike,
    feature_names: Sequence[str],
    class_names: Sequence[str],
    delta: float = 0.05,
) -> dict[str, Any]:
    """The data of the telegram: a tree's blocks in preorder, and the cost of its
    message.

    Parameters
    ----------
    tree : ArrayTree
        With at least one split; sibling leaves of one class become one.
    X : (m, l) array
        The training examples; their values become the thresholds.
    y : (m,) array of int
        Class indices.
    feature_names, class_names : sequence of str
    delta : float

    Returns
    -------
    dict
        The blocks; m, l, the number N of internal nodes and the errors outside of the
        compression set; the costs in nats that do not depend on m and l, which are
        those of the shape, of the sides, and of labels and ties; and the error of
        always predicting the largest class.
    """
    y = np.asarray(y)
    compressed = compress_tree(tree, X, y, len(class_names), delta)
    N = len(compressed.message.left_sizes)
    n_features = np.shape(X)[1]

    shape = log(comb(2 * N, N) // (N + 1))
    # The right side has probability 1/8, and the left one 7/8.
    nats = {True: log(8), False: log(8 / 7)}
    sides = sum(nats[bool(side)] for side in compressed.message.sides)
    message = compressed.length - message_length(len(y), N, 0.0)
    return {
        "blocks": list(_blocks(compressed.tree, 0, feature_names, class_names)),
        "n_examples": len(y),
        "n_features": n_features,
        "n_nodes": N,
        "n_errors": compressed.n_errors,
        "shape": shape,
        "sides": sides,
        "labels": message - shape - sides - N * log(n_features),
        "majority_error": 1 - np.bincount(y).max() / len(y),
        "delta": delta,
    }


def _blocks(
    tree: ArrayTree, node: int, feature_names: Sequence[str], class_names: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """A tree's nodes in preorder, each with its text in the telegram and in the
    drawing.
    """
    if tree.is_leaf[node]:
        label = int(tree.labels[node])
        yield {
            "leaf": True,
            "label": label,
            "text": class_names[label],
            "short": class_names[label],
        }
        return

    feature = feature_names[tree.feature[node]]
    yield {
        "leaf": False,
        "text": f"{feature} ≤ {tree.threshold[node]:.4g}",
        "short": feature,
    }
    for child in (tree.children_left[node], tree.children_right[node]):
        yield from _blocks(tree, child, feature_names, class_names)


def _plain(value: Any) -> Any:
    """A number or an array of NumPy as a number or a list of Python."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"a picture's data cannot hold a {type(value).__name__}")
