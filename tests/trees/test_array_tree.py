"""Array trees: construction, aggregates, collapsing, prediction."""

import pickle
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import stump_tree
from treebounds import TreeStructure
from treebounds.formats._nodes import Nodes, assemble
from treebounds.trees import count_classes, count_statistics


def stump(**change):
    return stump_tree([[3, 4], [3, 0], [0, 4]], **change)


@st.composite
def array_trees(draw, max_leaves=9, max_classes=4, max_count=6):
    """Random trees with random integer counts, grown by splitting random leaves."""
    n_leaves = draw(st.integers(1, max_leaves))
    n_classes = draw(st.integers(1, max_classes))
    n_features = draw(st.integers(1, 3))
    left = [-1]
    right = [-1]
    leaves = [0]
    while len(leaves) < n_leaves:
        node = leaves.pop(draw(st.integers(0, len(leaves) - 1)))
        left[node] = len(left)
        right[node] = len(left) + 1
        leaves += [len(left), len(left) + 1]
        left += [-1, -1]
        right += [-1, -1]
    # Internal nodes have the sums of the counts below them.
    counts = np.full((len(left), n_classes), np.nan)
    for leaf in leaves:
        row = st.lists(
            st.integers(0, max_count), min_size=n_classes, max_size=n_classes
        )
        counts[leaf] = draw(row.filter(any))
    feature = [draw(st.integers(0, n_features - 1)) for _ in left]
    threshold = [draw(st.floats(-2, 2, width=32)) for _ in left]
    nodes = {
        "children_left": left,
        "children_right": right,
        "feature": feature,
        "threshold": threshold,
    }
    return assemble(Nodes(**nodes, n_features=n_features), class_counts=counts)


def chain(n_leaves):
    """A tree in which every left child is a leaf."""
    n_nodes = 2 * n_leaves - 1
    nodes = np.arange(n_nodes)
    internal = (nodes % 2 == 0) & (nodes < n_nodes - 1)
    left = np.where(internal, nodes + 1, -1)
    right = np.where(internal, nodes + 2, -1)
    counts = np.where(
        internal[:, None], np.nan, np.column_stack([np.ones(n_nodes), nodes % 3])
    )
    rows = Nodes(
        children_left=left,
        children_right=right,
        feature=np.zeros(n_nodes),
        threshold=nodes / 2.0,
        n_features=1,
    )
    return assemble(rows, class_counts=counts)


def leaves_below(tree, node):
    if tree.is_leaf[node]:
        return [node]
    children = tree.children_left[node], tree.children_right[node]
    return [leaf for child in children for leaf in leaves_below(tree, child)]


@given(array_trees())
def test_aggregates_are_what_recursion_says(tree):
    for node in range(tree.n_nodes):
        below = leaves_below(tree, node)
        assert tree.subtree_leaves[node] == len(below)
        assert tree.subtree_errors[node] == tree.leaf_errors[below].sum()
        assert (
            tree.leaf_errors[node]
            == tree.class_counts[node].sum() - tree.class_counts[node].max()
        )
        assert tree.labels[node] == list(tree.class_counts[node]).index(
            tree.class_counts[node].max()
        )
    assert tree.n_leaves == len(leaves_below(tree, 0)) == tree.is_leaf.sum()
    assert tree.structure.n_leaves == tree.n_leaves
    assert tree.structure.height == tree.height


@given(array_trees(), st.data())
def test_collapse_keeps_what_has_no_cut_node_above(tree, data):
    cut = data.draw(st.sets(st.integers(0, tree.n_nodes - 1)))
    collapsed = tree.collapse(cut)
    remaining = tree.kept_nodes(cut)

    def has_cut_above(node):
        parent = tree.parents[node]
        return parent >= 0 and (parent in cut or has_cut_above(parent))

    assert remaining.tolist() == [
        node for node in range(tree.n_nodes) if not has_cut_above(node)
    ]
    np.testing.assert_array_equal(collapsed.class_counts, tree.class_counts[remaining])
    for node, old in enumerate(remaining):
        assert collapsed.is_leaf[node] == (tree.is_leaf[old] or old in cut)
        if not collapsed.is_leaf[node]:
            assert remaining[collapsed.children_left[node]] == tree.children_left[old]
            assert remaining[collapsed.children_right[node]] == tree.children_right[old]
            assert collapsed.threshold[node] == tree.threshold[old]
        else:
            assert collapsed.children_left[node] == collapsed.children_right[node] == -1
    assert tree.collapse(np.isin(np.arange(tree.n_nodes), list(cut))) == collapsed
    assert tree.collapse([]) == tree


