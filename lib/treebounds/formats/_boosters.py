"""What models of LightGBM and XGBoost have in common."""

from __future__ import annotations

import os
from typing import Any

from treebounds._validation import check_integer

_HINTS = {
    "LightGBM": "lightgbm.Booster(model_file=path) reads one",
    "XGBoost": "xgboost.Booster(model_file=path) reads one",
}


def booster_of(model: Any, library: str, wrapper: str) -> Any:
    """The model if it is a booster, or the booster inside its scikit-learn wrapper, or
    a ValueError.
    """
    if isinstance(model, str | bytes | os.PathLike):
        raise ValueError(
            f"model must be a model of {library}, not the name or the text of a file;"
            f" {_HINTS[library]}"
        )
    kinds = {kind.__name__ for kind in type(model).__mro__}
    is_own = type(model).__module__.startswith(library.lower())
    if not is_own or not kinds & {"Booster", wrapper}:
        raise ValueError(
            f"model must be a {library} booster, classifier or regressor; got"
            f" {type(model).__name__}"
        )
    if "Booster" in kinds:
        return model
    return model.get_booster() if hasattr(model, "get_booster") else model.booster_


def check_has_trees(n_trees: int) -> None:
    """Raise a ValueError if a model has no trees."""
    if n_trees == 0:
        raise ValueError(
            "model has no trees: it was fitted with 0 rounds; fit it with at least one"
        )


def choose_tree(tree: int | None, n_trees: int) -> int:
    """The number of a tree in a model, or a ValueError if it is out of range, or None
    with several trees.
    """
    check_has_trees(n_trees)
    if tree is None and n_trees != 1:
        raise ValueError(
            f"tree: the model has {n_trees} trees; name one, from 0 to {n_trees - 1}"
        )
    if tree is None:
        return 0
    number = check_integer(tree, "tree", minimum=0)
    if number >= n_trees:
        raise ValueError(f"tree must be from 0 to {n_trees - 1}; got {tree}")
    return number
