"""Perturbations of the claims of random-trees/paths.

Every fourth sample is enough to notice what is wrong with an equation.
"""

from perturbing import Perturbation


def trees_of_height_1(chapter):
    """Trees of height 1 in place of all-attribute trees."""
    trees_of_rule = chapter.trees
    chapter.trees = lambda sample, rule, d, path={}: trees_of_rule(
        sample, ("height", 1), d, path
    )


def forget_the_last_attribute(chapter):
    """Conditions that forget the last attribute."""
    by_condition = chapter.leaves_by_condition
    chapter.leaves_by_condition = lambda plan, sample, rule, d: {
        path for path in by_condition(plan, sample, rule, d) if len(path) < d
    }


def one_set_too_many(chapter):
    """One set too many."""
    binomial = chapter.comb
    chapter.comb = lambda n, k: binomial(n, k) + (k == 2)


def twice_the_probability(chapter):
    """Paths coexist with twice the probability."""
    coexist = chapter.coexistence_probability
    chapter.coexistence_probability = lambda d, l1, l2, r, v: (
        coexist(d, l1, l2, r, v) * 2
    )


def strict_majority(chapter):
    """A strict majority, as printed: tied leaves have no label."""
    chapter.cases = chapter.cases[::4]
    with_ties = chapter.active_paths

    def active_paths(sample, rule, d, x):
        def has_majority(path):
            votes = sorted(chapter.counts(sample, path))
            return votes[-1] > votes[-2]

        return [p for p in with_ties(sample, rule, d, x) if has_majority(p[0])]

    chapter.active_paths = active_paths


def every_fourth_case(chapter):
    """Fewer samples are enough."""
    chapter.cases = chapter.cases[::4]


def printed_equation(chapter):
    """The printed equation takes the place of the one with the missing terms."""
    chapter.right = chapter.printed


PERTURBATIONS = {
    "D-att": Perturbation(
        patch=trees_of_height_1,
        start=["att = [len(trees"],
        becomes="refuted",
    ),
    "D-path": Perturbation(
        patch=forget_the_last_attribute,
        start=["n_trees, with_printed, with_root ="],
        becomes="refuted",
    ),
    "D-select": [
        Perturbation(
            patch=one_set_too_many,
            start=["drawn = {"],
            becomes="refuted",
        ),
        # The last attribute may be one of the others.
        Perturbation(
            replace={"(d - h + 1))\n    - sympy": "(d - h + 2))\n    - sympy"},
            start=["symbolic = sympy"],
            becomes="refuted",
        ),
    ],
    "D-coexist": [
        Perturbation(
            patch=twice_the_probability,
            start=["lengths = [(d, l1, l2, r, v)"],
            becomes="refuted",
        ),
        # The lists below the parting end one draw later.
        Perturbation(
            replace={"downwards(d - l_1, d - l_2 + 1)": "downwards(d - l_1, d - l_2)"},
            start=["lists_are_sets ="],
            becomes="refuted",
        ),
    ],
    "D-eq5": Perturbation(
        patch=strict_majority,
        start=["EQUATION = {"],
        becomes="refuted",
    ),
    # The weight of one tree for both.
    "D-eq6": Perturbation(
        patch=every_fourth_case,
        replace={"one[3] * other[3])": "one[3])"},
        start=["def two_trees(", "EQUATION = {"],
        becomes="refuted",
    ),
    # Without the identical path.
    "D-eq7": Perturbation(
        patch=printed_equation,
        becomes="refuted",
    ),
    # The weight of a set, whatever its last attribute.
    "D-eq8": Perturbation(
        patch=every_fourth_case,
        replace={"comb(d, size - 1) * (d - size + 1)": "comb(d, size)"},
        start=["def by_last_attribute(", "EQUATION = {"],
        becomes="refuted",
    ),
    # Paths through nodes at which the tree stopped.
    "D-eq9": Perturbation(
        patch=every_fourth_case,
        replace={"and not stops(counts(sample, above), size - 1, rule, d)": "and True"},
        start=["def by_last_attribute(", "EQUATION = {"],
        becomes="refuted",
    ),
    # Without the four missing terms.
    "D-eq10": Perturbation(
        patch=printed_equation,
        becomes="refuted",
    ),
    # A plan that is chosen on the data.
    "D-lemma1": Perturbation(
        replace={"mean_f[t] += weight * error": "mean_f[t] += weight * min(f)"},
        start=["mean_f, mean_g = Counter(), Counter()", "average_f, average_g = ("],
        becomes="refuted",
    ),
}
