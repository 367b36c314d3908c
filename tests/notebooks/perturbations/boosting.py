"""Perturbations of the claims of ensembles/boosting."""

from sklearn.dummy import DummyClassifier

from perturbing import Perturbation


def leave_out_the_forest(chapter):
    chapter.n_rounds = 200
    # The record does not read the error of the forest.
    chapter.RandomForestClassifier = lambda n_trees, random_state: DummyClassifier()


PERTURBATIONS = {
    # Stagewise modelling with another loss.
    "G-boosting": Perturbation(
        given=leave_out_the_forest,
        replace={
            'stagewise(X, y, n_rounds, loss="exponential")': (
                'stagewise(X, y, n_rounds, loss="squared")'
            ),
        },
        # The cells whose results the record takes.
        start=[
            "cancer = load_breast_cancer()",
            "def curves(seed):",
            "below = sum(",
            "def predictions(seed):",
            "total = bias2",
        ],
        becomes="not reproduced",
    ),
}
