"""The figure of the chapter on rare classes can be drawn."""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

from reproduction.drawing import rare_classes


def test_two_trees_are_marked():
    X, y = load_breast_cancer(return_X_y=True)
    grown = DecisionTreeClassifier(random_state=0).fit(X[:200], y[:200])
    marked = {"one": grown, "the same": grown}
    rare_classes.along_the_sequence(grown, marked, X[200:], y[200:])
    names = [text.get_text() for text in plt.gca().get_legend().get_texts()]
    assert names == list(marked)
