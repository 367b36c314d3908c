"""One sentence about a tree that holds with probability 1 - delta, and which tree it is about."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import column_or_1d, validate_data

from treebounds._validation import check_integer, check_option
from treebounds.capacity.log_growth import log_all_structures_growth_bound, log_growth_function_bound
from treebounds.risk.compression import Compression, compress
from treebounds.risk.growth_bounds import hypergeometric_bound, n_orders, relative_deviation_bound
from treebounds.risk.pac_bayes import log_pruning_prior, occam_bound, pac_bayes_bound
from treebounds.risk.shawe_taylor import (
    log_geometric_prior,
    log_leaves_prior,
    log_structure_prior,
    shawe_taylor_bound,
)
from treebounds.risk.tail_inversion import check_delta, held_out_bound
from treebounds.trees import ArrayTree, collapse_classifier
from treebounds.trees.errors import held_out_errors
from treebounds.trees.scikit_learn import check_classification_tree, move_thresholds

__all__ = [
    "GROWTHS",
    "METHODS",
    "MovedThresholdsWarning",
    "ReusedDataWarning",
    "RiskCertificate",
    "certify",
    "growth_certificate",
]

# m'/m of the hypergeometric bound. The price of a node grows like c + ln(1 + m'/m), with c about 9 nats for
# usual samples, the variance falls like 1 + m/m'; their product is flat from 8 to 16.
GHOSTS_PER_EXAMPLE = 8

# the printed loose form is no upper bound, so nothing can be certified by it
GROWTHS = ("all-structures", "tight", "loose-corrected", "closed")

_COMPRESSIONS = {"description-length": "sorted", "description-length-plain": "plain"}
_GROWTHS = ("growth", "hypergeometric", "shawe-taylor")
_OTHER_DATA = ("occam", "pac-bayes", "test-set")
METHODS = (*_COMPRESSIONS, *_GROWTHS, *_OTHER_DATA)


class ReusedDataWarning(UserWarning):
    """A certificate was computed on examples that had already been used for choosing the tree."""


class MovedThresholdsWarning(UserWarning):
    """A certificate holds for a copy of the tree whose thresholds are training values."""


class RiskCertificate(float):
    """An upper bound of a classifier's risk: a number that knows what it is about.

    With probability at least 1 - delta over the sample, the classifier errs on at most this fraction of new
    cases. Print it to read that as a sentence.

    Attributes
    ----------
    method : str
    delta : float
    n_examples : int
        Size of the sample.
    n_errors : int or float
        The errors that the bound counts; an expectation for "pac-bayes".
    nats : float
        What the choice of the tree costs, ln(1 / its weight); 0 for "test-set", NaN where not computed.
    estimator : object
        The classifier for which the bound holds; None in an estimator's own ``risk_bound_``.
    """

    method: str
    delta: float
    n_examples: int
    n_errors: float
    nats: float
    estimator: Any

    def __new__(
        cls,
        value: float,
        method: str,
        delta: float,
        n_examples: int,
        n_errors: float,
        nats: float = math.nan,
        estimator: Any = None,
    ) -> RiskCertificate:
        self = super().__new__(cls, value)
        self.__dict__.update(
            method=method,
            delta=delta,
            n_examples=n_examples,
            n_errors=n_errors,
            nats=nats,
            estimator=estimator,
        )
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:
        return float(self), *self.__dict__.values()

    @property
    def value(self) -> float:
        """The bound as a plain float."""
        return float(self)

    def __repr__(self) -> str:
        return (
            f"RiskCertificate({float(self):.4g}, method={self.method!r}, delta={self.delta:.4g}, "
            f"n_examples={self.n_examples})"
        )

    def __str__(self) -> str:
        if float(self) >= 1:
            return f"This bound, {float(self):.3g}, is not below 1 and promises nothing ({self.method})."
        percent = math.ceil(1000 * float(self)) / 10  # a smaller number would not be certified
        return (
            f"With probability {1 - self.delta:.4g} over the sample of {self.n_examples} examples, "
            f"this classifier errs on at most {percent:.1f}% of new cases ({self.method})."
        )


def certify(
    fitted_tree: Any,
    X: ArrayLike,
    y: ArrayLike,
    delta: float = 0.05,
    method: str = "description-length",
    *,
    growth: str = "all-structures",
    n_classes: int | None = None,
) -> RiskCertificate:
    """Certify a decision tree: an upper bound of its risk that holds with probability 1 - delta.

    Parameters
    ----------
    fitted_tree : sklearn.tree.DecisionTreeClassifier
        Or a subclass. It may have been grown and pruned in any way.
    X : (m, l) array
        The training examples; for "occam", "pac-bayes" and "test-set", examples that the tree has never met.
        NaN is a missing value: the description lengths refuse it, growth functions count twice the features.
    y : (m,) array
    delta : float
        Probability that the statement fails, strictly between 0 and 1.
    method : str
        - "description-length": sample compression with the sorted code; thresholds become training values.
        - "description-length-plain": the same with the plain code.
        - "hypergeometric": growth function, with an imagined second sample eight times as large.
        - "growth": growth function and Vapnik's relative deviations.
        - "shawe-taylor": Leboeuf, LeBlanc and Marchand's Equation 8 with their priors.
        - "occam": the best single pruning of a tree grown on other data. It is what
          ``BoundPrunedTreeClassifier(bound="pac-bayes")`` prunes by, since an estimator has to be one tree.
        - "pac-bayes": a *random* pruning of a tree grown on other data. The certified ``estimator`` draws one
          for each case, by a posterior over all prunings; no single tree is certified.
        - "test-set": the tree as it is, on other data.
    growth : str
        Growth function of the three methods that use one: "all-structures", which pays for all shapes with as
        many leaves, or "tight", "loose-corrected" or "closed" (see :func:`growth_function_bound`) with the
        Wedderburn-Etherington prior. The paper's "loose" is no upper bound and is refused.
    n_classes : int, optional
        Number of classes of the problem when it is more than the tree has met.

    Returns
    -------
    RiskCertificate
        The bound holds for its ``estimator``, which is not always ``fitted_tree``. It is at most 1, for
        "shawe-taylor" too: ``risk_bound_`` of :class:`BoundPrunedTreeClassifier` and
        :func:`shawe_taylor_bound` give that formula's value as it is, however large.

    Raises
    ------
    ValueError
        If delta is not inside (0, 1), a label or the shape of X is not what the tree was fitted with, or one
        of the first five methods gets other examples than those that the tree was grown on. (An estimator
        that holds examples out was grown on the others.)

    Warns
    -----
    ReusedDataWarning
        If a method that needs new examples gets those that the tree was fitted on.
    MovedThresholdsWarning
        If the certified tree is a copy with other thresholds.

    Notes
    -----
    The first five methods charge for every tree that could have been chosen, so that nothing about the choice
    of this one matters. To take the smallest of several certificates, divide delta among them.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_leaf_nodes=4, random_state=0).fit(X, y)
    >>> print(certify(tree, X, y, method="hypergeometric"))
    With probability 0.95 over the sample of 569 examples, this classifier errs on at most 17.4% of new cases
    (hypergeometric).
    """
    check_option(method, "method", METHODS)
    check_option(growth, "growth", GROWTHS)
    delta = check_delta(delta)
    X, y = _check_sample(check_classification_tree(fitted_tree), X, y)
    tree = ArrayTree.from_sklearn(fitted_tree)
    n = tree.n_classes if n_classes is None else check_integer(n_classes, "n_classes", tree.n_classes)
    if method in _COMPRESSIONS and np.isnan(X).any():
        raise ValueError(f"X must not have missing values with method={method!r}: thresholds are values of X")
    _check_origin(fitted_tree, tree, X, method)
    if method in _COMPRESSIONS:
        found = compress(tree, X, y, n, delta, _COMPRESSIONS[method])
        estimator = _with_thresholds(fitted_tree, tree, found)
        return RiskCertificate(found.value, method, delta, len(y), found.n_errors, found.length, estimator)
    wrong = held_out_errors(tree, X, y)
    k = round(wrong[tree.is_leaf].sum())
    if method in _GROWTHS:
        value, nats = growth_certificate(method, len(y), k, tree, n, delta, growth, n_orders(X))
        return RiskCertificate(value, method, delta, len(y), k, nats, fitted_tree)
    if method == "test-set":
        return RiskCertificate(held_out_bound(k, len(y), delta), method, delta, len(y), k, 0.0, fitted_tree)
    if method == "occam":
        value, nodes = occam_bound(tree, wrong, len(y), delta)
        pruned = collapse_classifier(fitted_tree, nodes)
        k = int((pruned.predict(X) != pruned.classes_[y]).sum())
        return RiskCertificate(value, method, delta, len(y), k, -log_pruning_prior(tree, nodes), pruned)
    value, mixture = pac_bayes_bound(tree, wrong, len(y), delta)
    return RiskCertificate(value, method, delta, len(y), mixture.errors, mixture.divergence, mixture)


def growth_certificate(
    method: str,
    n_examples: int,
    n_errors: int,
    tree: ArrayTree,
    n_classes: int,
    delta: float,
    growth: str,
    l: int,
) -> tuple[float, float]:
    """Value and nats of a certificate that depends on errors, leaves and, for some growths, the shape.

    ``l`` is the number of features, or of orders of the examples that a split can choose from.
    """
    m, L = n_examples, tree.n_leaves
    ghosts = GHOSTS_PER_EXAMPLE * m if method == "hypergeometric" else m
    if growth == "all-structures":
        log_prior = log_leaves_prior(L)
        log_growth = log_all_structures_growth_bound(L, m + ghosts, l, n_classes)
    else:
        log_prior = log_structure_prior(L)
        log_growth = log_growth_function_bound(tree.structure, m + ghosts, l, n_classes, growth)
    if method == "hypergeometric":
        value = hypergeometric_bound(m, n_errors, ghosts, log_growth, log_prior, delta)
    elif method == "growth":
        value = relative_deviation_bound(m, n_errors, log_growth, log_prior, delta)
    else:
        log_error_prior = float(log_geometric_prior(n_errors))
        value = shawe_taylor_bound(m, n_errors, log_growth, log_error_prior, log_prior, delta)
    return min(value, 1.0), log_growth - log_prior


def _check_sample(
    fitted_tree: Any, X: ArrayLike, y: ArrayLike
) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
    """X as scikit-learn's trees compare it, and class indices."""
    rows: Any = validate_data(fitted_tree, X, reset=False, dtype=np.float32, ensure_all_finite="allow-nan")
    labels: Any = column_or_1d(y)
    if len(labels) != len(rows):
        raise ValueError(f"y must have one label for each of the {len(rows)} examples; got {len(labels)}")
    unseen = np.setdiff1d(labels, fitted_tree.classes_)
    if len(unseen):
        raise ValueError(f"y: labels {unseen.tolist()} were unseen in training; the tree cannot predict them")
    return rows, np.searchsorted(fitted_tree.classes_, labels)


