"""The counts of a tree are enough to prune it: the same nodes as with the rows, on 20
data sets.
"""

import pytest
from sklearn.tree import DecisionTreeClassifier

from reproduction.datasets import DataNotAvailable, load
from treebounds import prune
from treebounds.formats import from_json, from_sklearn, to_json

REAL_VALUED = [
    "breast-cancer-wisconsin-diagnostic",
    "connectionist-bench-sonar",
    "diabetic-retinopathy-debrecen",
    "habermans-survival",
    "image-segmentation",
    "ionosphere",
    "iris",
    "parkinsons",
    "planning-relax",
    "qsar-biodegradation",
    "seeds",
    "vertebral-column-3c",
    "wine",
    "yeast",
    "twonorm",
    "ringnorm",
    "threenorm",
    "hastie",
    "checkers",
    "sea",
]


@pytest.mark.parametrize("slug", REAL_VALUED)
def test_pruning_from_counts_equals_pruning_in_memory(slug):
    """The counts travel as a document; in memory the classes of the rows are counted
    again.
    """
    try:
        data = load(slug)
    except DataNotAvailable as missing:
        pytest.skip(str(missing))

    fitted = DecisionTreeClassifier(random_state=0).fit(data.data, data.target)
    tree = from_json(to_json(from_sklearn(fitted)))
    n_leaves = []
    for rule in ("bound", "noise", 3.0):
        from_counts = prune(tree, rule=rule)
        in_memory = prune(fitted, data.data, data.target, rule=rule)
        assert from_sklearn(in_memory) == from_counts
        n_leaves.append(from_counts.n_leaves)

    assert 1 < max(n_leaves) < tree.n_leaves
