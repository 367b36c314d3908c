import numpy as np
import pandas as pd
import pytest

from reproduction.claims import published_values, table_misses
from reproduction.experiments import yildiz2012
from reproduction.experiments import yildiz2012_readings as readings
from reproduction.vc_srm import vc_srm_bound

# The rows of monks-1 are computed from its rule and need no file.
SLUG = "monks-1"
NAMES = {SLUG: "Mon"}


@pytest.fixture(scope="module")
def fold():
    return next(yildiz2012.encoded(SLUG).folds(0))


@pytest.fixture
def cells():
    return pd.DataFrame(
        {
            "dataset": SLUG,
            "method": ["NOprune", "CVprune", "SRMprune"],
            "published_mean": [1.0, 2.0, 3.0],
            "published_sd": 0.5,
            "mean": [1.0, 4.0, np.nan],
            "sd": 0.5,
            "se": [0.0, 8.0, np.nan],
            "flag": ["equal", "differs", "not available"],
        }
    )


def test_the_readings_of_the_tables_are_the_methods_of_the_tables(fold):
    rows = {row["variant"]: row for row in readings.variant_results(*fold, seed=0)}
    published = yildiz2012.fold_results(*fold, seed=0, a1=0.1, a2=2.0)
    by_method = {row["method"]: row for row in published}

    assert rows.keys() == readings.VARIANTS.keys()
    for variant, method in (("SRM", "SRMprune"), ("CV", "CVprune")):
        row = rows[f"{variant} as in the tables"]
        assert row["error"] == by_method[method]["error"]
        assert row["complexity"] == by_method[method]["complexity"]


def test_the_formula_as_it_is_prunes_as_the_library_does():
    def penalized(E, V, n, log=np.log, v=None):
        eps = 0.1 * (V * (log(2 * n / V) + 1) + log(n) / 2) / n
        return E + eps / 2 + np.sqrt(eps * (eps / 4 + E))

    assert penalized(0.1, 7, 100) == pytest.approx(vc_srm_bound(0.1, 7, 100))
    found = readings.when_changed(SLUG, {"none": {}}, penalized)
    rows = yildiz2012.run(
        lambda train, test, seed: yildiz2012.fold_results(train, test, seed, 0.1, 2.0),
        [SLUG],
    )
    srm = rows[rows["method"] == "SRMprune"]
    assert found["none"][:, 1].mean() == pytest.approx(srm["complexity"].mean())


def test_a_change_of_V_and_of_a_leaf_reaches_the_price():
    changes = {
        "leaves are free": {"leaf": 0},
        "leaves are dear": {"leaf": 9, "V": lambda tree, V: 0 * V},
    }
    found = readings.when_changed(SLUG, changes, lambda E, V, n: E + V)
    assert (found["leaves are free"][:, 1] == 1).all()
    assert (found["leaves are dear"][:, 1] > 1).all()


def test_the_given_order_of_columns_gives_the_size_of_the_tables():
    rows = yildiz2012.run(yildiz2012.fold_results, [SLUG])
    cv = rows[rows["method"] == "CVprune"]["complexity"].mean()
    assert readings.cvprune_size(SLUG, np.arange(6), 1) == pytest.approx(cv)


def test_the_deviation_over_folds_is_that_of_the_errors():
    rows = yildiz2012.run(yildiz2012.fold_results, [SLUG])
    for method in ("NOprune", "CVprune"):
        errors = rows[rows["method"] == method]["error"]
        found = readings.deviation_of_folds(SLUG, method, True, 1)
        assert found == pytest.approx(errors.std(ddof=0))


def test_eight_ways_are_compared(fold):
    rows = pd.DataFrame(readings.other_ways(*fold, seed=0)).set_index("model")
    assert len(rows) == 8
    for family, pruned in (("ID3", "SRM"), ("CART", "Shawe-Taylor bound")):
        whole = rows.loc[f"{family}, whole", "leaves"]
        assert rows.loc[f"{family}, {pruned}", "leaves"] <= whole
    assert rows["error"].between(0, 100).all()


def test_a_cell_without_result_is_empty_and_a_substitute_has_a_star(cells):
    shown = readings.beside_the_printed(cells, NAMES, [SLUG], 1)
    assert list(shown["set"]) == ["Mon*"] * 3
    assert shown.loc[1, "difference in SE"] == "+8.0"
    assert shown.loc[2, "here"] == ""


def test_a_cell_that_deviates_is_listed_with_the_readings_that_give_it(cells):
    tables = {"table1": cells}
    given = {(v, "table1", SLUG): v == "CV bottom-up" for v in readings.VARIANTS}
    listed = readings.deviations(tables, NAMES, given)
    assert listed["given by"].tolist() == ["CV\N{NO-BREAK SPACE}bottom-up"]

    always = dict.fromkeys(given, True)
    assert readings.deviations(tables, NAMES, always)["given by"][0].endswith("3 more")
    never = dict.fromkeys(given, False)
    assert readings.deviations(tables, NAMES, never)["given by"][0] == "none"

    without = {"table1": cells.iloc[:1]}
    assert readings.deviations(without, NAMES, given)["table"].tolist() == ["none"]


def test_the_note_names_what_is_flagged(cells):
    found = table_misses([1.0], [1.0], [0.5], [0.5], 10)
    note = readings.note_on_misses(found, cells, NAMES)
    assert note.startswith("0 of 3 cells differ by more than rounding")
    assert note.endswith(
        "more than two standard errors off: Mon CVprune +8.0 standard errors."
    )

    agreeing = cells.assign(flag="within")
    assert readings.note_on_misses(found, agreeing, NAMES).endswith("off: none.")


def test_printed_sizes_stand_below_those_of_the_variants():
    sizes = pd.DataFrame({SLUG: [61.0, 40.0]}, index=["SRM bottom-up", "CV bottom-up"])
    table = readings.variants_table(
        {"SRM bottom-up": 2, "CV bottom-up": 0}, sizes, {"CVprune": {SLUG: 39}}, NAMES
    )
    assert table["Mon"].tolist() == ["61", "40", "39"]
    assert table["cells that agree"].tolist() == ["2 of 2", "0 of 2", ""]


def test_one_set_is_shown_with_deviation_and_error():
    trials = {SLUG: {"as in the tables": np.array([[1.0, 60.0], [2.0, 62.0]])}}
    table = readings.changes_table(trials, published_values("yildiz2012"), SLUG)
    assert list(table) == ["variant", "Mon", "Mon, sd", "Mon, error"]
    assert table.iloc[0].tolist() == ["as in the tables", "61", "1", "1.5"]
    assert table.iloc[1, 0] == "published"
