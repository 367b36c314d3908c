import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from reproduction.drawing import how_tight as drawing


def test_two_forms_lie_above_the_tight_one():
    nats = pd.DataFrame({"loose": [1.0, 2.0], "closed": [0.1, 0.0]})
    drawing.above_tight(pd.Series([2, 3]), nats)
    assert plt.gca().get_legend_handles_labels()[1] == ["loose", "closed", "ln N!"]


def test_every_data_set_has_a_row():
    form = pd.Series({"wine": 1.2, "iris": 2.0})
    bounds = pd.DataFrame({"loose": form, "tight": form, "closed": form})
    drawing.bounds(bounds, {"wine": "Wine", "iris": "Iris"})
    names = [label.get_text() for label in plt.gca().get_yticklabels()]
    assert names == ["Iris", "Wine"]


def test_needed_nats_stand_left_of_what_is_charged():
    rng = np.random.default_rng(0)
    drawing.needed_and_charged({0.0: rng.normal(size=50)}, 32.0)
    assert plt.gca().get_xlim()[1] > 32
