"""An independent check of exact VC dimensions: other code, other methods, plain Python."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice, permutations, product

import numpy as np

from treebounds._validation import check_instance, check_integer
from treebounds.capacity.binary import binary_vc_dimension_upper_bound
from treebounds.capacity.exact import ExactVCDimension
from treebounds.capacity.realize import find_tree, is_shattered
from treebounds.capacity.sat import chain_formula, is_refutation
from treebounds.capacity.vc_dimension import vc_dimension_upper_bound
from treebounds.structure import TreeStructure

__all__ = ["verify_certificate"]

Sample = tuple[tuple[int, ...], ...]  # one tuple of feature values for each example


def verify_certificate(
    result: ExactVCDimension,
    structure: TreeStructure,
    feature_type: str = "binary",
    n_refutations: int | None = None,
) -> bool:
    """Check both sides of an exact VC dimension without the code that found it.

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
        Search for trees only for the first so many refutations; all by default. The list is always checked
        for completeness.

    Returns
    -------
    bool

    Notes
    -----
    Seconds for what :func:`exact_vc_dimension` finds in a tenth of a second, minutes for what takes it ten.

    Examples
    --------
    >>> from treebounds import TreeStructure, exact_vc_dimension, verify_certificate
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
        return _upper_bound(structure, sample.shape[1], feature_type) == result.value
    if result.certificate.method == "proof":
        if structure.n_leaves != 3 or feature_type != "real":
            return False
        return is_refutation(chain_formula(len(sample) + 1, sample.shape[1])[0], result.certificate.proof)
    refutations = list(result.certificate.refutations())
    if any(
        find_tree(structure, refuted, labels, feature_type) is not None
        for refuted, labels in islice(refutations, n_refutations)
    ):
        return False
    canonical = _canonical_set if feature_type == "binary" else _canonical_orders
    refuted = {canonical(_as_tuples(sample)) for sample, _ in refutations}
    return not _unrefuted(refuted, sample.shape[1], result.value + 1, feature_type)


def _upper_bound(structure: TreeStructure, n_features: int, feature_type: str) -> int:
    if feature_type == "binary":
        return binary_vc_dimension_upper_bound(structure, n_features)
    return vc_dimension_upper_bound(structure, n_features)


def _as_tuples(sample: np.ndarray) -> Sample:
    return tuple(map(tuple, sample.tolist()))


def _unrefuted(refuted: set[Sample], n_features: int, size: int, feature_type: str) -> set[Sample]:
    """The samples of a size that contain none of the refuted ones, up to symmetry."""
    canonical, extensions = (
        (_canonical_set, _added_points) if feature_type == "binary" else (_canonical_orders, _inserted)
    )
    samples: set[Sample] = {((0,) * n_features,)}
    for _ in range(size - 1):
        samples = {canonical(longer) for sample in samples for longer in extensions(sample)} - refuted
    return samples


def _added_points(sample: Sample) -> list[Sample]:
    return [(*sample, point) for point in product((0, 1), repeat=len(sample[0])) if point not in sample]


@lru_cache(maxsize=200_000)
def _canonical_set(sample: Sample) -> Sample:
    """The smallest of the sets that renaming features and exchanging 0 and 1 of some features make of it."""
    return min(
        tuple(sorted(tuple(point[i] ^ origin[i] for i in order) for point in sample))
        for origin in sample  # the smallest set contains the point 0
        for order in permutations(range(len(sample[0])))
    )


def _inserted(sample: Sample) -> list[Sample]:
    """One more example at every place of every order; the ranks at and above its place move up."""
    return [
        (*(tuple(r + (r >= p) for r, p in zip(example, places, strict=True)) for example in sample), places)
        for places in product(range(len(sample) + 1), repeat=len(sample[0]))
    ]


def _canonical_orders(sample: Sample) -> Sample:
    """The smallest description after renaming examples and features and reversing features."""
    last = len(sample) - 1
    ranks = list(zip(*sample, strict=True))
    versions = [(rank, tuple(last - r for r in rank)) for rank in ranks]
    described = []
    for base, directions in enumerate(versions):
        others = versions[:base] + versions[base + 1 :]
        for direction in directions:
            order = sorted(range(last + 1), key=direction.__getitem__)
            described.append(
                tuple(sorted(min(tuple(rank[i] for i in order) for rank in pair) for pair in others))
            )
    return tuple(zip(range(last + 1), *min(described), strict=True))
