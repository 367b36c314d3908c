"""Structures, small trees and samples that many tests build."""

import random
from fractions import Fraction
from itertools import chain, product

import numpy as np
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier

import reproduction
import treebounds as tb
from treebounds import TreeStructure
from treebounds.structure import enumerate_structures
from treebounds.trees import ArrayTree

# Each kind of estimator, without large forests.
ESTIMATORS = [
    tb.BoundPrunedTreeClassifier(random_state=0),
    tb.CostComplexityPrunedTreeClassifier(random_state=0),
    tb.ReducedErrorPrunedTreeClassifier(random_state=0),
    tb.CertifiedTreeClassifier(n_halvings=1, random_state=0),
    reproduction.DistilledTreeClassifier(
        teacher=RandomForestClassifier(3), n_made=300, random_state=0
    ),
]

# The estimators that predict numbers.
REGRESSORS = [
    tb.PrunedTreeRegressor(random_state=0),
    tb.PrunedTreeRegressor(factor=0.875, random_state=0),
    tb.PrunedTreeRegressor(rule="counted", random_state=0),
    tb.PrunedTreeRegressor(rule=0.5, random_state=0),
    tb.CostComplexityPrunedTreeRegressor(random_state=0),
]

CERTIFIED_REGRESSORS = [
    tb.CertifiedTreeRegressor(n_halvings=2, random_state=0),
    tb.CertifiedTreeRegressor(tolerance=1.0, n_halvings=1, random_state=0),
]

LEAF = TreeStructure()
STUMP = TreeStructure(LEAF, LEAF)
CHAIN = TreeStructure(STUMP, LEAF)
BALANCED = TreeStructure(STUMP, STUMP)

# A small table for models of other libraries, and what keeps LightGBM from printing.
VALUES = np.random.default_rng(0).normal(size=(400, 2))
QUIET = {"verbose": -1, "num_threads": 1}


def structures_up_to(n_leaves):
    """Every structure with at most this number of leaves, small ones first."""
    sizes = range(1, n_leaves + 1)
    return list(chain.from_iterable(map(enumerate_structures, sizes)))


def chain_of(n_nodes, start=LEAF):
    """A structure with this number of nodes in a row above another one."""
    for _ in range(n_nodes):
        start = TreeStructure(start, LEAF)
    return start


def complete(height):
    """The complete structure of a height."""
    structure = LEAF
    for _ in range(height):
        structure = TreeStructure(structure, structure)
    return structure


def random_structure(n_leaves, seed=0):
    """A random structure."""
    rng = seed
    if not isinstance(seed, random.Random):
        rng = random.Random(seed)
    if n_leaves == 1:
        return LEAF
    left = rng.randint(1, n_leaves - 1)
    return TreeStructure(
        random_structure(left, rng), random_structure(n_leaves - left, rng)
    )


def leaf_tree(counts):
    """A tree of one leaf with these class counts."""
    nodes = {
        "children_left": [-1],
        "children_right": [-1],
        "feature": [0],
        "threshold": [0.0],
    }
    return ArrayTree(**nodes, class_counts=[counts], n_features=1)


def stump_tree(counts, **more):
    """A tree of one split whose nodes have these class counts."""
    nodes = {
        "children_left": [1, -1, -1],
        "children_right": [2, -1, -1],
        "feature": [0] * 3,
    }
    return ArrayTree(
        **nodes
        | {"threshold": [0.5, 0, 0], "class_counts": counts, "n_features": 1}
        | more
    )


@st.composite
def categorical(draw, values=(1, 3), features=(1, 4), examples=(1, 25), n_classes=3):
    """Rows of categories, their classes, how many values each feature has, and the
    number of classes.
    """
    n_values = draw(
        st.lists(st.integers(*values), min_size=features[0], max_size=features[1])
    )
    row = st.tuples(*(st.integers(0, L - 1) for L in n_values))
    X = draw(st.lists(row, min_size=examples[0], max_size=examples[1]))
    y = draw(st.lists(st.integers(0, n_classes - 1), min_size=len(X), max_size=len(X)))
    return X, y, n_values, n_classes


def fractions_of_cells(n_values, n_classes=2, seed=1):
    """Probabilities of attribute vectors with classes, one of them 0: {(x, c):
    Fraction}, and as an array.
    """
    cells = list(product(*map(range, n_values)))
    weights = (
        np.random.default_rng(seed).integers(1, 9, (len(cells), n_classes)).tolist()
    )
    weights[-1][-1] = 0
    total = sum(map(sum, weights))
    p = {}
    for x, row in zip(cells, weights, strict=True):
        for c, weight in enumerate(row):
            p[x, c] = Fraction(weight, total)
    return p, np.array(list(map(float, p.values()))).reshape(*n_values, n_classes)
