"""Samples up to symmetry as integer keys, and the search for a labeling that a structure cannot realize.

A key is the smallest of all equivalent descriptions of a sample. What a sample lets a node ask is a list of
chains of bit masks, each of growing sets of examples that one question can send to one side: the two values
of a binary feature are two chains of one mask each, a real-valued feature has one chain from below and one
from above. The first half of the chains holds one side of each question, the second half the other one.
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
        """The examples of a key, one a row, as values 0 and 1."""
        points = np.array([p for p in range(2**self.n_features) if int(key[0]) >> p & 1])
        return points[:, None] >> np.arange(self.n_features) & 1


@dataclass(frozen=True)
class RealSamples:
    """Orders of m examples along l features, up to renaming examples and features and reversing features.

    A key holds, for all features but the one that numbers the examples, the places of the examples, four
    bits each; so m is at most 15. Ties between examples never help and do not occur.
    """

    n_features: int
    max_examples = 15
    max_features = 15

    def n_extensions(self, n_examples: int) -> int:
        """In how many places an example can join a sample: one between any two, in each feature."""
        return (n_examples + 1) ** self.n_features

    @property
    def single(self) -> np.ndarray:
        """The key of the sample of one example."""
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

    def chains(self, keys: np.ndarray, n_examples: int) -> np.ndarray:
        """Shape (samples, 2 n_features, m + 1)."""
        places = self._places(keys, n_examples)[:, :, None]
        below = places < np.arange(n_examples + 1)[:, None]  # axes: sample, feature, threshold, example
        masks = (below << np.arange(n_examples)).sum(axis=-1)
        return np.concatenate([masks, 2**n_examples - 1 - masks[:, :, ::-1]], axis=1)

    def sample(self, key: np.ndarray, n_examples: int) -> np.ndarray:
        """The examples of a key, one a row, as ranks in each feature."""
        return self._places(key[None], n_examples)[0].T

    def _places(self, keys: np.ndarray, n_examples: int) -> np.ndarray:
        """Place of each example along each feature, shape (samples, n_features, m)."""
        places = keys[:, :, None] >> 4 * np.arange(n_examples)[::-1] & 15
        first = np.broadcast_to(np.arange(n_examples), (len(keys), 1, n_examples))
        return np.concatenate([first, places], axis=1)


def _distinct(keys: np.ndarray) -> np.ndarray:
    """The keys without repetitions, in order."""
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


def unrealized_labelings(structure: TreeStructure, chains: np.ndarray, n_examples: int) -> np.ndarray:
    """For each sample, given by its chains, a labeling that the structure does not realize; -1 if none."""
    subtrees = structure.subtrees()
    number = {subtree: i for i, subtree in enumerate(subtrees)}
    children = np.array([[number[c] for c in s.children] if s.children else [-1, -1] for s in subtrees])
    labelings = np.arange(1, 2 ** (n_examples - 1))
    changes = np.bitwise_count(labelings ^ labelings >> 1)
    labelings = labelings[np.argsort(-changes, kind="stable")]
    return _unrealized(children, np.ascontiguousarray(chains, dtype=np.int64), 2**n_examples - 1, labelings)


@njit(cache=True)
def _unrealized(children, chains, everything, labelings):  # pragma: no cover - compiled
    found = np.full(len(chains), -1)
    for i in range(len(chains)):
        for k in range(len(labelings)):
            ones = labelings[k]
            if not _realizes(len(children) - 1, everything, ones, children, chains[i]):
                found[i] = ones
                # what one sample cannot realize, the next will often not realize either
                labelings[1 : k + 1] = labelings[:k].copy()
                labelings[0] = ones
                break
    return found


@njit(cache=True)
def _realizes(node, here, ones, children, chains):  # pragma: no cover - compiled
    positive = here & ones
    if positive == 0 or positive == here:
        return True
    left, right = children[node]
    if left < 0:
        return False
    for i in range(len(chains) // 2 if left == right else len(chains)):
        # The largest set of a chain that the right subtree realizes is best: it leaves least to the left one.
        for k in range(chains.shape[1] - 1, -1, -1):
            if _realizes(right, here & chains[i, k], ones, children, chains):
                if _realizes(left, here & ~chains[i, k], ones, children, chains):
                    return True
                break
    return False
