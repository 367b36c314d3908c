"""Perturbations of the claims of pruning/certificates."""

from functools import partial

import numpy as np

from perturbing import Perturbation
from treebounds.risk import halving


def delta_is_not_divided(chapter):
    """Delta is not divided among the two classifiers."""
    chapter.exact = {m: chapter.failure(m, delta=2 * 0.05) for m in chapter.exact}


def coins_alone(chapter):
    chapter.enough = True
    chapter.n_samples = 40
    coins = {"names": tuple(chapter.experiment.DESIGNS)[:1], "halves_only": True}
    chapter.patch_attribute(
        chapter.experiment,
        "violations",
        partial(chapter.experiment.violations, **coins),
    )


def judge_on_the_growing_half(chapter):
    """Each tree is judged by the half that it was grown on."""
    chapter.patch_attribute(
        halving,
        "_both_sides",
        lambda *a, right=halving._both_sides: [(side, side) for side, _ in right(*a)],
    )


def three_designs(chapter):
    chapter.enough = True
    chapter.n_samples = 10
    three = [
        name
        for name in chapter.experiment.DESIGNS
        if name not in ("pure noise, one in four", "steps, 10 classes")
    ]
    chapter.patch_attribute(
        chapter.experiment,
        "violations",
        partial(chapter.experiment.violations, names=tuple(three)),
    )


def pay_for_the_choice_of_the_tree(chapter):
    """The limit pays for the choice of the tree, 20 nats."""
    chapter.patch_attribute(
        chapter.experiment,
        "binomial_tail_inversion",
        lambda k, n, nats, right=chapter.binomial_tail_inversion: right(
            k, n, nats - 20
        ),
    )


def torn_groups_alone(chapter):
    chapter.enough = True
    chapter.n_samples = 40
    torn_only = {"names": (chapter.experiment.TORN,), "halves_only": True}
    chapter.patch_attribute(
        chapter.experiment,
        "violations",
        partial(chapter.experiment.violations, **torn_only),
    )


def every_example_is_a_group(chapter):
    """The halvings take each example for a group of its own."""
    chapter.patch_attribute(
        "treebounds.risk.halving", "check_groups", lambda groups, n: np.arange(n)
    )


PERTURBATIONS = {
    "C-halves": Perturbation(
        patch=delta_is_not_divided,
        becomes="refuted",
    ),
    "C-valid": Perturbation(
        given=coins_alone,
        patch=judge_on_the_growing_half,
        start=["table = experiment.violations("],
        becomes="not reproduced",
    ),
    "C-naive": Perturbation(
        given=three_designs,
        patch=pay_for_the_choice_of_the_tree,
        start=["table = experiment.violations("],
        becomes="not reproduced",
    ),
    "C-groups": Perturbation(
        given=torn_groups_alone,
        patch=every_example_is_a_group,
        start=["table = experiment.violations("],
        becomes="not reproduced",
    ),
}
