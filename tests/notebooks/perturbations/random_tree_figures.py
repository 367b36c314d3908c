"""Perturbations of the claims of random-trees/random-tree-figures.

Only the rows of the claim's own figure are computed again, those of ternary attributes
at one correlation; with small parameters five attributes stand in for eight.
"""

import pandas as pd

from perturbing import Perturbation
from reproduction.experiments.dhurandhar2008 import fresh_variance
from reproduction.random_trees import StoppingRule, simulate_averages, simulate_errors

MODULE = "reproduction.experiments.dhurandhar2008"
KEYS = ["system", "family", "rule", "correlation"]


def five_for_eight(chapter):
    """The rows of five binary attributes are those of eight, too."""
    chapter.points = dict.fromkeys(chapter.SYSTEMS, chapter.points_5)
    five = chapter.table[chapter.table["system"] == "d = 5, binary"]
    chapter.table = pd.concat([chapter.table, five.assign(system="d = 8, binary")])


def many_real_examples(chapter):
    chapter.n_real = 1000


def compute_again(chapter, rule, system, stands_for=None):
    """Replace the rows of one rule and one system in the table."""
    all_rules = chapter.paper_rules
    chapter.patch_attribute(MODULE, "paper_rules", lambda n: {rule: all_rules(n)[rule]})

    points = chapter.points_5 if "binary" in system else chapter.points_5[:1]
    rows = chapter.experiment.curves(
        {system: points}, chapter.N, chapter.ITERATIONS, chapter.n_samples
    )
    rows = rows.assign(system=stands_for or system)
    table = pd.concat([chapter.table, rows])
    chapter.table = table.drop_duplicates(KEYS, keep="last")


def one_tree_on_each_sample(chapter):
    """AF grows one tree on each sample, instead of averaging over all."""
    chapter.patch_attribute(MODULE, "simulate_averages", simulate_errors)


def one_tree_of_fixed_height(chapter):
    one_tree_on_each_sample(chapter)
    compute_again(chapter, "fixed height", "d = 5, binary")


def paths_without_weights(chapter):
    """The weights of the paths are left out."""
    chapter.patch_attribute(MODULE, "comb", lambda d, h: 1)
    compute_again(chapter, "fixed height", "d = 5, ternary")


def averages_stop_one_attribute_later(chapter):
    """The trees that AF averages over stop one attribute later than MC's."""

    def averages(p, n, rule, *arguments, **seed):
        later = StoppingRule(rule.height + 1)
        return simulate_averages(p, n, later, *arguments, **seed)

    chapter.patch_attribute(MODULE, "simulate_averages", averages)
    compute_again(chapter, "fixed height", "d = 5, binary", "d = 8, binary")


def summands_share_their_samples(chapter):
    """All summands take the same samples where each should have its own."""

    def variance(p, n, rule, m, seed=0):
        averages = simulate_averages(p, n, rule, m, random_state=seed)
        return averages.var(ddof=1), 0.0

    chapter.patch_attribute(MODULE, "fresh_variance", variance)
    compute_again(chapter, "purity", "d = 5, binary")


def one_path_per_leaf(chapter):
    """A leaf has one path, not one for each attribute that may be the last."""

    def variance(p, n, rule, *arguments):
        return fresh_variance(p, n, StoppingRule(), *arguments)

    chapter.patch_attribute(MODULE, "fresh_variance", variance)
    compute_again(chapter, "purity", "d = 5, ternary")


def averages_stop_at_twice_as_many(chapter):
    """AF stops at twice as many examples as MC."""

    def averages(p, n, rule, *arguments, **seed):
        scarce = StoppingRule(scarcity=2 * rule.scarcity)
        return simulate_averages(p, n, scarce, *arguments, **seed)

    chapter.patch_attribute(MODULE, "simulate_averages", averages)
    compute_again(chapter, "scarcity", "d = 5, binary")


def one_tree_of_scarcity(chapter):
    one_tree_on_each_sample(chapter)
    compute_again(chapter, "scarcity", "d = 5, ternary")


def paths_of_fixed_depth(chapter):
    """The depth of AF's paths no longer depends on the sample."""

    def variance(p, n, rule, *arguments):
        return fresh_variance(p, n, StoppingRule(height=4), *arguments)

    chapter.patch_attribute(MODULE, "fresh_variance", variance)
    compute_again(chapter, "scarcity", "d = 5, binary", "d = 8, binary")


def times_of_five_for_eight(chapter):
    five_for_eight(chapter)
    chapter.points_8 = chapter.points_5
    chapter.varies = chapter.table["variance"] > 1e-10
    chapter.FIGURES = {
        4 + 3 * r + s: (rule, system)
        for r, rule in enumerate(chapter.RULES)
        for s, system in enumerate(chapter.points)
    }
    five = {
        (rule, "d = 8, binary"): c
        for (rule, system), c in chapter.cost.items()
        if system == "d = 5, binary"
    }
    # An iteration takes as long as one of MC, measured on any machine: not what these
    # tests are about.
    chapter.cost = {
        case: {**seconds, "shared": seconds["mc"]}
        for case, seconds in {**chapter.cost, **five}.items()
    }


