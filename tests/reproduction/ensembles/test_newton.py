"""Newton boosting against the xgboost package, and against its own objective."""

import json

import numpy as np
import pytest
import xgboost
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes

from reproduction.ensembles import best_newton_split, leaf_weight, newton_boosting, structure_score

DATA = {
    "squared": (load_diabetes, xgboost.XGBRegressor),
    "logistic": (load_breast_cancer, xgboost.XGBClassifier),
}
SETTINGS = [
    {},
    {"reg_lambda": 0.1, "min_child_weight": 0.5},
    {"reg_lambda": 10.0, "max_depth": 4, "learning_rate": 1.0},
    {"gamma": 2.0, "max_depth": 3},
    {"min_child_weight": 30.0},
    {"gamma": 1e9},
]


def preorder(node):
    yield node
    if node.left is not None:
        yield from preorder(node.left)
        yield from preorder(node.right)


def package_preorder(node):
    yield node
    for child in node.get("children", []):
        yield from package_preorder(child)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("loss", DATA)
def test_equal_to_the_package(loss, settings):
    load, package = DATA[loss]
    X, y = load(return_X_y=True)
    theirs = package(n_estimators=10, tree_method="exact", n_jobs=1, **settings).fit(X, y)
    ours = newton_boosting(X, y, loss, 10, **settings)
    dumps = theirs.get_booster().get_dump(with_stats=True, dump_format="json")
    rate, reg_lambda = settings.get("learning_rate", 0.3), settings.get("reg_lambda", 1.0)
    assert len(dumps) == len(ours.terms) == 10
    for tree, dump in zip(ours.terms, dumps, strict=True):
        largest = max(1.0, *(abs(node.weight) for node in preorder(tree)))
        for a, b in zip(preorder(tree), package_preorder(json.loads(dump)), strict=True):
            assert a.cover == pytest.approx(b["cover"], rel=1e-5)
            if a.left is None:
                assert rate * a.weight == pytest.approx(b["leaf"], rel=1e-5, abs=1e-5 * rate * largest)
            else:
                assert (f"f{a.feature}", a.threshold) == (b["split"], pytest.approx(b["split_condition"]))
                # a gain is a difference of scores, which the package computes in single precision
                score = a.weight**2 * (a.cover + reg_lambda)
                assert a.gain == pytest.approx(b["gain"], rel=1e-5, abs=1e-5 * max(1.0, score))
    margin = theirs.predict(X, output_margin=True)
    np.testing.assert_allclose(ours.decision_function(X), margin, rtol=1e-5, atol=1e-5)


finite = st.floats(-5, 5, width=32, allow_subnormal=False)


@given(st.lists(st.tuples(finite, finite, st.floats(0.125, 2, width=32)), min_size=2, max_size=9))
def test_best_split_by_trying_all(rows):
    x, g, h = np.array(rows, dtype=np.float64).T
    gain, _, threshold = best_newton_split(x.astype(np.float32)[:, None], g, h, 0.5, 0.0)
    gains = [
        sum(structure_score(g[s].sum(), h[s].sum(), 0.5) for s in (x < cut, x >= cut))
        - structure_score(g.sum(), h.sum(), 0.5)
        for cut in np.unique(x)[1:]
    ]
    if not gains:
        assert gain == -np.inf
        return
    assert gain == pytest.approx(max(gains), abs=1e-3)
    assert x.min() < threshold <= x.max()


@given(finite, st.floats(0.1, 5), st.floats(0, 5), finite)
def test_the_leaf_weight_is_the_minimum(G, H, reg_lambda, w):
    def objective(w):
        return G * w + (H + reg_lambda) * w**2 / 2

    best = leaf_weight(G, H, reg_lambda)
    assert objective(best) <= objective(w) + 1e-9
    assert objective(best) == pytest.approx(-structure_score(G, H, reg_lambda) / 2, abs=1e-9)


def test_gamma_is_monotone_and_columns_are_drawn():
    X, y = load_diabetes(return_X_y=True)
    leaves = [newton_boosting(X, y, n_rounds=1, gamma=g).terms[0].n_leaves for g in (0, 1e3, 1e4, 1e5, 1e9)]
    assert leaves == sorted(leaves, reverse=True)
    assert leaves[-1] == 1
    drawn = newton_boosting(X, y, n_rounds=30, max_depth=1, colsample_bynode=0.1, random_state=0)
    assert len({tree.feature for tree in drawn.terms}) > 5
