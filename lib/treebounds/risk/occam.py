"""Occam's bound over the prunings of a tree that was grown on other data.

The prior is the distribution of a random pruning: from the root down, each internal
node that is reached becomes a leaf with probability 1/2 (Willems, Shtarkov and Tjalkens
1995, Buntine 1992). The nodes have the labels that the growing data gave them.

**Theorem** (Langford 2005, Theorem 4.6). Let a tree be fixed before the m examples are
seen. With probability at least 1 - delta, every pruning of it at once has risk at most
``binomial_tail_inversion(k, m, ln(delta p))``, where k is the number of its errors and
p its prior probability. For the bound of each pruning fails with probability at most
delta p, and the sum of p over the prunings is 1.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds.risk.certificate import Certificate, certificate_from_verdict
from treebounds.risk.checks import check_delta
from treebounds.risk.reuse.check import ReuseCheck
from treebounds.risk.reuse.memory import hand_on_record
from treebounds.risk.rows.duplicates import Policy
from treebounds.risk.rows.tables import rows_without_names
from treebounds.risk.tail_inversion import binomial_tail_inversion
from treebounds.risk.tree_verdicts import (
    best_member,
    read_whole_sample,
    verdict_of_tree,
)
from treebounds.trees._arrays import check_one_per_node
from treebounds.trees.array_tree import ArrayTree, check_array_tree
from treebounds.trees.counting import held_out_errors
from treebounds.trees.weakest_link import WeakestLinkSequence, weakest_link_sequence


def certify_prunings(
    tree: Any,
    X: Any,
    y: Any,
    *,
    delta: float = 0.05,
    X_grown: Any = None,
    duplicates: Policy = "refuse",
) -> Certificate:
    """Certify the best pruning of a tree, from examples that the tree has never seen.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import train_test_split
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk import certify_prunings
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X, X_new, y, y_new = train_test_split(X, y, test_size=0.5, random_state=0)
    >>> tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    >>> certificate = certify_prunings(tree, X_new, y_new)
    >>> int(tree.get_n_leaves()), certificate.n_leaves, round(certificate, 3)
    (14, 3, 0.13)

    The examples may choose the pruning, because the bound holds for all prunings at
    once (this module's theorem).

    Parameters
    ----------
    tree : sklearn.tree.DecisionTreeClassifier
        Or an instance of a subclass; fitted to other examples.
    X : (m, l) array or frame
        Missing values are allowed.
    y : (m,) array
        Labels that the tree knows.
    delta : float
        Probability that the bound fails, strictly between 0 and 1.
    X_grown : (n_grown, l) array or frame, optional
        As in :func:`treebounds.certify`.
    duplicates : {"refuse", "together", "ignore"}
        What to do with examples that are equal to others, as in
        :func:`treebounds.certify`.

    Returns
    -------
    Certificate
        Its ``estimator`` is a plain copy of the best pruning.

    Raises
    ------
    ValueError
        If an argument is outside its range, or X was used to grow the tree, as in
        :func:`treebounds.certify`.

    Notes
    -----
    Cost: one pass of the examples through the tree.
    """
    delta = check_delta(delta)
    together = duplicates == "together"
    sample, equal_rows = read_whole_sample(
        tree, X, y, duplicates=duplicates, allow_missing=True
    )

    reuse = ReuseCheck(tree, X_grown, n_rows=len(sample.labels), duplicates=duplicates)
    with rows_without_names():
        reuse.compare(sample.rows, sample.labels, equal_rows.hashes)
    if together:
        sample = sample.only(equal_rows.kept)
        sample = sample.only(~reuse.recurs(sample.rows))
    recurrence = reuse.recurrence(left_out=together)

    errors = held_out_errors(sample.tree, sample.rows, sample.codes)
    bounds = occam_bounds(sample.tree, errors, len(sample.codes), delta)
    value, pruned = best_member(tree, *bounds)
    hand_on_record(tree, pruned, sample.rows, are_new=True)
    verdict = verdict_of_tree(value, delta, pruned, sample.rows, sample.labels)
    return certificate_from_verdict(
        pruned, verdict, delta, recurrence, sample.repeats, method="occam"
    )


def log_pruning_prior(tree: ArrayTree, nodes: ArrayLike) -> float:
    """ln of the prior probability of the pruning that makes leaves of ``nodes``.

    It is the sum of -ln 2 over the nodes of the pruning that are not leaves of the
    tree.

    >>> import math
    >>> from treebounds.risk.occam import log_pruning_prior
    >>> from treebounds.trees import ArrayTree
    >>> stump = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     class_counts=[[3, 4], [3, 0], [0, 4]],
    ...     n_features=1,
    ... )
    >>> log_pruning_prior(stump, [0]) == log_pruning_prior(stump, []) == -math.log(2)
    True

    Parameters
    ----------
    tree : ArrayTree
    nodes : array of int
        Nodes that become leaves.

    Returns
    -------
    float
        In nats, at most 0.

    Raises
    ------
    ValueError
        If ``nodes`` are not nodes of the tree.
    """
    return -math.log(2) * int(np.count_nonzero(~tree.is_leaf[tree.kept_nodes(nodes)]))


def occam_bounds(
    tree: ArrayTree, errors: ArrayLike, n_examples: int, delta: float = 0.05
) -> tuple[WeakestLinkSequence, NDArray[np.float64]]:
    """Upper bounds of the risks of the prunings that are best for some price per leaf.

    The bounds hold for all prunings at once, so the smallest one may be quoted.

    >>> from treebounds.risk.occam import occam_bounds
    >>> from treebounds.trees import ArrayTree
    >>> stump = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     class_counts=[[3, 4], [3, 0], [0, 4]],
    ...     n_features=1,
    ... )
    >>> sequence, bounds = occam_bounds(stump, errors=[90, 4, 3], n_examples=200)
    >>> sequence.n_leaves, bounds.round(3)
    (array([2, 1]), array([0.071, 0.522]))

    Parameters
    ----------
    tree : ArrayTree
        Grown on other data than the examples.
    errors : (n_nodes,) array
        For each node, its number of errors on the examples if it were a leaf; see
        ``held_out_errors``.
    n_examples : int
    delta : float

    Returns
    -------
    sequence : WeakestLinkSequence
        The weakest-link sequence of the tree, with the errors on the examples as costs.
    bounds : (n_members,) array of float

    Raises
    ------
    ValueError
        If an argument is outside its range, or ``errors`` are not a number for each
        node.
    """
    log_delta = math.log(check_delta(delta))
    n_nodes = check_array_tree(tree).n_nodes
    costs = check_one_per_node(errors, "errors", n_nodes)
    sequence = weakest_link_sequence(tree, costs)
    bounds = [
        binomial_tail_inversion(
            round(k), n_examples, log_delta + log_pruning_prior(tree, sequence.nodes(i))
        )
        for i, k in enumerate(sequence.costs)
    ]
    return sequence, np.array(bounds)
