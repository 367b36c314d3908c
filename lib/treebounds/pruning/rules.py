"""Pruning rules that use only additive statistics of each node.

A rule is a small frozen object; :meth:`CountingRule.nodes` returns the nodes to cut.
Statistics may be sums of weights: these are then scaled to sum to the effective sample
size, see ``treebounds.pruning.weights``.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import betaincinv

from treebounds._validation import check_number, shown
from treebounds.trees._arrays import check_one_per_node
from treebounds.trees._statistics import (
    errors_of_counts,
    squared_errors,
    squared_errors_around,
)
from treebounds.trees.array_tree import ArrayTree, check_array_tree
from treebounds.trees.weakest_link import WeakestLinkSequence, weakest_link_sequence

# The weight of the noise in :func:`noise_price`.
_NOISE = 2.5


class CountingRule(ABC):
    """A rule that uses only additive statistics of each node: the number of examples of
    each class, or the weight and the sums of y and of its square.

    Subclasses have one method, :meth:`nodes`, and can be given as ``rule`` to
    :func:`treebounds.prune` and to :class:`treebounds.BoundPrunedTreeClassifier`.

    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds import prune
    >>> from treebounds.pruning import CountingRule
    >>> class Stump(CountingRule):
    ...     def nodes(self, tree, statistics):
    ...         return np.flatnonzero(tree.depth == 1)
    >>> grown = DecisionTreeClassifier(random_state=0).fit(*load_wine(return_X_y=True))
    >>> int(prune(grown, rule=Stump()).get_n_leaves())
    2

    Attributes
    ----------
    kinds : tuple of str
        The trees that the rule can prune: those that predict "classes", "numbers", or
        both.
    """

    kinds: ClassVar[tuple[str, ...]] = ("classes",)

    @abstractmethod
    def nodes(
        self, tree: ArrayTree, statistics: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """The nodes to turn into leaves.

        Parameters
        ----------
        tree : ArrayTree
            The tree. It predicts the same class, or number, at each node, whatever the
            statistics are.
        statistics : (n_nodes, n_columns) array
            Of the examples that reach each node; as ``class_counts`` or ``target_sums``
            of the tree.

        Returns
        -------
        (n_cut,) array of int
        """


def costs_as_leaves(
    tree: ArrayTree, statistics: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The cost of each node as a leaf on a sample: its errors, or the squared
    differences from the sample's mean.

    >>> from treebounds.pruning.rules import costs_as_leaves
    >>> from treebounds.trees import ArrayTree
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     target_sums=[[3, 12, 74], [2, 4, 10], [1, 8, 64]],
    ...     n_features=1,
    ... )
    >>> costs_as_leaves(tree, tree.target_sums)
    array([26.,  2.,  0.])

    Parameters
    ----------
    tree : ArrayTree
        It says which class each node predicts.
    statistics : (n_nodes, n_columns) array
        Class counts, or sums of y.

    Returns
    -------
    (n_nodes,) array of float
    """
    if tree.is_regression:
        return squared_errors(statistics)
    return errors_of_counts(tree, statistics)


@dataclass(frozen=True)
class NodeStatistics:
    """What a rule of one's own may look at, see :func:`treebounds.prune`.

    >>> from sklearn.datasets import load_wine
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds import prune
    >>> grown = DecisionTreeClassifier(random_state=0).fit(*load_wine(return_X_y=True))
    >>> pruned = prune(grown, rule=lambda node: node.n_examples < 50)
    >>> int(grown.get_n_leaves()), int(pruned.get_n_leaves())
    (12, 7)

    Attributes
    ----------
    n_examples : float
        Number of examples that reach the node, or their scaled weight.
    depth : int
        0 for the root.
    class_counts : (n_classes,) array or None
        Number of examples of each class; None in a tree that predicts numbers.
    mean, variance : float or None
        Of y, where the variance divides by ``n_examples``; NaN if no example reaches
        the node, and None in a tree that predicts classes.
    """

    n_examples: float
    depth: int
    class_counts: NDArray[np.float64] | None = None
    mean: float | None = None
    variance: float | None = None


