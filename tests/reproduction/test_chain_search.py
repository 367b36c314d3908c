"""The search for samples that the chain of two nodes shatters, against orders tried one by one."""

from itertools import combinations, permutations

import numpy as np
import pytest

from reproduction.chain_search import all_orders, classes_of_pairs, last_order, search
from reproduction.chain_solver import chain_formula
from reproduction.shattering import is_shattered
from treebounds import TreeStructure
from treebounds.capacity.sat import solved

CHAIN = TreeStructure.from_nested([[None, None], None])


def cut_off(orders):
    """The classes that a chain of two nodes cuts off: a foot, and a foot of what is left or the rest."""
    feet = {frozenset(o[:k]) for order in orders for o in (order, order[::-1]) for k in range(1, len(order))}
    everything = frozenset(orders[0])
    return {side for one in feet for two in feet for side in (one & two, everything - (one & two))}


def is_completed(orders):
    m = len(orders[0])
    realized = cut_off(orders)
    return all(
        frozenset(S) in realized for size in (m // 2, m // 2 - 1) for S in combinations(range(m), size) if S
    )


@pytest.mark.parametrize(
    ("m", "fixed", "answers"), [(5, 1, [True]), (6, 1, [False]), (6, 2, [*[True] * 7, False])]
)
def test_the_last_order_is_found_exactly_if_there_is_one(m, fixed, answers):
    random = np.random.default_rng(0)
    for answer in answers:
        orders = [random.permutation(m).tolist() for _ in range(fixed)]
        found = last_order(orders)
        assert any(is_completed([*orders, order]) for order in permutations(range(m))) == answer
        assert found is None if not answer else is_completed([*orders, found.tolist()])


def test_seven_examples_on_three_and_four_features():
    assert search(7, 147) == (1, 1, True)
    pair = [range(7), all_orders(7)[147]]
    sample = np.argsort([*pair, last_order(pair)], axis=1).T
    assert is_shattered(CHAIN, sample, "real")


def test_classes_are_those_of_turned_exchanged_and_renumbered_features():
    orders, classes = all_orders(5), classes_of_pairs(5)
    name = {tuple(order): least for order, least in zip(orders.tolist(), classes.tolist(), strict=True)}
    for order in orders:
        renumbered = np.argsort(order)
        images = (order, order[::-1], 4 - order, renumbered, renumbered[::-1], 4 - renumbered)
        assert len({name[tuple(image.tolist())] for image in images}) == 1
    assert all(classes[least] == least for least in classes)


def test_a_solver_agrees_that_three_features_are_not_completed():
    """With three orders fixed the formula for eight examples on four features is soon refuted."""
    random = np.random.default_rng(1)
    orders = [list(range(8)), *(random.permutation(8).tolist() for _ in range(2))]
    assert last_order(orders) is None
    clauses, _ = chain_formula(8, 4, orders=orders)
    assert solved(clauses)[1] is not None
