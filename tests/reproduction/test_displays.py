"""Pictures of a pruning path, and of a tree before and after."""

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.tree import DecisionTreeClassifier

from reproduction.displays import PrunedTreeDisplay, PruningPathDisplay
from treebounds import BoundPrunedTreeClassifier, prune

mpl.use("Agg")


def test_the_path_as_a_picture():
    model = BoundPrunedTreeClassifier(random_state=0).fit(*load_breast_cancer(return_X_y=True))
    display = PruningPathDisplay.from_estimator(model)
    curve, kept = display.ax_.get_lines()
    np.testing.assert_array_equal(curve.get_xdata(), model.pruning_path_.n_leaves)
    np.testing.assert_array_equal(curve.get_ydata(), model.pruning_path_.n_errors)
    assert kept.get_xdata() == [model.get_n_leaves()]
    again = PruningPathDisplay.from_estimator(model, ax=display.ax_)
    assert again.figure_ is display.figure_


def test_before_and_after_as_a_picture():
    data = load_wine(return_X_y=True)
    for limit in (None, 9):  # numbered depth first and best first
        grown = DecisionTreeClassifier(max_leaf_nodes=limit, random_state=0).fit(*data)
        pruned = prune(grown, *data, rule=3)
        display = PrunedTreeDisplay.from_estimator(pruned, grown, impurity=False)
        assert (~display.cut).sum() == pruned.tree_.node_count
        boxes = [box for box in display.ax_.texts if "samples" in box.get_text()]
        pale = [box for box in boxes if box.get_alpha() is not None]
        assert len(boxes) == grown.tree_.node_count
        assert len(pale) == display.cut.sum()
        shown = sorted(box.get_text().split("samples = ")[1].split("\n")[0] for box in pale)
        assert shown == sorted(str(n) for n in grown.tree_.n_node_samples[display.cut])
    other = DecisionTreeClassifier(max_depth=2, max_features=1, random_state=3).fit(*data)
    with pytest.raises(ValueError, match="grown must be the tree that estimator is a pruning of"):
        PrunedTreeDisplay.from_estimator(pruned, other)
