"""The tests for copies: group by group, the largest p-value of all columns; and number
by number, how often rows occur.
"""

import math
from collections import Counter, defaultdict
from itertools import combinations

from scipy.stats import binom


def copies_p_value(table):
    """The p-value of rows of integers, with the first two rows of each group."""
    rows = [tuple(row) for row in table.tolist()]
    columns = range(len(rows[0]))
    chance = max(0.5, min(_share_of_equal_pairs(rows, column) for column in columns))
    return max(_of_column(rows, column, chance) for column in columns)


def copies_p_value_with_labels(table, labels):
    """The same with labels as one more column, and with comparisons within classes of
    at least 14 rows, which get a fifth of the level.
    """
    rows = [(*row, label) for row, label in zip(table.tolist(), labels, strict=True)]
    columns = range(len(rows[0]))
    classes = [
        [row for row in rows if row[-1] == label]
        for label in sorted(set(labels))
        if sum(other == label for other in labels) >= 14
    ]
    features = columns[:-1]
    chance = max(0.5, min(_share_of_equal_pairs(rows, column) for column in features))
    chances = [
        max(chance, min(_share_of_equal_pairs(part, column) for column in features))
        for part in classes
    ]

    of_columns = [_of_column(rows, columns[-1], chance) / 0.8]
    for column in features:
        within = [
            _of_column(part, column, chance_within)
            for part, chance_within in zip(classes, chances, strict=True)
        ]
        of_all = _of_column(rows, column, chance) / 0.8
        of_columns.append(min(of_all, len(classes) * min(within) / 0.2))
    return min(1.0, max(of_columns))


def factors_of_occurrences(j):
    """The factors by which rows that occur j - 1, j and j + 1 times change e, for each
    a and g of the grid.
    """
    for power in range(-8, 9):
        a = math.sqrt((j + 1) / (4 * j)) * 2.0**power
        b = (j + 1) / (4 * j) / a
        for share in (0.25, 0.5, 0.75, 1.0):
            g = share * min(1 / a, 1 / b)
            yield 1 - g * a, 1 + g, 1 - g * b


def occurrences_p_value(counts):
    """The p-value of how often different rows occur."""
    n = sum(counts)
    numbers = Counter(counts)
    mean = 0.0
    for j in range(2, max(counts) + 1):
        products = [
            before ** numbers[j - 1] * here ** numbers[j] * after ** numbers[j + 1]
            for before, here, after in factors_of_occurrences(j)
        ]
        if numbers[j]:
            mean += sum(products) / len(products) / (j * (j - 1))
    bound = math.sqrt(2 * math.pi * n) * math.exp(1 / (12 * n))
    if mean == 0:
        return 1.0
    return min(1.0, bound / mean)


def divided_p_value(first, second):
    """The p-value of how often rows occur in the second of two parts, given how often
    they do in the first.
    """
    mean = 0.0
    for a in set(first) - {0}:
        pairs = zip(first, second, strict=True)
        numbers = Counter(in_second for in_first, in_second in pairs if in_first == a)
        for j in range(1, max(second) + 1):
            if numbers[j]:
                products = [
                    before ** numbers[j - 1]
                    * here ** numbers[j]
                    * after ** numbers[j + 1]
                    for before, here, after in factors_of_occurrences(j)
                ]
                weight = j * (j + 1) * a * (a + 1)
                mean += sum(products) / len(products) / weight
    n = sum(second)
    bound = math.sqrt(2 * math.pi * n) * math.exp(1 / (12 * n))
    if mean == 0:
        return 1.0
    return min(1.0, bound / mean)


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
    if not pairs:
        return 1.0
    return binom.sf(n_equal - 1, len(pairs), chance)
