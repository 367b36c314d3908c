"""Convolution of numbers that differ by hundreds of orders of magnitude, given and
returned as logarithms.

Both sequences are cut into blocks. Divided by a common scale, the numbers of a block
are neither huge nor tiny.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

_BLOCK, _MOST_NATS = 128, 500.0
# The logarithm of a scale for each block, and the numbers of the blocks divided by
# these scales.
_Blocks = tuple[NDArray[np.float64], NDArray[np.float64]]


def log_convolution(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    start: int,
    stop: int,
    half: bool = False,
) -> NDArray[np.float64]:
    """``log(sum_i exp(x[i] + y[e - i]))`` for start <= e < stop.

    With ``half``, only terms with i >= e - i are added, and the one with i = e - i
    counts half.

    >>> import numpy as np
    >>> from treebounds.capacity._log_convolution import log_convolution
    >>> np.exp(log_convolution(np.log([1.0, 2.0]), np.log([3.0, 4.0]), 0, 2)).round(9)
    array([ 3., 10.])
    """
    x, y = x[:stop], y[:stop]
    x_is_constant, y_is_constant = bool(np.all(x == x[0])), bool(np.all(y == y[0]))
    if x_is_constant and y_is_constant:
        n_terms = np.arange(start + 1, stop + 1)
        logs: NDArray[np.float64] = x[0] + y[0] + np.log(n_terms) - math.log(2) * half
        return logs
    if (x_is_constant or y_is_constant) and not half:
        x, y = (y, x) if x_is_constant else (x, y)
        sums: NDArray[np.float64] = np.logaddexp.accumulate(x)[start:] + y[0]
        return sums
    x_blocks, y_blocks = _blocks(x, y)
    first, before = divmod(start, x_blocks[1].shape[1])
    return _convolve_blocks(x_blocks, y_blocks, first, half)[
        before : before + stop - start
    ]


def _blocks(*sequences: NDArray[np.float64]) -> list[_Blocks]:
    """The logarithm of a scale for each block, and the numbers divided by the scales of
    their blocks.
    """
    size = _BLOCK
    while True:
        tables = [
            np.pad(logs, (0, -len(logs) % size), "edge").reshape(-1, size)
            for logs in sequences
        ]
        if (
            size == 1
            or max(np.ptp(table, axis=1).max() for table in tables) < _MOST_NATS
        ):
            break
        size //= 2
    scales = [(table.max(axis=1) + table.min(axis=1)) / 2 for table in tables]
    return [
        (scale, np.exp(table - scale[:, None]))
        for scale, table in zip(scales, tables, strict=True)
    ]


def _convolve_blocks(
    x: _Blocks, y: _Blocks, first: int, half: bool
) -> NDArray[np.float64]:
    """Logarithms of the sums from block ``first`` on. Each pair of blocks adds to two
    blocks of sums.
    """
    (x_scale, x_blocks), (y_scale, y_blocks) = x, y
    n_blocks, size = x_blocks.shape
    pairs = x_scale[:, None] + y_scale
    largest = [pairs[::-1].diagonal(e - n_blocks + 1).max() for e in range(n_blocks)]
    scale = np.maximum.accumulate(largest)
    to_next = np.exp(np.append(scale[:-1] - scale[1:], 0.0))
    sums = np.zeros((n_blocks + 1, size))
    shifted = np.zeros(3 * size)
    for i in range(n_blocks):
        shifted[size : 2 * size] = x_blocks[i]
        # In row q, the block begins at place q.
        times_block = sliding_window_view(shifted, 2 * size)[size:0:-1]
        begin, end = (
            max(first - i - 1, 0),
            min(n_blocks - i, i) if half else n_blocks - i,
        )
        if begin < end:
            weights = np.exp(pairs[i, begin:end] - scale[i + begin : i + end])
            both = (y_blocks[begin:end] * weights[:, None]) @ times_block
            sums[i + begin : i + end] += both[:, :size]
            sums[i + begin + 1 : i + end + 1] += (
                both[:, size:] * to_next[i + begin : i + end, None]
            )
        if half and first <= 2 * i + 1 and 2 * i < n_blocks:
            both = _half_of_a_square(x_blocks[i], y_blocks[i]) * np.exp(
                pairs[i, i] - scale[2 * i]
            )
            sums[2 * i] += both[:size]
            sums[2 * i + 1] += both[size:] * to_next[2 * i]
    with np.errstate(divide="ignore"):
        return (np.log(sums[first:-1]) + scale[first:, None]).ravel()


def _half_of_a_square(
    x: NDArray[np.float64], y: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Sums of ``x[i] y[j]`` with i >= j, half of those with i = j, for each i + j."""
    products = np.tril(np.outer(x, y))
    products[np.diag_indices(len(x))] /= 2
    places = np.add.outer(np.arange(len(x)), np.arange(len(y)))
    return np.bincount(places.ravel(), products.ravel(), 2 * len(x)).astype(np.float64)
