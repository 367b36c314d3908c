import pandas as pd

from reproduction.experiments import table_1

TABLE = pd.DataFrame(
    {
        "dataset": ["wine", "wine"],
        "model": ["CART", "Ours"],
        "published_mean": [0.9, 0.92],
        "published_sd": [0.02, 0.01],
        "mean": [0.9001, 0.93],
        "sd": [0.02, 0.012],
        "flag": ["equal", "differs"],
    }
)
NAMES = {"wine": "Wine", "iris": "Iris"}


def test_a_cell_shows_both_means_and_a_mark_unless_they_are_equal():
    shown = table_1.cells_by_model(TABLE, NAMES, ["CART", "Ours"])
    assert shown.to_numpy().tolist() == [
        ["Wine", "0.9001 (0.900)", "0.9300 (0.920) ≠"],
        ["Iris", "not available here", "not available here"],
    ]


def test_every_cell_has_a_row_with_the_difference():
    rows = table_1.cell_by_cell(TABLE, NAMES)
    assert rows["difference"].tolist() == ["+0.0001", "+0.0100"]
    assert rows["here"].tolist() == ["0.9001 ± 0.0200", "0.9300 ± 0.0120"]


def test_a_gain_names_the_set_that_moves_it():
    gain = {
        "mean": 0.02,
        "median": 0.01,
        "smallest": 0.005,
        "largest": 0.03,
        "moved_by": "iris",
    }
    printed = {
        "best_or_similar": 13,
        "best_or_similar_pruned": 16,
        "gain_over_cart": 0.0202,
        "gain_of_m_cart": 0.012,
        "leaves_ratio": 3,
    }
    sizes = {
        "mean of ratios": 3.1,
        "median of ratios": 1.2,
        "without the largest": 1.5,
    }
    shown = table_1.section_6_3(
        printed,
        {"all four": 13, "pruned": 16},
        {"Ours": gain, "M-CART": gain},
        sizes,
        NAMES,
        "iris",
    )
    assert shown.iloc[2].tolist() == [
        "gain over CART, points",
        "2.02",
        "2.00",
        "1.00",
        "0.50 to 3.00 (Iris)",
    ]
    assert shown.iloc[-1, -1] == "1.50 (Iris)"
