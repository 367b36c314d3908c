"""The test for copies, group by group: the largest p-value of all columns."""

from collections import defaultdict

from scipy.stats import binom


def copies_p_value(table):
    """The p-value of rows of integers, with the first two rows of each group."""
    rows = [tuple(row) for row in table.tolist()]
    return max(_of_column(rows, column) for column in range(len(rows[0])))


def _of_column(rows, column):
    """P[Bin(n, 1/2) >= d] for n groups that are alike in all other columns."""
    groups = defaultdict(list)
    for row in rows:
        groups[row[:column] + row[column + 1 :]].append(row[column])

    pairs = [values[:2] for values in groups.values() if len(values) > 1]
    n_equal = sum(first == second for first, second in pairs)
    return binom.sf(n_equal - 1, len(pairs), 0.5) if pairs else 1.0
