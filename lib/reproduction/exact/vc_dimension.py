"""Exact VC dimensions of structures on few features, with evidence for both sides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import total_ordering
from typing import Any

import numpy as np

from reproduction.exact._samples import (
    extensions,
    samples_of,
    single_points,
    unrealized_labelings,
)
from reproduction.exact.binary import (
    binary_shattered_sample,
    binary_vc_dimension_upper_bound,
)
from reproduction.exact.real import MOST_EXAMPLES, search_samples
from reproduction.exact.shattering import CHILDREN
from treebounds._validation import check_integer, check_option
from treebounds.capacity._trees import check_structure
from treebounds.capacity.shattering import shattered_sample
from treebounds.capacity.vc_dimension import vc_dimension_upper_bound
from treebounds.structure import TreeStructure

__all__ = ["ExactVCDimension", "SearchCertificate", "exact_vc_dimension"]

# Larger cases take hours.
_MOST_POINTS = 20
_MOST_BINARY_FEATURES = 5
_SECONDS_PER_SAMPLE = 4e-5


@dataclass(frozen=True)
class SearchCertificate:
    """The reason why no larger sample is shattered.

    Attributes
    ----------
    method : {"bound", "refutations", "proof"}
        "bound": an upper bound equals the value. "refutations": there is a list of
        samples, each with a labeling that is not realized, and every sample with one
        example more contains one of them, up to symmetry. "proof": a formula can be
        satisfied if a sample with one example more is shattered, and there is a proof
        that it cannot be satisfied (:func:`exact_lary_vc_dimension`).
    statement : str
        The same in words, with the numbers.
    n_samples : int
        Number of samples that were examined, where equivalent samples count once; 0 if
        none were.
    proof : tuple of tuple of int
        The lines of the proof, as returned by :func:`reproduction.exact.sat.solved`.
    refuted : tuple of (ndarray, ndarray)
        For each size, samples of shape (n_samples, size, n_features), and a labeling of
        each, as bits.
    """

    method: str
    statement: str
    n_samples: int = 0
    proof: tuple[tuple[int, ...], ...] = field(default=(), repr=False)
    refuted: tuple[tuple[Any, Any], ...] = field(default=(), repr=False)

    def refutations(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The refuted samples, each with the labels, 0 or 1, that no tree of the
        structure realizes.
        """
        for samples, labelings in self.refuted:
            for sample, labeling in zip(samples, labelings, strict=True):
                yield sample, int(labeling) >> np.arange(len(sample)) & 1


