"""One tree of a LightGBM model, read from the model's own text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds.formats._boosters import booster_of, check_has_trees, choose_tree
from treebounds.formats._nodes import Nodes
from treebounds.formats._samples import Sample, tree_of_sample
from treebounds.trees.array_tree import ArrayTree

__all__ = ["all_lightgbm_trees", "from_lightgbm", "read_lightgbm"]

# With these objectives, labels are classes; what a function as objective is for cannot
# be known, and is taken for classes, too.
_CLASSIFICATION = {
    "binary",
    "multiclass",
    "multiclassova",
    "cross_entropy",
    "cross_entropy_lambda",
    "custom",
}

# LightGBM replaces values as small as this by 0 before it compares them.
_SMALL = float(np.float32(1e-35))

# What counts as missing, in two bits of the type of a decision.
_ZERO = 1
_NAN = 2

Fields = Mapping[str, str]


def from_lightgbm(
    model: Any,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    tree: int | None = None,
    sample_weight: ArrayLike | None = None,
    class_counts: ArrayLike | None = None,
    target_sums: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> ArrayTree:
    """One tree of a LightGBM model, with the class counts or the sums of y of a sample.

    It sends every example to the leaf that ``predict(pred_leaf=True)`` returns: leaf i
    is node ``n_internal_nodes + i``. A leaf predicts the class with the largest count,
    or the mean of y, of the sample, whereas LightGBM adds the leaf's score, which is
    shrunken, to those of other trees.

    >>> import lightgbm
    >>> from treebounds.formats import from_lightgbm
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 10, [0, 0, 1, 1] * 10
    >>> model = lightgbm.LGBMClassifier(n_estimators=1, num_leaves=2, verbose=-1).fit(
    ...     X, y
    ... )
    >>> from_lightgbm(model, X, y).class_counts.tolist()
    [[20.0, 20.0], [20.0, 0.0], [0.0, 20.0]]

    Parameters
    ----------
    model : lightgbm.Booster, lightgbm.LGBMClassifier or lightgbm.LGBMRegressor
    X : (n_examples, n_features) array or frame, or an iterable of batches
        Rows that are counted, in one pass. Batches are pairs (X, y) or triples (X, y,
        sample_weight); the arguments y and sample_weight are then None. Columns of
        categories become the numbers that the model gives to them.
        Give those that the tree was grown on: :func:`treebounds.certify` takes the rows
        that were counted for them, and recognizes no others.
    y : (n_examples,) array
        Labels; those of a Booster are 0, 1, ... Numbers, if the objective is one of
        regression or ranking; then give ``classes`` if they are labels all the same.
    tree : int, optional
        Number of the tree, from 0; needed if the model has several. After early
        stopping, those of the best iteration count.
    sample_weight : (n_examples,) array, optional
    class_counts : (n_nodes, n_classes) array, optional
        Replaces X, y and classes; from :func:`treebounds.trees.count_classes`, or
        zeros if the classes are to be counted later.
    target_sums : (n_nodes, 3) array, optional
        The same for a tree of numbers; from
        :func:`treebounds.trees.count_statistics`.
    classes : (n_classes,) array, optional
        All labels in increasing order, if they differ from the model's.

    Returns
    -------
    ArrayTree

    Raises
    ------
    ValueError
        If the model has no trees, has several and ``tree`` is missing, or has linear
        trees; or if columns differ from the model's, or a label is not among its
        classes.
    """
    sample = Sample(
        X=X,
        y=y,
        sample_weight=sample_weight,
        class_counts=class_counts,
        target_sums=target_sums,
        classes=classes,
    )
    nodes, objective, model_classes = read_lightgbm(model, tree, frame=X)
    regression = objective not in _CLASSIFICATION and model_classes is None
    return tree_of_sample(nodes, sample, model_classes, regression)


def read_lightgbm(
    model: Any, tree: int | None = None, frame: Any = None
) -> tuple[Nodes, str, Any]:
    """The nodes of one tree, internal nodes before leaves, the objective of the model
    and its classes.

    Parameters
    ----------
    model : lightgbm.Booster or a wrapper of one
    tree : int, optional
        Number of the tree, from 0; needed if the model has several.
    frame : data frame, optional
        One with the columns that the model was fitted to. LightGBM keeps the names of
        categories, but not of their columns.

    Returns
    -------
    nodes : Nodes
        Leaf i has row n_internal_nodes + i.
    objective : str
    classes : array, int or None
        Labels, or the number of classes if the model has no labels; None for a model
        of numbers.

    Raises
    ------
    ValueError
        If the model has no trees, has linear models at its leaves, or treats zeros as
        missing values and sends them to another side than the threshold would.
    """
    booster = booster_of(model, "LightGBM", "LGBMModel")
    width = booster.num_model_per_iteration()
    n_trees = booster.num_trees()
    if booster.best_iteration > 0:
        n_trees = min(n_trees, booster.best_iteration * width)
    number = choose_tree(tree, n_trees)

    header, trees = _text(booster, start_iteration=number // width, num_iteration=1)
    objective = _objective(header)
    classes = getattr(model, "classes_", None)
    if classes is None and objective in _CLASSIFICATION:
        classes = max(2, int(header["num_class"]))
    category_names = _category_names(booster, header, frame)
    nodes = _nodes(trees[number % width], header, category_names)
    nodes = replace(nodes, feature_names=_names_of_frame(nodes.feature_names, frame))
    return nodes, objective, classes


def all_lightgbm_trees(model: Any) -> tuple[list[Nodes], str, int]:
    """The nodes of all trees of a model, its objective, and the number of its
    outputs.
    """
    header, trees = _text(booster_of(model, "LightGBM", "LGBMModel"))
    check_has_trees(len(trees))
    nodes = [_nodes(fields, header) for fields in trees]
    return nodes, _objective(header), int(header["num_tree_per_iteration"])


def _text(booster: Any, **rounds: int) -> tuple[Fields, list[Fields]]:
    """The entries of the header of a model, and the entries of each of its trees."""
    text = booster.model_to_string(**rounds)
    # After the trees come importances, lines of the form column=number: a column may
    # have the name of an entry.
    before, _, _ = text.partition("\nend of trees")
    head, *trees = before.split("\nTree=")
    return _pairs(head), [_pairs(tree) for tree in trees]


def _pairs(lines: str) -> Fields:
    """The names and values of lines of the form name=value."""
    parts = [line.partition("=") for line in lines.splitlines()]
    return {name: value for name, _, value in parts}


def _objective(header: Fields) -> str:
    """The name of the objective."""
    return header.get("objective", "custom").split(" ")[0]


def _category_names(
    booster: Any, header: Fields, frame: Any
) -> dict[int, Sequence[Any]]:
    """The names of the numbers of categories, for the features where they are known.

    LightGBM keeps them in the order of the features, but not of which features.
    """
    lists = booster.pandas_categorical or []
    if not lists:
        return {}

    features = _categorical_columns(frame)
    if not features:
        features = _unordered_features(header)
    elif len(features) != len(lists):
        raise ValueError(
            f"X must have {len(lists)} categorical columns, as the frame that the model"
            f" was fitted to; it has {len(features)}"
        )
    else:
        features = _in_model(features, frame, header)

    are_known = len(features) == len(lists)
    return dict(zip(features, lists, strict=True)) if are_known else {}


def _categorical_columns(frame: Any) -> list[int]:
    """The places of the columns of categories; none if this is not a frame."""
    dtypes = enumerate(getattr(frame, "dtypes", ()))
    return [place for place, dtype in dtypes if str(dtype) == "category"]


def _in_model(places: list[int], frame: Any, header: Fields) -> list[int]:
    """The features of a model that columns of a frame are, by their names if it has
    any.
    """
    own = _feature_names(header)
    if own is None:
        return places
    names = [_without_blanks(str(name)) for name in frame.columns]
    return sorted(own.index(names[i]) for i in places if names[i] in own)


def _unordered_features(header: Fields) -> list[int]:
    """The features whose numbers of categories are in the header, as in "0:1:4": those
    of categories without an order.
    """
    infos = header["feature_infos"].split(" ")
    return [feature for feature, info in enumerate(infos) if re.match(r"-?\d", info)]


def _without_blanks(name: str) -> str:
    """The name of a column as LightGBM writes it."""
    return name.replace(" ", "_")


def _feature_names(header: Fields) -> list[str] | None:
    """The names of the columns, or None if the model was fitted without names."""
    names = header["feature_names"].split(" ")
    unnamed = [f"Column_{i}" for i in range(len(names))]
    return None if names == unnamed else names


def _names_of_frame(names: Sequence[str] | None, frame: Any) -> Sequence[str] | None:
    """The names of the columns as a frame has them: LightGBM writes blanks as "_"."""
    columns = list(getattr(frame, "columns", ()))
    if names is None or not all(isinstance(column, str) for column in columns):
        return names
    own = {_without_blanks(column): column for column in columns}
    return [own.get(name, name) for name in names]


@dataclass(frozen=True, eq=False)
class _Splits:
    """The internal nodes of a tree.

    ``missing`` says which values count as missing: none (0), zeros (1) or NaN (2).
    """

    feature: NDArray[np.int64]
    threshold: NDArray[np.float64]
    by_category: NDArray[np.bool_]
    default_left: NDArray[np.bool_]
    missing: NDArray[np.int64]

    @property
    def zero_left(self) -> NDArray[np.bool_]:
        """Whether the value 0 goes left."""
        return self.threshold >= 0


def _nodes(
    fields: Fields,
    header: Fields,
    category_names: dict[int, Sequence[Any]] | None = None,
) -> Nodes:
    """The nodes of a tree from its lines of text."""
    if fields.get("is_linear", "0") != "0":
        raise ValueError(
            "model: linear_tree is not supported, because its leaves hold linear"
            " models; fit without it"
        )
    n_leaves = int(fields["num_leaves"])
    splits = _splits(fields, n_leaves - 1)
    _refuse_moved_zeros(splits)

    n_nodes = 2 * n_leaves - 1
    threshold = np.where(splits.by_category, 0.0, _thresholds(splits))
    return Nodes(
        children_left=_children(fields, "left_child", n_leaves),
        children_right=_children(fields, "right_child", n_leaves),
        feature=_with_leaves(splits.feature, n_nodes, -2),
        threshold=_with_leaves(threshold, n_nodes, -2.0),
        missing_go_to_left=_with_leaves(_missing_left(splits), n_nodes, False),
        left_categories=_left_categories(fields, splits),
        n_features=int(header["max_feature_idx"]) + 1,
        feature_names=_feature_names(header),
        category_names=category_names,
    )


def _splits(fields: Fields, n_internal: int) -> _Splits:
    """The internal nodes of a tree; the type of a decision is a number of bits."""
    decision = _numbers(fields, "decision_type", np.int64, n_internal)
    return _Splits(
        feature=_numbers(fields, "split_feature", np.int64, n_internal),
        threshold=_numbers(fields, "threshold", np.float64, n_internal),
        by_category=decision & 1 == 1,
        default_left=decision & 2 == 2,
        missing=decision >> 2 & 3,
    )


def _thresholds(splits: _Splits) -> NDArray[np.float64]:
    """The thresholds, moved where LightGBM compares small values as 0."""
    small = np.abs(splits.threshold) <= _SMALL
    for_zero = np.where(splits.zero_left, _SMALL, np.nextafter(-_SMALL, -1))
    return np.where(small, for_zero, splits.threshold)


def _missing_left(splits: _Splits) -> NDArray[np.bool_]:
    """Whether NaN goes left. If only zeros count as missing, or no value does, LightGBM
    treats NaN as 0.
    """
    left = np.where(splits.missing == _NAN, splits.default_left, splits.zero_left)
    return left & ~splits.by_category


def _refuse_moved_zeros(splits: _Splits) -> None:
    """Raise a ValueError if zeros count as missing and go where no threshold sends
    them.
    """
    zeros = ~splits.by_category & (splits.missing == _ZERO)
    if (zeros & (splits.default_left != splits.zero_left)).any():
        raise ValueError(
            "model: zero_as_missing is supported only if zeros go where the threshold"
            " sends 0; put NaN in their place and fit without zero_as_missing"
        )


def _left_categories(
    fields: Fields, splits: _Splits
) -> dict[int, NDArray[np.int64]] | None:
    """The categories that go left, which LightGBM keeps as bits of 32-bit words."""
    nodes = np.flatnonzero(splits.by_category).tolist()
    if not nodes:
        return None
    bounds = np.fromstring(fields["cat_boundaries"], dtype=np.int64, sep=" ")
    words = np.fromstring(fields["cat_threshold"], dtype=np.uint32, sep=" ")
    sets = {}
    for node in nodes:
        # The threshold of such a node is the number of its set.
        number = int(splits.threshold[node])
        sets[node] = _set_bits(words[bounds[number] : bounds[number + 1]])
    return sets


def _set_bits(words: NDArray[np.uint32]) -> NDArray[np.int64]:
    """The numbers of the bits that are 1, the lowest bit of the first word being 0."""
    # Category numbers may be large, and nearly all words empty.
    places = np.flatnonzero(words)
    bits = np.unpackbits(words[places].astype("<u4").view(np.uint8), bitorder="little")
    row, bit = np.nonzero(bits.reshape(-1, 32))
    return places[row] * 32 + bit


def _children(fields: Fields, name: str, n_leaves: int) -> NDArray[np.int64]:
    """The children on one side; LightGBM writes ~i for leaf i."""
    n_internal = n_leaves - 1
    child = _numbers(fields, name, np.int64, n_internal)
    child = np.where(child < 0, n_internal - 1 - child, child)
    return _with_leaves(child, 2 * n_leaves - 1, -1)


def _numbers(fields: Fields, name: str, dtype: Any, length: int) -> NDArray[Any]:
    """The values of a line, or an empty array for a tree of one leaf."""
    if length == 0:
        return np.empty(0, dtype)
    return np.array(fields[name].split(), dtype=np.float64).astype(dtype)


def _with_leaves(values: NDArray[Any], n_nodes: int, at_leaves: Any) -> NDArray[Any]:
    """The values of the internal nodes, followed by the same value for every leaf."""
    n_leaves = n_nodes - len(values)
    return np.append(values, np.full(n_leaves, at_leaves, dtype=values.dtype))
