"""Nodes with one child for each value of their feature (Yıldız, section 3): Theorem 5,
corrected.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from pysat import card as cards

from reproduction.exact.sat import Proof, solved
from reproduction.exact.vc_dimension import ExactVCDimension, SearchCertificate
from treebounds._validation import check_integer, shown
from treebounds.capacity._labelings import stirling

__all__ = ["exact_lary_vc_dimension", "lary_vc_dimension_upper_bound"]

# The group of each example.
Grouping = tuple[int, ...]
Clause = list[int]

_MOST_GROUPINGS = 20_000


def lary_vc_dimension_upper_bound(n_values: Sequence[int]) -> int:
    """``floor(log2(sum_i (2^(L_i - 1) - 1) + 1)) + 1`` for one node on features with
    L_i values each.

    Yıldız's Theorem 5 states that this is the VC dimension. It is only an upper bound:
    a feature with L values divides the examples into L groups and so splits them in two
    in at most ``2^(L - 1) - 1`` ways, but different features may make the same splits.

    >>> from reproduction.exact import lary_vc_dimension_upper_bound
    >>> lary_vc_dimension_upper_bound([2, 3, 3])
    4

    Parameters
    ----------
    n_values : sequence of int
        L_i, at least 1 each.

    Returns
    -------
    int
    """
    n_splits = sum(2 ** (values - 1) - 1 for values in _check_values(n_values))
    return (n_splits + 1).bit_length()


def _check_values(n_values: Sequence[int]) -> tuple[int, ...]:
    """The numbers of values in decreasing order, or a ValueError."""
    if not np.iterable(n_values) or len(n_values) == 0:
        raise ValueError(
            "n_values must be a sequence of one integer per feature; got"
            f" {shown(n_values)}"
        )
    return tuple(
        sorted((check_integer(values, "n_values") for values in n_values), reverse=True)
    )


def exact_lary_vc_dimension(
    n_values: Sequence[int], max_conflicts: int = 200_000
) -> ExactVCDimension:
    """The exact VC dimension of a single node whose feature i has ``n_values[i]``
    values, one leaf for each.

    >>> from reproduction.exact import exact_lary_vc_dimension
    >>> exact_lary_vc_dimension([2, 3, 3]).value
    3
    >>> exact_lary_vc_dimension([3, 3, 3]).shattered_sample.shape
    (4, 3)

    Parameters
    ----------
    n_values : sequence of int
        At least 1 each.
    max_conflicts : int
        Give up after this number of conflicts.

    Returns
    -------
    ExactVCDimension
        The shattered sample has one column for each feature, with values 0, ...,
        n_values[i] - 1. The certificate's method is "bound" if the number of Theorem 5
        is attained, else "proof": a proof that ``covering_formula`` for one example
        more cannot be satisfied.

    Raises
    ------
    ValueError
        If the solver gives up, or there are too many groupings to write down.

    Notes
    -----
    m examples are shattered if and only if, for every way to split them in two, one
    side is a union of groups of some feature. The choice of a grouping for each feature
    is a covering problem: the groupings into exactly L_i groups are variables, each
    split needs one of the groupings that refine it, and a SAT solver (Glucose) decides.
    One grouping is fixed up to renaming the examples.
    """
    values = _check_values(n_values)
    check_integer(max_conflicts, "max_conflicts")
    upper = lary_vc_dimension_upper_bound(n_values)

    certificate = SearchCertificate(
        "bound", f"At most {upper}: too few splits for more"
    )

    for size in range(upper, 0, -1):
        groupings, proof = _shattering_groupings(values, size, max_conflicts)
        if proof is None:
            break
        statement = (
            f"No groupings of {size} examples make every split, by a proof of"
            f" {len(proof)} lines"
        )
        certificate = SearchCertificate("proof", statement, proof=proof)

    # Groupings are in the order of decreasing numbers of values; the sample needs the
    # order of the features.
    order = sorted(range(len(values)), key=n_values.__getitem__, reverse=True)
    sample = np.zeros((size, len(values)), dtype=int)
    sample[:, order] = np.array(groupings).T

    return ExactVCDimension(sample, certificate)


def _shattering_groupings(
    values: tuple[int, ...], size: int, max_conflicts: int
) -> tuple[list[Grouping], Proof | None]:
    """A grouping of the examples for each feature such that they make every split in
    two, or a proof that there is none.
    """
    clauses, variables = covering_formula(values, size)
    try:
        true, proof = solved(clauses, max_conflicts)
    except TimeoutError:
        raise ValueError(
            f"n_values={values}: not decided whether {size} examples can be"
            f" shattered within max_conflicts={max_conflicts};"
            " lary_vc_dimension_upper_bound gives an upper bound"
        ) from None

    if proof is not None:
        return [], proof

    kinds = [min(v, size) for v in values]
    groupings = list[Grouping]()
    for kind in sorted(set(kinds), reverse=True):
        chosen = [g for i, (k, g) in enumerate(variables, 1) if i in true and k == kind]
        # The sample does not need the other features of this kind.
        idle = [(0,) * size] * (kinds.count(kind) - len(chosen))
        groupings += chosen + idle

    return groupings, None


def covering_formula(
    values: Sequence[int], size: int
) -> tuple[list[Clause], list[tuple[int, Grouping]]]:
    """Clauses that can be satisfied if and only if the features can make every split of
    a sample in two.

    >>> from reproduction.exact.lary import covering_formula
    >>> covering_formula([2], 2)
    ([[1], [1]], [(2, (0, 1))])

    Parameters
    ----------
    values : sequence of int
        L_i, at least 1 each.
    size : int
        The number of examples.

    Returns
    -------
    clauses : list of list of int
        For :func:`reproduction.exact.sat.solved`.
    variables : list of (int, tuple of int)
        The meaning of the variables 1, 2, ...: some feature with this number of values
        (at most that of the examples) groups the examples in this way.
    """
    values = _check_values(values)
    kinds = {
        min(v, size): _groupings(size, min(v, size))
        for v in sorted(set(values), reverse=True)
    }
    variables: list[tuple[int, Grouping]] = []
    for kind, groupings in kinds.items():
        variables += product([kind], groupings)
    splits = [
        [i for i, (_, grouping) in enumerate(variables, 1) if _splits(grouping, ones)]
        for ones in range(1, 2 ** (size - 1))
    ]
    counts = {kind: sum(min(v, size) == kind for v in values) for kind in kinds}
    return [*splits, *_limits(variables, counts), _first_grouping(variables)], variables


def _limits(
    variables: list[tuple[int, Grouping]], counts: dict[int, int]
) -> list[Clause]:
    """Clauses by which no more groupings of a kind are chosen than there are features
    of this kind.
    """
    clauses = []
    top = len(variables)
    for kind, count in counts.items():
        members = [i for i, (k, _) in enumerate(variables, 1) if k == kind]
        if count < len(members):
            # Sinz's sequential counter, with new variables above the top one.
            limit = cards.CardEnc.atmost(
                members, count, top, encoding=cards.EncType.seqcounter
            )
            clauses += limit.clauses
            top = max(top, limit.nv)
    return clauses


def _first_grouping(variables: list[tuple[int, Grouping]]) -> Clause:
    """The clause by which one grouping of the first kind is the one that represents its
    sizes: examples can be renamed.
    """
    first = variables[0][0]
    stands_for = {
        _group_sizes(g): i for i, (kind, g) in enumerate(variables, 1) if kind == first
    }
    return sorted(stands_for.values())


def _groupings(size: int, n_groups: int) -> list[Grouping]:
    """All ways to divide examples 0..size-1 into nonempty groups, numbered by their
    first occurrence.
    """
    if stirling(size, n_groups) > _MOST_GROUPINGS:
        raise ValueError(
            f"n_values: {size} examples form {n_groups} groups in"
            f" {stirling(size, n_groups):.3g} ways, which are too many to search;"
            " lary_vc_dimension_upper_bound gives an upper bound"
        )

    groupings: list[Grouping] = [()]
    for _ in range(size):
        longer: list[Grouping] = []
        for g in groupings:
            # The next example joins a group or, if some are left, begins one.
            n_begun = max(g, default=-1) + 1
            longer += [(*g, group) for group in range(min(n_begun + 1, n_groups))]
        groupings = longer

    return [g for g in groupings if max(g) == n_groups - 1]


def _splits(grouping: Grouping, ones: int) -> bool:
    """Whether a split, as the bit mask of one side, keeps every group together."""
    sides: dict[int, int] = {}
    return all(
        sides.setdefault(group, ones >> i & 1) == ones >> i & 1
        for i, group in enumerate(grouping)
    )


def _group_sizes(grouping: Grouping) -> tuple[int, ...]:
    """The sizes of the groups in increasing order."""
    return tuple(sorted(map(grouping.count, set(grouping))))
