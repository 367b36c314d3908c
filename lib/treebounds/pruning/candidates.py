"""The prunings of one tree with the smallest certificates.

A certificate rises with the errors and, but for details of the code, concavely with the leaves. So the best
of all prunings is, up to those details, a member of the weakest-link sequence. The certificates here hold for
all trees at once, so the smallest one along the sequence holds, too.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from treebounds.capacity.closed import log_binomial
from treebounds.capacity.features import FeatureKinds
from treebounds.risk.certificate import growth_bound
from treebounds.risk.compression import Compression, compress_tree
from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.weakest_link import WeakestLinkSequence, weakest_link_sequence


def message_candidates(
    tree: ArrayTree, X: NDArray, y: NDArray[np.int64], delta: float = 0.05
) -> list[Compression]:
    """Prunings of a tree along the weakest-link sequence as messages, smallest tree first.

    Those that are too large for a smaller certificate than the best one are left out.

    Parameters
    ----------
    tree : ArrayTree
    X : (m, l) array of float32
    y : (m,) array of int
        Indices of the classes.
    delta : float

    Returns
    -------
    list of Compression
        At least that of the root alone.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.pruning.candidates import message_candidates
    >>> from treebounds.trees import ArrayTree
    >>> X, y = load_wine(return_X_y=True)
    >>> tree = ArrayTree.from_sklearn(DecisionTreeClassifier(random_state=0).fit(X, y))
    >>> [one.tree.n_leaves for one in message_candidates(tree, X.astype(np.float32), y)]
    [1, 2, 3, 4, 5, 8]
    """
    sequence = weakest_link_sequence(tree)
    found: list[Compression] = []
    for step in range(len(sequence.alphas) - 1, -1, -1):
        N = int(sequence.n_leaves[step]) - 1
        if len(y) <= N:
            break
        # even without errors no larger tree can have a smaller certificate than this
        least = log_binomial(len(y), N) + N * math.log(X.shape[1]) - math.log(delta)
        if found and -math.expm1(-least / (len(y) - N)) > min(one.value for one in found):
            break
        found.append(compress_tree(tree.collapse(sequence.nodes(step)), X, y, tree.n_classes, delta))
    return found


def growth_candidates(
    tree: ArrayTree, n_examples: int, n_features: int | FeatureKinds, delta: float = 0.05
) -> tuple[WeakestLinkSequence, NDArray[np.float64]]:
    """The weakest-link sequence of a tree on its own examples, and the growth bound of each member.

    Parameters
    ----------
    tree : ArrayTree
        Its class counts are those of the sample.
    n_examples : int
    n_features : int or FeatureKinds
    delta : float

    Returns
    -------
    sequence : WeakestLinkSequence
    bounds : (n_members,) array of float
        Not clipped at 1.

    Examples
    --------
    >>> from treebounds.pruning.candidates import growth_candidates
    >>> from treebounds.trees import ArrayTree
    >>> stump = ArrayTree(
    ...     children_left=[1, -1, -1], children_right=[2, -1, -1], feature=[0, 0, 0], threshold=[0.5, 0, 0],
    ...     class_counts=[[60, 60], [60, 0], [0, 60]], n_features=1
    ... )
    >>> sequence, bounds = growth_candidates(stump, n_examples=120, n_features=1)
    >>> sequence.n_leaves, bool(bounds[0] < bounds[1])
    (array([2, 1]), True)
    """
    sequence = weakest_link_sequence(tree)
    bounds = [
        growth_bound(L, n_examples, round(k), tree.n_classes, n_features, delta)
        for L, k in zip(sequence.n_leaves.tolist(), sequence.errors, strict=True)
    ]
    return sequence, np.array(bounds)
