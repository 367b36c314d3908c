from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from oracles import published_protocol as oracle
from reproduction.claims import published_values
from reproduction.datasets import DataNotAvailable
from reproduction.experiments import leboeuf2020 as experiment
from reproduction.growing import grow_tree
from reproduction.loose_growth import loose_growth_of_cuts
from treebounds.capacity.log_growth import LogGrowth
from treebounds.pruning.single_cuts import growth_of_cuts

# scikit-learn's copies are UCI's, value for value.
BUNDLED = [
    "breast-cancer-wisconsin-diagnostic",
    "wine",
]


@pytest.fixture(scope="module")
def published():
    return published_values("leboeuf2020")["table1"]


def random_tree(seed, m=60, n_classes=3, max_leaf_nodes=20):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, (m, 3)).astype(float)
    y = np.where(
        rng.random(m) < 0.7,
        X[:, 0].astype(int) % n_classes,
        rng.integers(0, n_classes, m),
    )

    return grow_tree(X, y, max_leaf_nodes=max_leaf_nodes, n_classes=n_classes)


def test_the_published_file_holds_the_whole_table(published):
    assert [row["dataset"] for row in published["rows"]] == list(experiment.DATA_SETS)
    assert published["models"] == list(experiment.MODELS)
    assert all(len(row["mean"]) == len(row["sd"]) == 4 for row in published["rows"])


def test_cells_equal_the_printed_digits(published):
    table = experiment.compare_with_published(
        experiment.run(experiment.published_models, ["wine"]), published
    )
    assert len(table) == 4
    assert set(table["flag"]) == {"equal"}


def test_a_missing_data_set_is_left_out(monkeypatch):
    def load(slug):
        raise DataNotAvailable(slug)

    experiment.encoded.cache_clear()
    monkeypatch.setattr(experiment, "load", load)
    assert experiment.available() == []
    monkeypatch.undo()
    assert set(BUNDLED) <= set(experiment.available())


def test_a_category_is_a_column_and_of_two_categories_one_is(monkeypatch):
    table = np.array([["x", "no", 2], ["z", "yes", 10], ["y", "no", 2]], dtype=object)
    bunch = SimpleNamespace(data=table, target=np.array(["b", "a", "b"]))
    monkeypatch.setattr(experiment, "load", lambda slug: bunch)
    X, y = experiment.encoded.__wrapped__("made up")
    assert X.tolist() == [[1, 0, 0, 1, 0], [0, 0, 1, 0, 1], [0, 1, 0, 1, 0]]
    assert y.tolist() == [1, 0, 1]


@pytest.mark.parametrize("exponent", [3, 13.7])
def test_published_bound_pruning_is_the_transcription(exponent):
    cuts = 0
    for seed in range(12):
        tree = random_tree(seed, n_classes=2 + seed % 2)
        expected = oracle.published_bound_pruning(tree, exponent)
        assert tree.collapse(experiment.published_bound_cut(tree, exponent)) == expected
        cuts += expected.n_leaves < tree.n_leaves
    assert cuts > 3


def test_the_choice_of_r_comes_out():
    table = experiment.run(experiment.choice_of_exponent, ["wine"], n_splits=10)
    chosen = table.loc[table.groupby("draw")["errors"].idxmin(), "exponent"]
    assert chosen.tolist() == [14, 14, 6, 15, 16, 12, 14, 17, 15, 14]


@pytest.mark.parametrize(("slug", "draw"), [("wine", 0), ("iris", 3)])
def test_rows_of_priced_prunings_obey_their_laws(slug, draw):
    for row in experiment.priced_prunings(slug, draw):
        lists = [row[key] for key in ("alphas", "errors", "test_errors", "n_leaves")]
        assert len({len(values) for values in lists}) == 1
        assert row["n_leaves"][-1] == 1
        assert row["all_bound"] == pytest.approx(row["all-structures bound"])
        members = list(zip(row["n_leaves"], row["errors"], strict=True))
        assert (row["all-structures leaves"], row["all-structures errors"]) in members


@pytest.mark.parametrize(("slug", "draw"), [("wine", 0), ("iris", 3)])
def test_the_chosen_price_begins_at_the_member_that_the_folds_choose(slug, draw):
    for row in experiment.priced_prunings(slug, draw):
        alpha = max(row["alphas"][row["chosen"]], 0.0)
        assert alpha == pytest.approx(row["price"], abs=1e-9)
        assert 0 <= row["price"] < row["price_end"]


