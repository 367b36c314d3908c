"""The figures of the chapter on Yıldız's tables can be drawn."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from reproduction.drawing import yildiz_tables as drawing


def test_each_curve_has_a_dot_where_it_turns():
    drawing.penalty(lambda V, n: 0.1 * V / n, (10, 30, 100))
    turns = [line.get_xdata()[0] for line in plt.gca().lines[1::2]]
    assert turns == [20, 60, 200]


def test_two_pairs_are_marked():
    rows = [(a1, a2, a1 + a2) for a1 in (0.1, 1.0) for a2 in (1.0, 2.0)]
    ranking = pd.DataFrame(rows, columns=["a1", "a2", "error"])
    drawing.grid(ranking, (0.1, 2.0), (1.0, 1.0))
    marks = [
        (line.get_xdata()[0], line.get_ydata()[0], line.get_marker())
        for line in plt.gca().lines
    ]
    assert marks == [(0, 1, "s"), (1, 0, "o")]


def test_a_large_difference_has_an_arrow_and_a_number():
    table = pd.DataFrame(
        {
            "dataset": "iris",
            "method": ["NOprune", "CVprune", "SRMprune"],
            "se": [np.nan, -1.0, 9.0],
        }
    )
    drawing.differences({"error": table, "size": table}, ["iris"], {"iris": "I"})
    texts = [text.get_text() for text in plt.gcf().axes[0].texts]
    assert texts == ["+9"]


def test_readings_have_the_color_of_their_method():
    drawing.readings({"SRM": 3, "CV": 1}, 4)
    colors = {bar.get_facecolor() for bar in plt.gca().patches}
    assert len(colors) == 2


def test_each_way_has_its_name():
    table = pd.DataFrame({"iris": [5.0, 6.0]}, index=["ID3, whole", "CART, whole"])
    drawing.other_ways(table, table)
    names = [text.get_text() for text in plt.gca().texts]
    assert names == ["ID3, whole", "CART, whole"]
