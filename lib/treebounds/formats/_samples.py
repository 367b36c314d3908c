"""Statistics of a tree whose model does not have them: given, or counted in a
sample.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds._labels import check_labels
from treebounds._row_order import check_same_order
from treebounds.formats._labels import class_indices, increasing_labels
from treebounds.formats._nodes import Nodes, assemble
from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.counting import counted


@dataclass(frozen=True, eq=False, kw_only=True)
class Sample:
    """What the caller of a reader says about the examples of a tree.

    Attributes
    ----------
    X, y, sample_weight, class_counts, target_sums, classes
        See :func:`treebounds.formats.from_lightgbm`.
    """

    X: Any = None
    y: Any = None
    sample_weight: ArrayLike | None = None
    class_counts: ArrayLike | None = None
    target_sums: ArrayLike | None = None
    classes: Any = None


def tree_of_sample(
    nodes: Nodes, sample: Sample, model_classes: Any, regression: bool
) -> ArrayTree:
    """The tree of a model with the statistics of a sample, counted in one pass.

    Parameters
    ----------
    nodes : Nodes
    sample : Sample
    model_classes : (n_classes,) array, or a number of classes, or None
        The labels of the model in increasing order, or their number if they are 0, 1,
        ...
    regression : bool
        Whether the model predicts numbers. If the caller names classes or gives
        statistics, these decide.
    """
    if sample.class_counts is not None or sample.target_sums is not None:
        return _with_given(nodes, sample, model_classes)
    _refuse_missing(sample)
    if regression and sample.classes is None:
        tree = assemble(nodes, target_sums=np.zeros((_n_nodes(nodes), 3)))
        return _counted(tree, _batches(sample))

    check_labels(sample.y)
    classes = model_classes if sample.classes is None else sample.classes
    if classes is None and sample.y is None:
        raise ValueError(
            "classes must be given with batches as X: the model does not have them"
        )
    labels = np.unique(sample.y) if classes is None else increasing_labels(classes)
    tree = assemble(
        nodes,
        class_counts=np.zeros((_n_nodes(nodes), len(labels))),
        classes=tuple(labels.tolist()),
    )
    return _counted(tree, _with_indices(_batches(sample), labels))


def _n_nodes(nodes: Nodes) -> int:
    """The number of nodes."""
    return len(np.asarray(nodes.children_left))


def _with_given(nodes: Nodes, sample: Sample, model_classes: Any) -> ArrayTree:
    """The tree with class counts or sums of y that the caller has."""
    arguments = (sample.X, sample.y, sample.sample_weight, sample.classes)
    if any(argument is not None for argument in arguments):
        raise ValueError(
            "X, y, sample_weight, classes must be None: class_counts or target_sums"
            " are already given"
        )
    if sample.target_sums is not None:
        return assemble(
            nodes, class_counts=sample.class_counts, target_sums=sample.target_sums
        )
    counts = np.asarray(sample.class_counts)
    classes = None
    if model_classes is not None:
        labels = increasing_labels(model_classes)
        if counts.shape[1:] == labels.shape:
            classes = tuple(labels.tolist())
    return assemble(nodes, class_counts=counts, classes=classes)


def _refuse_missing(sample: Sample) -> None:
    """Raise a ValueError unless there are X and y, or batches of them."""
    if sample.y is not None:
        return
    is_table = hasattr(sample.X, "shape") or isinstance(sample.X, list)
    if sample.X is None or (is_table and not _holds_pairs(sample.X)):
        raise ValueError(
            "y: the model does not tell the statistics of its nodes; give X and y to"
            " count them, or batches (X, y) as X"
        )
    if sample.sample_weight is not None:
        raise ValueError(
            "sample_weight must be None with batches as X: put the weights into the"
            " batches (X, y, sample_weight)"
        )


def _holds_pairs(X: Any) -> bool:
    """Whether a list holds batches, not rows."""
    return isinstance(X, list) and all(isinstance(batch, tuple) for batch in X)


def _batches(sample: Sample) -> Iterable[Sequence[Any]]:
    """The batches of a sample."""
    if sample.y is None:
        return sample.X  # type: ignore[no-any-return]
    check_same_order(X=sample.X, y=sample.y, sample_weight=sample.sample_weight)
    if sample.sample_weight is None:
        return [(sample.X, sample.y)]
    return [(sample.X, sample.y, sample.sample_weight)]


def _with_indices(
    batches: Iterable[Sequence[Any]], labels: NDArray[Any]
) -> Iterator[Sequence[Any]]:
    """The batches with indices of classes in place of labels."""
    for rows, y, *weights in batches:
        yield rows, class_indices(y, labels), *weights


def _counted(tree: ArrayTree, batches: Iterable[Sequence[Any]]) -> ArrayTree:
    """The tree with the statistics of all batches, or a ValueError if there is nothing
    to count.
    """
    with_statistics = counted(tree, batches)
    if not with_statistics.statistics.any():
        raise ValueError("X has no rows to count, or all have weight 0")
    return with_statistics
