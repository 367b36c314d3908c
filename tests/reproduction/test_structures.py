from reproduction.structures import LEAF, STUMP, chain, structures_up_to


def test_a_chain_has_a_leaf_at_each_node_but_the_last():
    assert [chain(n).height for n in range(4)] == [0, 1, 2, 3]
    assert chain(1) is STUMP
    assert chain(3).right is LEAF
    assert chain(3).left is chain(2)


def test_every_structure_occurs_once():
    structures = structures_up_to(6)
    assert len(set(structures)) == len(structures) == 1 + 1 + 1 + 2 + 3 + 6
