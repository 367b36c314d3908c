"""An argument of a wrong type is a ValueError that names it, in every public function."""

from functools import partial

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

import treebounds as tb
from treebounds import risk, trees

STUMP = tb.TreeStructure(tb.TreeStructure(), tb.TreeStructure())
X, Y = load_iris(return_X_y=True)
FITTED = DecisionTreeClassifier(max_leaf_nodes=3, random_state=0).fit(X, Y)
ARRAYS = trees.ArrayTree.from_sklearn(FITTED)
ERRORS = ARRAYS.leaf_errors
COUNTS = {"n_examples": 10, "n_features": 2}
PRICES = {"log_growth": 3.0, "log_prior": -1.0, "delta": 0.05}
CATEGORIES = (X.mean(axis=0) < X).astype(int)

CALLS = [
    (tb.enumerate_structures, {"n_leaves": 4}),
    (tb.wedderburn_etherington, {"n_leaves": 4}),
    (tb.log_wedderburn_etherington, {"n_leaves": 4}),
    (tb.TreeStructure.from_sklearn, {"fitted_tree": FITTED}),
    (tb.stump_partitioning_function, COUNTS),
    (tb.optimal_stump_permutations, {"n_examples": 5}),
    (tb.partitioning_function_bound, {"structure": STUMP, "n_parts": 2, "form": "tight"} | COUNTS),
    (tb.growth_function_bound, {"structure": STUMP, "n_classes": 2, "form": "tight"} | COUNTS),
    (tb.log_growth_function_bound, {"structure": STUMP, "n_classes": 2, "form": "tight"} | COUNTS),
    (tb.all_structures_growth_bound, {"n_leaves": 3, "n_classes": 2} | COUNTS),
    (tb.log_all_structures_growth_bound, {"n_leaves": 3, "n_classes": 2} | COUNTS),
    (tb.stump_vc_dimension, {"n_features": 2}),
    (tb.vc_dimension_upper_bound, {"structure": STUMP, "n_features": 2}),
    (tb.vc_dimension_lower_bound, {"structure": STUMP, "n_features": 2, "feature_type": "real"}),
    (tb.binary_vc_dimension_upper_bound, {"structure": STUMP, "n_features": 2}),
    (
        tb.exact_vc_dimension,
        {"structure": STUMP, "n_features": 2, "feature_type": "binary", "max_samples": 9},
    ),
    (tb.exact_lary_vc_dimension, {"n_values": [2, 3], "max_conflicts": 100}),
    (tb.verify_certificate, {"result": tb.exact_vc_dimension(STUMP, 2), "structure": STUMP}),
    (
        tb.shawe_taylor_bound,
        {"n_examples": 10, "n_errors": 1, "log_growth": 2.0, "delta": 0.05}
        | {"log_error_prior": -1.0, "log_complexity_prior": -1.0},
    ),
    (tb.vc_srm_bound, {"train_error": 0.1, "vc_dimension": 3, "n_examples": 10, "a1": 0.1, "a2": 2.0}),
    (tb.description_length_bound, {"train_error": 0.1, "n_nodes": 3, "delta": 0.05, "n_classes": 2} | COUNTS),
    (
        partial(tb.certify, X=X),
        {"fitted_tree": FITTED, "y": Y, "delta": 0.05, "method": "growth", "growth": "tight"},
    ),
    (risk.binomial_tail_inversion, {"n_errors": 1, "n_examples": 10, "log_gamma": -3.0}),
    (risk.hypergeometric_tail_inversion, {"n_errors": 1, "n_examples": 9, "n_total": 30, "log_gamma": -3.0}),
    (risk.held_out_bound, {"n_errors": 1, "n_examples": 10, "delta": 0.05}),
    (risk.hypergeometric_bound, {"n_examples": 10, "n_errors": 1, "n_ghosts": 30} | PRICES),
    (risk.relative_deviation_bound, {"n_examples": 10, "n_errors": 1} | PRICES),
    (risk.pac_bayes_bound, {"tree": ARRAYS, "errors": ERRORS, "n_examples": 150, "delta": 0.05}),
    (risk.occam_bound, {"tree": ARRAYS, "errors": ERRORS, "n_examples": 150, "delta": 0.05}),
    (risk.compress, {"tree": ARRAYS, "X": X, "y": Y, "n_classes": 3, "delta": 0.05, "code": "sorted"}),
    (risk.decode_tree, {"code": [1, 2, 3, 4], "n_values": [2, 2], "n_classes": 2}),
    (trees.grow_tree, {"X": X, "y": Y, "growth_order": "lowest-impurity"}),
    (trees.grow_id3, {"X": CATEGORIES, "y": Y, "n_values": [2] * 4, "n_classes": 3, "criterion": "gini"}),
    (trees.impurity, {"counts": [1, 2], "criterion": "gini"}),
]


@pytest.mark.parametrize(
    ("function", "arguments", "name"),
    [(f, given, name) for f, given in CALLS for name in given],
)
def test_a_wrong_type_is_named(function, arguments, name):
    function(**arguments)
    for wrong in ("a", {}, [["b"]], np.array("c")):
        with pytest.raises(ValueError, match=name):
            function(**arguments | {name: wrong})
