"""The model that XGBoost fits to spambase."""

import pytest

from reproduction.datasets import DataNotAvailable
from reproduction.experiments import boosted_model


def test_the_bounds_of_the_model_are_in_order():
    found = boosted_model.fitted_to_spambase()
    if isinstance(found, str):
        pytest.skip(f"NOT RUN: {found}")
    assert found.n_nodes < found.low < found.up
    assert found.n_examples == 4601


def test_a_missing_data_set_is_named(monkeypatch):
    def missing(name):
        raise DataNotAvailable(name)

    pytest.importorskip("xgboost")
    monkeypatch.setattr(boosted_model, "load", missing)
    assert "spambase" in boosted_model.fitted_to_spambase()
