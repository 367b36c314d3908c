"""Bounds on the number of partitions and labelings that a tree structure can realize,
in exact integers.

Let ``S(m, c)`` be the number of partitions of m examples into c parts. If there are no
more examples than leaves, a structure realizes all of them. Otherwise each bound is
capped by this number at every node.
"""

from __future__ import annotations

from typing import Any

from treebounds._validation import check_integer, check_option
from treebounds.capacity._exact_recursion import ExactRecursion
from treebounds.capacity._labelings import (
    capped_bound,
    growth_of,
    partitions_of,
    stirling,
)
from treebounds.capacity._trees import TreeLike, check_real_tree, check_tree
from treebounds.capacity.closed import closed_2020, closed_sharp
from treebounds.capacity.features import FeatureKinds
from treebounds.structure import TreeStructure

FORMS = ("sharp", "closed", "tight", "loose")
_FORMS_OF_ALL_KINDS = ("sharp", "closed")
_FORMS_OF_PARTS = ("tight", "loose")


def partitioning_function_bound(
    tree: TreeLike,
    n_parts: int,
    n_examples: int,
    n_features: int | None = None,
    *,
    form: str = "tight",
) -> int:
    """An upper bound on the number of partitions into c parts that a tree structure
    realizes on a sample.

    >>> from treebounds import TreeStructure
    >>> from treebounds.capacity import partitioning_function_bound
    >>> stump = TreeStructure.from_nested([None, None])
    >>> partitioning_function_bound(stump, n_parts=2, n_examples=10, n_features=1)
    9
    >>> partitioning_function_bound(
    ...     stump, n_parts=2, n_examples=10, n_features=1, form="loose"
    ... )
    8

    Parameters
    ----------
    tree : TreeStructure, ArrayTree or fitted scikit-learn tree
    n_parts, n_examples : int
        c and m in the formulas; at least 1.
    n_features : int, optional
        At least 1; the features are real-valued. May be omitted for a fitted tree.
    form : {"tight", "loose"}
        "tight" is Theorem 9 of Leboeuf et al. (2020). "loose" is the faster form of
        their section 6.2 as printed. For m examples and L leaves it has a factor m - L
        where m - L + 1 terms are summed, so it is not always an upper bound.

    Returns
    -------
    int
        Capped by ``S(m, c)``, the number of all partitions of m examples into c parts,
        at every node. 1 for one part, 0 for more parts than leaves, ``S(m, c)`` if
        there are no more examples than leaves.

    Raises
    ------
    ValueError
        If an argument is outside its range, or a fitted tree tests more features.

    Notes
    -----
    The tight form takes ``O(L (m - L)^2 min(c, L))`` multiplications of integers, the
    loose one ``O(L min(c, L))``. Theorem 9 has a sum over the parts of the two
    subtrees. It equals a product of growth bounds, from which the numbers of partitions
    are recovered (see the book's chapter on growth functions).
    """
    structure, l = check_real_tree(tree, n_features)
    c = check_integer(n_parts, "n_parts")
    m = check_integer(n_examples, "n_examples")
    check_option(form, "form", _FORMS_OF_PARTS)

    if c > min(structure.n_leaves, m):
        return 0
    if m <= structure.n_leaves:
        return stirling(m, c)

    growth = _recursive_bounds(structure, m, FeatureKinds(real=l), c, form)
    return partitions_of(growth)[c - 1]


