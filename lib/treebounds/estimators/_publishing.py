"""How estimators publish what ``fit`` has learned, and what they publish.

No estimator fits itself. ``fit`` grows a plain scikit-learn tree, computes into local
variables, and publishes all fitted attributes in one step, after everything has
succeeded. So a fit that fails changes nothing, and a second fit leaves nothing of the
first.
"""

from __future__ import annotations

from typing import Any, ClassVar

from numpy.typing import ArrayLike
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from treebounds._validation import check_flag
from treebounds._versions import Versioned
from treebounds.formats.scikit_learn import plain_tree, unfitted_like
from treebounds.risk.reuse.memory import RowMemory
from treebounds.risk.rows.row_hashes import RowHashes
from treebounds.trees._record import RECORD, keep_record


def publish(estimator: Any, learned: dict[str, Any]) -> None:
    """Replace all that an earlier fit has learned, in one step.

    >>> from sklearn.dummy import DummyClassifier
    >>> from treebounds.estimators._publishing import publish
    >>> model = DummyClassifier().fit([[0]], [1])
    >>> publish(model, {"classes_": [2]})
    >>> model.strategy, model.classes_, hasattr(model, "n_classes_")
    ('prior', [2], False)

    Parameters
    ----------
    estimator : estimator
    learned : dict
        The new fitted attributes; their names end with an underscore.
    """
    parameters = {
        name: value for name, value in vars(estimator).items() if not name.endswith("_")
    }
    estimator.__dict__ = {**parameters, **learned}


class NoCheckInput:
    """The last base class of our trees: it declares metadata of ``fit`` that
    scikit-learn's trees withdraw.

    Without it, metadata routing raises an error, because our ``fit`` has no argument
    ``check_input``.
    """

    __metadata_request__fit: ClassVar = {"check_input": None}


class PublishedTree(Versioned):
    """What trees of both kinds have in common: they publish a plain tree."""

    remember: bool

    def to_sklearn(self) -> Any:
        """The same tree as a plain one of scikit-learn, for programs that check types.

        It keeps the record of rows, if there is one.

        Returns
        -------
        sklearn.tree.DecisionTreeClassifier or sklearn.tree.DecisionTreeRegressor
        """
        return plain_tree(self)

    def cost_complexity_pruning_path(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None
    ) -> Any:
        """The path that scikit-learn computes for the tree before pruning, with
        impurity as the cost.

        Parameters
        ----------
        X : (n_examples, n_features) array or sparse matrix
        y : (n_examples,) array
        sample_weight : (n_examples,) array, optional

        Returns
        -------
        sklearn.utils.Bunch
            ``ccp_alphas`` and ``impurities``.
        """
        return unfitted_like(self).cost_complexity_pruning_path(X, y, sample_weight)

    def _publish_tree(self, tree: Any, rows: RowHashes, **learned: Any) -> None:
        """Publish a plain fitted tree as this estimator, and what was learned beside
        it.

        Parameters
        ----------
        tree : DecisionTreeClassifier or DecisionTreeRegressor
            It gets a record of the rows, too, if this estimator keeps one.
        rows : RowHashes
            The hashes of all rows that made the tree.
        **learned
            Further fitted attributes.
        """
        # The record of a learner has fewer rows.
        vars(tree).pop(RECORD, None)
        if check_flag(self.remember, "remember"):
            keep_record(tree, RowMemory.of_hashes(rows))
        of_tree = {
            name: value for name, value in vars(tree).items() if name.endswith("_")
        }
        publish(self, {**of_tree, **learned})


class HasNoPruningPath:
    """A tree for which scikit-learn's path would be that of another tree."""

    @property
    def cost_complexity_pruning_path(self) -> Any:
        """Not available, because this tree is not grown by impurity on the sample that
        ``fit`` takes.
        """
        predicts_numbers = isinstance(self, DecisionTreeRegressor)
        plain = DecisionTreeRegressor if predicts_numbers else DecisionTreeClassifier
        raise AttributeError(
            f"{type(self).__name__} has no cost_complexity_pruning_path;"
            f" {plain.__name__}().cost_complexity_pruning_path(X, y) is that of a tree"
            " grown on X"
        )


class OfCertifiedTree:
    """An attribute of an estimator that says how its certified tree was grown: values
    of nodes mean what the criterion of the learner says.

    >>> from treebounds import CertifiedTreeRegressor
    >>> CertifiedTreeRegressor().criterion
    'squared_error'

    Parameters
    ----------
    name : str
        A parameter of scikit-learn's trees.
    default : object
        Its value as long as there is no tree.
    """

    def __init__(self, name: str, default: Any) -> None:
        self._name = name
        self._default = default

    def __get__(self, estimator: Any, owner: Any) -> Any:
        certificate = getattr(estimator, "certificate_", None)
        if certificate is None:
            return self._default
        return getattr(certificate.estimator, self._name)


class TableByLeaf:
    """The attribute certificates_by_leaf_ of an estimator that has no such table: the
    error gives the reason.

    A table that ``fit`` publishes takes its place.

    >>> from treebounds import CertifiedTreeRegressor
    >>> hasattr(CertifiedTreeRegressor(), "certificates_by_leaf_")
    False
    """

    def __get__(self, estimator: Any, owner: Any) -> Any:
        certificate = getattr(estimator, "certificate_", None)
        if certificate is None:
            reason = "it is not fitted yet"
        elif certificate.n_groups is not None:
            reason = (
                "with groups there is no limit for each leaf, since cases of one group"
                " may depend on each other"
            )
        elif certificate.method != "halves":
            reason = "only method='halves' gives a limit for each leaf"
        else:
            reason = "the judging half is too small to cover the share"
        raise AttributeError(f"{owner.__name__} has no certificates_by_leaf_: {reason}")
