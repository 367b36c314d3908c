import numpy as np
import pytest

from oracles import plain_id3
from reproduction.multiway.id3 import grow_id3
from reproduction.multiway.tree import MultiwayTree


@pytest.fixture
def sample():
    rng = np.random.default_rng(3)
    n_values = [2, 3, 4, 2]
    X = np.column_stack([rng.integers(0, L, 80) for L in n_values])
    y = (X[:, 0] + X[:, 1] + (rng.random(80) < 0.3)) % 3
    return X, y, n_values, 3


def test_prediction_row_by_row(sample):
    tree = grow_id3(*sample, "gini", False)
    nested = plain_id3.nested(tree)
    every = np.stack(
        np.meshgrid(*map(np.arange, sample[2]), indexing="ij"), -1
    ).reshape(-1, 4)
    assert tree.predict(every).tolist() == [
        plain_id3.predict(nested, row) for row in every
    ]


def test_unknown_values_end_where_they_turn_up(sample):
    tree = grow_id3(*sample)
    assert tree.apply([[-1, -1, -1, -1], [9, 9, 9, 9]]).tolist() == [0, 0]
    row = np.array(sample[0][:1])
    path_end = tree.apply(row)[0]
    above = tree.parents[path_end]
    row[0, tree.feature[above]] = 7
    assert tree.apply(row)[0] == above
    single = MultiwayTree([0, -1], [-1, 0], [-1, 0], [[3, 2], [3, 2]], [1])
    assert single.apply([[0], [1], [-1]]).tolist() == [1, 0, 0]


def test_values_of_any_shape_and_order_are_summed_up(sample):
    tree = grow_id3(*sample)
    values = np.random.default_rng(0).integers(9, size=(tree.n_nodes, 2, 3))
    each = [[tree.sum_below(values[:, i, j]) for j in range(3)] for i in range(2)]
    for order in "CF":
        found = tree.sum_below(np.asarray(values, order=order))
        assert np.array_equal(found, np.moveaxis(each, -1, 0))


def test_collapse_keeps_what_is_above(sample):
    tree = grow_id3(*sample)
    node = next(child for child in tree.children(0) if not tree.is_leaf[child])
    cut = np.arange(tree.n_nodes) == node
    pruned = tree.collapse(cut)
    passes = sample[0][:, tree.feature[0]] == tree.branch[node]
    expected = np.where(passes, tree.labels[node], tree.predict(sample[0]))
    assert np.array_equal(pruned.predict(sample[0]), expected)
    assert pruned.n_nodes == tree.reachable(cut).sum() < tree.n_nodes
    assert tree.collapse(np.arange(tree.n_nodes) == 0).n_nodes == 1


def test_sizes_and_sums(sample):
    tree = grow_id3(*sample)
    assert (
        tree.n_nodes
        == tree.n_leaves + tree.n_internal_nodes
        == plain_id3.n_nodes(plain_id3.nested(tree))
    )
    assert tree.sum_below(np.ones(tree.n_nodes))[0] == tree.n_nodes
    assert tree.height == max(map(len, plain_id3.positions(tree).values()))
    assert tree.probabilities.sum(axis=1) == pytest.approx(1)
    assert tree.errors_ending.sum() == tree.subtree_errors[0]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"feature": [0, -1]}, "one row for each node"),
        ({"parents": [0, 0, 0]}, "parents"),
        ({"parents": [-1, -1, 0]}, "parents"),
        ({"parents": [-1, 2, 0]}, "parents"),
        ({"feature": [1, -1, -1]}, "feature"),
        ({"feature": [-2, -1, -1]}, "feature"),
        ({"branch": [-1, 0, 3]}, "branch"),
        ({"branch": [-1, 0, 0]}, "branch"),
        ({"feature": [-1, -1, -1]}, "branch"),
        ({"labels": [0, 0]}, "labels"),
        ({"labels": [0, 0, 2]}, "labels"),
        (
            {"class_counts": [[1, 1], [2, -1], [-1, 2]]},
            "class_counts must be numbers of examples",
        ),
        (
            {"class_counts": np.zeros((3, 0), dtype=int)},
            "class_counts must be numbers of examples",
        ),
    ],
)
def test_inconsistent_arrays(change, named):
    good = {
        "feature": [0, -1, -1],
        "parents": [-1, 0, 0],
        "branch": [-1, 0, 1],
        "class_counts": [[3, 2], [3, 0], [0, 2]],
        "n_values": [3],
    }
    assert MultiwayTree(**good).n_leaves == 2
    with pytest.raises(ValueError, match=named):
        MultiwayTree(**(good | change))


def test_bad_rows_and_masks(sample):
    tree = grow_id3(*sample)
    with pytest.raises(ValueError, match="X must have shape"):
        tree.predict([[0, 1]])
    with pytest.raises(ValueError, match="cut must be a mask"):
        tree.collapse([0])