def growth_function_bound(
    tree: TreeLike,
    n_examples: int,
    n_features: int | FeatureKinds | None = None,
    n_classes: int = 2,
    *,
    form: str = "sharp",
) -> int:
    """An upper bound on the number of labelings of a sample that a tree structure
    realizes.

    >>> from treebounds import FeatureKinds, TreeStructure, growth_function_bound
    >>> chain = TreeStructure.from_nested([[None, None], None])
    >>> growth_function_bound(chain, n_examples=10, n_features=1)
    182

    Parameters
    ----------
    tree : TreeStructure, ArrayTree or fitted scikit-learn tree
        With L leaves and N internal nodes, s of which have equal subtrees.
    n_examples, n_classes : int
        m and n, at least 1. Two classes when not given, also for a fitted tree that
        predicts more.
    n_features : int or FeatureKinds, optional
        An integer l means l real-valued features. Only the forms "sharp" and "closed"
        accept :class:`FeatureKinds` with S > 0 splits on features with finitely many
        values. May be omitted for a fitted tree, whose features then count as
        real-valued.
    form : {"sharp", "tight", "closed", "loose"}
        - "sharp": the smallest bound of this library, never above "tight". Its
          recursion counts a labeling at the cut that gives as many examples as possible
          to one subtree; the next example then has a label that this subtree does not
          give it.
        - "tight": Theorem 9 of Leboeuf et al. (2020).
        - "closed": ``n sum_j C(N, j) (1 + 2 n S)^(N - j) (2 (n - 1) l)^j C(m - 1, j)``
          or, if all features are real-valued and it is smaller,
          ``n^L (2 l)^N C(m - 1, N) / 2^s``.
        - "loose": see :func:`partitioning_function_bound`; not always an upper bound.

        Each is capped by the number of labelings with no more than L of the n classes.

    Returns
    -------
    int
        ``n^m``, all labelings, if there are no more examples than leaves and some
        feature is real-valued.

    Raises
    ------
    ValueError
        If an argument is outside its range, or a fitted tree tests more features.

    See Also
    --------
    log_growth_function_bound : its logarithm in floating point, for any size.
    growth_function_lower_bound : from below.

    Notes
    -----
    The recursion of "sharp" takes ``O(L (m - L)^2)`` multiplications of integers, that
    of "tight" as many for each number of classes up to min(n, L). For more than two
    classes and real-valued features, "sharp" runs both. The function does not limit its
    time: "sharp" takes 6 s for 3 leaves and m = 16,000, 3 s for a chain of 11 leaves
    and m = 2,000, and four times as long for twice as many examples. For larger
    samples, "closed" takes milliseconds, and :func:`log_growth_function_bound` takes
    the time stated there.

    "tight" and "loose" sum ``n (n - 1) ... (n - c + 1)`` times the bound for c parts
    over c up to min(n, L) (Leboeuf et al., Equation 4). "sharp" and "closed" are proved
    in the book's chapters on growth functions and on features of several kinds.

    Examples
    --------
    >>> [
    ...     growth_function_bound(chain, 10, 1, form=form)
    ...     for form in ("sharp", "tight", "closed")
    ... ]
    [182, 322, 362]
    >>> growth_function_bound(chain, 10, FeatureKinds(binary=5))
    222

    A fitted tree knows its features:

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> fitted = DecisionTreeClassifier(max_leaf_nodes=3).fit(
    ...     *load_iris(return_X_y=True)
    ... )
    >>> growth_function_bound(fitted, 10) == growth_function_bound(chain, 10, 4)
    True
    """
    m = check_integer(n_examples, "n_examples")
    n = check_integer(n_classes, "n_classes")
    structure, kinds = check_tree(tree, n_features)
    check_form(form, kinds)

    if n == 1 or (kinds.real and m <= structure.n_leaves):
        return int(n**m)
    if form == "closed":
        return _closed(structure, m, kinds, n)

    bound = growth_of_classes(structure, m, kinds, n, form)
    if form == "sharp" and n > 2 and not kinds.n_finite_splits:
        # Theorem 9's caps on partitions can be lower.
        tight = growth_of_classes(structure, m, kinds, n, "tight")
        return min(bound, tight)
    return bound


def check_form(form: Any, kinds: FeatureKinds) -> None:
    """Raise a ValueError if the form is unknown or not for these kinds of features."""
    check_option(form, "form", FORMS)
    if kinds.n_finite_splits and form not in _FORMS_OF_ALL_KINDS:
        raise ValueError(
            f"n_features: form={form!r} is for real-valued features; use 'sharp' or"
            " 'closed'"
        )


def _closed(structure: TreeStructure, m: int, kinds: FeatureKinds, n: int) -> int:
    """The smaller of the closed forms that hold, capped as every form is."""
    N = structure.n_internal_nodes
    bound = closed_sharp(N, m, kinds.real, kinds.n_finite_splits, n)
    if not kinds.n_finite_splits:
        by_leaves = closed_2020(N, structure.n_symmetric_nodes, m, kinds.real, n)
        bound = min(bound, by_leaves)
    return capped_bound(bound, m, n, structure.n_leaves)


def growth_of_classes(
    structure: TreeStructure, m: int, kinds: FeatureKinds, n: int, form: str
) -> int:
    """The bound of a recursive form for n classes and m > L examples."""
    if form == "sharp":
        return _recursive_bounds(structure, m, kinds, n, form)[0]

    parts = min(n, structure.n_leaves)
    growth = _recursive_bounds(structure, m, kinds, parts, form)
    return growth_of(partitions_of(growth), n)


def _recursive_bounds(
    structure: TreeStructure, m: int, kinds: FeatureKinds, n: int, form: str
) -> list[int]:
    """Growth bounds for the numbers of classes that the recursion keeps."""
    table = ExactRecursion(m, kinds, n, form).table(structure, m, m)
    return [bounds[0] for bounds in table]
