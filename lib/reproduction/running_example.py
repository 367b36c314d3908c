"""The tree that goes through the book: grown, counted, pruned, certified, read by its
leaves and distilled, each in the chapter about it.

It tells benign from malignant tumors, and is that of *Prune and certify a tree*.
"""

from typing import NamedTuple

import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

import treebounds as tb


class Tumors(NamedTuple):
    """Three quarters of the tumors, on which the tree is grown, and the last quarter.

    A label is 0 for a malignant tumor, and 1 for a benign one.
    """

    X_train: pd.DataFrame
    X_test: pd.DataFrame
    y_train: pd.Series
    y_test: pd.Series


def tumors() -> Tumors:
    """The split of the breast cancer data."""
    X, y = load_breast_cancer(as_frame=True, return_X_y=True)
    return Tumors(*train_test_split(X, y, random_state=0))


def grown_tree() -> DecisionTreeClassifier:
    """The tree that scikit-learn grows without a limit."""
    examples = tumors()
    tree = DecisionTreeClassifier(random_state=0)
    return tree.fit(examples.X_train, examples.y_train)


def pruned_tree() -> DecisionTreeClassifier:
    """What `treebounds.prune` leaves of it."""
    examples = tumors()
    return tb.prune(grown_tree(), examples.X_train, examples.y_train)
