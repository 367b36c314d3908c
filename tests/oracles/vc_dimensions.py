"""VC dimensions by their definition: list every tree, label every sample with it; and
the theorem on several subtrees by trying all choices.
"""

from functools import cache
from itertools import combinations, permutations, product


@cache
def functions(tree, n_values, exchangeable=True):
    """Every labeling of the product of the features' values by a tree, as a frozenset
    of tuples.

    A tree is None at a leaf, a tuple of children at a node. A node tests any feature
    with as many values as it has children, whether or not it was tested before; the
    children can stand in any order; if they are not exchangeable, child v gets value v.
    """
    points = list(product(*map(range, n_values)))
    if tree is None:
        return frozenset({(0,) * len(points), (1,) * len(points)})

    labelings = set()
    orders = {tree}
    if exchangeable:
        orders = set(permutations(tree))
    features = [j for j, values in enumerate(n_values) if values == len(tree)]

    for feature, children in product(features, orders):
        below = [functions(child, n_values, exchangeable) for child in children]
        for parts in product(*below):
            labeling = (parts[p[feature]][i] for i, p in enumerate(points))
            labelings.add(tuple(labeling))

    return frozenset(labelings)


def vc_dimension(labelings, n_points):
    """The size of a largest set of points on which every labeling occurs."""
    size = 0
    while size < n_points and any(
        len({tuple(f[i] for i in points) for f in labelings}) == 2 ** (size + 1)
        for points in combinations(range(n_points), size + 1)
    ):
        size += 1
    return size


def binary_vc_dimension(structure, d, exchangeable=True):
    tree = _tuples(structure.to_nested())
    return vc_dimension(functions(tree, (2,) * d, exchangeable), 2**d)


def _tuples(nested):
    if nested is None:
        return None
    return tuple(map(_tuples, nested))


def lary_node_vc_dimension(n_values):
    """One node with any feature: try all samples with one value of each feature for
    each example.
    """
    m = 1
    while any(
        all(
            any(_keeps_together(column, ones) for column in columns)
            for ones in product((0, 1), repeat=m + 1)
        )
        for columns in product(*(product(range(v), repeat=m + 1) for v in n_values))
    ):
        m += 1

    return m


def _keeps_together(column, labels):
    return all(
        a == b
        for (v, a), (w, b) in combinations(list(zip(column, labels, strict=True)), 2)
        if v == w
    )


def printed_figure_4(structure, d):
    """Yıldız's Figure 4 as it is printed; the logarithm of 0 or less is an error."""
    from math import floor, log2

    if structure.is_leaf:
        return 1
    if structure.left.is_leaf and structure.right.is_leaf:
        return floor(log2(d + 1)) + 1

    return printed_figure_4(structure.left, d - 1) + printed_figure_4(
        structure.right, d - 1
    )


def kept_by_subtrees(structure):
    """The best lower bound on two features that the theorem on several subtrees gives,
    by trying all choices, with the values that searches found for small trees.
    """
    return _with_first_subtree(structure)


@cache
def _with_first_subtree(structure):
    """Examples if one subtree, at or below this node, comes first."""
    N = structure.n_internal_nodes
    choices = []
    if N <= 2:
        choices.append(2 * N + 1)
    elif N <= 5:
        choices.append(2 * N + 2)
    if N > 0:
        for first, other in permutations(structure.children):
            choices.append(_with_first_subtree(first) + 2 + _with_later_subtrees(other))
    return max(choices)


@cache
def _with_later_subtrees(structure):
    """Examples if others come before. One that comes first along both features stands
    for them, where a subtree keeps its sample.
    """
    N = structure.n_internal_nodes
    if N == 0:
        return 0
    choices = [2 + sum(map(_with_later_subtrees, structure.children))]
    if 4 <= N <= 6:
        choices.append(2 * N + 1)
    return max(choices)