@dataclass(frozen=True)
class FunctionRule(CountingRule):
    """A function that says of each node whether it becomes a leaf.

    >>> from treebounds.pruning.rules import FunctionRule
    >>> from treebounds.trees import ArrayTree
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     class_counts=[[3, 4], [3, 0], [0, 4]],
    ...     n_features=1,
    ... )
    >>> FunctionRule(lambda node: node.n_examples < 9).nodes(tree, tree.class_counts)
    array([0])

    Parameters
    ----------
    function : callable
        Takes a :class:`NodeStatistics`, and returns True or False. It is called once
        for each internal node.
    """

    function: Callable[[NodeStatistics], Any]
    kinds: ClassVar[tuple[str, ...]] = ("classes", "numbers")

    def nodes(
        self, tree: ArrayTree, statistics: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """The internal nodes for which the function returns True."""
        of_node = _of_numbers if tree.is_regression else _of_classes
        inner = np.flatnonzero(~tree.is_leaf)
        chosen = [
            self._is_cut(of_node(statistics[node], int(tree.depth[node])))
            for node in inner.tolist()
        ]
        return np.asarray(inner[np.array(chosen, dtype=bool)])

    def _is_cut(self, node: NodeStatistics) -> bool:
        """What the function returns, or a ValueError if that is not True or False."""
        verdict = self.function(node)
        if not isinstance(verdict, bool | np.bool_):
            raise ValueError(
                f"rule must return True or False for each node; got {shown(verdict)}"
            )
        return bool(verdict)


def _of_classes(counts: NDArray[np.float64], depth: int) -> NodeStatistics:
    """The statistics of a node from its class counts."""
    return NodeStatistics(float(counts.sum()), depth, class_counts=counts.copy())


def _of_numbers(sums: NDArray[np.float64], depth: int) -> NodeStatistics:
    """The statistics of a node from its sums of y; NaN where no example is."""
    weight, total, _ = sums.tolist()
    if weight == 0:
        return NodeStatistics(0.0, depth, mean=math.nan, variance=math.nan)
    variance = float(squared_errors(sums[np.newaxis])[0]) / weight
    return NodeStatistics(weight, depth, mean=total / weight, variance=variance)


def cheapest_pruning(
    tree: ArrayTree, costs: ArrayLike, price: float = 0.0
) -> NDArray[np.int64]:
    """The pruning with the smallest sum of leaf costs and a price per leaf; of several,
    the smallest tree.

    >>> from treebounds.pruning.rules import cheapest_pruning
    >>> from treebounds.trees import ArrayTree
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     class_counts=[[3, 4], [3, 0], [0, 4]],
    ...     n_features=1,
    ... )
    >>> cheapest_pruning(tree, [1, 1, 0]), cheapest_pruning(tree, [1, 0, 0])
    (array([0]), array([], dtype=int64))

    Parameters
    ----------
    tree : ArrayTree
    costs : (n_nodes,) array
        The cost of each node as a leaf.
    price : float
        The additional cost of each leaf.

    Returns
    -------
    (n_cut,) array of int
        Nodes to turn into leaves.

    Raises
    ------
    ValueError
        If ``tree`` is not an ArrayTree, or ``costs`` are not a finite number for each
        node.

    Notes
    -----
    The result is a member of the weakest-link sequence for these costs. O(n log n) for
    n nodes.
    """
    costs = check_one_per_node(costs, "costs", check_array_tree(tree).n_nodes)
    sequence = weakest_link_sequence(tree, costs)
    return sequence.nodes(sequence.step(price))


@dataclass(frozen=True)
class ReducedErrorRule(CountingRule):
    """Quinlan's (1987) reduced error: the fewest errors, or squared errors, on examples
    that the tree was not grown on.

    Examples
    --------
    >>> from treebounds.pruning.rules import ReducedErrorRule
    >>> from treebounds.trees import ArrayTree
    >>> from treebounds.trees import count_classes
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     class_counts=[[3, 4], [3, 0], [0, 4]],
    ...     n_features=1,
    ... )
    >>> ReducedErrorRule().nodes(tree, count_classes(tree, [([[0.2], [0.7]], [1, 1])]))
    array([0])
    """

    kinds: ClassVar[tuple[str, ...]] = ("classes", "numbers")

    def nodes(
        self, tree: ArrayTree, statistics: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """The pruning with the fewest held-out errors, or squared errors."""
        if tree.is_regression:
            # A node predicts the mean of the examples that the tree was grown on.
            costs = squared_errors_around(statistics, tree.leaf_values)
        else:
            costs = errors_of_counts(tree, statistics)
        return cheapest_pruning(tree, costs)


@dataclass(frozen=True)
class PriceRule(CountingRule):
    """Errors, or squared errors, plus a fixed price for each leaf: the smallest sum
    over all prunings.

    >>> from treebounds.pruning.rules import PriceRule
    >>> from treebounds.trees import ArrayTree
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     class_counts=[[3, 4], [3, 0], [0, 4]],
    ...     n_features=1,
    ... )
    >>> (
    ...     PriceRule(2).nodes(tree, tree.class_counts),
    ...     PriceRule(3).nodes(tree, tree.class_counts),
    ... )
    (array([], dtype=int64), array([0]))

    Parameters
    ----------
    price : float or "noise"
        Number of errors, or squared errors, that a leaf has to save; "noise" takes
        :func:`noise_price`, only for trees that predict classes.
    """

    price: float | str = 2.0
    kinds: ClassVar[tuple[str, ...]] = ("classes", "numbers")

    def __post_init__(self) -> None:
        if not (isinstance(self.price, str) and self.price == "noise"):
            check_number(self.price, "price", "[0, inf)")

    def nodes(
        self, tree: ArrayTree, statistics: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """The pruning with the smallest sum of costs and prices."""
        sequence = weakest_link_sequence(tree, costs_as_leaves(tree, statistics))
        if isinstance(self.price, str):
            return sequence.nodes(sequence.step(noise_price(sequence)))
        return sequence.nodes(sequence.step(float(self.price)))


def noise_price(sequence: WeakestLinkSequence) -> float:
    """A price of a leaf, in errors, that grows with the noise of the labels.

    Let S(c) be the smallest ``errors + c splits`` of all prunings, and E0 the errors of
    the root alone. The price is the only solution of ``c = 1 + 2.5 S(c) / E0``, from 1
    to 3.5. The idea is that the noisier the training labels are, the more the training
    errors underestimate the errors of a split. It is a heuristic: if structure looks
    like noise, as in parity of many features, it cuts too much.

    >>> from sklearn.datasets import load_wine
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.pruning.rules import noise_price
    >>> from treebounds.formats import from_sklearn
    >>> from treebounds.trees import weakest_link_sequence
    >>> fitted = DecisionTreeClassifier(random_state=0).fit(*load_wine(return_X_y=True))
    >>> round(noise_price(weakest_link_sequence(from_sklearn(fitted))), 2)
    1.31

    Parameters
    ----------
    sequence : WeakestLinkSequence

    Returns
    -------
    float
    """
    errors = sequence.costs
    splits = sequence.n_leaves - 1
    at_root = errors[-1]
    if at_root <= 0:
        return 1.0

    def excess(price: float) -> float:
        """How much the right side of the equation is above the price."""
        cheapest = (errors + price * splits).min()
        return float(1 + _NOISE * cheapest / at_root - price)

    # S is concave in c, so there is one solution, and it is at most 3.5, because
    # S(c) <= E0. If no pruning is cheaper than the root the excess there is 0, and
    # rounding may make it positive.
    if excess(1 + _NOISE) >= 0:
        return 1 + _NOISE
    return float(brentq(excess, 1, 1 + _NOISE))


@dataclass(frozen=True)
class PessimisticRule(CountingRule):
    """Quinlan's (1987) pessimistic pruning: half an error more for each leaf, and one
    standard error.

    Let n examples reach a node that makes e errors as a leaf and whose subtree has E
    errors and L leaves, and let E' = E + L / 2. From the root down, the subtree is cut
    if e + 1 / 2 is at most E' + sqrt(E' (n - E') / n).

    Examples
    --------
    >>> from treebounds.pruning.rules import PessimisticRule
    >>> from treebounds.trees import ArrayTree
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     class_counts=[[3, 4], [3, 0], [0, 4]],
    ...     n_features=1,
    ... )
    >>> PessimisticRule().nodes(tree, tree.class_counts)
    array([], dtype=int64)
    """

    def nodes(self, tree: ArrayTree, counts: NDArray[np.float64]) -> NDArray[np.int64]:
        """The nodes whose errors as leaves are within one standard error of those of
        their subtrees.
        """
        n = counts.sum(axis=1)
        as_leaf = errors_of_counts(tree, counts)
        # E', of which no more can be wrong than there are examples.
        below = np.minimum(tree.subtree_sums(as_leaf) + tree.subtree_leaves / 2, n)
        slack = np.sqrt(below * (n - below) / np.maximum(n, 1e-300))
        return np.flatnonzero(~tree.is_leaf & (as_leaf + 0.5 <= below + slack))


@dataclass(frozen=True)
class ErrorBasedRule(CountingRule):
    """C4.5's error-based pruning, without grafting: the smallest sum of upper limits of
    the leaves' errors.

    A leaf with k errors among n examples is charged n U(k, n) errors, where U is the
    exact binomial upper limit of the error rate. It is not a confidence limit for new
    cases, because the tree was grown on these examples.

    >>> from treebounds.pruning.rules import ErrorBasedRule
    >>> from treebounds.trees import ArrayTree
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     class_counts=[[7, 1], [6, 0], [1, 1]],
    ...     n_features=1,
    ... )
    >>> ErrorBasedRule().nodes(tree, tree.class_counts)
    array([0])

    Parameters
    ----------
    confidence : float
        C4.5's CF; smaller values prune more.

    References
    ----------
    Quinlan (1993), C4.5: Programs for Machine Learning, chapter 4.
    """

    confidence: float = 0.25

    def __post_init__(self) -> None:
        check_number(self.confidence, "confidence", "(0, 1)")

    def nodes(self, tree: ArrayTree, counts: NDArray[np.float64]) -> NDArray[np.int64]:
        """The pruning with the smallest sum of upper limits of the errors."""
        n = counts.sum(axis=1)
        k = errors_of_counts(tree, counts)
        # The binomial upper limit is a quantile of a beta distribution. If all examples
        # are errors, it has no second parameter, and the limit is 1.
        limit = betaincinv(k + 1, np.maximum(n - k, 1e-9), 1 - self.confidence)
        return cheapest_pruning(tree, n * np.where(k < n, limit, 1.0))


@dataclass(frozen=True)
class MinimumErrorRule(CountingRule):
    """Minimum-error pruning with m-estimates (Niblett and Bratko 1987, Cestnik and
    Bratko 1991).

    A leaf with k errors among n examples is charged ``n (k + m (1 - p)) / (n + m)``
    errors, where p is the fraction of all examples that have the class predicted by the
    leaf.

    >>> from treebounds.pruning.rules import MinimumErrorRule
    >>> from treebounds.trees import ArrayTree
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     class_counts=[[9, 1], [9, 0], [0, 1]],
    ...     n_features=1,
    ... )
    >>> MinimumErrorRule()
    MinimumErrorRule(prior_weight=2.0)
    >>> MinimumErrorRule(prior_weight=10).nodes(tree, tree.class_counts)
    array([0])

    Parameters
    ----------
    prior_weight : float
        m; larger values prune more, with rare exceptions.
    """

    prior_weight: float = 2.0

    def __post_init__(self) -> None:
        check_number(self.prior_weight, "prior_weight", "(0, inf)")

    def nodes(self, tree: ArrayTree, counts: NDArray[np.float64]) -> NDArray[np.int64]:
        """The pruning with the smallest sum of m-estimates."""
        n = counts.sum(axis=1)
        k = errors_of_counts(tree, counts)
        m = self.prior_weight
        other = 1 - (counts[0] / max(n[0], 1e-300))[tree.labels]
        return cheapest_pruning(tree, n * (k + m * other) / (n + m))


@dataclass(frozen=True)
class KearnsMansourRule(CountingRule):
    """Kearns and Mansour's (1998) bottom-up pruning with a local penalty.

    Let n of all N examples reach a node at depth d whose subtree has s leaves; l is the
    number of features. From the leaves up, the subtree is cut if the error rate of the
    node as a leaf is at most ``scale sqrt(((d + s) ln(l N) + ln(N / delta)) / n)``
    above that of the subtree.

    >>> from treebounds.pruning.rules import KearnsMansourRule
    >>> from treebounds.trees import ArrayTree
    >>> counts = [[300, 400], [300, 0], [0, 400]]
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     class_counts=counts,
    ...     n_features=1,
    ... )
    >>> KearnsMansourRule().nodes(tree, tree.class_counts)
    array([], dtype=int64)

    Parameters
    ----------
    scale : float
        Factor of the penalty. The theorem gives the penalty up to a constant factor;
        with 1, trees on a few hundred examples are pruned almost completely.
    delta : float
        As in the penalty; smaller values prune more.
    """

    scale: float = 1.0
    delta: float = 0.05

    def __post_init__(self) -> None:
        check_number(self.scale, "scale", "(0, inf)")
        check_number(self.delta, "delta", "(0, 1)")

    def nodes(self, tree: ArrayTree, counts: NDArray[np.float64]) -> NDArray[np.int64]:
        """The nodes whose subtrees lower the error rate by no more than the penalty."""
        n = np.maximum(counts.sum(axis=1), 1e-300)
        as_leaf = errors_of_counts(tree, counts)
        log_tests = np.log(max(tree.n_features * n[0], 1.0))
        log_failure = np.log(max(n[0], 1.0) / self.delta)

        # Errors and leaves of the subtrees as they are pruned so far.
        errors = as_leaf.copy()
        leaves = np.ones(tree.n_nodes)
        cut = np.zeros(tree.n_nodes, dtype=bool)
        for node in np.flatnonzero(~tree.is_leaf)[::-1]:
            children = [tree.children_left[node], tree.children_right[node]]
            below = errors[children].sum()
            size = leaves[children].sum()

            exponent = (tree.depth[node] + size) * log_tests + log_failure
            penalty = self.scale * np.sqrt(exponent / n[node])
            cut[node] = as_leaf[node] - below <= penalty * n[node]
            if not cut[node]:
                errors[node] = below
                leaves[node] = size

        return np.flatnonzero(cut)
