"""The way of rows and labels to the models inside a model."""

import numpy as np
import pytest
from sklearn.multiclass import (
    OneVsOneClassifier,
    OneVsRestClassifier,
    OutputCodeClassifier,
)
from sklearn.neighbors import KNeighborsClassifier

from treebounds.risk.models.inner_models import models_inside


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize(
    "divided",
    [
        OneVsRestClassifier,
        OneVsOneClassifier,
        lambda learner: OutputCodeClassifier(learner, code_size=3, random_state=0),
    ],
    ids=["rest", "one", "code"],
)
def test_a_model_of_two_parts_of_the_classes_gets_its_own_sample(divided, n_classes):
    """Nearest neighbors keep the rows and labels that they were fitted to."""
    rng = np.random.default_rng(0)
    X = rng.random((40, 2))
    y = np.array(list("dcba"))[rng.permutation(np.arange(40) % n_classes)]
    whole = divided(KNeighborsClassifier()).fit(X, y)
    (inner,) = (each for each in models_inside(whole) if each.numbers is not None)
    rows, labels = inner.sample(X, y)
    assert (rows == inner.model._fit_X).all()
    assert (labels == inner.model.classes_[inner.model._y]).all()
