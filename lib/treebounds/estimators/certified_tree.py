"""A decision tree that comes with its certificate."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state

from treebounds._validation import InvalidParameterError, check_option, keep_parameters
from treebounds.estimators._base import OneOutputTreeClassifier
from treebounds.estimators.validated import CostComplexityPrunedTreeClassifier
from treebounds.formats.scikit_learn import (
    from_sklearn,
    plain_tree,
    to_sklearn,
    with_classes,
)
from treebounds.risk._features import known_features
from treebounds.risk.certificate import METHODS, Certificate, refuse_unused
from treebounds.risk.compression import message_candidates
from treebounds.risk.growth_bounds import growth_candidates
from treebounds.risk.halving import best_of_halvings, check_learner
from treebounds.risk.occam import occam_bounds
from treebounds.risk.tail_inversion import check_delta
from treebounds.risk.tree_certificates import best_member, certificate_of_tree
from treebounds.trees.counting import held_out_errors


class CertifiedTreeClassifier(OneOutputTreeClassifier):
    """A decision tree with a certificate: an upper bound on its risk that holds with
    probability 1 - delta.

    The attribute ``certificate_`` holds the certificate, which is about the tree that
    predicts. You need not hold out any examples yourself.

    **Fix the design before you see the data.** The certificate holds for one call of
    ``fit`` whose parameters, ``random_state`` included, were not chosen by looking at
    the certificates, or the test errors, of other calls on the same data.

    Parameters
    ----------
    method : {"halves", "message", "occam", "growth"}
        - "halves": halve the examples, grow a tree on one half, test it on the other,
          and exchange the halves; do so ``n_halvings`` times with each learner and keep
          the tree with the smallest bound, see :mod:`treebounds.risk.halving`. This
          usually gives the smallest certificate, and the best tree.
        - "message": grow one tree on all examples and keep the pruning along the
          weakest-link sequence with the smallest sample compression bound, see
          :mod:`treebounds.risk.compression`.
        - "occam": grow a tree on one half of the examples, and prune and certify it on
          the other half, see :mod:`treebounds.risk.occam`.
        - "growth": grow one tree on all examples and keep the pruning with the smallest
          bound, which counts the labelings of all trees with as many leaves.
    learners : sequence of names or unfitted tree classifiers, default=("pruned",)
        Only for "halves". "pruned": cost-complexity pruning by three folds.
    n_halvings : int, default=4
        Number of halvings; only for "halves".
    delta : float, default=0.05
        Probability with which the certificate may fail.
    max_leaf_nodes : int or None, default=40
        The most leaves that a tree may have before it is pruned. A learner whose own
        ``max_leaf_nodes`` is larger or None gets this value; with None each learner
        keeps its own.
    feature_kinds : dict or "from_dtype", default=None
        Only for "growth", see :func:`certify`.
    remember : bool, default=True
        See :class:`BoundPrunedTreeClassifier`.
    n_jobs : int, default=None
        Only for "halves": number of trees to grow in parallel.
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    certificate_ : treebounds.risk.Certificate
        ``value``, ``n_errors``, ``n_examples``, for "halves" ``learner`` and
        ``halving``; its ``estimator`` is the tree.
    candidates_ : Candidates
        For "halves", all candidates among which the tree was chosen; ``to_frame()``
        lists them.
    tree_, classes_, n_classes_, n_features_in_, feature_names_in_,
    feature_importances_, max_features_
        As ``DecisionTreeClassifier`` has them, for the tree that predicts.

    Raises
    ------
    ValueError
        If a parameter is outside its range, or has another value than its default
        although ``method`` does not use it.

    Notes
    -----
    A certificate counts examples, so ``fit`` takes no weights. "halves" takes
    ``groups``; the other methods are proved for independent examples and refuse them.
    If a class is absent from the half that a tree is grown on, each test example of it
    counts as an error. "halves" accepts missing values if the learners do, and so does
    "occam".

    In a pipeline, the earlier steps are fitted to all examples, and the certificate
    does not allow for that. Give the whole pipeline to :class:`CertifiedClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from treebounds import CertifiedTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = CertifiedTreeClassifier(random_state=0).fit(X, y)
    >>> model.certificate_.n_examples, model.certificate_.n_candidates
    (284, 8)
    """

    def __init__(
        self,
        *,
        method: str = "halves",
        learners: Iterable[Any] = ("pruned",),
        n_halvings: int = 4,
        delta: float = 0.05,
        max_leaf_nodes: int | None = 40,
        feature_kinds: Any = None,
        remember: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        keep_parameters(self, locals())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        # Learners given by name accept missing values; fit refuses entries that are not
        # classifiers.
        learners = self.learners if isinstance(self.learners, Iterable) else ()
        given = [
            one
            for one in learners
            if hasattr(one, "__sklearn_tags__") and not isinstance(one, type)
        ]
        takes_nan = all(one.__sklearn_tags__().input_tags.allow_nan for one in given)
        tags.input_tags.allow_nan = (
            takes_nan if self.method == "halves" else self.method == "occam"
        )
        return tags

    def fit(
        self, X: Any, y: Any, *, groups: ArrayLike | None = None
    ) -> CertifiedTreeClassifier:
        """Grow trees, choose one of them, and certify it.

        Parameters
        ----------
        X : (n_examples, n_features) array
        y : (n_examples,) array
        groups : (n_examples,) array, optional
            Which examples belong together, at least 4 groups; only with method
            "halves".

        Returns
        -------
        self
        """
        self._check_parameters(groups)
        given = X
        X, y = self._checked_sample(X, y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.n_classes_, self.n_outputs_, self.max_features_ = (
            len(self.classes_),
            1,
            X.shape[1],
        )
        if self.method == "halves":
            certificate = self._from_halves(X, y, groups)
        else:
            certificate = self._from_one_tree(given, X, codes)
        # Predictions need none of the other attributes of the tree's learner.
        tree = certificate.estimator
        self.tree_ = (
            tree.tree_
            if tree.n_classes_ == self.n_classes_
            else with_classes(tree, self.classes_)
        )
        self.certificate_ = replace(certificate, estimator=plain_tree(tree))
        return self

    def _check_parameters(self, groups: ArrayLike | None) -> None:
        """Raise a ValueError if a parameter is outside its range, or is set but not
        used by the method.
        """
        check_option(
            self.method, "method", tuple(one for one in METHODS if one != "test-set")
        )
        check_delta(self.delta)
        refuse_unused("groups", groups is not None, self.method)
        defaults = type(self)().get_params(deep=False)
        for name in ("learners", "n_halvings", "feature_kinds"):
            refuse_unused(name, getattr(self, name) != defaults[name], self.method)

    def _from_halves(
        self, X: NDArray[np.float32], y: NDArray[Any], groups: ArrayLike | None
    ) -> Certificate:
        """The certificate of the best tree of all halvings."""
        if isinstance(self.learners, str) or not isinstance(self.learners, Iterable):
            raise InvalidParameterError(
                f"learners must be a sequence; got {self.learners!r}"
            )
        learners = [_learner(one, self.max_leaf_nodes) for one in self.learners]
        design = {
            name: getattr(self, name)
            for name in ("n_halvings", "delta", "n_jobs", "random_state")
        }
        found, self.candidates_ = best_of_halvings(
            learners, X, y, groups=groups, **design
        )
        return found

    def _from_one_tree(
        self, given: Any, X: NDArray[np.float32], codes: NDArray[np.intp]
    ) -> Certificate:
        """The certificate of the pruning of one tree with the smallest bound."""
        judged: Any = slice(None)
        about: dict[str, Any] = {}
        grown_on, delta = judged, float(self.delta)
        if self.method == "occam":
            if len(codes) < 2:
                raise ValueError(
                    "X must have at least 2 rows to be halved; got n_samples = 1"
                )
            order = check_random_state(self.random_state).permutation(len(codes))
            judged, grown_on = np.split(order, [len(codes) // 2])
        grower = DecisionTreeClassifier(
            max_leaf_nodes=self.max_leaf_nodes, random_state=self.random_state
        )
        grown = grower.fit(X[grown_on], codes[grown_on])
        grown.tree_, grown.n_classes_ = (
            with_classes(grown, np.arange(self.n_classes_)),
            self.n_classes_,
        )
        X, codes, tree = X[judged], codes[judged], from_sklearn(grown)
        if self.method == "message":
            best = min(
                message_candidates(tree, X, codes, delta), key=lambda one: one.value
            )
            about = {
                "n_errors": best.n_errors,
                "n_examples": len(codes) - len(best.examples),
            }
            value, pruned = best.value, to_sklearn(best.tree, self.classes_)
        elif self.method == "growth":
            features = known_features(given, X, self.feature_kinds)
            value, pruned = best_member(
                grown, *growth_candidates(tree, len(codes), features, delta)
            )
        else:
            errors = held_out_errors(tree, X, codes)
            value, pruned = best_member(
                grown, *occam_bounds(tree, errors, len(codes), delta)
            )
        pruned.classes_ = self.classes_
        return certificate_of_tree(
            value, self.method, delta, pruned, X, self.classes_[codes], **about
        )


class PrunedLearner(CostComplexityPrunedTreeClassifier):
    """Cost-complexity pruning that also works on a half with very few examples."""

    def fit(self, X: Any, y: Any, *arguments: Any, **options: Any) -> Any:
        """As in the base class, but without its warnings, and with a stump if no class
        has two examples.
        """
        if np.unique(y, return_counts=True)[1].max() < 2:
            return DecisionTreeClassifier(
                max_leaf_nodes=2, random_state=self.random_state
            ).fit(X, y)
        with warnings.catch_warnings():
            # If the classes of the half are small, there are fewer folds, or folds that
            # lack a class.
            warnings.filterwarnings(
                "ignore", "The least populated class|cv=.*, but", UserWarning
            )
            return super().fit(X, y, *arguments, **options)


def _learner(learner: Any, max_leaf_nodes: int | None) -> tuple[str, Any]:
    """The name of a learner, and the learner with this limit on its leaves."""
    if isinstance(learner, str):
        name = check_option(learner, "learners", ("pruned",))
        one = PrunedLearner()
    else:
        name, one = type(learner).__name__, clone(check_learner(learner))
    if (
        not isinstance(one, DecisionTreeClassifier)
        or type(one).predict is not DecisionTreeClassifier.predict
    ):
        others = "For other classifiers, and for pipelines, use CertifiedClassifier"
        raise ValueError(
            f"learners must be names or decision trees; got {learner!r}. {others}"
        )
    if max_leaf_nodes is not None and (
        one.max_leaf_nodes is None or one.max_leaf_nodes > max_leaf_nodes
    ):
        one.set_params(max_leaf_nodes=max_leaf_nodes)
    return name, one
