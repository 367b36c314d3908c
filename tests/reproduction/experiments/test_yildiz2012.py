from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import Bunch

from reproduction.datasets import DataNotAvailable, load
from reproduction.experiments import yildiz2012
from reproduction.experiments.yildiz2012 import (
    A1,
    A2,
    compare_with_published,
    complexity,
    fold_results,
    judged,
    nested_errors,
    run,
)
from reproduction.multiway.id3 import grow_id3
from reproduction.multiway.pruning import srm_nodes


@pytest.fixture
def made_up(monkeypatch):
    """Some categorical data with noise, in place of every data set."""
    rng = np.random.default_rng(7)
    X = np.column_stack([rng.choice(list("abc"), 120) for _ in range(5)]).astype(object)
    y = np.where(
        (X[:, 0] == "a") ^ (X[:, 1] == "b") ^ (rng.random(120) < 0.2), "yes", "no"
    )
    monkeypatch.setattr(yildiz2012, "load", lambda slug: Bunch(data=X, target=y))
    yildiz2012.encoded.cache_clear()
    yield
    yildiz2012.encoded.cache_clear()


def test_all_settings_on_one_tree_are_each_setting_on_its_own(made_up):
    X, y, n_values = yildiz2012.encoded("any")
    tree = grow_id3(X[:80], y[:80], n_values, 2)
    grid = np.stack(np.meshgrid(A1, A2, indexing="ij"), axis=-1).reshape(-1, 2)
    seen = tree.recounted(X[80:], y[80:])
    errors, sizes = judged(seen, srm_nodes(tree, grid[:, :1], grid[:, 1:]))
    pruned = [tree.collapse(srm_nodes(tree, a1, a2)) for a1, a2 in grid]
    assert sizes.tolist() == [
        complexity(t.n_internal_nodes, t.n_leaves) for t in pruned
    ]
    assert errors == pytest.approx(
        [100 * np.mean(t.predict(X[80:]) != y[80:]) for t in pruned]
    )
    assert len(set(sizes)) > 3


def test_a_tree_without_empty_branches_is_judged_where_examples_end(made_up):
    X, y, n_values = yildiz2012.encoded("any")
    tree = grow_id3(X[:20], y[:20], n_values, 2, empty_branches=False)
    cut = np.arange(tree.n_nodes) == tree.children(0)[0]
    for mask, pruned in ((False, tree), (cut, tree.collapse(cut))):
        error, size = judged(tree.recounted(X[20:], y[20:]), mask)
        assert error == pytest.approx(100 * np.mean(pruned.predict(X[20:]) != y[20:]))
        assert size == 2 * pruned.n_internal_nodes + pruned.n_leaves

    assert (~tree.is_leaf[tree.apply(X[20:])]).any()


def test_folds(made_up):
    results = run(partial(fold_results, a1=[0.1], a2=[2.0]), ["any"])
    assert len(results) == 10 * 3
    assert set(results["method"]) == {"NOprune", "CVprune", "SRMprune"}
    assert results["error"].between(0, 100).all()
    assert (
        run(nested_errors, ["any", "other"])["dataset"].tolist()
        == ["any"] * 10 + ["other"] * 10
    )


def test_nested_choice_is_from_the_grid(made_up):
    nested = run(partial(nested_errors, n_folds=2), ["any"], n_folds=3)
    assert len(nested) == 3
    assert nested["a1"].isin(A1).all()
    assert nested["a2"].isin(A2).all()


def test_flags():
    published = {
        "page": "1",
        "methods": ["NOprune", "CVprune", "SRMprune"],
        "digits": 1,
    }
    published |= {
        "here": [[10.0, 1.0]] * 3,
        "absent": [[1.0, 0.0]] * 3,
        "artificial": [[1.0, 0.0]] * 3,
    }
    rows = []
    for method, mean in (("NOprune", 10.04), ("CVprune", 10.93), ("SRMprune", 10.95)):
        for i in range(100):
            # All folds of a repetition lie on the same side.
            error = mean + (1 if i // 10 % 2 else -1)
            rows.append(("here", method, 0.1, 2.0, i // 10, error))

    results = pd.DataFrame(
        rows, columns=["dataset", "method", "a1", "a2", "repetition", "error"]
    )
    table = compare_with_published(results, published, "error")

    # Of ten repetitions the deviation is sqrt(10 / 9); two standard errors of the
    # difference are 2 sqrt(2 * 10 / 9 / 10) = 0.943.
    assert (
        table["flag"].tolist()
        == ["equal", "within", "differs"]
        + ["not available"] * 3
        + ["not identified"] * 3
    )
    assert table["mean"].tolist()[:3] == pytest.approx([10.04, 10.93, 10.95])
    assert table["sd"].tolist()[:3] == pytest.approx([1, 1, 1])
    assert list(table) == [
        "dataset",
        "method",
        "published_mean",
        "published_sd",
        "mean",
        "sd",
        "flag",
    ]


def test_monks_need_no_file():
    X, y, n_values = yildiz2012.encoded("monks-1")
    assert (X.shape, y.sum(), n_values.tolist()) == ((432, 6), 216, [3, 3, 2, 3, 4, 2])
    try:
        bunch = load("monks-1")
    except DataNotAvailable:
        pytest.skip("the file is not here")

    theirs = {
        tuple(map(int, row)): int(c)
        for row, c in zip(bunch.data, bunch.target, strict=True)
    }
    assert theirs == {tuple(map(int, x + 1)): int(c) for x, c in zip(X, y, strict=True)}


def test_deviations_are_those_of_the_means_of_repetitions():
    results = pd.DataFrame(
        {
            "dataset": "one",
            "method": "NOprune",
            "repetition": [0, 0, 1, 1],
            "error": [0.0, 4.0, 1.0, 5.0],
        }
    )
    deviation = yildiz2012.deviations_of_repetitions(results, "error")
    assert deviation["one", "NOprune"] == pytest.approx(np.std([2, 3], ddof=1))
    error = yildiz2012.errors_of_differences(results, "error")
    assert error["one", "NOprune"] == pytest.approx(np.std([2, 3], ddof=1))


def test_the_bound_of_an_unpruned_tree_is_that_of_its_training_error():
    train, test = next(yildiz2012.encoded("monks-1").folds(0))
    of_theory, of_paper = yildiz2012.bounds_in_folds(train, test, 0)
    assert (of_theory["a1"], of_paper["a1"]) == (4.0, 0.1)

    # Without training error the bound is the penalty, which a1 multiplies.
    assert of_theory["bound"] == pytest.approx(40 * of_paper["bound"])
    assert 0 <= of_paper["error"] == of_theory["error"] <= 1
