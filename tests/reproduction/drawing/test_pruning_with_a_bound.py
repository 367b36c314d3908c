import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.tree import DecisionTreeClassifier

from reproduction.drawing import pruning_with_a_bound as drawing
from treebounds.formats import from_sklearn
from treebounds.pruning import BoundRule

WINE = load_wine(return_X_y=True)
TREE = from_sklearn(DecisionTreeClassifier(random_state=0).fit(*WINE))


def test_each_step_of_a_path_has_a_panel():
    path = BoundRule(capacity="loose", error_prior_ratio=2**-13.7).path(TREE)
    drawing.cuts(TREE, path, (8.0, 3.0))
    assert len(plt.gcf().axes) == len(path.bounds)


def test_each_prior_has_a_tree_above_its_curve():
    drawing.priors(TREE, {1: "green", 13.7: "orange"})
    titles = [ax.get_title() for ax in plt.gcf().axes]
    assert sum("training errors" in title for title in titles) == 2


def test_each_growth_function_has_a_curve():
    drawing.price_of_a_leaf({"loose": [1.1, 1.0], "closed": [0.9, 0.8]})
    assert plt.gca().get_legend_handles_labels()[1] == ["loose", "closed"]
