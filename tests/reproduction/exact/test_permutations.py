from math import comb

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.partitioning import splits_of_thresholds
from reproduction.exact import optimal_stump_permutations
from reproduction.exact.permutations import maximum_matching
from treebounds import stump_partitioning_function


@pytest.mark.parametrize("m", range(1, 14))
def test_every_number_of_features_attains_the_bound(m):
    permutations = optimal_stump_permutations(m)
    assert permutations.shape == (-(-comb(m, m // 2) // 2), m)
    assert permutations.dtype == np.int64
    assert (np.sort(permutations, axis=1) == np.arange(m)).all()
    found = set()
    for l, row in enumerate(permutations.tolist(), 1):
        found.update(splits_of_thresholds(row))
        assert len(found) == stump_partitioning_function(m, l)
    assert len(found) == 2 ** (m - 1) - 1


def test_the_result_is_the_callers_own():
    optimal_stump_permutations(5)[:] = 0
    assert optimal_stump_permutations(5).max() == 4


@st.composite
def graphs_with_a_matching(draw):
    n = draw(st.integers(2, 14))
    pairs = [(a, b) for a in range(n) for b in range(a)]
    edges = draw(st.lists(st.sampled_from(pairs), max_size=40, unique=True))
    mate = {}
    for a, b in edges:
        if a not in mate and b not in mate and draw(st.booleans()):
            mate |= {a: b, b: a}
    return n, edges, mate


@given(graphs_with_a_matching())
@settings(max_examples=120)
def test_the_matching_is_as_large_as_networkx_finds(case):
    n, edges, start = case
    adjacent = {vertex: [] for vertex in range(n)}
    for a, b in edges:
        adjacent[a].append(b)
        adjacent[b].append(a)
    before = dict(start)
    mate = maximum_matching(adjacent, start)
    assert start == before
    assert all(
        mate[mate[vertex]] == vertex and mate[vertex] in adjacent[vertex]
        for vertex in mate
    )
    graph = nx.Graph(edges)
    assert len(mate) == 2 * len(nx.max_weight_matching(graph, maxcardinality=True))


@pytest.mark.parametrize("seed", range(6))
def test_larger_graphs_against_networkx(seed):
    graph = nx.gnp_random_graph(150, 0.018, seed=seed)
    mate = maximum_matching({v: list(graph[v]) for v in graph}, {})
    assert len(mate) == 2 * len(nx.max_weight_matching(graph, maxcardinality=True))


def test_a_list_that_would_be_too_long_is_refused_with_its_length():
    with pytest.raises(
        ValueError,
        match=r"n_examples must be at most 22; got 30, for which .* 10\^7\.9 ",
    ):
        optimal_stump_permutations(30)
