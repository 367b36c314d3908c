"""The Natarajan dimension of trees with any number of classes, from below and above."""

from __future__ import annotations

from treebounds._validation import check_integer
from treebounds.capacity._trees import TreeLike, check_real_tree
from treebounds.capacity.closed import log_closed_sharp
from treebounds.capacity.many_stumps import largest_possible
from treebounds.capacity.shattering import largest_known_sample
from treebounds.capacity.vc_dimension import vc_dimension_upper_bound
from treebounds.structure import TreeStructure

# Up to this number of features, trees with two internal nodes shatter no more in the
# sense of Natarajan than with two classes, by a search for each of them.
_SEARCHED_FEATURES = 7
# A larger sample than the VC dimension has two examples of each pair of three classes.
_FEWEST_BEYOND_VC = 6


def natarajan_dimension_lower_bound(
    tree: TreeLike, n_features: int | None = None
) -> int:
    """A lower bound on the Natarajan dimension of a tree structure, for any number of
    classes from two on.

    >>> from treebounds import TreeStructure
    >>> from treebounds.capacity import natarajan_dimension_lower_bound
    >>> chain = TreeStructure.from_nested([[None, None], None])
    >>> natarajan_dimension_lower_bound(chain, n_features=2)
    5

    The Natarajan dimension is the largest d with examples ``x_1..x_d`` and functions
    ``f_0 != f_1`` on all of them such that for each of the 2^d patterns some tree has
    the value ``f_1(x_i)`` where the pattern has a one and ``f_0(x_i)`` elsewhere.

    Parameters
    ----------
    tree : TreeStructure, ArrayTree or fitted scikit-learn tree
    n_features : int, optional
        l, at least 1; the features are real-valued. May be omitted for a fitted tree.

    Returns
    -------
    int
        That of :func:`treebounds.vc_dimension_lower_bound`: two classes can be taken
        for ``f_0`` and ``f_1``.

    Raises
    ------
    ValueError
        If an argument is outside its range, or a fitted tree tests more features.

    See Also
    --------
    natarajan_dimension_upper_bound : from above.

    Notes
    -----
    It costs what :func:`treebounds.vc_dimension_lower_bound` does. The book's chapter
    *More on the VC dimension of trees* says where the two dimensions are equal.
    """
    structure, l = check_real_tree(tree, n_features)
    return largest_known_sample([structure], l)


def natarajan_dimension_upper_bound(
    tree: TreeLike, n_features: int | None = None, n_classes: int | None = None
) -> int:
    """An upper bound on the Natarajan dimension of a tree structure.

    >>> from treebounds import TreeStructure
    >>> from treebounds.capacity import natarajan_dimension_upper_bound
    >>> chain = TreeStructure.from_nested([[[None, None], None], None])
    >>> natarajan_dimension_upper_bound(chain, n_features=10)
    24
    >>> natarajan_dimension_upper_bound(chain, n_features=10, n_classes=2)
    23

    Parameters
    ----------
    tree, n_features
        See :func:`natarajan_dimension_lower_bound`.
    n_classes : int, optional
        n, at least 2. If it is omitted, the bound holds for any number of classes.

    Returns
    -------
    int
        Let N be the number of internal nodes, and V that of
        :func:`treebounds.vc_dimension_upper_bound`. The result is the smallest of

        - the largest d with ``2^d <= 2 sum_j C(N, j) (2 l)^j C(d - 1, j)``, which is
          less than ``1 + N v`` with the positive root v of ``2^v = e (1 + 2 l v)``;
        - with n classes, ``2 (1 - 1/n) V`` if n is even, ``2 n / (n + 1) V`` if n is
          odd;
        - with three classes, and for two internal nodes with any number of classes, V
          or ``3/2 (V - 1)``, whichever is larger;
        - V if the two dimensions are known to be equal: for two classes, on one
          feature, for up to one internal node, for two on up to seven features, for
          three on two features, and if no bound allows for six examples.

    Raises
    ------
    ValueError
        See :func:`natarajan_dimension_lower_bound`.

    See Also
    --------
    natarajan_dimension_lower_bound : from below.

    Notes
    -----
    Whether the two dimensions are always equal is open. Where they are not known to be
    equal, the first number was the smallest in all cases that we tried: the second and
    the third need a smaller V. The proofs, and the searches for two and three internal
    nodes, are in the book's chapter "More on the VC dimension of trees". Cost: that of
    :func:`treebounds.vc_dimension_upper_bound`.
    """
    structure, l = check_real_tree(tree, n_features)
    if n_classes is not None:
        n_classes = check_integer(n_classes, "n_classes", minimum=2)

    vc = vc_dimension_upper_bound(structure, l)
    if n_classes == 2 or _equals_vc_dimension(structure, l):
        return vc

    N = structure.n_internal_nodes
    bound = largest_possible(lambda d: log_closed_sharp(N, d, l, 0, 2))
    if n_classes is not None:
        bound = min(bound, _by_halves(vc, n_classes))
    if n_classes == 3 or N == 2:
        # Only a triangle of three classes, each pair at least twice, can do better.
        bound = min(bound, max(vc, 3 * (vc - 1) // 2))

    return bound if bound >= _FEWEST_BEYOND_VC else min(bound, vc)


def _equals_vc_dimension(structure: TreeStructure, l: int) -> bool:
    """Whether the Natarajan dimension is known to be the VC dimension."""
    N = structure.n_internal_nodes
    if l == 1 or N <= 1:
        return True
    return (N == 2 and l <= _SEARCHED_FEATURES) or (N == 3 and l == 2)


def _by_halves(vc: int, n: int) -> int:
    """The bound from a split of the classes into two halves."""
    # It separates the pairs of at least n / (2 (n - 1)), for odd n (n + 1) / (2 n), of
    # the examples, and these are shattered with two classes.
    if n % 2 == 0:
        return 2 * (n - 1) * vc // n
    return 2 * n * vc // (n + 1)
