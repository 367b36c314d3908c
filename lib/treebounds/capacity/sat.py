"""The chain of two nodes on real-valued features as a satisfiability problem, and a checker of proofs.

Call the first examples of a feature, or its last ones, a foot. A chain of two nodes realizes a labeling if
and only if one of the two classes is the union of two feet. The unknowns are the orders: for each feature and
each pair of examples, which one comes first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations, combinations_with_replacement, permutations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from treebounds._validation import require

__all__ = ["chain_formula", "is_refutation", "solved"]

Clause = list[int]
Proof = tuple[tuple[int, ...], ...]


def solved(clauses: list[Clause], max_conflicts: int | None = None) -> tuple[set[int], Proof | None]:
    """The literals that make some clauses true, or a proof that none do.

    Parameters
    ----------
    clauses : list of list of int
        Literals as in DIMACS files.
    max_conflicts : int, optional
        Give up after so many conflicts.

    Returns
    -------
    true : set of int
        Empty if there is a proof.
    proof : tuple of tuple of int, or None
        For :func:`is_refutation`.

    Raises
    ------
    ImportError
        If the extra ``treebounds[exact]`` is not installed.
    TimeoutError
        If the solver gives up.

    Examples
    --------
    >>> from treebounds.capacity.sat import solved
    >>> solved([[1, 2], [-1]])
    ({2, -1}, None)
    """
    solvers = require("pysat.solvers", "exact")
    # CaDiCaL is several times faster; Glucose can be told when to give up
    name = "cadical153" if max_conflicts is None else "glucose4"
    with solvers.Solver(name=name, bootstrap_with=clauses, with_proof=True) as solver:
        if max_conflicts is None:
            answer = solver.solve()
        else:
            solver.conf_budget(max_conflicts)
            answer = solver.solve_limited()
        if answer is None:
            raise TimeoutError(f"not decided within {max_conflicts} conflicts")
        if answer:
            return set(solver.get_model()), None
        lines = (line.split()[:-1] for line in solver.get_proof() or ["0"] if not line.startswith("d"))
        return set(), tuple(tuple(map(int, line)) for line in lines)


@dataclass
class _Formula:
    clauses: list[Clause] = field(default_factory=list)
    n_variables: int = 0

    def new(self) -> int:
        self.n_variables += 1
        return self.n_variables


def chain_formula(n_examples: int, n_features: int) -> tuple[list[Clause], NDArray[np.int64]]:
    """Clauses that hold exactly if the orders of some examples let a chain of two nodes shatter them.

    Parameters
    ----------
    n_examples, n_features : int
        m and l, at least 2 examples.

    Returns
    -------
    clauses : list of list of int
        Literals as in DIMACS files. Symmetries are broken: the first feature numbers the examples, and the
        distances of example 0 from the nearer end of the other features increase and are counted from the
        start.
    before : (n_features, n_examples, n_examples) array of int
        The literal that example i comes before example j along a feature; 0 for i = j.

    Examples
    --------
    >>> from treebounds.capacity.sat import chain_formula, is_refutation, solved
    >>> clauses, before = chain_formula(n_examples=6, n_features=2)
    >>> true, proof = solved(clauses)
    >>> is_refutation(clauses, proof)
    True
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


def is_refutation(clauses: Iterable[Sequence[int]], proof: Iterable[Sequence[int]]) -> bool:
    """Whether a proof shows that some clauses cannot all hold, by unit propagation alone.

    Parameters
    ----------
    clauses : iterable of list of int
        Literals as in DIMACS files.
    proof : iterable of list of int
        Clauses each of which follows from those before it by reverse unit propagation (RUP): if all of its
        literals are false, propagation comes to a clause with no true literal. Deletions are not listed.

    Returns
    -------
    bool
        True if each line follows and they lead to a contradiction.

    Notes
    -----
    Two watched literals a clause, in compiled code; the solver is not used.

    Examples
    --------
    >>> from treebounds.capacity.sat import is_refutation
    >>> is_refutation([[1, 2], [-1, 2], [1, -2], [-1, -2]], proof=[[2], []])
    True
    >>> is_refutation([[1, 2], [-1, 2]], proof=[[2], []])
    False
    """
    given = [sorted(set(clause)) for clause in clauses]
    lines = [*given, *(sorted(set(clause)) for clause in proof), []]
    literals = np.array(list(chain.from_iterable(lines)), dtype=np.int64)
    ends = np.cumsum([len(line) for line in lines])
    return bool(_follows(literals, ends, len(given), int(np.abs(literals).max(initial=1))))


@njit(cache=True)
def _follows(literals, ends, n_given, n_variables):  # pragma: no cover - compiled
    """Check line after line; assignments at level 0 stay, others are taken back."""
    size = 2 * n_variables + 2
    value = np.zeros(size, np.int8)  # of each literal: 1 true, -1 false
    head, following = np.full(size, -1), np.full(2 * len(ends), -1)  # lists of watches of each literal
    trail, n_fixed = np.empty(size, np.int64), 0
    lits = np.where(literals > 0, 2 * literals, -2 * literals + 1)
    for line in range(len(ends)):
        start, end = (ends[line - 1] if line else 0), ends[line]
        n_trail = n_fixed
        conflict = False
        if line >= n_given:
            for i in range(start, end):
                if value[lits[i]] == 1:
                    conflict = True
                elif value[lits[i]] == 0:
                    value[lits[i]], value[lits[i] ^ 1] = -1, 1
                    trail[n_trail] = lits[i] ^ 1
                    n_trail += 1
            if not conflict:
                conflict, n_trail = _propagate(lits, ends, value, head, following, trail, n_fixed, n_trail)
            for i in range(n_fixed, n_trail):
                value[trail[i]], value[trail[i] ^ 1] = 0, 0
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
            if value[lits[start]] == 0:
                value[lits[start]], value[lits[start] ^ 1] = 1, -1
                trail[n_fixed] = lits[start]
                conflict, n_fixed = _propagate(
                    lits, ends, value, head, following, trail, n_fixed, n_fixed + 1
                )
                if conflict:
                    return True
        else:
            for w in range(2):
                following[2 * line + w] = head[lits[start + w]]
                head[lits[start + w]] = 2 * line + w
    return False


@njit(cache=True)
def _propagate(lits, ends, value, head, following, trail, done, n_trail):  # pragma: no cover - compiled
    """Whether some clause has no true literal left, and the length of the trail."""
    while done < n_trail:
        false = trail[done] ^ 1
        done += 1
        watch = head[false]
        head[false] = -1
        while watch >= 0:
            rest = following[watch]
            line = watch >> 1
            start, end = (ends[line - 1] if line else 0), ends[line]
            # watch w of a line is its literal at place w
            place, other = start + (watch & 1), start + 1 - (watch & 1)
            moved = False
            if value[lits[other]] != 1:
                for i in range(start + 2, end):
                    if value[lits[i]] != -1:
                        lits[place], lits[i] = lits[i], lits[place]
                        following[watch] = head[lits[place]]
                        head[lits[place]] = watch
                        moved = True
                        break
            if not moved:
                following[watch] = head[false]
                head[false] = watch
                if value[lits[other]] == -1:
                    while rest >= 0:  # put back what was not looked at
                        after = following[rest]
                        following[rest] = head[false]
                        head[false] = rest
                        rest = after
                    return True, n_trail
                if value[lits[other]] == 0:
                    value[lits[other]], value[lits[other] ^ 1] = 1, -1
                    trail[n_trail] = lits[other]
                    n_trail += 1
            watch = rest
    return False, n_trail
