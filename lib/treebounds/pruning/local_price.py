"""The local price of a cut in a tree that predicts numbers.

Each cut of a node v costs ``2 c s_v^2 ln M_v``, where ``s_v^2`` is the variance of y in
this node and M_v the number of cuts that it could make. A leaf costs the squared errors
of examples that are predicted by the others of the leaf, so an outlier alone saves
nothing. This is a heuristic. On the tables of the book that had no part in its design
it ties ten folds of cost-complexity pruning, and the counted price is less accurate.
Where the local price leaves less than a tenth of the squared errors, the variance of a
small node is signal, and the counted price takes over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treebounds._validation import check_number
from treebounds.capacity.features import FeatureKinds
from treebounds.pruning.counted_price import CountedRule
from treebounds.pruning.cuts import cuts_at_nodes, cuts_of_columns, least_and_most_cuts
from treebounds.pruning.rules import CountingRule
from treebounds.trees._statistics import squared_errors
from treebounds.trees.array_tree import ArrayTree

FACTOR = 0.875
EXPLAINED = 0.9


@dataclass(frozen=True)
class LocalRule(CountingRule):
    """Keep a cut of a node only if it saves ``2 c s_v^2 ln M_v``; leaves cost
    leave-one-out squared errors.

    Where the resulting tree explains more than nine tenths of the squared errors, the
    counted rule prunes instead.

    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from treebounds.formats import from_sklearn
    >>> from treebounds.pruning.local_price import LocalRule
    >>> grown = DecisionTreeRegressor(random_state=0)
    >>> tree = from_sklearn(grown.fit(*load_diabetes(return_X_y=True)))
    >>> cut = LocalRule().nodes(tree, tree.target_sums)
    >>> tree.n_leaves, tree.collapse(cut).n_leaves
    (432, 5)

    Parameters
    ----------
    factor : float
        c; larger values prune more, unless the counted rule takes over.
    n_cuts : sequence of float, optional
        For each column, the number of cuts that the whole sample allows, see
        :func:`~treebounds.pruning.cuts.cuts_of_columns`. One fewer than the examples
        when not given.
    n_unordered_cuts : sequence of float
        The same for columns of categories without an order, which are not among the
        others.
    n_features, n_examples
        For the counted rule, see :class:`CountedRule`.
    explained : float
        The share of squared errors above which the counted rule prunes; 1 for never.
        Nine tenths, like the default factor, was chosen on 88 data sets.
    """

    factor: float = FACTOR
    n_cuts: Sequence[float] | None = None
    n_unordered_cuts: Sequence[float] = ()
    n_features: int | FeatureKinds | None = None
    n_examples: int | None = None
    explained: float = EXPLAINED
    kinds: ClassVar[tuple[str, ...]] = ("numbers",)

    def __post_init__(self) -> None:
        check_number(self.factor, "factor", "[0, inf)")
        check_number(self.explained, "explained", "[0, 1]")

    def nodes(
        self, tree: ArrayTree, statistics: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """The nodes to collapse, by the local or the counted price."""
        cut, share = self.cut_and_share(tree, statistics)
        if share > self.explained:
            return self.counted.nodes(tree, statistics)
        return cut

    @property
    def counted(self) -> CountedRule:
        """The rule that prunes where this one leaves few squared errors."""
        return CountedRule(1.0, self.n_features, self.n_examples)

    def cut_and_share(
        self, tree: ArrayTree, statistics: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], float]:
        """The nodes to collapse by the local price alone, and the share of the root's
        squared errors that the result explains; 0 if the root has none.
        """
        prices = self.factor * self._unit_prices(tree, statistics)
        cuts, shares = _cuts_and_shares(tree, statistics, prices[:, np.newaxis])
        return np.flatnonzero(cuts[:, 0]), float(shares[0])

    def priced(
        self,
        tree: ArrayTree,
        statistics: NDArray[np.float64],
        factors: Sequence[float],
        values: NDArray[np.float64],
    ) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """The prunings by the local price with several factors at once.

        Parameters
        ----------
        tree : ArrayTree
        statistics : (n_nodes, 3) array
            Sums of y.
        factors : (n_factors,) sequence of float
            The values of c.
        values : (n_nodes,) array
            A value of each node as a leaf, for example its errors on other examples.

        Returns
        -------
        cuts : (n_nodes, n_factors) array of bool
            The nodes to collapse with each factor.
        sums : (n_factors,) array
            The sum of the values over the leaves of each pruning.
        """
        prices = np.outer(self._unit_prices(tree, statistics), factors)
        return cheapest_with_prices(
            tree, leave_one_out_costs(tree, statistics), prices, values
        )

    def _unit_prices(
        self, tree: ArrayTree, statistics: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """(n_nodes,) the price ``2 s_v^2 ln M_v`` of each cut with the factor 1."""
        freedom = np.maximum(statistics[:, 0] - 1, 1.0)
        variance = squared_errors(statistics) / freedom
        return 2 * np.log(self._n_cuts(tree, freedom)) * variance

    def _n_cuts(
        self, tree: ArrayTree, gaps: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """M_v: the cuts that each node could make, and one for none."""
        columns = self.n_cuts
        if columns is None:
            columns = np.full(tree.n_features, np.inf).tolist()
        n_cuts = 1 + cuts_at_nodes(columns, gaps)
        if self.n_unordered_cuts:
            # n examples can be divided in 2^(n - 1) - 1 ways.
            ways = np.exp2(np.minimum(gaps, 999)) - 1
            n_cuts += cuts_at_nodes(self.n_unordered_cuts, ways)
        return n_cuts


@dataclass(frozen=True)
class LocalRuleOnRows(LocalRule):
    """The local rule with the cuts that the columns of a sample allow.

    To count the values of all columns takes half as long as all the rest, and rarely
    matters: to a node no column offers more cuts than there are gaps between its
    examples, and a part of the rows bounds the cuts from below. More cuts mean higher
    prices, and so a smaller tree. If both bounds prune alike, the numbers between them
    prune in the same way; if not, all values are counted.

    Parameters
    ----------
    X : (n_examples, n_features) array or sparse matrix, optional
        Ignored if ``n_cuts`` is given.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from treebounds.formats import from_sklearn
    >>> from treebounds.pruning.local_price import LocalRuleOnRows
    >>> X, y = load_diabetes(return_X_y=True)
    >>> tree = from_sklearn(DecisionTreeRegressor(random_state=0).fit(X, y))
    >>> cut = LocalRuleOnRows(X=X).nodes(tree, tree.target_sums)
    >>> tree.n_leaves, tree.collapse(cut).n_leaves
    (432, 8)
    """

    X: Any = field(default=None, compare=False, repr=False)

    def cut_and_share(
        self, tree: ArrayTree, statistics: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], float]:
        """See :class:`LocalRule`."""
        if self.n_cuts is not None or self.X is None:
            return super().cut_and_share(tree, statistics)

        least, most = least_and_most_cuts(self.X)
        fewer = replace(self, n_cuts=least.tolist())
        if np.array_equal(least, most):
            return fewer.cut_and_share(tree, statistics)

        more = replace(self, n_cuts=most.tolist())
        prices = [rule._unit_prices(tree, statistics) for rule in (fewer, more)]
        node_prices = self.factor * np.column_stack(prices)
        cuts, shares = _cuts_and_shares(tree, statistics, node_prices)
        if np.array_equal(cuts[:, 0], cuts[:, 1]):
            return np.flatnonzero(cuts[:, 0]), float(shares[0])

        exact = replace(self, n_cuts=cuts_of_columns(self.X).tolist())
        return exact.cut_and_share(tree, statistics)


def on_rows(rule: LocalRule, X: Any) -> LocalRuleOnRows:
    """A local rule with the cuts that the columns of a sample allow."""
    parameters = {each.name: getattr(rule, each.name) for each in fields(LocalRule)}
    return LocalRuleOnRows(**parameters, X=X)


def _cuts_and_shares(
    tree: ArrayTree, statistics: NDArray[np.float64], prices: NDArray[np.float64]
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """The nodes to collapse for each column of prices, and the share of the root's
    squared errors that each pruning explains; 0 if the root has none.
    """
    squares = squared_errors(statistics)
    costs = leave_one_out_costs(tree, statistics)
    cuts, left = cheapest_with_prices(tree, costs, prices, squares)
    if squares[0] <= 0:
        return cuts, np.zeros(len(left))
    return cuts, 1 - left / squares[0]


def leave_one_out_costs(
    tree: ArrayTree, statistics: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The squared errors of each node as a leaf, where each example is predicted by the
    mean of the others.

    A node of one example is predicted by the others of its parent.

    >>> from treebounds.pruning.local_price import leave_one_out_costs
    >>> from treebounds.trees import ArrayTree
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     target_sums=[[3, 12, 74], [2, 4, 10], [1, 8, 64]],
    ...     n_features=1,
    ... )
    >>> leave_one_out_costs(tree, tree.target_sums)  # 8 is predicted by 2
    array([58.5,  8. , 36. ])

    Parameters
    ----------
    tree : ArrayTree
    statistics : (n_nodes, 3) array
        Sums of y.

    Returns
    -------
    (n_nodes,) array of float
    """
    n, total, _ = statistics.T
    costs = squared_errors(statistics) * (n / np.maximum(n - 1, 1.0)) ** 2

    single = np.flatnonzero(n <= 1)
    single = single[(single > 0) & (n[single] > 0)]
    above = tree.parents[single]
    n_others = n[above] - n[single]
    has_others = n_others > 0
    mean_of_others = (total[above] - total[single])[has_others] / n_others[has_others]
    own = total[single][has_others] / n[single][has_others]
    costs[single[has_others]] += n[single][has_others] * (own - mean_of_others) ** 2
    return np.asarray(costs)


