"""Equal rows, counted by comparing the rows themselves."""

from collections import Counter

import numpy as np


def keys(table):
    """A tuple for each row of numbers, equal for rows that a tree cannot tell apart."""
    with np.errstate(over="ignore"):
        rows = np.asarray(table, dtype=np.float64).astype(np.float32)
    return [tuple(map(_key, row)) for row in rows]


def _key(entry):
    """A number that is equal for 0.0 and -0.0, and a word for missing values."""
    if np.isnan(entry):
        return "nan"
    return float(entry) + 0.0


def n_repeats(table, labels, groups=None):
    """Number of rows minus number of different ones; with groups, equal rows of one
    group count once.
    """
    rows = list(zip(keys(table), labels.tolist(), strict=True))
    if groups is not None:
        pairs = set(zip(rows, groups.tolist(), strict=True))
        rows = [row for row, _ in pairs]
    return len(rows) - len(set(rows))


def n_recurring(first, second):
    """Number of rows of the second sample that are equal to one of the first."""
    keys_of_first = set(keys(first))
    return sum(row in keys_of_first for row in keys(second))


def smallest_counts(first, second, most):
    """How often each of the smallest numbers occurs in two samples, given the numbers
    of their rows.
    """
    values = sorted({*first.tolist(), *second.tolist()})[:most]
    counts_of_first = Counter(first.tolist())
    counts_of_second = Counter(second.tolist())
    of_first = [counts_of_first[value] for value in values]
    of_second = [counts_of_second[value] for value in values]
    return of_first, of_second
