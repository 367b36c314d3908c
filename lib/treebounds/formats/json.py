"""Trees as JSON documents, for libraries without a reader of their own.

A document is an object with

- ``n_features`` (int) or ``feature_names`` (list of words), or both;
- ``classes`` (list of labels in increasing order) and ``category_names`` (an object:
  for the number of a feature, the list of the names of its categories), if known;
- ``nodes``: a list of objects in any order, each with an ``id`` (a number or a word;
  its place in the list when no node has one). A leaf has no other entry than
  ``class_counts`` or ``target_sums``, and ``n_examples``. An internal node has
  ``left`` and ``right`` (ids), ``feature`` (a number from 0, or a name) and either
  ``threshold`` (a number, or "Infinity", "-Infinity") or ``categories`` (numbers from 0
  of the categories that go left; all others go right). It can have ``missing``, the
  side to which missing values go ("left" or "right");
- ``comparison``: "<=" (the default) or "<", the relation of a feature to the threshold
  that sends an example to the left;
- ``input_dtype``: "float64" (the default) or "float32", the type to which features are
  converted before the comparison;
- ``predicts``: "classes" (the default) or "numbers", for a document without the entries
  that follow;
- ``class_counts`` at every node, at the leaves alone, or nowhere; in a tree that
  predicts numbers ``target_sums`` in their place, three numbers: the weight of the
  examples, the sum of weight times y, and the sum of weight times the square of y;
- ``n_examples`` beside these entries, at every node or at the leaves alone: the number
  of the examples, if they have weights.

Any other entry is an error: surrogate splits and splits on sums of features are not
supported.
"""

from __future__ import annotations

import json
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from treebounds._validation import check_instance, check_integer, check_option, shown
from treebounds.formats._nodes import Nodes, assemble
from treebounds.formats._samples import Sample, tree_of_sample
from treebounds.formats.scikit_learn import as_array_tree
from treebounds.trees.array_tree import ArrayTree

__all__ = ["from_json", "to_json"]

_WAYS = ("left", "right")
_STATISTICS = ("class_counts", "target_sums")
_DOCUMENT = {
    "n_features",
    "feature_names",
    "classes",
    "category_names",
    "nodes",
    "comparison",
    "input_dtype",
    "predicts",
}
_LEAF = {"id", *_STATISTICS, "n_examples"}
_SPLIT = _LEAF | {"left", "right", "feature", "threshold", "categories", "missing"}

Entries = dict[str, Any]