def _check_origin(fitted_tree: Any, tree: ArrayTree, X: NDArray[np.float32], method: str) -> None:
    """The same examples at every node are the sign that the tree was fitted on X."""
    reached = tree.subtree_sums(np.bincount(tree.apply(X), minlength=tree.n_nodes))
    own = np.array_equal(reached, fitted_tree.tree_.n_node_samples)
    if own and method in _OTHER_DATA and tree.n_leaves > 1:
        warnings.warn(
            f"method {method!r} needs examples that had no part in choosing the tree, but this tree was "
            "fitted on them: the certificate does not hold. Use 'description-length', or new examples.",
            ReusedDataWarning,
            stacklevel=3,
        )
    if not own and method not in _OTHER_DATA:
        raise ValueError(_wrong_sample(method, int(fitted_tree.tree_.n_node_samples[0]), len(X)))


def _wrong_sample(method: str, n_grown: int, n_given: int) -> str:
    difference = f"on {n_grown} examples, and X has {n_given}"
    if n_grown == n_given:
        difference = f"on {n_given} others, which take other paths"
    remedy = "pass the sample that it was grown on"
    if n_grown < n_given:
        remedy += " (if the estimator held examples out, leave out the rows in its validation_indices_)"
    return (
        f"X: {method!r} needs the examples that the tree was grown on. It was grown {difference}: {remedy}, "
        "or use method='test-set' with examples that it has never met"
    )


def _with_thresholds(fitted_tree: Any, tree: ArrayTree, found: Compression) -> Any:
    """The certified classifier: the given one if it has the certified thresholds, else a copy."""
    if not len(found.collapsed) and np.array_equal(tree.threshold, found.tree.threshold):
        return fitted_tree
    warnings.warn(
        "the certificate holds for its `estimator`, a copy of the tree whose thresholds are training values "
        "(and in which sibling leaves that predict the same are one): predict with that",
        MovedThresholdsWarning,
        stacklevel=3,
    )
    return move_thresholds(collapse_classifier(fitted_tree, found.collapsed), found.tree.threshold)
