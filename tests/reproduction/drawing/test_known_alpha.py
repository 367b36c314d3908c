import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from reproduction.drawing import known_alpha as drawing
from reproduction.experiments import leboeuf2020

PRICES = np.array([0.5, 1.0])


def test_curves_have_one_line_for_each_rule():
    shares = pd.DataFrame({"one": [0.2, 0.9], "other": [0.8, 0.1]}, index=PRICES)
    drawing.agreement(shares, pd.Series({"one": 0.95, "other": 0.9}))
    labels = plt.gca().get_legend_handles_labels()[1]
    assert labels == ["one", "other", "price from the formula"]

    gain = pd.DataFrame([[-1.0, 0.5], [0.0, 0.25]], columns=PRICES)
    known = pd.Series([0.9, 1.1])
    drawing.gains(PRICES, {"one": gain, "other": gain}, known)
    assert plt.gca().get_legend_handles_labels()[1] == ["one", "other"]


def test_data_sets_are_sorted_by_their_known_prices():
    chosen = pd.DataFrame({"dataset": ["a", "b"], "middle": [1.0, 4.0]})
    known = pd.Series({"a": 1.2, "b": 0.9})
    drawing.chosen_prices(known, chosen, {"a": "A", "b": "B"})
    labels = [label.get_text() for label in plt.gca().get_yticklabels()]
    assert labels == ["B", "A"]


def test_the_slider_touches_the_hull_at_the_known_price(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.random((40, 2))
    X_test = rng.random((4, 2))
    y = (X[:, 0] > 0.5).astype(int)
    y_test = (X_test[:, 0] > 0.5).astype(int)
    data = leboeuf2020.Split(X, X_test, y, y_test, 2)
    monkeypatch.setattr(leboeuf2020, "split", lambda slug, draw: data)

    chosen = pd.DataFrame({"dataset": ["a"], "middle": [1.0]})
    picture = drawing.price_slider({"A": "a"}, lambda *_: 2.0, chosen, alt="a line")
    assert '"known":2.0' in picture.data.replace(" ", "")
