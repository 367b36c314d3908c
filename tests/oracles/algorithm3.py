"""Algorithm 3 of Leboeuf et al. on nested dictionaries, with Equation 8 as printed and
growth functions as
exact integers.

A node is a dictionary: counts, and for internal nodes left and right.
"""

import math
from fractions import Fraction

from treebounds import TreeStructure, growth_function_bound
from treebounds.structure import wedderburn_etherington


def nested(tree, node=0):
    """The same tree as dictionaries."""
    counts = tree.class_counts[node].tolist()
    if tree.is_leaf[node]:
        return {"counts": counts}

    left, right = (
        nested(tree, child)
        for child in (tree.children_left[node], tree.children_right[node])
    )
    return {"counts": counts, "left": left, "right": right}


def errors(tree):
    if "left" in tree:
        return errors(tree["left"]) + errors(tree["right"])
    return sum(tree["counts"]) - max(tree["counts"])


def structure(tree):
    if "left" in tree:
        return TreeStructure(structure(tree["left"]), structure(tree["right"]))
    return TreeStructure()


def pruned_trees(tree):
    """All trees in which one internal node has become a leaf."""
    if "left" not in tree:
        return []
    return (
        [{"counts": tree["counts"]}]
        + [{**tree, "left": left} for left in pruned_trees(tree["left"])]
        + [{**tree, "right": right} for right in pruned_trees(tree["right"])]
    )


def epsilon(tree, n_features, form, ratio, delta):
    """Equation 8, with the priors of section 6.2."""
    m = int(sum(tree["counts"]))
    n = len(tree["counts"])
    k = errors(tree)
    leaves = structure(tree).n_leaves
    growth = growth_function_bound(structure(tree), 2 * m, n_features, n, form=form)
    p = 6 / (math.pi**2 * leaves**2) / wedderburn_etherington(leaves)
    log_q = math.log(1 - ratio) + k * math.log(ratio)

    return (
        2 * k
        + 4 * (math.log(4) + log_of(growth) - math.log(delta) - log_q - math.log(p))
    ) / m


def log_of(number):
    """Of an integer of any size."""
    shift = max(0, number.bit_length() - 1000)
    return math.log(Fraction(number, 2**shift)) + shift * math.log(2)


def algorithm_3(tree, n_features, form, ratio, delta=0.05):
    """The bounds of the trees that the algorithm goes through; one node is cut at a
    time.
    """
    bounds = [epsilon(tree, n_features, form, ratio, delta)]
    while True:
        candidates = pruned_trees(tree)
        if not candidates:
            return tree, bounds

        values = [
            epsilon(candidate, n_features, form, ratio, delta)
            for candidate in candidates
        ]
        best = min(values)
        if best > bounds[-1]:
            return tree, bounds

        tree = candidates[values.index(best)]
        bounds.append(best)
