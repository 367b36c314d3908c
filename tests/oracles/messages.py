"""The decoder of the messages of treebounds.risk.compression, symbol by symbol."""

import math

import numpy as np

from treebounds.risk.compression import _SIDES


def decode_message(values, classes, message, n_classes):
    """A tree as nested tuples (feature, threshold, left, right) and labels, and the
    nats of its message.

    Only the compression set, in the order of its examples, and the message are known. A
    ValueError if no tree has this message.
    """
    (N, l), (left_sizes, features, sides, names, labels) = values.shape, message
    if not len(features) == len(sides) == len(names) == N == len(labels) - 1:
        raise ValueError("message: numbers of symbols do not fit")
    nats = [math.log(math.comb(2 * N, N) // (N + 1)), N * math.log(l)]
    nodes, leaves = zip(left_sizes, features, sides, names, strict=True), iter(labels)

    def pay(weights, symbol):
        if not (0 <= symbol < len(weights) and weights[symbol] > 0):
            raise ValueError(f"message: {symbol} has no probability")
        nats.append(-math.log(weights[symbol] / sum(weights)))

    def read(size, here, pool, sibling=None):
        """The next subtree; ``here`` arrive at its root, ``pool`` of them belong to its
        nodes.
        """
        if size == 0:
            weights, label = (
                1 / n_classes + np.bincount(classes[here], minlength=n_classes),
                next(leaves),
            )
            if isinstance(sibling, int):
                weights[sibling] = 0.0
            pay(weights, label)
            return label
        left_size, feature, side, name = next(nodes)
        if not (0 <= left_size < size and 0 <= feature < l):
            raise ValueError("message: no such shape, or no such feature")
        column = values[:, feature]
        tied = pool[column[pool] == np.sort(column[pool])[left_size]]
        pay(_SIDES, side)
        pay(np.ones(len(tied)), name)
        value, pool = column[tied[name]], pool[pool != tied[name]]
        threshold = np.nextafter(value, np.float32(-np.inf)) if side else value
        here_left, pool_left = column[here] <= threshold, column[pool] <= threshold
        if pool_left.sum() != left_size:
            raise ValueError("message: wrong sizes of the two sides")
        left = read(left_size, here[here_left], pool[pool_left])
        right = read(size - 1 - left_size, here[~here_left], pool[~pool_left], left)
        return feature, float(threshold), left, right

    tree = read(N, np.arange(N), np.arange(N))
    return tree, sum(nats)
