"""Rules that prune regression trees, node by node and pruning by pruning, as they are
defined.
"""

import math

import numpy as np

from oracles.prunings import all_prunings, leaves_of


def rows_of_nodes(tree, X):
    """For each node, the rows that reach it."""
    reached = tree.apply(X)
    rows = [np.flatnonzero(reached == node) for node in range(tree.n_nodes)]
    for node in reversed(range(tree.n_nodes)):
        if not tree.is_leaf[node]:
            children = tree.children_left[node], tree.children_right[node]
            rows[node] = np.concatenate([rows[child] for child in children])
    return rows


def leave_one_out(tree, X, y):
    """For each node, the squared errors of its examples predicted by the others; an
    example alone is predicted by the others of the node above.
    """
    rows = rows_of_nodes(tree, X)
    costs = []
    for node, own in enumerate(rows):
        pool = own
        if len(own) == 1 and node > 0:
            pool = rows[tree.parents[node]]

        total = 0.0
        for row in own:
            others = [other for other in pool if other != row]
            if others:
                total += (y[row] - y[others].mean()) ** 2
        costs.append(total)
    return costs


def local_prices(tree, X, y, factor):
    """``2 c s_v^2 ln M_v`` for each node."""
    different = [len(np.unique(column)) for column in X.T]
    prices = []
    for own in rows_of_nodes(tree, X):
        n = len(own)
        squares = ((y[own] - y[own].mean()) ** 2).sum()
        n_cuts = 1 + sum(min(u - 1, max(n - 1, 1)) for u in different)
        prices.append(2 * factor * math.log(n_cuts) * squares / max(n - 1, 1))
    return prices


def best_by_local_price(tree, X, y, factor):
    """The smallest cost of all prunings, with the leaves of those that have it."""
    costs = leave_one_out(tree, X, y)
    prices = local_prices(tree, X, y, factor)
    totals = {}
    for cut in all_prunings(tree):
        leaves = leaves_of(tree, cut)
        inner = inner_nodes(tree, cut)
        total = sum(costs[leaf] for leaf in leaves) + sum(prices[v] for v in inner)
        totals[frozenset(leaves)] = total
    return totals


def inner_nodes(tree, cut, node=0):
    """The nodes of a pruning that are no leaves."""
    if tree.is_leaf[node] or node in cut:
        return []
    on_the_left = inner_nodes(tree, cut, tree.children_left[node])
    on_the_right = inner_nodes(tree, cut, tree.children_right[node])
    return [node, *on_the_left, *on_the_right]


def log_partitions(L, m, l):
    """ln (Catalan(N) l^N C(m - 1, N)) in whole numbers."""
    N = L - 1
    catalan = math.comb(2 * N, N) // (N + 1)
    return math.log(catalan * l**N * math.comb(m - 1, N))


def counted_criteria(tree, X, y, factor, noise):
    """``SSE + 2 K s^2 ln M_L`` of all prunings, by their leaves."""
    rows = rows_of_nodes(tree, X)
    squares = [((y[own] - y[own].mean()) ** 2).sum() for own in rows]
    totals = {}
    for cut in all_prunings(tree):
        leaves = leaves_of(tree, cut)
        price = 2 * factor * noise * log_partitions(len(leaves), *X.shape)
        totals[frozenset(leaves)] = sum(squares[leaf] for leaf in leaves) + price
    return totals
