"""Perturbations of the claims of ensembles/xgboost-by-hand."""

from perturbing import Perturbation


def no_penalty_on_weights(chapter):
    """The gain of the formula without the penalty on weights."""
    chapter.score = lambda G, H, lam: G**2 / H


PERTURBATIONS = {
    "G-xgb": Perturbation(
        patch=no_penalty_on_weights,
        start=[
            "usual = {",
            "comparison = pd.DataFrame(",
            "nodes = int(comparison",
        ],
        becomes="not reproduced",
    ),
}
