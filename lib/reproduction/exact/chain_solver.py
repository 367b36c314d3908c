"""The VC dimension of the chain of two nodes on real-valued features, as a
satisfiability problem.

Sort the examples by a feature; the first k of them, or the last k, are called a foot of
the feature. A chain of two nodes realizes a labeling if and only if one of the two
classes is the union of two feet. The unknowns of the problem are the orders: for each
feature and each pair of examples, a variable states which comes first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations, pairwise, permutations, product

import numpy as np
from numpy.typing import NDArray

from reproduction.exact import ExactVCDimension, SearchCertificate
from reproduction.exact.sat import Clause, solved
from treebounds import TreeStructure
from treebounds._validation import check_integer
from treebounds.capacity import shattered_sample


def chain_vc_dimension(n_features: int) -> ExactVCDimension:
    """The exact VC dimension of the chain of two nodes on real-valued features, by a
    SAT solver.

    >>> from reproduction.exact.chain_solver import chain_vc_dimension
    >>> chain_vc_dimension(2).value
    5

    Parameters
    ----------
    n_features : int
        At least 2.

    Returns
    -------
    ExactVCDimension
        With a proof, for :func:`reproduction.exact.verification.is_refutation`, that no
        larger sample is shattered.

    Raises
    ------
    ImportError
        If the extra ``treebounds[exact]`` is not installed.

    Notes
    -----
    Three features take seconds. On four features, each case of :func:`chain_formula`
    takes up to two minutes.
    """
    structure = TreeStructure.from_nested([[None, None], None])
    sample = shattered_sample(
        structure, check_integer(n_features, "n_features", minimum=2)
    )
    while True:
        size = len(sample) + 1
        formula = chain_formula(size, n_features)
        true, proof = solved(formula.clauses)
        if proof is not None:
            statement = (
                f"No sample of {size} is shattered, by a proof of {len(proof)} lines"
            )
            return ExactVCDimension(
                sample, SearchCertificate("proof", statement, proof=proof)
            )

        # The rank of an example is the number of examples before it.
        sample = np.isin(formula.before, list(true)).sum(axis=1).T


@dataclass
class ChainFormula:
    """Clauses that can be satisfied if and only if a chain of two nodes shatters some
    sample, with cases.

    Attributes
    ----------
    before : (n_features, n_examples, n_examples) array of int
        The literal which states that example i comes before example j along a feature;
        0 for i = j.
    n_variables : int
    clauses : list of list of int
        Literals as in DIMACS files.
    cases : dict of (int, int) to list of int
        The literals of each case. If the clauses can be satisfied, they can be in at
        least one of the cases.
    """

    before: NDArray[np.int64]
    n_variables: int = 0
    clauses: list[Clause] = field(default_factory=list)
    cases: dict[tuple[int, int], Clause] = field(default_factory=dict)

    def new(self) -> int:
        """Add a variable and return it."""
        self.n_variables += 1
        return self.n_variables


def chain_formula(n_examples: int, n_features: int) -> ChainFormula:
    """A formula that can be satisfied if and only if a chain of two nodes shatters some
    sample.

    >>> from reproduction.exact.chain_solver import chain_formula
    >>> from reproduction.exact.sat import solved
    >>> true, proof = solved(chain_formula(n_examples=6, n_features=2).clauses)
    >>> true, proof is None  # five examples at most
    (set(), False)

    Parameters
    ----------
    n_examples, n_features : int
        m and l, at least 2.

    Returns
    -------
    ChainFormula

    Notes
    -----
    Examples and features can be renamed, and features can be reversed, so the following
    can be assumed. Take the first or the last example of a feature, and count the
    examples between it and the nearer end of another feature, along that feature. Let k
    be the smallest of these counts, attained by an example at an end of feature a,
    along feature b. Number the examples along a, beginning with this example 0, which
    has k predecessors along b. If k is 0, the last example of a has at least as many
    predecessors along b as the last example of b has along a. Along each further
    feature, 0 comes before the last example of a; these features are sorted by the
    order of 1 and 2, then by that of 3 and 4, and so on. A case is a value of k and the
    last example of b.
    """
    m = n_examples
    formula = ChainFormula(np.zeros((n_features, m, m), dtype=np.int64))
    _add_orders(formula)
    _add_labelings(formula)
    formula.cases = _break_symmetries(formula)
    formula.clauses = [list(map(int, clause)) for clause in formula.clauses]
    return formula


def _add_orders(formula: ChainFormula) -> None:
    """Each feature orders the examples."""
    m = formula.before.shape[1]
    for order in formula.before:
        for i, j in combinations(range(m), 2):
            order[i, j] = formula.new()
            order[j, i] = -order[i, j]
        for i, j, k in permutations(range(m), 3):
            formula.clauses.append([-order[i, j], -order[j, k], order[i, k]])


def _add_labelings(formula: ChainFormula) -> None:
    """For each labeling, one of the two classes is the union of two feet."""
    m = formula.before.shape[1]
    for size in range(1, m // 2 + 1):
        for members in combinations(range(m), size):
            outside = tuple(sorted(set(range(m)) - set(members)))
            # Halves come in pairs, of which one is enough.
            if 2 * size < m or members < outside:
                ways = [
                    *_unions(formula, members, outside),
                    *_unions(formula, outside, members),
                ]
                formula.clauses.append(ways)


def _unions(
    formula: ChainFormula, inside: Sequence[int], outside: Sequence[int]
) -> Iterator[int]:
    """For each two directions of features, a variable which implies that their feet
    make up the class.
    """
    in_foot = []
    for order in chain.from_iterable((order, -order) for order in formula.before):
        row = {i: formula.new() for i in inside}
        for i, j in product(inside, outside):
            formula.clauses.append([-row[i], order[i, j]])
        in_foot.append(row)

    for first, second in combinations(in_foot, 2):
        choice = formula.new()
        formula.clauses += [[-choice, first[i], second[i]] for i in inside]
        yield choice


def _break_symmetries(formula: ChainFormula) -> dict[tuple[int, int], Clause]:
    """Add the clauses that :func:`chain_formula` may assume without loss of generality;
    return the cases.
    """
    m = formula.before.shape[1]
    (a, b, *others) = formula.before

    # The examples are numbered along a; along all others, 0 comes before the last one.
    formula.clauses += [[a[i, i + 1]] for i in range(m - 1)]
    formula.clauses += [[feature[0, m - 1]] for feature in others]

    # These features are sorted by the order of 1 and 2, then of 3 and 4, and so on.
    for c, d in pairwise(others):
        formula.clauses += _sorted(
            [(c[i, i + 1], d[i, i + 1]) for i in range(1, m - 1, 2)]
        )

    # A case is a number of examples before 0 along b, and the last example of b.
    between = [formula.new() for _ in range((m + 1) // 2)]
    last = {i: formula.new() for i in range(1, m)}
    formula.clauses += [between, list(last.values())]
    for i, literal in last.items():
        formula.clauses += [[-literal, b[j, i]] for j in range(m) if j != i]

    _add_smallest_counts(formula, between)

    # If 0 is first along b, too, then the last example of a has at least as many
    # predecessors along b as the last example of b has along a.
    for i in range(1, m - 1):
        formula.clauses += [
            [-between[0], -last[i], *b[list(g), m - 1]]
            for g in combinations(range(m - 1), m - i)
        ]

    return {
        (k, i): [between[k], last[i]] for k, i in product(range(len(between)), last)
    }


def _add_smallest_counts(formula: ChainFormula, between: Sequence[int]) -> None:
    """In case k, 0 has k predecessors along feature b, and no end of a feature is
    nearer to an end of another one.
    """
    m = formula.before.shape[1]
    b = formula.before[1]
    ends = _near_an_end(formula, 1)
    for k, case in enumerate(between):
        # Of k + 1 examples one comes after 0, and of m - k examples one before it.
        formula.clauses += [
            [-case, *b[0, list(g)]] for g in combinations(range(1, m), k + 1)
        ]
        formula.clauses += [
            [-case, *b[list(g), 0]] for g in combinations(range(1, m), m - k)
        ]

        if k:
            near = _near_an_end(formula, k)
            for f, g in permutations(range(len(ends)), 2):
                for end, too_near in zip(ends[f], near[g], strict=True):
                    formula.clauses.append([-case, -end, -too_near])


def _sorted(pairs: Sequence[tuple[int, int]]) -> Iterator[Clause]:
    """Clauses that put the first truth values lexicographically at or before the second
    ones.
    """
    for k, (first, second) in enumerate(pairs):
        for signs in product((1, -1), repeat=k):
            unequal: Clause = []
            for sign, (one, other) in zip(signs, pairs[:k], strict=True):
                unequal += [sign * one, sign * other]
            yield [*unequal, -first, second]


def _near_an_end(formula: ChainFormula, k: int) -> list[list[int]]:
    """For each feature and example, a variable that is true if the example is among the
    first or last k.
    """
    variables = []
    for order in formula.before:
        variables.append([formula.new() for _ in order])
        for i, near in enumerate(variables[-1]):
            rest = [j for j in range(len(order)) if j != i]
            for g in map(list, combinations(rest, len(order) - k)):
                formula.clauses += [[near, *order[g, i]], [near, *order[i, g]]]

    return variables
