"""An estimator publishes what it has learned in one step, after everything
succeeded.
"""

import inspect
import pickle
import subprocess
import sys
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_regressor
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.validation import check_is_fitted

from builders import CERTIFIED_REGRESSORS, ESTIMATORS, REGRESSORS
from treebounds import (
    BoundPrunedTreeClassifier,
    CertifiedClassifier,
    CertifiedTreeClassifier,
    CostComplexityPrunedTreeClassifier,
    PrunedTreeRegressor,
    prune,
)
from treebounds.formats import collapse_sklearn, from_sklearn, to_sklearn

X, Y = load_wine(return_X_y=True)
OTHER = np.where(X[:, 0] > 13, "high", "low")
SMALL = {"max_leaf_nodes": 6, "random_state": 0}
ALL = [
    *ESTIMATORS,
    BoundPrunedTreeClassifier(error_prior_ratio="held-out", random_state=0),
    BoundPrunedTreeClassifier(rule="noise", random_state=0),
    *(
        CertifiedTreeClassifier(method=method, **SMALL)
        for method in ("message", "occam", "growth")
    ),
    CertifiedClassifier(DecisionTreeClassifier(), n_halvings=1, random_state=0),
]
each = pytest.mark.parametrize(
    "estimator", [*ALL, *REGRESSORS, *CERTIFIED_REGRESSORS], ids=str
)


class Stop(Exception):
    """Raised where a fit is made to fail."""


def targets(estimator):
    """Two vectors y that the estimator can learn."""
    if is_regressor(estimator):
        return X[:, 0] + Y, X[:, 1] * 2.0
    return Y, OTHER


def learned(estimator):
    """Identities of the fitted attributes."""
    return {
        name: id(value) for name, value in vars(estimator).items() if name.endswith("_")
    }


def calls_of(fit, codes):
    """Number of calls of functions with these code objects during a fit."""
    count = 0

    def tracer(frame, event, _):
        nonlocal count
        if event == "call" and frame.f_code in codes:
            count += 1

    sys.setprofile(tracer)
    try:
        fit()
    finally:
        sys.setprofile(None)
    return count


def failing(fit, codes, number):
    """Run a fit that fails at the given call of one of these functions."""
    count = 0

    def tracer(frame, event, _):
        nonlocal count
        if event == "call" and frame.f_code in codes:
            count += 1
            if count == number:
                raise Stop

    sys.setprofile(tracer)
    try:
        fit()
    finally:
        sys.setprofile(None)


def codes_of_library():
    """Code objects of all functions of the modules that a fit goes through."""
    codes = set()
    for name, module in list(sys.modules.items()):
        if name.startswith(("treebounds.", "reproduction.distilled")):
            for value in vars(module).values():
                codes |= codes_within(value, module.__name__)
    return codes


def codes_within(value, module):
    """Code objects of a function, or of the methods of a class, of a module."""
    if inspect.isfunction(value) and value.__module__ == module:
        return {value.__code__}
    if inspect.isclass(value) and value.__module__ == module:
        methods = map(inspect.unwrap, filter(callable, vars(value).values()))
        return {method.__code__ for method in methods if inspect.isfunction(method)}
    return set()


@pytest.mark.no_cover
@each
def test_a_fit_that_fails_at_any_stage_changes_nothing(estimator):
    """Twelve calls inside the fit, spread over it, fail one after the other."""
    first, second = targets(estimator)
    model = clone(estimator).fit(X, first)
    before = learned(model)
    codes = codes_of_library()
    clone(estimator).fit(X, second)  # fills caches, so that the next fit is as the last
    n_calls = calls_of(partial(clone(estimator).fit, X, second), codes)
    assert n_calls > 20

    for number in np.unique(np.linspace(2, n_calls, 12).astype(int)).tolist():
        with pytest.raises(Stop):
            failing(partial(model.fit, X, second), codes, number)
        assert learned(model) == before

    unfitted = clone(estimator)
    with pytest.raises(Stop):
        failing(partial(unfitted.fit, X, first), codes, n_calls // 2)
    assert learned(unfitted) == {}


def test_named_classifiers_take_parameters_as_in_a_vote():
    pairs = [("small", DecisionTreeClassifier(max_depth=1)), ("b", GaussianNB())]
    model = CertifiedClassifier(pairs, n_halvings=1, random_state=0)
    assert model.get_params()["small__max_depth"] == 1
    assert clone(model).set_params(small__max_depth=3).estimators[0][1].max_depth == 3
    replaced = clone(model).set_params(b=DecisionTreeClassifier(), n_halvings=2)
    names = [type(learner).__name__ for _, learner in replaced.estimators]
    assert names == ["DecisionTreeClassifier"] * 2
    assert replaced.n_halvings == 2
    search = GridSearchCV(model, {"small__max_depth": [1, 2]}, cv=2).fit(X, Y)
    assert len(search.cv_results_["params"]) == 2
    with pytest.raises(ValueError, match="Invalid parameter 'c'"):
        model.set_params(c=3)


@pytest.mark.parametrize("names", [("delta",), ("a__b",), ("a", "a")])
def test_names_that_have_another_meaning_are_refused(names):
    pairs = [(name, GaussianNB()) for name in names]
    with pytest.raises(ValueError, match="estimators: the name"):
        CertifiedClassifier(pairs).fit(X, Y)


@pytest.mark.no_cover
@each
def test_a_second_fit_leaves_nothing_of_the_first(estimator):
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])])
    first, second = targets(estimator)
    again = clone(estimator).fit(frame, first).fit(X[:, :5], second)
    once = clone(estimator).fit(X[:, :5], second)
    assert learned(again).keys() == learned(once).keys()
    assert again.predict(X[:, :5]).tolist() == once.predict(X[:, :5]).tolist()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (BoundPrunedTreeClassifier(), {"rule": "noise"}),
        (CertifiedTreeClassifier(n_halvings=1, **SMALL), {"method": "growth"}),
        (BoundPrunedTreeClassifier(), {"remember": False}),
        (PrunedTreeRegressor(rule="counted"), {"rule": "local"}),
        (PrunedTreeRegressor(), {"rule": 3.0}),
    ],
)
def test_other_parameters_leave_no_attribute_of_an_earlier_life(first, second):
    refitted = clone(first).fit(X, Y).set_params(**second).fit(X, Y)
    once = clone(first).set_params(**second).fit(X, Y)
    assert learned(refitted).keys() == learned(once).keys()


