"""Pruning by minimizing a risk bound: Algorithm 3 of Leboeuf et al., and an exact minimum.

Two rules share one bound, Equation 8. For a growth function of single structures the tree is pruned greedily,
as in the paper. For the growth function of all structures with L leaves together the penalty is a concave
function of L, so that the best of *all* prunings lies on the weakest-link sequence and is found in one pass.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds._validation import check_number, check_option, require
from treebounds.capacity import FeatureKinds, log_all_structures_growth_bound, log_growth_function_bound
from treebounds.capacity.growth import FORMS
from treebounds.pruning.growth_of_cuts import GrowthOfCuts
from treebounds.risk.growth_bounds import n_orders
from treebounds.risk.shawe_taylor import (
    log_geometric_prior,
    log_leaves_prior,
    log_structure_prior,
    shawe_taylor_bound,
)
from treebounds.trees.array_tree import ArrayTree, check_array_tree
from treebounds.trees.errors import held_out_errors
from treebounds.trees.weakest_link import weakest_link_sequence

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Bound", "BoundPath", "ShaweTaylorRule"]

CAPACITIES = ("all-structures", *FORMS)
ERROR_PRIOR_RATIO = 2**-5

# of a tree and of those in which one node is cut; of arrays of leaves, errors and log growth
GrowthFunctions = Callable[[ArrayTree], tuple[float, NDArray[np.float64]]]
BoundsOfTrees = Callable[..., NDArray[np.float64]]

# Equal structures give equal floats; this catches equal bounds that were summed in another order.
_TIE = 1e-13


@dataclass(frozen=True)
class Bound:
    """The value of Equation 8 for one tree, and what it is worth; ``float()`` and ``str()`` of it.

    Attributes
    ----------
    value : float
        Not clipped at 1.
    capacity : str
    delta : float
    n_examples : int
    n_errors : float
    flaw : str
        Why the value bounds no risk; empty if it does.
    fixed : str
        What has to be set before the examples are seen.

    Examples
    --------
    >>> from treebounds.pruning import Bound
    >>> print(Bound(0.25, "all-structures", 0.05, 1000, 3.0))
    With probability 0.95 over samples of 1000 independent examples, this tree errs on at most 25.0% of new
    cases, provided that delta and error_prior_ratio were set before the examples were seen and the classes
    were known (Equation 8, all-structures).
    >>> print(Bound(0.25, "loose", 0.05, 1000, 3.0, "the form leaves out a term"))
    0.25 is not a certificate: the form leaves out a term (Equation 8, loose).
    """

    value: float
    capacity: str
    delta: float
    n_examples: int
    n_errors: float
    flaw: str = ""
    fixed: str = "delta and error_prior_ratio"

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        source = f"(Equation 8, {self.capacity})"
        if self.flaw:
            return f"{self.value:.3g} is not a certificate: {self.flaw} {source}."
        if self.value >= 1:
            return f"This bound, {self.value:.3g}, is not below 1 and promises nothing {source}."
        percent = math.ceil(1000 * self.value) / 10  # a smaller number would not be promised
        return (
            f"With probability {1 - self.delta:.4g} over samples of {self.n_examples} independent examples, "
            f"this tree errs on at most {percent:.1f}% of new cases, provided that {self.fixed} were set "
            f"before the examples were seen and the classes were known {source}."
        )


@dataclass(frozen=True, eq=False)
class BoundPath:
    """What pruning by a bound went through, from the full tree on.

    Attributes
    ----------
    n_leaves : (n_steps,) array of int
        Strictly decreasing.
    n_errors : (n_steps,) array of float
    bounds : (n_steps,) array of float
    steps : (n_nodes,) array of int
        In which step each node of the full tree becomes a leaf; n_steps for those that never do.
    chosen : int, optional
        The step that is kept when that is not the one with the smallest bound.
    """

    n_leaves: NDArray[np.int64]
    n_errors: NDArray[np.float64]
    bounds: NDArray[np.float64]
    steps: NDArray[np.int64]
    chosen: int | None = None

    @property
    def best(self) -> int:
        """The step that is kept, ``chosen`` or else the smallest bound, of equal ones the smallest tree."""
        last = len(self.bounds) - 1
        return last - int(np.argmin(self.bounds[::-1])) if self.chosen is None else self.chosen

    def nodes(self, step: int | None = None) -> NDArray[np.int64]:
        """The nodes of the full tree to collapse for the tree of one step.

        Parameters
        ----------
        step : int, optional
            :attr:`best` when not given.

        Returns
        -------
        (n_cut,) array of int
        """
        return np.flatnonzero(self.steps <= (self.best if step is None else step))

    def to_frame(self) -> pd.DataFrame:
        """A data frame with one row a step: leaves, errors, bound, and whether it is kept. Needs pandas."""
        kept = np.arange(len(self.bounds)) == self.best
        columns = {"n_leaves": self.n_leaves, "n_errors": self.n_errors, "bound": self.bounds, "kept": kept}
        return require("pandas", "pandas").DataFrame(columns)


@dataclass(frozen=True)
class ShaweTaylorRule:
    """Prune to minimize Equation 8 of Leboeuf et al. (2020); call it, or follow its :meth:`path`.

    Parameters
    ----------
    capacity : str
        Which growth function prices a tree: "all-structures", which needs no prior over structures and is
        minimized over all prunings, or a form of :func:`growth_function_bound`, minimized greedily. The
        paper's model is "loose", which is not an upper bound of the growth function; all others are.
    error_prior_ratio : float
        r of the prior (1 - r) r^k on the number of errors k; an error costs 2 + 4 ln(1/r). The paper has
        2^-13.7, tuned for its own form.
    delta : float
        The bound holds with probability 1 - delta.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.pruning import ShaweTaylorRule
    >>> from treebounds.trees import ArrayTree
    >>> fitted = DecisionTreeClassifier(random_state=0).fit(*load_wine(return_X_y=True))
    >>> tree = ArrayTree.from_sklearn(fitted)
    >>> path = ShaweTaylorRule("loose", error_prior_ratio=2**-13.7).path(tree)
    >>> path.n_leaves, path.n_errors, path.nodes()
    (array([12, 10]), array([0., 2.]), array([11]))
    """

    capacity: str = "all-structures"
    error_prior_ratio: float = ERROR_PRIOR_RATIO
    delta: float = 0.05

    def __post_init__(self) -> None:
        check_option(self.capacity, "capacity", CAPACITIES)
        check_number(self.error_prior_ratio, "error_prior_ratio", "(0, 1)")
        self.bounds([1], np.zeros(1), np.zeros(1), 1.0)  # names what is wrong with the others

    @property
    def flaw(self) -> str:
        """Why the values are no upper bounds of a risk; empty if they are."""
        return "this form leaves out a term and is no upper bound" if self.capacity == "loose" else ""

    def __call__(self, tree: ArrayTree, X: ArrayLike, y: ArrayLike) -> NDArray[np.int64]:
        """The nodes to collapse, with the errors counted on a sample.

        Parameters
        ----------
        tree : ArrayTree
            Grown on this sample or on another: the bound holds for all trees at once.
        X : (n_examples, n_features) array
        y : (n_examples,) array of int
            Indices of the classes.

        Returns
        -------
        (n_cut,) array of int
        """
        errors = held_out_errors(tree, X, y)
        return self.path(tree, errors, len(np.asarray(y)), n_orders(X)).nodes()

    def path(
        self,
        tree: ArrayTree,
        errors: ArrayLike | None = None,
        n_examples: float | None = None,
        n_features: int | FeatureKinds | None = None,
    ) -> BoundPath:
        """The trees from the full one to the best one, and for "all-structures" on to the root.

        Parameters
        ----------
        tree : ArrayTree
        errors : (n_nodes,) array, optional
            Errors of each node as a leaf; those of the training examples when not given.
        n_examples : float, optional
            Size of the sample on which errors were counted.
        n_features : int or FeatureKinds, optional
            How many orders of the examples a split can choose from, when not as many as there are features.

        Returns
        -------
        BoundPath

        Notes
        -----
        O(n log n) for "all-structures" and n nodes. The greedy rule takes, for each cut, the depths of all
        nodes together for "closed", as often as there are subtree sizes for the loose forms, and for "tight"
        the growth functions of the subtrees that no earlier step had, each quadratic in the sample size.
        """
        check_array_tree(tree)
        errors = tree.leaf_errors if errors is None else np.asarray(errors, dtype=float)
        m = tree.class_counts[0].sum() if n_examples is None else n_examples
        sample = _ghost_sample(tree, m, n_features)
        if self.capacity != "all-structures":
            growth_of_cuts = GrowthOfCuts(tree.n_leaves, *sample, self.capacity)
            return greedy_path(tree, errors, growth_of_cuts, partial(self.bounds, n_examples=m))
        sequence = weakest_link_sequence(tree, errors)
        log_growth = [log_all_structures_growth_bound(L, *sample) for L in sequence.n_leaves.tolist()]
        bounds = self.bounds(sequence.n_leaves, sequence.errors, log_growth, m)
        steps = np.where(tree.is_leaf, len(bounds), sequence.steps)
        return BoundPath(sequence.n_leaves, sequence.errors, bounds, steps)

    def bound(
        self,
        tree: ArrayTree,
        n_errors: float,
        n_examples: float,
        n_features: int | FeatureKinds | None = None,
    ) -> float:
        """The bound of a tree as it stands.

        Parameters
        ----------
        tree : ArrayTree
        n_errors, n_examples : float
        n_features : int or FeatureKinds, optional
            See :meth:`path`.

        Returns
        -------
        float
            Not clipped at 1.
        """
        sample = _ghost_sample(tree, n_examples, n_features)
        if self.capacity == "all-structures":
            log_growth = log_all_structures_growth_bound(tree.n_leaves, *sample)
        else:
            log_growth = log_growth_function_bound(tree.structure, *sample, self.capacity)
        return float(self.bounds([tree.n_leaves], [n_errors], [log_growth], n_examples)[0])

    def bounds(
        self, n_leaves: ArrayLike, n_errors: ArrayLike, log_growth: ArrayLike, n_examples: float
    ) -> NDArray[np.float64]:
        """Equation 8 for many trees at once.

        Parameters
        ----------
        n_leaves, n_errors : (n_trees,) arrays
        log_growth : (n_trees,) array
            Logarithms of the growth functions at twice as many examples, in nats.
        n_examples : float

        Returns
        -------
        (n_trees,) array of float
        """
        prior = log_leaves_prior if self.capacity == "all-structures" else log_structure_prior
        known = {leaves: prior(leaves) for leaves in set(np.asarray(n_leaves).tolist())}
        log_p = np.array([known[leaves] for leaves in np.asarray(n_leaves).tolist()])
        log_q = log_geometric_prior(n_errors, self.error_prior_ratio)
        # sums of weights can exceed their total by rounding
        k = np.minimum(n_errors, n_examples)
        return shawe_taylor_bound(n_examples, k, log_growth, log_q, log_p, self.delta)


def greedy_path(
    tree: ArrayTree, errors: NDArray[np.float64], growth_of_cuts: GrowthFunctions, bounds_of: BoundsOfTrees
) -> BoundPath:
    """Algorithm 3: cut where it gives the smallest bound, while the bound does not increase.

    All nodes that tie for the smallest bound are cut at once, as in the program of Leboeuf et al., unless
    that would increase the bound; then only the first of them.

    Parameters
    ----------
    tree : ArrayTree
    errors : (n_nodes,) array
        Errors of each node as a leaf.
    growth_of_cuts : callable
        From a tree to the logarithm of its growth function, and to an array of those of the trees in which
        one internal node, in order of their indices, has become a leaf.
    bounds_of : callable
        From arrays of leaves, errors and log growth to bounds.

    Returns
    -------
    BoundPath
    """

    def visit(kept, current):
        """A tree, the nodes of the first one that it keeps, its errors and bound, the bounds of its cuts."""
        return kept, current, *bounds_of_cuts(current, errors[kept], growth_of_cuts, bounds_of)

    def cut_nodes(kept, current, nodes):
        """The same of the tree in which some nodes have become leaves."""
        return visit(kept[current.kept_nodes(nodes)], current.collapse(nodes))

    steps = np.full(tree.n_nodes, np.iinfo(np.int64).max)
    state = visit(np.arange(tree.n_nodes), tree)
    history = []
    while True:
        kept, current, wrong, bound, of_cuts = state
        history.append((current.n_leaves, wrong, bound))
        if len(of_cuts) == 0 or of_cuts.min() > bound:
            break
        ties = smallest_cuts(current, of_cuts)
        state = cut_nodes(kept, current, ties)
        if state[3] > bound:
            ties = ties[:1]
            state = cut_nodes(kept, current, ties)
        steps[kept[ties]] = len(history)
    n_leaves, n_errors, bounds = (np.array(column) for column in zip(*history, strict=True))
    return BoundPath(n_leaves, n_errors, bounds, np.minimum(steps, len(history)))


def bounds_of_cuts(
    tree: ArrayTree, errors: NDArray[np.float64], growth_of_cuts: GrowthFunctions, bounds_of: BoundsOfTrees
) -> tuple[float, float, NDArray[np.float64]]:
    """A tree's errors, its bound, and the bounds with one internal node cut; see :func:`greedy_path`."""
    own, of_cuts = growth_of_cuts(tree)
    below, cut = tree.subtree_sums(errors), ~tree.is_leaf
    leaves = np.append(tree.n_leaves, tree.n_leaves - tree.subtree_leaves[cut] + 1)
    wrong = np.append(below[0], below[0] - below[cut] + errors[cut])
    bounds = bounds_of(leaves, wrong, np.append(own, of_cuts))
    return below[0], bounds[0], bounds[1:]


def smallest_cuts(tree: ArrayTree, bounds: NDArray[np.float64]) -> NDArray[np.int64]:
    """The internal nodes whose cuts tie for the smallest bound."""
    return np.flatnonzero(~tree.is_leaf)[bounds <= bounds.min() * (1 + _TIE)]


def _ghost_sample(
    tree: ArrayTree, n_examples: float, n_features: int | FeatureKinds | None
) -> tuple[int, int | FeatureKinds, int]:
    """What Equation 8 asks growth functions for: twice the examples, the features, the classes."""
    features = tree.n_features if n_features is None else n_features
    return max(1, math.ceil(2 * n_examples)), features, tree.n_classes
