import matplotlib.pyplot as plt
import pytest

from treebounds import TreeStructure
from treebounds.plotting import draw_pruning, draw_structure
from treebounds.trees import ArrayTree


@pytest.mark.parametrize("nested", [None, [None, None], [[None, None], [[None, None], None]]])
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


def test_only_a_structure_can_be_drawn():
    with pytest.raises(ValueError, match="structure"):
        draw_structure([None, None])


def test_a_pruning_shows_what_is_left_and_what_is_gone():
    counts = [[6, 5], [5, 1], [1, 4], [5, 0], [0, 1]]
    tree = ArrayTree([1, 3, -1, -1, -1], [2, 4, -1, -1, -1], [0] * 5, [0.5, 0.2, 0, 0, 0], counts, 1)
    ax = draw_pruning(tree, cut=[1], next_cut=[0])
    gone, internal, leaves, rings = (collection.get_offsets() for collection in ax.collections)
    assert sorted(gone[:, 0]) == [0, 1]
    assert internal.tolist() == [[1.25, 0]]
    assert leaves.tolist() == [[0.5, -1], [2, -1]]
    assert rings.tolist() == [[1.25, 0]]
    assert [text.get_text() for text in ax.texts] == ["1", "1"]
    plt.close(ax.figure)
