"""Breiman's cost-complexity pruning: the path of a tree, and its choice by
cross-validation.

Breiman et al. (1984), chapter 3. The cost is the number of training errors, whereas
scikit-learn's ``ccp_alpha`` uses impurity.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treebounds._validation import check_option
from treebounds.trees._statistics import weights_of_nodes
from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.weakest_link import (
    ROUNDING,
    WeakestLinkSequence,
    weakest_link_sequence,
)

CARRIES = ("errors", "fractions")
SELECTIONS = ("minimum", "one-standard-error")


class CostComplexityPath(NamedTuple):
    """The prunings of a tree that are best for some price of a leaf, from the largest
    to the root alone.

    Attributes
    ----------
    prices : (n_members,) array
        Member i is best for prices from ``prices[i]`` to ``prices[i + 1]``, in training
        errors, or squared errors, for each leaf. The first is 0: its member has no more
        errors than the whole tree.
    steps : (n_members,) array of int
        Positions of the members in the weakest-link sequence.
    sequence : WeakestLinkSequence
    n_examples : float
        Number of training examples, or their weight.
    """

    prices: NDArray[np.float64]
    steps: NDArray[np.int64]
    sequence: WeakestLinkSequence
    n_examples: float


def cost_complexity_path(
    tree: ArrayTree, costs: NDArray[np.float64] | None = None
) -> CostComplexityPath:
    """The minimal cost-complexity prunings of a tree by training errors, or squared
    errors (Breiman et al. 1984, chapter 3).

    >>> from treebounds.pruning.cost_complexity import cost_complexity_path
    >>> from treebounds.trees import ArrayTree
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     class_counts=[[3, 4], [3, 0], [0, 4]],
    ...     n_features=1,
    ... )
    >>> cost_complexity_path(tree).prices
    array([0., 3.])

    Parameters
    ----------
    tree : ArrayTree
    costs : (n_nodes,) array, optional
        The cost of each node as a leaf; ``tree.leaf_costs`` when not given.

    Returns
    -------
    CostComplexityPath
    """
    sequence = weakest_link_sequence(tree, costs)
    n_examples = float(weights_of_nodes(tree)[0])

    # If costs are not integers, prices that should be equal differ by rounding.
    largest = float(sequence.costs.max()) if tree.is_regression else n_examples
    rises = np.append(np.diff(sequence.alphas) > ROUNDING * largest, True)
    steps = np.flatnonzero(rises)
    steps = steps[steps >= sequence.step(0.0)]
    prices = np.append(0.0, sequence.alphas[steps[1:]])
    return CostComplexityPath(prices, steps, sequence, n_examples)


def cross_validated_errors(
    path: CostComplexityPath,
    folds: Sequence[tuple[CostComplexityPath, NDArray[np.float64]]],
    carry: str,
) -> NDArray[np.float64]:
    """Held-out errors of each member of a path, summed over the folds.

    The price of a member is the geometric mean of the first and the last price at which
    it is best. This price selects a tree in each fold, and the errors of these trees on
    the folds are those of the member.

    Parameters
    ----------
    path : CostComplexityPath
        The path of the tree grown on all examples.
    folds : sequence of (CostComplexityPath, (n_nodes,) array)
        For each fold the path of the tree grown without it, and that tree's
        ``held_out_errors`` on it.
    carry : {"errors", "fractions"}
        How a price carries over to a fold's tree, which was grown on fewer examples:
        "errors" leaves it unchanged, "fractions" multiplies it by the fraction of the
        examples that the tree was grown on.

    Returns
    -------
    (n_members,) array of float
    """
    check_option(carry, "carry", CARRIES)
    if not folds:
        raise ValueError("folds must not be empty")
    # A power of two keeps the products of large and of small prices within floats, and
    # rounds nothing.
    _, exponent = np.frexp(path.prices.max())
    scaled = np.ldexp(path.prices, -exponent)
    prices = np.ldexp(np.sqrt(scaled * np.append(scaled[1:], 0.0)), exponent)
    prices[-1] = np.inf  # The root alone is best at every higher price.

    errors = np.zeros(len(prices))
    for fold, held_out in folds:
        share = fold.n_examples / path.n_examples if carry == "fractions" else 1.0
        carried = share * prices * (1 + ROUNDING)
        members = np.searchsorted(fold.prices, carried, side="right") - 1
        errors += fold.sequence.along(held_out)[fold.steps[members]]
    return errors


def select_member(
    errors: NDArray[np.float64], n_examples: float, selection: str = "minimum"
) -> int:
    """The index of the member of a path to choose; each member is smaller than the one
    before.

    >>> import numpy as np
    >>> from treebounds.pruning.cost_complexity import select_member
    >>> errors = np.array([12.0, 10.0, 10.0, 13.0, 14.0])
    >>> select_member(errors, 100), select_member(errors, 100, "one-standard-error")
    (2, 3)

    Parameters
    ----------
    errors : (n_members,) array
        Held-out errors of each member, see :func:`cross_validated_errors`.
    n_examples : float
        Number of held-out examples in all folds together.
    selection : {"minimum", "one-standard-error"}
        The smallest tree with the fewest errors, or with at most one standard error
        more (binomial, as if the examples were independent).
    """
    check_option(selection, "selection", SELECTIONS)
    rate = errors.min() / n_examples
    slack = 0.0
    if selection == "one-standard-error":
        slack = np.sqrt(rate * (1 - rate) / n_examples)
    return int(np.flatnonzero(errors / n_examples <= rate + slack + ROUNDING)[-1])
