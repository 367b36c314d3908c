"""What several of these tests are about."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier


@pytest.fixture(scope="module")
def halves():
    """A tree, the rows and labels that it was grown on, and new ones."""
    X, y = load_breast_cancer(return_X_y=True)
    X, X_new, y, y_new = train_test_split(
        X, np.array(["benign", "malignant"])[y], random_state=0
    )
    tree = DecisionTreeClassifier(max_leaf_nodes=5, random_state=0).fit(X, y)
    return tree, X, y, X_new, y_new
