"""Pruning by minimizing a risk bound: Algorithm 3 of Leboeuf et al., and an exact
minimum.

Two algorithms minimize the same bound, Equation 8. With the growth function of a single
structure, the tree is pruned greedily, as in the paper. With the growth function of all
structures that have L leaves, the member of the weakest-link sequence with the smallest
bound is kept. On real-valued features the penalty is a concave function of L, and then
no other pruning of the tree has a smaller bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds._validation import check_number, check_option
from treebounds.capacity import (
    FeatureKinds,
    log_all_structures_growth_bound,
    log_growth_function_bound,
)
from treebounds.capacity.growth import FORMS
from treebounds.capacity.log_growth import LogGrowth
from treebounds.pruning.rules import CountingRule
from treebounds.pruning.single_cuts import growth_of_cuts
from treebounds.risk import (
    log_geometric_prior,
    log_leaves_prior,
    log_structure_prior,
    shawe_taylor_bound,
)
from treebounds.trees._statistics import errors_of_counts
from treebounds.trees.array_tree import ArrayTree, check_array_tree
from treebounds.trees.weakest_link import last_minimum, weakest_link_sequence

CAPACITIES = ("all-structures", *FORMS)
ERROR_PRIOR_RATIO = 2**-5

# Relative tolerance for ties: equal bounds differ by rounding if their terms were
# summed in another order.
_TIE = 1e-13


@dataclass(frozen=True, eq=False)
class BoundPath:
    """The trees that pruning by a bound visits, beginning with the full tree.

    Attributes
    ----------
    n_leaves : (n_steps,) array of int
        Strictly decreasing.
    n_errors : (n_steps,) array of float
    bounds : (n_steps,) array of float
    steps : (n_nodes,) array of int
        The step in which each node of the full tree becomes a leaf; n_steps if it never
        does.
    """

    n_leaves: NDArray[np.int64]
    n_errors: NDArray[np.float64]
    bounds: NDArray[np.float64]
    steps: NDArray[np.int64]

    @property
    def best(self) -> int:
        """The step with the smallest bound; if several steps tie, the one with the
        smallest tree.
        """
        return last_minimum(self.bounds)

    def nodes(self, step: int | None = None) -> NDArray[np.int64]:
        """The nodes of the full tree to collapse in order to get the tree of one step.

        Parameters
        ----------
        step : int, optional
            :attr:`best` when not given.

        Returns
        -------
        (n_cut,) array of int
        """
        if step is None:
            step = self.best
        return np.flatnonzero(self.steps <= step)


@dataclass(frozen=True)
class BoundRule(CountingRule):
    """Prune to minimize Equation 8 of Leboeuf et al. (2020).

    >>> from sklearn.datasets import load_wine
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.pruning import BoundRule
    >>> from treebounds.formats import from_sklearn
    >>> fitted = DecisionTreeClassifier(random_state=0).fit(*load_wine(return_X_y=True))
    >>> tree = from_sklearn(fitted)
    >>> path = BoundRule("loose", error_prior_ratio=2**-13.7).path(tree)
    >>> path.n_leaves, path.n_errors, path.nodes()
    (array([12, 10]), array([0., 2.]), array([11]))

    Parameters
    ----------
    capacity : str
        The growth function in the bound. "all-structures" needs no prior over
        structures; its bound is minimized along the weakest-link sequence. With a form
        of :func:`growth_function_bound`, the bound is minimized greedily. The paper's
        form is "loose", which is not an upper bound of the growth function; all others
        are.
    error_prior_ratio : float
        r of the prior (1 - r) r^k on the number of errors k; an error costs 2 + 4
        ln(1/r). The paper uses 2^-13.7, tuned for its own form.
    delta : float
        The bound holds with probability 1 - delta.
    n_features : int or FeatureKinds, optional
        The features that splits can use; one real-valued feature for each column when
        not given. Give twice as many if values are missing, because a split then also
        decides where missing values go.
    n_examples : int, optional
        Number of examples; needed if the counts for :meth:`nodes` are scaled weights,
        which sum to less. The growth function is that of all examples.

    Notes
    -----
    With "all-structures" and real-valued features the minimum is that over all prunings
    of the tree if it has at most as many leaves as examples are counted, as with those
    that it was grown on. With features of finitely many values the penalty is not a
    concave function of the number of leaves, and a pruning outside of the sequence can
    have a smaller bound: by at most 2.3 / m for m examples in all cases that we tried.

    "all-structures" takes O(n log n) for n nodes. In each step, the greedy rule takes
    for each possible cut as many operations as there are nodes above it; "loose"
    also takes one for each different subtree and each number of leaves that a cut
    can leave. That is a second in total for 2,000 leaves. "tight" and "sharp" evaluate
    in each step the structures that are new; for the cost see
    :func:`log_growth_function_bound`.
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

        The tree may have been grown on the examples that are counted or on others: the
        bound holds for all trees at once.
        """
        return self.path(tree, counts).nodes()

    def path(
        self, tree: ArrayTree, counts: NDArray[np.float64] | None = None
    ) -> BoundPath:
        """The trees from the full one to the best one, and with "all-structures"
        further to the root.

        Parameters
        ----------
        tree : ArrayTree
        counts : (n_nodes, n_classes) array, optional
            Number of examples of each class that reach each node; the training examples
            when not given.

        Returns
        -------
        BoundPath
        """
        check_array_tree(tree)
        counts = tree.class_counts if counts is None else counts
        errors = errors_of_counts(tree, counts)
        m = self.n_examples or counts[0].sum()
        sample = self._ghost_sample(tree, m)

        if self.capacity != "all-structures":
            of_cuts = partial(growth_of_cuts, LogGrowth(*sample, form=self.capacity))
            return greedy_path(
                tree, errors, of_cuts, partial(self.bounds, n_examples=m)
            )

        sequence = weakest_link_sequence(tree, errors)
        log_growth = [
            log_all_structures_growth_bound(L, *sample)
            for L in sequence.n_leaves.tolist()
        ]
        bounds = self.bounds(sequence.n_leaves, sequence.costs, log_growth, m)
        steps = np.where(tree.is_leaf, len(bounds), sequence.steps)
        return BoundPath(sequence.n_leaves, sequence.costs, bounds, steps)

    def bound(self, tree: ArrayTree, n_errors: float, n_examples: float) -> float:
        """The bound of a tree that is not pruned any further; it may exceed 1."""
        sample = self._ghost_sample(tree, n_examples)
        if self.capacity == "all-structures":
            log_growth = log_all_structures_growth_bound(tree.n_leaves, *sample)
        else:
            log_growth = log_growth_function_bound(
                tree.structure, *sample, form=self.capacity
            )
        return float(
            self.bounds([tree.n_leaves], [n_errors], [log_growth], n_examples)[0]
        )

    def bounds(
        self,
        n_leaves: ArrayLike,
        n_errors: ArrayLike,
        log_growth: ArrayLike,
        n_examples: float,
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
        prior = log_structure_prior
        if self.capacity == "all-structures":
            prior = log_leaves_prior
        sizes, places = np.unique(n_leaves, return_inverse=True)
        log_p = np.array([prior(leaves) for leaves in sizes.tolist()])[places]
        log_q = log_geometric_prior(n_errors, self.error_prior_ratio)
        # Sums of weights can exceed their total by rounding.
        k = np.minimum(n_errors, n_examples)
        return np.asarray(
            shawe_taylor_bound(n_examples, k, log_growth, log_q, log_p, self.delta)
        )

    def _ghost_sample(
        self, tree: ArrayTree, n_examples: float
    ) -> tuple[int, int | FeatureKinds, int]:
        """The arguments of growth functions in Equation 8: twice the examples, the
        features, the classes.
        """
        if self.n_features is None and tree.asks_for_category.any():
            raise ValueError(f"n_features must be {kinds_of_categories(tree)}")
        features = tree.n_features if self.n_features is None else self.n_features
        return max(1, math.ceil(2 * n_examples)), features, tree.n_classes


def kinds_of_categories(tree: ArrayTree) -> str:
    """The kinds of features that a tree with sets of categories needs, for an error.

    The numbers are those of the tree if it knows the categories of all its columns.

    >>> from treebounds import ArrayTree
    >>> from treebounds.pruning.bound import kinds_of_categories
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[1, -2, -2],
    ...     threshold=[0, -2, -2],
    ...     class_counts=[[4, 4], [4, 0], [0, 4]],
    ...     left_categories={0: [0, 2]},
    ...     category_names={1: ["bike", "car", "van"]},
    ...     n_features=3,
    ... )
    >>> kinds_of_categories(tree).partition(":")[0]
    'treebounds.FeatureKinds(real=2, nominal_subsets=[3]), by the categories ...'
    """
    names = tree.category_names or {}
    asked = set(tree.feature[tree.asks_for_category].tolist())
    sizes = [len(names[column]) for column in sorted(names)]
    # FeatureKinds takes no other numbers of categories for sets of them.
    is_known = asked <= set(names) and all(2 <= size <= 60 for size in sizes)
    numbers = ("real=...", "nominal_subsets=[...]")
    source = "with the number of categories of each column"
    if is_known:
        real = tree.n_features - len(sizes)
        numbers = (f"real={real}", f"nominal_subsets={sizes}")
        source = "by the categories that the tree knows"
    return (
        f"treebounds.FeatureKinds({', '.join(numbers)}), {source}: the tree splits by"
        " sets of categories"
    )


def greedy_path(
    tree: ArrayTree,
    errors: NDArray[Any],
    growth_of_cuts: Callable[..., Any],
    bounds_of: Callable[..., Any],
) -> BoundPath:
    """Algorithm 3: make the cut with the smallest bound, as long as the bound does not
    increase.

    All nodes that tie for the smallest bound are cut at once, as in the program of
    Leboeuf et al., unless that would increase the bound; then only the first of them is
    cut.

    Parameters
    ----------
    tree : ArrayTree
    errors : (n_nodes,) array
        Errors of each node as a leaf.
    growth_of_cuts : callable
        Takes a tree and returns the logarithm of its growth function, and an array with
        one logarithm for each internal node, in the order of indices: that of the tree
        in which this node has become a leaf.
    bounds_of : callable
        Takes arrays of leaves, errors and log growth, and returns the bounds.

    Returns
    -------
    BoundPath
    """
    # The nodes of the full tree that are left.
    nodes = np.arange(tree.n_nodes)
    steps = np.full(tree.n_nodes, np.iinfo(np.int64).max)
    step = bounds_of_cuts(tree, errors, growth_of_cuts, bounds_of)
    path = [step]
    while len(step.of_cuts) and step.of_cuts.min() <= step.bound:
        ties = smallest_cuts(step.tree, step.of_cuts)
        for cut in (ties, ties[:1]):
            remaining, smaller = step.tree.kept_and_collapsed(cut)
            trial = bounds_of_cuts(
                smaller, errors[nodes[remaining]], growth_of_cuts, bounds_of
            )
            if trial.bound <= step.bound:  # Otherwise cutting all of them is too much.
                break

        steps[nodes[cut]] = len(path)
        nodes = nodes[remaining]
        step = trial
        path.append(step)

    return BoundPath(
        np.array([step.tree.n_leaves for step in path]),
        np.array([step.n_errors for step in path]),
        np.array([step.bound for step in path]),
        np.minimum(steps, len(path)),
    )


class GreedyStep(NamedTuple):
    """A tree on the greedy path.

    Attributes
    ----------
    tree : ArrayTree
    n_errors, bound : float
    of_cuts : (n_internal,) array
        The bound after each single cut, in the order of the internal nodes.
    """

    tree: ArrayTree
    n_errors: float
    bound: float
    of_cuts: NDArray[np.float64]


def bounds_of_cuts(
    tree: ArrayTree,
    errors: NDArray[Any],
    growth_of_cuts: Callable[..., Any],
    bounds_of: Callable[..., Any],
) -> GreedyStep:
    """A tree with its bound, and the bound after each single cut; see
    :func:`greedy_path`.
    """
    own, of_cuts = growth_of_cuts(tree)
    below = tree.subtree_sums(errors)
    cut = ~tree.is_leaf

    leaves = np.append(tree.n_leaves, tree.n_leaves - tree.subtree_leaves[cut] + 1)
    wrong = np.append(below[0], below[0] - below[cut] + errors[cut])
    bounds = bounds_of(leaves, wrong, np.append(own, of_cuts))
    return GreedyStep(tree, below[0], bounds[0], bounds[1:])


def smallest_cuts(tree: ArrayTree, bounds: NDArray[np.float64]) -> NDArray[np.int64]:
    """The internal nodes whose cuts tie for the smallest bound."""
    inner = np.flatnonzero(~tree.is_leaf)
    return np.asarray(inner[bounds <= bounds.min() * (1 + _TIE)])
