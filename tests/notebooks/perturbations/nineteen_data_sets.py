"""Perturbations of the claims of pruning/nineteen-data-sets.

Small parameters leave most of the table out; so what is measured there takes the place
of what is printed (`given`), and the perturbation has to be noticed against it.
"""

import numpy as np

from perturbing import Perturbation


def print_the_measured_table(chapter):
    chapter.complete = True
    of_cell = chapter.results.groupby(["dataset", "model"])["test_accuracy"]
    own = {
        what: of_cell.agg(what, **kw).round(3)
        for what, kw in (("mean", {}), ("std", {"ddof": 0}))
    }
    models = chapter.published["table1"]["models"]
    chapter.published = {
        **chapter.published,
        "table1": {
            "models": models,
            "rows": [
                {
                    **row,
                    "mean": [own["mean"][row["dataset"], name] for name in models],
                    "sd": [own["std"][row["dataset"], name] for name in models],
                }
                for row in chapter.published["table1"]["rows"]
                if row["dataset"] in chapter.here
            ],
        },
    }


def at_most_three_leaves(chapter):
    """Trees of three leaves at most."""
    chapter.patch_attribute(chapter.experiment, "MAX_LEAF_NODES", 3)


def print_the_measured_wins(chapter):
    chapter.complete = True
    chapter.published = {
        **chapter.published,
        "section_6_3": {
            **chapter.section,
            "best_or_similar": chapter.wins["all four"],
            "best_or_similar_pruned": chapter.wins["pruned"],
        },
    }


def cut_down_to_the_root(chapter):
    """The bound cuts every tree down to its root."""
    chapter.patch_attribute(
        chapter.experiment,
        "published_bound_cut",
        lambda tree, exponent=0: np.arange(tree.n_nodes) == 0,
    )


def print_the_measured_gain(chapter):
    chapter.complete = True
    chapter.published = {
        **chapter.published,
        "section_6_3": {
            **chapter.section,
            "gain_over_cart": chapter.gain["mean"],
            "gain_of_m_cart": chapter.m_gain["mean"],
        },
    }


def print_the_measured_ratio(chapter):
    chapter.complete = True
    chapter.published = {
        **chapter.published,
        "section_6_3": {
            **chapter.section,
            "leaves_ratio": float(round(chapter.ratio.mean())),
        },
    }


def complete_run(chapter):
    chapter.complete = True


def bound_without_logarithm(chapter):
    """A bound without its logarithm."""
    chapter.patch_attribute(
        "treebounds.risk.shawe_taylor",
        "shawe_taylor_bound",
        lambda m, k, *logs, **others: 2 * k / m,
    )


def generated_examples(chapter):
    """The folds take far more than ten times as long as the bound."""
    chapter.complete = True
    chapter.here = chapter.here[:1]

    def generated(slug, draw):
        rng = np.random.default_rng(draw)
        X = rng.random((3000, 30))
        y = ((X[:, 0] > 0.5) ^ (rng.random(3000) < 0.3)).astype(int)
        return chapter.experiment.Split(X, X[:10], y, y[:10], 2)

    chapter.patch_attribute(chapter.experiment, "split", generated)


def bound_that_grows_folds(chapter):
    """Pruning by the bound grows the trees of ten folds, too."""

    def with_folds(tree, exponent=13.7, once=chapter.experiment.published_bound_cut):
        chapter.experiment.judged_folds("published", chapter.experiment.split("", 0))
        return once(tree, exponent)

    chapter.patch_attribute(chapter.experiment, "published_bound_cut", with_folds)


def print_the_measured_exponent(chapter):
    chapter.complete = True
    chapter.exponent = float(chapter.chosen.mean())
    chapter.published = {
        **chapter.published,
        "protocol": {
            **chapter.published["protocol"],
            "error_prior_exponent": chapter.exponent,
        },
    }


def far_behind(chapter):
    """M-CART's trees are clearly behind, on every set."""
    chapter.complete = True
    chapter.over_m_cart = abs(chapter.over_m_cart) + 0.05
    chapter.over_m_cart_se = 0.01


def prunings_that_keep_40_leaves(chapter):
    """Every pruning leaves 40 leaves, on every set."""
    chapter.results = chapter.results.assign(n_leaves=40)


def m_cart_is_the_bound(chapter):
    """M-CART leaves the trees of the bound."""
    chapter.over_m_cart = 0 * chapter.over_m_cart


PERTURBATIONS = {
    "L-tab1": Perturbation(
        given=print_the_measured_table,
        patch=at_most_three_leaves,
        start=[
            "results = experiment.run(",
            "table = experiment.compare_with_published(results",
        ],
        becomes="not reproduced",
    ),
    "L-win": Perturbation(
        given=print_the_measured_wins,
        patch=cut_down_to_the_root,
        start=[
            "results = experiment.run(",
            "three = means[[",
            "section = published[",
        ],
        becomes="not reproduced",
    ),
    "L-gain": Perturbation(
        given=print_the_measured_gain,
        patch=cut_down_to_the_root,
        start=[
            "results = experiment.run(",
            "textbook = results[",
            "gain = experiment.compare(",
        ],
        becomes="not reproduced",
    ),
    "L-size": Perturbation(
        given=print_the_measured_ratio,
        patch=cut_down_to_the_root,
        start=[
            "results = experiment.run(",
            "leaves = results.groupby(",
            "section = published[",
        ],
        becomes="not reproduced",
    ),
    "L-far-below": Perturbation(
        flags=complete_run,
        patch=prunings_that_keep_40_leaves,
        start=["leaves = results.groupby(", "half_of_limit = "],
        becomes="not reproduced",
    ),
    "L-mcart": Perturbation(
        given=far_behind,
        patch=m_cart_is_the_bound,
    ),
    "L-vacuous": Perturbation(
        flags=complete_run,
        patch=bound_without_logarithm,
        start=["results = experiment.run(", "bounds = results["],
        becomes="not reproduced",
    ),
    "L-speed": Perturbation(
        given=generated_examples,
        patch=bound_that_grows_folds,
        start=["clock = experiment.run("],
        becomes="not reproduced",
    ),
    # The last minimum of each draw in place of the first.
    "L-r": Perturbation(
        flags=print_the_measured_exponent,
        replace={"errors.idxmin(axis=1)": "errors.iloc[:, ::-1].idxmin(axis=1)"},
        start=["draws = experiment.run("],
        becomes="not reproduced",
    ),
}
