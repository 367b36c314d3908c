import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.colors import to_rgba
from sklearn.datasets import load_wine
from sklearn.tree import DecisionTreeClassifier

from reproduction.plotting import (
    COLORS,
    draw_pruning,
    draw_structure,
    pruned_nodes,
    show_table,
    written_out,
)
from treebounds import TreeStructure, prune
from treebounds.formats import from_sklearn
from treebounds.trees import ArrayTree


@pytest.mark.parametrize(
    "nested", [None, [None, None], [[None, None], [[None, None], None]]]
)
def test_a_drawing_shows_every_node_and_edge(nested):
    structure = TreeStructure.from_nested(nested)
    ax = draw_structure(structure)
    points = [len(collection.get_offsets()) for collection in ax.collections]
    assert sum(points) == 2 * structure.n_leaves - 1
    assert points[-1] == structure.n_leaves
    assert len(ax.lines) == 2 * structure.n_internal_nodes
    plt.close(ax.figure)


def test_a_drawing_uses_the_given_axes():
    figure, ax = plt.subplots()
    assert draw_structure(TreeStructure(), ax=ax) is ax
    plt.close(figure)


def test_symmetric_nodes_are_marked():
    structure = TreeStructure.from_nested([[None, None], [None, None]])
    ax = draw_structure(structure, mark_symmetric=True)
    assert {tuple(face) for face in ax.collections[0].get_facecolor()} == {
        to_rgba(COLORS["orange"])
    }
    plt.close(ax.figure)
    ax = draw_structure(
        TreeStructure.from_nested([[None, None], None]), mark_symmetric=True
    )
    assert len({tuple(face) for face in ax.collections[0].get_facecolor()}) == 2
    plt.close(ax.figure)


def test_only_a_structure_can_be_drawn():
    with pytest.raises(ValueError, match="structure"):
        draw_structure([None, None])


def test_a_pruning_shows_what_is_left_and_what_is_gone():
    counts = [[6, 5], [5, 1], [1, 4], [5, 0], [0, 1]]
    tree = ArrayTree(
        children_left=[1, 3, -1, -1, -1],
        children_right=[2, 4, -1, -1, -1],
        feature=[0] * 5,
        threshold=[0.5, 0.2, 0, 0, 0],
        class_counts=counts,
        n_features=1,
    )
    ax = draw_pruning(tree, cut=[1], next_cut=[0])
    gone, internal, leaves, rings = (
        collection.get_offsets() for collection in ax.collections
    )
    assert sorted(gone[:, 0]) == [0, 1]
    assert internal.tolist() == [[1.25, 0]]
    assert leaves.tolist() == [[0.5, -1], [2, -1]]
    assert rings.tolist() == [[1.25, 0]]
    assert [text.get_text() for text in ax.texts] == ["1", "1"]
    plt.close(ax.figure)


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (9.96e-4, 2, "1.0 × 10⁻³"),
        (0.001, 1, "0.001"),
        (272, 1, "272"),
        (999.9, 1, "1,000"),
        (4.1, 2, "4.1"),
        (-3e-7, 1, "-3 × 10⁻⁷"),
        (1.5e13, 2, "1.5 × 10¹³"),
        (0, 3, "0"),
    ],
)
def test_a_number_is_written_out_with_its_digits_and_no_e(value, digits, text):
    assert written_out(value, digits) == text


def test_a_table_separates_thousands():
    frame = pd.DataFrame(
        {"examples": [12345, 7], "nats": [1234.56, 0.5], "set": ["1000", "iris"]}
    )
    shown = show_table(frame, 1).data
    assert all(
        f"<td>{cell}</td>" in shown
        for cell in ("12,345", "7", "1,234.6", "0.5", "1000", "iris")
    )


@pytest.mark.parametrize("limit", [None, 9])  # numbered depth first and best first
def test_the_nodes_that_a_pruning_has_as_leaves(limit):
    data = load_wine(return_X_y=True)
    fitted = DecisionTreeClassifier(max_leaf_nodes=limit, random_state=0).fit(*data)
    grown, pruned = map(from_sklearn, (fitted, prune(fitted, *data, rule=3)))
    cut = pruned_nodes(grown, pruned)
    assert cut
    assert not grown.is_leaf[cut].any()
    assert len(grown.kept_nodes(cut)) == pruned.n_nodes
    assert grown.collapse(cut).structure == pruned.structure
    other = DecisionTreeClassifier(max_depth=2, max_features=1, random_state=3).fit(
        *data
    )
    with pytest.raises(ValueError, match="pruned must be a pruning of grown"):
        pruned_nodes(from_sklearn(other), pruned)
