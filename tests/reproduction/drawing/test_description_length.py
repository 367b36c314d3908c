"""The figures of the chapter on trees as messages can be drawn."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest

from reproduction.drawing import description_length


def test_the_parts_of_a_message_stand_one_behind_the_other():
    telegram = {"n_nodes": 3, "n_features": 30, "n_examples": 569}
    figure = description_length.message(
        telegram | {"shape": 1.6, "sides": 2.0, "labels": 0.7}
    )
    bars = figure.axes[0].patches
    assert len(bars) == 6
    for bar, following in pairwise(bars):
        assert bar.get_x() + bar.get_width() == pytest.approx(following.get_x())


def test_each_size_has_its_bar_and_each_limit_its_line():
    samples = np.random.default_rng(0).normal(size=(50, 4))
    limits = {"one": [0.2, 0.3], "two": [0.4, 0.5]}
    description_length.gaps_by_size(samples, np.array([1, 1, 3, 3]), limits)
    n_lines = len(plt.gca().lines)
    assert n_lines == 2 * 2 + 2


def test_a_ring_marks_the_smallest_bound():
    description_length.bounds_by_size({50: [0.9, 0.7, 0.8], 100: [0.9, 0.8, 0.5]})
    rings = [line.get_xdata() for line in plt.gca().lines[1::2]]
    assert [list(ring) for ring in rings] == [[1], [2]]


def test_large_counts_have_two_digits():
    assert description_length.legible(999_999) == "999,999"
    assert description_length.legible(2_660_000) == r"$2.7 \cdot 10^{6}$"
