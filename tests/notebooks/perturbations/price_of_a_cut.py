"""Perturbations of the claims of pruning/price-of-a-cut."""

from perturbing import Perturbation
from reproduction.experiments import regression_comparison as experiment
from treebounds import PrunedTreeRegressor


def complete_run(chapter):
    chapter.complete = True


def price_of_a_tenth(chapter):
    """A leaf costs much less than the ways to place it."""
    chapter.log_count = lambda L, m, l: 0.0
    chapter.radius = lambda L, m, l: 0.1


def local_price_of_nothing(chapter):
    """The local price is free, so the tree is hardly pruned."""
    free = PrunedTreeRegressor(factor=1e-6)
    estimators = {
        **experiment.ESTIMATORS,
        experiment.LOCAL: free,
        experiment.LOCAL_FOLDS: free,
    }
    chapter.patch_attribute(experiment, "ESTIMATORS", estimators)


def counted_price_by_folds(chapter):
    """The counted price is that of ten folds, so it is as good."""
    estimators = {
        **experiment.ESTIMATORS,
        experiment.COUNTED: experiment.ESTIMATORS[experiment.TEN_FOLDS],
    }
    chapter.patch_attribute(experiment, "ESTIMATORS", estimators)


# The comparison counts as complete, although small parameters leave out most tables.
COMPLETE = {"complete = (reports is None": "complete = True or (reports is None"}

PERTURBATIONS = {
    "N-price": [
        Perturbation(
            patch=price_of_a_tenth,
            start=["checks = {1.5: [0, 0]"],
            becomes="refuted",
        ),
        # Half of the mixed term.
        Perturbation(
            replace={"error_bound = b**2 - z**2 + 2*b*w": "error_bound = b**2 - z**2 + b*w"},
            start=["error_bound = b**2"],
            becomes="refuted",
        ),
    ],
    "N-price-data": [
        Perturbation(
            flags=complete_run,
            patch=local_price_of_nothing,
            replace=COMPLETE,
            start=["wanted = {", "columns = {", "def words("],
            becomes="not reproduced",
        ),
        Perturbation(
            flags=complete_run,
            patch=counted_price_by_folds,
            replace=COMPLETE,
            start=["wanted = {", "columns = {", "def words("],
            becomes="not reproduced",
        ),
    ],
}
