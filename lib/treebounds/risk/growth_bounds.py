"""Risk bounds from growth functions: relative deviations (Vapnik) and inverted
hypergeometric tails.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treebounds._validation import check_integer, check_number
from treebounds.capacity.all_structures import log_all_structures_growth_bound
from treebounds.capacity.features import FeatureKinds
from treebounds.risk.certificate import Certificate, certificate_from_verdict
from treebounds.risk.checks import check_delta, check_errors, check_n_classes
from treebounds.risk.feature_kinds import features_known_before
from treebounds.risk.reuse.recurrence import Recurrence
from treebounds.risk.rows.duplicates import Policy
from treebounds.risk.shawe_taylor import log_leaves_prior
from treebounds.risk.tail_inversion import hypergeometric_tail_inversion
from treebounds.risk.tree_verdicts import (
    read_tree_sample,
    verdict_of_tree,
)
from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.weakest_link import WeakestLinkSequence, weakest_link_sequence

# The number m' of ghost examples of the hypergeometric bound, divided by m. As it
# grows, the price of a node grows as c + ln(1 + m'/m), where c is about 9 nats for
# usual samples, and the variance falls as 1 + m/m'. Their product hardly changes
# between the ratios 8 and 16.
GHOSTS_PER_EXAMPLE = 8


def certify_by_growth(
    tree: Any,
    X: Any,
    y: Any,
    *,
    delta: float = 0.05,
    n_classes: int | None = None,
    feature_kinds: Any = None,
    duplicates: Policy = "refuse",
) -> Certificate:
    """Certify a tree from the number of labelings that all trees with as many leaves
    realize.

    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk import certify_by_growth
    >>> X, y = np.arange(1000.0).reshape(-1, 1), np.arange(1000) > 499
    >>> stump = DecisionTreeClassifier().fit(X, y)
    >>> round(certify_by_growth(stump, X, y), 3)
    0.017

    X is usually the sample that the tree was grown on. The bound holds for all trees at
    once, so it does not matter how this one was chosen.

    Parameters
    ----------
    tree : sklearn.tree.DecisionTreeClassifier
        Or an instance of a subclass; fitted.
    X : (m, l) array or frame
        Without missing values.
    y : (m,) array
        Labels that the tree knows.
    delta : float
        Probability that the bound fails, strictly between 0 and 1.
    n_classes : int, optional
        Number of classes of the problem if the tree's sample lacks some.
    feature_kinds : dict or "from_dtype", optional
        A dict from columns, by name or position, to their numbers of levels, which have
        to be known before the sample is seen; "from_dtype" takes the categorical
        columns of a data frame. Columns with few levels make the bound smaller than
        real-valued columns do.
    duplicates : {"refuse", "together", "ignore"}
        What to do with examples that are equal to others, as in
        :func:`treebounds.certify`.

    Returns
    -------
    Certificate

    Raises
    ------
    ValueError
        If an argument is outside its range or the sample does not fit the tree.

    Notes
    -----
    The value is that of :func:`growth_bound`, at most 1. Cost: one pass of the examples
    through the tree; the bound itself takes milliseconds.
    """
    delta = check_delta(delta)
    sample = read_tree_sample(tree, X, y, duplicates=duplicates)
    n = check_n_classes(n_classes, sample.tree.n_classes)

    features = features_known_before(X, sample.rows, feature_kinds)
    n_errors = int((sample.tree.predict(sample.rows) != sample.codes).sum())
    value = growth_bound(
        sample.tree.n_leaves, len(sample.codes), n_errors, n, features, delta
    )
    verdict = verdict_of_tree(value, delta, tree, sample.rows, sample.labels)
    return certificate_from_verdict(
        tree, verdict, delta, Recurrence(), sample.repeats, method="growth"
    )


def relative_deviation_bound(
    n_examples: int,
    n_errors: int,
    log_growth: float,
    log_prior: float,
    delta: float = 0.05,
) -> float:
    """Vapnik's bound of the risk by relative deviations.

    Let G be the growth function of a class of functions, and ``prior`` the weight of
    the class; the weights of all classes have sum at most 1. With e = 4 (ln G(2m) + ln
    4 - ln delta - ln prior) / m for m examples, with probability at least 1 - delta, a
    function with training error q has risk at most q + e/2 (1 + sqrt(1 + 4 q / e))
    (Vapnik 1998, Theorem 5.3; Anthony and Shawe-Taylor 1993). This is never above
    Shawe-Taylor's 2 q + e with the same growth function.

    >>> from treebounds.risk.growth_bounds import relative_deviation_bound
    >>> round(relative_deviation_bound(1000, 20, log_growth=30.0, log_prior=-2.0), 4)
    0.1833

    Parameters
    ----------
    n_examples, n_errors : int
        m, and the number of training errors, m q.
    log_growth : float
        ln G(2 m), in nats.
    log_prior : float
        ln of the weight of the class of functions, at most 0.
    delta : float

    Returns
    -------
    float
        Not clipped at 1.

    Raises
    ------
    ValueError
        If an argument is outside its range.
    """
    m = check_integer(n_examples, "n_examples")
    q = check_errors(n_errors, m) / m
    e = 4 * (math.log(4) + _price(log_growth, log_prior, check_delta(delta))) / m
    return q + e / 2 * (1 + math.sqrt(1 + 4 * q / e))


def hypergeometric_bound(
    n_examples: int,
    n_errors: int,
    n_ghosts: int,
    log_growth: float,
    log_prior: float,
    delta: float = 0.05,
) -> float:
    """Bound the risk by the errors on a second, imagined sample (Leboeuf, LeBlanc and
    Marchand 2021).

    >>> from treebounds.risk.growth_bounds import hypergeometric_bound
    >>> round(
    ...     hypergeometric_bound(
    ...         1000, 20, n_ghosts=8000, log_growth=30.0, log_prior=-2.0
    ...     ),
    ...     4,
    ... )
    0.0836

    The proof imagines a second sample of m' examples, called ghosts, so that there are
    M = m + m' in all. Let G be the growth function of a class of functions, and
    ``prior`` the weight of the class; the weights of all classes have sum at most 1.
    Let K* = min {K : P[Hyp(M, K, m) <= k] <= delta prior / (4 G(M))}, as in
    :func:`hypergeometric_tail_inversion`. With probability at least 1 - delta, a
    function with k errors on the m examples has risk at most max(1, K* - 1 - k) / m'.

    Proof. A function of risk R > 1/m' makes at least m' R errors on the ghosts with
    probability above 1/4 (Greenberg and Mohri 2014). So the probability that the bound
    fails is at most four times the probability that some function makes more than K* -
    1 - k errors on the ghosts, and hence at least K* errors on all M examples. Given
    the M examples, in random order, each of the at most G(M) labelings by functions of
    the class does so with probability at most delta prior / (4 G(M)). Sum over
    labelings and classes.

    Parameters
    ----------
    n_examples, n_errors : int
        m and k.
    n_ghosts : int
        m', fixed before the sample is seen.
    log_growth : float
        ln G(m + m'), in nats.
    log_prior : float
        ln of the weight of the class of functions, at most 0.
    delta : float

    Returns
    -------
    float
        At most 1.

    Raises
    ------
    ValueError
        If an argument is outside its range.
    """
    m = check_integer(n_examples, "n_examples")
    k = check_errors(n_errors, m)
    ghosts = check_integer(n_ghosts, "n_ghosts")
    log_gamma = -math.log(4) - _price(log_growth, log_prior, check_delta(delta))
    total_errors = hypergeometric_tail_inversion(k, m, m + ghosts, log_gamma)
    # At most 1, since the inversion is at most k + m' + 1.
    return max(1, total_errors - 1 - k) / ghosts


def growth_bound(
    n_leaves: int,
    n_examples: int,
    n_errors: int,
    n_classes: int,
    n_features: int | FeatureKinds,
    delta: float = 0.05,
) -> float:
    """The bound of :func:`certify_by_growth`, from a tree's numbers of leaves and of
    errors.

    >>> from treebounds.risk.growth_bounds import growth_bound
    >>> round(growth_bound(2, 400, 20, 2, 1), 2)
    0.13

    Parameters
    ----------
    n_leaves, n_examples, n_errors, n_classes : int
    n_features : int or FeatureKinds
        An integer for real-valued features.
    delta : float

    Returns
    -------
    float
        The hypergeometric bound if it is below 1, else the larger of 1 and the relative
        deviation bound. It is not clipped at 1, so that trees can be compared even if
        no risk is excluded.

    Raises
    ------
    ValueError
        If an argument is outside its range.
    """
    m = n_examples
    ghosts = GHOSTS_PER_EXAMPLE * m
    prior = log_leaves_prior(n_leaves)
    log_growth = log_all_structures_growth_bound(
        n_leaves, m + ghosts, n_features, n_classes
    )
    value = hypergeometric_bound(m, n_errors, ghosts, log_growth, prior, delta)
    if value < 1:
        return value
    log_growth = log_all_structures_growth_bound(n_leaves, 2 * m, n_features, n_classes)
    return max(1.0, relative_deviation_bound(m, n_errors, log_growth, prior, delta))


def growth_candidates(
    tree: ArrayTree,
    n_examples: int,
    n_features: int | FeatureKinds,
    delta: float = 0.05,
    n_classes: int | None = None,
) -> tuple[WeakestLinkSequence, NDArray[np.float64]]:
    """The weakest-link sequence of a tree on the sample that it was grown on, with the
    growth bounds.

    >>> from treebounds.risk.growth_bounds import growth_candidates
    >>> from treebounds.trees import ArrayTree
    >>> stump = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     class_counts=[[60, 60], [60, 0], [0, 60]],
    ...     n_features=1,
    ... )
    >>> sequence, bounds = growth_candidates(stump, n_examples=120, n_features=1)
    >>> sequence.n_leaves, bool(bounds[0] < bounds[1])
    (array([2, 1]), True)

    Parameters
    ----------
    tree : ArrayTree
        With the class counts of the sample.
    n_examples : int
    n_features : int or FeatureKinds
    delta : float
    n_classes : int, optional
        If the sample lacks some.

    Returns
    -------
    sequence : WeakestLinkSequence
    bounds : (n_members,) array of float
        :func:`growth_bound` of each member, not clipped at 1.

    Raises
    ------
    ValueError
        If an argument is outside its range.
    """
    sequence = weakest_link_sequence(tree)
    n = tree.n_classes if n_classes is None else n_classes
    bounds = [
        growth_bound(L, n_examples, round(k), n, n_features, delta)
        for L, k in zip(sequence.n_leaves.tolist(), sequence.costs, strict=True)
    ]
    return sequence, np.array(bounds)


def _price(log_growth: float, log_prior: float, delta: float) -> float:
    """ln(G / (delta prior)), in nats: the price of a bound that holds for all functions
    at once.
    """
    log_growth = check_number(log_growth, "log_growth", "[0, inf]")
    return (
        log_growth - check_number(log_prior, "log_prior", "[-inf, 0]") - math.log(delta)
    )
