"""Figure 5 of Yıldız's paper, read line by line; the feature of a node is gone below
it.
"""

import math


def lb_lary(tree, values):
    """``tree``: a class, or (feature, label, {value: subtree}); ``values``: {feature:
    L_i} of those left.
    """
    if not isinstance(tree, tuple):
        return 1

    feature, _, branches = tree
    if all(not isinstance(child, tuple) for child in branches.values()):
        return (
            math.floor(math.log2(sum(2 ** (L - 1) - 1 for L in values.values()) + 1))
            + 1
        )

    rest = {i: L for i, L in values.items() if i != feature}
    return sum(lb_lary(child, rest) for child in branches.values())
