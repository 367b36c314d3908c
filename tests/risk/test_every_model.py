"""Every model of scikit-learn, with its default settings, and honest examples."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils import all_estimators

from treebounds import certify

# Models that cannot be fitted to these examples are left out: they need arguments, or
# other examples. Most can.
LEAST_CERTIFIED = {"classifier": 30, "regressor": 40, "transformer": 40}

pytestmark = pytest.mark.filterwarnings("ignore")


def with_end(kind, estimator):
    """A transformer with a classifier behind it; any other estimator itself."""
    if kind == "transformer":
        return make_pipeline(estimator(), LogisticRegression())
    return estimator()


def fitted_models(kind, X, y):
    """The models that can be fitted, and then predict a finite number for a single new
    example, by name.
    """
    models = {}
    for name, estimator in all_estimators(kind):
        try:
            model = with_end(kind, estimator).fit(X[:60], y[:60])
            predicted = np.concatenate([model.predict(X[60:]), model.predict(X[60:61])])
        except (AttributeError, IndexError, TypeError, ValueError):
            continue
        if np.isfinite(predicted).all():
            models[name] = model
    return models


@pytest.mark.parametrize("kind", LEAST_CERTIFIED)
def test_every_model_of_scikit_learn_is_certified_on_other_examples(kind):
    rng = np.random.default_rng(0)
    X = rng.exponential(size=(120, 4))
    y = X[:, 0] + rng.exponential(size=120)
    question = {"tolerance": 1.0}
    if kind != "regressor":
        y = (y > np.median(y)).astype(int)
        question = {}

    refused = {}
    models = fitted_models(kind, X, y)
    for name, model in models.items():
        try:
            certify(model, X[60:], y[60:], **question)
        except Exception as error:
            refused[name] = error
    assert refused == {}
    assert len(models) >= LEAST_CERTIFIED[kind]
