import matplotlib.pyplot as plt
import pandas as pd

from reproduction.drawing import nineteen_data_sets as drawing

MODELS = ["Original", "CART", "M-CART", "Ours"]
NAMES = {"wine": "Wine", "iris": "Iris"}


def test_every_data_set_has_a_row():
    means = pd.DataFrame([[0.9] * 4, [0.8] * 4], index=list(NAMES), columns=MODELS)
    drawing.accuracies(means, dict.fromkeys(NAMES, [0.9] * 4), NAMES)
    ticks = [label.get_text() for label in plt.gca().get_yticklabels()]
    assert ticks == ["Iris", "Wine"]


def test_the_mean_of_the_choices_is_marked():
    errors = pd.DataFrame([[5, 3, 3], [4, 4, 2]], columns=[1, 2, 3])
    drawing.errors_by_exponent(errors, errors.idxmin(axis=1))
    labels = plt.gca().get_legend_handles_labels()[1]
    assert labels[-1] == "mean of the choices, 2.5"


def test_the_cap_is_a_line():
    drawing.cap([1.0, 3.0, 5.0], 4.0, pd.Series([2, 3]))
    assert "all labelings" in plt.gca().get_legend_handles_labels()[1]


def test_each_data_set_has_a_folded_table():
    values = dict.fromkeys(drawing.SHOWN, 0.5)
    results = pd.DataFrame(
        {"dataset": "iris", "model": model, **values} for model in MODELS
    )
    clock = pd.DataFrame({"CART": [0.002], "Ours": [0.001]}, index=["iris"])
    html = drawing.tables(results, clock, MODELS, NAMES).data
    assert html.count("<details>") == 1
    assert "R. A. Fisher" in html
