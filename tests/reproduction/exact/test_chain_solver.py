"""The formula of the chain of two nodes and its cases, against samples that are given
in all their names.
"""

from itertools import combinations, permutations, product

import numpy as np
import pytest
from pysat.solvers import Solver

from builders import CHAIN
from reproduction.exact.chain_solver import (
    ChainFormula,
    _break_symmetries,
    chain_formula,
    chain_vc_dimension,
)
from reproduction.exact.sat import solved
from reproduction.exact.shattering import is_shattered


def renamed(orders):
    """The same sample with its features in every sequence and direction; the first
    numbers the examples.
    """
    for sequence in permutations(orders):
        for turned in product((1, -1), repeat=len(orders)):
            turned_orders = [
                order[::turn] for order, turn in zip(sequence, turned, strict=True)
            ]
            number = np.argsort(turned_orders[0])
            yield [number[order].tolist() for order in turned_orders]


def can_hold(clauses, before, orders):
    """Whether the clauses hold for a sample under one of its names."""
    with Solver("cadical153", bootstrap_with=clauses) as solver:
        return any(
            solver.solve(
                [
                    int(before[f, i, j])
                    for f, order in enumerate(names)
                    for i, j in combinations(order, 2)
                ]
            )
            for names in renamed(orders)
        )


@pytest.mark.parametrize(("m", "l"), [(5, 2), (6, 2), (7, 3), (8, 4)])
def test_every_sample_has_names_that_fit_a_case(m, l):
    before = np.arange(1, l * m * m + 1).reshape(l, m, m)
    before = np.where(
        np.arange(m)[:, None] < np.arange(m), before, -before.swapaxes(1, 2)
    )
    formula = ChainFormula(before, n_variables=l * m * m)
    _break_symmetries(formula)
    clauses = [list(map(int, clause)) for clause in formula.clauses]
    random = np.random.default_rng(0)
    pairs = ([range(m), order] for order in permutations(range(m)))
    drawn = ([random.permutation(m) for _ in range(l)] for _ in range(100))
    for orders in pairs if l == 2 else drawn:
        assert can_hold(clauses, before, [np.array(order) for order in orders])

    assert can_hold(clauses, before, [np.arange(m)] * l)


def test_the_formula_holds_for_the_shattered_samples_and_for_no_others():
    formula = chain_formula(5, 2)
    random = np.random.default_rng(0)
    answers = []
    for _ in range(20):
        orders = [random.permutation(5) for _ in range(2)]
        answers.append(is_shattered(CHAIN, np.argsort(orders, axis=1).T, "real"))
        assert can_hold(formula.clauses, formula.before, orders) == answers[-1]

    assert 0 < sum(answers) < 20
    result = chain_vc_dimension(3)
    seven = result.shattered_sample
    assert result.value == 7
    assert is_shattered(CHAIN, seven, "real")
    in_other_names = seven[random.permutation(7)][:, [2, 0, 1]]
    formula = chain_formula(7, 3)
    assert can_hold(
        formula.clauses, formula.before, list(np.argsort(in_other_names, axis=0).T)
    )


def test_a_sample_fits_one_case():
    formula = chain_formula(5, 2)
    true, _ = solved(formula.clauses)
    assert sum(true.issuperset(literals) for literals in formula.cases.values()) == 1
