"""Pickles know the version that wrote them, and plain trees know nothing of this
library.
"""

import copy
import json
import pickle
import subprocess
import sys
import warnings

import pytest
import sklearn
from sklearn.base import is_regressor
from sklearn.datasets import load_iris
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treebounds
from builders import CERTIFIED_REGRESSORS, ESTIMATORS, REGRESSORS
from treebounds import certify, prune
from treebounds.exceptions import OtherVersionWarning
from treebounds.formats import from_sklearn

X, Y = load_iris(return_X_y=True)
TREE = DecisionTreeClassifier(max_leaf_nodes=4, random_state=0).fit(X[::2], Y[::2])
JUDGED = X[1::2], Y[1::2]
KINDS = {
    "ArrayTree": from_sklearn(TREE),
    "Certificate": certify(TREE, *JUDGED),
    "CertificateTable": certify(TREE, *JUDGED, by="leaf", min_rows=10),
}


def fitted(estimator):
    target = Y
    if is_regressor(estimator):
        target = X[:, 3]
    return sklearn.base.clone(estimator).fit(X, target)


@pytest.fixture(
    params=[*KINDS.values(), *ESTIMATORS, *REGRESSORS, *CERTIFIED_REGRESSORS],
    ids=lambda value: type(value).__name__,
)
def versioned(request):
    """An object whose pickle knows its version."""
    known = isinstance(request.param, tuple(type(value) for value in KINDS.values()))
    if known:
        return request.param
    return fitted(request.param)


def test_pickles_of_this_version_load_without_a_warning(versioned):
    with warnings.catch_warnings(action="error"):
        loaded = pickle.loads(pickle.dumps(versioned))
        copy.deepcopy(versioned)

    assert type(loaded) is type(versioned)
    assert not [name for name in vars(loaded) if "version" in name]


@pytest.mark.parametrize("version", ["99.0", "0.1.0"])
def test_pickles_of_another_version_load_with_a_warning(
    versioned, version, monkeypatch
):
    with monkeypatch.context() as patched:
        patched.setattr(treebounds, "__version__", version)
        pickled = pickle.dumps(versioned)

    kind = type(versioned).__name__
    message = (
        f"{kind} was pickled by version {version} of treebounds, and version"
        f" {treebounds.__version__}"
    )
    with pytest.warns(OtherVersionWarning) as caught:
        pickle.loads(pickled)
    assert any(str(warning.message).startswith(message) for warning in caught)
    assert {warning.filename for warning in caught} == {__file__}


def test_another_version_of_scikit_learn_warns_as_for_its_own_trees(monkeypatch):
    (estimator,) = (each for each in ESTIMATORS if "BoundPruned" in str(each))
    pickled = pickle.dumps(fitted(estimator))

    monkeypatch.setattr(treebounds._versions.sklearn, "__version__", "99.0")
    with pytest.warns(InconsistentVersionWarning, match=type(estimator).__name__):
        pickle.loads(pickled)


def test_a_pickle_without_a_version_loads_with_a_warning():
    certificate = KINDS["Certificate"]
    loaded = object.__new__(type(certificate))

    with pytest.warns(OtherVersionWarning, match="an unknown version"):
        loaded.__setstate__(vars(certificate))
    assert loaded == certificate


@pytest.mark.parametrize("remember", [False, True])
def test_a_pruned_plain_tree_loads_where_the_library_is_not_installed(
    remember, tmp_path
):
    numbers = DecisionTreeRegressor(random_state=0).fit(X, X[:, 3] + Y)
    pruned = [
        prune(TREE, remember=remember, X=X[::2], y=Y[::2]),
        prune(numbers, X, X[:, 3] + Y, remember=remember),
    ]
    pickled = pickle.dumps(pruned)
    assert b"treebounds" not in pickled

    path = tmp_path / "pruned.pickle"
    path.write_bytes(pickled)
    program = (
        "import pickle, sys; sys.modules['treebounds'] = None;"
        "trees = pickle.load(open(sys.argv[1], 'rb'));"
        "print([int(tree.get_n_leaves()) for tree in trees])"
    )
    process = subprocess.run(
        [sys.executable, "-c", program, path],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(process.stdout) == [tree.get_n_leaves() for tree in pruned]
