"""Convolution of numbers that differ by hundreds of orders of magnitude, given and
returned as logarithms.

Both sequences are cut into blocks. Divided by a common scale, the numbers of a block
are neither huge nor tiny.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

_BLOCK = 128
_MOST_NATS = 500.0
# OpenBLAS, which NumPy brings, uses several threads for products of more than 2^18
# steps. They gain little here, and wait for each other where other programs use the
# cores, too: then the whole may take twenty times as long. So a product of matrices is
# computed in parts of as many rows and columns, of 128 steps each.
_ROWS = 32
_COLUMNS = 64


class _Blocks(NamedTuple):
    """The logarithm of a scale for each block, and the numbers of the blocks divided by
    these scales.
    """

    scales: NDArray[np.float64]
    numbers: NDArray[np.float64]


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
    x = x[:stop]
    y = y[:stop]
    x_is_constant = bool(np.all(x == x[0]))
    y_is_constant = bool(np.all(y == y[0]))

    if x_is_constant and y_is_constant:
        n_terms = np.arange(start + 1, stop + 1)
        weight = 0.5 if half else 1.0
        constant: NDArray[np.float64] = x[0] + y[0] + np.log(weight * n_terms)
        return constant

    if not half and y_is_constant:
        return _cumulative(x)[start:] + float(y[0])
    if not half and x_is_constant:
        return _cumulative(y)[start:] + float(x[0])

    size = _block_size(x, y)
    first, before = divmod(start, size)
    sums = _convolve_blocks(_blocks(x, size), _blocks(y, size), first, half)
    return sums[before : before + stop - start]


def _cumulative(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithms of the cumulative sums."""
    sums: NDArray[np.float64] = np.logaddexp.accumulate(logs)
    return sums


def _block_size(x: NDArray[np.float64], y: NDArray[np.float64]) -> int:
    """The largest size of blocks within which the numbers do not differ too much."""
    size = _BLOCK
    while size > 1 and max(_widest(x, size), _widest(y, size)) >= _MOST_NATS:
        size //= 2
    return size


def _widest(logs: NDArray[np.float64], size: int) -> float:
    """The largest range of a block, in nats."""
    return float(np.ptp(_in_blocks(logs, size), axis=1).max())


def _in_blocks(logs: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """A row for each block; the last number is repeated to fill the last one."""
    return np.pad(logs, (0, -len(logs) % size), "edge").reshape(-1, size)


def _blocks(logs: NDArray[np.float64], size: int) -> _Blocks:
    """The blocks of a sequence, each with the middle of its range as its scale."""
    table = _in_blocks(logs, size)
    scales = (table.max(axis=1) + table.min(axis=1)) / 2
    return _Blocks(scales, np.exp(table - scales[:, None]))


def _convolve_blocks(
    x: _Blocks, y: _Blocks, first: int, half: bool
) -> NDArray[np.float64]:
    """Logarithms of the sums from block ``first`` on. Each pair of blocks adds to two
    blocks of sums.
    """
    n_blocks, size = x.numbers.shape
    pairs = x.scales[:, None] + y.scales
    sums = _ScaledSums.zeros(pairs, size)

    for i in range(n_blocks):
        begin = max(first - i - 1, 0)
        end = min(n_blocks - i, i) if half else n_blocks - i
        if begin < end:
            products = _product(y.numbers[begin:end], _shifts(x.numbers[i]))
            sums.add(i + begin, products, pairs[i, begin:end])

        # With half, the pair of two equal numbers is only partly in the sum.
        if half and first <= 2 * i + 1 and 2 * i < n_blocks:
            square = _half_of_a_square(x.numbers[i], y.numbers[i])
            sums.add(2 * i, square[None, :], pairs[i, i : i + 1])

    with np.errstate(divide="ignore"):
        return (np.log(sums.numbers[first:-1]) + sums.scales[first:, None]).ravel()


def _shifts(block: NDArray[np.float64]) -> NDArray[np.float64]:
    """A row for each place of a block y: the block x, from this place on."""
    size = len(block)
    shifted = np.zeros(3 * size)
    shifted[size : 2 * size] = block
    return np.ascontiguousarray(sliding_window_view(shifted, 2 * size)[size:0:-1])


def _product(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """The matrix product, in parts that are multiplied by one thread."""
    result = np.empty((len(a), b.shape[1]))
    for left in range(0, b.shape[1], _COLUMNS):
        columns = slice(left, left + _COLUMNS)
        for top in range(0, len(a), _ROWS):
            rows = slice(top, top + _ROWS)
            np.matmul(a[rows], b[:, columns], out=result[rows, columns])
    return result


class _ScaledSums(NamedTuple):
    """Blocks of sums, the logarithms of their scales, and the factors from the scale of
    each block to that of the next one.
    """

    numbers: NDArray[np.float64]
    scales: NDArray[np.float64]
    to_next: NDArray[np.float64]

    @classmethod
    def zeros(cls, pairs: NDArray[np.float64], size: int) -> _ScaledSums:
        """No sums yet, with scales that suit the pairs of blocks."""
        # A scale is the largest of the pairs that add to this block or to an earlier
        # one, so that no factor exceeds 1.
        n_blocks = len(pairs)
        largest = [
            pairs[::-1].diagonal(e - n_blocks + 1).max() for e in range(n_blocks)
        ]
        scales = np.maximum.accumulate(largest)
        to_next = np.exp(np.append(scales[:-1] - scales[1:], 0.0))
        return cls(np.zeros((n_blocks + 1, size)), scales, to_next[:, None])

    def add(
        self, begin: int, products: NDArray[np.float64], logs: NDArray[np.float64]
    ) -> None:
        """Add products of pairs of blocks, with the logarithms of their scales, to the
        sums from block ``begin`` on.
        """
        size = self.numbers.shape[1]
        end = begin + len(products)
        weights = np.exp(logs - self.scales[begin:end])
        weighted = products * weights[:, None]
        self.numbers[begin:end] += weighted[:, :size]
        self.numbers[begin + 1 : end + 1] += (
            weighted[:, size:] * self.to_next[begin:end]
        )


def _half_of_a_square(
    x: NDArray[np.float64], y: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Sums of ``x[i] y[j]`` with i >= j, half of those with i = j, for each i + j."""
    products = np.tril(np.outer(x, y))
    products[np.diag_indices(len(x))] /= 2
    places = np.add.outer(np.arange(len(x)), np.arange(len(y)))
    sums = np.bincount(places.ravel(), products.ravel(), 2 * len(x))
    return sums.astype(np.float64)
