"""Leboeuf et al.'s growth order and CART, transcribed step by step, without any thought
for speed.

A node is a dictionary: counts, and for internal nodes feature, threshold, left, right.
``x < threshold`` goes left.
"""

import numpy as np
from sklearn.model_selection import KFold

from treebounds import growth_function_bound
from treebounds.structure import wedderburn_etherington


def gini(fractions):
    return np.sum(fractions * (1 - fractions))


def best_split(X, y, n_classes):
    """(value, feature, threshold) of the best split, or None."""
    order = np.argsort(X, axis=0, kind="stable")
    best = None
    smallest = np.inf
    for position in range(1, len(X)):
        values = [
            value_of_split(X[rows, f], y[rows], position, n_classes)
            for f, rows in enumerate(order.T)
        ]
        f = int(np.argmin(values))
        if values[f] < smallest:
            smallest = values[f]
            low, high = X[order[position - 1 : position + 1, f], f]
            best = (smallest, f, (low + high) / 2)
    return best


def value_of_split(x, y, position, n_classes):
    """The mean impurity of the children if that many examples go left, in the order of
    a feature; infinity if it does not separate them.
    """
    if np.isclose(x[position - 1], x[position]):
        return np.inf

    m = len(y)
    left = np.bincount(y[:position], minlength=n_classes).astype(float)
    right = np.bincount(y[position:], minlength=n_classes).astype(float)
    weighted = gini(left / position) * position
    weighted += gini(right / (m - position)) * (m - position)
    return weighted / m


def new_leaf(X, y, n_classes):
    return {"counts": np.bincount(y, minlength=n_classes), "X": X, "y": y}


def grow(X, y, n_classes, max_leaf_nodes, growth_order="lowest-impurity"):
    root = new_leaf(X, y, n_classes)
    candidates = []
    new = [root]
    n_leaves = 1

    while True:
        for leaf in new:
            split = worthwhile_split(leaf, n_classes)
            if split is not None:
                candidates.append((key_of(leaf, split, growth_order), leaf, split))

        if not candidates or n_leaves == max_leaf_nodes:
            return root
        first = min(range(len(candidates)), key=lambda i: candidates[i][0])
        _, node, (_, feature, threshold) = candidates.pop(first)

        goes_left = node["X"][:, feature] < threshold
        node.update(feature=feature, threshold=threshold)
        node["left"] = new_leaf(node["X"][goes_left], node["y"][goes_left], n_classes)
        node["right"] = new_leaf(
            node["X"][~goes_left], node["y"][~goes_left], n_classes
        )
        new = [node["left"], node["right"]]
        n_leaves += 1


def worthwhile_split(leaf, n_classes):
    """The best split of a leaf if its children are purer, or None."""
    if leaf["counts"].max() == len(leaf["y"]):
        return None

    split = best_split(leaf["X"], leaf["y"], n_classes)
    if split is None or split[0] >= impurity(leaf):
        return None
    return split


def key_of(leaf, split, growth_order):
    """The candidate with the smallest key is split next."""
    if growth_order == "lowest-impurity":
        return split[0]
    return -len(leaf["y"]) * (impurity(leaf) - split[0])


def impurity(leaf):
    return gini(leaf["counts"] / len(leaf["y"]))


def is_leaf(node):
    return "left" not in node


def predict(node, x):
    if is_leaf(node):
        return int(np.argmax(node["counts"]))
    if x[node["feature"]] < node["threshold"]:
        return predict(node["left"], x)
    return predict(node["right"], x)


def leaves(node):
    if is_leaf(node):
        return 1
    return leaves(node["left"]) + leaves(node["right"])


def errors_as_leaf(node):
    return int(node["counts"].sum() - node["counts"].max())


def errors(node):
    if is_leaf(node):
        return errors_as_leaf(node)
    return errors(node["left"]) + errors(node["right"])


def internal_nodes(node):
    if is_leaf(node):
        return []
    return [node, *internal_nodes(node["left"]), *internal_nodes(node["right"])]


def g(node, m, n_features, modified):
    difference = errors_as_leaf(node) - errors(node)
    if not modified:
        return difference / (m * (leaves(node) - 1))

    def complexity(n_leaves):
        d = n_leaves * np.log(n_features * n_leaves)
        return d * np.log(m / d)

    return difference / (complexity(leaves(node)) - complexity(1))


def cut(nodes):
    for node in nodes:
        del node["left"], node["right"]


def published_cart(X, y, n_classes, max_leaf_nodes, n_folds, modified=False):
    """The tree of Table 1's CART (or M-CART) and the threshold that its
    cross-validation chose.
    """
    n_features = X.shape[1]
    tree = grow(X, y, n_classes, max_leaf_nodes)
    strengths = [
        (g(node, len(y), n_features, modified), node) for node in internal_nodes(tree)
    ]
    if not strengths:
        return tree, None

    thresholds = sorted(strength for strength, _ in strengths)
    folds = list(KFold(n_folds).split(X))
    trees = [grow(X[train], y[train], n_classes, max_leaf_nodes) for train, _ in folds]

    n_errors = []
    for threshold in thresholds:
        total = 0
        for fold_tree, (train, test) in zip(trees, folds, strict=True):
            nodes = internal_nodes(fold_tree)
            values = [g(node, len(train), n_features, modified) for node in nodes]
            cut(
                [
                    node
                    for node, value in zip(nodes, values, strict=True)
                    if value <= threshold
                ]
            )
            total += sum(predict(fold_tree, X[i]) != y[i] for i in test)

        n_errors.append(total)

    minimizers = [i for i, total in enumerate(n_errors) if total == min(n_errors)]
    threshold = (thresholds[minimizers[0]] + thresholds[minimizers[-1]]) / 2
    cut([node for strength, node in strengths if strength <= threshold])

    return tree, threshold


def minimal_cost_complexity(tree, node, price):
    """Smallest (errors + price * leaves, leaves) over the prunings below a node, and
    the nodes it cuts.
    """
    as_leaf = (tree.leaf_costs[node] + price, 1)
    if tree.is_leaf[node]:
        return as_leaf, []

    left, right = (
        minimal_cost_complexity(tree, child[node], price)
        for child in (tree.children_left, tree.children_right)
    )
    below = (left[0][0] + right[0][0], left[0][1] + right[0][1])
    if as_leaf <= below:
        return as_leaf, [node]
    return below, left[1] + right[1]


def published_bound_pruning(tree, exponent, delta=0.05):
    """Algorithm 3 as the authors' program runs it, on an array tree, in integers."""
    m = int(tree.class_counts[0].sum())
    r = 2.0**-exponent

    def bound(candidate):
        structure = candidate.structure
        k = float(candidate.subtree_errors[0])
        growth = growth_function_bound(
            structure, 2 * m, tree.n_features, tree.n_classes, form="loose"
        )
        n_leaves = structure.n_leaves
        log_p = (
            -np.log(np.pi**2 / 6)
            - 2 * np.log(n_leaves)
            - np.log(float(wedderburn_etherington(n_leaves)))
        )
        log_q = np.log(1 - r) + k * np.log(r)

        return (
            2 * k
            + 4 * (np.log(float(growth)) + np.log(4) - np.log(delta) - log_q - log_p)
        ) / m

    best = bound(tree)
    while tree.n_leaves > 1:
        nodes = np.flatnonzero(~tree.is_leaf)
        bounds = np.array([bound(tree.collapse([node])) for node in nodes])
        if bounds.min() > best:
            break
        best = bounds.min()
        tree = tree.collapse(nodes[bounds <= best])

    return tree
