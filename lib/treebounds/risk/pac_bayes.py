"""PAC-Bayes and Occam bounds over the prunings of a tree that was grown on other data.

The prior walks down from the root: at each internal node it stops with probability 1/2 and makes the node a
leaf, at a leaf it stops anyway (Willems, Shtarkov and Tjalkens 1995, Buntine 1992). Labels are those that
the growing data gave to the nodes. The Gibbs posterior, proportional to prior x exp(-beta errors), is a walk
of the same kind with other probabilities; they and the divergence come out of one pass from the leaves up.

**Theorem** (McAllester 1999, Seeger 2002, Maurer 2004). For a prior fixed before the m >= 8 examples are
seen, with probability at least 1 - delta, for every posterior at once, m kl(mean training error || mean risk)
is at most KL(posterior || prior) + ln(2 sqrt(m) / delta).

The prior must not know the examples, so the tree has to come from others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq, minimize_scalar

from treebounds._validation import check_integer, check_number, check_numbers
from treebounds.risk.tail_inversion import binomial_tail_inversion, check_delta
from treebounds.trees.array_tree import ArrayTree, check_array_tree

__all__ = [
    "PruningMixture",
    "gibbs_posterior",
    "kl_inversion",
    "log_pruning_prior",
    "occam_bound",
    "pac_bayes_bound",
]


@dataclass(frozen=True)
class PruningMixture:
    """A classifier that draws one of a tree's prunings for every example.

    Attributes
    ----------
    tree : ArrayTree
    stop : (n_nodes,) array
        Probability that the walk down the tree ends at a node that it has reached; 1 at leaves.
    errors : float
        Expected number of errors on the examples of the posterior.
    divergence : float
        KL(posterior || prior) in nats.
    """

    tree: ArrayTree
    stop: NDArray[np.float64]
    errors: float
    divergence: float

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """(n_examples, n_classes) probability with which a random pruning predicts each class."""
        tree = self.tree
        votes = np.zeros((tree.n_nodes, tree.n_classes))
        reach = np.ones(tree.n_nodes)
        for node in range(tree.n_nodes):
            above = tree.parents[node]
            if above >= 0:
                reach[node] = reach[above] * (1 - self.stop[above])
                votes[node] = votes[above]
            votes[node, tree.labels[node]] += reach[node] * self.stop[node]
        return votes[tree.apply(X)]


def gibbs_posterior(tree: ArrayTree, errors: ArrayLike, beta: float) -> PruningMixture:
    """The posterior proportional to prior x exp(-beta errors), exactly, in O(nodes).

    Parameters
    ----------
    tree : ArrayTree
        Grown on other data.
    errors : (n_nodes,) array
        How many of the examples each node gets wrong as a leaf.
    beta : float
        At least 0; 0 gives the prior.

    Returns
    -------
    PruningMixture

    Examples
    --------
    >>> stump = ArrayTree([1, -1, -1], [2, -1, -1], [0, 0, 0], [0.5, 0, 0], [[3, 4], [3, 0], [0, 4]], 1)
    >>> posterior = gibbs_posterior(stump, errors=[3, 0, 0], beta=1.0)
    >>> bool(np.isclose(posterior.stop[0], math.exp(-3) / (1 + math.exp(-3))))
    True
    """
    wrong, beta = _checked_errors(tree, errors), check_number(beta, "beta", "[0, inf)")
    log_sum, expected, stop = -beta * wrong, wrong.copy(), np.ones(tree.n_nodes)
    for node in np.flatnonzero(~tree.is_leaf)[::-1]:
        left, right = tree.children_left[node], tree.children_right[node]
        as_leaf, as_split = log_sum[node], log_sum[left] + log_sum[right]
        both = np.logaddexp(as_leaf, as_split)
        stop[node] = math.exp(as_leaf - both)
        log_sum[node] = both - math.log(2)
        expected[node] = stop[node] * wrong[node] + (1 - stop[node]) * (expected[left] + expected[right])
    divergence = max(0.0, -beta * expected[0] - log_sum[0])
    return PruningMixture(tree, stop, float(expected[0]), float(divergence))


def log_pruning_prior(tree: ArrayTree, nodes: ArrayLike) -> float:
    """ln of the prior probability of the pruning that makes leaves of ``nodes``.

    It is -ln 2 for each of the pruning's nodes that is no leaf of the tree.

    Examples
    --------
    >>> stump = ArrayTree([1, -1, -1], [2, -1, -1], [0, 0, 0], [0.5, 0, 0], [[3, 4], [3, 0], [0, 4]], 1)
    >>> log_pruning_prior(stump, [0]) == log_pruning_prior(stump, []) == -math.log(2)
    True
    """
    return -math.log(2) * int(np.count_nonzero(~tree.is_leaf[tree.kept_nodes(nodes)]))


def kl_inversion(mean_error: float, divergence: float) -> float:
    """The largest p with kl(mean_error || p) <= divergence, for Bernoulli distributions.

    Parameters
    ----------
    mean_error : float
        Between 0 and 1.
    divergence : float
        In nats, not negative.

    Returns
    -------
    float
        Between ``mean_error`` and 1.

    Examples
    --------
    >>> kl_inversion(0.0, 0.1) == -math.expm1(-0.1)
    True
    >>> kl_inversion(0.2, 0.0)
    0.2
    """
    q = check_number(mean_error, "mean_error", "[0, 1]")
    divergence = check_number(divergence, "divergence", "[0, inf]")
    if q >= 1 or divergence == math.inf:
        return 1.0
    if q <= 0:
        return -math.expm1(-divergence)
    # ln(1 - p) as the variable, because p may be close to 1
    entropy, top = q * math.log(q) + (1 - q) * math.log1p(-q), math.log1p(-q)

    def excess(s: float) -> float:
        return entropy - q * math.log(-math.expm1(s)) - (1 - q) * s - divergence

    if excess(top) >= 0:
        return q
    root = brentq(excess, (entropy - divergence - 1) / (1 - q), top, xtol=1e-12)
    return max(q, -math.expm1(root))


def pac_bayes_bound(
    tree: ArrayTree, errors: ArrayLike, n_examples: int, delta: float = 0.05
) -> tuple[float, PruningMixture]:
    """Upper bound of the risk of a random pruning, and the posterior with the smallest one.

    The bound holds for all posteriors at once, so beta is chosen by the bound itself.

    Parameters
    ----------
    tree : ArrayTree
        Grown on other data than the examples.
    errors : (n_nodes,) array
        How many of the examples each node gets wrong as a leaf.
    n_examples : int
        m, at least 8.
    delta : float

    Returns
    -------
    value : float
    posterior : PruningMixture

    Examples
    --------
    >>> stump = ArrayTree([1, -1, -1], [2, -1, -1], [0, 0, 0], [0.5, 0, 0], [[3, 4], [3, 0], [0, 4]], 1)
    >>> value, posterior = pac_bayes_bound(stump, errors=[90, 4, 3], n_examples=200)
    >>> round(value, 3), round(posterior.errors, 3)
    (0.106, 7.0)
    """
    m = check_integer(n_examples, "n_examples", minimum=8)
    price = math.log(2 * math.sqrt(m) / check_delta(delta))

    def value(log_beta: float) -> float:
        posterior = gibbs_posterior(tree, errors, math.exp(log_beta))
        return kl_inversion(posterior.errors / m, (posterior.divergence + price) / m)

    best = minimize_scalar(value, bounds=(-6.0, 4.0), method="bounded", options={"xatol": 0.02})
    return float(best.fun), gibbs_posterior(tree, errors, math.exp(best.x))


def occam_bound(
    tree: ArrayTree, errors: ArrayLike, n_examples: int, delta: float = 0.05
) -> tuple[float, NDArray[np.int64]]:
    """Upper bound of the risk of the best single pruning: the binomial tail inverted at delta x its prior.

    It holds for all prunings at once (Langford 2005, Theorem 4.6). Compared are the modes of the Gibbs
    posteriors for 64 values of beta.

    Parameters
    ----------
    tree : ArrayTree
        Grown on other data than the examples.
    errors : (n_nodes,) array
        How many of the examples each node gets wrong as a leaf.
    n_examples : int
    delta : float

    Returns
    -------
    value : float
    nodes : array of int
        The nodes that this pruning makes leaves.

    Examples
    --------
    >>> stump = ArrayTree([1, -1, -1], [2, -1, -1], [0, 0, 0], [0.5, 0, 0], [[3, 4], [3, 0], [0, 4]], 1)
    >>> value, nodes = occam_bound(stump, errors=[90, 4, 3], n_examples=200)
    >>> round(value, 3), nodes.tolist()
    (0.071, [])
    """
    log_delta, wrong = math.log(check_delta(delta)), _checked_errors(tree, errors)
    best, best_nodes = math.inf, np.empty(0, dtype=np.int64)
    for nodes in {tuple(_likeliest_pruning(tree, wrong, beta)) for beta in np.geomspace(0.01, 100, 64)}:
        pruned = tree.kept_nodes(np.array(nodes, dtype=np.int64))
        k = round(wrong[pruned][np.isin(pruned, nodes) | tree.is_leaf[pruned]].sum())
        value = binomial_tail_inversion(k, n_examples, log_delta + log_pruning_prior(tree, nodes))
        if value < best:
            best, best_nodes = value, np.array(nodes, dtype=np.int64)
    return best, best_nodes


def _checked_errors(tree: ArrayTree, errors: ArrayLike) -> NDArray[np.float64]:
    wrong = check_numbers(errors, "errors", "[0, inf)")
    if wrong.shape != (check_array_tree(tree).n_nodes,):
        raise ValueError(f"errors must have one entry a node, {tree.n_nodes}; got shape {wrong.shape}")
    return wrong


def _likeliest_pruning(tree: ArrayTree, wrong: NDArray[np.float64], beta: float) -> NDArray[np.int64]:
    """Nodes to cut for the mode of the Gibbs posterior: stopping and going on have the same prior."""
    cost, cut = beta * wrong, np.zeros(tree.n_nodes, dtype=bool)
    for node in np.flatnonzero(~tree.is_leaf)[::-1]:
        as_split = cost[tree.children_left[node]] + cost[tree.children_right[node]]
        cut[node] = cost[node] <= as_split
        cost[node] = math.log(2) + min(cost[node], as_split)
    kept = tree.kept_nodes(cut)
    return kept[cut[kept]]
