"""Perturbations of the claims of ensembles/one-tree-from-many."""

from sklearn.ensemble._forest import ForestClassifier

from perturbing import Perturbation


def three_sets(chapter):
    """On these few sets there is a gain."""
    chapter.sets = {
        "chose": ["iris"],
        "report": ["seeds", "vertebral-column-3c"],
    }
    chapter.every = chapter.sets["chose"] + chapter.sets["report"]
    chapter.full = True


def probabilities_of_other_classes(chapter):
    """A forest whose probabilities belong to other classes teaches nonsense."""
    chapter.patch_attribute(
        ForestClassifier,
        "predict_proba",
        lambda self, X, right=ForestClassifier.predict_proba: right(self, X)[:, ::-1],
    )


PERTURBATIONS = {
    "N-distilled": Perturbation(
        given=three_sets,
        patch=probabilities_of_other_classes,
        start=["work = [(slug, draw)", "groups = {", "readings = {"],
        becomes="not reproduced",
    ),
}
