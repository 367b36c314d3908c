"""Samples up to symmetry as integer keys, and the search for a labeling that a structure cannot realize.

A sample is a row of cuts: bit masks of the examples on one side of a question. Binary features give one cut
each, a real-valued feature one below each example. A key is the smallest of all equivalent descriptions.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations, product

import numpy as np
from numba import njit

from treebounds.structure import TreeStructure


@dataclass(frozen=True)
class BinarySamples:
    """Sets of points of the cube {0, 1}^d, up to renaming features and exchanging the values of some.

    A key is one row with one 64-bit mask of the points, so d is at most 6.
    """

    n_features: int

    @property
    def single(self) -> np.ndarray:
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

    def cuts(self, keys: np.ndarray, n_examples: int) -> np.ndarray:
        return np.array([self._cuts(self.sample(key, n_examples)) for key in keys])

    def sample(self, key: np.ndarray, n_examples: int) -> np.ndarray:
        points = np.array([p for p in range(2**self.n_features) if int(key[0]) >> p & 1])
        return points[:, None] >> np.arange(self.n_features) & 1

    @staticmethod
    def _cuts(sample: np.ndarray) -> np.ndarray:
        return (sample << np.arange(len(sample))[:, None]).sum(axis=0)


@dataclass(frozen=True)
class RealSamples:
    """Orders of m examples along l features, up to renaming examples and features and reversing features.

    A key holds, for all features but the one that numbers the examples, the places of the examples, four
    bits each; so m is at most 15. Ties between examples never help and do not occur.
    """

    n_features: int

    @property
    def single(self) -> np.ndarray:
        return np.zeros((1, self.n_features - 1), dtype=np.int64)

    def extensions(self, keys: np.ndarray, n_examples: int) -> np.ndarray:
        """Keys of all samples with one example more than some of ``keys`` (of ``n_examples`` each)."""
        places = np.array(list(product(range(n_examples + 1), repeat=self.n_features)))
        # a few keys at a time: the extensions of one are many, and many of them the same
        parts = [np.zeros((0, self.n_features - 1), dtype=np.int64)]
        step = max(1, 500_000 // len(places))
        for start in range(0, len(keys), step):
            parts.append(_distinct(_real_extensions(keys[start : start + step], places, n_examples)))
        return _distinct(np.concatenate(parts))

    def cuts(self, keys: np.ndarray, n_examples: int) -> np.ndarray:
        return np.array([self._cuts(self.sample(key, n_examples)) for key in keys])

    def sample(self, key: np.ndarray, n_examples: int) -> np.ndarray:
        places = key[:, None] >> 4 * np.arange(n_examples)[::-1] & 15
        return np.vstack([np.arange(n_examples), places]).T

    @staticmethod
    def _cuts(sample: np.ndarray) -> np.ndarray:
        below = sample[None] < np.arange(1, len(sample))[:, None, None]
        masks = (below << np.arange(len(sample))[:, None]).sum(axis=1)
        return np.concatenate([[0], masks.ravel()])  # a threshold below all values sends every example right


def _distinct(keys: np.ndarray) -> np.ndarray:
    if keys.shape[1] == 1:
        return np.unique(keys[:, 0])[:, None]
    return np.unique(keys, axis=0) if keys.shape[1] else keys[:1]


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


@njit(cache=True)
def _real_extensions(keys, places, n_examples):  # pragma: no cover - compiled
    n_features = keys.shape[1] + 1
    found = np.empty((len(keys) * len(places), n_features - 1), dtype=np.int64)
    rank = np.empty((n_features, n_examples + 1), dtype=np.int64)
    at = np.empty(n_examples + 1, dtype=np.int64)
    candidate = np.empty(n_features - 1, dtype=np.int64)
    row = 0
    for key in keys:
        for place in places:
            for feature in range(n_features):
                for example in range(n_examples):
                    old = example
                    if feature > 0:
                        old = key[feature - 1] >> 4 * (n_examples - 1 - example) & 15
                    rank[feature, example] = old + (old >= place[feature])
                rank[feature, n_examples] = place[feature]
            _smallest_key(rank, at, candidate, found[row])
            row += 1
    return found


@njit(cache=True)
def _smallest_key(rank, at, candidate, best):  # pragma: no cover - compiled
    """The examples numbered along each feature in each direction; the others reversed if that is smaller."""
    n_features, size = rank.shape
    first = True
    for base in range(n_features):
        for reverse in range(2):
            for example in range(size):
                at[size - 1 - rank[base, example] if reverse else rank[base, example]] = example
            count = 0
            for feature in range(n_features):
                if feature == base:
                    continue
                forward, backward = 0, 0
                for example in at:
                    forward = forward << 4 | rank[feature, example]
                    backward = backward << 4 | (size - 1 - rank[feature, example])
                candidate[count] = min(forward, backward)
                count += 1
            candidate.sort()
            if first or _less(candidate, best):
                best[:] = candidate
                first = False


@njit(cache=True)
def _less(first, second):  # pragma: no cover - compiled
    for i in range(len(first)):
        if first[i] != second[i]:
            return first[i] < second[i]
    return False


def unrealized_labelings(structure: TreeStructure, cuts: np.ndarray, n_examples: int) -> np.ndarray:
    """For each sample, given by its cuts, the mask of a labeling that the structure does not realize, or -1."""
    subtrees = structure.subtrees()
    number = {subtree: i for i, subtree in enumerate(subtrees)}
    children = np.array([[number[c] for c in s.children] if s.children else [-1, -1] for s in subtrees])
    labelings = np.arange(1, 2 ** (n_examples - 1))
    changes = labelings ^ labelings >> 1
    labelings = labelings[np.argsort(-np.bitwise_count(changes), kind="stable")]
    return _unrealized(children, np.ascontiguousarray(cuts, dtype=np.int64), 2**n_examples - 1, labelings)


@njit(cache=True)
def _unrealized(children, cuts, everything, labelings):  # pragma: no cover - compiled
    found = np.full(len(cuts), -1)
    for i in range(len(cuts)):
        for k in range(len(labelings)):
            ones = labelings[k]
            if not _realizes(len(children) - 1, everything, ones, children, cuts[i]):
                found[i] = ones
                # what one sample cannot realize, the next will often not realize either
                labelings[1 : k + 1] = labelings[:k].copy()
                labelings[0] = ones
                break
    return found


@njit(cache=True)
def _realizes(node, here, ones, children, cuts):  # pragma: no cover - compiled
    positive = here & ones
    if positive == 0 or positive == here:
        return True
    left, right = children[node]
    if left < 0:
        return False
    for cut in cuts:
        low, high = here & cut, here & ~cut
        # the right subtree first: it has fewer leaves, so it fails sooner
        if _realizes(right, low, ones, children, cuts) and _realizes(left, high, ones, children, cuts):
            return True
        if left == right:
            continue
        if _realizes(right, high, ones, children, cuts) and _realizes(left, low, ones, children, cuts):
            return True
    return False
