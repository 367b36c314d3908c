"""Sums of stumps on two features, against linear programs."""

import numpy as np
import pytest

from oracles.sums_of_trees import labelings_of_stump_sums
from reproduction.exact.stump_sums import (
    count_stump_sum_labelings,
    extend_shattered,
    samples_shattered_by_sums,
)


@pytest.mark.parametrize(("m", "B"), [(1, 1), (2, 1), (4, 1), (5, 1), (4, 2), (5, 2)])
def test_the_labelings_are_those_of_linear_programs(m, B):
    rng = np.random.default_rng(0)
    for _ in range(3):
        ranks = rng.permutation(m)
        sample = np.column_stack([np.arange(m), ranks])
        expected = len(labelings_of_stump_sums(sample, B)) if m > 1 else 2
        assert count_stump_sum_labelings(ranks, B) == expected


def test_more_stumps_than_cuts_realize_everything():
    assert count_stump_sum_labelings([2, 0, 1], 7) == 8


def test_three_stumps_shatter_eight_examples_and_not_nine():
    samples = samples_shattered_by_sums(3)
    assert samples[8] == [(1, 6, 5, 2, 4, 0, 7, 3)]
    assert samples[9] == []


def test_the_search_finds_what_trying_every_order_finds():
    from itertools import permutations

    every = [p for p in permutations(range(5)) if count_stump_sum_labelings(p, 2) == 32]
    images = {min(_images(p)) for p in every}
    assert len(every) == 36
    assert set(samples_shattered_by_sums(2)[5]) == images


def _images(ranks):
    """Both features reversed, or exchanged."""
    ranks = np.array(ranks)
    for image in (ranks, ranks.argsort()):
        for turned in (image, len(image) - 1 - image):
            yield tuple(turned.tolist())
            yield tuple(turned[::-1].tolist())


def test_a_sample_with_a_part_that_is_not_shattered_is_not_tried():
    assert extend_shattered([], 3) == []


@pytest.mark.parametrize(
    "ranks", [[], [0, 0], [1, 2], [[0, 1]], [0.5, 1], range(17), "ab", None]
)
def test_what_is_no_order_is_refused(ranks):
    with pytest.raises(ValueError, match="ranks"):
        count_stump_sum_labelings(ranks, 2)


@pytest.mark.parametrize("B", [0, 1.5, "2", None])
def test_wrong_numbers_of_stumps_are_refused(B):
    for call in (
        samples_shattered_by_sums,
        lambda n: count_stump_sum_labelings([0], n),
    ):
        with pytest.raises(ValueError, match="n_stumps"):
            call(B)
