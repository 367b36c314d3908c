import copy
import math
import pickle
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from builders import LEAF, STUMP, chain_of, complete
from treebounds import TreeStructure
from treebounds.structure import (
    enumerate_structures,
    log_wedderburn_etherington,
    wedderburn_etherington,
)

NESTED = st.recursive(
    st.none(), lambda children: st.tuples(children, children), max_leaves=30
)


def mirrored(nested, choose):
    if nested is None:
        return None
    pair = [mirrored(child, choose) for child in nested]
    if choose():
        pair.reverse()
    return pair


def unordered(nested):
    """The definition of equality: trees whose children have no order."""
    if nested is None:
        return None
    return tuple(sorted(map(unordered, nested), key=repr))


@given(NESTED, NESTED, st.data())
def test_equality_is_that_of_unordered_trees(first, second, data):
    image = mirrored(first, lambda: data.draw(st.booleans()))
    for other in (second, image):
        same = unordered(first) == unordered(other)
        assert (
            TreeStructure.from_nested(first) is TreeStructure.from_nested(other)
        ) == same


@given(NESTED)
def test_quantities_and_canonical_order(nested):
    structure = TreeStructure.from_nested(nested)
    canonical = structure.to_nested()
    assert unordered(canonical) == unordered(nested)
    assert TreeStructure.from_nested(canonical) is structure
    for node in structure.subtrees():
        assert node.n_leaves == node.n_internal_nodes + 1
        assert (
            node.is_leaf
            == (node.children == ())
            == (node.left is None)
            == (node is LEAF)
        )
        if not node.is_leaf:
            left, right = node.children
            assert (left, right) == (node.left, node.right)
            assert left.n_leaves >= right.n_leaves
            assert node.n_leaves == left.n_leaves + right.n_leaves
            assert node.height == 1 + max(left.height, right.height)
            assert (
                node.n_symmetric_nodes
                == left.n_symmetric_nodes + right.n_symmetric_nodes + (left == right)
            )


@given(NESTED)
def test_copies_and_pickles_are_the_same_object(nested):
    structure = TreeStructure.from_nested(nested)
    assert copy.copy(structure) is structure
    assert copy.deepcopy([structure])[0] is structure
    assert pickle.loads(pickle.dumps(structure)) is structure
    if structure.n_leaves <= 32:
        assert eval(repr(structure)) is structure


def test_subtrees_are_distinct_and_children_come_first():
    structure = TreeStructure.from_nested(
        [[[None, None], None], [[None, None], [None, None]]]
    )
    subtrees = structure.subtrees()
    assert len(set(subtrees)) == len(subtrees) == 5
    assert subtrees[-1] is structure
    for i, subtree in enumerate(subtrees):
        assert set(subtree.children) <= set(subtrees[:i])


@pytest.mark.no_cover
def test_a_chain_of_100000_internal_nodes():
    structure = chain_of(100_000)
    assert (structure.n_leaves, structure.height, structure.n_symmetric_nodes) == (
        100_001,
        100_000,
        1,
    )
    assert TreeStructure.from_nested(structure.to_nested()) is structure
    assert pickle.loads(pickle.dumps(structure)) is structure
    assert str(structure) == "<TreeStructure with 100001 leaves, height 100000>"
    assert TreeStructure(structure, structure.left).left is structure
    assert TreeStructure(structure.left, structure).left is structure


def test_structures_of_up_to_32_leaves_show_themselves():
    assert eval(repr(chain_of(31))) is chain_of(31)
    assert repr(chain_of(32)) == "<TreeStructure with 33 leaves, height 32>"


def test_ties_between_large_subtrees_are_decided_without_recursion():
    first = chain_of(20_000)
    second = TreeStructure(chain_of(19_998), STUMP)
    assert first.n_leaves == second.n_leaves
    assert TreeStructure(first, second) is TreeStructure(second, first)


