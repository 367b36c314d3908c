"""Growth bounds and optimal permutations: seconds on one core, and ratios to obvious
implementations.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

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


def seconds(function: Callable[[], object], repeat: int = 3) -> float:
    """Processor time of the fastest of some calls."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


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


def ratio(name: str, value: float, target: float) -> dict:
    return {"name": name, "value": value, "target": target, "unit": "times, at most"}


def ratios(structure: TreeStructure, sharp: float) -> list[dict]:
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

    return [
        ratio(
            "sharp over tight",
            sharp
            / seconds(
                lambda: log_growth_function_bound(structure, 8000, 57, 10, "tight")
            ),
            2,
        ),
        ratio(
            "closed, 100,000 nodes, a million examples, over sharp",
            seconds(
                lambda: log_growth_function_bound(chain, next(sizes), 57, 10, "closed")
            )
            / sharp,
            0.01,
        ),
        ratio(
            "series, 100,000 nodes, a million examples, over sharp",
            seconds(
                lambda: log_all_structures_growth_bound(10**5 + 1, next(sizes), 57, 10)
            )
            / sharp,
            0.03,  # about two milliseconds
        ),
        ratio(
            "VC upper bound, 200 leaves, 16 features, over sharp",
            seconds(lambda: vc_dimension_upper_bound(large, 16)) / sharp,
            3,
        ),
    ]


def sample_and_tree() -> dict:
    structure = random_structure(1001, random.Random(0))
    labels = np.random.default_rng(0).integers(0, 2, 8001)
    return {
        "name": (
            "shattered sample and realizing tree, 1,000 nodes, 100 features, random"
            " labels"
        ),
        "value": seconds(
            lambda: realizing_tree(structure, shattered_sample(structure, 100), labels)
        ),
        "target": 1.0,
        "unit": "s, at most",
    }


def large() -> list[dict]:
    """Seconds for thousands of leaves and for a thousand trees."""
    structure = random_structure(2000, random.Random(0))
    trees = [random_structure(64, random.Random(0))] * 1000
    return [
        {
            "name": "log sharp growth bound, 2,000 leaves, m = 8,000",
            "value": seconds(
                lambda: log_growth_function_bound(structure, 8000, 57, 10), repeat=1
            ),
            "target": 5.0,
            "unit": "s, at most",
        },
        {
            "name": "VC bounds of a sum of 1,000 trees with 63 nodes",
            "value": seconds(
                lambda: (
                    vc_dimension_lower_bound(trees, 57),
                    vc_dimension_upper_bound(trees, 57),
                )
            ),
            "target": 1.0,
            "unit": "s, at most",
        },
    ]


def run() -> list[dict]:
    structure = random_structure(40, random.Random(0))
    for form in ("sharp", "tight", "closed"):
        # The first call compiles.
        log_growth_function_bound(structure, 500, 57, 10, form)

    sharp = seconds(lambda: log_growth_function_bound(structure, 8000, 57, 10))
    rows = [
        {
            "name": (
                "log sharp growth bound, 40 leaves at random, 57 features, 10 classes,"
                " m = 8,000"
            ),
            "value": sharp,
            "target": 0.5,
            "unit": "s, at most",
        },
        *ratios(structure, sharp),
        sample_and_tree(),
        *large(),
    ]
    small = random_structure(8, random.Random(0))

    # For only eight leaves and 60 examples, calls of numpy dominate the time of the
    # bound. With two classes the transcription has a fifth of the work that it has with
    # four, so the ratio is smaller.
    for n_classes, target in ((2, 50), (4, 100), (8, 100)):
        literal = seconds(
            lambda n=n_classes: literal_growth_bound(small, 60, 10, n), repeat=1
        )
        fast = seconds(
            lambda n=n_classes: [
                log_growth_function_bound(small, 60, 10, n, "tight") for _ in range(20)
            ]
        )
        rows.append(
            {
                "name": (
                    "Algorithm 1 transcribed over log tight bound, 8 leaves,"
                    f" {n_classes} classes"
                ),
                "value": 20 * literal / fast,
                "target": target,
                "unit": "times, at least",
            }
        )

    for m, target in ((10, 1.0), (13, 15.0)):
        rows.append(
            {
                "name": f"optimal stump permutations, m = {m}",
                "value": seconds(lambda m=m: permutations_anew(m), repeat=1),
                "target": target,
                "unit": "s, at most",
            }
        )

    return rows


if __name__ == "__main__":
    for row in run():
        print(f"{row['value']:10.3g} {row['unit']} {row['target']:g}   {row['name']}")
