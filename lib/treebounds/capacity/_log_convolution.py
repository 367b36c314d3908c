"""Convolution of numbers that differ by hundreds of orders of magnitude, given and returned as logarithms.

Both sequences are cut into blocks, within which numbers over a common scale are neither huge nor tiny.
"""

from __future__ import annotations

import numpy as np

from treebounds._compiled import njit

_BLOCK = 32


@njit(cache=True)
def log_convolution(x, y, start, stop, y_is_constant):
    """``log(sum_i exp(x[i] + y[e - i]))`` for start <= e < stop, where x and y do not decrease.

    >>> import numpy as np
    >>> from treebounds.capacity._log_convolution import log_convolution
    >>> np.exp(log_convolution(np.log([1.0, 2.0]), np.log([3.0, 4.0]), 0, 2, False)).round(9)
    array([ 3., 10.])
    """
    if y_is_constant:
        sums = x[:stop] + y[0]
        for e in range(1, stop):
            sums[e] = np.logaddexp(sums[e - 1], sums[e])
        return sums[start:]
    x_scale, x_blocks = _blocks(x[:stop])
    y_scale, y_blocks = _blocks(y[:stop])
    skipped = start // _BLOCK
    sums = _convolve_blocks(x_scale, x_blocks, y_scale, y_blocks, skipped)
    return sums[start - skipped * _BLOCK : stop - skipped * _BLOCK]


@njit(cache=True)
def _blocks(logs):
    """The logarithm of a scale for each block of numbers, and the numbers over it: neither huge nor tiny."""
    padded = np.full((len(logs) + _BLOCK - 1) // _BLOCK * _BLOCK, logs[-1])
    padded[: len(logs)] = logs
    table = padded.reshape((-1, _BLOCK))
    scale = (table[:, 0] + table[:, -1]) / 2
    return scale, np.exp(table - scale.reshape((-1, 1)))


@njit(cache=True)
def _convolve_blocks(x_scale, x, y_scale, y, start):
    size = x.shape[1]
    out = np.empty((len(x) - start, size))
    for block in range(start, len(x)):
        total, total_scale = np.zeros(size), -np.inf
        for i in range(block + 1):
            for j in range(max(block - i - 1, 0), block - i + 1):
                part = np.zeros(size)
                if j == block - i:
                    for a in range(size):
                        for t in range(a, size):
                            part[t] += x[i, a] * y[j, t - a]
                else:
                    for a in range(1, size):
                        for t in range(a):
                            part[t] += x[i, a] * y[j, size + t - a]
                scale = x_scale[i] + y_scale[j]
                if scale > total_scale:
                    total *= np.exp(total_scale - scale)
                    total_scale = scale
                total += part * np.exp(scale - total_scale)
        out[block - start] = np.log(total) + total_scale
    return out.ravel()
