"""Exact VC dimensions of tree structures on few features, with evidence for both sides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, total_ordering
from typing import Any

import numpy as np

from reproduction.exact._samples import BinarySamples, unrealized_labelings
from reproduction.exact.binary import binary_shattered_sample, binary_vc_dimension_upper_bound
from reproduction.exact.real import MOST_EXAMPLES, RealSamples, search_samples
from treebounds._validation import check_integer, check_option
from treebounds.capacity.growth import check_structure
from treebounds.capacity.shattering import shattered_sample
from treebounds.capacity.vc_dimension import vc_dimension_upper_bound
from treebounds.structure import TreeStructure

__all__ = ["ExactVCDimension", "SearchCertificate", "exact_vc_dimension"]

LARGEST_CUBE = 4  # features of which all sets of points of the cube are listed
_SECONDS_PER_SAMPLE = 4e-5


@dataclass(frozen=True)
class SearchCertificate:
    """Why no larger sample is shattered.

    Attributes
    ----------
    method : {"bound", "refutations", "proof"}
        "bound": an upper bound equals the value. "refutations": every sample with one example more contains,
        up to symmetry, one of a list of samples of which a labeling is not realized. "proof": a formula that
        holds if a sample with one example more is shattered, and a proof that it cannot hold
        (:func:`exact_lary_vc_dimension`).
    statement : str
        The same in words, with the numbers.
    n_samples : int
        How many samples were examined, equivalent ones counted once; 0 for a bound or a proof.
    proof : tuple of tuple of int
        The lines of the proof, as :func:`reproduction.exact.sat.solved` gives it.
    """

    method: str
    statement: str
    n_samples: int = 0
    proof: tuple[tuple[int, ...], ...] = field(default=(), repr=False)
    levels: tuple[Any, ...] = field(default=(), repr=False)

    def refutations(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The refuted samples, each with the labels of 0 and 1 that no tree of the structure realizes."""
        for family, size, keys, labelings in self.levels:
            for key, labeling in zip(keys, labelings, strict=True):
                yield family.sample(key, size), int(labeling) >> np.arange(size) & 1


@total_ordering
@dataclass(frozen=True, eq=False)
class ExactVCDimension:
    """A VC dimension with its evidence. It compares with integers; ``int()`` and ``.value`` give the number.

    Attributes
    ----------
    shattered_sample : ndarray of int, shape (value, n_features)
    certificate : SearchCertificate
        Why no larger sample is shattered. The book checks both by other code.

    Examples
    --------
    >>> from reproduction.exact import exact_vc_dimension
    >>> from treebounds import TreeStructure
    >>> print(exact_vc_dimension(TreeStructure.from_nested([None, None]), 3))
    VC dimension 3: a sample of 3 is shattered. No sample of more than 3, by a bound
    """

    shattered_sample: np.ndarray
    certificate: SearchCertificate

    @property
    def value(self) -> int:
        """The VC dimension."""
        return len(self.shattered_sample)

    def __int__(self) -> int:
        return self.value

    __index__ = __int__

    def __str__(self) -> str:
        return (
            f"VC dimension {self.value}: a sample of {self.value} is shattered. {self.certificate.statement}"
        )

    def __eq__(self, other: object) -> bool:
        return self.value == int(other) if isinstance(other, ExactVCDimension | int) else NotImplemented

    def __lt__(self, other: Any) -> bool:
        return self.value < int(other) if isinstance(other, ExactVCDimension | int) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.value)


