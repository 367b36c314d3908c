import matplotlib.pyplot as plt
import pytest

from treebounds import TreeStructure
from treebounds.plotting import draw_structure


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