@pytest.mark.no_cover
@given(array_trees(), st.integers(0, 2**32 - 1))
def test_examples_walk_down(tree, seed):
    X = np.random.default_rng(seed).uniform(-2, 2, (20, tree.n_features))
    for x, leaf, label in zip(X, tree.apply(X), tree.predict(X), strict=True):
        node = 0
        while not tree.is_leaf[node]:
            goes_left = x[tree.feature[node]] <= tree.threshold[node]
            node = (tree.children_left if goes_left else tree.children_right)[node]
        assert node == leaf
        assert tree.labels[node] == label


@pytest.mark.no_cover
def test_a_chain_of_a_hundred_thousand_nodes():
    tree = chain(50_001)
    assert tree.n_nodes == 100_001
    assert tree.height == tree.structure.height == 50_000
    assert tree.subtree_leaves[0] == 50_001
    assert tree.collapse([2]).n_leaves == 2
    assert tree.apply([[1e9]]) == [tree.n_nodes - 1]
    assert pickle.loads(pickle.dumps(tree)) == tree


def test_a_tree_is_a_value():
    tree = stump()
    assert tree == stump()
    assert tree != stump(threshold=[0.4, 0, 0])
    assert tree != tree.collapse([0])
    assert tree != "tree"


def test_equal_trees_have_one_structure():
    assert stump().structure is TreeStructure.from_nested([None, None])


def test_a_tree_cannot_be_changed():
    tree = stump()
    with pytest.raises(AttributeError):
        tree.n_features = 2
    with pytest.raises(ValueError, match="read-only"):
        tree.threshold[0] = 1


def test_a_tree_has_no_hash():
    with pytest.raises(TypeError):
        hash(stump())


def test_the_array_of_the_caller_stays_the_callers():
    threshold = np.array([0.5, 0, 0])
    tree = stump(threshold=threshold)
    threshold[0] = 1
    assert tree == stump()


def test_missing_values_need_a_direction():
    with pytest.raises(ValueError, match="X must not contain NaN"):
        stump().predict([[np.nan]])


@pytest.mark.parametrize(("goes_left", "label"), [(True, 0), (False, 1)])
def test_missing_values_go_in_their_direction(goes_left, label):
    tree = stump(missing_go_to_left=[goes_left, True, True])
    assert tree.predict([[np.nan]]).tolist() == [label]


def test_leaves_have_no_direction():
    tree = stump(missing_go_to_left=[True, True, True])
    assert not tree.missing_go_to_left[1:].any()
    assert tree.collapse([0]) == stump().collapse([0])


def test_a_single_leaf_needs_no_direction():
    assert stump().collapse([0]).predict([[np.nan]]).tolist() == [1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"children_left": [2, -1, -1]}, "node 1 has 0 parents"),
        ({"children_left": [0, -1, -1]}, "children_left must be -1 or a later node"),
        (
            {"children_left": [1, -1, -1], "children_right": [1, -1, -1]},
            "node 1 has 2 parents",
        ),
        ({"children_right": [-1, -1, -1]}, "children_right: node 0 has one child"),
        ({"children_left": []}, "there must be a root"),
        (
            {"children_left": [np.nan, -1, -1]},
            "children_left must hold values of type int64",
        ),
        (
            {"children_left": ["a", "b", "c"]},
            "children_left must be an array of numbers",
        ),
        ({"feature": [1, -2, -2]}, "feature must be from 0 to 0; got 1 at node 0"),
        ({"feature": [0]}, "feature must have shape"),
        ({"threshold": [np.nan, 0, 0]}, "threshold must not be NaN"),
        (
            {"class_counts": [[3, 4], [3, 0], [0, 3]]},
            "class_counts of node 0 are not the sum",
        ),
        (
            {"class_counts": [[3, 4], [3, -1], [0, 5]]},
            "class_counts, .* must be finite and not negative",
        ),
        ({"class_counts": [7, 3, 4]}, "class_counts must have shape"),
        ({"n_features": 0}, "n_features must be an integer of at least 1"),
        ({"input_dtype": np.int64}, "input_dtype must be float32 or float64"),
        (
            {"missing_go_to_left": [0, 2, 0]},
            "missing_go_to_left must hold values of type bool",
        ),
    ],
)
def test_bad_arrays(change, message):
    with np.errstate(invalid="raise"), pytest.raises(ValueError, match=message):
        stump(**change)


