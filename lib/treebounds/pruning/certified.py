"""Pruning to minimize a risk certificate, along the weakest-link sequence.

A certificate rises with the errors and, but for details of the code, concavely with the leaves. So the best
of all prunings is, up to those details, a member of the weakest-link sequence. Each certificate holds for all
trees at once, so the smallest one along the sequence holds, too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds._validation import check_option
from treebounds.pruning.bound import BoundPath, n_orders
from treebounds.risk.certificate import GROWTHS, growth_certificate
from treebounds.risk.compression import compress
from treebounds.risk.pac_bayes import log_pruning_prior
from treebounds.risk.tail_inversion import binomial_tail_inversion, check_delta
from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.errors import held_out_errors
from treebounds.trees.weakest_link import weakest_link_sequence

__all__ = ["CERTIFICATES", "CertificateRule"]

CERTIFICATES = ("description-length", "growth", "hypergeometric", "pac-bayes")


@dataclass(frozen=True)
class CertificateRule:
    """Prune to minimize a certificate; call it for the nodes to collapse, or follow its :meth:`path`.

    Parameters
    ----------
    bound : {"description-length", "growth", "hypergeometric", "pac-bayes"}
        See :func:`certify`. "pac-bayes" is the point posterior (Occam's bound) and holds only if the tree was
        grown on other examples than those on which it is pruned.
    growth : str
        Growth function of "growth" and "hypergeometric", see :func:`certify`.
    delta : float

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> tree = ArrayTree.from_sklearn(DecisionTreeClassifier(random_state=0).fit(X, y))
    >>> path = CertificateRule("description-length").path(tree, X, y)
    >>> path.n_leaves, path.best
    (array([12,  8,  5,  4,  3,  2,  1]), 3)
    """

    bound: str
    growth: str = "all-structures"
    delta: float = 0.05

    def __post_init__(self) -> None:
        check_option(self.bound, "bound", CERTIFICATES)
        check_option(self.growth, "growth", GROWTHS)
        check_delta(self.delta)

    def __call__(self, tree: ArrayTree, X: ArrayLike, y: ArrayLike) -> NDArray[np.int64]:
        """The nodes to collapse."""
        return self.path(tree, X, y).nodes()

    def path(self, tree: ArrayTree, X: ArrayLike, y: ArrayLike) -> BoundPath:
        """Leaves, errors and certificate of every member of the weakest-link sequence.

        Parameters
        ----------
        tree : ArrayTree
        X : (n_examples, n_features) array
        y : (n_examples,) array of int
            Indices of the classes.
        """
        X, y = np.asarray(X), np.asarray(y)
        sequence = weakest_link_sequence(tree, held_out_errors(tree, X, y))
        values = np.array(
            [self._value(tree, sequence.nodes(i), int(k), X, y) for i, k in enumerate(sequence.errors)]
        )
        return BoundPath.along(sequence, tree, values)

    def _value(self, tree: ArrayTree, nodes: NDArray[np.int64], k: int, X: NDArray, y: NDArray) -> float:
        n, pruned = tree.n_classes, tree.collapse(nodes)
        if self.bound == "pac-bayes":
            log_gamma = math.log(self.delta) + log_pruning_prior(tree, nodes)
            return binomial_tail_inversion(k, len(y), log_gamma)
        if self.bound == "description-length":
            return compress(pruned, X, y, n, self.delta).value
        return growth_certificate(self.bound, len(y), k, pruned, n, self.delta, self.growth, n_orders(X))[0]
