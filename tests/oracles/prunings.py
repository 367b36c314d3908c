"""All prunings of a small tree by recursion, and Breiman's weakest links cut one after
the other.
"""

import math
from itertools import product


def all_prunings(tree, node=0):
    """Every pruning below a node, as the frozenset of internal nodes that become
    leaves.
    """
    if tree.is_leaf[node]:
        return [frozenset()]
    left, right = (
        all_prunings(tree, child)
        for child in (tree.children_left[node], tree.children_right[node])
    )
    return [frozenset([node])] + [a | b for a, b in product(left, right)]


def leaves_of(tree, cut, node=0):
    """The leaves that remain when the nodes in ``cut`` are leaves."""
    if tree.is_leaf[node] or node in cut:
        return [node]
    on_the_left = leaves_of(tree, cut, tree.children_left[node])
    on_the_right = leaves_of(tree, cut, tree.children_right[node])
    return on_the_left + on_the_right


def weakest_links(tree, costs):
    """The sequence as (alpha, leaves, cost): cut all nodes with the smallest g(t) until
    the root is left.
    """
    cut = set()
    steps = []

    def internal(node=0):
        if tree.is_leaf[node] or node in cut:
            return []
        return [
            node,
            *internal(tree.children_left[node]),
            *internal(tree.children_right[node]),
        ]

    def cost_and_leaves(node):
        leaves = leaves_of(tree, cut, node)
        return sum(costs[leaf] for leaf in leaves), len(leaves)

    cost, leaves = cost_and_leaves(0)
    steps.append((-math.inf, leaves, cost))
    while internal():
        strength = {}
        for node in internal():
            cost, leaves = cost_and_leaves(node)
            strength[node] = (costs[node] - cost) / (leaves - 1)

        alpha = min(strength.values())
        cut |= {node for node in strength if strength[node] == alpha}
        cost, leaves = cost_and_leaves(0)
        # A cut can make a link weaker only to the alpha just reached.
        if alpha <= steps[-1][0]:
            alpha = steps.pop()[0]

        steps.append((alpha, leaves, cost))

    return steps
