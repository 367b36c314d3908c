"""Growth bounds and optimal permutations: seconds on one core, and ratios to obvious
implementations.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import numpy as np

from measuring import Measurement, at_least, at_most, seconds
from reproduction.exact import optimal_stump_permutations
from reproduction.exact.permutations import _permutations
from treebounds import (
    TreeStructure,
    log_growth_function_bound,
    vc_dimension_lower_bound,
    vc_dimension_upper_bound,
)
from treebounds.capacity import (
    log_all_structures_growth_bound,
    realizing_tree,
    shattered_sample,
)

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
from oracles.partitioning import theorem_9


def random_structure(n_leaves: int, rng: random.Random) -> TreeStructure:
    if n_leaves == 1:
        return TreeStructure()
    left = rng.randint(1, n_leaves - 1)
    return TreeStructure(
        random_structure(left, rng), random_structure(n_leaves - left, rng)
    )


def literal_growth_bound(structure: TreeStructure, m: int, l: int, n: int) -> int:
    table: dict = {}
    return sum(
        theorem_9(structure, c, m, l, table=table)
        for c in range(1, min(n, structure.n_leaves) + 1)
    )


def permutations_anew(m: int) -> None:
    _permutations.cache_clear()
    optimal_stump_permutations(m)


def ratios(structure: TreeStructure, sharp: float) -> list[Measurement]:
    """Times of other bounds, divided by that of the sharp bound of a 40-leaf tree on
    8,000 examples.
    """
    m = 10**6
    chain = TreeStructure()
    for _ in range(10**5):
        chain = TreeStructure(chain, TreeStructure())

    large = random_structure(200, random.Random(0))
    sizes = iter(range(m, m + 100))
    log_all_structures_growth_bound(9, 99, 3)

    def tight() -> float:
        return log_growth_function_bound(structure, 8000, 57, 10, form="tight")

    def closed() -> float:
        return log_growth_function_bound(chain, next(sizes), 57, 10, form="closed")

    def series() -> float:
        return log_all_structures_growth_bound(10**5 + 1, next(sizes), 57, 10)

    def vc() -> int:
        return vc_dimension_upper_bound(large, 16)

    many = "100,000 nodes, a million examples"
    return [
        at_most("sharp over tight", sharp / seconds(tight, 3), 2, "times"),
        at_most(
            f"closed, {many}, over sharp", seconds(closed, 3) / sharp, 0.01, "times"
        ),
        # It takes about two milliseconds.
        at_most(
            f"series, {many}, over sharp", seconds(series, 3) / sharp, 0.03, "times"
        ),
        at_most(
            "VC upper bound, 200 leaves, 16 features, over sharp",
            seconds(vc, 3) / sharp,
            3,
            "times",
        ),
    ]


def sample_and_tree() -> Measurement:
    structure = random_structure(1001, random.Random(0))
    labels = np.random.default_rng(0).integers(0, 2, 8001)
    return at_most(
        "shattered sample and realizing tree, 1,000 nodes, 100 features, random labels",
        seconds(
            lambda: realizing_tree(structure, shattered_sample(structure, 100), labels),
            3,
        ),
        1.0,
    )


def large() -> list[Measurement]:
    """Seconds for thousands of leaves and for a thousand trees."""
    structure = random_structure(2000, random.Random(0))
    trees = [random_structure(64, random.Random(0))] * 1000

    def both_vc_bounds() -> tuple[int, int]:
        return vc_dimension_lower_bound(trees, 57), vc_dimension_upper_bound(trees, 57)

    return [
        at_most(
            "log sharp growth bound, 2,000 leaves, m = 8,000",
            seconds(lambda: log_growth_function_bound(structure, 8000, 57, 10)),
            5.0,
        ),
        at_most(
            "VC bounds of a sum of 1,000 trees with 63 nodes",
            seconds(both_vc_bounds, 3),
            1.0,
        ),
    ]


def over_transcription(n_classes: int, target: float) -> Measurement:
    """The time of the literal transcription of Algorithm 1 over that of the library.

    For only eight leaves and 60 examples, calls of numpy dominate the time of the
    bound. With two classes the transcription has a fifth of the work that it has with
    four, so the ratio is smaller.
    """
    small = random_structure(8, random.Random(0))

    def twenty_bounds() -> None:
        for _ in range(20):
            log_growth_function_bound(small, 60, 10, n_classes, form="tight")

    literal = seconds(lambda: literal_growth_bound(small, 60, 10, n_classes))
    return at_least(
        f"Algorithm 1 transcribed over log tight bound, 8 leaves, {n_classes} classes",
        20 * literal / seconds(twenty_bounds, 3),
        target,
    )


def run() -> list[Measurement]:
    structure = random_structure(40, random.Random(0))
    for form in ("sharp", "tight", "closed"):
        # The first call compiles.
        log_growth_function_bound(structure, 500, 57, 10, form=form)

    sharp = seconds(lambda: log_growth_function_bound(structure, 8000, 57, 10), 3)
    return [
        at_most(
            "log sharp growth bound, 40 leaves at random, 57 features, 10 classes,"
            " m = 8,000",
            sharp,
            0.5,
        ),
        *ratios(structure, sharp),
        sample_and_tree(),
        *large(),
        *(over_transcription(n, target) for n, target in ((2, 50), (4, 100), (8, 100))),
        *(
            at_most(
                f"optimal stump permutations, m = {m}",
                seconds(lambda m=m: permutations_anew(m)),
                target,
            )
            for m, target in ((10, 1.0), (13, 15.0))
        ),
    ]
