"""ID3 and Algorithm 2 of Peng's notes, one example and one node at a time, on trees of
nested tuples.

A tree is a class (a leaf) or ``(feature, label, {value: subtree})``.
"""

import math
from collections import Counter
from fractions import Fraction


def class_counts(y, n_classes):
    return [sum(1 for c in y if c == k) for k in range(n_classes)]


def majority(y, n_classes):
    counts = class_counts(y, n_classes)
    return counts.index(max(counts))


def impurity(y, criterion):
    fractions = [Fraction(count, len(y)) for count in Counter(y).values()]
    if criterion == "entropy":
        return -math.fsum(float(p) * math.log(p) for p in fractions)
    if criterion == "gini":
        return 1 - sum(p**2 for p in fractions)
    return 1 - max(fractions)


def gain(X, y, i, criterion):
    parts = [
        [c for row, c in zip(X, y, strict=True) if row[i] == v]
        for v in {row[i] for row in X}
    ]
    return impurity(y, criterion) - sum(
        Fraction(len(part), len(y)) * impurity(part, criterion) for part in parts
    )


def id3(
    X,
    y,
    n_values,
    n_classes,
    criterion="entropy",
    empty_branches=True,
    features=None,
    above=0,
):
    if not y:
        return above

    if features is None:
        features = list(range(len(n_values)))
    label = majority(y, n_classes)
    varying = [i for i in features if len({row[i] for row in X}) > 1]
    if len(set(y)) == 1 or not varying:
        return label

    gains = [float(gain(X, y, i, criterion)) for i in varying]
    chosen = next(
        i for i, g in zip(varying, gains, strict=True) if g >= max(gains) - 1e-12
    )
    branches = {}
    for v in range(n_values[chosen]):
        rows = [r for r, row in enumerate(X) if row[chosen] == v]
        if rows or empty_branches:
            branches[v] = id3(
                [X[r] for r in rows],
                [y[r] for r in rows],
                n_values,
                n_classes,
                criterion,
                empty_branches,
                [i for i in features if i != chosen],
                label,
            )

    return chosen, label, branches


def predict(tree, row):
    while isinstance(tree, tuple):
        feature, label, branches = tree
        tree = branches.get(row[feature], label)
    return tree


def errors(tree, X, y):
    return sum(predict(tree, row) != c for row, c in zip(X, y, strict=True))


def n_nodes(tree):
    if not isinstance(tree, tuple):
        return 1
    return 1 + sum(map(n_nodes, tree[2].values()))


def nested(tree, node=0):
    """A MultiwayTree as nested tuples."""
    if tree.is_leaf[node]:
        return int(tree.labels[node])
    branches = {
        int(tree.branch[child]): nested(tree, child) for child in tree.children(node)
    }
    return int(tree.feature[node]), int(tree.labels[node]), branches


def positions(tree, node=0, path=()):
    """The path of branches that leads to each node of a MultiwayTree."""
    paths = {node: path}
    for child in tree.children(node):
        paths |= positions(tree, int(child), (*path, int(tree.branch[child])))
    return paths


def subtree_at(tree, path):
    for value in path:
        tree = tree[2][value]
    return tree


def with_replacement(tree, path, new):
    if not path:
        return new

    feature, label, branches = tree
    return (
        feature,
        label,
        {**branches, path[0]: with_replacement(branches[path[0]], path[1:], new)},
    )


def generic_pruning(tree, n_classes, f):
    """Algorithm 2 for f(nested tree), nodes in decreasing number; the order of
    candidates decides ties.
    """
    current = nested(tree)
    where = positions(tree)
    for node in sorted(where, reverse=True):
        here = subtree_at(current, where[node])
        own = int(tree.labels[node])
        candidates = [own, *(c for c in range(n_classes) if c != own)]
        if isinstance(here, tuple):
            candidates += here[2].values()
        candidates.append(here)
        current = min(
            (with_replacement(current, where[node], new) for new in candidates), key=f
        )

    return current


def n_leaves(tree):
    if not isinstance(tree, tuple):
        return 1
    return sum(map(n_leaves, tree[2].values()))
