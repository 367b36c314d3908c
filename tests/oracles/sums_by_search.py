"""Sums of three and of four stumps on two features, by trying all of them, and sums of
trees that have them.
"""

from itertools import combinations, product

import numpy as np

# Every threshold function of three variables has such weights, and a threshold between
# two whole numbers.
STEPS = np.array(list(product(range(-2, 3), repeat=3)))
STARTS = np.arange(-5.5, 6)


def three_stumps(sample):
    """For each labeling of a sample by three stumps: a feature and a threshold for each
    of them, and their values at and below and above it.
    """
    cuts = list(product((0, 1), np.arange(len(sample) - 1) + 0.5))
    powers = 2 ** np.arange(len(sample))
    stumps_of = {}
    for chosen in combinations(cuts, 3):
        above = np.column_stack([sample[:, j] > threshold for j, threshold in chosen])
        sums = STARTS[:, None, None] + STEPS @ above.T
        numbers = (sums > 0) @ powers
        for number, place in zip(*np.unique(numbers, return_index=True), strict=True):
            start, steps = np.unravel_index(place, numbers.shape)
            values = [(0.0, step) for step in STEPS[steps]]
            # The first stump has the start in both of its values.
            values[0] = (STARTS[start], STARTS[start] + STEPS[steps][0])
            stumps_of.setdefault(int(number), (chosen, values))
    return stumps_of


def four_stumps(sample):
    """For each labeling of a sample by four stumps: a feature and a threshold for each
    of them, the sum below all thresholds, and the step at each.

    Every threshold function of four variables has weights of at most 3.
    """
    steps = np.array(list(product(range(-3, 4), repeat=4)))
    starts = np.arange(-12.5, 13)
    sides = np.array(list(product((0, 1), repeat=4)))
    tables = (starts[:, None, None] + steps @ sides.T > 0).reshape(-1, 16)
    tables, first = np.unique(tables, axis=0, return_index=True)
    functions = [(starts[i // len(steps)], steps[i % len(steps)]) for i in first]

    cuts = list(product((0, 1), np.arange(len(sample) - 1) + 0.5))
    powers = 2 ** np.arange(len(sample))
    stumps_of = {}
    for chosen in combinations(cuts, 4):
        above = np.column_stack([sample[:, j] > threshold for j, threshold in chosen])
        numbers = tables[:, above @ [8, 4, 2, 1]] @ powers
        for number, place in zip(*np.unique(numbers, return_index=True), strict=True):
            stumps_of.setdefault(int(number), (chosen, *functions[place]))
    return stumps_of


def sum_in_blocks(sample, labels, three, four):
    """Stumps that give a sample its labels: three for the first eight examples, then
    four for each nine, evaluated.

    The last two arguments are results of :func:`three_stumps` for the eight examples
    and of :func:`four_stumps` for the nine and an example before them.
    """
    total = np.zeros(len(sample))
    for (feature, threshold), (low, high) in zip(
        *three[int(labels[:8] @ 2 ** np.arange(8))], strict=True
    ):
        total += np.where(sample[:, feature] <= threshold, low, high)

    for begin in range(8, len(sample), 9):
        before = total[-1]
        own = [before > 0, *labels[begin : begin + 9]]
        cuts, start, steps = four[int(own @ 2 ** np.arange(10))]
        # All earlier examples stand for the first of the ten, with rank 0.
        above = [
            sample[:, feature] > begin - 1 + threshold for feature, threshold in cuts
        ]
        total += before / start * (steps @ np.array(above))
    return total > 0


def sum_with_stumps(sample, labels, n_own, stumps, n_nodes_above):
    """Chains with a stump at the left end that give a sample its labels, evaluated.

    Parameters
    ----------
    sample : (n_examples, 2) array
        Some own examples, then pairs of examples in opposite orders.
    labels : (n_examples,) array of 0 and 1
    n_own : int
    stumps : tuple
        Of :func:`three_stumps`, for the labels of the own examples.
    n_nodes_above : list of int
        For each chain the number of nodes above its stump.
    """
    total = np.zeros(len(sample))
    level = sum(high for _, high in stumps[1])
    begin = n_own
    for (feature, threshold), (low, high), n_above in zip(
        *stumps, n_nodes_above, strict=True
    ):
        value = np.where(sample[:, feature] <= threshold, low, high)
        leaf = high
        # The node above the stump is the first one whose other leaf a later example
        # can reach, and so on up to the root.
        for _ in range(n_above):
            own = np.arange(begin, begin + 2)
            below = own[labels[own] == (level > 0)]
            side = cut_of(sample, own, below)
            leaf -= 2 * level
            level = -level
            value = np.where(side, value, leaf)
            begin += 2
        total += value
    assert begin == len(sample)
    return total > 0


def cut_of(sample, group, below):
    """A cut of one feature at and below which lie all examples before a group and those
    that are wanted of the group.
    """
    for column in sample.T:
        for threshold in np.arange(column[group].min() - 0.5, column[group].max() + 1):
            side = column <= threshold
            if set(group[side[group]]) == set(below):
                assert side[: group[0]].all()
                assert not side[group[-1] + 1 :].any()
                return side
    raise AssertionError("no feature cuts off these examples")
