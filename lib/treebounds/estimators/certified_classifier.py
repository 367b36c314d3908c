"""Any classifier, or the best of several, with its certificate."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import indexable
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from treebounds._labels import check_labels
from treebounds._row_order import check_same_order
from treebounds._validation import with_rows
from treebounds.estimators._learners import (
    parameters_of_halvings,
    question_about_labels,
)
from treebounds.estimators._model_choice import ModelChoice
from treebounds.estimators._publishing import publish
from treebounds.risk.checks import check_delta
from treebounds.risk.halving import best_of_halvings


def _has_probabilities(model: CertifiedClassifier) -> bool:
    """Whether the fitted classifier, or each candidate before fitting, has
    ``predict_proba``.
    """
    chosen = getattr(model, "estimator_", None)
    if chosen is not None:
        return hasattr(chosen, "predict_proba")
    return all(hasattr(learner, "predict_proba") for _, learner in model._named())


class CertifiedClassifier(ClassifierMixin, ModelChoice):
    """Any classifier, or the best of several, with a bound on its risk that holds with
    probability 1 - delta.

    The examples are halved; each classifier is fitted to one half and tested on the
    other, then the halves are exchanged. This is done ``n_halvings`` times, and the
    classifier with the smallest bound is kept. See :mod:`treebounds.risk.halving` for
    the theorem. You need not hold out any examples yourself.

    **Fix the design before you see the data.** The certificate holds for one call of
    ``fit`` whose parameters, ``random_state`` included, were not chosen by looking at
    the certificates, or the test errors, of other calls on the same data.

    >>> import pandas as pd
    >>> from sklearn.compose import make_column_transformer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import OneHotEncoder
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds import CertifiedClassifier
    >>> X = pd.DataFrame(
    ...     {"months": range(200), "contract": ["monthly", "yearly"] * 100}
    ... )
    >>> y = ((X["months"] < 90) & (X["contract"] == "monthly")).map(
    ...     {True: "leaves", False: "stays"}
    ... )
    >>> encode = make_column_transformer(
    ...     (OneHotEncoder(), ["contract"]), remainder="passthrough"
    ... )
    >>> pipeline = make_pipeline(encode, DecisionTreeClassifier(max_leaf_nodes=4))
    >>> model = CertifiedClassifier(pipeline, random_state=0).fit(X, y)
    >>> (
    ...     model.certificate_.n_examples,
    ...     model.certificate_.n_leaves,
    ...     model.certificate_.value < 0.1,
    ... )
    (100, 3, True)

    Parameters
    ----------
    estimators : classifier, or list of classifiers or of (name, classifier) pairs
        Unfitted; they are cloned. Give a whole pipeline, so that its steps, such as the
        encoding of words and the imputation of missing values, are fitted to one half
        only. The sentence of the certificate names classes and functions of your own in
        them: nobody can check that these keep no rows from one fit to the next.
    n_halvings : int, default=4
    delta : float, default=0.05
        Probability that the certificate fails.
    cost : matrix, mapping or array, default=None
        The cost of errors, as in :func:`treebounds.certify`: a matrix for pairs of
        classes, or a number for each class, such as ``{"yes": 10, "no": 1}``. The
        certificate bounds the mean cost of a case, and the classifier with the smallest
        such bound is kept. The classifiers are fitted as they are: give them the cost,
        for example as ``class_weight``, yourself. None counts errors.
    duplicates : {"refuse", "together", "ignore"}, default="refuse"
        What to do with examples that are equal to others. "refuse" raises an error if
        they look like copies, or like one case measured several times, by the tests of
        :mod:`treebounds.risk.rows.copies` and :mod:`treebounds.risk.rows.occurrences`;
        "together" takes equal ones for copies of one case, keeps them in the same half
        and lets one of them judge; "ignore" takes them for different cases and counts
        each. The certificate says how many there are.
    remember : bool, default=True
        Whether to keep hashes of 4096 rows, by which :func:`treebounds.certify`
        recognizes rows that were used. Anyone with the model and a row can find out
        whether the row was among these 4096.
    n_jobs : int, default=None
        Number of classifiers that are fitted at the same time, as in joblib.
    random_state : int, RandomState instance or None, default=None
        For the halvings, and for classifiers whose own ``random_state`` is None.

    Attributes
    ----------
    certificate_ : Certificate
        It applies to ``estimator_``.
    estimator_ : classifier
        The classifier that predicts. Fitted again, it is another one, and the
        certificate is not about it.
    candidates_ : Candidates
        All classifiers that it was chosen from; ``to_frame()`` is a table of them.
    classes_ : (n_classes,) array
        The classes of the whole sample. A classifier gives probability 0 to a class
        that is absent from its half, and errs on the examples of this class.
    n_features_in_, feature_names_in_
        As in ``estimator_``, if it has them.

    Raises
    ------
    ValueError
        By ``fit``: if a parameter is outside its range, an estimator is not a
        classifier or is already fitted, a label is missing, or there are fewer than 2
        examples or fewer than 4 groups.

    Notes
    -----
    A certificate counts examples, so ``fit`` does not accept weights. Cost: ``2 *
    n_halvings`` fits of each classifier to half of the rows.
    """

    def __init__(
        self,
        estimators: Any,
        *,
        n_halvings: int = 4,
        delta: float = 0.05,
        cost: Any = None,
        duplicates: str = "refuse",
        remember: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimators = estimators
        self.n_halvings = n_halvings
        self.delta = delta
        self.cost = cost
        self.duplicates = duplicates
        self.remember = remember
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self, X: Any, y: ArrayLike, *, groups: ArrayLike | None = None
    ) -> CertifiedClassifier:
        """Fit each classifier to halves, test it on the other halves, and certify the
        best.

        Parameters
        ----------
        X : (n_examples, n_features) array, sparse matrix or frame, or list of texts
            The classifiers' input.
        y : (n_examples,) array
        groups : (n_examples,) array, optional
            Which examples belong together (patients, batches), in at least 4 groups. A
            group is not divided between the halves, and the certificate applies to the
            cases of a new group.

        Returns
        -------
        self
        """
        check_delta(self.delta)
        check_same_order(X=X, y=y, groups=groups)
        check_labels(y)
        labels = np.asarray(column_or_1d(y, warn=True))
        check_classification_targets(labels)
        X, _ = indexable(with_rows(X), labels)
        self._check_names()
        is_prepared = self._warn_of_misuse()
        halvings = best_of_halvings(
            self._named(),
            X,
            labels,
            groups=groups,
            question=question_about_labels(self.cost, labels),
            is_prepared=is_prepared,
            **parameters_of_halvings(self),
        )

        learned = self._learned(halvings)
        publish(self, learned | {"classes_": np.unique(labels)})
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each example, by the certified classifier.

        Parameters
        ----------
        X : (n_examples, n_features) array, sparse matrix or frame

        Returns
        -------
        (n_examples,) array
        """
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict(X))

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities by the certified classifier; available if it has this
        method.

        Parameters
        ----------
        X : (n_examples, n_features) array, sparse matrix or frame

        Returns
        -------
        (n_examples, n_classes) array
        """
        check_is_fitted(self)
        own_probabilities = self.estimator_.predict_proba(X)
        probabilities = np.zeros((len(own_probabilities), len(self.classes_)))
        columns = np.searchsorted(self.classes_, self.estimator_.classes_)
        probabilities[:, columns] = own_probabilities
        return probabilities
