"""scikit-learn's own checks, for every estimator and every value of every option that
is ours.
"""

import ast
import re

import pytest
from sklearn.base import is_classifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from builders import CERTIFIED_REGRESSORS, ESTIMATORS, REGRESSORS
from treebounds import (
    BoundPrunedTreeClassifier,
    CertifiedClassifier,
    CertifiedRegressor,
    CertifiedTreeClassifier,
    PrunedTreeRegressor,
)

# Together with the others, each class occurs, and each value of a tag.
MORE = [
    BoundPrunedTreeClassifier(feature_kinds={}),
    CertifiedTreeClassifier(method="message"),
    CertifiedClassifier(DecisionTreeClassifier()),
    CertifiedClassifier([("bayes", GaussianNB())], n_halvings=1),
    CertifiedRegressor(DecisionTreeRegressor()),
]


def expected_failures(estimator):
    """What fails through no fault of ours, or has another meaning here."""
    counts = isinstance(estimator, BoundPrunedTreeClassifier | PrunedTreeRegressor)
    if counts and isinstance(estimator.rule, str):
        kinds = ("dense", "sparse")
        reason = (
            "weights count for their effective sample size, so weight 2 is less than"
            " two examples"
        )
        return {
            f"check_sample_weight_equivalence_on_{kind}_data": reason for kind in kinds
        }
    return {}


@pytest.mark.no_cover
@pytest.mark.filterwarnings("ignore:The least populated class in y has only")
@pytest.mark.filterwarnings("ignore:cv=3, but the largest class")
@parametrize_with_checks(
    [*ESTIMATORS, *REGRESSORS, *CERTIFIED_REGRESSORS, *MORE],
    expected_failed_checks=expected_failures,
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kind", list(map(type, ESTIMATORS[:3])))
def test_what_scikit_learns_trees_have_too_has_its_defaults(kind):
    """Without our pruning they are the trees that a user of scikit-learn knows."""
    theirs = DecisionTreeClassifier().get_params()
    ours = kind().get_params()
    assert {name: ours.get(name, theirs[name]) for name in theirs} == theirs
    assert len(ours.keys() & theirs.keys()) >= 11


@pytest.mark.parametrize("tree", [*ESTIMATORS, *REGRESSORS, *CERTIFIED_REGRESSORS])
def test_an_attribute_without_a_parameter_is_that_of_a_plain_tree(tree):
    """For example, no subtree is pruned by the price of scikit-learn, ccp_alpha."""
    is_for_classes = is_classifier(tree)
    plain = DecisionTreeClassifier() if is_for_classes else DecisionTreeRegressor()
    lacking = plain.get_params().keys() - tree.get_params()
    for name in lacking.intersection(dir(tree)):
        assert getattr(tree, name) == getattr(plain, name)


@pytest.mark.parametrize("kind", list(map(type, ESTIMATORS[1:])))
def test_a_default_is_what_the_documentation_says(kind):
    defaults = dict(re.findall(r"^ *(\w+) : .*default=(.*)$", kind.__doc__, re.M))
    assert len(defaults) >= 3
    assert {
        name: ast.literal_eval(text) for name, text in defaults.items()
    }.items() <= kind().get_params().items()
