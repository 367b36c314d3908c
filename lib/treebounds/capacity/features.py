"""Kinds of features, and the number of splits that those with finitely many values offer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from treebounds._validation import check_integer

__all__ = ["FeatureKinds"]

_MOST_SUBSET_CATEGORIES = 60
# how many ways to split it in two a feature with k values offers
_SPLITS = {
    "ordinal": lambda k: k - 1,
    "nominal": lambda k: k if k > 2 else 1,
    "nominal_subsets": lambda k: 2 ** (k - 1) - 1,
    "binary": lambda k: 1,
}


@dataclass(frozen=True, init=False)
class FeatureKinds:
    """The kinds of the columns of a sample: real-valued ones, and ones with finitely many values.

    It can stand wherever a function here takes ``n_features``; an integer there means as many real-valued
    features. The kinds and the numbers of values must be known before the sample is seen. Values that are
    read off the sample make the bounds hold for samples with these values only.

    Parameters
    ----------
    real : int
        Real-valued columns, split at any threshold.
    ordinal : sequence of int
        For each ordinal column its number of levels, at least 2; a split is one of the k - 1 thresholds.
    nominal : sequence of int
        For each nominal column its number of categories, at least 2; a split takes one against the rest.
    nominal_subsets : sequence of int
        The same where a split takes any set of categories against the others; at most 60 categories, since
        there are ``2^(k-1) - 1`` splits.
    binary : int
        Columns with two values.

    Attributes
    ----------
    runs : tuple of (str, int, int)
        Kind, number of values (0 for a real-valued one) and length of each run of like columns, in the order
        of the parameters.
    columns : list of (str, int)
        Kind and number of values of each column.
    n_features : int
    n_real : int
        l in the formulas.
    n_finite_splits : int
        S in the formulas: the splits of all other columns together.

    Raises
    ------
    ValueError
        If there is no column, or one that offers no split or too many.

    Examples
    --------
    >>> from treebounds import FeatureKinds
    >>> kinds = FeatureKinds(real=3, ordinal=[4], nominal=[5], nominal_subsets=[3], binary=2)
    >>> kinds.n_features, kinds.n_real, kinds.n_finite_splits
    (8, 3, 13)
    """

    runs: tuple[tuple[str, int, int], ...]

    def __init__(
        self,
        real: int = 0,
        ordinal: Sequence[int] = (),
        nominal: Sequence[int] = (),
        nominal_subsets: Sequence[int] = (),
        binary: int = 0,
    ) -> None:
        runs = [("real", 0, check_integer(real, "real", minimum=0))]
        for kind, sizes in (("ordinal", ordinal), ("nominal", nominal), ("nominal_subsets", nominal_subsets)):
            if not np.iterable(sizes):
                raise ValueError(f"{kind} must be a sequence of one number of values a column; got {sizes!r}")
            runs += [(kind, _checked_size(kind, size), 1) for size in sizes]
        runs += [("binary", 2, check_integer(binary, "binary", minimum=0))]
        joined = [
            (*column, sum(count for *_, count in group))
            for column, group in groupby((run for run in runs if run[2]), key=lambda run: run[:2])
        ]
        if not joined:
            raise ValueError("real, ordinal, nominal, nominal_subsets, binary: there must be a feature")
        object.__setattr__(self, "runs", tuple(joined))

    @property
    def columns(self) -> list[tuple[str, int]]:
        """Kind and number of values of each column; ``("real", 0)`` for a real-valued one."""
        return [(kind, size) for kind, size, count in self.runs for _ in range(count)]

    @property
    def n_features(self) -> int:
        """The number of columns."""
        return sum(count for *_, count in self.runs)

    @property
    def n_real(self) -> int:
        """The number of real-valued columns."""
        return sum(count for kind, _, count in self.runs if kind == "real")

    @property
    def n_finite_splits(self) -> int:
        """How many ways to split all columns with finitely many values offer together."""
        return sum(count * _SPLITS[kind](size) for kind, size, count in self.runs if kind != "real")


def check_features(n_features: Any) -> FeatureKinds:
    """Kinds of features from what a user gave as ``n_features``, or a ValueError that names it.

    >>> from treebounds import FeatureKinds
    >>> from treebounds.capacity.features import check_features
    >>> check_features(3) == FeatureKinds(real=3)
    True
    """
    if isinstance(n_features, FeatureKinds):
        return n_features
    return FeatureKinds(real=check_integer(n_features, "n_features"))


def _checked_size(kind: str, size: Any) -> int:
    """A number of values that a column of the kind can have, or a ValueError."""
    size = check_integer(size, kind, minimum=2)
    if kind == "nominal_subsets" and size > _MOST_SUBSET_CATEGORIES:
        raise ValueError(
            f"nominal_subsets must have at most {_MOST_SUBSET_CATEGORIES} categories; {size} offer "
            f"2^{size - 1} - 1 splits. As nominal, one category against the rest, they offer {size}"
        )
    return size
