"""Pruning by minimizing a risk bound: Algorithm 3 of Leboeuf et al., and an exact minimum.

Two rules share one bound, Equation 8. For a growth function of single structures the tree is pruned greedily,
as in the paper. For the growth function of all structures with L leaves together the smallest bound along the
weakest-link sequence is taken. On real-valued features the penalty is a concave function of L, and then no
pruning of the tree has a smaller one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds._validation import check_number, check_option
from treebounds.capacity import FeatureKinds, log_all_structures_growth_bound, log_growth_function_bound
from treebounds.capacity.growth import FORMS
from treebounds.capacity.log_growth import FEW_EXAMPLES, LogGrowth
from treebounds.pruning._single_cuts import SingleCuts
from treebounds.pruning.rules import CountingRule
from treebounds.risk import log_geometric_prior, log_leaves_prior, log_structure_prior, shawe_taylor_bound
from treebounds.structure import TreeStructure
from treebounds.trees.array_tree import ArrayTree, check_array_tree
from treebounds.trees.errors import errors_of_counts
from treebounds.trees.weakest_link import weakest_link_sequence

CAPACITIES = ("all-structures", *FORMS)
ERROR_PRIOR_RATIO = 2**-5

# Equal structures give equal floats; this catches equal bounds that were summed in another order.
_TIE = 1e-13


@dataclass(frozen=True, eq=False)
class BoundPath:
    """The trees that pruning by a bound went through, from the full tree on.

    Attributes
    ----------
    n_leaves : (n_steps,) array of int
        Strictly decreasing.
    n_errors : (n_steps,) array of float
    bounds : (n_steps,) array of float
    steps : (n_nodes,) array of int
        The step in which each node of the full tree becomes a leaf; n_steps if it never does.
    """

    n_leaves: NDArray[np.int64]
    n_errors: NDArray[np.float64]
    bounds: NDArray[np.float64]
    steps: NDArray[np.int64]

    @property
    def best(self) -> int:
        """The step with the smallest bound, of equal ones the smallest tree."""
        return len(self.bounds) - 1 - int(np.argmin(self.bounds[::-1]))

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


@dataclass(frozen=True)
class BoundRule(CountingRule):
    """Prune to minimize Equation 8 of Leboeuf et al. (2020).

    Parameters
    ----------
    capacity : str
        The growth function that prices a tree: "all-structures", which needs no prior over structures and is
        minimized along the weakest-link sequence, or a form of :func:`growth_function_bound`, minimized
        greedily. The paper's model is "loose", which is not an upper bound of the growth function; all others
        are.
    error_prior_ratio : float
        r of the prior (1 - r) r^k on the number of errors k; an error costs 2 + 4 ln(1/r). The paper has
        2^-13.7, tuned for its own form.
    delta : float
        The bound holds with probability 1 - delta.
    n_features : int or FeatureKinds, optional
        The features for splits, if not one real-valued feature for each column: twice as many
        where values are missing, because a split then decides where these go, too.
    n_examples : int, optional
        Number of examples, if the counts of :meth:`nodes` are scaled weights and sum to fewer: the
        growth function is that of all examples.

    Notes
    -----
    With "all-structures" and real-valued features the minimum is that over all prunings of the tree. With
    features of finitely many values the penalty is not concave in the leaves, and a pruning off the sequence
    can have a smaller bound: by at most 2.3 / m for m examples in all cases that were tried.

    O(n log n) for "all-structures" and n nodes. Each step of the greedy rule takes, for each cut, as many
    operations as there are nodes above it; the loose forms also take one for each different subtree and each
    number of its leaves. That is a second in all for 2,000 leaves. "tight" and "sharp" evaluate the
    structures that no earlier step had; for their cost see :func:`log_growth_function_bound`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.pruning import BoundRule
    >>> from treebounds.trees import ArrayTree
    >>> fitted = DecisionTreeClassifier(random_state=0).fit(*load_wine(return_X_y=True))
    >>> tree = ArrayTree.from_sklearn(fitted)
    >>> path = BoundRule("loose", error_prior_ratio=2**-13.7).path(tree)
    >>> path.n_leaves, path.n_errors, path.nodes()
    (array([12, 10]), array([0., 2.]), array([11]))
    """

    capacity: str = "all-structures"
    error_prior_ratio: float = ERROR_PRIOR_RATIO
    delta: float = 0.05
    n_features: int | FeatureKinds | None = None
    n_examples: int | None = None

    def __post_init__(self) -> None:
        check_option(self.capacity, "capacity", CAPACITIES)
        check_number(self.error_prior_ratio, "error_prior_ratio", "(0, 1)")
        check_number(self.delta, "delta", "(0, 1)")

    def nodes(self, tree: ArrayTree, counts: NDArray[np.float64]) -> NDArray[np.int64]:
        """The nodes to collapse for the smallest bound.

        The tree may have been grown on the examples that are counted or on others: the bound holds for all
        trees at once.
        """
        return self.path(tree, counts).nodes()

    def path(self, tree: ArrayTree, counts: NDArray[np.float64] | None = None) -> BoundPath:
        """The trees from the full one to the best one, and for "all-structures" on to the root.

        Parameters
        ----------
        tree : ArrayTree
        counts : (n_nodes, n_classes) array, optional
            Number of examples of each class that reach each node; the training examples when not given.

        Returns
        -------
        BoundPath
        """
        counts = check_array_tree(tree).class_counts if counts is None else counts
        errors, m = errors_of_counts(tree, counts), self.n_examples or counts[0].sum()
        sample = self._ghost_sample(tree, m)
        if self.capacity != "all-structures":
            of_cuts = partial(growth_of_cuts, LogGrowth(*sample, self.capacity))
            return greedy_path(tree, errors, of_cuts, partial(self.bounds, n_examples=m))
        sequence = weakest_link_sequence(tree, errors)
        log_growth = [log_all_structures_growth_bound(L, *sample) for L in sequence.n_leaves.tolist()]
        bounds = self.bounds(sequence.n_leaves, sequence.errors, log_growth, m)
        steps = np.where(tree.is_leaf, len(bounds), sequence.steps)
        return BoundPath(sequence.n_leaves, sequence.errors, bounds, steps)

    def bound(self, tree: ArrayTree, n_errors: float, n_examples: float) -> float:
        """The bound of a tree without pruning, not clipped at 1."""
        sample = self._ghost_sample(tree, n_examples)
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
        sizes, places = np.unique(n_leaves, return_inverse=True)
        log_p = np.array([prior(leaves) for leaves in sizes.tolist()])[places]
        log_q = log_geometric_prior(n_errors, self.error_prior_ratio)
        # sums of weights can exceed their total by rounding
        k = np.minimum(n_errors, n_examples)
        return np.asarray(shawe_taylor_bound(n_examples, k, log_growth, log_q, log_p, self.delta))

    def _ghost_sample(self, tree: ArrayTree, n_examples: float) -> tuple[int, int | FeatureKinds, int]:
        """The arguments of growth functions in Equation 8: twice the examples, the features, the classes."""
        if self.n_features is None and tree.asks_for_category.any():
            raise ValueError("n_features must be FeatureKinds: the tree splits by sets of categories")
        features = tree.n_features if self.n_features is None else self.n_features
        return max(1, math.ceil(2 * n_examples)), features, tree.n_classes


def greedy_path(
    tree: ArrayTree, errors: NDArray, growth_of_cuts: Callable[..., Any], bounds_of: Callable[..., Any]
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
    nodes, steps = np.arange(tree.n_nodes), np.full(tree.n_nodes, np.iinfo(np.int64).max)
    n_errors, bound, of_cuts = bounds_of_cuts(tree, errors, growth_of_cuts, bounds_of)
    path = [(tree.n_leaves, n_errors, bound)]
    while len(of_cuts) and of_cuts.min() <= bound:
        ties = smallest_cuts(tree, of_cuts)
        for cut in (ties, ties[:1]):
            kept, smaller = tree.kept_and_collapsed(cut)
            found = bounds_of_cuts(smaller, errors[nodes[kept]], growth_of_cuts, bounds_of)
            if found[1] <= bound:  # otherwise all at once cuts too much
                break
        steps[nodes[cut]] = len(path)
        nodes, tree, (n_errors, bound, of_cuts) = nodes[kept], smaller, found
        path.append((tree.n_leaves, n_errors, bound))
    sizes, wrong, bounds = map(np.array, zip(*path, strict=True))
    return BoundPath(sizes, wrong, bounds, np.minimum(steps, len(path)))


def growth_of_cuts(log_growth: LogGrowth, tree: ArrayTree) -> tuple[float, NDArray[np.float64]]:
    """A tree's own value of a growth function, and one for each internal node that becomes a leaf, in nats.

    The closed forms depend on the number of symmetric nodes only, and the loose ones combine the values of
    two subtrees; the others need the structure of each tree.
    """
    inner, form, trees = np.flatnonzero(~tree.is_leaf), log_growth.form, SingleCuts(tree)
    nodes, sizes = inner.tolist(), (tree.n_leaves + 1 - tree.subtree_leaves[inner]).tolist()
    # other cases are treated apart where classes or examples are few
    many = log_growth.n_classes > 1 and log_growth.n_examples > max(FEW_EXAMPLES, tree.n_leaves)
    if many and form.startswith("loose"):
        kept = {size: trees.combined(*log_growth.loose_terms(size), size) for size in {tree.n_leaves, *sizes}}
        of_cuts = [kept[size][1](node) for node, size in zip(nodes, sizes, strict=True)]
        return kept[tree.n_leaves][0], np.array(of_cuts)
    if many and form.startswith("closed"):
        symmetric, after_cut = trees.combined(0, lambda x, y, _, same: x + y + same, tree.n_leaves)
        of_cuts = [*map(log_growth.closed, sizes, map(after_cut, nodes))]
        return log_growth.closed(tree.n_leaves, symmetric), np.array(of_cuts)
    own, after_cut = trees.combined(TreeStructure(), lambda x, y, *_: TreeStructure(x, y), tree.n_leaves)
    return log_growth(own), np.array([log_growth(after_cut(node)) for node in nodes])


def bounds_of_cuts(
    tree: ArrayTree, errors: NDArray, growth_of_cuts: Callable[..., Any], bounds_of: Callable[..., Any]
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
