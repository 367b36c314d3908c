"""The figures of the chapter on ID3 are drawn."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from reproduction.drawing import id3
from reproduction.multiway import ID3Classifier

SMALL = pd.DataFrame({"sex": ["male", "female", "male"]})
CURVES = dict.fromkeys(("entropy", "gini", "error"), lambda a: a * (1 - a))


@pytest.mark.parametrize(
    ("draw", "argument"), [(id3.impurities, CURVES), (id3.titanic, None)]
)
def test_each_figure_has_axes(draw, argument):
    draw(argument)
    assert plt.gcf().axes


def test_the_figure_of_a_fitted_tree_has_axes():
    """Fitted here: while tests are collected, each worker would compile it."""
    id3.titanic(ID3Classifier().fit(SMALL, ["no", "yes", "no"]))
    assert plt.gcf().axes
