"""VC dimensions and pseudo-dimensions, from below and above: of one tree and of sums of
trees.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy.optimize import brentq

from treebounds.capacity._log_recursion import LogRecursion
from treebounds.capacity._trees import TreesLike, check_trees, real_valued
from treebounds.capacity.features import FeatureKinds
from treebounds.capacity.log_growth import log_growth_function_bound
from treebounds.capacity.many_stumps import largest_possible, most_of_stumps
from treebounds.capacity.shattering import largest_known_sample
from treebounds.capacity.stumps import one_sided_stump_vc_dimension
from treebounds.structure import TreeStructure

# The most that a recursion may take: some seconds, and 400 MB.
_MOST_PRODUCTS = 10**10
_MOST_NUMBERS = 5 * 10**7

# A bound that rounding may have moved across an integer counts as the larger one.
_ROUNDING = 1e-10


def vc_dimension_lower_bound(tree: TreesLike, n_features: int | None = None) -> int:
    """A lower bound on the VC dimension of a tree structure, or of the votes of
    several.

    >>> from treebounds import TreeStructure, vc_dimension_lower_bound
    >>> chain = TreeStructure.from_nested([[None, None], None])
    >>> [vc_dimension_lower_bound(chain, n_features) for n_features in (1, 2, 5, 100)]
    [3, 5, 8, 17]
    >>> vc_dimension_lower_bound([chain, chain], 2)
    9
    >>> three = TreeStructure(chain, TreeStructure())
    >>> four = TreeStructure(chain, TreeStructure.from_nested([None, None]))
    >>> eight = TreeStructure(three, four)
    >>> eight.n_internal_nodes, vc_dimension_lower_bound(eight, 2)
    (8, 19)

    Parameters
    ----------
    tree : TreeStructure, ArrayTree, fitted classification tree, list, or ensemble
        A list holds trees of these kinds. Ensembles, fitted, for two classes:
        RandomForestClassifier, ExtraTreesClassifier, BaggingClassifier and
        AdaBoostClassifier on trees, GradientBoostingClassifier, XGBoost's and
        LightGBM's classifiers and boosters. Several trees mean the
        classifiers ``f_1(x) + ... + f_B(x) > c``.
    n_features : int, optional
        l, at least 1; the features are real-valued. May be omitted for fitted trees and
        ensembles.

    Returns
    -------
    int
        Let g be :func:`one_sided_stump_vc_dimension` of l features, about log2 l, and M
        the number of internal nodes of all trees.

        - ``V_A + (M - M_A) g``. Here A is a part that keeps its own sample, with M_A
          internal nodes, and V_A a number of examples that A shatters: a leaf (V_A =
          1), a stump (V_A is :func:`stump_vc_dimension`), on two features a smallest
          subtree of one tree with at least three internal nodes (``V_A = 2 M_A + 2``)
          or stumps of three trees (V_A = 8), whichever is best.
        - On two features, A may also be the whole tree with the most *later subtrees*:
          ``V_A = 2 M_A + 2``, and one more for each of them. They are the smallest
          subtrees with at least four internal nodes that have at most six and do not
          contain the subtree that comes first, which has at least three.
        - On two features, one more for each four of the other nodes that belong to four
          different trees, for as many disjoint fours as there are.
        - If l >= 2 and b >= 4 of the trees have at least two internal nodes, ``k 2^(k -
          1)`` with ``k = floor(log2 b) - 1`` is a bound, too, and larger for very many
          small trees.

        So on two features three or more trees, each with a test, shatter ``2 M + 2``
        examples, and B >= 3 stumps ``2 B + 2 + floor((B - 3) / 4)``. Except for three
        stumps as the part and for the fours, the values -1 and 1 at the leaves are
        enough, if the threshold c is free. So the bounds hold for votes, and for
        leaves with any numbers (boosting).

    Raises
    ------
    ValueError
        For an empty list, an ensemble of another kind, a regressor, or if
        ``n_features`` is not the number of features of the trees.

    See Also
    --------
    shattered_sample : a sample of this size.
    vc_dimension_upper_bound : from above.
    pseudo_dimension_lower_bound : for regression trees.

    Notes
    -----
    Proofs are in the book's chapters on the VC dimension, on small trees (Theorem
    *Several subtrees keep samples of their own*) and on many trees. The bounds
    for several trees need a threshold c that depends on the structures. They do not
    cover a plain majority vote, for which c = 0. Cost: O(nodes).
    """
    trees, kinds = check_trees(tree, n_features)
    l = real_valued(kinds)
    by_part = largest_known_sample(trees, l)

    n_large = sum(tree.n_leaves > 2 for tree in trees)
    if l == 1 or n_large < 4:
        return by_part

    k = n_large.bit_length() - 2
    return max(by_part, k << (k - 1))


def _n_nodes(trees: Sequence[TreeStructure]) -> int:
    """Internal nodes of all trees together."""
    return sum(tree.n_internal_nodes for tree in trees)


def vc_dimension_upper_bound(
    tree: TreesLike, n_features: int | FeatureKinds | None = None
) -> int:
    """An upper bound on the VC dimension of a tree structure, or of the votes of
    several.

    >>> from treebounds import FeatureKinds, TreeStructure, vc_dimension_upper_bound
    >>> stump = TreeStructure.from_nested([None, None])
    >>> [vc_dimension_upper_bound(stump, n_features) for n_features in (1, 2, 3, 5, 10)]
    [2, 3, 4, 5, 6]
    >>> vc_dimension_upper_bound(TreeStructure(stump, TreeStructure()), 2)
    8
    >>> vc_dimension_upper_bound(
    ...     TreeStructure(stump, TreeStructure()), FeatureKinds(binary=3)
    ... )
    6
    >>> vc_dimension_upper_bound([stump, stump, stump], 1)
    4

    Parameters
    ----------
    tree : TreeStructure, ArrayTree, fitted classification tree, list, or ensemble
        See :func:`vc_dimension_lower_bound`.
    n_features : int or FeatureKinds, optional
        An integer l, at least 1, means l real-valued features; several trees need an
        integer. It may be omitted for fitted trees and ensembles; a tree that splits by
        sets of categories needs :class:`FeatureKinds`.

    Returns
    -------
    int
        Let M be the number of internal nodes of all B trees.

        - On one real-valued feature ``M + 1``, which is exact.
        - Else, for one tree, the largest m for which the growth bound of
          :func:`growth_function_bound` for two classes is still ``2^m``. Its form is
          "sharp" if this takes at most some seconds and 400 MB (always up to 200 leaves
          and 16 features), else "closed". On real-valued features, the result is less
          than ``1 + M v``, where v is the positive root of ``2^v = e (1 + 2 l v)``,
          about ``log2 l + log2 log2 l + log2(2 e)``. If no feature is real-valued, the
          result is at most the number of different examples. For a leaf it is 1.
        - For several trees, with any numbers at their leaves and any threshold, the
          largest integer less than ``1 + M s``, where s is the larger root of ``2^s =
          e^2 s (1 + 2 l B s)``. If all trees are stumps, it is at most the largest d
          with ``2^d <= 2 C(l (d - 1), B) sum_(k <= B) C(d - 1, k)``, and on two and
          three features the smallest ``((B + l) log2((1 - z)^-2 - 1) + log2 C(B + l -
          1, l - 1)) / (1 + l log2 z)`` for ``2^(-1/l) < z < 1``.

    Raises
    ------
    ValueError
        See :func:`vc_dimension_lower_bound`.

    See Also
    --------
    vc_dimension_lower_bound : from below.
    pseudo_dimension_upper_bound : for regression trees.

    Notes
    -----
    One run of the recursion gives the bounds for all m. Since it computes in floating
    point, values within rounding of ``2^m`` count as ``2^m``. For one tree this is the
    algorithm that Leboeuf et al. (2020) describe after Theorem 9 (Appendix D), with a
    sharper recursion; the book's chapters on VC dimension prove the others.
    """
    trees, kinds = check_trees(tree, n_features)
    l = kinds.real
    M = _n_nodes(trees)
    B = len(trees)
    # Labels that alternate along one feature change at a threshold each time.
    if l == 1 and not kinds.n_finite_splits:
        return M + 1
    if not trees:
        return 1
    if B == 1:
        return _vc_dimension_of_one(trees[0], kinds)

    root = _root(lambda x: 2 + math.log(x) + math.log1p(2 * l * B * x))
    bound = _below(1 + M * root)
    # Single leaves were left out, so with one node per tree all of them are stumps.
    if M == B:
        bound = min(bound, most_of_stumps(B, l))
    return bound


def _root(log_count: Callable[[float], float]) -> float:
    """The larger root of ``2^x = exp(log_count(x))``, for a concave log_count above ln
    2 at x = 1.
    """
    high = 2.0
    while high * math.log(2) < log_count(high):
        high *= 2
    return float(brentq(lambda x: x * math.log(2) - log_count(x), 1, high))


def _below(bound: float) -> int:
    """The largest integer less than a bound, up to rounding."""
    return math.ceil(bound * (1 + _ROUNDING)) - 1


def _vc_dimension_of_one(structure: TreeStructure, kinds: FeatureKinds) -> int:
    """The upper bound for one tree with at least one node."""
    closed = _closed_bound(structure, kinds)
    if not kinds.real:
        sizes = (*kinds.ordinal, *kinds.nominal, *kinds.nominal_subsets)
        bits = kinds.binary + sum(map(math.log2, sizes))
        if bits < 64:
            # There are no more different examples.
            closed = min(closed, 2**kinds.binary * math.prod(sizes))
    return _by_recursion(structure, kinds, closed, "sharp")


def _by_recursion(
    structure: TreeStructure, kinds: FeatureKinds, largest: int, form: str
) -> int:
    """The largest m, at most ``largest``, for which a recursion gives ``2^m``."""
    recursion = LogRecursion(largest, kinds, 2, form)
    n_products, n_numbers = recursion.cost(structure)
    too_dear = n_products > _MOST_PRODUCTS or n_numbers > _MOST_NUMBERS
    if too_dear or largest <= structure.n_leaves:
        return largest

    first = structure.n_leaves if kinds.real else 1
    examples = np.arange(first, largest + 1)
    log_bounds = recursion.table(structure, first, largest)
    too_few = log_bounds < examples * math.log(2) - _ROUNDING
    if not too_few.any():
        return largest
    return int(examples[too_few.argmax()]) - 1


def _closed_bound(structure: TreeStructure, kinds: FeatureKinds) -> int:
    """The largest m for which the closed bound is not below 2^m."""
    return largest_possible(
        lambda m: log_growth_function_bound(structure, m, kinds, form="closed")
    )


def pseudo_dimension_lower_bound(tree: TreesLike, n_features: int | None = None) -> int:
    """A lower bound on the pseudo-dimension of trees with numbers at their leaves, or
    of sums of them.

    The pseudo-dimension is the largest d with examples ``x_1..x_d`` and thresholds
    ``t_1..t_d`` such that each of the 2^d patterns of ``f(x_i) > t_i`` is realized by a
    function f.

    >>> from treebounds import TreeStructure, pseudo_dimension_lower_bound
    >>> chain = TreeStructure.from_nested([[None, None], None])
    >>> [pseudo_dimension_lower_bound(chain, n_features) for n_features in (1, 2, 100)]
    [5, 7, 19]
    >>> pseudo_dimension_lower_bound([chain, chain], 2)
    13

    Parameters
    ----------
    tree : TreeStructure, ArrayTree, fitted regression tree, list, or ensemble
        A list holds trees of these kinds. Ensembles, fitted: RandomForestRegressor,
        ExtraTreesRegressor and
        BaggingRegressor on trees, GradientBoostingRegressor, XGBoost's and LightGBM's
        regressors and boosters. Several trees mean the sums ``f_1(x) + ... + f_B(x)``.
    n_features : int, optional
        l, at least 1; the features are real-valued. May be omitted for fitted trees and
        ensembles.

    Returns
    -------
    int
        ``M g + M + 1``, where M is the number of internal nodes of all trees and g is
        :func:`one_sided_stump_vc_dimension` of l features. The bound is exact on one
        feature (``2 M + 1``), for one stump (``g + 2``) and for a leaf (1).

    Raises
    ------
    ValueError
        For an empty list, an ensemble of another kind, a classifier, or if
        ``n_features`` is not the number of features of the trees.

    See Also
    --------
    pseudo_dimension_upper_bound : from above.
    vc_dimension_lower_bound : for classification trees.

    Notes
    -----
    The book's chapter on numbers at the leaves has the proof, with a sample of this
    size. Cost: O(nodes).
    """
    trees, kinds = check_trees(tree, n_features, regression=True)
    of_a_node = 1 + one_sided_stump_vc_dimension(real_valued(kinds))
    return 1 + _n_nodes(trees) * of_a_node


def pseudo_dimension_upper_bound(tree: TreesLike, n_features: int | None = None) -> int:
    """An upper bound on the pseudo-dimension of trees with numbers at their leaves, or
    of sums of them.

    >>> from treebounds import TreeStructure, pseudo_dimension_upper_bound
    >>> chain = TreeStructure.from_nested([[None, None], None])
    >>> [pseudo_dimension_upper_bound(chain, n_features) for n_features in (1, 2, 100)]
    [5, 17, 32]

    Parameters
    ----------
    tree : TreeStructure, ArrayTree, fitted regression tree, list, or ensemble
        See :func:`pseudo_dimension_lower_bound`.
    n_features : int, optional
        l, at least 1; the features are real-valued. May be omitted for fitted trees and
        ensembles.

    Returns
    -------
    int
        - For one tree with N internal nodes, a number less than ``1 + N u``, where u is
          the positive root of ``2^x = e (1 + 4 l x) (1 + x/2)^(1 + 1/N)``: the largest
          m for which a recursion over the structure does not exclude that all ``2^m``
          patterns are realized. If the recursion would take more than some seconds or
          400 MB, the largest integer less than ``1 + N u``.
        - For B trees with M internal nodes in all, the largest d with
          ``2^d <= (e d / (M + 1))^(M + 1) (e (1 + 2 l B (d - 1) / M))^M``.
        - On one feature, for one stump and for a leaf, the lower bound, which is exact
          there.

    Raises
    ------
    ValueError
        See :func:`pseudo_dimension_lower_bound`.

    Notes
    -----
    For one tree, the proof is in the book's chapter on numbers at the leaves. For
    several trees, fix the leaf of each tree that each of the d examples reaches. The
    sums with these leaves form a linear space of dimension at most M + 1, so they have
    at most as many patterns as d hyperplanes have cells in it. A tree with N internal
    nodes assigns the examples to its leaves in at most ``e^N (1 + 2 l (d - 1) / N)^N``
    ways.
    """
    trees, kinds = check_trees(tree, n_features, regression=True)
    l = real_valued(kinds)
    M = _n_nodes(trees)
    B = len(trees)
    if l == 1 or M < 2:
        return 1 + M * (1 + one_sided_stump_vc_dimension(l))

    if B == 1:
        u = _root(lambda x: 1 + math.log1p(4 * l * x) + (1 + 1 / M) * math.log1p(x / 2))
        return _by_recursion(trees[0], kinds, _below(1 + M * u), "patterns")

    def log_patterns(x: float) -> float:
        """The logarithm of the right side for ``d = (M + 1) x``, divided by M + 1."""
        per_tree = 1 + math.log1p(2 * l * B * ((M + 1) * x - 1) / M)
        return 1 + math.log(x) + M / (M + 1) * per_tree

    return math.floor((M + 1) * _root(log_patterns) * (1 + _ROUNDING))
