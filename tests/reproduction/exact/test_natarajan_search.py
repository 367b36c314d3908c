"""The search for samples that trees of three nodes shatter with many classes."""

from itertools import permutations

import numpy as np
import pytest

from builders import BALANCED, CHAIN, STUMP, chain_of
from oracles.sharp import labelings_of
from reproduction.exact.natarajan_search import count_patterns, search_three_nodes
from reproduction.exact.shattering import is_shattered
from treebounds import FeatureKinds


@pytest.mark.parametrize("structure", [BALANCED, chain_of(3)], ids=str)
def test_samples_that_two_classes_shatter_are_those_of_the_definition(structure):
    m = 5
    classes = {}
    for ranks in permutations(range(m)):
        sample = np.column_stack([np.arange(m), ranks])
        classes.setdefault(min(_images(ranks)), sample)

    shattered = [is_shattered(structure, sample, "real") for sample in classes.values()]
    found = search_three_nodes(structure, m)
    assert found.n_samples == len(classes)
    assert found.n_two_classes == sum(shattered)


def _images(ranks):
    """Both features reversed, or exchanged."""
    ranks = np.array(ranks)
    for image in (ranks, ranks.argsort()):
        for turned in (image, len(image) - 1 - image):
            yield tuple(turned.tolist())
            yield tuple(turned[::-1].tolist())


@pytest.mark.parametrize("structure", [STUMP, CHAIN, BALANCED], ids=str)
def test_patterns_are_counted_by_the_definition(structure):
    rng = np.random.default_rng(0)
    every_pair = [(0, 1), (0, 2), (1, 2)]
    for _ in range(5):
        second = rng.permutation(5)
        pairs = tuple(every_pair[i] for i in rng.integers(0, 3, 5))
        sample = np.column_stack([np.arange(5), second.argsort()]).tolist()
        labelings = labelings_of(structure, sample, FeatureKinds(real=2), 3)
        patterns = [y for y in labelings if all(c in pairs[i] for i, c in y)]
        assert count_patterns(structure, second, pairs) == len(patterns)


def test_candidates_of_six_examples_are_not_shattered():
    found = search_three_nodes(BALANCED, 6)
    assert found.n_candidates > 0
    assert found.most_patterns < 2**6


@pytest.mark.parametrize(
    ("arguments", "name"),
    [((CHAIN, 5), "structure"), ((None, 5), "structure"), ((BALANCED, 11), "n_exam")],
)
def test_wrong_arguments_are_named(arguments, name):
    with pytest.raises(ValueError, match=name):
        search_three_nodes(*arguments)
