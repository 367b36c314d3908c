"""The VC dimension of the chain of two nodes on real-valued features, as a satisfiability problem.

Call the first examples of a feature, or its last ones, a foot. A chain of two nodes realizes a labeling if
and only if one of the two classes is the union of two feet. The unknowns are the orders: for each feature and
each pair of examples, which one comes first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations, combinations_with_replacement, pairwise, permutations

import numpy as np
from numpy.typing import NDArray

from treebounds import TreeStructure, shattered_sample
from treebounds._validation import check_integer
from treebounds.capacity import Certificate, ExactVCDimension
from treebounds.capacity.sat import Clause, solved


def chain_vc_dimension(n_features: int) -> ExactVCDimension:
    """The exact VC dimension of the chain of two nodes on real-valued features, by a SAT solver.

    Parameters
    ----------
    n_features : int
        At least 2.

    Returns
    -------
    ExactVCDimension
        With a proof that no larger sample is shattered, for :func:`reproduction.verification.is_refutation`.

    Raises
    ------
    ImportError
        If the extra ``treebounds[exact]`` is not installed.

    Notes
    -----
    Seconds for three features; four are not decided in half an hour.

    Examples
    --------
    >>> from reproduction.chain_solver import chain_vc_dimension
    >>> chain_vc_dimension(2).value
    5
    """
    structure = TreeStructure.from_nested([[None, None], None])
    sample = shattered_sample(structure, check_integer(n_features, "n_features", minimum=2))
    while True:
        size = len(sample) + 1
        clauses, before = chain_formula(size, n_features)
        true, proof = solved(clauses)
        if proof is not None:
            statement = f"No sample of {size} is shattered, by a proof of {len(proof)} lines"
            return ExactVCDimension(sample, Certificate("proof", statement, proof=proof))
        # the rank of an example is how many others come before it
        sample = np.isin(before, list(true)).sum(axis=1).T


@dataclass
class _Formula:
    """Clauses, and how many variables they have."""

    clauses: list[Clause] = field(default_factory=list)
    n_variables: int = 0

    def new(self) -> int:
        """One variable more."""
        self.n_variables += 1
        return self.n_variables


def chain_formula(
    n_examples: int, n_features: int, orders: Sequence[Sequence[int]] = ()
) -> tuple[list[Clause], NDArray[np.int64]]:
    """Clauses that hold exactly if the orders of some examples let a chain of two nodes shatter them.

    Parameters
    ----------
    n_examples, n_features : int
        m and l, at least 2 examples.
    orders : sequence of sequence of int, optional
        The examples along the first features, which are then fixed. Without any, symmetries are broken.

    Returns
    -------
    clauses : list of list of int
        Literals as in DIMACS files. Symmetries are broken so: the first feature numbers the examples, and the
        distances of example 0 from the nearer end of the other features increase and are counted from the
        start.
    before : (n_features, n_examples, n_examples) array of int
        The literal that example i comes before example j along a feature; 0 for i = j.

    Examples
    --------
    >>> from reproduction.chain_solver import chain_formula
    >>> from treebounds.capacity.sat import solved
    >>> clauses, before = chain_formula(n_examples=6, n_features=2)
    >>> true, proof = solved(clauses)
    >>> true, proof is None  # five examples at most
    (set(), False)
    """
    m, l = n_examples, n_features
    formula = _Formula()
    before = np.zeros((l, m, m), dtype=np.int64)
    for f in range(l):
        for i, j in combinations(range(m), 2):
            before[f, i, j] = formula.new()
            before[f, j, i] = -before[f, i, j]
        for i, j, k in permutations(range(m), 3):
            formula.clauses.append([-before[f, i, j], -before[f, j, k], before[f, i, k]])
    for size in range(1, m // 2 + 1):
        for members in combinations(range(m), size):
            others = tuple(sorted(set(range(m)) - set(members)))
            if 2 * size < m or members < others:
                unions = (
                    _unions(formula, before, *sides) for sides in ((members, others), (others, members))
                )
                formula.clauses.append(list(chain.from_iterable(unions)))
    for f, order in enumerate(orders):
        formula.clauses += [[before[f, i, j]] for i, j in pairwise(order)]
    if not orders:
        _break_symmetries(formula, before)
    return [list(map(int, clause)) for clause in formula.clauses], before


def _unions(
    formula: _Formula, before: NDArray[np.int64], inside: Sequence[int], outside: Sequence[int]
) -> Iterator[int]:
    """One variable for each two directions of features whose feet make up a class."""
    in_foot = []
    for order in chain.from_iterable((order, -order) for order in before):
        row = {i: formula.new() for i in inside}
        formula.clauses += [[-row[i], order[i, j]] for i in inside for j in outside]
        in_foot.append(row)
    for one, two in combinations(in_foot, 2):
        choice = formula.new()
        formula.clauses += [[-choice, one[i], two[i]] for i in inside]
        yield choice


def _break_symmetries(formula: _Formula, before: NDArray[np.int64]) -> None:
    """Fix the order along the first feature, and how far example 0 is from the ends of the others."""
    l, m, _ = before.shape
    formula.clauses += [[before[0, i, i + 1]] for i in range(m - 1)]
    distances = range((m + 1) // 2)
    at = {(f, k): formula.new() for f in range(1, l) for k in distances}  # example 0 has k predecessors
    for (f, k), exactly in at.items():
        formula.clauses += [[-exactly, *before[f, 0, list(g)]] for g in combinations(range(1, m), k + 1)]
        formula.clauses += [[-exactly, *before[f, list(g), 0]] for g in combinations(range(1, m), m - k)]
    cases = []
    for case in combinations_with_replacement(distances, l - 1):
        cases.append(formula.new())
        formula.clauses += [[-cases[-1], at[f, k]] for f, k in enumerate(case, 1)]
    formula.clauses.append(cases)
