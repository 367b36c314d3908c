"""Sets of points of the cube up to symmetry, and the search for a labeling that a structure cannot realize.

A key is the smallest of all equivalent descriptions of a set of points. The possible tests of a node are a
list of chains of bit masks, each of growing sets of examples that one test can send to one side: the two
values of a binary feature are two chains of one mask each, a real-valued feature has one chain from below and
one from above. The first half of the chains holds one side of each test, the second half the other one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numba import njit

from treebounds.structure import TreeStructure


@dataclass(frozen=True)
class BinarySamples:
    """Sets of points of the cube {0, 1}^d, up to renaming features and exchanging the values of some.

    A key is one row with one 64-bit mask of the points, so d could be 6; from 6 on the search is too slow.
    """

    n_features: int
    max_examples = 20
    max_features = 5

    def n_extensions(self, n_examples: int) -> int:
        """How many examples can join a sample."""
        return 2**self.n_features - n_examples

    @property
    def single(self) -> np.ndarray:
        """The key of the sample of one example."""
        return np.array([[1]], dtype=np.uint64)

    @property
    def _renamings(self) -> np.ndarray:
        points = np.arange(2**self.n_features)
        bits = points[:, None] >> np.arange(self.n_features) & 1
        orders = list(permutations(range(self.n_features)))
        return np.array([bits @ (1 << np.array(order)) for order in orders], dtype=np.uint8)

    def extensions(self, keys: np.ndarray, n_examples: int) -> np.ndarray:
        """Keys of all samples with one example more than some of ``keys`` (of ``n_examples`` each)."""
        found = _binary_extensions(keys[:, 0], n_examples, self._renamings)
        return np.unique(found)[:, None]

    def chains(self, keys: np.ndarray, n_examples: int) -> np.ndarray:
        """Shape (samples, 2 n_features, 1)."""
        samples = np.array([self.sample(key, n_examples) for key in keys])
        ones = (samples << np.arange(n_examples)[:, None]).sum(axis=1)
        return np.concatenate([ones, 2**n_examples - 1 - ones], axis=1)[:, :, None]

    def sample(self, key: np.ndarray, n_examples: int) -> np.ndarray:
        """The examples of a key, one per row, as values 0 and 1."""
        points = np.array([p for p in range(2**self.n_features) if int(key[0]) >> p & 1])
        return points[:, None] >> np.arange(self.n_features) & 1


@njit(cache=True)
def _binary_extensions(keys, n_examples, renamings):  # pragma: no cover - compiled
    n_orders, n_points = renamings.shape
    found = np.empty(len(keys) * (n_points - n_examples), dtype=np.uint64)
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
            # the smallest key has the lowest points set; shifting an example to 0 leaves the renamings
            best = np.uint64(0xFFFFFFFFFFFFFFFF)
            for origin in members:
                for order in range(n_orders):
                    image = np.uint64(0)
                    for member in members:
                        image |= one << np.uint64(renamings[order, member ^ origin])
                    best = min(best, image)
            found[count] = best
            count += 1
    return found


def children_table(structure: TreeStructure) -> np.ndarray:
    """The two subtrees of each different subtree, by number; -1 for a leaf. The root comes last."""
    subtrees = structure.subtrees()
    number = {subtree: i for i, subtree in enumerate(subtrees)}
    return np.array([[number[c] for c in s.children] if s.children else [-1, -1] for s in subtrees])


def unrealized_labelings(structure: TreeStructure, chains: np.ndarray, n_examples: int) -> np.ndarray:
    """For each sample, given by its chains, a labeling that the structure does not realize; -1 if none."""
    labelings = np.arange(1, 2 ** (n_examples - 1))
    changes = np.bitwise_count(labelings ^ labelings >> 1)
    labelings = labelings[np.argsort(-changes, kind="stable")]
    chains = np.ascontiguousarray(chains, dtype=np.int64)
    return _unrealized(children_table(structure), chains, 2**n_examples - 1, labelings)


@njit(cache=True)
def _unrealized(children, chains, everything, labelings):  # pragma: no cover - compiled
    found = np.full(len(chains), -1)
    for i in range(len(chains)):
        for k in range(len(labelings)):
            ones = labelings[k]
            if not realizes(len(children) - 1, everything, ones, children, chains[i]):
                found[i] = ones
                # a labeling that one sample cannot realize often fails on the next one, too
                labelings[1 : k + 1] = labelings[:k].copy()
                labelings[0] = ones
                break
    return found


@njit(cache=True)
def realizes(node, here, ones, children, chains):  # pragma: no cover - compiled
    """Whether a subtree gives the examples ``here`` the labels ``ones``."""
    positive = here & ones
    if positive == 0 or positive == here:
        return True
    left, right = children[node]
    if left < 0:
        return False
    for i in range(len(chains) // 2 if left == right else len(chains)):
        # The largest set of a chain that the right subtree realizes is best: it leaves least to the left one.
        # Test before a call whether all labels are equal, because most calls would end with that test.
        low, high = -1, chains.shape[1] - 1
        while low < high:
            middle = (low + high + 1) // 2
            part = here & chains[i, middle]
            ones_there = part & ones
            if (
                ones_there == 0
                or ones_there == part
                or (children[right, 0] >= 0 and realizes(right, part, ones, children, chains))
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
                or (children[left, 0] >= 0 and realizes(left, part, ones, children, chains))
            ):
                return True
    return False