def test_bad_arguments():
    tree = stump()
    for nodes in ([3], [-1], [0.5], ["root"]):
        with pytest.raises(ValueError, match="nodes must be a mask or indices"):
            tree.collapse(nodes)
    for X in ([[0, 1]], [0.5]):
        with pytest.raises(ValueError, match="X must have shape"):
            tree.apply(X)
    with pytest.raises(ValueError, match="values must be 3 numbers, one for each node"):
        tree.subtree_sums([1.0])


def test_small_trees_compile_nothing():
    """A fresh interpreter reads, predicts and prunes a small tree without a call of the
    compiler.
    """
    program = """
import sys
import numpy as np
from sklearn.datasets import load_wine
from sklearn.tree import DecisionTreeClassifier
from treebounds.formats import from_sklearn
from treebounds.trees import weakest_link_sequence
from treebounds.trees.counting import held_out_errors
X, y = load_wine(return_X_y=True)
tree = from_sklearn(DecisionTreeClassifier(random_state=0).fit(X, y))
sequence = weakest_link_sequence(tree)
held_out_errors(tree.collapse(sequence.nodes(1)), X, y)
assert "numba" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize(
    ("X", "shape"),
    [([1.0], "(1,)"), ([[], []], "(2, 0)"), ([[[1.0]]], "(1, 1, 1)")],
    ids=["numbers", "no features", "three dimensions"],
)
def test_rows_of_another_shape_are_refused_with_their_shape(X, shape):
    message = f"X must have shape (n_examples, 1); got {shape}"
    with pytest.raises(ValueError, match=re.escape(message)):
        stump().predict(X)


def test_a_sample_may_have_more_classes_than_the_tree():
    batch = [[0.2], [0.7], [0.9]], [0, 2, 2]
    for count in (count_classes, count_statistics):
        counts = count(stump(), [batch], n_classes=4)
        assert counts.tolist() == [[1, 0, 2, 0], [1, 0, 0, 0], [0, 0, 2, 0]]
        with pytest.raises(ValueError, match="classes from 0 to 1"):
            count(stump(), [batch])


def test_columns_that_hold_words_are_named():
    tree = stump(n_features=3)
    frame = pd.DataFrame({"age": [3, 4], "town": ["a", "b"], "size": [0.5, None]})
    message = "columns must hold numbers; 'town' must be encoded first"
    with pytest.raises(ValueError, match=message):
        tree.predict(frame)


def test_no_rows_have_no_predictions():
    for X in (np.empty((0, 1)), pd.DataFrame({"a": []})):
        assert stump().predict(X).tolist() == []


def test_a_class_has_a_name():
    with pytest.raises(ValueError, match="classes must not contain None"):
        stump(classes=[None, "b"])


def test_numbers_of_examples_are_kept_beside_their_weights():
    tree = stump_tree([[2.5, 3], [2.5, 0], [0, 3]], example_counts=[5, 2, 3])
    assert tree.example_counts.tolist() == [5, 2, 3]
    assert tree.collapse([0]).example_counts.tolist() == [5]
    again = pickle.loads(pickle.dumps(tree))
    assert again.example_counts.tolist() == [5, 2, 3]
    # Other statistics are those of other examples.
    assert tree.with_statistics(tree.statistics).example_counts is None
    order = np.array([0, 2, 1])
    turned = tree.rearranged(order, [1, -1, -1], [2, -1, -1], tree.statistics[order])
    assert turned.example_counts is None


def test_weights_that_are_numbers_are_not_kept_twice():
    tree = stump(example_counts=[7, 3, 4])
    assert tree.example_counts is None
    weighted = stump(example_counts=[6, 2, 4])
    assert weighted.example_counts.tolist() == [6, 2, 4]
    assert weighted == tree


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ([8, 3, 4], "example_counts of node 0 are not the sum of its children's"),
        ([2, 3, -1], "must not be negative, .* got -1 at node 2"),
        ([4, 0, 4], "or 0 where examples have weight; got 0 at node 1"),
        ([7, 3], r"example_counts must have shape \(n_nodes,\) for 3 nodes"),
        ([7.5, 3.5, 4], "example_counts must hold values of type int64"),
    ],
)
def test_numbers_of_no_examples_are_refused(numbers, message):
    with pytest.raises(ValueError, match=message):
        stump(example_counts=numbers)


def test_a_tree_with_a_direction_is_no_tree_without_one():
    with_direction = stump(missing_go_to_left=[True, False, False])
    assert with_direction != stump()
    assert stump() != with_direction