def test_the_middle_of_the_best_prices_is_geometric_and_cut_off():
    rows = {
        "dataset": "wine",
        "family": "published",
        "chosen": [1, 0],
        "test_errors": [[3, 2], [5, 0]],
        "n_test": 10,
        "price": [1.0, 0.0],
        "price_end": [4.0, np.inf],
    }
    validated = experiment.chosen_by_folds(pd.DataFrame(rows))
    assert validated["middle"].tolist() == pytest.approx([2.0, 2.0])
    assert validated["accuracy"].tolist() == pytest.approx([0.8, 0.5])


def test_no_published_model_has_more_leaves_than_the_tree_before_pruning():
    models = pd.DataFrame(experiment.published_models("wine", 1)).set_index("model")
    assert (models["n_leaves"] <= models["n_leaves"]["Original"]).all()
    assert models["test_accuracy"].between(0.5, 1).all()


def test_flags():
    assert experiment._flag(0.928, 0.024, 0.92849, 0.02351, 25) == "equal"
    # Only the deviation is another one.
    assert experiment._flag(0.928, 0.024, 0.92751, 0.0246, 25) == "within"
    assert experiment._flag(0.928, 0.025, 0.9329, 0.025, 25) == "within"
    assert experiment._flag(0.928, 0.025, 0.9331, 0.025, 25) == "differs"


MEANS = pd.DataFrame(
    {"a": [0.9, 0.8, 0.702, 0.6], "b": [0.8, 0.8, 0.7, 0.61]}, index=list("wxyz")
)


def test_a_comparison_counts_wins_ties_and_losses():
    comparison = experiment.compare(MEANS, "a", "b")
    counts = [comparison[key] for key in ("wins", "ties", "losses")]
    assert counts == [1, 2, 1]


def test_a_comparison_has_means_with_and_without_the_most_telling_set():
    comparison = experiment.compare(MEANS, "a", "b")
    assert comparison["mean"] == pytest.approx(0.023)
    assert comparison["median"] == pytest.approx(0.001)
    assert comparison["moved_by"] == "w"
    assert comparison["smallest"] == pytest.approx(-0.008 / 3)


def test_a_model_does_not_differ_from_itself():
    assert experiment.compare(MEANS, "a", "a")["p_value"] == 1.0


def test_sets_where_a_model_is_best_or_similar_are_counted():
    assert experiment.best_or_similar(MEANS, "a") == 3
    assert experiment.best_or_similar(MEANS, "a", similar=0.02) == 4


@pytest.mark.parametrize("n_classes", [2, 3, 9])
def test_compiled_growth_of_cuts_is_the_librarys(n_classes):
    for seed in range(6):
        tree = random_tree(
            seed, m=300, n_classes=n_classes, max_leaf_nodes=3 + 4 * seed
        )
        for m in (40, 600):
            log_growth = LogGrowth(m, tree.n_features, tree.n_classes, form="loose")
            own, cuts = loose_growth_of_cuts(m, tree)
            one, others = growth_of_cuts(log_growth, tree)
            assert own == pytest.approx(one, rel=1e-12)
            np.testing.assert_allclose(cuts, others, rtol=1e-12)


def test_large_sets_have_fewer_splits():
    def rows(slug, draw):
        return [{"n": len(experiment.encoded(slug)[1])}]

    draws = {
        "iris": [0, 1, 2],
        "monks-1": [0, 1, 2],
        "twonorm": [0, 1],
        "spambase": [0],
    }
    results = experiment.run(rows, list(draws), 3, n_large=2)
    counts = results.groupby("dataset")["draw"].apply(list).to_dict()
    assert counts == {slug: draws[slug] for slug in experiment.available(draws)}
    assert experiment.run(rows, ["twonorm"], 1, n_large=2)["draw"].tolist() == [0]


@pytest.mark.parametrize("family", experiment.FAMILIES)
def test_a_tree_keeps_the_numbers_of_classes_that_its_rows_lack(family):
    X = np.arange(6.0)[:, None]
    y = np.array([0, 0, 2, 2, 3, 3])
    tree = experiment.grow(family, X, y, n_classes=5)
    assert tree.predict(X).tolist() == y.tolist()
    assert tree.n_classes == 5
