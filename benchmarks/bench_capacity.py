"""Growth bounds and optimal permutations: seconds on one core, and ratios to the obvious versions."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

from treebounds import TreeStructure, log_growth_function_bound, optimal_stump_permutations
from treebounds.capacity.permutations import _permutations

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
    return TreeStructure(random_structure(left, rng), random_structure(n_leaves - left, rng))


def literal_growth_bound(structure: TreeStructure, m: int, l: int, n: int) -> int:
    table: dict = {}
    return sum(theorem_9(structure, c, m, l, table=table) for c in range(1, min(n, structure.n_leaves) + 1))


def permutations_anew(m: int) -> None:
    _permutations.cache_clear()
    optimal_stump_permutations(m)


def run() -> list[dict]:
    structure = random_structure(40, random.Random(0))
    log_growth_function_bound(structure, 500, 57, 10)  # compiles
    rows = [
        {
            "name": "log tight growth bound, 40 leaves at random, 57 features, 10 classes, m = 8000",
            "value": seconds(lambda: log_growth_function_bound(structure, 8000, 57, 10)),
            "target": 1.0,
            "unit": "s, at most",
        }
    ]
    small = random_structure(8, random.Random(0))
    for n_classes in (2, 4, 8):
        literal = seconds(lambda n=n_classes: literal_growth_bound(small, 60, 10, n), repeat=1)
        fast = seconds(lambda n=n_classes: [log_growth_function_bound(small, 60, 10, n) for _ in range(20)])
        rows.append(
            {
                "name": f"Algorithm 1 transcribed over log tight bound, 8 leaves, {n_classes} classes",
                "value": 20 * literal / fast,
                "target": 100,
                "unit": "times, at least",
            }
        )
    for m, target in ((12, 1.0), (16, 15.0)):
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
