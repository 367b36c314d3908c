"""The code of a multiway tree, and its length."""

import math
from fractions import Fraction

import pytest
from hypothesis import given

from builders import categorical
from oracles import plain_id3
from reproduction.multiway import decode_tree, encode_tree
from reproduction.multiway.id3 import grow_id3
from treebounds.risk.description_length import code_length


@given(categorical((2, 3), (1, 4), (1, 20)).map(lambda sample: grow_id3(*sample)))
def test_decoding_undoes_encoding(tree):
    code = encode_tree(tree)
    assert len(code) == tree.n_nodes + 1
    back = decode_tree(code, tree.n_values, 3)
    assert encode_tree(back) == code

    def shape(nested):
        if not isinstance(nested, tuple):
            return nested
        return nested[0], {value: shape(child) for value, child in nested[2].items()}

    assert shape(plain_id3.nested(back)) == shape(plain_id3.nested(tree))


def tuple_code(tree, d):
    if not isinstance(tree, tuple):
        return [d + tree]
    return [tree[0], *tuple_code(tree[2][0], d), *tuple_code(tree[2][1], d)]


@pytest.mark.parametrize("d", [1, 2, 3])
def test_all_small_codes(d):
    codes = [(*tuple_code(t, d), d + 2) for k in range(3) for t in plain_id3.all_trees(d, k)]
    assert all(tuple(encode_tree(decode_tree(code, [2] * d))) == code for code in codes)
    assert len(set(codes)) == len(codes)
    assert not any(a != b and b[: len(a)] == a for a in codes for b in codes)
    # the note's lengths obey Kraft's inequality, with room to spare
    assert sum(Fraction(1, d + 3) ** len(code) for code in codes) < 1
    assert code_length(3, d) == pytest.approx(4 * math.log2(d + 3))


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ([], "ends too early"),
        ([0, 1], "ends too early"),
        ([0, 1, 3], "ends too early"),
        ([1, 1], "goes on after the tree"),
        ([1, 3, 3], "goes on after the tree"),
        ([4], "block 4"),
        ([-1], "block -1"),
    ],
)
def test_bad_codes(code, message):
    with pytest.raises(ValueError, match=message):
        decode_tree(code, [2])


def test_missing_branch_has_no_code():
    tree = grow_id3([[0], [2]], [0, 1], [3], 2, "entropy", False)
    with pytest.raises(ValueError, match="a branch for each value"):
        encode_tree(tree)
