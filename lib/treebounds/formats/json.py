"""Trees as JSON documents, for libraries without a reader of their own.

A document is an object with

- ``n_features`` (int) or ``feature_names`` (list of words), or both;
- ``nodes``: a list of objects in any order, each with an ``id`` (a number or a word;
  its place in the list when no node has one). A leaf has no other entry than
  ``class_counts`` or ``target_sums``. An internal node has ``left`` and ``right`` (ids), ``feature`` (a
  number from 0, or a name) and either ``threshold`` (a number, or "Infinity",
  "-Infinity") or ``categories`` (numbers from 0 of the categories that go left; all
  others go right). It can have ``missing``, the side to which missing values go ("left"
  or "right");
- ``classes`` (list of labels in increasing order) and ``category_names`` (an object:
  for the number of a feature, the list of the names of its categories), if known;
- ``comparison``: "<=" (the default) or "<", the relation of a feature to the threshold
  that sends an example to the left;
- ``input_dtype``: "float64" (the default) or "float32", the type to which features are
  converted before the comparison;
- ``class_counts`` at every node, at the leaves alone, or nowhere; in a tree that
  predicts numbers ``target_sums`` in their place, three numbers: the weight of the
  examples, the sum of weight times y, and the sum of weight times the square of y.

Any other entry is an error: surrogate splits and splits on sums of features are not
supported.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treebounds._validation import check_instance, check_integer, check_option
from treebounds.formats._assemble import assemble, category_table, from_model
from treebounds.trees.array_tree import ArrayTree

_WAYS = ("left", "right")
_NAMES = {"feature_names", "classes", "category_names"}
_DOCUMENT = {"n_features", "nodes", "comparison", "input_dtype"} | _NAMES
_STATISTICS = ("class_counts", "target_sums")
_LEAF = {"id", *_STATISTICS}
_SPLIT = _LEAF | {"left", "right", "feature", "threshold", "categories", "missing"}


def from_json(
    document: str | dict[str, Any],
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> ArrayTree:
    """The tree of a JSON document, for trees of any other library.

    The document is described in ``treebounds.formats.json``: nodes in any
    order with ids of their own, "<" or "<=", thresholds or sets of categories,
    where missing values go, class counts or none.

    Parameters
    ----------
    document : str or dict
        JSON, or the result of ``json.loads``.
    X, y, sample_weight, classes
        As in :func:`from_lightgbm`; only for a document without class counts,
        otherwise a ValueError.

    Returns
    -------
    ArrayTree

    Raises
    ------
    ValueError
        If an entry of the document is missing, unknown or contradicts another one.

    Examples
    --------
    >>> from treebounds.formats import from_json
    >>> document = {
    ...     "feature_names": ["age"],
    ...     "comparison": "<",
    ...     "nodes": [
    ...         {"id": 1, "left": 2, "right": 3, "feature": "age", "threshold": 40},
    ...         {"id": 2, "class_counts": [7, 1]},
    ...         {"id": 3, "class_counts": [2, 5]},
    ...     ],
    ... }
    >>> tree = from_json(document)
    >>> tree.class_counts[0], tree.predict([[40.0], [39.9]])
    (array([9., 6.]), array([1, 0]))
    """
    nodes = read_document(document)
    if nodes.get("target_sums") is not None:
        if any(argument is not None for argument in (X, y, sample_weight, classes)):
            raise ValueError(
                "X, y, sample_weight, classes must be None: the sums of y are already"
                " given"
            )
        return assemble(**nodes)
    nodes.pop("target_sums", None)
    known = nodes.pop("classes")
    counts = nodes.pop("class_counts")
    return from_model(nodes, known, X, y, sample_weight, counts, classes)


def read_document(document: str | dict[str, Any]) -> dict[str, Any]:
    """Arguments of ``assemble``, in the order of the nodes; ``class_counts`` is None if
    no node has any.

    Raises
    ------
    ValueError
        If an entry is missing, unknown or contradicts another one; the error names the
        entry and the node.
    """
    try:
        given: dict[str, Any] = (
            json.loads(document) if isinstance(document, str) else document
        )
    except json.JSONDecodeError as error:
        raise ValueError(f"document is not valid JSON: {error}") from None
    check_instance(given, "document", dict)
    _refuse_unknown(given, _DOCUMENT, "document")
    names, nodes = given.get("feature_names") or [], given.get("nodes")
    if (
        not isinstance(nodes, list)
        or not nodes
        or not all(isinstance(node, dict) for node in nodes)
    ):
        raise ValueError("nodes must be a list of objects, one for each node")
    words = isinstance(names, list) and all(isinstance(name, str) for name in names)
    n_features = given.get("n_features", len(names) if words else 0)
    if (
        not words
        or not n_features
        or (names and not len(set(names)) == len(names) == n_features)
    ):
        raise ValueError(
            "n_features or different feature_names must be given; if both are, they"
            " must agree"
        )
    check_integer(n_features, "n_features")
    places = {
        k: i
        for i, node in enumerate(nodes)
        if isinstance(k := node.get("id", i), int | float | str)
    }
    if len(places) != len(nodes):
        raise ValueError("id must be a number or a word, and different for every node")
    # A document may state billions of features, of which its nodes use few.
    table = {
        k: k
        for node in nodes
        if isinstance(k := node.get("feature"), int) and 0 <= k < n_features
    }
    table |= {name: i for i, name in enumerate(names)}
    rows = [_row(node, i, places, table) for i, node in enumerate(nodes)]
    columns: dict[str, Any] = {name: [row[name] for row in rows] for name in rows[0]}
    sets = {
        i: given
        for i, given in enumerate(columns.pop("categories"))
        if given is not None
    }
    leaf = [child < 0 for child in columns["children_left"]]
    ways = {
        row["missing_go_to_left"]
        for row, is_leaf in zip(rows, leaf, strict=True)
        if not is_leaf
    }
    if None in ways and len(ways) > 1:
        raise ValueError("missing must be given at every internal node or at none")
    if ways <= {None}:
        columns["missing_go_to_left"] = None
    for name in _STATISTICS:
        columns[name] = _statistics(columns[name], leaf, name)
    if all(columns[name] is not None for name in _STATISTICS):
        raise ValueError("class_counts or target_sums may be given, not both")
    strict = (
        check_option(given.get("comparison", "<="), "comparison", ("<=", "<")) == "<"
    )
    dtype = check_option(
        given.get("input_dtype", "float64"), "input_dtype", ("float64", "float32")
    )
    columns |= {"n_features": n_features, "strict": strict, "input_dtype": dtype}
    columns["feature_names"] = names or None
    columns["classes"] = given.get("classes")
    columns["category_names"] = _category_names(given.get("category_names"))
    return columns | {"left_categories": category_table(sets, len(nodes))}


def to_json(tree: ArrayTree) -> str:
    """A tree as a JSON document that :func:`from_json` reads.

    Parameters
    ----------
    tree : ArrayTree

    Returns
    -------
    str

    Examples
    --------
    >>> from treebounds import ArrayTree
    >>> from treebounds.formats import from_json, to_json
    >>> leaf = ArrayTree(
    ...     children_left=[-1],
    ...     children_right=[-1],
    ...     feature=[-2],
    ...     threshold=[0],
    ...     class_counts=[[2, 1]],
    ...     n_features=3,
    ... )
    >>> to_json(leaf)
    '{"n_features": 3, "input_dtype": "float64", "nodes": [{"class_counts": [2.0, 1.0]}]}'
    >>> from_json(to_json(leaf)) == leaf
    True
    """
    return write_document(tree)


def write_document(tree: ArrayTree) -> str:
    """See :func:`treebounds.formats.to_json`."""
    nodes: list[dict[str, Any]] = []
    entry_name = "target_sums" if tree.is_regression else "class_counts"
    statistics = tree.statistics.tolist()
    thresholds = tree.threshold.tolist()
    sets = tree.left_categories
    for node in range(tree.n_nodes):
        entry: dict[str, Any] = {entry_name: statistics[node]}
        if not tree.is_leaf[node]:
            entry |= dict(zip(_WAYS, tree.children(node), strict=True)) | {
                "feature": int(tree.feature[node])
            }
            if sets is not None and tree.asks_for_category[node]:
                entry["categories"] = np.flatnonzero(sets[node]).tolist()
            else:
                limit = thresholds[node]
                entry["threshold"] = (
                    limit
                    if math.isfinite(limit)
                    else str(limit).replace("inf", "Infinity")
                )
            if tree.missing_go_to_left is not None:
                entry["missing"] = "left" if tree.missing_go_to_left[node] else "right"
        nodes.append(entry)
    names = {
        "feature_names": tree.feature_names,
        "classes": tree.classes,
        "category_names": tree.category_names,
    }
    document: dict[str, Any] = {"n_features": tree.n_features}
    document |= {entry: words for entry, words in names.items() if words is not None}
    document |= {"input_dtype": str(tree.input_dtype), "nodes": nodes}
    return json.dumps(document)


def _row(
    node: dict[str, Any], i: int, places: dict[Any, int], features: dict[Any, int]
) -> dict[str, Any]:
    """The entries of one node by the names of ``assemble``."""
    name = f"node {node.get('id', i)}"
    splits = "left" in node or "right" in node
    _refuse_unknown(
        node, _SPLIT if splits else _LEAF, name if splits else f"{name}, a leaf,"
    )
    row: dict[str, Any] = {
        "children_left": -1,
        "children_right": -1,
        "feature": -2,
        "threshold": 0.0,
    }
    row |= {
        "categories": None,
        **{name: node.get(name) for name in _STATISTICS},
        "missing_go_to_left": False,
    }
    if not splits:
        return row
    for entry in ("left", "right", "feature"):
        table, kind = (
            (features, "a feature")
            if entry == "feature"
            else (places, "the id of a node")
        )
        value = node.get(entry)
        known = not isinstance(value, (bool, float, list, dict)) and value in table
        _require(known, f"{entry} of {name}", kind, value)
        row[entry if entry == "feature" else f"children_{entry}"] = table[value]
    if ("threshold" in node) == ("categories" in node):
        raise ValueError(
            f"threshold or categories must be given at {name}, but not both"
        )
    chosen, limit = node.get("categories", [0]), node.get("threshold", 0)
    whole = (
        isinstance(chosen, list)
        and chosen
        and all(type(k) is int and k >= 0 for k in chosen)
    )
    _require(whole, f"categories of {name}", "a list of integers from 0", chosen)
    number = isinstance(limit, float) or (type(limit) is int and abs(limit) < 2**1023)
    _require(
        number or limit in ("Infinity", "-Infinity"),
        f"threshold of {name}",
        "a number",
        limit,
    )
    row |= {"categories": node.get("categories"), "threshold": float(limit)}
    way = (
        check_option(node["missing"], f"missing of {name}", _WAYS)
        if "missing" in node
        else None
    )
    return row | {"missing_go_to_left": way and way == "left"}


def _require(valid: Any, name: str, kind: str, value: Any) -> None:
    """Raise a ValueError that names the entry unless its value is valid."""
    if not valid:
        raise ValueError(f"{name} must be {kind}; got {value!r}")


def _category_names(entries: Any) -> dict[int, list[Any]] | None:
    """Names of categories by the number of the feature, or a ValueError."""
    if entries is None:
        return None
    check_instance(entries, "category_names", dict)
    for feature, names in entries.items():
        _require(
            str(feature).isdigit() and isinstance(names, list),
            f"category_names of {feature!r}",
            "a list, and the key the number of a feature",
            names,
        )
    return {int(feature): names for feature, names in entries.items()}


def _statistics(
    rows: list[Any], leaf: list[bool], name: str
) -> list[list[float]] | None:
    """Class counts or sums of y, with NaN at internal nodes if only leaves have them;
    None if no node has any.
    """
    has = [row is not None for row in rows]
    if not any(has):
        return None
    if not all(has) and has != leaf:
        raise ValueError(
            f"{name} must be given at all nodes, at all leaves and only there, or"
            " nowhere"
        )
    lengths = {
        len(row) if isinstance(row, list) else 0 for row in rows if row is not None
    }
    if len(lengths) != 1 or 0 in lengths:
        each = "class" if name == "class_counts" else "sum"
        raise ValueError(f"{name} must be lists of one number for each {each}")
    return [[math.nan] * max(lengths) if row is None else row for row in rows]


def _refuse_unknown(entries: dict[str, Any], known: set[str], name: str) -> None:
    """Raise a ValueError if some entries are not among the known ones."""
    if unknown := sorted(set(entries) - known):
        raise ValueError(f"{name} has unknown entries: {', '.join(unknown)}")
