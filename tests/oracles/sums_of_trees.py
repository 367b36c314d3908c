"""Sums of trees compared with a threshold: all labelings by stumps, and the sum that
the proof of the part rule builds.
"""

from itertools import product

import numpy as np
from scipy.optimize import linprog

from treebounds import vc_dimension_lower_bound
from treebounds.capacity import one_sided_stump_vc_dimension, realizing_tree


def labelings_of_stump_sums(sample, n_stumps):
    """All labelings of a sample by sums of stumps against a threshold, by linear
    programming.
    """
    m = len(sample)
    order = np.argsort(sample, axis=0).T
    cuts = set()
    for row, k in product(order, range(1, m)):
        cuts.add(tuple(np.isin(range(m), row[:k]).astype(int)))
    labelings = set()
    for chosen in product(sorted(cuts), repeat=n_stumps):
        indicators = np.column_stack([*chosen, np.ones(m)])
        for labels in product((-1, 1), repeat=m):
            if labels not in labelings:
                rows = -np.array(labels)[:, None] * indicators
                if (
                    linprog(
                        np.zeros(n_stumps + 1), rows, -np.ones(m), bounds=(None, None)
                    ).status
                    == 0
                ):
                    labelings.add(labels)
    return labelings


def labels_of(structures, sample, labels):
    """What a sum of trees predicts that is built to give the sample these labels.

    One tree keeps its own sample, the first examples. From its value at all later ones
    on, the sum goes up and down in turn at the nodes of the other trees.
    """
    l = sample.shape[1]
    others = sorted(structures, key=lambda tree: more_than_groups(tree, l))
    best = others.pop()

    begin = vc_dimension_lower_bound(best, l)
    own = realizing_tree(best, sample[:begin], labels[:begin])
    total = own.predict(sample).astype(float)
    level = total[-1]

    for structure in others:
        size = one_sided_stump_vc_dimension(l)
        groups = [
            range(begin + size * i, begin + size * (i + 1))
            for i in range(structure.n_internal_nodes)
        ]
        cuts = []
        values = [0.0]
        for group in groups:
            below = {i for i in group if labels[i] == level}
            cuts.append(cut_off(sample, group, below))
            values.append(values[-1] + 1 - 2 * level)
            level = 1 - level
        total += values_of(structure, cuts, values, sample)
        begin = groups[-1].stop

    assert begin == len(sample)
    return (total > 0.5).astype(int)


def more_than_groups(tree, l):
    """How many examples a tree shatters beside the groups of its nodes."""
    groups = one_sided_stump_vc_dimension(l) * tree.n_internal_nodes
    return vc_dimension_lower_bound(tree, l) - groups


def cut_off(sample, group, below):
    """A feature and a threshold with exactly these examples of a group below it."""
    for feature, column in enumerate(sample.T):
        in_order = sorted(group, key=lambda i: column[i])
        if set(in_order[: len(below)]) == below:
            first = min(column[i] for i in group)
            return feature, first + len(below) - 0.5
    raise AssertionError(f"no feature cuts off {below} from {group}")


def values_of(structure, cuts, values, sample):
    """The values of a tree, with its cuts and its leaves from left to right."""
    out = np.empty(len(sample))

    def walk(subtree, rows, first_leaf):
        if subtree.is_leaf:
            out[rows] = values[first_leaf]
            return
        node = first_leaf + subtree.left.n_leaves - 1
        feature, threshold = cuts[node]
        goes_left = sample[rows, feature] <= threshold
        walk(subtree.left, rows[goes_left], first_leaf)
        walk(subtree.right, rows[~goes_left], node + 1)

    walk(structure, np.arange(len(sample)), 0)
    return out
