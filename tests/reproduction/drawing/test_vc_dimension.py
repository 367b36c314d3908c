import matplotlib.pyplot as plt

from reproduction.drawing import vc_dimension as drawing
from treebounds import TreeStructure

FIVE = {"o": (0, 0), "a": (1, 2), "b": (2, 1), "c": (3, 4), "d": (4, 3)}
STUMP = TreeStructure.from_nested([None, None])


def test_each_figure_is_drawn():
    shown = drawing.sample_below_tree(alt="A tree above its groups.").data
    assert 'alt="A tree above its groups."' in shown
    assert "a chain of two nodes" in shown

    drawing.tree_by_hand(FIVE)
    assert len(plt.gca().patches) == 3  # One region for each leaf.

    drawing.all_labelings(FIVE)
    assert len(plt.gcf().axes) == 16

    drawing.exact_values({(STUMP, 1): 2}, {STUMP: "stump"}, lambda *_: 1, lambda *_: 4)
    assert plt.gca().get_yticklabels()[0].get_text() == "stump, 1 feature"
