"""All samples that sums of stumps shatter, against the count of all labelings."""

from itertools import permutations

import numpy as np
import pytest

from oracles import stump_sum_search as oracle
from reproduction.exact.stump_sum_search import (
    extend_shattered,
    samples_shattered_by_sums,
)
from reproduction.exact.stump_sums import count_stump_sum_labelings


def test_three_stumps_shatter_eight_examples_and_not_nine():
    samples = samples_shattered_by_sums(3)
    assert samples[8].tolist() == [[1, 6, 5, 2, 4, 0, 7, 3]]
    assert len(samples[9]) == 0


def test_four_stumps_shatter_ten_examples_and_not_eleven():
    samples = samples_shattered_by_sums(4)
    assert [len(samples[m]) for m in (8, 9, 10, 11)] == [3630, 5757, 109, 0]


@pytest.mark.parametrize("B", [2, 3, 4])
def test_the_search_finds_what_the_search_without_shortcuts_finds(B):
    samples = samples_shattered_by_sums(B)
    expected = oracle.samples_shattered_by_sums(B)
    assert samples.keys() == expected.keys()
    for m, of_size in samples.items():
        np.testing.assert_array_equal(of_size, expected[m])


@pytest.mark.parametrize(("m", "B"), [(3, 1), (5, 2), (6, 2), (6, 3)])
def test_the_search_finds_what_trying_every_order_finds(m, B):
    every = [
        p for p in permutations(range(m)) if count_stump_sum_labelings(p, B) == 2**m
    ]
    found = {tuple(sample) for sample in samples_shattered_by_sums(B)[m].tolist()}
    assert found == {min(images(p)) for p in every}


@pytest.mark.parametrize(("m", "B"), [(8, 4), (9, 5)])
def test_a_random_sample_is_found_if_all_its_labelings_are_counted(m, B):
    samples = np.array([[0]])
    for _ in range(m - 1):
        samples = extend_shattered(samples, B)
    found = {tuple(sample) for sample in samples.tolist()}

    rng = np.random.default_rng(0)
    answers = set()
    for _ in range(60):
        ranks = rng.permutation(m)
        answer = count_stump_sum_labelings(ranks, B) == 2**m
        assert (min(images(ranks)) in found) == answer
        answers.add(answer)
    assert answers == {True, False}


def images(ranks):
    """Both features reversed, or exchanged."""
    ranks = np.array(ranks)
    for image in (ranks, ranks.argsort()):
        for turned in (image, len(image) - 1 - image):
            yield tuple(turned.tolist())
            yield tuple(turned[::-1].tolist())


def test_a_sample_with_a_part_that_is_not_shattered_is_not_tried():
    assert extend_shattered(np.zeros((0, 4), int), 3).shape == (0, 5)


@pytest.mark.parametrize("B", [0, 14, 1.5, "2", None])
def test_wrong_numbers_of_stumps_are_refused(B):
    with pytest.raises(ValueError, match="n_stumps"):
        samples_shattered_by_sums(B)


def test_samples_that_are_too_long_are_refused():
    with pytest.raises(ValueError, match="15 examples"):
        extend_shattered(np.arange(15)[None], 3)
