"""Pictures of prunings, drawn with matplotlib, as scikit-learn's displays are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray
from sklearn.tree import plot_tree
from sklearn.utils.validation import check_is_fitted

from treebounds.pruning.bound import BoundPath
from treebounds.trees.array_tree import ArrayTree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PrunedTreeDisplay", "PruningPathDisplay"]


class PruningPathDisplay:
    """Leaves against training errors of the trees that a pruning went through, with the one that it keeps.

    The trees of the weakest-link sequence are corners of a convex chain, the prunings that are best for some
    price of a leaf.

    Parameters
    ----------
    path : BoundPath

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
    figure_ : matplotlib.figure.Figure

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from treebounds import BoundPrunedTreeClassifier
    >>> from reproduction.displays import PruningPathDisplay
    >>> model = BoundPrunedTreeClassifier(random_state=0).fit(*load_wine(return_X_y=True))
    >>> PruningPathDisplay.from_estimator(model).ax_.get_xlabel()
    'leaves'
    """

    ax_: Axes
    figure_: Any

    def __init__(self, path: BoundPath) -> None:
        self.path = path

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Axes | None = None) -> PruningPathDisplay:
        """Draw the path of a fitted estimator that has ``pruning_path_``.

        Parameters
        ----------
        estimator : BoundPrunedTreeClassifier
        ax : matplotlib axes, optional

        Returns
        -------
        PruningPathDisplay
        """
        check_is_fitted(estimator, "pruning_path_")
        return cls(estimator.pruning_path_).plot(ax=ax)

    def plot(self, *, ax: Axes | None = None) -> PruningPathDisplay:
        """Draw the path.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones when not given.

        Returns
        -------
        PruningPathDisplay
        """
        self.ax_, path = _axes(ax), self.path
        self.figure_ = self.ax_.figure
        self.ax_.plot(path.n_leaves, path.n_errors, "o-", markersize=4, label="trees considered")
        kept = path.n_leaves[path.best], path.n_errors[path.best]
        ring: dict[str, Any] = {"markersize": 11, "fillstyle": "none", "color": "C3"}
        self.ax_.plot(*kept, "o", label=f"kept: {kept[0]} leaves", **ring)
        self.ax_.set(xlabel="leaves", ylabel="errors on the training examples")
        self.ax_.legend()
        return self


class PrunedTreeDisplay:
    """A tree before pruning, with the branches pale that pruning cuts.

    Parameters
    ----------
    grown : sklearn.tree.DecisionTreeClassifier
        The whole tree.
    cut : (n_nodes,) mask
        Nodes of it that the pruned tree does not have.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
    figure_ : matplotlib.figure.Figure

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds import prune
    >>> from reproduction.displays import PrunedTreeDisplay
    >>> X, y = load_wine(return_X_y=True)
    >>> grown = DecisionTreeClassifier(random_state=0).fit(X, y)
    >>> int(PrunedTreeDisplay.from_estimator(prune(grown, X, y), grown).cut.sum())
    14
    """

    ax_: Axes
    figure_: Any

    def __init__(self, grown: Any, cut: NDArray[np.bool_]) -> None:
        self.grown = grown
        self.cut = cut

    @classmethod
    def from_estimator(
        cls, estimator: Any, grown: Any, *, ax: Axes | None = None, **style: Any
    ) -> PrunedTreeDisplay:
        """Draw a tree and its pruning.

        Parameters
        ----------
        estimator : sklearn.tree.DecisionTreeClassifier
            A pruned tree.
        grown : sklearn.tree.DecisionTreeClassifier
            The tree before, for example from the same parameters and ``random_state``.
        ax : matplotlib axes, optional
        **style
            For ``sklearn.tree.plot_tree``: feature_names, class_names, filled, ...

        Returns
        -------
        PrunedTreeDisplay
        """
        cut = _cut(ArrayTree.from_sklearn(grown), ArrayTree.from_sklearn(estimator))
        return cls(grown, cut).plot(ax=ax, **style)

    def plot(self, *, ax: Axes | None = None, pale: float = 0.25, **style: Any) -> PrunedTreeDisplay:
        """Draw the tree.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones when not given.
        pale : float
            Opacity of the branches that are cut.
        **style
            For ``sklearn.tree.plot_tree``.

        Returns
        -------
        PrunedTreeDisplay
        """
        self.ax_ = _axes(ax)
        self.figure_ = self.ax_.figure
        boxes = plot_tree(self.grown, ax=self.ax_, **style)
        # besides the nodes there may be words on the first branches
        boxes = [box for box in boxes if "value" in box.get_text() or "=" in box.get_text()]
        for node, box in zip(ArrayTree.from_sklearn(self.grown).preorder, boxes, strict=True):
            if self.cut[node]:
                for part in (box, box.get_bbox_patch(), box.arrow_patch):
                    part.set_alpha(pale)
        return self


def _axes(ax: Axes | None) -> Axes:
    """The axes, or new ones."""
    return plt.subplots()[1] if ax is None else ax


def _cut(grown: ArrayTree, pruned: ArrayTree) -> NDArray[np.bool_]:
    """The nodes of a tree that its pruning does not have; a ValueError if it is not a pruning."""
    kept, pairs = np.zeros(grown.n_nodes, dtype=bool), [(0, 0)]
    while pairs:
        node, of_pruned = pairs.pop()
        kept[node] = True
        if pruned.is_leaf[of_pruned]:
            continue
        same = not grown.is_leaf[node] and grown.feature[node] == pruned.feature[of_pruned]
        if not (same and grown.threshold[node] == pruned.threshold[of_pruned]):
            raise ValueError("grown must be the tree that estimator is a pruning of")
        pairs += zip(grown.children(node), pruned.children(of_pruned), strict=True)
    return ~kept
