import numpy as np
import pandas as pd
import pytest

from reproduction.experiments import leboeuf2020
from reproduction.experiments import pruning_comparison as experiment


def test_no_way_to_prune_makes_a_tree_larger():
    rows = pd.DataFrame(experiment.compared("iris", 0))
    assert not rows.duplicated(["family", "method"]).any()
    cut = rows[
        ~rows["method"].str.contains("distilled|optimal") & rows["n_leaves"].notna()
    ]
    grown = cut[cut["method"] == "no pruning"].set_index("family")["n_leaves"]

    # Reduced error grows its tree on fewer examples.
    others = cut[cut["method"] != "reduced error"]
    assert (others["n_leaves"] <= others["family"].map(grown)).all()
    assert rows["accuracy"].between(0.2, 1).all()
    later = pd.DataFrame(experiment.compared("iris", 1, families=("unlimited",)))
    assert not {"optimal, depth 2", "distilled forest", "forest"} & set(later["method"])


@pytest.mark.parametrize("change", ["shuffled", "flipped", "twice"])
def test_changes_of_the_training_examples(change):
    data = leboeuf2020.split("iris", 0)
    changed = experiment._changed(data, change, 1, 1500)
    assert np.array_equal(changed.X_test, data.X_test)
    times = 2 if change == "twice" else 1
    assert len(changed.y_train) == times * len(data.y_train)

    if change == "flipped":
        assert 0 < (changed.y_train != data.y_train).mean() < 0.25
    else:
        assert np.array_equal(
            np.bincount(changed.y_train), times * np.bincount(data.y_train)
        )


def test_a_method_is_compared_on_the_splits_where_it_ran():
    # The second split is harder; "once" ran on the first alone, two points above the
    # reference.
    of_draws = {"reference": (0.8, 0.6), "twice": (0.81, 0.61), "once": (0.82,)}
    accuracies = [
        (draw, name, x)
        for name, values in of_draws.items()
        for draw, x in enumerate(values)
    ]
    rows = [(slug, *row) for slug in ("a", "b") for row in accuracies]
    results = pd.DataFrame(rows, columns=["dataset", "draw", "method", "accuracy"])
    results = results.assign(
        family="f", n_leaves=3, log_loss=1.0, log_loss_smoothed=1.0, seconds=1.0
    )
    table = experiment.summary(results, "f", "reference", ["a", "b"])
    assert table["mean"].to_dict() == pytest.approx(
        {"reference": 0.0, "twice": 1.0, "once": 2.0}
    )
    assert table["wins"].to_dict() == {"reference": 0, "twice": 2, "once": 2}
