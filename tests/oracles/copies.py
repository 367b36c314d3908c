"""The test for copies, group by group: the largest p-value of all columns."""

from collections import defaultdict
from itertools import combinations

from scipy.stats import binom


def copies_p_value(table):
    """The p-value of rows of integers, with the first two rows of each group."""
    rows = [tuple(row) for row in table.tolist()]
    columns = range(len(rows[0]))
    chance = max(0.5, min(_share_of_equal_pairs(rows, column) for column in columns))
    return max(_of_column(rows, column, chance) for column in columns)


def _share_of_equal_pairs(rows, column):
    """The share of pairs of rows that agree in a column."""
    pairs = list(combinations([row[column] for row in rows], 2))
    return sum(first == second for first, second in pairs) / len(pairs)


def _of_column(rows, column, chance):
    """P[Bin(n, chance) >= d] for n groups that are alike in all other columns."""
    groups = defaultdict(list)
    for row in rows:
        groups[row[:column] + row[column + 1 :]].append(row[column])

    pairs = [values[:2] for values in groups.values() if len(values) > 1]
    n_equal = sum(first == second for first, second in pairs)
    return binom.sf(n_equal - 1, len(pairs), chance) if pairs else 1.0
