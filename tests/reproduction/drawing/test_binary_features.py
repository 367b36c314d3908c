import matplotlib.pyplot as plt
import numpy as np

from reproduction.drawing import binary_features as drawing
from treebounds.structure import enumerate_structures

SAMPLE = np.array([[0, 0, 0], [1, 0, 1], [0, 1, 1]])
STUMP, CHAIN = (next(enumerate_structures(size)) for size in (2, 3))


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_samples_are_tables():
    drawing.samples({"one": SAMPLE, "two": SAMPLE})
    assert texts(plt.gca()) == ["0", "0", "0", "1", "0", "1", "0", "1", "1"]
    drawing.larger_samples([(STUMP, SAMPLE, 2)])
    assert plt.gca().get_title() == "3 examples, 2 printed"
    drawing.sample_of(STUMP, "a stump", SAMPLE)
    assert plt.gca().get_title() == "3 features"


def test_a_wrong_value_is_orange():
    ten = [STUMP] * 10
    lower = {(STUMP, 3): 3, (STUMP, 4): 3}
    drawing.figure_6(ten, lower, lower, {**lower, (STUMP, 4): 4})
    right, wrong = plt.gca().texts
    assert wrong.get_text() == "d = 4:  3 · 3 · 4"
    assert right.get_color() != wrong.get_color()


def test_each_difference_has_its_dots():
    exact = {(T, d): 4 for T in (STUMP, CHAIN) for d in (3, 4)}
    drawing.gaps(exact, {case: 4 - case[0].n_internal_nodes for case in exact})
    assert [len(line.get_xdata()) for line in plt.gca().lines] == [2, 0, 1, 1]


def test_a_text_stands_below_each_structure():
    drawing.with_values({STUMP: "3", CHAIN: "4"}, "sizes")
    assert [texts(ax) for ax in plt.gcf().axes] == [["3"], ["4"]]
