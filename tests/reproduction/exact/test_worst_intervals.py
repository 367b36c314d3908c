from itertools import combinations, pairwise

import numpy as np
import pytest

from reproduction.exact.worst_intervals import largest_excess, noisy_steps

PRICE = 0.1


def excess_of(x, y, noise, start, end):
    """The best excess of one interval over both labels; each end is a place, and the
    number of examples left of it.
    """
    (a, i), (b, j) = start, end
    ones = max(0.0, b - max(a, 0.5))
    return max(
        wrong * (1 - noise) + (b - a - wrong) * noise - PRICE * np.sum(y[i:j] != label)
        for label, wrong in ((0, ones), (1, b - a - ones))
    )


def by_listing(x, y, noise, n_intervals):
    """All cuts just before an example, just after one, or in the middle."""
    places = [(place, i + after) for i, place in enumerate(x) for after in (0, 1)]
    places = sorted([*places, (0.5, int(np.sum(x < 0.5)))])
    return max(
        sum(
            excess_of(x, y, noise, *ends)
            for ends in pairwise([(0.0, 0), *cuts, (1.0, len(x))])
        )
        for cuts in combinations(places, n_intervals - 1)
    )


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_it_is_the_largest_of_all_lists_of_intervals(noise):
    x, y = noisy_steps(20, 5, noise, np.random.default_rng(1))
    found = largest_excess(x, y, noise, PRICE, 3)
    for sample in range(len(x)):
        listed = [by_listing(x[sample], y[sample], noise, n) for n in (1, 2, 3)]
        assert np.allclose(found[:, sample], np.maximum.accumulate(listed))


def test_samples_are_sorted_and_labeled_by_the_middle():
    x, y = noisy_steps(3, 50, 0.0, np.random.default_rng(0))
    assert (np.diff(x, axis=1) >= 0).all()
    assert (y == (x > 0.5)).all()
