"""A model of 100 trees that XGBoost fits to the data set spambase, and its bounds."""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

import treebounds as tb
from reproduction.datasets import DataNotAvailable, load


class FittedModel(NamedTuple):
    """The nodes of a model, both bounds, and how many examples there are."""

    n_nodes: int
    low: int
    up: int
    n_examples: int


def fitted_to_spambase() -> FittedModel | str:
    """The model's numbers, or the reason why it was not fitted."""
    try:
        xgboost = import_module("xgboost")
        spam = load("spambase")
    except (ImportError, DataNotAvailable) as error:
        return str(error)

    model = xgboost.XGBClassifier(
        n_estimators=100, max_depth=6, n_jobs=1, random_state=0
    )
    model.fit(spam.data, spam.target)
    dump = model.get_booster().trees_to_dataframe()
    return FittedModel(
        int((dump["Feature"] != "Leaf").sum()),
        tb.vc_dimension_lower_bound(model),
        tb.vc_dimension_upper_bound(model),
        len(spam.target),
    )
