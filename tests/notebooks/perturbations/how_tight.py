"""Perturbations of the claims of pruning/how-tight."""

import treebounds as tb
from perturbing import Perturbation


def few_trees(chapter):
    chapter.complete = True
    # Few trees, measured on any machine: not what this test is about.
    chapter.times = {"ratio of means": 20.0}


def loose_form_with_half_more(chapter):
    """A loose form that charges half as many nats again."""
    log_bound = tb.log_growth_function_bound

    def with_half_more(T, m, l, n, *, form):
        factor = 1.5 if form == "loose" else 1
        return factor * log_bound(T, m, l, n, form=form)

    chapter.patch_attribute(tb, "log_growth_function_bound", with_half_more)
    values = chapter.experiment.run(
        chapter.forms.growth_values, chapter.here, chapter.n_splits, n_jobs=1
    )
    pruned = values[values["model"] == "Ours"].pivot(
        index=chapter.keys, columns="form", values="bound"
    )
    chapter.ratio = pruned["loose"] / pruned["tight"]


PERTURBATIONS = {
    "L-loose": Perturbation(
        given=few_trees,
        patch=loose_form_with_half_more,
        becomes="not reproduced",
    ),
    # A quarter of the logarithm in place of four times it.
    "L-eq8": Perturbation(
        replace={
            "- log_structure_prior(L) for L in (1, 2, 3, 4)])": (
                "- log_structure_prior(L) for L in (1, 2, 3, 4)]) / 16"
            ),
        },
        start=["charged = np.array(", "shares = {", "enough = max(", "n_failures = "],
        becomes="not reproduced",
    ),
}
