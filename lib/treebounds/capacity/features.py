"""Kinds of features, and the number of splits that those with finitely many values
offer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treebounds._validation import check_integer, shown

_MOST_SUBSET_CATEGORIES = 60
# Number of ways in which a feature with k values can split a sample in two.
_SPLITS: dict[str, Callable[[int], int]] = {
    "ordinal": lambda k: k - 1,
    "nominal": lambda k: k if k > 2 else 1,
    "nominal_subsets": lambda k: (1 << (k - 1)) - 1,
}


@dataclass(frozen=True)
class FeatureKinds:
    """The kinds of the columns of a sample: real-valued ones, and ones with finitely
    many values.

    It can be given wherever a function of this package takes ``n_features``; an integer
    there means that all features are real-valued. The kinds and the numbers of values
    must be known before the sample is seen. If the values are read from the sample, the
    bounds hold only for samples with these values.

    >>> from treebounds import FeatureKinds
    >>> kinds = FeatureKinds(
    ...     real=3, ordinal=[4], nominal=[5], nominal_subsets=[3], binary=2
    ... )
    >>> kinds.n_features, kinds.real, kinds.n_finite_splits
    (8, 3, 13)

    Parameters
    ----------
    real : int
        Real-valued columns, split at any threshold; l in the formulas.
    ordinal : sequence of int
        For each ordinal column its number k of levels, at least 2; a split is one of
        the k - 1 thresholds.
    nominal : sequence of int
        For each nominal column its number of categories, at least 2; a split separates
        one category from the others.
    nominal_subsets : sequence of int
        For each nominal column on which a split separates any set of categories from
        the others, its number k of categories, at least 2 and at most 60; there are
        ``2^(k-1) - 1`` splits.
    binary : int
        Columns with two values.

    Attributes
    ----------
    n_features : int
    n_finite_splits : int
        S in the formulas: the number of splits on all columns with finitely many
        values.

    Raises
    ------
    ValueError
        If there is no column, or one that offers no split or too many.

    Notes
    -----
    The book's chapter *Features of several kinds* derives what they change.
    """

    real: int = 0
    ordinal: Sequence[int] = ()
    nominal: Sequence[int] = ()
    nominal_subsets: Sequence[int] = ()
    binary: int = 0

    def __post_init__(self) -> None:
        for kind in ("real", "binary"):
            number = check_integer(getattr(self, kind), kind, minimum=0)
            object.__setattr__(self, kind, number)

        for kind in _SPLITS:
            sizes = getattr(self, kind)
            if not np.iterable(sizes):
                raise ValueError(
                    f"{kind} must be a sequence with a number for each column; got"
                    f" {shown(sizes)}"
                )
            integers = tuple(check_integer(size, kind, minimum=2) for size in sizes)
            object.__setattr__(self, kind, integers)

        most = max(self.nominal_subsets, default=0)
        if most > _MOST_SUBSET_CATEGORIES:
            raise ValueError(
                f"nominal_subsets may be at most {_MOST_SUBSET_CATEGORIES}; got {most}."
                f" As nominal, where a split separates one category from the others,"
                f" {most} categories are accepted"
            )

        if not self.n_features:
            raise ValueError(
                "real, ordinal, nominal, nominal_subsets, binary: at least one must be"
                " given, for example FeatureKinds(real=3, nominal=[4])"
            )

    @property
    def n_features(self) -> int:
        """The number of columns."""
        with_sizes = sum(len(getattr(self, kind)) for kind in _SPLITS)
        return self.real + self.binary + with_sizes

    @property
    def n_finite_splits(self) -> int:
        """Number of splits that all columns with finitely many values offer
        together.
        """
        n_all = self.binary
        for kind, n_splits in _SPLITS.items():
            for size in getattr(self, kind):
                n_all += n_splits(size)
        return n_all


def check_features(n_features: Any) -> FeatureKinds:
    """Return the kinds of features from the argument ``n_features``, or raise a
    ValueError that names it.

    >>> from treebounds import FeatureKinds
    >>> from treebounds.capacity.features import check_features
    >>> check_features(3) == FeatureKinds(real=3)
    True
    """
    if isinstance(n_features, FeatureKinds):
        return n_features
    return FeatureKinds(real=check_integer(n_features, "n_features"))