@pytest.mark.parametrize(
    ("parameters", "rows"),
    [
        ({"capacity": "tight", "feature_kinds": {0: 2000}}, slice(None)),
        ({"error_prior_ratio": "held-out"}, slice(1)),
    ],
)
def test_what_the_bound_refuses_after_growing(parameters, rows):
    """The two cases in which a fit failed and left a fitted model."""
    model = BoundPrunedTreeClassifier(**parameters)
    with pytest.raises(ValueError, match=r"is for real-valued|n_samples = 1"):
        model.fit(X[rows], Y[rows])
    with pytest.raises(ValueError, match="not fitted"):
        check_is_fitted(model)


@pytest.mark.parametrize("estimator", [*ESTIMATORS, *REGRESSORS], ids=str)
def test_a_pruned_copy_carries_nothing_of_another_tree(estimator):
    y, _ = targets(estimator)
    model = clone(estimator).fit(X, y)
    pruned = prune(model, X, y, rule=20.0)
    kind = DecisionTreeRegressor if is_regressor(model) else DecisionTreeClassifier
    plain = kind().fit(X, y)
    assert type(pruned) is kind
    assert pruned.get_n_leaves() <= model.get_n_leaves()
    assert vars(pruned).keys() - {"_row_memory_"} == vars(plain).keys()


def test_the_certified_tree_is_the_one_that_the_certificate_speaks_of():
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])])
    model = CertifiedTreeClassifier(n_halvings=1, random_state=0).fit(frame, Y)
    certified = model.certificate_.estimator
    assert type(certified) is DecisionTreeClassifier
    assert certified.tree_ is model.tree_
    assert certified.feature_names_in_.tolist() == list(frame)


PLAIN = """
import pickle
import sys

class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "treebounds":
            raise ModuleNotFoundError(f"No module named {name!r}")

sys.meta_path.insert(0, Nothing())
for tree in pickle.load(sys.stdin.buffer):
    print(tree.get_n_leaves())
"""


def test_a_pruned_tree_loads_where_the_library_is_not_installed():
    grown = DecisionTreeClassifier(random_state=0).fit(X, Y)
    trees = [
        prune(grown),
        prune(grown, X, Y),
        prune(grown, X, Y, remember=True),
        BoundPrunedTreeClassifier(random_state=0).fit(X, Y).to_sklearn(),
        CertifiedTreeClassifier(**SMALL).fit(X, Y).certificate_.estimator,
    ]
    process = subprocess.run(
        [sys.executable, "-c", PLAIN],
        input=pickle.dumps(trees),
        capture_output=True,
        check=True,
    )
    expected = [int(tree.get_n_leaves()) for tree in trees]
    assert list(map(int, process.stdout.split())) == expected


def test_a_plain_tree_keeps_no_record_unless_asked():
    grown = DecisionTreeClassifier(random_state=0).fit(X, Y)
    assert not hasattr(prune(grown, X, Y), "_row_memory_")
    assert len(prune(grown, X, Y, remember=True)._row_memory_.hashes) > 100
    model = CostComplexityPrunedTreeClassifier(random_state=0).fit(X[::2], Y[::2])
    with_both = prune(model, X[1::2], Y[1::2], rule="reduced-error")
    assert len(with_both._row_memory_.hashes) > len(model._row_memory_.hashes)


@each
def test_a_fit_with_a_seed_leaves_the_generator_of_numpy_alone(estimator):
    before = np.random.get_state()  # noqa: NPY002
    model = clone(estimator).fit(X, targets(estimator)[0])
    if hasattr(model, "tree_"):
        collapse_sklearn(model.to_sklearn(), [0])
        to_sklearn(from_sklearn(model))
    after = np.random.get_state()  # noqa: NPY002
    assert all(map(np.array_equal, before, after))
