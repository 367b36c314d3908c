"""Exact VC dimensions: seconds on one core for the sets of structures that the book
shows.
"""

from __future__ import annotations

from itertools import chain, combinations_with_replacement, product

from measuring import Measurement, at_most, seconds
from reproduction.exact import exact_lary_vc_dimension, exact_vc_dimension
from treebounds import TreeStructure
from treebounds.structure import enumerate_structures


def binary(structures: list[TreeStructure], features: tuple[int, ...]) -> None:
    for structure in structures:
        for d in features:
            exact_vc_dimension(structure, d)


def real(cases: list[tuple[TreeStructure, int]]) -> None:
    for structure, l in cases:
        exact_vc_dimension(structure, l, feature_type="real")


def mixed_values() -> None:
    for d in range(1, 5):
        for n_values in combinations_with_replacement((2, 3, 4, 5), d):
            exact_lary_vc_dimension(n_values)


def run() -> list[Measurement]:
    leaf = TreeStructure()
    stump = TreeStructure(leaf, leaf)
    two_nodes = TreeStructure(stump, leaf)
    small = list(chain.from_iterable(map(enumerate_structures, range(2, 12))))
    larger = chain.from_iterable(map(enumerate_structures, range(2, 17)))
    low = [structure for structure in larger if structure.height <= 4]

    table = list(product((stump, two_nodes), (1, 2, 3)))
    table += [(TreeStructure(two_nodes, leaf), 2), (TreeStructure(stump, stump), 2)]

    # The first calls compile.
    exact_vc_dimension(stump, 4)
    real(table[:5])

    name = "exact VC dimension"
    return [
        at_most(
            f"{name}, 66 structures of height up to 4, 3 and 4 binary features",
            seconds(lambda: binary(low, (3, 4))),
            3,
        ),
        at_most(
            f"{name}, all structures up to 10 nodes, up to 4 binary features",
            seconds(lambda: binary(small, (1, 2, 3, 4))),
            30,
        ),
        at_most(
            f"{name} of one node, every multiset of up to 4 features with 2 to 5"
            " values",
            seconds(mixed_values),
            60,
        ),
        at_most(
            f"{name}, real-valued features, the book's table",
            seconds(lambda: real(table)),
            40,
        ),
    ]
