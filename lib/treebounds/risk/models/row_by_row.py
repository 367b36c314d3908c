"""Whether a model predicts each row of a sample by itself.

A certificate is about cases that come one at a time. A model that scales, ranks or
fills in by the rows that it is asked about predicts otherwise for a case alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treebounds.risk.models.fingerprints import fingerprint
from treebounds.risk.rows.hash_function import hash_rows
from treebounds.risk.rows.labels import as_vector
from treebounds.risk.rows.tables import names_of_columns, take

# Rows of the first batch for which a model predicts again after the last one.
_FEW = 100

# How often a row is repeated to see whether other values, or only the number of rows,
# change its prediction. Four is what products of matrices often take at a time.
_EQUAL_ROWS = 4

# Predictions may differ by rounding, by as much of their range.
_ROUNDING = 1e-3


class WatchedModel:
    """A model that predicts batch by batch, and must neither change meanwhile nor write
    into the rows.

    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.models.row_by_row import WatchedModel
    >>> X, y = np.arange(8.0)[:, np.newaxis], np.repeat([0, 1], 4)
    >>> tree = DecisionTreeClassifier().fit(X, y)
    >>> model = WatchedModel(tree, in_batches=True)
    >>> model.predict(X, y).tolist()
    [0, 0, 0, 0, 1, 1, 1, 1]
    >>> tree.fit(X, 1 - y)
    DecisionTreeClassifier()
    >>> model.check_unchanged()
    Traceback (most recent call last):
    ValueError: model has changed while it was judged: it predicts otherwise for the ...

    Parameters
    ----------
    model : fitted classifier or regressor
    in_batches : bool
        Whether the caller makes the batches one by one, and may fit the model between
        them.
    """

    def __init__(self, model: Any, *, in_batches: bool) -> None:
        self._model = model
        self._in_batches = in_batches
        self._as_given = fingerprint(model) if in_batches else None
        self._first: tuple[Any, NDArray[Any]] | None = None

    def predict(self, X: Any, labels: NDArray[Any]) -> NDArray[Any]:
        """The predictions for a batch as a vector; the first ones are tried again."""
        if self._first is not None:
            predicted = as_vector(self._model.predict(X), labels)
            check_columns(self._model, X, predicted)
            return predicted

        self._check_same()
        few = np.arange(min(len(labels), _FEW))
        rows = take(X, few)
        predicted = as_vector(self._model.predict(X), labels)
        check_untouched(X, rows)
        check_columns(self._model, X, predicted)
        check_row_by_row(self._model, X, predicted)
        self._first = rows, predicted[few]
        return predicted

    def check_unchanged(self) -> None:
        """Raise a ValueError if the model is not what it was before the first batch."""
        if self._in_batches and self._first is not None:
            check_unchanged(self._model, *self._first)
            self._check_same()

    def _check_same(self) -> None:
        """Raise a ValueError if the model was fitted again, whatever it predicts."""
        if self._in_batches and fingerprint(self._model) != self._as_given:
            raise ValueError(
                "model has changed while it was judged: it was fitted between the"
                " batches. A certificate is about one model, so judge it on batches"
                " from which it does not learn"
            )


def check_row_by_row(model: Any, X: Any, predicted: NDArray[Any]) -> None:
    """Raise a ValueError if a model predicts otherwise for a row alone than for all.

    Two rows are tried, with different predictions; a model that always predicts the
    same passes. So does one that predicts otherwise for all rows, too, when it is asked
    again: it predicts at random. What two rows do not show is not found.

    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import FunctionTransformer, scale
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.models.row_by_row import check_row_by_row
    >>> X, y = np.arange(8.0)[:, np.newaxis], np.repeat([0, 1], 4)
    >>> tree = DecisionTreeClassifier().fit(X, y)
    >>> check_row_by_row(tree, X, tree.predict(X))
    >>> model = make_pipeline(FunctionTransformer(scale), tree).fit(X, y)
    >>> check_row_by_row(model, X, model.predict(X))
    Traceback (most recent call last):
    ValueError: model predicts a row otherwise alone than among others: a step of it ...

    Parameters
    ----------
    model : fitted classifier or regressor
    X : (n, l) array, sparse matrix or frame
    predicted : (n,) array
        Its predictions for all rows together.
    """
    for row in _two_rows(predicted):
        alone = np.ravel(model.predict(take(X, np.array([row]))))
        if _are_same(alone, predicted[[row]], predicted):
            continue
        if not _are_same(np.ravel(model.predict(X)), predicted, predicted):
            return
        equal_rows = take(X, np.repeat(row, _EQUAL_ROWS))
        among_equals = np.ravel(model.predict(equal_rows))
        if _are_same(among_equals, np.repeat(predicted[row], _EQUAL_ROWS), predicted):
            raise ValueError(
                "model predicts a row otherwise alone than among others, even among"
                " equal ones, so it seems to round otherwise then, and neighbours at"
                " equal distances change places, for example. New cases come one at a"
                " time, so the limit would not hold for them; let it compute each row"
                " by itself, as KNeighborsClassifier(algorithm='kd_tree') does"
            )
        raise ValueError(
            "model predicts a row otherwise alone than among others: a step of it"
            " looks at all rows that it is asked about (scaling, ranks, means of the"
            " batch, draws in the order of the rows). New cases come one at a time, so"
            " the limit would not hold for them; let that step learn in fit, as"
            " StandardScaler does"
        )


def check_columns(model: Any, X: Any, predicted: NDArray[Any]) -> None:
    """Raise a ValueError if the columns of a frame are in another order than those that
    a model was fitted to, and the model takes them by their places.

    LightGBM does; scikit-learn raises an error of its own, and a step that selects
    columns by name takes them in any order.

    >>> import pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.models.row_by_row import check_columns
    >>> frame = pd.DataFrame({"a": [0, 1], "b": [1, 0]})
    >>> tree = DecisionTreeClassifier().fit(frame, [0, 1])
    >>> check_columns(tree, frame, tree.predict(frame))

    Parameters
    ----------
    model : fitted classifier or regressor
    X : (n, l) array, sparse matrix or frame
    predicted : (n,) array
        Its predictions for these rows.
    """
    # LightGBM keeps names without blanks.
    places = {name.replace(" ", "_"): name for name in names_of_columns(X)}
    names = [name.replace(" ", "_") for name in getattr(model, "feature_names_in_", ())]
    if list(places) == names or sorted(places) != sorted(names):
        return

    as_fitted = X[[places[name] for name in names]]
    if _are_same(np.ravel(model.predict(as_fitted)), predicted, predicted):
        return
    raise ValueError(
        "X must have its columns in the order of those that model was fitted to:"
        f" {', '.join(places[name] for name in names)}. The model takes them by their"
        " places, whatever their names"
    )


def check_untouched(X: Any, before: Any) -> None:
    """Raise a ValueError if a model has written into the rows that it predicted.

    >>> import numpy as np
    >>> from treebounds.risk.models.row_by_row import check_untouched
    >>> check_untouched(np.ones((2, 1)), np.ones((2, 1)))
    >>> check_untouched(np.zeros((2, 1)), np.ones((2, 1)))
    Traceback (most recent call last):
    ValueError: model writes into the rows that it predicts: give its steps ...

    Parameters
    ----------
    X : (n, l) array, sparse matrix or frame
        The rows after a prediction.
    before : (m, l) array, sparse matrix or frame
        A copy of the first m of them, from before.
    """
    first = take(X, np.arange(np.shape(before)[0]))
    if np.array_equal(hash_rows(first), hash_rows(before)):
        return
    raise ValueError(
        "model writes into the rows that it predicts: give its steps copy=True, or let"
        " them copy what they change. Else these rows are no longer those that were"
        " given, and cannot be compared with the rows that made the model"
    )


def check_unchanged(model: Any, X: Any, predicted: NDArray[Any]) -> None:
    """Raise a ValueError if a model predicts otherwise than it did before for the same
    rows, unless it predicts at random.

    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from treebounds.risk.models.row_by_row import check_unchanged
    >>> model = DummyClassifier().fit([[0], [1], [2]], [0, 0, 1])
    >>> check_unchanged(model, [[0]], np.array([0]))
    >>> check_unchanged(model, [[0]], np.array([1]))
    Traceback (most recent call last):
    ValueError: model has changed while it was judged: it predicts otherwise for the ...

    Parameters
    ----------
    model : fitted classifier or regressor
    X : (n, l) array, sparse matrix or frame
    predicted : (n,) array
        What it predicted before.
    """
    now = np.ravel(model.predict(X))
    if _are_same(now, predicted, predicted):
        return
    if not _are_same(np.ravel(model.predict(X)), now, predicted):
        return
    raise ValueError(
        "model has changed while it was judged: it predicts otherwise for the first"
        " batch than it did before the last one. A certificate is about one model, so"
        " judge it on batches from which it does not learn"
    )


def _two_rows(predicted: NDArray[Any]) -> list[int]:
    """The numbers of two rows with different predictions, as different as can be; none
    if all are the same.
    """
    if not len(predicted):
        return []
    if predicted.dtype.kind == "f":
        rows = [int(np.argmin(predicted)), int(np.argmax(predicted))]
    else:
        rows = [0, int(np.argmax(predicted != predicted[0]))]
    return rows if rows[0] != rows[1] else []


def _are_same(
    values: NDArray[Any], others: NDArray[Any], predicted: NDArray[Any]
) -> bool:
    """Whether two vectors agree; numbers up to rounding, which counts in parts of the
    range of all predictions.
    """
    if predicted.dtype.kind != "f":
        return bool(np.array_equal(values, others))
    allowed = _ROUNDING * float(np.ptp(predicted))
    return bool((np.abs(values - others) <= allowed).all())
