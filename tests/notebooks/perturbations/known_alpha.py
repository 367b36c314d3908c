"""Perturbations of the claims of pruning/known-alpha."""

import treebounds.capacity
from perturbing import Perturbation


def complete_run(chapter):
    chapter.complete = True


def twice_the_price(chapter):
    """Twice the price of a leaf."""
    known_price = chapter.known_price
    price_of_all = chapter.price_of_all
    chapter.known_price = lambda *arguments: 2 * known_price(*arguments)
    chapter.price_of_all = lambda *arguments: 2 * price_of_all(*arguments)


def penalty_that_is_not_concave(chapter):
    """A penalty that is not concave: four leaves are free, any other number is dear."""
    chapter.patch_attribute(
        treebounds.capacity,
        "log_all_structures_growth_bound",
        lambda L, *sample: 30.0 * abs(L - 4),
    )


PERTURBATIONS = {
    "N-alpha": Perturbation(
        flags=complete_run,
        patch=twice_the_price,
        start="shares = pd.DataFrame({rule: agreement",
        becomes="not reproduced",
    ),
    "N-path": [
        Perturbation(
            patch=penalty_that_is_not_concave,
            start=["priced = experiment.run(", "on_path = "],
            becomes="refuted",
        ),
        # A binomial of one element more.
        Perturbation(
            replace={
                "sympy.binomial(2 * m - 1, N + 1)": "sympy.binomial(2 * m, N + 1)"
            },
            start=["equal = sympy.gammasimp"],
            becomes="refuted",
        ),
    ],
}
