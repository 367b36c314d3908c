"""Perturbations of the claims of ensembles/forests."""

import numpy as np

from perturbing import Perturbation
from reproduction.experiments.leboeuf2020 import Split


def problems_on_which_it_is_plain(chapter):
    """Problems on which the claim is plain.

    Few and small samples of the chapter's problems are too noisy for it. Here each
    training set has its own effect of one feature, which all trees that see it share;
    and sixty features say a little each about the class.
    """
    chapter.n_splits = 3
    chapter.most_sets = None
    chapter.missing = []

    def make_friedman1(m, d, noise, random_state):
        rng = np.random.default_rng(random_state)
        X = rng.random((m, d))
        effect = 10 * (1 + noise * rng.normal())
        return X, effect * (X[:, 0] > 0.5) + noise * rng.normal(size=m)

    chapter.make_friedman1 = make_friedman1

    def split(slug, draw):
        rng = np.random.default_rng([slug, draw])
        y = rng.permutation(300) % 2
        X = rng.normal(0.8 * y[:, None], 1, (300, 60))
        return Split(X[:225], X[225:], y[:225], y[225:], 2)

    chapter.split = split
    chapter.here = range(8)
    chapter.kind_of = dict.fromkeys(range(8), "Table 1")


def every_node_takes_all_features(chapter):
    """Every node may take all features, whatever k: bagging."""

    def of_all_features(forest):
        return lambda n_trees, max_features, **seed: forest(
            n_trees, max_features=None, **seed
        )

    chapter.RandomForestRegressor = of_all_features(chapter.RandomForestRegressor)
    chapter.RandomForestClassifier = of_all_features(chapter.RandomForestClassifier)


PERTURBATIONS = {
    "G-forest": Perturbation(
        given=problems_on_which_it_is_plain,
        patch=every_node_takes_all_features,
        start=[
            "d = 10\nZ, truth",
            "columns = [",
            "rows = []",
            "gap = results.set_index(",
            "tend_to = wilcoxon(",
        ],
        becomes="not reproduced",
    ),
}
