"""A search over samples on real-valued features, extended in the order of feature 1
until none is shattered.

The first examples of a shattered sample are shattered, too, so a sample that is not
shattered needs no extension. Along the other features the next example may take any
place; the second example comes last, because every feature may be reversed. The test of
a labeling moves each cut as far as one of the subtrees allows.
"""

from __future__ import annotations

import numpy as np

from reproduction.compiling import njit
from reproduction.exact._samples import children_table, labelings_of, lacking
from treebounds.structure import TreeStructure

# All labelings of a sample are listed.
MOST_EXAMPLES = 16


def search_samples(
    structure: TreeStructure, n_features: int, max_samples: int, n_kept: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Examine every sample whose first examples are shattered.

    Parameters
    ----------
    structure : TreeStructure
    n_features : int
        At least 2.
    max_samples : int
        Stop after this number of samples, or when a sample of 16 examples is shattered.
    n_kept : int
        Number of samples to keep, the first ones that are not shattered.

    Returns
    -------
    largest : ndarray of int, shape (m, n_features)
        Ranks of a largest sample that was found to be shattered.
    examined : ndarray of int, shape (18,)
        Number of examined samples of each size.
    refuted : ndarray of int8, shape (at most n_kept, n_features, 16)
    labelings : ndarray of int, shape (at most n_kept,)
        For each of them, the labels that no tree realizes, as bits.
    """
    refuted = np.zeros((n_kept, n_features, MOST_EXAMPLES), dtype=np.int8)
    missing = np.zeros(n_kept, dtype=np.int64)
    labelings = np.zeros((MOST_EXAMPLES + 1, 2 ** (MOST_EXAMPLES - 1)), dtype=np.int64)
    for m in range(1, MOST_EXAMPLES + 1):
        labelings[m, : 2 ** (m - 1)] = labelings_of(m)

    largest, examined, n_refuted = _search(
        children_table(structure), n_features, max_samples, labelings, refuted, missing
    )
    return largest.T, examined, refuted[:n_refuted], missing[:n_refuted]


def unrealized_labeling(structure: TreeStructure, sample: np.ndarray) -> int | None:
    """The labels, as bits, that no tree of a structure gives a sample of up to 16
    examples, or None.

    Examples
    --------
    >>> from reproduction.exact.real import unrealized_labeling
    >>> from treebounds import TreeStructure
    >>> stump = TreeStructure.from_nested([None, None])
    >>> (
    ...     unrealized_labeling(stump, [[0], [1]]),
    ...     unrealized_labeling(stump, [[0], [1], [2]]),
    ... )
    (None, 2)
    """
    ranks = np.asarray(sample).T.argsort(axis=1).argsort(axis=1)
    m = ranks.shape[1]
    labeling = int(
        lacking(children_table(structure), _chains(ranks), labelings_of(m), m)
    )
    if labeling < 0:
        return None
    return labeling


@njit
def _search(  # pragma: no cover - compiled
    children, n_features, max_samples, labelings, refuted, missing
):
    """Extend samples depth first; the largest that is shattered, the numbers of samples
    of each size, and the number of refuted ones that are stored.
    """
    most = len(labelings) - 1
    # The sample of each size on the path.
    ranks = np.zeros((most + 1, n_features, most + 1), np.int64)

    # The next extension of each of these samples.
    following = np.zeros(most + 1, np.int64)
    examined = np.zeros(most + 2, np.int64)
    largest = ranks[1, :, :1].copy()

    n_refuted = 0
    size = 1
    while size > 0 and largest.shape[1] < most and examined.sum() <= max_samples:
        n_extensions = (size + 1) ** (n_features - 1)
        if size == 1 and following[1] == 0:
            # The second example comes last along every feature.
            following[1] = n_extensions - 1

        if following[size] == n_extensions:
            following[size] = 0
            size -= 1
            continue

        sample = ranks[size + 1]
        _extend(ranks[size], size, following[size], sample)
        following[size] += 1
        examined[size + 1] += 1
        labeling = lacking(
            children,
            _chains(sample[:, : size + 1]),
            labelings[size + 1, : 2**size],
            size + 1,
        )

        if labeling < 0:
            size += 1
            if size > largest.shape[1]:
                largest = sample[:, :size].copy()
        elif n_refuted < len(refuted):
            _copy(sample, size + 1, refuted[n_refuted])
            missing[n_refuted] = labeling
            n_refuted += 1

    return largest, examined, n_refuted


@njit
def _copy(sample, size, target):  # pragma: no cover - compiled
    """Copy the ranks; the assignment of a slice takes seconds to compile."""
    for feature in range(len(sample)):
        for i in range(size):
            target[feature, i] = sample[feature, i]


@njit
def _extend(sample, size, places, longer):  # pragma: no cover - compiled
    """Add an example that comes last along feature 1 and at some place along each other
    feature.
    """
    for feature in range(len(sample)):
        place = size
        if feature > 0:
            place = places % (size + 1)
            places //= size + 1
        for i in range(size):
            longer[feature, i] = sample[feature, i] + (sample[feature, i] >= place)
        longer[feature, size] = place


@njit
def _chains(ranks):  # pragma: no cover - compiled
    """The first examples along each feature, and the last ones, as bits."""
    n_features, size = ranks.shape
    chains = np.zeros((2 * n_features, size + 1), np.int64)
    for feature in range(n_features):
        for i in range(size):
            for k in range(size + 1):
                if ranks[feature, i] < k:
                    chains[feature, k] |= 1 << i
                else:
                    chains[n_features + feature, size - k] |= 1 << i

    return chains
