"""An independent check of exact VC dimensions: other code and other methods."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import chain, islice, permutations, product

import numpy as np
from pysat.solvers import Solver

from reproduction.exact import ExactVCDimension, binary_vc_dimension_upper_bound
from reproduction.exact.chain_solver import chain_formula
from reproduction.exact.shattering import find_tree, is_shattered
from treebounds import TreeStructure, vc_dimension_upper_bound
from treebounds._validation import check_instance, check_integer

# One tuple of feature values for each example.
Sample = tuple[tuple[int, ...], ...]


def verify_certificate(
    result: ExactVCDimension,
    structure: TreeStructure,
    feature_type: str = "binary",
    n_refutations: int | None = None,
    *,
    children: str = "exchangeable",
) -> bool:
    """Check both sides of an exact VC dimension by code that is independent of the
    search.

    For the lower side, a tree is searched for every labeling of the shattered sample,
    and its structure and predictions are checked. The check of the upper side depends
    on the certificate. A bound is computed again. For a list of refutations, every
    sample with one example more is built up to symmetry, example by example, and must
    contain a sample of the list, and a plain search over all trees must find no tree
    for the labeling of each sample in the list. A solver's proof is followed line by
    line.

    >>> from reproduction.exact.verification import verify_certificate
    >>> from reproduction.exact import exact_vc_dimension
    >>> from treebounds import TreeStructure
    >>> chain = TreeStructure.from_nested([[None, None], None])
    >>> verify_certificate(exact_vc_dimension(chain, 4), chain)
    True

    Parameters
    ----------
    result : ExactVCDimension
    structure : TreeStructure
    feature_type : {"binary", "real"}
    n_refutations : int, optional
        Number of refutations, the first ones, for which a tree is searched; all by
        default. The list is always checked for completeness.
    children : {"exchangeable", "fixed"}
        As for :func:`exact_vc_dimension`.

    Returns
    -------
    bool

    Notes
    -----
    It takes seconds if :func:`exact_vc_dimension` takes a tenth of a second, and
    minutes if that takes ten seconds.
    """
    check_instance(result, "result", ExactVCDimension)
    if n_refutations is not None:
        check_integer(n_refutations, "n_refutations", minimum=0)

    sample = result.shattered_sample
    if len(sample) != result.value:
        return False
    if not is_shattered(structure, sample, feature_type, children):
        return False

    method = result.certificate.method
    if method == "bound":
        return _bound_is_attained(result, structure, feature_type)
    if method == "proof":
        return _proof_is_right(result, structure, feature_type)
    return _refutations_are_complete(
        result, structure, feature_type, n_refutations, children
    )


def _bound_is_attained(
    result: ExactVCDimension, structure: TreeStructure, feature_type: str
) -> bool:
    """Whether an upper bound equals the value."""
    bounds: dict[str, Callable[[TreeStructure, int], int]] = {
        "binary": binary_vc_dimension_upper_bound,
        "real": vc_dimension_upper_bound,
    }
    n_features = result.shattered_sample.shape[1]
    return bounds[feature_type](structure, n_features) == result.value


def _proof_is_right(
    result: ExactVCDimension, structure: TreeStructure, feature_type: str
) -> bool:
    """Whether the proof of a solver shows that no larger sample is shattered."""
    if structure.n_leaves != 3 or feature_type != "real":
        return False
    n_features = result.shattered_sample.shape[1]
    formula = chain_formula(result.value + 1, n_features)
    return is_refutation(formula.clauses, result.certificate.proof)


def _refutations_are_complete(
    result: ExactVCDimension,
    structure: TreeStructure,
    feature_type: str,
    n_refutations: int | None,
    children: str,
) -> bool:
    """Whether every larger sample contains a refuted one, and no tree realizes the
    labelings of the first ones.
    """
    refutations = list(result.certificate.refutations())
    for refuted, labels in islice(refutations, n_refutations):
        if find_tree(structure, refuted, labels, feature_type, children) is not None:
            return False

    samples = (sample for sample, _ in refutations)
    n_features = result.shattered_sample.shape[1]
    kind = feature_type
    if children == "fixed":
        kind = "binary, fixed"
    return not _unrefuted(samples, n_features, result.value + 1, kind)


def _unrefuted(
    refuted: Iterable[np.ndarray], n_features: int, size: int, kind: str
) -> set[Sample]:
    """The samples of a size that contain none of the refuted ones, up to symmetry."""
    ways: dict[str, tuple[Callable[[Sample], Sample], Callable[..., list[Sample]]]] = {
        "binary": (_canonical_set, _added_points),
        "binary, fixed": (_renamed_set, _added_points),
        "real": (_reversed_orders, _one_more),
    }
    canonical, extensions = ways[kind]
    given_up = {canonical(tuple(map(tuple, sample.tolist()))) for sample in refuted}

    samples: set[Sample] = {((0,) * n_features,)}
    if kind == "binary, fixed":
        # No symmetry moves a point to the point 0.
        samples = {(point,) for point in product((0, 1), repeat=n_features)}

    for _ in range(size - 1):
        longer = chain.from_iterable(map(extensions, samples))
        samples = set(map(canonical, longer)) - given_up

    return samples


def _added_points(sample: Sample) -> list[Sample]:
    """The samples with one more point of the cube."""
    return [
        (*sample, point)
        for point in product((0, 1), repeat=len(sample[0]))
        if point not in sample
    ]


@lru_cache(maxsize=200_000)
def _canonical_set(sample: Sample) -> Sample:
    """The smallest set that results from renaming features and from exchanging 0 and 1
    in some of them.
    """
    # The smallest set contains the point 0, so one of its points is moved there.
    images = ([_moved(point, origin) for point in sample] for origin in sample)
    return min(map(_smallest_renaming, images))


def _moved(point: tuple[int, ...], origin: tuple[int, ...]) -> tuple[int, ...]:
    """A point after 0 and 1 are exchanged where the origin is 1."""
    return tuple(x ^ at for x, at in zip(point, origin, strict=True))


@lru_cache(maxsize=200_000)
def _renamed_set(sample: Sample) -> Sample:
    """The smallest set that results from renaming features."""
    return _smallest_renaming(sample)


def _smallest_renaming(points: Iterable[tuple[int, ...]]) -> Sample:
    """The smallest sorted list of points over all orders of the features."""
    return min(
        tuple(sorted(zip(*features, strict=True)))
        for features in permutations(zip(*points, strict=True))
    )


def _one_more(sample: Sample) -> list[Sample]:
    """The samples with one more example, last along feature 1 and at any place along
    the other features.
    """
    m = len(sample)
    n_features = len(sample[0])
    longer = []
    for places in product([m], *[range(m + 1)] * (n_features - 1)):
        shifted = [_shifted(example, places) for example in sample]
        longer.append((*shifted, places))
    return longer


def _shifted(ranks: tuple[int, ...], places: tuple[int, ...]) -> tuple[int, ...]:
    """The ranks of an example after another one has come to these places."""
    return tuple(
        rank + (rank >= place) for rank, place in zip(ranks, places, strict=True)
    )


def _reversed_orders(sample: Sample) -> Sample:
    """The sample after reversing every feature along which the second example comes
    before the first.
    """
    last = len(sample) - 1
    columns = []
    for column in zip(*sample, strict=True):
        is_reversed = len(column) > 1 and column[1] < column[0]
        if is_reversed:
            column = tuple(last - rank for rank in column)
        columns.append(column)
    return tuple(zip(*columns, strict=True))


def is_refutation(
    clauses: Iterable[Sequence[int]], proof: Iterable[Sequence[int]]
) -> bool:
    """Whether a proof shows that some clauses cannot all hold, by unit propagation
    alone.

    >>> from reproduction.exact.verification import is_refutation
    >>> is_refutation([[1, 2], [-1, 2], [1, -2], [-1, -2]], proof=[[2], []])
    True
    >>> is_refutation([[1, 2], [-1, 2]], proof=[[2], []])
    False

    Parameters
    ----------
    clauses : iterable of list of int
        Literals as in DIMACS files.
    proof : iterable of list of int
        As returned by :func:`reproduction.exact.sat.solved`. Lines that begin with 0
        are skipped: they only mark clauses that later lines do not need.

    Returns
    -------
    bool
        True if each line follows and they lead to a contradiction.

    Notes
    -----
    MiniSat propagates and never searches; the solver that wrote the proof, CaDiCaL or
    Glucose, is not used.
    """
    with Solver(name="minisat22", bootstrap_with=clauses) as solver:
        for line in proof:
            if 0 in line:
                continue
            consistent, _ = solver.propagate([-literal for literal in line])
            if consistent:
                return False
            solver.add_clause(line)
        return not solver.propagate()[0]
