"""Calls as a user writes them: lists, arrays and frames where arrays are taken, fitted
trees where structures are. `test_types_of_examples.py` checks their types and runs
them.
"""

import numpy as np
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

import treebounds
from treebounds import (
    ArrayTree,
    BoundPrunedTreeClassifier,
    FeatureKinds,
    TreeStructure,
    certify,
    growth_function_bound,
    prune,
    vc_dimension_upper_bound,
)

X, y = load_iris(return_X_y=True)
fitted = DecisionTreeClassifier(max_leaf_nodes=4, random_state=0).fit(X[::2], y[::2])
by_hand = ArrayTree(
    children_left=[1, -1, -1],
    children_right=[2, -1, -1],
    feature=[0, -2, -2],
    threshold=[0.5, -2, -2],
    class_counts=[[3, 4], [3, 0], [0, 4]],
    n_features=1,
)
stump = TreeStructure.from_nested((None, None))

print(vc_dimension_upper_bound(stump, n_features=4))
for tree in (by_hand, fitted):
    print(vc_dimension_upper_bound(tree))
    print(growth_function_bound(tree, 10))
print(growth_function_bound(stump, 10, n_features=FeatureKinds(real=1, binary=3)))
print(vc_dimension_upper_bound([fitted, fitted]))

print(prune(fitted).get_n_leaves(), prune(by_hand).n_leaves)
print(prune(fitted, X[::2].tolist(), y[::2].tolist(), rule="bound").get_n_leaves())

certificate = certify(fitted, X[1::2], y[1::2], delta=0.1)
print(certificate.value + 0.1, certificate.sentence.upper(), certificate.to_dict())

model = BoundPrunedTreeClassifier(random_state=0).fit(X, y)
print(model.predict(X[:2]), np.mean(model.predict(X) == y), treebounds.__version__)
