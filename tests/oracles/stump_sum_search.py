"""The search for all shattered samples in its first form.

Every labeling is looked for among all choices of cuts, also where cuts of one feature
are enough, and every part of a candidate is looked up, also the one it was made from.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reproduction.compiling import njit

# Choices of cuts that are tried together: processors compare many bytes at once.
_LANES = 128


class _Cuts(NamedTuple):
    """All choices of cuts of one feature, each with each order of the parts by u."""

    # Of shape (n_blocks, 2, m, lanes): the levels of v, as bits, with which the example
    # at this position has the label 0, or 1.
    levels: NDArray[np.uint8]

    # Of shape (n_blocks, lanes): the cuts of each choice.
    n_cuts: NDArray[np.uint8]


def samples_shattered_by_sums(n_stumps):
    """The ranks of all shattered samples up to mirror images, by number of rows."""
    samples = {1: np.zeros((1, 1), dtype=np.int64)}
    m = 1
    while len(samples[m]):
        samples[m + 1] = _extend_shattered(samples[m], n_stumps)
        m += 1
    return samples


def _extend_shattered(samples, n_stumps):
    """The shattered samples of one example more."""
    m = samples.shape[1] + 1
    known = samples @ (1 << 4 * np.arange(m - 1)[::-1])
    candidates = np.unique(_candidates(known, m))
    cuts = _all_cuts(m, n_stumps)
    codes = _shattered(candidates, m, n_stumps, cuts.levels, cuts.n_cuts)
    return codes[:, None] >> 4 * np.arange(m)[::-1] & 15


@cache
def _all_cuts(m: int, n_stumps: int) -> _Cuts:
    """All choices of at most B / 2 cuts, the last few repeated to fill the lanes."""
    columns = []
    n_cuts = []

    # Equally many cuts of both features realize the most labelings, so they come first.
    for a in reversed(range(min(n_stumps // 2, m - 1) + 1)):
        for cuts in combinations(range(1, m), a):
            parts = np.searchsorted(cuts, np.arange(m), side="right")
            for order in permutations(range(a + 1)):
                rank = np.array(order)[parts]
                # The part of rank k is positive at the levels k + 1, ..., a + 1.
                negative = (2 << rank) - 1
                columns.append([negative, (4 << a) - 1 - negative])
                n_cuts.append(a)

    columns += [columns[-1]] * (-len(columns) % _LANES)
    n_cuts += [n_cuts[-1]] * (-len(n_cuts) % _LANES)
    blocks = np.array(columns, dtype=np.uint8).reshape(-1, _LANES, 2, m)
    levels = np.ascontiguousarray(np.moveaxis(blocks, 1, -1))
    return _Cuts(levels, np.array(n_cuts, dtype=np.uint8).reshape(-1, _LANES))


@njit
def _shattered(candidates, m, n_stumps, levels, n_cuts):
    """The candidates that are shattered, by code."""
    # The labeling with all labels exchanged is realized by -u, -v. So the last label
    # can be 0.
    labelings = np.arange(1 << (m - 1))
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
    at_rank = np.argsort(ranks)
    left_over = np.empty(_LANES, np.uint8)
    n_used = np.empty(_LANES, np.uint8)
    for i in range(len(labelings)):
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
def _candidates(known, m):
    """The codes of the samples of m examples all of whose parts are known, some of
    them more than once.
    """
    shorter = np.empty(m - 1, np.int64)
    longer = np.empty(m, np.int64)
    codes = [np.int64(0) for _ in range(0)]
    for code in known:
        for image in range(8):
            _decode(code, shorter)
            _turn(shorter, image)
            for rank in range(m):
                for i in range(m - 1):
                    longer[i] = shorter[i] + (shorter[i] >= rank)
                longer[m - 1] = rank
                if _parts_are_known(longer, known, code):
                    codes.append(_code(longer))
    return np.array(codes)


@njit
def _parts_are_known(sample, known, code):
    """Whether all parts are known, and none at an end comes before this one.

    A sample is codes from each of its parts without the first or last example along a
    feature; one of them is enough.
    """
    m = len(sample)
    part = np.empty(m - 1, np.int64)
    for left_out in range(m - 1, -1, -1):
        rank = sample[left_out]
        for i in range(m - 1):
            other = sample[i + (i >= left_out)]
            part[i] = other - (other > rank)

        its_code = _code(part)
        at_end = left_out == 0 or rank == 0 or rank == m - 1
        if at_end and its_code < code:
            return False
        place = np.searchsorted(known, its_code)
        if place == len(known) or known[place] != its_code:
            return False
    return True


@njit
def _code(sample):
    """The smallest code of a mirror image; the first of the ranks counts most."""
    m = len(sample)
    at_rank = np.empty(m, np.int64)
    for i in range(m):
        at_rank[sample[i]] = i

    smallest = np.int64(1) << 62
    for ranks in (sample, at_rank):
        forward = backward = raised = raised_backward = np.int64(0)
        for i in range(m):
            forward = forward << 4 | ranks[i]
            backward = backward << 4 | ranks[m - 1 - i]
            raised = raised << 4 | (m - 1 - ranks[i])
            raised_backward = raised_backward << 4 | (m - 1 - ranks[m - 1 - i])
        smallest = min(smallest, forward, backward, raised, raised_backward)
    return smallest


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
        ranks[:] = m - 1 - ranks
    if image & 4:
        ranks[:] = ranks[::-1].copy()
