"""The counted price of a cut in a tree that predicts numbers.

Let y be a function of x plus Gaussian noise of variance s^2. The best of M nearly
orthogonal splits of pure noise saves about ``2 s^2 ln M`` squared errors (Foster and
George 1994; Donoho and Johnstone 1994), and M_L, the number of partitions that trees
with L leaves make of the sample, is known:
:func:`~treebounds.capacity.partitions.log_tree_partitions`. So the counted rule takes
the pruning with the smallest ``SSE + 2 K s^2 ln M_L``. For real-valued features ln M_L
is concave in L, so the best of all prunings lies on the weakest-link sequence. It is
about Gaussian noise; with heavy tails, a single outlier is worth a leaf.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from treebounds._validation import check_integer, check_number
from treebounds.capacity.features import FeatureKinds, check_features
from treebounds.capacity.partitions import log_tree_partitions
from treebounds.pruning.rules import CountingRule
from treebounds.trees._statistics import squared_errors
from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.weakest_link import (
    WeakestLinkSequence,
    last_minimum,
    weakest_link_sequence,
)


@dataclass(frozen=True, eq=False)
class CountedPath:
    """The prunings that :class:`CountedRule` compares, beginning with the full tree.

    Attributes
    ----------
    n_leaves : (n_steps,) array of int
        Strictly decreasing.
    squared_errors : (n_steps,) array of float
    criteria : (n_steps,) array of float
        ``SSE + 2 K s^2 ln M_L`` for the last value of s^2.
    steps : (n_nodes,) array of int
        The step in which each node of the full tree becomes a leaf; n_steps if it never
        does.
    noises : (n_rounds,) array of float
        The values of s^2, from that of the root on, as long as they fall.
    price : float
        What a leaf more has to save in the chosen tree: ``2 K s^2 (ln M_(L+1) - ln
        M_L)``.
    """

    n_leaves: NDArray[np.int64]
    squared_errors: NDArray[np.float64]
    criteria: NDArray[np.float64]
    steps: NDArray[np.int64]
    noises: NDArray[np.float64]
    price: float

    @property
    def best(self) -> int:
        """The step with the smallest criterion; of several, that of the smallest
        tree.
        """
        return last_minimum(self.criteria)

    @property
    def noise(self) -> float:
        """The estimate s^2 of the variance of the noise."""
        return float(self.noises[-1])

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
class CountedRule(CountingRule):
    """Prune to minimize ``SSE + 2 K s^2 ln M_L`` over all prunings.

    The noise s^2 is found from above: it starts at ``SSE / (m - 1)`` of the root; the
    tree is pruned at that price, and ``SSE / (m - L)`` of the result is the next value,
    until it falls no more.

    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from treebounds.formats import from_sklearn
    >>> from treebounds.pruning.counted_price import CountedRule
    >>> grown = DecisionTreeRegressor(random_state=0)
    >>> tree = from_sklearn(grown.fit(*load_diabetes(return_X_y=True)))
    >>> path = CountedRule().path(tree)
    >>> tree.n_leaves, int(path.n_leaves[path.best]), round(path.noise)
    (432, 6, 3100)

    Parameters
    ----------
    factor : float
        K. The inequality about all trees at once holds for K > 1; 1 is Foster and
        George's price.
    n_features : int or FeatureKinds, optional
        The features that splits can use; one real-valued feature for each column when
        not given. With features of finitely many values, ln M_L is not concave, and a
        pruning outside of the weakest-link sequence can be better.
    n_examples : int, optional
        m in M_L; needed if the sums for :meth:`nodes` are of scaled weights, which sum
        to less.
    """

    factor: float = 1.0
    n_features: int | FeatureKinds | None = None
    n_examples: int | None = None
    kinds: ClassVar[tuple[str, ...]] = ("numbers",)

    def __post_init__(self) -> None:
        check_number(self.factor, "factor", "(0, inf)")
        if self.n_features is not None:
            check_features(self.n_features)
        if self.n_examples is not None:
            check_integer(self.n_examples, "n_examples")

    def nodes(
        self, tree: ArrayTree, statistics: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """The nodes to collapse for the smallest criterion."""
        return self.path(tree, statistics).nodes()

    def path(
        self, tree: ArrayTree, statistics: NDArray[np.float64] | None = None
    ) -> CountedPath:
        """All members of the weakest-link sequence with their criteria.

        Parameters
        ----------
        tree : ArrayTree
        statistics : (n_nodes, 3) array, optional
            Sums of y; those of the tree when not given.

        Returns
        -------
        CountedPath
        """
        sums = tree.target_sums if statistics is None else statistics
        sequence = weakest_link_sequence(tree, squared_errors(sums))
        # A tree that was grown on other examples can have empty leaves.
        m = self.n_examples or max(1, round(float(sums[0, 0])))
        sizes = np.minimum(sequence.n_leaves, m)
        features = tree.n_features if self.n_features is None else self.n_features
        nats = log_tree_partitions(sizes, m, features)

        noises = self._noises(sequence, nats, float(sums[0, 0]))
        criteria = sequence.costs + 2 * self.factor * noises[-1] * nats
        chosen = int(sizes[last_minimum(criteria)])
        price = _nats_of_a_leaf(chosen, m, features)
        return CountedPath(
            sequence.n_leaves,
            sequence.costs,
            criteria,
            np.where(tree.is_leaf, len(criteria), sequence.steps),
            np.array(noises),
            2 * self.factor * noises[-1] * price,
        )

    def _noises(
        self,
        sequence: WeakestLinkSequence,
        nats: NDArray[np.float64],
        n_examples: float,
    ) -> list[float]:
        """The values of s^2 from the root's on, as long as they fall."""
        costs = sequence.costs
        noise = 0.0
        if n_examples > 1:
            noise = float(costs[-1] / (n_examples - 1))
        noises = [noise]
        while True:
            step = last_minimum(costs + 2 * self.factor * noise * nats)
            freedom = n_examples - float(sequence.n_leaves[step])
            if freedom <= 0 or costs[step] / freedom >= noise:
                return noises
            noise = float(costs[step] / freedom)
            noises.append(noise)


def _nats_of_a_leaf(n_leaves: int, m: int, features: int | FeatureKinds) -> float:
    """What one more leaf adds to ln M_L; the last leaf if m examples fill no more."""
    if m == 1:
        return 0.0
    larger = min(n_leaves + 1, m)
    fewer, more = log_tree_partitions([larger - 1, larger], m, features)
    return float(more - fewer)
