"""Sets of points of the cube up to symmetry, and the search for a labeling that a
structure cannot realize.

A set of points of {0, 1}^d is a mask of 2^d bits. Renaming features makes equivalent
sets. So does exchanging the values 0 and 1 of some of them, if the children of a node
may be exchanged, too. The smallest mask of all equivalent sets is the key of the set.

The possible tests of a node are a list of chains. A chain is an array of bit masks, the
growing sets of examples that tests can send to one side: a binary feature has two
chains of one mask each, one for each value, and a real-valued feature has one chain
from below and one from above. The first half of the chains holds one side of each test,
and the second half holds the other side. If children are fixed, the right subtree
always gets the value 1, and the second half repeats the first.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np

from reproduction.compiling import njit
from treebounds.structure import TreeStructure


def samples_of(keys: np.ndarray, n_features: int) -> np.ndarray:
    """The points of sets of the same size, one set per row, as values 0 and 1."""
    members = keys[:, None] >> np.arange(2**n_features, dtype=np.uint64) & np.uint64(1)
    points = np.nonzero(members)[1].reshape(len(keys), -1)
    return points[:, :, None] >> np.arange(n_features) & 1


def single_points(n_features: int, exchangeable: bool) -> np.ndarray:
    """The keys of all sets of one point."""
    # Renaming moves the ones of a point to the first features.
    points = [(1 << k) - 1 for k in range(n_features + 1)]
    if exchangeable:
        points = [0]
    return np.array([1 << point for point in points], dtype=np.uint64)


def extensions(keys: np.ndarray, n_features: int, exchangeable: bool) -> np.ndarray:
    """The keys of all sets that have one point more than a set of ``keys``; these have
    the same size.
    """
    bits = np.arange(2**n_features)[:, None] >> np.arange(n_features) & 1
    orders = permutations(range(n_features))
    renamings = np.array(
        [bits @ (1 << np.array(order)) for order in orders], dtype=np.uint8
    )
    size = int(keys[0]).bit_count()
    return np.unique(_binary_extensions(keys, size, renamings, exchangeable))


@njit
def _binary_extensions(
    keys, n_examples, renamings, exchangeable
):  # pragma: no cover - compiled
    n_orders, n_points = renamings.shape
    extended = np.empty(len(keys) * (n_points - n_examples), dtype=np.uint64)
    members = np.empty(n_examples + 1, dtype=np.uint64)
    one = np.uint64(1)

    count = 0
    for key in keys:
        for new in range(n_points):
            if key >> np.uint64(new) & one:
                continue

            size = 0
            for point in range(n_points):
                if point == new or key >> np.uint64(point) & one:
                    members[size] = point
                    size += 1

            # If values may be exchanged, the set with the smallest mask contains the
            # point 0, so one of its points is moved there first.
            best = np.uint64(0xFFFFFFFFFFFFFFFF)
            origins = members
            if not exchangeable:
                origins = np.zeros(1, dtype=np.uint64)
            for origin in origins:
                for order in range(n_orders):
                    image = np.uint64(0)
                    for member in members:
                        image |= one << np.uint64(renamings[order, member ^ origin])
                    best = min(best, image)

            extended[count] = best
            count += 1

    return extended


def unrealized_labelings(
    structure: TreeStructure, samples: np.ndarray, exchangeable: bool
) -> np.ndarray:
    """For each sample of the cube, a labeling that the structure does not realize, as
    bits; -1 if none.
    """
    m = samples.shape[1]
    ones = (samples << np.arange(m)[:, None]).sum(axis=1)
    other_side = ones
    if exchangeable:
        other_side = 2**m - 1 - ones
    chains = np.concatenate([ones, other_side], axis=1)[:, :, None]
    children = children_table(structure)
    labelings = labelings_of(m)

    return np.array(
        [lacking(children, of_sample, labelings, m) for of_sample in chains]
    )


def children_table(structure: TreeStructure) -> np.ndarray:
    """The numbers of the two children of each different subtree; -1 for a leaf. The
    root comes last.
    """
    subtrees = structure.subtrees()
    number = {subtree: i for i, subtree in enumerate(subtrees)}

    table = np.full((len(subtrees), 2), -1)
    for subtree in subtrees:
        if not subtree.is_leaf:
            table[number[subtree]] = [number[child] for child in subtree.children]
    return table


def labelings_of(n_examples: int) -> np.ndarray:
    """The labelings in which the last example has label 0, as bits, sorted by
    decreasing changes of label.
    """
    labelings = np.arange(2 ** (n_examples - 1))
    changes = np.bitwise_count(labelings ^ labelings >> 1).astype(int)
    return labelings[np.argsort(-changes, kind="stable")]


@njit
def lacking(children, chains, labelings, n_examples):  # pragma: no cover - compiled
    """A labeling that is not realized, or -1; it moves to the front, as the next sample
    may lack it, too.
    """
    for k in range(len(labelings)):
        ones = labelings[k]
        if not realizes(len(children) - 1, 2**n_examples - 1, ones, children, chains):
            for later in range(k, 0, -1):
                labelings[later] = labelings[later - 1]
            labelings[0] = ones
            return ones
    return -1


@njit
def realizes(node, here, ones, children, chains):  # pragma: no cover - compiled
    """Whether a subtree gives the examples ``here`` the labels ``ones``."""
    positive = here & ones
    if positive == 0 or positive == here:
        return True

    left, right = children[node]
    if left < 0:
        return False

    # Equal subtrees can be exchanged, so one side of each test is enough.
    n_chains = len(chains)
    if left == right:
        n_chains //= 2

    for i in range(n_chains):
        # The largest set of a chain that the right subtree realizes is best, because
        # the left subtree then has the fewest examples. Equal labels are tested before
        # a call, because most calls would end there.
        low = -1
        high = chains.shape[1] - 1
        while low < high:
            middle = (low + high + 1) // 2
            part = here & chains[i, middle]
            ones_there = part & ones
            if (
                ones_there == 0
                or ones_there == part
                or (
                    children[right, 0] >= 0
                    and realizes(right, part, ones, children, chains)
                )
            ):
                low = middle
            else:
                high = middle - 1

        if low >= 0:
            part = here & ~chains[i, low]
            ones_there = part & ones
            if (
                ones_there == 0
                or ones_there == part
                or (
                    children[left, 0] >= 0
                    and realizes(left, part, ones, children, chains)
                )
            ):
                return True

    return False
