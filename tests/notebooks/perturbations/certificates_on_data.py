"""Perturbations of the claims of pruning/certificates-on-data.

Beforehand the claims are settled on the two or three sets of the small parameters.
"""

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from perturbing import Perturbation
from treebounds.risk import compression
from treebounds.risk.halving import Candidates


def full_with_two_smaller(chapter):
    chapter.full = True
    chapter.least_smaller = 2


def grow_stumps_on_each_half(chapter):
    """Each half grows stumps in the place of a pruned and a distilled tree."""
    chapter.patch_attribute(
        "treebounds.estimators._learners",
        "_named_learner",
        lambda learner, kind: (
            type(learner).__name__,
            DecisionTreeClassifier(max_leaf_nodes=2),
        ),
    )


def two_sets_without_forests(chapter):
    all_sets_without_forests(chapter)
    chapter.least_below = 2


def judge_by_labels_of_others(chapter):
    """The examples are judged by the labels of others."""
    chapter.patch_attribute(
        compression,
        "compress_tree",
        lambda tree, X, y, *rest, right=compression.compress_tree: right(
            tree, X, np.roll(y, 40), *rest
        ),
    )


def all_sets_without_forests(chapter):
    """Forests matter for neither message nor hold-outs."""
    chapter.full = True
    chapter.patch_attribute(
        chapter.experiment,
        "METHODS",
        {**chapter.experiment.METHODS, "halves": {"n_halvings": 1}},
    )


def messages_cost_nothing(chapter):
    """A message costs nothing."""
    chapter.patch_attribute(
        "treebounds.risk.compression", "message_length", lambda *arguments: 0.0
    )


def halves_against_hold_outs(chapter):
    chapter.full_others = True
    chapter.least_others = 1
    chapter.least_new = 0
    chapter.n_errors = -100
    # This claim compares halves with hold-outs only.
    chapter.patch_attribute(
        chapter.experiment, "METHODS", {"halves": chapter.experiment.METHODS["halves"]}
    )


def quote_the_largest_limit(chapter):
    """The largest limit is quoted."""
    chapter.patch_attribute(
        Candidates, "best", property(lambda self: int(np.argmax(self.bound)))
    )


PERTURBATIONS = {
    "N-halves": Perturbation(
        flags=full_with_two_smaller,
        patch=grow_stumps_on_each_half,
        start=["means = measured(here", "below = wide.lt(", "smaller = int("],
        becomes="not reproduced",
    ),
    "N-cert": Perturbation(
        given=two_sets_without_forests,
        patch=judge_by_labels_of_others,
        start=["means = measured(here", "below = wide.lt(", "smaller = int("],
        becomes="not reproduced",
    ),
    "C-price": Perturbation(
        given=all_sets_without_forests,
        patch=messages_cost_nothing,
        start=["means = measured(here", "below = wide.lt(", "six = ["],
        becomes="not reproduced",
    ),
    "C-others": Perturbation(
        given=halves_against_hold_outs,
        patch=quote_the_largest_limit,
        start=["groups = {", "def saved(", "readings = {"],
        becomes="depends on the protocol",
    ),
}