def averages_take_for_ever(chapter):
    """An iteration of AF takes a minute."""
    chapter.cost = {
        case: {**seconds, "shared": 60.0, "fresh": 60.0}
        for case, seconds in chapter.cost.items()
    }


def purity_hardly_varies(chapter):
    """The error of purity trees hardly varies, and has a mean of nearly 0."""
    is_pure = chapter.table["rule"] == "purity"
    small = {"variance": 1e-12, "mean": 1e-12}
    chapter.table = chapter.table.assign(
        **{name: chapter.table[name].where(~is_pure, v) for name, v in small.items()}
    )


def eight_attributes_without_variance(chapter):
    """With eight attributes AF does not vary, whatever the rule."""
    eight = chapter.table["system"] == "d = 8, binary"
    chapter.table = chapter.table.assign(
        shared=chapter.table["shared"].where(~eight, 0.0),
        shared_error=chapter.table["shared_error"].where(~eight, 0.0),
        fresh=chapter.table["fresh"].where(~eight, 1.0),
    )


def all_three_sets(chapter):
    """Three distributions with a high correlation."""
    chapter.left_out = []
    chapter.in_figure = ["a", "b", "c"]
    p = chapter.FAMILIES["random signs"]((2, 2), 0.9)
    chapter.real = dict.fromkeys(chapter.in_figure, (100, p))


def weak_correlation(chapter):
    p = chapter.FAMILIES["random signs"]((2, 2), 0.1)
    chapter.real = dict.fromkeys(chapter.in_figure, (100, p))


TEXT = ["WAYS = {", "of_text = {", "at_cost = {"]
FIGURES = ["FIGURES = {4", "ratios = {"]

PERTURBATIONS = {
    # Monte Carlo with a hundredth of the iterations in place of ten times as many
    "D-never-worse": Perturbation(
        given=times_of_five_for_eight,
        replace={"FACTOR = 10 ": "FACTOR = 0.01 "},
        start=TEXT,
        becomes="reproduced",
    ),
    "D-same-cost": Perturbation(
        given=times_of_five_for_eight,
        patch=averages_take_for_ever,
        start=TEXT,
        becomes="not reproduced",
    ),
    "D-time": Perturbation(
        given=times_of_five_for_eight,
        patch=averages_take_for_ever,
        start=TEXT,
        becomes="not reproduced",
    ),
    "D-unaltered": Perturbation(
        given=times_of_five_for_eight,
        patch=eight_attributes_without_variance,
        start=TEXT,
    ),
    "D-pure": Perturbation(
        given=times_of_five_for_eight,
        patch=purity_hardly_varies,
        start=TEXT,
        becomes="reproduced",
    ),
    "D-real-correlation": Perturbation(
        given=all_three_sets,
        patch=weak_correlation,
        becomes="not reproduced",
    ),
    "D-fig4": Perturbation(
        patch=one_tree_of_fixed_height,
        start=FIGURES,
        becomes="depends on the protocol",
    ),
    "D-fig5": Perturbation(
        patch=paths_without_weights,
        start=FIGURES,
        becomes="depends on the protocol",
    ),
    "D-fig6": Perturbation(
        given=five_for_eight,
        patch=averages_stop_one_attribute_later,
        start=FIGURES,
        becomes="depends on the protocol",
    ),
    "D-fig7": Perturbation(
        patch=summands_share_their_samples,
        start=FIGURES,
        becomes="not reproduced",
    ),
    "D-fig8": Perturbation(
        patch=one_path_per_leaf,
        start=FIGURES,
        becomes="not reproduced",
    ),
    # MC tests its trees on a hundred times as many examples as it should
    "D-fig9": Perturbation(
        given=five_for_eight,
        replace={
            "readings(curves_of(number), [N, N])": (
                "readings(curves_of(number), [100 * N] * 2)"
            ),
        },
        start=FIGURES,
        becomes="not reproduced",
    ),
    "D-fig10": Perturbation(
        patch=averages_stop_at_twice_as_many,
        start=FIGURES,
        becomes="not reproduced",
    ),
    "D-fig11": Perturbation(
        patch=one_tree_of_scarcity,
        start=FIGURES,
        becomes="not reproduced",
    ),
    "D-fig12": Perturbation(
        given=five_for_eight,
        patch=paths_of_fixed_depth,
        start=FIGURES,
        becomes="reproduced",
    ),
    # MC tests its trees on one example
    "D-fig13": Perturbation(
        given=many_real_examples,
        replace={'sizes = [int(part["rows"].iloc[0])': "sizes = [1"},
        start=["parts = ["],
        becomes="depends on the protocol",
    ),
}
