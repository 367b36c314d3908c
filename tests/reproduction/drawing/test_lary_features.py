import matplotlib.pyplot as plt

from reproduction.drawing import lary_features as drawing


def counts():
    return [len(line.get_xdata()) for line in plt.gca().lines]


def test_a_fano_plane_has_seven_points():
    drawing.fano_planes()
    assert [len(ax.texts) for ax in plt.gcf().axes] == [7, 7]


def test_values_below_the_formula_are_marked():
    exact = {(2,): 2, (3, 3): 3, (2, 3, 3): 3}
    drawing.one_node(exact, [(2, 3, 3)], [(2, 3, 3)])
    assert counts()[1:] == [2, 1]
    assert [text.get_text() for text in plt.gca().texts] == ["2, 3, 3"]


def test_what_is_not_decided_is_a_bar():
    lower = {1: 3, 2: 3, 3: 3}
    upper = {1: 3, 2: 3, 3: 4}
    drawing.alike(lower, upper, lambda d: 3 + (d > 1))
    assert counts()[1:] == [1, 1]
    assert len(plt.gca().collections) == 1
