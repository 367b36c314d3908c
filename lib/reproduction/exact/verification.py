"""An independent check of exact VC dimensions: other code, other methods, plain Python."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain, islice, permutations, product

import numpy as np
from numba import njit

from reproduction.exact import ExactVCDimension, binary_vc_dimension_upper_bound
from reproduction.exact.chain_solver import chain_formula
from reproduction.exact.shattering import find_tree, is_shattered
from treebounds import TreeStructure, vc_dimension_upper_bound
from treebounds._validation import check_instance, check_integer

Sample = tuple[tuple[int, ...], ...]  # one tuple of feature values for each example


def verify_certificate(
    result: ExactVCDimension,
    structure: TreeStructure,
    feature_type: str = "binary",
    n_refutations: int | None = None,
) -> bool:
    """Check both sides of an exact VC dimension by code that is independent of the search.

    From below, a tree is found for every labeling of the shattered sample, and its structure and predictions
    are read off. From above, a bound is computed anew; or every sample with one example more is built up to
    symmetry, example by example, and must meet a sample of the list of refutations; and for each of those a
    plain search over all trees must find none for the labeling; or a solver's proof is followed line by line.

    Parameters
    ----------
    result : ExactVCDimension
    structure : TreeStructure
    feature_type : {"binary", "real"}
    n_refutations : int, optional
        Number of refutations for which a tree is searched, the first ones; all by default. The list is
        always checked for completeness.

    Returns
    -------
    bool

    Notes
    -----
    Seconds where :func:`exact_vc_dimension` takes a tenth of a second, minutes where that takes ten.

    Examples
    --------
    >>> from reproduction.exact.verification import verify_certificate
    >>> from reproduction.exact import exact_vc_dimension
    >>> from treebounds import TreeStructure
    >>> chain = TreeStructure.from_nested([[None, None], None])
    >>> verify_certificate(exact_vc_dimension(chain, 4), chain)
    True
    """
    check_instance(result, "result", ExactVCDimension)
    if n_refutations is not None:
        check_integer(n_refutations, "n_refutations", minimum=0)
    sample = result.shattered_sample
    if len(sample) != result.value or not is_shattered(structure, sample, feature_type):
        return False
    if result.certificate.method == "bound":
        bound = binary_vc_dimension_upper_bound if feature_type == "binary" else vc_dimension_upper_bound
        return bound(structure, sample.shape[1]) == result.value
    if result.certificate.method == "proof":
        if structure.n_leaves != 3 or feature_type != "real":
            return False
        formula = chain_formula(len(sample) + 1, sample.shape[1])
        return is_refutation(formula.clauses, result.certificate.proof)
    refutations = list(result.certificate.refutations())
    if any(
        find_tree(structure, refuted, labels, feature_type) is not None
        for refuted, labels in islice(refutations, n_refutations)
    ):
        return False
    refuted = (refuted for refuted, _ in refutations)
    return not _unrefuted(refuted, sample.shape[1], result.value + 1, feature_type)


def _unrefuted(refuted: Iterable[np.ndarray], n_features: int, size: int, feature_type: str) -> set[Sample]:
    """The samples of a size that contain none of the refuted ones, up to symmetry."""
    canonical, extensions = (
        (_canonical_set, _added_points) if feature_type == "binary" else (_reversed_orders, _one_more)
    )
    given_up = {canonical(tuple(map(tuple, sample.tolist()))) for sample in refuted}
    samples: set[Sample] = {((0,) * n_features,)}
    for _ in range(size - 1):
        samples = {canonical(longer) for sample in samples for longer in extensions(sample)} - given_up
    return samples


def _added_points(sample: Sample) -> list[Sample]:
    """The samples with one more point of the cube."""
    return [(*sample, point) for point in product((0, 1), repeat=len(sample[0])) if point not in sample]


@lru_cache(maxsize=200_000)
def _canonical_set(sample: Sample) -> Sample:
    """The smallest of the sets that renaming features and exchanging 0 and 1 of some features make of it."""
    return min(
        tuple(sorted(tuple(point[i] ^ origin[i] for i in order) for point in sample))
        for origin in sample  # the smallest set contains the point 0
        for order in permutations(range(len(sample[0])))
    )


def _one_more(sample: Sample) -> list[Sample]:
    """One more example, last along feature 1, at every place of the other orders; ranks there move up."""
    m, n_features = len(sample), len(sample[0])
    return [
        (*(tuple(r + (r >= p) for r, p in zip(example, places, strict=True)) for example in sample), places)
        for places in product([m], *[range(m + 1)] * (n_features - 1))
    ]


def _reversed_orders(sample: Sample) -> Sample:
    """Every feature reversed in which the second example comes before the first."""
    last = len(sample) - 1
    columns = [c if c[:1] <= c[1:2] else [last - r for r in c] for c in zip(*sample, strict=True)]
    return tuple(zip(*columns, strict=True))


def is_refutation(clauses: Iterable[Sequence[int]], proof: Iterable[Sequence[int]]) -> bool:
    """Whether a proof shows that some clauses cannot all hold, by unit propagation alone.

    Parameters
    ----------
    clauses : iterable of list of int
        Literals as in DIMACS files.
    proof : iterable of list of int
        As :func:`reproduction.exact.sat.solved` gives it. Its lines with 0 only save time.

    Returns
    -------
    bool
        True if each line follows and they lead to a contradiction.

    Notes
    -----
    Two watched literals per clause, in compiled code; the solver is not used.

    Examples
    --------
    >>> from reproduction.exact.verification import is_refutation
    >>> is_refutation([[1, 2], [-1, 2], [1, -2], [-1, -2]], proof=[[2], []])
    True
    >>> is_refutation([[1, 2], [-1, 2]], proof=[[2], []])
    False
    """
    lines, n_given, needed_until = _lines(clauses, proof)
    literals = np.array(list(chain.from_iterable(lines)), dtype=np.int32)
    ends = np.cumsum([len(line) for line in lines])
    return bool(_follows(literals, ends, needed_until, n_given, int(np.abs(literals).max(initial=1))))


def _lines(
    clauses: Iterable[Sequence[int]], proof: Iterable[Sequence[int]]
) -> tuple[list[list[int]], int, np.ndarray]:
    """The clauses and those of the proof, how many are given, and up to which line each is needed."""
    lines = [sorted(set(clause)) for clause in clauses]
    n_given = len(lines)
    places: dict[tuple[int, ...], int] = {tuple(line): i for i, line in enumerate(lines)}
    until = {}
    for clause in proof:
        line = sorted(set(clause) - {0})
        if 0 in clause:
            until[places.get(tuple(line), -1)] = len(lines)
        else:
            places[tuple(line)] = len(lines)
            lines.append(line)
    lines.append([])
    return lines, n_given, np.array([until.get(i, len(lines)) for i in range(len(lines))])


@njit(cache=True)
def _follows(literals, ends, until, n_given, n_variables):  # pragma: no cover - compiled
    """Check line after line; keep assignments that follow without assumptions, undo the others."""
    size = 2 * n_variables + 2
    value = np.zeros(size, np.int8)  # of each literal: 1 true, -1 false
    # a list for each literal of the clauses that watch it: where the lists begin, and how they go on
    links = np.full(2 * len(ends) + size, -1, np.int32)
    trail, n_fixed = np.empty(size, np.int64), 0
    lits = np.where(literals > 0, 2 * literals, -2 * literals + 1)
    for line in range(len(ends)):
        start, end = (ends[line - 1] if line else 0), ends[line]
        if line >= n_given:
            conflict, n_trail = False, n_fixed
            for literal in lits[start:end]:
                conflict |= value[literal] == 1
                n_trail = _assume(literal ^ 1, value, trail, n_trail)
            if not conflict:
                conflict, n_trail = _propagate(lits, ends, until, line, value, links, trail, n_fixed, n_trail)
            for literal in trail[n_fixed:n_trail]:
                value[literal], value[literal ^ 1] = 0, 0
            if not conflict:
                return False
        # add the line: literals that are not false first, then watch two
        count = 0
        for i in range(start, end):
            if value[lits[i]] != -1:
                lits[start + count], lits[i] = lits[i], lits[start + count]
                count += 1
        if count == 0:
            return True
        if count == 1:
            n_trail = _assume(lits[start], value, trail, n_fixed)
            conflict, n_fixed = _propagate(lits, ends, until, line, value, links, trail, n_fixed, n_trail)
            if conflict:
                return True
        else:
            for watch in (2 * line, 2 * line + 1):
                _link(watch, lits[start + (watch & 1)], links, 2 * len(ends))
    return False


@njit(cache=True)
def _assume(literal, value, trail, n_trail):  # pragma: no cover - compiled
    """Make a literal true that is neither true nor false; the length of the trail."""
    if value[literal] != 0:
        return n_trail
    value[literal], value[literal ^ 1] = 1, -1
    trail[n_trail] = literal
    return n_trail + 1


@njit(cache=True)
def _link(watch, literal, links, begins):  # pragma: no cover - compiled
    """Put a watch first in the list of a literal."""
    links[watch] = links[begins + literal]
    links[begins + literal] = watch


@njit(cache=True)
def _propagate(  # pragma: no cover - compiled
    lits, ends, until, now, value, links, trail, done, n_trail
):
    """Whether some clause has no true literal left, and the length of the trail."""
    while done < n_trail:
        before = 2 * len(ends) + (trail[done] ^ 1)
        done += 1
        while links[before] >= 0:
            watch = links[before]
            line = watch >> 1
            start, end = (ends[line - 1] if line else 0), ends[line]
            # watch w of a line is its literal at place w
            place, other = start + (watch & 1), lits[start + 1 - (watch & 1)]
            leaves = until[line] <= now
            if not leaves and value[other] != 1:
                for i in range(start + 2, end):
                    if value[lits[i]] != -1:
                        lits[place], lits[i] = lits[i], lits[place]
                        leaves = True
                        break
            if leaves:
                links[before] = links[watch]
                if until[line] > now:
                    _link(watch, lits[place], links, 2 * len(ends))
            elif value[other] == -1:
                return True, n_trail
            else:
                n_trail = _assume(other, value, trail, n_trail)
                before = watch
    return False, n_trail
