"""Perturbations of the claims of trees/overfitting."""

import numpy as np

from perturbing import Perturbation


def limit_the_depth(chapter):
    """Trees of depth 3, on every eighth labeling."""
    chapter.labelings = chapter.labelings[::8]
    chapter.always = sum(
        chapter.reaches_zero(y, max_depth=3) for y in chapter.labelings
    )


def six_samples_five_times(chapter):
    chapter.n_repeats = 30
    chapter.full = np.tile(chapter.full, (5, 1))
    chapter.curves = {
        name: np.tile(curve, (5, 1, 1)) for name, curve in chapter.curves.items()
    }


def brakes_that_do_not_brake(chapter):
    """Every size has the error of the largest."""
    chapter.curves = {
        name: np.repeat(curve[:, -1:], curve.shape[1], axis=1)
        for name, curve in chapter.curves.items()
    }


def thirty_repeats(chapter):
    chapter.n_repeats = 30


def far_equals_near(chapter):
    chapter.far = chapter.near


def a_map_moves_a_training_example(chapter):
    chapter.same_train = [*chapter.same_train, False]


def outliers_move_a_tree_like_a_linear_model(chapter):
    chapter.outliers = {**chapter.outliers, "feature": 1.0}


def a_tree_depends_on_its_units(chapter):
    chapter.unit_change = {**chapter.unit_change, "tree": 0.1}


def fitting_takes_minutes(chapter):
    chapter.seconds = {n: 100.0 for n in [chapter.n_large]}


def trees_are_as_good_as_forests(chapter):
    chapter.poorly = False


EACH_PROPERTY = [
    far_equals_near,
    a_map_moves_a_training_example,
    outliers_move_a_tree_like_a_linear_model,
    a_tree_depends_on_its_units,
    fitting_takes_minutes,
    trees_are_as_good_as_forests,
]


PERTURBATIONS = {
    "G-zero": Perturbation(
        patch=limit_the_depth,
        becomes="refuted",
    ),
    "G-reg": Perturbation(
        given=six_samples_five_times,
        patch=brakes_that_do_not_brake,
        start=["half = n_repeats // 2", "rows = []\nfor name in brakes", "helps = int("],
        becomes="not reproduced",
    ),
    "G-prosCons": [
        Perturbation(
            given=thirty_repeats,
            patch=patch,
            start="lists = {",
            becomes="refuted",
        )
        for patch in EACH_PROPERTY
    ],
}
