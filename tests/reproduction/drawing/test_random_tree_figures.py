import matplotlib.pyplot as plt
import pandas as pd
import pytest

from reproduction.drawing import random_tree_figures as drawing
from reproduction.experiments import dhurandhar2008 as experiment


@pytest.fixture(scope="module")
def table():
    return experiment.curves({"d = 5, binary": [0.1, 0.6]}, 100, 2, 3)


def test_each_family_has_a_row_of_panels():
    drawing.families(experiment.FAMILIES, (0.05, 0.3, 0.8))
    assert [ax.get_title() for ax in plt.gcf().axes] == [
        f"{family}, ρ = {rho}"
        for family in experiment.FAMILIES
        for rho in (0.05, 0.3, 0.8)
    ]


def test_the_first_system_has_the_first_number(table):
    drawing.curves_and_distances(table, "purity", 7, 20)
    assert plt.gcf().axes[0].get_title() == "Figure 7: d = 5, binary"


def test_ratios_have_a_panel_for_each_kind_of_samples(table):
    drawing.ratios(table, (100, None), lambda rows, n_test: rows["variance"])
    labels = [ax.get_ylabel() for ax in plt.gcf().axes]
    assert labels == ["ratio, shared samples", "ratio, fresh samples"]


def test_each_real_set_has_a_panel():
    values = dict.fromkeys(experiment.REAL_COLUMNS, 0.1)
    rules = [{**values, "set": "Balloon", "rule": "purity"}]
    drawing.real_sets(pd.DataFrame(rules), ["Balloon"])
    assert plt.gcf().axes[0].get_title() == "Balloon"


def test_without_real_sets_the_panels_are_empty():
    drawing.real_sets(pd.DataFrame(columns=experiment.REAL_COLUMNS), [])
    assert plt.gcf().axes[0].get_title() == ""
