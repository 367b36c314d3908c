"""Labels and predictions as vectors, and how often each label occurs."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d

from treebounds._labels import check_labels
from treebounds._row_order import check_same_order


def read_labels(y: Any) -> NDArray[Any]:
    """Labels as a vector; raise a ValueError if one is missing.

    >>> from treebounds.risk.rows.labels import read_labels
    >>> read_labels(["a", "b"])
    array(['a', 'b'], dtype='<U1')
    """
    check_labels(y)
    return np.asarray(column_or_1d(y))


def as_vector(predicted: Any, labels: NDArray[Any]) -> NDArray[Any]:
    """Predictions as a vector; raise a ValueError unless there is one for each label.

    >>> import numpy as np
    >>> from treebounds.risk.rows.labels import as_vector
    >>> as_vector(np.array([["a"], ["b"]]), np.array(["a", "a"])).tolist()
    ['a', 'b']
    """
    check_same_order(predictions=predicted)
    vector = np.asarray(predicted)
    if vector.shape == (len(labels), 1):
        vector = vector[:, 0]

    if vector.dtype.kind == "f" and holds_rounded_integers(labels):
        raise ValueError(
            "model predicts floats, and y holds whole numbers beyond 2**53, of which"
            " several become the same float. Give labels as smaller numbers or as words"
        )
    if vector.shape != labels.shape:
        raise ValueError(
            "y must have one label for each prediction; the shapes of y and of the"
            f" predictions are {labels.shape} and {vector.shape}. If the model drops"
            " rows, let it keep them all: a dropped row has no prediction"
        )
    return vector


def holds_rounded_integers(numbers: NDArray[Any]) -> bool:
    """Whether some are integers that are not floats of 64 bits, too.

    >>> import numpy as np
    >>> from treebounds.risk.rows.labels import holds_rounded_integers
    >>> holds_rounded_integers(np.array([2**53])), holds_rounded_integers(np.array([7]))
    (True, False)
    """
    if numbers.dtype.kind not in "iu" or numbers.dtype.itemsize < 8:
        return False
    return bool(((numbers >= 2**53) | (numbers <= -(2**53))).any())


def counts_of(labels: NDArray[Any]) -> dict[Any, int]:
    """How often each label occurs, with the labels as plain Python objects.

    >>> import numpy as np
    >>> from treebounds.risk.rows.labels import counts_of
    >>> counts_of(np.array(["b", "a", "b"]))
    {'a': 1, 'b': 2}
    """
    if labels.dtype.kind == "O":
        return Counter(labels.tolist())
    values, counts = np.unique(labels, return_counts=True)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))