def test_structures_that_share_subtrees_stay_small():
    structure = complete(200)
    assert structure.n_leaves == 2**200
    assert len(structure.subtrees()) == 201
    shared = None
    for _ in range(200):
        shared = [shared, shared]
    assert TreeStructure.from_nested(shared) is structure


def test_structures_are_released():
    from treebounds.structure import _structures

    before = len(_structures)
    # No other test holds this structure.
    structure = chain_of(1000, TreeStructure(chain_of(500), chain_of(500)))
    assert len(_structures) > before + 900
    del structure
    assert len(_structures) == before


def test_threads_intern_the_same_objects():
    structures = []
    threads = [
        threading.Thread(target=lambda: structures.append(chain_of(3000)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(structure) for structure in structures}) == 1


@pytest.mark.parametrize(
    "tree", [DecisionTreeClassifier(max_leaf_nodes=7), DecisionTreeRegressor()]
)
def test_from_sklearn(tree):
    rng = np.random.default_rng(0)
    tree.fit(rng.normal(size=(80, 3)), rng.integers(0, 2, 80))

    def nested(node):
        left = tree.tree_.children_left[node]
        if left < 0:
            return None
        return [nested(left), nested(tree.tree_.children_right[node])]

    assert TreeStructure.from_sklearn(tree) is TreeStructure.from_nested(nested(0))
    assert TreeStructure.from_sklearn(tree).n_leaves == tree.get_n_leaves()


def test_structures_are_immutable():
    with pytest.raises(AttributeError, match="left"):
        LEAF.left = LEAF
    with pytest.raises(AttributeError, match="height"):
        del LEAF.height


@pytest.mark.parametrize(
    "pair", [(LEAF, None), (None, LEAF), (LEAF, 3), ([None, None], LEAF)]
)
def test_one_child_or_a_wrong_child_is_refused(pair):
    with pytest.raises(ValueError, match=r"left|right"):
        TreeStructure(*pair)


CYCLE: list = [None]
CYCLE.append([CYCLE, None])


@pytest.mark.parametrize(
    "nested",
    [[], [None], [None, None, None], 3, "ab", [None, [1, 2]], {1: 2, 3: 4}, CYCLE],
)
def test_what_is_no_binary_tree_is_refused(nested):
    with pytest.raises(ValueError, match="nested"):
        TreeStructure.from_nested(nested)


@pytest.mark.parametrize(
    "tree", [DecisionTreeClassifier(), LinearRegression(), None, 3]
)
def test_what_is_no_fitted_tree_is_refused(tree):
    with pytest.raises(ValueError, match="tree must be a fitted"):
        TreeStructure.from_sklearn(tree)


@pytest.mark.parametrize("n_leaves", range(1, 14))
def test_enumeration_lists_every_structure_once(n_leaves):
    structures = list(enumerate_structures(n_leaves))
    assert len(structures) == len(set(structures)) == wedderburn_etherington(n_leaves)
    assert all(structure.n_leaves == n_leaves for structure in structures)


def test_enumeration_is_an_iterator_at_any_size():
    iterator = enumerate_structures(5000)
    assert iter(iterator) is iterator
    assert next(iterator).n_leaves == next(iterator).n_leaves == 5000


def test_wedderburn_etherington_numbers():
    # OEIS A001190
    published = (
        "1 1 1 2 3 6 11 23 46 98 207 451 983 2179 4850 10905 24631 56011 127912 293547"
    )
    assert [wedderburn_etherington(n) for n in range(1, 21)] == list(
        map(int, published.split())
    )


@pytest.mark.parametrize("n_leaves", [1, 2, 3, 10, 101, 800, 1501])
def test_the_logarithm_agrees_with_the_integer(n_leaves):
    exact = math.log(wedderburn_etherington(n_leaves))
    assert log_wedderburn_etherington(n_leaves) == pytest.approx(exact, abs=1e-11)
