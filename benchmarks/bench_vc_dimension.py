"""Exact VC dimensions: seconds on one core for the sets of structures that the book
shows.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import combinations_with_replacement

from reproduction.exact import exact_lary_vc_dimension, exact_vc_dimension
from treebounds import TreeStructure
from treebounds.structure import enumerate_structures


def seconds(function: Callable[[], object]) -> float:
    """Processor time of one call."""
    start = time.process_time()
    function()
    return time.process_time() - start


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


def run() -> list[dict]:
    leaf = TreeStructure()
    stump = TreeStructure(leaf, leaf)
    chain = TreeStructure(stump, leaf)
    small = [s for L in range(2, 12) for s in enumerate_structures(L)]
    low = [s for L in range(2, 17) for s in enumerate_structures(L) if s.height <= 4]
    table = [(s, l) for s in (stump, chain) for l in (1, 2, 3)]
    table += [(s, 2) for s in (TreeStructure(chain, leaf), TreeStructure(stump, stump))]
    exact_vc_dimension(stump, 4)
    real(table[:5])  # The first call compiles.
    cases = [
        (
            (
                "exact VC dimension, 66 structures of height up to 4, 3 and 4 binary"
                " features"
            ),
            3,
            low,
            (3, 4),
        ),
        (
            (
                "exact VC dimension, all structures up to 10 nodes, up to 4 binary"
                " features"
            ),
            30,
            small,
            (1, 2, 3, 4),
        ),
    ]
    rows = [
        {
            "name": name,
            "value": seconds(lambda s=s, d=d: binary(s, d)),
            "target": target,
        }
        for name, target, s, d in cases
    ]
    rows.append(
        {
            "name": (
                "exact VC dimension of one node, every multiset of up to 4 features"
                " with 2 to 5 values"
            ),
            "value": seconds(mixed_values),
            "target": 60,
        }
    )
    rows.append(
        {
            "name": "exact VC dimension, real-valued features, the book's table",
            "value": seconds(lambda: real(table)),
            "target": 40,
        }
    )

    return [{**row, "unit": "s, at most"} for row in rows]
