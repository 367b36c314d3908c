import matplotlib.pyplot as plt

from reproduction.drawing import small_trees as drawing
from treebounds.capacity import shattered_sample
from treebounds.structure import enumerate_structures


def test_samples_have_their_sizes_in_the_titles():
    chain = next(enumerate_structures(3))
    samples = {"chain": (chain, shattered_sample(chain, 2))}
    for draw in (drawing.found_samples, drawing.built_samples):
        draw({**samples, "again": samples["chain"]})
        titles = [ax.get_title() for ax in plt.gcf().axes]
        assert titles == ["chain: 5", "again: 5"]


def test_only_known_values_have_a_dot():
    drawing.gaps([("stump", 1, 2, 2, 2), ("chain", 3, 6, "", 9)])
    assert len(plt.gca().lines) == 3
