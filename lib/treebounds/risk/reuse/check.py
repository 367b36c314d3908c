"""Was this sample used before? What is known of the rows that made a model against
those that judge it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treebounds.risk.models.inner_models import InnerModel, models_inside
from treebounds.risk.reuse.column_means import KeptMeans, kept_means
from treebounds.risk.reuse.leaf_counters import CountedTree
from treebounds.risk.reuse.leaf_counts.of_model import leaf_counts
from treebounds.risk.reuse.records import RowRecords
from treebounds.risk.reuse.recurrence import Recurrence
from treebounds.risk.reuse.traces import Traces
from treebounds.risk.rows.row_hashes import RowHashes


class ReuseCheck:
    """Comparison, batch by batch, of the rows that a classifier is known to be made
    from with the rows that judge it.

    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.reuse.check import ReuseCheck
    >>> from treebounds.risk.rows.row_hashes import RowHashes
    >>> rows, labels = np.arange(40.0).reshape(-1, 1), np.arange(40) > 19
    >>> tree = DecisionTreeClassifier().fit(rows, labels)
    >>> check = ReuseCheck(tree, X_grown=rows)
    >>> check.compare(rows + 40.0, labels, RowHashes(rows + 40.0))
    >>> check.recurrence().n_compared, check.recurrence().n_recurring
    (40, 0)

    Parameters
    ----------
    model : classifier
        Its record of rows is looked for, also in models inside it, as are the numbers
        of rows at the leaves of its tree.
    X_grown : array or frame, optional
        Rows of which the caller says that they made the classifier.
    n_rows : int, optional
        Number of rows that judge, where it is known beforehand.
    are_independent : bool
        Whether the rows are, and not only groups of them. Else no part of the rows of a
        tree is looked for.
    duplicates : {"refuse", "together", "ignore"}
        What equal rows are taken for, as in :func:`treebounds.certify`.
    """

    def __init__(
        self,
        model: Any,
        X_grown: Any = None,
        n_rows: int | None = None,
        *,
        are_independent: bool = True,
        duplicates: str = "refuse",
    ) -> None:
        self._are_independent = are_independent
        self._may_be_copies = duplicates != "ignore"
        # How many of the rows of which recurs() was asked judge, and how many do not.
        self._n_left = 0
        self._n_out = 0

        self._records = RowRecords(model, X_grown)
        trees: list[CountedTree] = []
        means: list[tuple[InnerModel, KeptMeans]] = []
        for inner in models_inside(model):
            if self._records.look_for(inner) or not inner.is_grown_on_all:
                continue
            trees += _counted_trees(inner)
            kept = kept_means(inner.model)
            if kept is not None:
                means.append((inner, kept))
        self._traces = Traces(
            trees,
            means,
            n_rows,
            are_independent=are_independent,
            equal_are_copies=duplicates == "together",
        )

    def compare(self, X: Any, labels: NDArray[Any], hashes: RowHashes) -> None:
        """Compare further rows.

        Parameters
        ----------
        X : (n, l) array or frame
            As the classifier takes it.
        labels : (n,) array
        hashes : RowHashes
            Those of X.
        """
        self._records.add(X, hashes)
        self._traces.add(X, labels, hashes)

    def compare_different(self, X: Any, labels: NDArray[Any]) -> None:
        """Compare further rows of batches that are equal to none before them, if equal
        ones are copies.
        """
        self._traces.add_different(X, labels)

    def recurs(self, X: Any) -> NDArray[np.bool_]:
        """A mask of the rows that made the classifier; raise a ValueError if this is
        not known of all rows.

        Parameters
        ----------
        X : (n, l) array or frame
            As the classifier takes it.
        """
        recurring = self._records.recurs(X)
        self._n_left += int(np.count_nonzero(~recurring))
        self._n_out += int(np.count_nonzero(recurring))
        return recurring

    def recurrence(self, left_out: bool = False) -> Recurrence:
        """The counts of the comparison with most recurring rows, before any step
        or at the last one; raise a ValueError if, anywhere in the model, more rows
        recur than independent samples explain.

        Parameters
        ----------
        left_out : bool
            Whether the rows that :meth:`recurs` tells are left out of the judging.

        Returns
        -------
        Recurrence
        """
        self._records.refuse_recurring(
            are_independent=self._are_independent,
            may_be_copies=self._may_be_copies,
            left_out=left_out,
        )
        self._traces.refuse_own_sample()
        if left_out and not self._n_left:
            raise ValueError(
                "X has no rows to judge by; with duplicates='together' rows that made"
                " the model are left out. If equal rows are different cases, as in a"
                " table of few values, leave out duplicates='together'"
            )

        self._traces.refuse_sample_of_other_size(are_some_left_out=self._n_out > 0)
        return self._records.most_recurring()


def _counted_trees(inner: InnerModel) -> Iterator[CountedTree]:
    """The first and the last tree of a model, as far as their rows were counted: the
    last one is grown on other rows if the model was continued.
    """
    for place in (0, -1):
        counts = leaf_counts(inner.model, place)
        if counts is not None:
            yield CountedTree(inner, counts)
