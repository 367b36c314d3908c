"""The worst tree on a sample with one feature, whose distribution is known.

With one feature a tree with L leaves is a list of at most L intervals with labels, so
the worst tree can be found exactly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Samples = tuple[NDArray[np.float64], NDArray[np.bool_]]


def noisy_steps(
    n_samples: int, m: int, noise: float, rng: np.random.Generator
) -> Samples:
    """Samples of m examples, one in each row: x uniform and sorted, y = 1 right of the
    middle, up to noise.
    """
    x = np.sort(rng.random((n_samples, m)))
    return x, (x > 0.5) ^ (rng.random(x.shape) < noise)


def largest_excess(
    x: NDArray[np.float64],
    y: NDArray[np.bool_],
    noise: float,
    price: float,
    n_intervals: int,
) -> NDArray[np.float64]:
    """The largest risk - price * errors of at most 1, 2, ... intervals with labels.

    Parameters
    ----------
    x, y : (n_samples, m) arrays
        See :func:`noisy_steps`.
    noise, price : float
    n_intervals : int

    Returns
    -------
    (n_intervals, n_samples) array of float

    Examples
    --------
    One example of class 0 at 0.2: an interval with label 1 has risk 1/2 and one error,
    one with label 0 has risk 1/2 and no error.

    >>> import numpy as np
    >>> from reproduction.exact.worst_intervals import largest_excess
    >>> x = np.array([[0.2]])
    >>> largest_excess(x, x > 0.5, noise=0.0, price=0.1, n_intervals=2).round(2)
    array([[0.5],
           [0.9]])
    """
    # A place to cut without an example.
    middle = np.full((len(x), 1), 0.5)
    places = np.column_stack([x, middle])
    labels = np.column_stack([y, middle])
    order = np.argsort(places, axis=1)
    places = np.take_along_axis(places, order, axis=1)
    labels = np.take_along_axis(labels, order, axis=1)
    stops = zip([*places.T, np.ones(len(x))], [*labels.T, middle[:, 0]], strict=True)

    # By number of intervals, label of the last one, and sample.
    worst = np.full((n_intervals, 2, len(x)), -np.inf)
    worst[0] = 0.0
    start = np.zeros(len(x))
    for end, y_end in stops:
        for label in (0, 1):
            wrong = (start >= 0.5) != label
            worst[:, label] += (end - start) * np.where(wrong, 1 - noise, noise)
        worst[1:] = np.maximum(worst[1:], worst[:-1, ::-1])

        for label in (0, 1):
            worst[:, label] -= price * (y_end == 1 - label)
        worst[1:] = np.maximum(worst[1:], worst[:-1, ::-1])
        start = end

    return np.maximum.accumulate(worst.max(axis=1), axis=0)
