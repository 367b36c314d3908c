"""The figures of the chapter on certificates on data can be drawn."""

import matplotlib.pyplot as plt
import pandas as pd

from reproduction.drawing import certificates_on_data


def test_a_mark_has_the_name_of_its_method():
    average = pd.DataFrame(
        {"test_error": [0.1, 0.12, 0.11, 0.3], "certificate": [None, 0.3, 0.2, 0.9]},
        index=["no certificate", "a half held out", "halves", "Equation 8"],
        dtype=float,
    )
    certificates_on_data.frontier(average)
    names = [text.get_text() for text in plt.gca().texts]
    assert names == ["a half held out", "halves", "no certificate"]


def test_sets_are_sorted_by_the_share_of_the_majority_error():
    wide = pd.DataFrame(
        {"halves": [0.3, 0.2], "message": [0.5, 0.4], "a half held out": [0.4, 0.3]},
        index=["iris", "wine"],
    )
    majority = pd.Series([0.4, 0.4], index=["iris", "wine"])
    certificates_on_data.by_data_set(wide, majority, wide)
    names = [label.get_text() for label in plt.gca().get_yticklabels()]
    assert names == ["wine", "iris"]
