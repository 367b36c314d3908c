"""The decoder of the messages of treebounds.risk.message, symbol by symbol."""

import math

import numpy as np

from treebounds.risk.message import SIDE_WEIGHTS


def decode_message(values, classes, message, n_classes):
    """A tree as nested tuples (feature, threshold, left, right) and labels, and the
    nats of its message.

    Only the compression set, in the order of its examples, and the message are known. A
    ValueError if no tree has this message.
    """
    N = len(values)
    *symbols, labels = message
    if {len(part) for part in symbols} != {N} or len(labels) != N + 1:
        raise ValueError("message: numbers of symbols do not fit")

    decoder = Decoder(values, classes, symbols, labels, n_classes)
    tree = decoder.read(N, np.arange(N), np.arange(N))
    return tree, sum(decoder.nats)


class Decoder:
    """Reads one message from the root down; ``nats`` is what each part of it costs."""

    def __init__(self, values, classes, symbols, labels, n_classes):
        N, l = values.shape
        self.values = values
        self.classes = classes
        self.nodes = zip(*symbols, strict=True)
        self.leaves = iter(labels)
        self.n_classes = n_classes
        shapes = math.comb(2 * N, N) // (N + 1)
        self.nats = [math.log(shapes), N * math.log(l)]

    def pay(self, weights, symbol):
        if not (0 <= symbol < len(weights) and weights[symbol] > 0):
            raise ValueError(f"message: {symbol} has no probability")
        self.nats.append(-math.log(weights[symbol] / sum(weights)))

    def read(self, size, here, pool, sibling=None):
        """The next subtree; ``here`` arrive at its root, ``pool`` of them belong to its
        nodes.
        """
        if size == 0:
            return self.read_label(here, sibling)

        left_size, feature, side, name = next(self.nodes)
        if not (0 <= left_size < size and 0 <= feature < self.values.shape[1]):
            raise ValueError("message: no such shape, or no such feature")

        column = self.values[:, feature]
        example = self.read_example(column, pool, left_size, side, name)
        threshold = column[example]
        if side:
            threshold = np.nextafter(threshold, np.float32(-np.inf))

        pool = pool[pool != example]
        left_pool = pool[column[pool] <= threshold]
        right_pool = pool[column[pool] > threshold]
        if len(left_pool) != left_size:
            raise ValueError("message: wrong sizes of the two sides")

        left = self.read(left_size, here[column[here] <= threshold], left_pool)
        right = self.read(
            size - 1 - left_size, here[column[here] > threshold], right_pool, left
        )
        return feature, float(threshold), left, right

    def read_example(self, column, pool, left_size, side, name):
        """The example that names the threshold, among those with its value."""
        value = np.sort(column[pool])[left_size]
        tied = pool[column[pool] == value]
        self.pay(SIDE_WEIGHTS, side)
        self.pay(np.ones(len(tied)), name)
        return tied[name]

    def read_label(self, here, sibling):
        """The next label, which differs from that of a sibling that is a leaf."""
        weights = 1 / self.n_classes + np.bincount(
            self.classes[here], minlength=self.n_classes
        )
        if isinstance(sibling, int):
            weights[sibling] = 0.0
        label = next(self.leaves)
        self.pay(weights, label)
        return label