@total_ordering
@dataclass(frozen=True, eq=False)
class ExactVCDimension:
    """A VC dimension with its evidence. It compares with integers; ``int()`` and
    ``.value`` give the number.

    >>> from reproduction.exact import exact_vc_dimension
    >>> from treebounds import TreeStructure
    >>> print(exact_vc_dimension(TreeStructure.from_nested([None, None]), 3))
    VC dimension 3: a sample of 3 is shattered. No sample of more than 3, by a bound

    Attributes
    ----------
    shattered_sample : ndarray of int, shape (value, n_features)
    certificate : SearchCertificate
        The reason why no larger sample is shattered. The book checks both by other
        code.
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
            f"VC dimension {self.value}: a sample of {self.value} is shattered."
            f" {self.certificate.statement}"
        )

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ExactVCDimension | int):
            return self.value == int(other)
        return NotImplemented

    def __lt__(self, other: object) -> bool:
        if isinstance(other, ExactVCDimension | int):
            return self.value < int(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.value)


def exact_vc_dimension(
    structure: TreeStructure,
    n_features: int,
    feature_type: str = "binary",
    max_samples: int = 2_000_000,
    *,
    children: str = "exchangeable",
) -> ExactVCDimension:
    """The exact VC dimension of a tree structure, with a shattered sample and a
    certificate.

    >>> from reproduction.exact import exact_vc_dimension
    >>> from treebounds import TreeStructure
    >>> chain = TreeStructure.from_nested([[None, None], None])
    >>> exact_vc_dimension(chain, 3).value
    4
    >>> result = exact_vc_dimension(chain, 2, feature_type="real")
    >>> result.value, result.certificate.method
    (5, 'refutations')

    Parameters
    ----------
    structure : TreeStructure, ArrayTree or fitted scikit-learn tree
        It may be deeper than the number of features, because a feature may be tested
        again on a path.
    n_features : int
        At least 1.
    feature_type : {"binary", "real"}
    max_samples : int
        Raise an error if the search would have to examine more samples.
    children : {"exchangeable", "fixed"}
        Whether the two subtrees of a node may be exchanged, as in Leboeuf, LeBlanc and
        Marchand (2020), Definition 1, or the left one always gets the value 0 and the
        right one the value 1, as in Yıldız (2012), Theorem 4. "fixed" is for binary
        features; left and right are those of ``structure.to_nested()``, so another
        drawing of the same structure can have another VC dimension.

    Returns
    -------
    ExactVCDimension
        With ``.value``, ``.shattered_sample`` (0 and 1 for binary features, ranks along
        each feature for real-valued ones) and ``.certificate``.

    Raises
    ------
    ValueError
        If the search is too large (the error contains its size and the known bounds),
        or children are fixed and features real-valued.

    See Also
    --------
    vc_dimension_lower_bound : from below, for any size.
    vc_dimension_upper_bound : from above, for any size.
    binary_vc_dimension_upper_bound : from above, for binary features.

    Notes
    -----
    If the bounds differ, shattered samples are extended by one example in every way
    until none is shattered. On up to five binary features, each set of points of the
    cube is examined once up to symmetry; four features take milliseconds, or half a
    second for large structures. On real-valued features examples are added in the order
    of feature 1 (``reproduction.exact.real.search_samples``); up to 4 nodes on two
    features take two seconds, and a chain of 2 nodes on three features takes one. On
    one feature the VC dimension is the number of leaves.

    Examples
    --------
    A structure for which it matters whether children may be exchanged:

    >>> larger = TreeStructure.from_nested([[[None, None], [None, None]], [None, None]])
    >>> exact_vc_dimension(larger, 4).value
    8
    >>> exact_vc_dimension(larger, 4, children="fixed").value
    7
    """
    structure = check_structure(structure, "structure")
    n_features = check_integer(n_features, "n_features")
    check_integer(max_samples, "max_samples")
    check_option(feature_type, "feature_type", ("binary", "real"))
    check_option(children, "children", CHILDREN)

    if feature_type == "binary":
        return _of_binary_features(structure, n_features, max_samples, children)
    if children == "fixed":
        raise ValueError(
            "children can be 'fixed' for binary features only; use 'exchangeable' for"
            " real-valued ones"
        )
    return _of_real_features(structure, n_features, max_samples)


def _of_binary_features(
    structure: TreeStructure, d: int, max_samples: int, children: str
) -> ExactVCDimension:
    """The result on binary features: bounds, and a search where they differ."""
    upper = binary_vc_dimension_upper_bound(structure, d)
    sample = binary_shattered_sample(structure, d)
    if len(sample) == upper:
        return _bounded(sample, 0)
    return _search_the_cube(structure, d, len(sample), upper, max_samples, children)


def _of_real_features(
    structure: TreeStructure, l: int, max_samples: int
) -> ExactVCDimension:
    """The result on real-valued features: bounds, and a search where they differ."""
    if l == 1:
        return _of_one_real_feature(structure)

    upper = vc_dimension_upper_bound(structure, l)
    sample = shattered_sample(structure, l)
    if len(sample) == upper:
        return _bounded(sample, 0)
    return _search_in_order(structure, l, len(sample), upper, max_samples)


def _bounded(sample: np.ndarray, n_samples: int) -> ExactVCDimension:
    """The result if a shattered sample is as large as an upper bound."""
    statement = f"No sample of more than {len(sample)}, by a bound"
    return ExactVCDimension(sample, SearchCertificate("bound", statement, n_samples))


def _refuted(sample: np.ndarray, n_samples: int, refuted: Any) -> ExactVCDimension:
    """The result of a search after which no larger sample is left."""
    statement = (
        f"No extension of a shattered sample of {len(sample)} is shattered; {n_samples}"
        " examined"
    )
    return ExactVCDimension(
        sample,
        SearchCertificate("refutations", statement, n_samples, refuted=tuple(refuted)),
    )


def _search_in_order(
    structure: TreeStructure, l: int, lower: int, upper: int, max_samples: int
) -> ExactVCDimension:
    """The result of a search over all samples on real-valued features, in the order of
    feature 1.
    """
    kind = f"{l} (real-valued)"
    if lower >= MOST_EXAMPLES or l > 15:
        work = f"samples of {lower + 1} examples and more, out of reach"
        raise ValueError(_too_large(structure, kind, lower, upper, work))

    sample, examined, refuted, labelings = search_samples(
        structure, l, max_samples, n_kept=max_samples
    )
    n_examined = int(examined.sum())
    if n_examined > max_samples or len(sample) == MOST_EXAMPLES:
        work = f"more than {n_examined - 1} samples"
        known = max(len(sample), lower)
        raise ValueError(_too_large(structure, kind, known, upper, work))

    # Along feature 1 the ranks are 0, 1, 2, ...
    sizes = (refuted[:, 0] > 0).sum(axis=1) + 1
    levels = []
    for size in np.unique(sizes).tolist():
        has_size = sizes == size
        samples = refuted[has_size, :, :size].swapaxes(1, 2)
        levels.append((samples, labelings[has_size]))
    return _refuted(sample, n_examined, levels)


def _of_one_real_feature(structure: TreeStructure) -> ExactVCDimension:
    """The result on one feature: N thresholds cannot separate N + 2 examples with
    alternating labels.
    """
    size = structure.n_leaves + 1
    statement = (
        f"{size} examples on a line whose labels alternate need {size - 1} thresholds"
    )
    samples = np.arange(size)[None, :, None]
    alternating = sum(1 << i for i in range(0, size, 2))
    refuted = ((samples, [alternating]),)
    certificate = SearchCertificate("refutations", statement, 1, refuted=refuted)

    return ExactVCDimension(np.arange(size - 1)[:, None], certificate)


def _search_the_cube(
    structure: TreeStructure,
    d: int,
    lower: int,
    upper: int,
    max_samples: int,
    children: str,
) -> ExactVCDimension:
    """The result of a search over all sets of points of the cube, up to symmetry."""
    exchangeable = children == "exchangeable"
    kind = f"{d} (binary)"
    if lower >= _MOST_POINTS or d > _MOST_BINARY_FEATURES:
        work = f"samples of {lower + 1} examples and more, out of reach"
        raise ValueError(_too_large(structure, kind, lower, upper, work))

    keys = single_points(d, exchangeable)
    examined = len(keys)
    levels = []
    for size in range(1, _MOST_POINTS + 1):
        samples = samples_of(keys, d)
        if size == upper:
            return _bounded(samples[0], examined)

        n_extensions = len(keys) * (2**d - size)
        if n_extensions > max_samples or size == _MOST_POINTS:
            break

        keys = extensions(keys, d, exchangeable)
        if size + 1 < lower and d < 5:
            # There are few sets in total, and a larger shattered sample is known.
            continue

        longer = samples_of(keys, d)
        labelings = unrealized_labelings(structure, longer, exchangeable)
        lacks = labelings >= 0
        levels.append((longer[lacks], labelings[lacks]))
        examined += len(keys)
        if lacks.all():
            return _refuted(samples[0], examined, levels)

        keys = keys[~lacks]

    seconds = n_extensions * _SECONDS_PER_SAMPLE
    work = (
        f"{n_extensions:.3g} samples of {size + 1} examples, about {seconds:.0f}"
        " seconds or more"
    )
    raise ValueError(_too_large(structure, kind, max(size, lower), upper, work))


def _too_large(
    structure: TreeStructure, kind: str, lower: int, upper: int, work: str
) -> str:
    """The error message for a search that would take too long."""
    return (
        f"structure with {structure.n_internal_nodes} nodes, n_features={kind}: the"
        f" exhaustive search would have to examine {work}. The VC dimension is at least"
        f" {lower} and at most {upper} (see vc_dimension_lower_bound and the upper"
        " bounds)"
    )