class _Split(NamedTuple):
    """An internal node of a document: its entries, and its name in errors."""

    entries: Entries
    name: str


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
    where missing values go, class counts or sums of y or none.

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

    Parameters
    ----------
    document : str or dict
        JSON, or the result of ``json.loads``; numbers may be NumPy's.
    X, y, sample_weight, classes
        As in :func:`from_lightgbm`; only for a document without class counts and sums,
        otherwise a ValueError.

    Returns
    -------
    ArrayTree

    Raises
    ------
    ValueError
        If an entry of the document is missing, unknown or contradicts another one.
    """
    entries = _entries(document)
    nodes = read_document(entries)
    statistics = _statistics(entries["nodes"])
    model_classes = entries.get("classes")
    numbers = _example_counts(entries["nodes"])
    if not statistics:
        if numbers is not None:
            raise ValueError("n_examples needs class_counts or target_sums beside it")
        predicts = check_option(
            entries.get("predicts", "classes"), "predicts", ("classes", "numbers")
        )
        sample = Sample(X=X, y=y, sample_weight=sample_weight, classes=classes)
        return tree_of_sample(nodes, sample, model_classes, predicts == "numbers")

    if any(argument is not None for argument in (X, y, sample_weight, classes)):
        raise ValueError(
            "X, y, sample_weight, classes must be None: the class counts or the sums of"
            " y are already given"
        )
    return assemble(nodes, classes=model_classes, example_counts=numbers, **statistics)


def _entries(document: str | Entries) -> Entries:
    """The entries of a document, or a ValueError."""
    entries: Any = _parsed(document) if isinstance(document, str) else document
    check_instance(entries, "document", dict)
    _refuse_unknown(entries, _DOCUMENT, "document")
    return dict(entries)


def _parsed(text: str) -> Any:
    """The object that a text of JSON stands for, or a ValueError."""
    try:
        return json.loads(text, object_pairs_hook=_different_keys)
    except json.JSONDecodeError as error:
        hint = ""
        if "{" not in text:
            hint = "; give the text of a document, not the name of a file"
        raise ValueError(f"document is not valid JSON: {error}{hint}") from None
    except RecursionError:
        raise ValueError(
            "document is nested too deeply: nodes are a list, in which children are"
            " named by their ids"
        ) from None
    except ValueError as error:
        raise ValueError(f"document cannot be read: {error}") from None


def _different_keys(pairs: list[tuple[str, Any]]) -> Entries:
    """An object of JSON, or a ValueError if a key occurs twice."""
    entries = dict(pairs)
    if len(entries) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = sorted({key for key in keys if keys.count(key) > 1})
        raise ValueError(f"an object has the entry {', '.join(twice)} twice")
    return entries


def read_document(entries: Entries) -> Nodes:
    """The nodes of a document, in their order.

    Raises
    ------
    ValueError
        If an entry is missing, unknown or contradicts another one; the error names the
        entry and the node.
    """
    nodes: Any = entries.get("nodes")
    is_list = isinstance(nodes, list) and len(nodes) > 0
    if not is_list or not all(isinstance(node, dict) for node in nodes):
        raise ValueError("nodes must be a list of objects, one for each node")
    n_features, names = _features(entries)
    comparison = check_option(
        entries.get("comparison", "<="), "comparison", ("<=", "<")
    )
    places = _places_of_ids(nodes)
    splits = [_split(node, i) for i, node in enumerate(nodes)]
    return Nodes(
        children_left=_children(splits, "left", places),
        children_right=_children(splits, "right", places),
        feature=_tested_features(splits, n_features, names),
        threshold=[_threshold(split) for split in splits],
        missing_go_to_left=_missing_ways(splits),
        left_categories=_categories(splits),
        n_features=n_features,
        strict=comparison == "<",
        input_dtype=check_option(
            entries.get("input_dtype", "float64"),
            "input_dtype",
            ("float64", "float32"),
        ),
        feature_names=names or None,
        category_names=_category_names(entries.get("category_names")),
    )


def _features(entries: Entries) -> tuple[int, list[str]]:
    """The number of features and their names, which may be missing."""
    names = entries.get("feature_names")
    if names is None:
        names = []
    n_features = None
    if isinstance(names, list) and all(isinstance(name, str) for name in names):
        n_features = entries.get("n_features", len(names))
    # Without names, any number will do.
    if not n_features or (names and not len(set(names)) == len(names) == n_features):
        raise ValueError(
            "n_features or different feature_names must be given; if both are, they"
            " must agree"
        )
    return check_integer(n_features, "n_features"), names


def _places_of_ids(nodes: list[Entries]) -> dict[Any, int]:
    """The place in the list of each id."""
    places = {}
    for place, node in enumerate(nodes):
        identifier = _plain(node.get("id", place))
        if isinstance(identifier, int | float | str):
            places[identifier] = place
    if len(places) != len(nodes):
        raise ValueError("id must be a number or a word, and different for every node")
    return places


def _plain(value: Any) -> Any:
    """A number of Python in place of one of NumPy."""
    return value.item() if isinstance(value, np.generic) else value


def _split(node: Entries, place: int) -> _Split | None:
    """An internal node, or None for a leaf."""
    name = f"node {node.get('id', place)}"
    if "left" not in node and "right" not in node:
        _refuse_unknown(node, _LEAF, f"{name}, a leaf,")
        return None
    _refuse_unknown(node, _SPLIT, name)
    if ("threshold" in node) == ("categories" in node):
        raise ValueError(
            f"threshold or categories must be given at {name}, but not both"
        )
    entries = {entry: _plain(value) for entry, value in node.items()}
    return _Split(entries, name)


def _children(
    splits: list[_Split | None], side: str, places: dict[Any, int]
) -> list[int]:
    """The places of the children on one side; -1 at leaves."""
    children = []
    for split in splits:
        if split is None:
            children.append(-1)
            continue
        value = split.entries.get(side)
        is_id = not isinstance(value, bool | list | dict) and value in places
        _require(is_id, f"{side} of {split.name}", "the id of a node", value)
        children.append(places[value])
    return children


def _tested_features(
    splits: list[_Split | None], n_features: int, names: list[str]
) -> list[int]:
    """The features that the nodes test."""
    numbers = {name: i for i, name in enumerate(names)}
    features = []
    for split in splits:
        if split is None:
            features.append(-2)
            continue
        value: Any = split.entries.get("feature")
        if isinstance(value, str):
            _require(value in numbers, f"feature of {split.name}", "a feature", value)
            value = numbers[value]
        whole = isinstance(value, int) and not isinstance(value, bool)
        inside = whole and 0 <= value < n_features
        _require(inside, f"feature of {split.name}", "a feature", value)
        features.append(value)
    return features


def _threshold(split: _Split | None) -> float:
    """The threshold of a node; 0 at a leaf, or if it splits by categories."""
    if split is None:
        return 0.0
    limit = split.entries.get("threshold", 0)
    is_float = isinstance(limit, float)
    is_whole = isinstance(limit, int) and not isinstance(limit, bool)
    # A whole number that is rounded would pass values that it divides.
    number = is_float or (is_whole and abs(limit) < 2**1023 and float(limit) == limit)
    wanted = "a number"
    if is_whole:
        wanted = "a number that a float can hold"
    _require(
        number or limit in ("Infinity", "-Infinity"),
        f"threshold of {split.name}",
        wanted,
        limit,
    )
    return float(limit)


def _categories(splits: list[_Split | None]) -> dict[int, list[int]]:
    """The categories that go left, by the place of the node."""
    sets = {}
    for place, split in enumerate(splits):
        if split is None or "categories" not in split.entries:
            continue
        numbers = split.entries["categories"]
        if isinstance(numbers, np.ndarray):
            numbers = numbers.tolist()
        if isinstance(numbers, list):
            numbers = [_plain(number) for number in numbers]
        whole = isinstance(numbers, list) and all(
            type(number) is int and 0 <= number < 2**53 for number in numbers
        )
        _require(
            whole,
            f"categories of {split.name}",
            "a list of integers from 0 to 2**53 - 1",
            numbers,
        )
        sets[place] = numbers
    return sets


def _missing_ways(splits: list[_Split | None]) -> list[bool] | None:
    """Whether missing values go left at each node; None if no node says it."""
    internal = [split for split in splits if split is not None]
    telling = [split for split in internal if "missing" in split.entries]
    for split in telling:
        check_option(split.entries["missing"], f"missing of {split.name}", _WAYS)
    if not telling:
        return None
    if len(telling) != len(internal):
        raise ValueError("missing must be given at every internal node or at none")
    return [
        split is not None and split.entries["missing"] == "left" for split in splits
    ]


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


def _statistics(nodes: list[Entries]) -> dict[str, list[list[float]]]:
    """Class counts or sums of y by the name of the entry, with NaN at internal nodes if
    only leaves have them; empty if no node has any.
    """
    present = [
        name
        for name in _STATISTICS
        if any(node.get(name) is not None for node in nodes)
    ]
    if len(present) > 1:
        raise ValueError("class_counts or target_sums may be given, not both")
    return {name: _columns(nodes, name) for name in present}


def _columns(nodes: list[Entries], name: str) -> list[list[float]]:
    """The statistics of all nodes."""
    rows = list(map(_as_list, _at_all_or_leaves(nodes, name)))
    lengths = {len(row) for row in rows if row is not None}
    if len(lengths) != 1 or 0 in lengths:
        each = "class" if name == "class_counts" else "sum"
        raise ValueError(f"{name} must be lists of one number for each {each}")
    unknown = [math.nan] * max(lengths)
    return [row or unknown for row in rows]


def _as_list(row: Any) -> list[float] | None:
    """The statistics of a node as a list; an empty one if they have no such form."""
    if isinstance(row, np.ndarray):
        row = row.tolist()
    if row is None or isinstance(row, list):
        return row
    return []


def _at_all_or_leaves(nodes: list[Entries], name: str) -> list[Any]:
    """An entry of each node; None at internal nodes if only leaves have it."""
    values = [node.get(name) for node in nodes]
    has = [value is not None for value in values]
    leaf = ["left" not in node for node in nodes]
    if not all(has) and has != leaf:
        raise ValueError(
            f"{name} must be given at all nodes, at all leaves and only there, or"
            " nowhere"
        )
    return values


def _example_counts(nodes: list[Entries]) -> list[float] | None:
    """The number of examples at each node, with NaN at internal nodes if only leaves
    have it; None if no node has it.
    """
    if all(node.get("n_examples") is None for node in nodes):
        return None
    numbers = []
    for value in map(_plain, _at_all_or_leaves(nodes, "n_examples")):
        is_number = type(value) is int and 0 <= value < 2**53
        _require(
            is_number or value is None,
            "n_examples",
            "a whole number from 0 to 2**53 - 1",
            value,
        )
        if value is None:
            value = math.nan
        numbers.append(float(value))
    return numbers


def _require(valid: bool, name: str, kind: str, value: Any) -> None:
    """Raise a ValueError that names the entry unless its value is valid."""
    if not valid:
        raise ValueError(f"{name} must be {kind}; got {shown(value)}")


def _refuse_unknown(entries: Entries, names: set[str], name: str) -> None:
    """Raise a ValueError if some entries are not among the known ones."""
    if unknown := sorted(set(entries) - names):
        raise ValueError(
            f"{name} has unknown entries: {', '.join(unknown)}; it may have"
            f" {', '.join(sorted(names))}"
        )


def to_json(tree: Any) -> str:
    """A tree as a JSON document that :func:`from_json` reads.

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
    '{"n_features": 3, "input_dtype": "float64", "nodes": [{"class_counts": [2.0,
    1.0]}]}'
    >>> from_json(to_json(leaf)) == leaf
    True

    Parameters
    ----------
    tree : ArrayTree, DecisionTreeClassifier or DecisionTreeRegressor
        A scikit-learn tree is fitted.

    Returns
    -------
    str
        With the names of features, classes and categories that the tree has.

    Raises
    ------
    ValueError
        If ``tree`` is of another kind, or a node does not tell its statistics, see
        :func:`from_sklearn`; or if a class or a category is something else than a word,
        a number or a truth value, such as a date.
    """
    tree = as_array_tree(tree)
    names = {
        "feature_names": tree.feature_names,
        "classes": tree.classes,
        "category_names": tree.category_names,
    }
    document: Entries = {"n_features": tree.n_features}
    document |= {entry: words for entry, words in names.items() if words is not None}
    document["input_dtype"] = str(tree.input_dtype)
    document["nodes"] = [_written(tree, node) for node in range(tree.n_nodes)]
    return json.dumps(document, default=_name)


def _name(value: Any) -> Any:
    """A class or category that is a number of NumPy as one of Python, or a ValueError:
    a date would be read as another label, if at all.
    """
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        return value.item()
    raise ValueError(
        "classes and category_names must be words, numbers or truth values in JSON;"
        f" got {shown(value)}. Give the tree words in place of them"
    )


def _written(tree: ArrayTree, node: int) -> Entries:
    """The entries of one node."""
    name = "target_sums" if tree.is_regression else "class_counts"
    entries: Entries = {name: tree.statistics[node].tolist()}
    if tree.example_counts is not None:
        entries["n_examples"] = int(tree.example_counts[node])
    if tree.is_leaf[node]:
        return entries
    entries["left"], entries["right"] = tree.children(node)
    entries["feature"] = int(tree.feature[node])
    if tree.left_categories is not None and node in tree.left_categories:
        entries["categories"] = tree.left_categories[node].tolist()
    else:
        limit = float(tree.threshold[node])
        entries["threshold"] = limit
        if math.isinf(limit):
            entries["threshold"] = str(limit).replace("inf", "Infinity")
    if tree.missing_go_to_left is not None:
        entries["missing"] = "left" if tree.missing_go_to_left[node] else "right"
    return entries
