"""All samples on two features that sums of B stumps shatter, by exhaustive search.

A sample is given by its ranks along feature 2, in the order of feature 1. The class is
the same if a feature is reversed or if the features are exchanged, so one of up to
eight mirror images stands for all of them: the one whose ranks come first.

Whether a labeling is realized: if the labels change at most B times along a feature,
cut only this feature. Otherwise cut one feature a times, 1 <= a <= B / 2, and let u
have different values in the a + 1 parts. Then the sum ``u(x) + v(y)`` depends on v only
through its level, the number of parts in which it exceeds the threshold. Go along the
other feature, from example to example, and keep the levels with which all examples
since the last cut have their labels. A cut is needed where none is left, and no other
choice needs fewer of them.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reproduction.compiling import njit
from treebounds._validation import check_integer

__all__ = ["extend_shattered", "samples_shattered_by_sums"]

# A code has four bits for each rank, and the levels of v are the bits of a byte.
_MOST_EXAMPLES = 15
_MOST_STUMPS = 13

# Choices of cuts that are tried together: processors compare many bytes at once.
_LANES = 128

Samples = NDArray[np.int64]


class _Cuts(NamedTuple):
    """All choices of cuts of one feature, each with each order of the parts by u."""

    # Of shape (n_blocks, 2, m, lanes): the levels of v, as bits, with which the example
    # at this position has the label 0, or 1.
    levels: NDArray[np.uint8]

    # Of shape (n_blocks, lanes): the cuts of each choice.
    n_cuts: NDArray[np.uint8]


def samples_shattered_by_sums(n_stumps: int) -> dict[int, Samples]:
    """All samples on two features that sums of B stumps shatter, one of each class of
    mirror images.

    >>> from reproduction.exact.stump_sum_search import samples_shattered_by_sums
    >>> {m: len(samples) for m, samples in samples_shattered_by_sums(2).items()}
    {1: 1, 2: 1, 3: 2, 4: 6, 5: 7, 6: 0}

    Parameters
    ----------
    n_stumps : int
        B, from 1 to 13; but no search has ended yet for more than five.

    Returns
    -------
    dict from int to array of int, shape (n_samples, n_examples)
        For each number of examples, from 1 to the first one with no such sample, the
        ranks along feature 2 in the order of feature 1. So the VC dimension is the
        largest key but one.

    Notes
    -----
    A sample is shattered only if all its parts are. So those of m + 1 examples are
    looked for among the shattered samples of m with one example more, all of whose
    parts of m examples are on the list.

    Cost: four stumps take less than a second, five most of a minute.
    """
    samples: dict[int, Samples] = {1: np.zeros((1, 1), dtype=np.int64)}
    m = 1
    while len(samples[m]):
        samples[m + 1] = extend_shattered(samples[m], n_stumps)
        m += 1
    return samples


def extend_shattered(shattered: ArrayLike, n_stumps: int) -> Samples:
    """The shattered samples of m + 1 examples, from all those of m, up to mirror
    images.

    >>> from reproduction.exact.stump_sum_search import extend_shattered
    >>> extend_shattered([[0, 1]], n_stumps=1)
    array([[0, 2, 1]])

    Parameters
    ----------
    shattered : (n_samples, m) array of int
        As this function returns them: of the mirror images the one that comes first,
        and the samples in increasing order. At most 14 examples.
    n_stumps : int
        B, from 1 to 13.

    Returns
    -------
    (n_samples, m + 1) array of int

    Raises
    ------
    ValueError
        If a number is out of its range.
    """
    n_stumps = check_integer(n_stumps, "n_stumps")
    if n_stumps > _MOST_STUMPS:
        raise ValueError(f"n_stumps must be at most {_MOST_STUMPS}; got {n_stumps}")

    samples = np.asarray(shattered, dtype=np.int64)
    m = samples.shape[1] + 1
    if m > _MOST_EXAMPLES:
        raise ValueError(
            f"shattered has samples of {m - 1} examples; the search goes up to"
            f" {_MOST_EXAMPLES - 1}"
        )

    codes_of_parts = samples @ (1 << 4 * np.arange(m - 1)[::-1])
    candidates = np.unique(_candidates(codes_of_parts, m))
    cuts = _all_cuts(m, n_stumps)
    codes = _shattered(candidates, m, n_stumps, cuts.levels, cuts.n_cuts)
    return codes[:, None] >> 4 * np.arange(m)[::-1] & 15


@cache
def _all_cuts(m: int, n_stumps: int) -> _Cuts:
    """All choices of at most B / 2 cuts, the last few repeated to fill the lanes."""
    columns = []
    n_cuts = []

    # Equally many cuts of both features realize the most labelings, so they come first.
    for a in range(min(n_stumps // 2, m - 1), 0, -1):
        for cuts in combinations(range(1, m), a):
            parts = np.searchsorted(cuts, np.arange(m), side="right")
            for order in permutations(range(a + 1)):
                rank = np.array(order)[parts]
                # The part of rank k is positive at the levels k + 1, ..., a + 1.
                negative = (2 << rank) - 1
                columns.append([negative, (4 << a) - 1 - negative])
                n_cuts.append(a)

    columns += columns[-1:] * (-len(columns) % _LANES)
    n_cuts += n_cuts[-1:] * (-len(n_cuts) % _LANES)
    blocks = np.array(columns, dtype=np.uint8).reshape(-1, _LANES, 2, m)
    levels = np.ascontiguousarray(np.moveaxis(blocks, 1, -1))
    return _Cuts(levels, np.array(n_cuts, dtype=np.uint8).reshape(-1, _LANES))


@njit
def _shattered(candidates, m, n_stumps, levels, n_cuts):
    """The candidates that are shattered, by code."""
    # The labeling with all labels exchanged is realized by -u, -v. So the last label
    # can be 0. Where the labels change B times at most, cuts of feature 1 are enough.
    in_order = np.arange(m)
    labelings = np.array(
        [i for i in range(1 << (m - 1)) if _n_changes(i, in_order) > n_stumps],
        dtype=np.int64,
    )
    ranks = np.empty(m, np.int64)
    codes = [np.int64(0) for _ in range(0)]
    for code in candidates:
        _decode(code, ranks)
        i = _first_missing(ranks, labelings, n_stumps, levels, n_cuts)
        if i < 0:
            codes.append(code)
        else:
            # The labelings that are often missing come first.
            missing = labelings[i]
            labelings[i] = labelings[i // 2]
            labelings[i // 2] = missing
    return np.array(codes)


@njit
def _first_missing(ranks, labelings, n_stumps, levels, n_cuts):
    """The index of the first labeling that is not realized, or -1."""
    in_order = np.arange(len(ranks))
    at_rank = _inverse(ranks)
    left_over = np.empty(_LANES, np.uint8)
    n_used = np.empty(_LANES, np.uint8)
    for i in range(len(labelings)):
        # Cuts of feature 2 alone.
        if _n_changes(labelings[i], at_rank) <= n_stumps:
            continue

        # Cut feature 1 and go along feature 2, or the other way round.
        for positions, examples in ((at_rank, at_rank), (ranks, in_order)):
            if _is_realized(
                positions,
                examples,
                labelings[i],
                n_stumps,
                levels,
                n_cuts,
                left_over,
                n_used,
            ):
                break
        else:
            return i
    return -1


@njit
def _n_changes(labeling, examples):
    """How often the labels change along a feature, which has this order of examples."""
    n_changes = 0
    for k in range(1, len(examples)):
        n_changes += (labeling >> examples[k - 1] ^ labeling >> examples[k]) & 1
    return n_changes


@njit
def _is_realized(
    positions, examples, labeling, n_stumps, levels, n_cuts, left_over, n_used
):
    """Whether some choice of cuts needs no more than B in all.

    The k-th example along one feature has a position along the feature that is cut, and
    a bit of the labeling. The last two arguments are memory for the levels that are
    left and for the cuts of both features.
    """
    for block in range(len(n_cuts)):
        for lane in range(_LANES):
            left_over[lane] = 255
            n_used[lane] = n_cuts[block, lane]

        for k in range(len(positions)):
            allowed = levels[block, labeling >> examples[k] & 1, positions[k]]
            for lane in range(_LANES):
                both = np.uint8(left_over[lane] & allowed[lane])
                left_over[lane] = both if both != 0 else allowed[lane]
                n_used[lane] = np.uint8(n_used[lane] + (both == 0))

        fewest = np.uint8(255)
        for lane in range(_LANES):
            fewest = min(fewest, n_used[lane])
        if fewest <= n_stumps:
            return True
    return False


@njit
def _candidates(parts, m):
    """The codes of the samples of m examples all of whose parts are known, some of
    them more than once.
    """
    shorter = np.empty(m - 1, np.int64)
    longer = np.empty(m, np.int64)
    part = np.empty(m - 1, np.int64)
    codes = [np.int64(0) for _ in range(0)]
    for code in parts:
        for image in range(8):
            _decode(code, shorter)
            _turn(shorter, image)
            for rank in range(m):
                for i in range(m - 1):
                    longer[i] = shorter[i] + (shorter[i] >= rank)
                longer[m - 1] = rank
                if _parts_are_known(longer, parts, code, part):
                    codes.append(_code(longer))
    return np.array(codes)


@njit
def _parts_are_known(sample, codes, code, part):
    """Whether all parts are known, and none at an end comes before this one.

    A sample is found from each of its parts without the first or last example along a
    feature; one of them is enough. The part without the last example has this code. The
    last argument is memory for a part.
    """
    m = len(sample)
    for left_out in range(m - 1):
        rank = sample[left_out]
        for i in range(m - 1):
            other = sample[i + (i >= left_out)]
            part[i] = other - (other > rank)

        its_code = _code(part)
        at_end = left_out == 0 or rank == 0 or rank == m - 1
        if at_end and its_code < code:
            return False
        place = np.searchsorted(codes, its_code)
        if place == len(codes) or codes[place] != its_code:
            return False
    return True


@njit
def _code(sample):
    """The smallest code of a mirror image; the first of the ranks counts most."""
    m = len(sample)
    ranks = ranks_reversed = order = order_reversed = last = np.int64(0)
    for i in range(m):
        rank = sample[i]
        ranks = ranks << 4 | rank
        ranks_reversed |= rank << 4 * i
        order |= i << 4 * (m - 1 - rank)
        order_reversed |= i << 4 * rank
        last = last << 4 | (m - 1)

    # The other mirror images count ranks from the last one on.
    return min(
        min(ranks, ranks_reversed, order, order_reversed),
        last - max(ranks, ranks_reversed, order, order_reversed),
    )


@njit
def _inverse(ranks):
    """The examples in the order of their ranks."""
    at_rank = np.empty(len(ranks), np.int64)
    for i in range(len(ranks)):
        at_rank[ranks[i]] = i
    return at_rank


@njit
def _decode(code, ranks):
    """Write the ranks of a code."""
    for i in range(len(ranks) - 1, -1, -1):
        ranks[i] = code & 15
        code >>= 4


@njit
def _turn(ranks, image):
    """Exchange the features or reverse them, by the bits of a number below 8."""
    m = len(ranks)
    copy = ranks.copy()
    if image & 1:
        for i in range(m):
            ranks[copy[i]] = i
    if image & 2:
        for i in range(m):
            ranks[i] = m - 1 - ranks[i]
    if image & 4:
        for i in range(m // 2):
            ranks[i], ranks[m - 1 - i] = ranks[m - 1 - i], ranks[i]
