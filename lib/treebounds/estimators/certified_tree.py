"""A decision tree that comes with its certificate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state

from treebounds._row_order import check_same_order
from treebounds._validation import check_option, shown
from treebounds.estimators._checked_sample import check_sample, warn_of_units
from treebounds.estimators._classification import OneOutputTreeClassifier
from treebounds.estimators._learners import (
    CLASSIFIERS,
    accept_missing_values,
    check_learners,
    parameters_of_halvings,
    question_about_labels,
    weighted,
)
from treebounds.estimators._misuse import NoticesMisuse, warn_of_limit
from treebounds.estimators._publishing import (
    HasNoPruningPath,
    OfCertifiedTree,
    TableByLeaf,
)
from treebounds.formats.scikit_learn import (
    from_sklearn,
    plain_tree,
    to_sklearn,
    with_classes,
)
from treebounds.risk.certificate import Certificate, certificate_from_verdict
from treebounds.risk.checks import check_delta, check_n_classes
from treebounds.risk.compression import message_candidates, verdict_of_message
from treebounds.risk.feature_kinds import features_known_before
from treebounds.risk.growth_bounds import growth_candidates
from treebounds.risk.halving import Halvings, best_of_halvings
from treebounds.risk.occam import occam_bounds
from treebounds.risk.questions import Costs
from treebounds.risk.reuse.recurrence import Recurrence
from treebounds.risk.rows.duplicates import find_duplicates
from treebounds.risk.rows.row_hashes import RowHashes
from treebounds.risk.tree_verdicts import (
    best_member,
    verdict_of_tree,
)
from treebounds.risk.verdict import Verdict
from treebounds.trees.counting import held_out_errors

METHODS_OF_TREES = ("halves", "message", "occam", "growth")


class CertifiedTreeClassifier(NoticesMisuse, HasNoPruningPath, OneOutputTreeClassifier):
    """A decision tree with a certificate: an upper bound on its risk that holds with
    probability 1 - delta.

    The attribute ``certificate_`` holds the certificate, which is about the tree that
    predicts. You need not hold out any examples yourself.

    **Fix the design before you see the data.** The certificate holds for one call of
    ``fit`` whose parameters, ``random_state`` included, were not chosen by looking at
    the certificates, or the test errors, of other calls on the same data.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from treebounds import CertifiedTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = CertifiedTreeClassifier(random_state=0).fit(X, y)
    >>> model.certificate_.n_examples, model.certificate_.n_candidates
    (284, 8)

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
        Cost-complexity pruning by three folds is "pruned". Only for "halves"; the other
        methods ignore it, whatever it is.
    n_halvings : int, default=4
        Number of halvings. Only for "halves"; ignored by the other methods.
    delta : float, default=0.05
        Probability with which the certificate may fail.
    max_leaf_nodes : int or None, default=None
        The most leaves that a tree may have before it is pruned. A learner whose own
        ``max_leaf_nodes`` is larger or None gets this value; with None each learner
        keeps its own. A limit is for trees that people read: it costs accuracy, and the
        certificate is often larger.
    feature_kinds : dict or "from_dtype", default=None
        See :class:`BoundPrunedTreeClassifier`. Only for "growth"; ignored by the other
        methods.
    n_classes : int or None, default=None
        Number of classes of the problem if the sample may lack some; None for the
        classes of the sample, which must then be all that can occur. Only for "message"
        and "growth"; ignored by the other methods, where a class that is absent is an
        error.
    cost : matrix, mapping or array, default=None
        The cost of errors, as in :func:`treebounds.certify`: a matrix for pairs of
        classes, or a number for each class, such as ``{"yes": 10, "no": 1}``. The trees
        are grown with the mean cost of errors on each class as its weight, and the
        certificate bounds the mean cost of a case. None counts errors. Only with method
        "halves".
    duplicates : {"refuse", "together", "ignore"}, default="refuse"
        What to do with examples that are equal to others. "refuse" raises an error if
        they look like copies, or like one case measured several times, by the tests of
        :mod:`treebounds.risk.rows.copies` and :mod:`treebounds.risk.rows.occurrences`;
        "together" takes equal ones for copies of one case, keeps them in the same half
        and lets one of them judge; "ignore" takes them for different cases and counts
        each. The certificate says how many there are.
        Methods other than "halves" leave out all but one of equal examples with
        "together".
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
    certificates_by_leaf_ : treebounds.risk.CertificateTable
        For "halves" without groups: a limit for each leaf, from the same judging half.
        A node is divided only where both of its branches have 50 growing rows, so small
        leaves share a limit. The choice among the candidates is paid for: each has a
        table, and all of them hold at once with probability 1 - delta. It is a
        statement of its own beside ``certificate_``.
    tree_, classes_, n_classes_, n_features_in_, feature_names_in_,
    feature_importances_, max_features_
        As ``DecisionTreeClassifier`` has them, for the tree that predicts.

    Raises
    ------
    ValueError
        By ``fit``: if a parameter that ``method`` uses is outside its range, the sample
        is too small to be halved, or a method other than "halves" gets groups.

    Warns
    -----
    UserWarning
        If the tree has as many leaves as ``max_leaf_nodes`` allows, so that another
        limit may give a smaller certificate; if this estimator looks like one of the
        candidates of a search; or if it is at the end of a pipeline whose earlier steps
        learn from the same examples, or inside a selection of features, a stack, a
        chain or a transformed target that does; or if labels are predictions of a
        SelfTrainingClassifier.

    Notes
    -----
    A certificate counts examples, so ``fit`` takes no weights. "halves" takes
    ``groups``; the other methods are proved for independent examples and refuse them.
    If a class is absent from the half that a tree is grown on, each test example of it
    counts as an error. "halves" accepts missing values if the learners do, and so does
    "occam".

    At the end of a pipeline, the earlier steps are fitted to all examples, and the
    certificate does not allow for what they learn: it then says so. Give the whole
    pipeline to :class:`CertifiedClassifier`. In a search, the certificate of the best
    estimator does not allow for the choice; give the candidates to
    :class:`CertifiedClassifier`. A search hands ``groups`` on to ``fit`` only if
    metadata routing is enabled.
    """

    criterion: Any = OfCertifiedTree("criterion", "gini")
    monotonic_cst: Any = OfCertifiedTree("monotonic_cst", None)
    certificates_by_leaf_: Any = TableByLeaf()

    def __init__(
        self,
        *,
        method: str = "halves",
        learners: Iterable[Any] = ("pruned",),
        n_halvings: int = 4,
        delta: float = 0.05,
        max_leaf_nodes: int | None = None,
        feature_kinds: Any = None,
        n_classes: int | None = None,
        cost: Any = None,
        duplicates: str = "refuse",
        remember: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.method = method
        self.learners = learners
        self.n_halvings = n_halvings
        self.delta = delta
        self.max_leaf_nodes = max_leaf_nodes
        self.feature_kinds = feature_kinds
        self.n_classes = n_classes
        self.cost = cost
        self.duplicates = duplicates
        self.remember = remember
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        if self.method != "halves":
            tags.input_tags.allow_nan = self.method == "occam"
            return tags

        tags.input_tags.allow_nan = accept_missing_values(self.learners)
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
        check_delta(self.delta)
        self._check_parameters(groups)
        check_same_order(X=X, y=y, groups=groups)
        is_prepared = self._warn_of_misuse()
        rows, labels, columns = check_sample(self, X, y)
        warn_of_units(rows, columns.get("feature_names_in_"), stacklevel=2)
        classes, codes = np.unique(labels, return_inverse=True)

        learned: dict[str, Any] = {}
        if self.method == "halves":
            halvings = self._from_halves(rows, labels, groups, is_prepared)
            certificate = halvings.certificate
            hashes = halvings.hashes
            learned["candidates_"] = halvings.candidates
        else:
            certificate, hashes = self._from_one_tree(
                X, rows, codes, classes, is_prepared
            )

        tree = _plain_tree(certificate.estimator, classes, columns)
        learned["certificate_"] = replace(certificate, estimator=tree)
        if self.method == "halves" and groups is None:
            learned["certificates_by_leaf_"] = halvings.by_leaf(tree)
        warn_of_limit(certificate.n_leaves, self.max_leaf_nodes)
        self._publish_tree(tree, hashes, **learned)
        return self

    def _check_parameters(self, groups: ArrayLike | None) -> None:
        """Raise a ValueError if a parameter is outside its range, or if the method does
        not take groups.
        """
        check_option(self.method, "method", METHODS_OF_TREES)
        if groups is not None and self.method != "halves":
            raise ValueError(
                "groups needs method='halves'; the other methods are proved for"
                f" independent examples; got method={shown(self.method)}"
            )
        if self.cost is not None and self.method != "halves":
            raise ValueError(
                "cost needs method='halves'; the other methods are proved for errors;"
                f" got method={shown(self.method)}"
            )

    def _from_halves(
        self,
        X: NDArray[np.float32],
        y: NDArray[Any],
        groups: ArrayLike | None,
        is_prepared: bool,
    ) -> Halvings:
        """The certificate of the best tree of all halvings, and all trees."""
        learners = check_learners(self.learners, CLASSIFIERS, self.max_leaf_nodes)
        question = question_about_labels(self.cost, y)
        if isinstance(question, Costs):
            learners = [
                (name, weighted(learner, question.class_weights()))
                for name, learner in learners
            ]
        return best_of_halvings(
            learners,
            X,
            y,
            groups=groups,
            question=question,
            is_prepared=is_prepared,
            **parameters_of_halvings(self),
        )

    def _from_one_tree(
        self,
        X_passed: Any,
        X: NDArray[np.float32],
        codes: NDArray[np.intp],
        classes: NDArray[Any],
        is_prepared: bool,
    ) -> tuple[Certificate, RowHashes]:
        """The certificate of the best pruning of one tree, after a look for copies, and
        the hashes of all rows.
        """
        duplicates = find_duplicates(X, codes, self.duplicates)
        kept = duplicates.kept
        sample = _Sample(X_passed, X[kept], codes[kept], classes)
        best_pruning = {
            "message": self._by_message,
            "occam": self._by_occam,
            "growth": self._by_growth,
        }[self.method]
        tree, verdict = best_pruning(sample)
        certificate = certificate_from_verdict(
            tree,
            verdict,
            float(self.delta),
            Recurrence(),
            duplicates.repeats,
            method=self.method,
            is_prepared=is_prepared,
        )
        return certificate, duplicates.hashes

    def _by_message(self, sample: _Sample) -> tuple[DecisionTreeClassifier, Verdict]:
        """Grow a tree on all rows; take the pruning with the shortest message."""
        n_classes = check_n_classes(self.n_classes, len(sample.classes))
        delta = float(self.delta)
        grown = self._grow(sample.X, sample.codes, sample.classes)
        messages = message_candidates(
            from_sklearn(grown), sample.X, sample.codes, delta, n_classes
        )
        best = min(messages, key=lambda message: message.value)
        tree = to_sklearn(best.tree, grown.classes_)
        return tree, verdict_of_message(best, delta, tree, sample.X, sample.labels)

    def _by_occam(self, sample: _Sample) -> tuple[DecisionTreeClassifier, Verdict]:
        """Grow a tree on one half; take its best pruning on the other."""
        n_examples = len(sample.codes)
        if n_examples < 2:
            raise ValueError(
                "X must have at least 2 rows to be halved; got n_samples = 1"
            )
        order = check_random_state(self.random_state).permutation(n_examples)
        judging, growing = np.split(order, [n_examples // 2])

        delta = float(self.delta)
        grown = self._grow(sample.X[growing], sample.codes[growing], sample.classes)
        tree = from_sklearn(grown)
        rows = sample.X[judging]
        errors = held_out_errors(tree, rows, sample.codes[judging])
        value, pruned = best_member(
            grown, *occam_bounds(tree, errors, len(judging), delta)
        )
        labels = sample.labels[judging]
        return pruned, verdict_of_tree(value, delta, pruned, rows, labels)

    def _by_growth(self, sample: _Sample) -> tuple[DecisionTreeClassifier, Verdict]:
        """Grow a tree on all rows; take the pruning with the smallest growth bound."""
        n_classes = check_n_classes(self.n_classes, len(sample.classes))
        delta = float(self.delta)
        grown = self._grow(sample.X, sample.codes, sample.classes)
        features = features_known_before(sample.X_passed, sample.X, self.feature_kinds)
        candidates = growth_candidates(
            from_sklearn(grown), len(sample.codes), features, delta, n_classes
        )
        value, pruned = best_member(grown, *candidates)
        return pruned, verdict_of_tree(value, delta, pruned, sample.X, sample.labels)

    def _grow(
        self, X: NDArray[np.float32], codes: NDArray[np.intp], classes: NDArray[Any]
    ) -> DecisionTreeClassifier:
        """A tree grown on some rows that knows all classes."""
        grower = DecisionTreeClassifier(
            max_leaf_nodes=self.max_leaf_nodes, random_state=self.random_state
        )
        grown = grower.fit(X, codes)
        return _with_all_classes(grown, classes, np.arange(len(classes)))


class _Sample(NamedTuple):
    """The examples that a single tree is grown on and judged by, without copies.

    Attributes
    ----------
    X_passed : array or data frame
        All rows as the caller passed them, with the types of their columns.
    X : (n_examples, n_features) array of float32
    codes : (n_examples,) array of int
        Positions of the labels among the classes.
    classes : (n_classes,) array
    """

    X_passed: Any
    X: NDArray[np.float32]
    codes: NDArray[np.intp]
    classes: NDArray[Any]

    @property
    def labels(self) -> NDArray[Any]:
        """The label of each example."""
        return np.asarray(self.classes[self.codes])


def _plain_tree(
    fitted: Any, classes: NDArray[Any], columns: dict[str, Any]
) -> DecisionTreeClassifier:
    """The certified tree as a plain one that knows all classes and the columns' names.

    Predictions need none of the other attributes of the tree's learner.
    """
    tree = plain_tree(fitted)
    if len(tree.classes_) < len(classes):
        tree = _with_all_classes(tree, classes, classes)
    vars(tree).update(columns)
    return tree


def _with_all_classes(
    tree: DecisionTreeClassifier, classes: NDArray[Any], labels: NDArray[Any]
) -> DecisionTreeClassifier:
    """The tree with all classes, which are named by ``labels`` so far."""
    tree.tree_ = with_classes(tree, labels)
    tree.classes_ = classes
    tree.n_classes_ = len(classes)
    return tree
