"""Regressors with a certificate: how often they are off, and by how much."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils import indexable
from sklearn.utils.validation import check_is_fitted

from treebounds._row_order import check_same_order
from treebounds._validation import with_rows
from treebounds.estimators._checked_sample import check_sample, warn_of_units
from treebounds.estimators._learners import (
    REGRESSORS,
    accept_missing_values,
    check_learners,
    parameters_of_halvings,
)
from treebounds.estimators._misuse import NoticesMisuse, warn_of_limit
from treebounds.estimators._model_choice import ModelChoice
from treebounds.estimators._publishing import (
    HasNoPruningPath,
    NoCheckInput,
    OfCertifiedTree,
    PublishedTree,
    TableByLeaf,
    publish,
)
from treebounds.formats.scikit_learn import plain_tree
from treebounds.pruning._targets import check_numbers_to_predict
from treebounds.risk.checks import check_delta
from treebounds.risk.halving import best_of_halvings
from treebounds.risk.questions import Coverage, Question, Tolerance


class CertifiedTreeRegressor(
    NoticesMisuse,
    HasNoPruningPath,
    PublishedTree,
    DecisionTreeRegressor,
    NoCheckInput,
):
    """A regression tree with a certificate: on at most a share of new cases it is off
    by more than a tolerance, with probability 1 - delta.

    Either give the tolerance, and the share is bounded; or give the share to cover, and
    the tolerance is. No model of the noise is needed. You need not hold out any
    examples yourself.

    **Fix the design before you see the data.** The certificate holds for one call of
    ``fit`` whose parameters, ``random_state`` included, were not chosen by looking at
    the certificates, or the test errors, of other calls on the same data.

    >>> from sklearn.datasets import load_diabetes
    >>> from treebounds import CertifiedTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = CertifiedTreeRegressor(tolerance=100, random_state=0).fit(X, y)
    >>> model.certificate_.n_examples, model.certificate_.value < 0.3
    (221, True)

    Parameters
    ----------
    tolerance : float or None, default=None
        In the unit of y, at least 0: the share of new cases that are off by more is
        bounded.
    coverage : float, default=0.9
        The share of new cases to cover: the size of error that they do not exceed is
        bounded. Ignored if ``tolerance`` is given.
    learners : sequence of names or unfitted tree regressors, default=("pruned",)
        :class:`PrunedTreeRegressor` is "pruned".
    n_halvings : int, default=4
        The examples are halved, a tree is grown on one half and judged on the other,
        then the halves are exchanged; all of this is done ``n_halvings`` times, and the
        tree with the smallest limit is kept, see :mod:`treebounds.risk.halving`.
    delta : float, default=0.05
        Probability with which the certificate may fail.
    max_leaf_nodes : int or None, default=None
        The most leaves that a tree may have before it is pruned. A learner whose own
        ``max_leaf_nodes`` is larger or None gets this value.
    duplicates : {"refuse", "together", "ignore"}, default="refuse"
        What to do with examples that are equal to others; as in
        :class:`CertifiedTreeClassifier`.
    remember : bool, default=True
        See :class:`BoundPrunedTreeClassifier`.
    n_jobs : int, default=None
        Number of trees to grow in parallel.
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    certificate_ : treebounds.risk.Certificate
        ``value`` is the share and ``tolerance`` the tolerance; its ``estimator`` is the
        tree. If there are too few rows to cover the share, the tolerance is infinite
        and the certificate says how many judging rows it takes.
    certificates_by_leaf_ : treebounds.risk.CertificateTable
        A limit for each leaf, from the same judging half; not with groups. A node is
        divided only where both of its branches have 50 growing rows, so small leaves
        share a limit; ``learners=[PrunedTreeRegressor(min_samples_leaf=50)]`` grows
        none. A statement of its own, for which the choice among the candidates is paid,
        too. Left out if the half is too small to cover the share.
    candidates_ : Candidates
        All candidates among which the tree was chosen; ``to_frame()`` lists them.
    tree_, n_features_in_, feature_names_in_, feature_importances_, max_features_
        As ``DecisionTreeRegressor`` has them, for the tree that predicts.

    Raises
    ------
    ValueError
        By ``fit``: if a parameter is outside its range, y holds other than finite
        numbers, or the sample is too small to be halved.

    See Also
    --------
    CertifiedRegressor : any regressors, or pipelines.
    certify : a regressor, from examples that it has never seen.

    Notes
    -----
    A certificate counts examples, so ``fit`` takes no weights. Cost: ``2 * n_halvings``
    trees on half of the rows. The order statistic is that of Wilks (1941).
    """

    criterion: Any = OfCertifiedTree("criterion", "squared_error")
    splitter: Any = "best"
    monotonic_cst: Any = OfCertifiedTree("monotonic_cst", None)
    ccp_alpha = 0.0
    certificates_by_leaf_: Any = TableByLeaf()

    def __init__(
        self,
        *,
        tolerance: float | None = None,
        coverage: float = 0.9,
        learners: Iterable[Any] = ("pruned",),
        n_halvings: int = 4,
        delta: float = 0.05,
        max_leaf_nodes: int | None = None,
        duplicates: str = "refuse",
        remember: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.tolerance = tolerance
        self.coverage = coverage
        self.learners = learners
        self.n_halvings = n_halvings
        self.delta = delta
        self.max_leaf_nodes = max_leaf_nodes
        self.duplicates = duplicates
        self.remember = remember
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        tags.input_tags.sparse = False
        tags.input_tags.allow_nan = accept_missing_values(self.learners)
        return tags

    def fit(
        self, X: Any, y: Any, *, groups: ArrayLike | None = None
    ) -> CertifiedTreeRegressor:
        """Grow trees, choose one of them, and certify it.

        Parameters
        ----------
        X : (n_examples, n_features) array
        y : (n_examples,) array
        groups : (n_examples,) array, optional
            Which examples belong together, at least 4 groups. The certificate is then
            about the cases of a new group.

        Returns
        -------
        self
        """
        check_delta(self.delta)
        question = _question(self.tolerance, self.coverage)
        check_same_order(X=X, y=y, groups=groups)
        is_prepared = self._warn_of_misuse()
        numbers = check_numbers_to_predict(y)
        rows, targets, columns = check_sample(self, X, y)
        warn_of_units(rows, columns.get("feature_names_in_"), numbers, stacklevel=2)
        halvings = best_of_halvings(
            check_learners(self.learners, REGRESSORS, self.max_leaf_nodes),
            rows,
            np.asarray(targets, dtype=float),
            groups=groups,
            question=question,
            is_prepared=is_prepared,
            **parameters_of_halvings(self),
        )

        certificate = halvings.certificate
        tree = plain_tree(certificate.estimator)
        vars(tree).update(columns)
        learned: dict[str, Any] = {
            "certificate_": replace(certificate, estimator=tree),
            "candidates_": halvings.candidates,
        }
        if groups is None and certificate.tolerance != np.inf:
            learned["certificates_by_leaf_"] = halvings.by_leaf(tree)
        warn_of_limit(certificate.n_leaves, self.max_leaf_nodes)
        self._publish_tree(tree, halvings.hashes, **learned)
        return self


class CertifiedRegressor(RegressorMixin, ModelChoice):
    """Any regressor, or the best of several, with a certificate: on at most a share of
    new cases it is off by more than a tolerance, with probability 1 - delta.

    The examples are halved; each regressor is fitted to one half and judged on the
    other, then the halves are exchanged. This is done ``n_halvings`` times, and the
    regressor with the smallest limit is kept. See :mod:`treebounds.risk.halving` for
    the theorem. You need not hold out any examples yourself.

    **Fix the design before you see the data.** The certificate holds for one call of
    ``fit`` whose parameters, ``random_state`` included, were not chosen by looking at
    the certificates, or the test errors, of other calls on the same data.

    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import LinearRegression
    >>> from treebounds import CertifiedRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = CertifiedRegressor(LinearRegression(), coverage=0.8, random_state=0)
    >>> certificate = model.fit(X, y).certificate_
    >>> certificate.n_examples, certificate.value, 60 < certificate.tolerance < 90
    (221, 0.2, True)

    Parameters
    ----------
    estimators : regressor, or list of regressors or of (name, regressor) pairs
        Unfitted; they are cloned. Give a whole pipeline, so that its steps are fitted
        to one half only. The certificate names classes and functions of your own in
        them, as that of :class:`CertifiedClassifier` does.
    tolerance : float or None, default=None
        In the unit of y, at least 0: the share of new cases that are off by more is
        bounded.
    coverage : float, default=0.9
        The share of new cases to cover: the size of error that they do not exceed is
        bounded. Ignored if ``tolerance`` is given.
    n_halvings : int, default=4
    delta : float, default=0.05
        Probability that the certificate fails.
    duplicates : {"refuse", "together", "ignore"}, default="refuse"
        What to do with examples that are equal to others; as in
        :class:`CertifiedTreeClassifier`.
    remember : bool, default=True
        As in :class:`CertifiedClassifier`.
    n_jobs : int, default=None
        Number of regressors that are fitted at the same time, as in joblib.
    random_state : int, RandomState instance or None, default=None
        For the halvings, and for regressors whose own ``random_state`` is None.

    Attributes
    ----------
    certificate_ : Certificate
        It applies to ``estimator_``. If there are too few rows to cover the share, its
        tolerance is infinite, and it says how many judging rows it takes.
    estimator_ : regressor
        The regressor that predicts.
    candidates_ : Candidates
        All regressors that it was chosen from; ``to_frame()`` is a table of them.
    n_features_in_, feature_names_in_
        As in ``estimator_``, if it has them.

    Raises
    ------
    ValueError
        By ``fit``: if a parameter is outside its range, an estimator is not a regressor
        or is already fitted, y holds other than finite numbers, or there are fewer than
        2 examples or fewer than 4 groups.

    Notes
    -----
    A certificate counts examples, so ``fit`` does not accept weights. Cost: ``2 *
    n_halvings`` fits of each regressor to half of the rows.
    """

    def __init__(
        self,
        estimators: Any,
        *,
        tolerance: float | None = None,
        coverage: float = 0.9,
        n_halvings: int = 4,
        delta: float = 0.05,
        duplicates: str = "refuse",
        remember: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimators = estimators
        self.tolerance = tolerance
        self.coverage = coverage
        self.n_halvings = n_halvings
        self.delta = delta
        self.duplicates = duplicates
        self.remember = remember
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self, X: Any, y: ArrayLike, *, groups: ArrayLike | None = None
    ) -> CertifiedRegressor:
        """Fit the regressors to halves, choose one of them, and certify it.

        Parameters
        ----------
        X : (n_examples, n_features) array, sparse matrix or frame
            The regressors' input.
        y : (n_examples,) array
        groups : (n_examples,) array, optional
            Which examples belong together, in at least 4 groups. A group is not divided
            between the halves, and the certificate applies to the cases of a new group.

        Returns
        -------
        self
        """
        check_delta(self.delta)
        question = _question(self.tolerance, self.coverage)
        check_same_order(X=X, y=y, groups=groups)
        targets = check_numbers_to_predict(y)
        X, _ = indexable(with_rows(X), targets)
        self._check_names()
        is_prepared = self._warn_of_misuse()
        halvings = best_of_halvings(
            self._named(),
            X,
            targets,
            groups=groups,
            question=question,
            is_prepared=is_prepared,
            **parameters_of_halvings(self),
        )

        publish(self, self._learned(halvings))
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The number of each example, by the certified regressor.

        Parameters
        ----------
        X : (n_examples, n_features) array, sparse matrix or frame

        Returns
        -------
        (n_examples,) array
        """
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict(X))


def _question(tolerance: Any, coverage: Any) -> Question:
    """What is certified: the share for a tolerance, or the tolerance for a share."""
    if tolerance is not None:
        return Tolerance(tolerance)
    return Coverage(coverage, must_cover=False)
