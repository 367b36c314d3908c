"""A scikit-learn tree that is pruned on held-out examples."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import column_or_1d

from treebounds._validation import held_out_size
from treebounds.estimators._checked_sample import grow, only
from treebounds.estimators._classification import (
    OneOutputTreeClassifier,
    tree_and_errors,
)
from treebounds.formats.scikit_learn import collapse_sklearn
from treebounds.pruning.rules import cheapest_pruning
from treebounds.risk.rows.row_hashes import RowHashes


class ReducedErrorPrunedTreeClassifier(OneOutputTreeClassifier):
    """A decision tree grown on a part of the examples and pruned on the rest.

    The rule is Quinlan's (1987): it takes the pruning with the fewest errors on the
    held-out examples, and the smallest of them if several tie.

    >>> from sklearn.datasets import load_wine
    >>> from treebounds import ReducedErrorPrunedTreeClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> tree = ReducedErrorPrunedTreeClassifier(random_state=0).fit(X, y)
    >>> len(tree.validation_indices_)
    36

    Parameters
    ----------
    validation_fraction : float, default=0.2
        Fraction of the examples to hold out, rounded up to a whole number. These
        examples are drawn with ``random_state``, and the tree is not grown on them.
    remember : bool, default=True
        See :class:`BoundPrunedTreeClassifier`.
    max_leaf_nodes : int or None, default=None
        Largest number of leaves of the tree before pruning.
    criterion, splitter, max_depth, min_samples_split, min_samples_leaf,
    min_weight_fraction_leaf, \
max_features, random_state, min_impurity_decrease, class_weight
        As in ``DecisionTreeClassifier``.

    Attributes
    ----------
    validation_indices_ : (n_held_out,) array
        The rows that were held out.
    tree_, classes_, n_classes_, n_features_in_, feature_names_in_,
    feature_importances_, max_features_
        As ``DecisionTreeClassifier`` has them, for the pruned tree.
        The counts of the tree are those of the examples that were not held out.

    Notes
    -----
    ``fit`` takes no ``sample_weight``, because an example of weight 2 differs from two
    copies, of which one may be held out and the other not. Rows that belong together
    (patients, duplicates) can be separated in the same way, and the rule then prunes
    too little: hold whole groups out yourself and use :func:`prune` with
    ``rule="reduced-error"``.
    """

    def __init__(
        self,
        *,
        validation_fraction: float = 0.2,
        remember: bool = True,
        criterion: str = "gini",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None,
        random_state: Any = None,
        min_impurity_decrease: float = 0.0,
        max_leaf_nodes: int | None = None,
        class_weight: Any = None,
    ) -> None:
        self.validation_fraction = validation_fraction
        self.remember = remember
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.min_impurity_decrease = min_impurity_decrease
        self.max_leaf_nodes = max_leaf_nodes
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any) -> ReducedErrorPrunedTreeClassifier:
        """Hold out examples, grow a tree on the others, and prune it.

        Parameters
        ----------
        X : (n_examples, n_features) array
        y : (n_examples,) array

        Returns
        -------
        self
        """
        # The labels are converted, and checked, when the tree is grown.
        n = len(column_or_1d(y))
        n_held_out = held_out_size(self.validation_fraction, n)

        order = check_random_state(self.random_state).permutation(n)
        held_out = np.sort(order[:n_held_out])
        train = order[n_held_out:]

        grown = grow(self, X, y, only(train, np.ones(n)))
        costs = compute_sample_weight(self.class_weight, grown.y)
        tree, errors = tree_and_errors(
            grown.tree, grown.X[held_out], grown.y[held_out], costs[held_out]
        )

        pruned = collapse_sklearn(grown.tree, cheapest_pruning(tree, errors))
        rows = RowHashes(grown.X)
        self._publish_tree(pruned, rows, validation_indices_=held_out)
        return self
