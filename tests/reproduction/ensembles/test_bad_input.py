"""Bad input: scikit-learn's conventions, the argument named."""

import numpy as np
import pytest

from reproduction.ensembles import (
    adaboost,
    bootstrap_coverage,
    bootstrap_sample,
    forward_stagewise,
    gradient_boosting,
    newton_boosting,
)


def logistic(X, y, **options):
    return gradient_boosting(X, y, "logistic", **options)


def logistic_newton(X, y, **options):
    return newton_boosting(X, y, "logistic", **options)


def squared_stagewise(X, y, **options):
    return forward_stagewise(X, y, loss="squared", **options)


CLASSIFY = [adaboost, forward_stagewise, logistic, logistic_newton]
REGRESS = [squared_stagewise, gradient_boosting, newton_boosting]
X = np.arange(8.0).reshape(4, 2)
Y = np.array([0, 1, 1, 0])


@pytest.mark.parametrize("fit", CLASSIFY + REGRESS)
class TestEveryFunction:
    def test_empty_data(self, fit):
        with pytest.raises(ValueError, match=r"0 sample\(s\)"):
            fit(np.empty((0, 2)), [])

    def test_no_feature(self, fit):
        with pytest.raises(ValueError, match=r"0 feature\(s\)"):
            fit(np.empty((4, 0)), Y)

    @pytest.mark.parametrize("bad", [np.nan, np.inf])
    def test_not_finite(self, fit, bad):
        with pytest.raises(ValueError, match="X contains"):
            fit(np.where(X == 3, bad, X), Y)
        with pytest.raises(ValueError, match="y contains"):
            fit(X, [0, 1, bad, 1])

    def test_lengths_differ(self, fit):
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            fit(X, [0, 1])

    @pytest.mark.parametrize("rounds", [0, -1, 2.5, True, None, "10"])
    def test_number_of_rounds(self, fit, rounds):
        with pytest.raises(ValueError, match="n_rounds"):
            fit(X, Y, n_rounds=rounds)

    def test_predicting_for_other_data(self, fit):
        model = fit(X, Y)
        with pytest.raises(ValueError, match="X must have 2 features"):
            model.predict(X[:, :1])
        with pytest.raises(ValueError, match="X contains NaN"):
            model.predict([[np.nan, 0.0]])
        assert model.predict(X[:1]).shape == (1,)


@pytest.mark.parametrize("fit", CLASSIFY)
def test_one_class(fit):
    with pytest.raises(ValueError, match=r"y must hold .*two classes; got 1"):
        fit(X, np.zeros(4))


@pytest.mark.parametrize("fit", CLASSIFY)
def test_three_classes(fit):
    with pytest.raises(ValueError, match="y must hold two classes; got 3"):
        fit(X, [0, 1, 2, 0])


@pytest.mark.parametrize("fit", [gradient_boosting, logistic, newton_boosting, logistic_newton])
@pytest.mark.parametrize("rate", [0, -0.1, np.nan, np.inf, "0.1", None, True])
def test_learning_rate(fit, rate):
    with pytest.raises(ValueError, match="learning_rate"):
        fit(X, Y, learning_rate=rate)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_depth", 0),
        ("reg_lambda", -1.0),
        ("gamma", -1.0),
        ("min_child_weight", np.nan),
        ("colsample_bynode", 0.0),
        ("colsample_bynode", 1.5),
        ("loss", "absolute"),
    ],
)
def test_parameters_of_newton_boosting(name, value):
    with pytest.raises(ValueError, match=name):
        newton_boosting(X, Y, **{name: value})


@pytest.mark.parametrize("large", ["X", "y"])
def test_too_large_for_single_precision(large):
    data = {"X": X, "y": Y.astype(float)}
    data[large] = data[large] * 1e39
    with pytest.raises(ValueError, match=f"{large} contains infinity or a value too large"):
        newton_boosting(**data)


def test_other_parameters():
    for fit, options in (
        (gradient_boosting, {"leaf_step": "none"}),
        (gradient_boosting, {"max_depth": 0}),
        (gradient_boosting, {"loss": "exponential"}),
        (forward_stagewise, {"loss": "logistic"}),
    ):
        with pytest.raises(ValueError, match=next(iter(options))):
            fit(X, Y, **options)
    for function in (bootstrap_coverage, bootstrap_sample):
        with pytest.raises(ValueError, match="n_examples"):
            function(0)
