"""Breiman's cost-complexity pruning: the path of a tree, and its choice by cross-validation.

Breiman et al. (1984), chapter 3. Training errors are counted, where scikit-learn's ``ccp_alpha`` counts
impurity.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treebounds._validation import check_option
from treebounds.capacity import log_all_structures_growth_bound
from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.weakest_link import WeakestLinkSequence, weakest_link_sequence

__all__ = ["CostComplexityPath", "cost_complexity_path"]

COMPLEXITIES = ("leaves", "growth")
CARRIES = ("errors", "fractions")
SELECTIONS = ("minimum", "one-standard-error")


class CostComplexityPath(NamedTuple):
    """The prunings of a tree that are best for some price of complexity, ever smaller, down to the root.

    Attributes
    ----------
    prices : (n_members,) array
        Member i is best for prices from ``prices[i]`` to ``prices[i + 1]``, in training errors per unit of
        complexity. The first is 0: its member has no more errors than the whole tree.
    steps : (n_members,) array of int
        Where the members stand in the weakest-link sequence.
    sequence : WeakestLinkSequence
    n_examples : float
        How many training examples there are, or their weight.
    """

    prices: NDArray[np.float64]
    steps: NDArray[np.int64]
    sequence: WeakestLinkSequence
    n_examples: float


def cost_complexity_path(tree: ArrayTree, complexity: str = "leaves") -> CostComplexityPath:
    """Minimal cost-complexity prunings, complexity being the leaves or the growth function.

    Parameters
    ----------
    tree : ArrayTree
    complexity : {"leaves", "growth"}
        "leaves" prices every leaf alike (Breiman et al. 1984, chapter 3). "growth" prices a tree by the
        logarithm of the growth function of all trees with as many leaves, at twice as many examples. That
        price is concave in the leaves, so that its best prunings are members of the weakest-link sequence.

    Returns
    -------
    CostComplexityPath

    Examples
    --------
    >>> from treebounds.pruning import cost_complexity_path
    >>> from treebounds.trees import ArrayTree
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, -1], children_right=[2, -1, -1], feature=[0, 0, 0], threshold=[0.5, 0, 0],
    ...     class_counts=[[3, 4], [3, 0], [0, 4]], n_features=1
    ... )
    >>> cost_complexity_path(tree).prices
    array([0., 3.])
    """
    check_option(complexity, "complexity", COMPLEXITIES)
    sequence = weakest_link_sequence(tree)
    errors, size = sequence.errors, sequence.n_leaves.astype(float)
    n_examples = float(tree.class_counts[0].sum())
    if complexity == "growth":
        sizes, m, of_tree = sequence.n_leaves.tolist(), int(n_examples), (tree.n_features, tree.n_classes)
        size = np.array([log_all_structures_growth_bound(L, 2 * max(m, L), *of_tree) for L in sizes])
    steps, prices = [int(np.searchsorted(sequence.alphas, 0.0, side="right")) - 1], [0.0]
    while steps[-1] < len(size) - 1:
        here, rest = steps[-1], np.arange(steps[-1] + 1, len(size))
        slopes = (errors[rest] - errors[here]) / (size[here] - size[rest])
        steps.append(int(rest[np.flatnonzero(slopes == slopes.min())[-1]]))
        prices.append(float(slopes.min()))
    return CostComplexityPath(np.array(prices), np.array(steps), sequence, n_examples)


def cross_validated_errors(
    path: CostComplexityPath, folds: Sequence[tuple[CostComplexityPath, NDArray[np.float64]]], carry: str
) -> NDArray[np.float64]:
    """Held-out errors of each member of a path, summed over the folds.

    A member is judged by what its price does to the trees of the folds: the geometric mean of the first and
    the last price at which it is best.

    Parameters
    ----------
    path : CostComplexityPath
        Of the tree grown on all examples.
    folds : sequence of (CostComplexityPath, (n_nodes,) array)
        For each fold the path of the tree grown without it, and that tree's ``held_out_errors`` on it.
    carry : {"errors", "fractions"}
        How a price goes to a fold's tree, which has seen fewer examples: as it is, or times the fraction of
        the examples that the tree has seen.

    Returns
    -------
    (n_members,) array of float
    """
    check_option(carry, "carry", CARRIES)
    if not folds:
        raise ValueError("folds must not be empty")
    prices = np.sqrt(path.prices * np.append(path.prices[1:], 0.0))
    prices[-1] = np.inf  # the root alone, best at every price beyond the last
    errors = np.zeros(len(prices))
    for fold, held_out in folds:
        share = fold.n_examples / path.n_examples if carry == "fractions" else 1.0
        members = np.searchsorted(fold.prices, share * prices, side="right") - 1
        errors += fold.sequence.along(held_out)[fold.steps[members]]
    return errors


def select_member(errors: NDArray[np.float64], n_examples: float, selection: str = "minimum") -> int:
    """Which member of a path to take, the trees getting smaller from one to the next.

    Parameters
    ----------
    errors : (n_members,) array
        See :func:`cross_validated_errors`.
    n_examples : float
        Held-out examples of all folds together.
    selection : {"minimum", "one-standard-error"}
        The smallest tree with the fewest errors, or with at most one standard error more (binomial, as if the
        examples were independent).

    Examples
    --------
    >>> import numpy as np
    >>> from treebounds.pruning.cost_complexity import select_member
    >>> errors = np.array([12.0, 10.0, 10.0, 13.0, 14.0])
    >>> select_member(errors, 100), select_member(errors, 100, "one-standard-error")
    (2, 3)
    """
    check_option(selection, "selection", SELECTIONS)
    rate = errors.min() / n_examples
    slack = np.sqrt(rate * (1 - rate) / n_examples) if selection == "one-standard-error" else 0.0
    return int(np.flatnonzero(errors / n_examples <= rate + slack)[-1])
