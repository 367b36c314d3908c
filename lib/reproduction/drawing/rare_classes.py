"""The figure of the chapter on rare classes."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import balanced_accuracy_score

from reproduction.plotting import COLORS
from treebounds.formats import collapse_sklearn, from_sklearn
from treebounds.trees import weakest_link_sequence


def along_the_sequence(
    grown: Any,
    marked: dict[str, Any],
    X: NDArray[np.float64],
    y: NDArray[np.int64],
) -> None:
    """Balanced accuracy along the weakest-link sequence, with some trees marked."""
    sequence = weakest_link_sequence(from_sklearn(grown))
    members = [
        collapse_sklearn(grown, sequence.nodes(i)) for i in range(len(sequence.alphas))
    ]
    _, ax = plt.subplots(figsize=(7, 3.2))
    accuracies = [balanced_accuracy_score(y, member.predict(X)) for member in members]
    ax.plot(sequence.n_leaves, accuracies, color=COLORS["gray"])
    for mark, (name, tree) in zip("so", marked.items(), strict=True):
        accuracy = balanced_accuracy_score(y, tree.predict(X))
        ax.plot(tree.get_n_leaves(), accuracy, mark, label=name)
    ax.set(xscale="log", xlabel="leaves", ylabel="balanced accuracy")
    ax.legend(loc="lower center")
