"""Exact moments of random trees on ten thousand examples: seconds on one core."""

from __future__ import annotations

import numpy as np

from measuring import Measurement, at_most, seconds
from reproduction.random_trees import (
    JointDistribution,
    StoppingRule,
    error_moments,
    two_tree_covariance,
)

N_EXAMPLES = 10_000
SYSTEMS = {
    "d = 5 binary": ((2,) * 5, 0.5, 2.0),
    "d = 5 ternary": ((3,) * 5, 1.0, 6.0),
    "d = 8 binary": ((2,) * 8, 6.0, 40.0),
}
RULES = {
    "height 3": StoppingRule(height=3),
    "all attributes": StoppingRule(),
    "purity": StoppingRule(pure=True),
    "scarcity 1,000": StoppingRule(scarcity=1000),
}


def random_signs(shape: tuple[int, ...], rho: float = 0.02) -> JointDistribution:
    signs = np.random.default_rng(0).choice([-1, 1], shape)
    first = (1 + np.sqrt(rho) * signs) / 2
    return JointDistribution(np.stack([first, 1 - first], axis=-1) / signs.size)


def run() -> list[Measurement]:
    height = RULES["height 3"]
    # The first call compiles.
    two_tree_covariance(random_signs((2, 2)), 10, StoppingRule(height=1))

    measurements = []
    for name, (shape, target, pair_target) in SYSTEMS.items():
        p = random_signs(shape)
        for rule_name, rule in RULES.items():
            value = seconds(lambda p=p, rule=rule: error_moments(p, N_EXAMPLES, rule))
            measurements.append(at_most(f"moments, {rule_name}, {name}", value, target))

        value = seconds(lambda p=p: two_tree_covariance(p, N_EXAMPLES, height))
        measurements.append(at_most(f"two trees, height 3, {name}", value, pair_target))

    return measurements
