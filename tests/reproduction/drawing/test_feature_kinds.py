import matplotlib.pyplot as plt

import treebounds as tb
from reproduction.drawing import feature_kinds as drawing

STUMP = tb.TreeStructure.from_nested([None, None])
BINARY = tb.FeatureKinds(binary=2)


def test_each_kind_has_a_curve():
    kinds = dict.fromkeys("abcde", BINARY)
    drawing.price_of_a_node(STUMP, kinds)
    assert plt.gca().get_legend_handles_labels()[1] == list(kinds)


def test_only_four_features_are_shown():
    values = {(STUMP, 3): 2, (STUMP, 4): 3}
    drawing.on_binary_features(values, values, values)
    assert [line.get_ydata().tolist() for line in plt.gca().lines] == [[3]] * 3


def test_each_panel_has_both_bounds_and_the_diagonal():
    panel = ("two binary", BINARY, lambda m: 2 * m)
    drawing.two_recursions(STUMP, [panel, panel])
    assert [len(ax.lines) for ax in plt.gcf().axes] == [3, 3]
