"""The smallest trees without errors, against the definition."""

from itertools import product

import numpy as np

from reproduction.exact import fewest_leaves


def test_the_smallest_trees_are_found_as_by_trying_all_trees_with_few_leaves():
    rng = np.random.default_rng(3)
    for _ in range(30):
        X = rng.permutation(12).reshape(6, 2)
        y = rng.integers(2, size=6).astype(bool)
        assert fewest_leaves(X, y) == smallest_number(X, y)


def smallest_number(X, y):
    """By the definition: the first number of leaves for which some tree is right."""
    return next(n for n in range(1, 7) if is_right_with(X, y, n))


def is_right_with(X, y, n_leaves):
    if len(set(y)) < 2:
        return True
    for n_left, j, k in product(range(1, n_leaves), (0, 1), range(len(y))):
        no = X[:, j] < X[k, j]
        if (
            no.any()
            and is_right_with(X[no], y[no], n_left)
            and is_right_with(X[~no], y[~no], n_leaves - n_left)
        ):
            return True
    return False
