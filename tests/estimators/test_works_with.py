"""What people do with scikit-learn's trees works on the pruned ones."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.inspection import PartialDependenceDisplay, permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import export_graphviz, export_text, plot_tree

from builders import ESTIMATORS
from treebounds import BoundPrunedTreeClassifier, CostComplexityPrunedTreeClassifier
from treebounds.estimators._publishing import HasNoPruningPath
from treebounds.pruning.bound import CAPACITIES
from treebounds.pruning.choice import RULES
from treebounds.pruning.rules import ErrorBasedRule

FRAME = load_iris(as_frame=True)
X = FRAME.data
Y = FRAME.target
BOUNDS = {"capacity": CAPACITIES, "error_prior_ratio": [2**-5, 0.5, "held-out"]}


@pytest.fixture(params=ESTIMATORS, ids=lambda tree: type(tree).__name__)
def tree(request):
    return clone(request.param)


def test_exports_and_plots(tree):
    pytest.importorskip("matplotlib").use("Agg")
    tree.fit(X, Y)
    assert tree.feature_names_in_.tolist() == list(X)
    assert (
        export_text(tree, feature_names=list(X)).count("class:") == tree.get_n_leaves()
    )
    assert export_graphviz(tree).startswith("digraph")
    boxes = [text for text in plot_tree(tree) if "samples" in text.get_text()]
    assert len(boxes) == tree.tree_.node_count
    assert tree.decision_path(X).shape == (len(Y), tree.tree_.node_count)
    np.testing.assert_array_equal(
        tree.to_sklearn().predict_proba(X), tree.predict_proba(X)
    )
    if not isinstance(tree, HasNoPruningPath):
        assert tree.cost_complexity_pruning_path(X, Y).ccp_alphas[0] == 0
    else:
        with pytest.raises(
            AttributeError,
            match="has no cost_complexity_pruning_path; DecisionTreeClassif",
        ):
            tree.cost_complexity_pruning_path(X, Y)


@pytest.mark.no_cover
def test_inside_other_estimators(tree):
    with config_context(enable_metadata_routing=True):
        assert cross_val_predict(tree, X, Y, cv=3, method="predict_proba").shape == (
            150,
            3,
        )
    search = GridSearchCV(tree, {"max_leaf_nodes": [2, 9]}, cv=3).fit(X, Y)
    assert search.best_params_ == {"max_leaf_nodes": 9}
    pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), tree).fit(
        X, Y
    )
    assert pipeline.score(X, Y) > 0.8
    if "duplicates" in tree.get_params():
        tree.set_params(duplicates="ignore")  # a bootstrap repeats rows
    assert (
        BaggingClassifier(tree, n_estimators=2, random_state=0).fit(X, Y).score(X, Y)
        > 0.8
    )
    table = X.assign(color=np.where(Y == 0, "red", "blue"))
    columns = make_column_transformer(
        (OneHotEncoder(), ["color"]), remainder="passthrough"
    )
    assert make_pipeline(columns, tree).fit(table, Y).score(table, Y) > 0.8


@pytest.mark.no_cover
def test_inspection(tree):
    pytest.importorskip("matplotlib").use("Agg")
    tree.fit(X, Y)
    importances = permutation_importance(tree, X, Y, n_repeats=2, random_state=0)
    assert importances.importances_mean.max() > 0.1
    assert tree.feature_importances_.sum() == pytest.approx(1)
    PartialDependenceDisplay.from_estimator(tree, X, [2], target=0, grid_resolution=3)
    with pytest.raises(ValueError, match="feature names should match"):
        tree.predict(X.rename(columns={X.columns[0]: "other"}))


def test_boosting_takes_what_takes_weights():
    cross_validated = CostComplexityPrunedTreeClassifier(max_depth=2, random_state=0)
    assert (
        AdaBoostClassifier(cross_validated, n_estimators=3).fit(X, Y).score(X, Y) > 0.8
    )
    assert (
        AdaBoostClassifier(BoundPrunedTreeClassifier(random_state=0))
        .fit(X, Y)
        .score(X, Y)
        > 0.9
    )


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("estimator", "grid"),
    [
        (
            BoundPrunedTreeClassifier(max_leaf_nodes=8, random_state=0),
            [
                {
                    "rule": [
                        *(RULES.keys() - {"reduced-error", "local", "counted"}),
                        2,
                        ErrorBasedRule(0.01),
                    ]
                },
                BOUNDS,
            ],
        ),
        (
            CostComplexityPrunedTreeClassifier(cv=2, random_state=0),
            {
                "selection": ["minimum", "one-standard-error"],
                "carry": ["errors", "fractions"],
            },
        ),
    ],
    ids=["bound", "cost-complexity"],
)
def test_a_search_over_everything_runs(estimator, grid):
    search = GridSearchCV(estimator, grid, cv=2, error_score="raise").fit(X, Y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