def exact_vc_dimension(
    structure: TreeStructure, n_features: int, feature_type: str = "binary", max_samples: int = 2_000_000
) -> ExactVCDimension:
    """The exact VC dimension of a tree structure, with a shattered sample and a certificate.

    Parameters
    ----------
    structure : TreeStructure or fitted scikit-learn tree
        May be deeper than the number of features. A feature may be tested again below itself.
    n_features : int
        At least 1.
    feature_type : {"binary", "real"}
    max_samples : int
        Give up when the search would have to look at more samples than that.

    Returns
    -------
    ExactVCDimension
        With ``.value``, ``.shattered_sample`` (0 and 1 for binary features, ranks along each feature for
        real-valued ones) and ``.certificate``.

    Raises
    ------
    ValueError
        If the search is too large; the message gives its size and the known bounds.

    See Also
    --------
    vc_dimension_lower_bound, vc_dimension_upper_bound, binary_vc_dimension_upper_bound : for any size.

    Notes
    -----
    Where the bounds do not meet, up to 4 binary features: all sets of points of the cube with one example
    more than is known to be shattered, one of each orbit under the symmetries of the cube, milliseconds, or
    half a second for large structures. On five, shattered samples are extended by one example in every way,
    equivalent ones once, until none is left. On real-valued features examples are added in the order of
    feature 1 (``reproduction.exact.real.search_samples``): up to 4 nodes on two features in two seconds,
    a chain of 2 on three features in one. On one feature
    the VC dimension is the number of leaves.

    Examples
    --------
    >>> from reproduction.exact import exact_vc_dimension
    >>> from treebounds import TreeStructure
    >>> chain = TreeStructure.from_nested([[None, None], None])
    >>> exact_vc_dimension(chain, 3).value
    4
    >>> result = exact_vc_dimension(chain, 2, feature_type="real")
    >>> result.value, result.certificate.method
    (5, 'refutations')
    """
    structure, n_features = check_structure(structure), check_integer(n_features, "n_features")
    check_integer(max_samples, "max_samples")
    if check_option(feature_type, "feature_type", ("binary", "real")) == "binary":
        upper = binary_vc_dimension_upper_bound(structure, n_features)
        sample = binary_shattered_sample(structure, n_features)
    else:
        if n_features == 1:
            return _one_real_feature(structure)
        upper = vc_dimension_upper_bound(structure, n_features)
        sample = shattered_sample(structure, n_features)
    if len(sample) == upper:
        return ExactVCDimension(
            sample, SearchCertificate("bound", f"No sample of more than {upper}, by a bound")
        )
    if feature_type == "real":
        return _in_order(structure, n_features, len(sample), upper, max_samples)
    if n_features <= LARGEST_CUBE:
        return _on_the_cube(structure, n_features, sample)
    return _by_extension(structure, BinarySamples(n_features), len(sample), upper, max_samples)


def _in_order(structure: TreeStructure, l: int, lower: int, upper: int, max_samples: int) -> ExactVCDimension:
    """Every sample on real-valued features whose first examples along feature 1 are shattered."""
    if lower >= MOST_EXAMPLES or l > 15:
        work = f"samples of {lower + 1} examples and more, out of reach"
        raise ValueError(_too_large(structure, f"{l} (real-valued)", lower, upper, work))
    found, examined, refuted, labelings = search_samples(structure, l, max_samples, n_kept=max_samples)
    n_examined = int(examined.sum())
    if n_examined > max_samples or len(found) == MOST_EXAMPLES:
        work = f"more than {n_examined - 1} samples"
        raise ValueError(_too_large(structure, f"{l} (real-valued)", max(len(found), lower), upper, work))
    sizes = (refuted[:, 0] > 0).sum(axis=1) + 1  # along feature 1 the ranks are 0, 1, 2, ...
    levels = tuple(
        (RealSamples, size, refuted[sizes == size], labelings[sizes == size])
        for size in np.unique(sizes).tolist()
    )
    statement = f"No extension of a shattered sample of {len(found)} is shattered; {n_examined} examined"
    return ExactVCDimension(found, SearchCertificate("refutations", statement, n_examined, levels=levels))


