"""Perturbations of the claims of ensembles/gradient-boosting."""

from perturbing import Perturbation

PERTURBATIONS = {
    # Trees on the labels themselves in place of the negative gradient.
    "G-gb": Perturbation(
        replace={"lambda y, f: y - f, q.mean()": "lambda y, f: y - q.mean(), q.mean()"},
        start=["def gap(a, b)", "A, b = load_breast_cancer("],
        becomes="not reproduced",
    ),
}