def cheapest_with_prices(
    tree: ArrayTree,
    costs: NDArray[np.float64],
    prices: NDArray[np.float64],
    values: NDArray[np.float64],
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """The prunings with the smallest sums of the costs of their leaves and the prices
    of their internal nodes; where both are equal, a node is a leaf.

    >>> import numpy as np
    >>> from treebounds.pruning.local_price import cheapest_with_prices
    >>> from treebounds.trees import ArrayTree
    >>> tree = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     target_sums=[[3, 12, 74], [2, 4, 10], [1, 8, 64]],
    ...     n_features=1,
    ... )
    >>> costs = np.array([26.0, 2.0, 0.0])
    >>> prices = np.array([[20.0, 30.0], [0.0, 0.0], [0.0, 0.0]])
    >>> cuts, sums = cheapest_with_prices(tree, costs, prices, costs)
    >>> cuts[0], sums
    (array([False,  True]), array([ 2., 26.]))

    Parameters
    ----------
    tree : ArrayTree
    costs : (n_nodes,) array
        The cost of each node as a leaf.
    prices : (n_nodes, n_prunings) array
        The price of the cut of each node; one column for each pruning.
    values : (n_nodes,) array
        To be summed over the leaves of each pruning.

    Returns
    -------
    cuts : (n_nodes, n_prunings) array of bool
        Internal nodes that become leaves.
    sums : (n_prunings,) array

    Notes
    -----
    One pass over the levels of the tree, from below: O(n) for n nodes and one pruning.
    """
    best = np.repeat(costs[:, np.newaxis], prices.shape[1], axis=1)
    sums = np.repeat(values[:, np.newaxis], prices.shape[1], axis=1)
    cuts = np.zeros(prices.shape, dtype=bool)

    for nodes in _levels_from_below(tree):
        left = tree.children_left[nodes]
        right = tree.children_right[nodes]
        split = best[left] + best[right] + prices[nodes]
        alone = best[nodes]
        cut = split >= alone
        best[nodes] = np.minimum(alone, split)
        sums[nodes] = np.where(cut, sums[nodes], sums[left] + sums[right])
        cuts[nodes] = cut

    return cuts, sums[0]


def _levels_from_below(tree: ArrayTree) -> list[NDArray[np.int64]]:
    """The internal nodes of each depth, the deepest first."""
    inner = np.flatnonzero(~tree.is_leaf)
    depth = tree.depth[inner]
    order = np.argsort(-depth, kind="stable")
    ends = np.flatnonzero(np.diff(depth[order])) + 1
    return np.split(inner[order], ends)
