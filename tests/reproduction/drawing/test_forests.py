"""The figures of the chapter on random forests can be drawn."""

import matplotlib.pyplot as plt
import pandas as pd

from reproduction.drawing import forests


def test_the_error_ends_at_the_last_k():
    columns = ["correlation", "squared bias", "error"]
    table = pd.DataFrame(0.5, columns=columns, index=range(1, 8))
    forests.effect_of_k(table)
    ends = [ax.lines[0].get_xdata()[-1] for ax in plt.gcf().axes]
    assert ends == [7, 7]


def test_the_worst_set_is_named():
    results = pd.DataFrame(
        {
            "dataset": ["iris", "monks"],
            "group": ["a", "b"],
            "forest minus bagging": [1.0, -20.0],
            "standard error": [0.5, 0.5],
        }
    )
    forests.gaps(results, ["a", "b", "c"])
    named = [text.get_text() for text in plt.gca().texts]
    assert named == ["monks"]
