"""Estimators that choose one of several models, which may have names."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from treebounds._validation import check_flag
from treebounds._versions import Versioned
from treebounds.estimators._misuse import NoticesMisuse
from treebounds.risk.halving import Halvings
from treebounds.risk.reuse.memory import RowMemory
from treebounds.trees._record import RECORD, keep_record


class ModelChoice(NoticesMisuse, Versioned, MetaEstimatorMixin, BaseEstimator):
    """An estimator that chooses one of its parameter ``estimators``: one model, or a
    list of models or of pairs of a name and a model.
    """

    estimators: Any
    remember: bool

    def __sklearn_tags__(self) -> Any:
        """Its own tags; of the input, it accepts what all models accept."""
        tags = super().__sklearn_tags__()
        of_learners = [
            get_tags(learner).input_tags
            for _, learner in self._named()
            if hasattr(learner, "__sklearn_tags__")
        ]
        for kind in ("sparse", "allow_nan", "categorical", "string", "pairwise"):
            values = [getattr(input_tags, kind) for input_tags in of_learners]
            setattr(tags.input_tags, kind, bool(values) and all(values))
        return tags

    def _learned(self, halvings: Halvings) -> dict[str, Any]:
        """The fitted attributes, by name, that every choice of a model has."""
        chosen = halvings.certificate.estimator
        learned: dict[str, Any] = {
            "certificate_": halvings.certificate,
            "candidates_": halvings.candidates,
            "estimator_": chosen,
        }

        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(chosen, name):
                learned[name] = getattr(chosen, name)

        if check_flag(self.remember, "remember"):
            # certify recognizes the rows whichever of the two it gets.
            learned[RECORD] = RowMemory.of_hashes(halvings.hashes)
            keep_record(chosen, learned[RECORD])
        return learned

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters, and with ``deep`` those of the models that have names.

        As in ``VotingClassifier``, ``set_params(rf__n_estimators=3)`` reaches the
        classifier that is given as ``("rf", RandomForestClassifier())``, and
        ``set_params(rf=other)`` replaces it.

        Parameters
        ----------
        deep : bool

        Returns
        -------
        dict
        """
        params: dict[str, Any] = super().get_params(deep=deep)
        if not deep:
            return params

        for name, learner in self._pairs():
            params[name] = learner
            if hasattr(learner, "get_params") and not isinstance(learner, type):
                of_learner = learner.get_params(deep=True)
                params |= {f"{name}__{key}": value for key, value in of_learner.items()}
        return params

    def set_params(self, **params: Any) -> ModelChoice:
        """Set parameters, also those of the models that have names.

        Parameters
        ----------
        **params

        Returns
        -------
        self
        """
        all_params = dict(params)
        if "estimators" in params:
            self.estimators = params.pop("estimators")

        replaced = {name for name, _ in self._pairs()} & params.keys()
        if replaced:
            self.estimators = [
                (name, params.pop(name, learner)) for name, learner in self._pairs()
            ]

        super().set_params(**params)
        self._note(all_params)
        return self

    def _pairs(self) -> list[tuple[str, Any]]:
        """The pairs of a name and a model, if all are given as pairs."""
        if not isinstance(self.estimators, list | tuple):
            return []
        pairs = [
            (entry[0], entry[1])
            for entry in self.estimators
            if isinstance(entry, list | tuple)
            and len(entry) == 2
            and isinstance(entry[0], str)
        ]
        if len(pairs) < len(self.estimators):
            return []
        return pairs

    def _check_names(self) -> None:
        """Raise a ValueError if a name has another meaning in ``set_params``."""
        names = [name for name, _ in self._pairs()]
        own = self.get_params(deep=False)
        for name in names:
            if name in own or "__" in name or names.count(name) > 1:
                raise ValueError(
                    f"estimators: the name {name!r} must occur once, contain no '__'"
                    " and differ from the names of parameters"
                )

    def _named(self) -> list[tuple[str, Any]]:
        """The models with the given names or else those of their types, numbered
        if a name repeats.
        """
        is_list = isinstance(self.estimators, list | tuple)
        entries = self.estimators if is_list else [self.estimators]

        pairs: list[tuple[str, Any]] = []
        for entry in entries:
            name, learner = _name_and_learner(entry)
            if name in dict(pairs):
                name = f"{name}-{len(pairs) + 1}"
            pairs.append((name, learner))
        return pairs


def _name_and_learner(entry: Any) -> tuple[str, Any]:
    """A model with its name: the given one, or that of its type."""
    if isinstance(entry, list | tuple) and len(entry) == 2:
        return str(entry[0]), entry[1]
    last = entry[-1] if isinstance(entry, Pipeline) else entry
    return type(last).__name__, entry