def _one_real_feature(structure: TreeStructure) -> ExactVCDimension:
    """All samples on a line are alike, and N thresholds do not serve N + 2 examples that alternate."""
    size = structure.n_leaves + 1
    alternating = sum(1 << i for i in range(0, size, 2))
    level = (RealSamples, size, np.arange(size)[None, None], [alternating])
    statement = f"{size} examples on a line whose labels alternate need {size - 1} thresholds"
    certificate = SearchCertificate("refutations", statement, 1, levels=(level,))
    return ExactVCDimension(np.arange(size - 1)[:, None], certificate)


def _on_the_cube(structure: TreeStructure, d: int, sample: np.ndarray) -> ExactVCDimension:
    """All sets of points of the cube, one of each kind, from the size of a shattered sample on."""
    family = BinarySamples(d)
    while len(sample) < 2**d:
        size = len(sample) + 1
        keys = _orbits(d)[size - 1]
        labelings = _refute(structure, family, keys, size)
        if (labelings >= 0).all():
            statement = f"Each of the {len(keys)} kinds of samples of {size} lacks a labeling"
            level = (family, size, keys, labelings)
            return ExactVCDimension(
                sample, SearchCertificate("refutations", statement, len(keys), levels=(level,))
            )
        sample = family.sample(keys[labelings.argmin()], size)
    return ExactVCDimension(sample, SearchCertificate("bound", f"There are only {2**d} different examples"))


@cache
def _orbits(d: int) -> list[np.ndarray]:
    """Keys of the sets of points of {0, 1}^d, one of each orbit of its symmetries, by size from 1 on."""
    family = BinarySamples(d)
    orbits = [family.single]
    for size in range(1, 2**d):
        orbits.append(family.extensions(orbits[-1], size))
    return orbits


def _by_extension(
    structure: TreeStructure, family: BinarySamples, lower: int, upper: int, max_samples: int
) -> ExactVCDimension:
    """Extend shattered samples by one example at a time, one sample of each kind."""
    kind = f"{family.n_features} (binary)"
    if lower >= family.max_examples or family.n_features > family.max_features:
        work = f"samples of {lower + 1} examples and more, out of reach"
        raise ValueError(_too_large(structure, kind, lower, upper, work))
    keys, size, examined, levels = family.single, 1, 1, []
    while True:
        n_extensions = len(keys) * family.n_extensions(size)
        if n_extensions > max_samples or size == family.max_examples:
            seconds = n_extensions * _SECONDS_PER_SAMPLE
            work = f"{n_extensions:.3g} samples of {size + 1} examples, about {seconds:.0f} seconds or more"
            raise ValueError(_too_large(structure, kind, max(size, lower), upper, work))
        extended = family.extensions(keys, size)
        size += 1
        labelings = _refute(structure, family, extended, size)
        refuted = labelings >= 0
        levels.append((family, size, extended[refuted], labelings[refuted]))
        examined += len(extended)
        if refuted.all():
            sample = family.sample(keys[0], size - 1)
            statement = f"No extension of a shattered sample of {size - 1} is shattered; {examined} examined"
            certificate = SearchCertificate("refutations", statement, examined, levels=tuple(levels))
            return ExactVCDimension(sample, certificate)
        keys = extended[~refuted]


def _refute(structure: TreeStructure, family: BinarySamples, keys: np.ndarray, size: int) -> np.ndarray:
    """For each sample a labeling that no tree realizes, or -1 where it is shattered."""
    parts = np.array_split(keys, len(keys) // 20_000 + 1)
    found = [unrealized_labelings(structure, family.chains(part, size), size) for part in parts]
    return np.concatenate(found)


def _too_large(structure: TreeStructure, kind: str, lower: int, upper: int, work: str) -> str:
    """The message for a search that would take too long."""
    return (
        f"structure with {structure.n_internal_nodes} nodes, n_features={kind}: the "
        f"exhaustive search would have to examine {work}. The VC dimension is at least {lower} and at most "
        f"{upper} (see vc_dimension_lower_bound and the upper bounds)"
    )
