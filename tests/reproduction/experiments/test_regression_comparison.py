"""The comparison of prunings of regression trees."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.tree import DecisionTreeRegressor

from reproduction.experiments import regression_comparison as experiment


@pytest.fixture(scope="module")
def noise():
    return experiment.simulated("noise", draw=0, m=120)


def test_every_way_has_a_row_beside_ten_folds(noise):
    rows = experiment.judged(noise, draw=0)
    methods = [row["method"] for row in rows]
    assert set(experiment.ESTIMATORS) < set(methods)
    assert len(set(methods)) == len(methods)
    assert rows[methods.index(experiment.TEN_FOLDS)]["percent"] == 0


def test_a_tree_of_one_leaf_can_be_chosen(noise):
    tree = experiment._limit(DecisionTreeRegressor(random_state=0), 1, noise)
    assert tree.get_n_leaves() == 1


def test_the_grid_of_alphas_is_that_of_scikit_learn():
    data = experiment.simulated("steps", draw=1, m=200)
    grower = DecisionTreeRegressor(random_state=0)
    whole = experiment._whole_tree(grower, data)
    folds = experiment._trees_of_folds(grower, data)
    spacing = "in equal ratios"
    search = GridSearchCV(
        grower,
        {"ccp_alpha": experiment._grid_of_alphas(whole, spacing)},
        cv=KFold(experiment.N_GRID_FOLDS),
        scoring="neg_mean_squared_error",
    ).fit(data.X_train, data.y_train)
    replica = experiment._grid_searched(grower, data, whole, folds, spacing)
    assert replica.ccp_alpha == pytest.approx(search.best_params_["ccp_alpha"])


def test_the_best_first_order_is_that_of_scikit_learn():
    data = experiment.simulated("friedman", draw=2, m=150)
    grower = DecisionTreeRegressor(random_state=0)
    tree = experiment.from_sklearn(grower.fit(data.X_train, data.y_train))
    errors = experiment._errors_by_size(tree, tree.leaf_costs)
    for size in (2, 5, 11):
        limited = experiment._limit(DecisionTreeRegressor(random_state=0), size, data)
        off = data.y_train - limited.predict(data.X_train)
        assert errors[size - 1] == pytest.approx(np.sum(off**2), rel=1e-9)


def test_the_summary_has_one_row_for_each_way():
    rows = pd.DataFrame(
        [
            {"dataset": name, "draw": draw, **row}
            for name in ("a", "b")
            for draw in range(2)
            for row in experiment.judged(
                experiment.simulated("linear", draw, m=60), draw, rivals=False
            )
        ]
    )
    table = experiment.summary(rows)
    assert set(table.index) == set(experiment.ESTIMATORS)
    assert table.loc["no pruning", "time"] == 1
