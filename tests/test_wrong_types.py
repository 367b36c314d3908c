"""An argument of a wrong type or out of its range is a ValueError that names it, in
every public function.
"""

import math
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import VotingClassifier
from sklearn.tree import DecisionTreeClassifier

import reproduction
import treebounds as tb
from reproduction import multiway, random_trees
from reproduction.exact import (
    binary_shattered_sample,
    binary_vc_dimension_upper_bound,
    exact_lary_vc_dimension,
    exact_vc_dimension,
    optimal_stump_permutations,
)
from reproduction.exact.verification import verify_certificate
from reproduction.growing import grow_tree
from reproduction.published import Judged, published_cost_complexity, smallest_errors
from treebounds import formats, pruning, risk, trees
from treebounds.capacity import one_sided_stump_vc_dimension
from treebounds.pruning.cost_complexity import cost_complexity_path
from treebounds.pruning.rules import cheapest_pruning
from treebounds.risk.growth_bounds import hypergeometric_bound, relative_deviation_bound
from treebounds.risk.occam import occam_bounds
from treebounds.risk.tail_inversion import bounded_mean_inversion
from treebounds.structure import log_wedderburn_etherington
from treebounds.trees.counting import held_out_errors

STUMP = tb.TreeStructure(tb.TreeStructure(), tb.TreeStructure())
X, Y = load_iris(return_X_y=True)
FITTED = DecisionTreeClassifier(max_leaf_nodes=3, random_state=0).fit(X, Y)
ARRAYS = formats.from_sklearn(FITTED)
FOLDS = [Judged(ARRAYS, ARRAYS.class_counts)]
COUNTS = {"n_examples": 10, "n_features": 2}
SHAPE = {"structure": STUMP, "n_features": 2}
TREE = {"tree": STUMP, "n_features": 2}
GROWTH = {"tree": STUMP, "n_classes": 2, **COUNTS}
VC = {"a1": 0.1, "a2": 2.0}
EQUATION_8 = {"n_examples": 10, "n_errors": 1, "log_growth": 2.0, "delta": 0.05}
EQUATION_8 |= {"log_error_prior": -1.0, "log_complexity_prior": -1.0}
PRICES = {"log_growth": 3.0, "log_prior": -1.0, "delta": 0.05}
CATEGORIES = (X.mean(axis=0) < X).astype(int)
SIDES = [np.bincount(Y[CATEGORIES[:, 0] == value], minlength=3) for value in (0, 1)]
# It is not grown: each process that collects the tests would compile ID3.
ID3_STUMP = multiway.MultiwayTree(
    [0, -1, -1], [-1, 0, 0], [-1, 0, 1], [sum(SIDES), *SIDES], [2] * 4
)
MULTIWAY = {"tree": ID3_STUMP, "X": CATEGORIES, "y": Y}
P = random_trees.JointDistribution([[0.4, 0.1], [0.1, 0.4]])
STOP = random_trees.StoppingRule()
SYSTEM = {"distribution": P, "n_examples": 6, "rule": STOP}
CONVENTIONS = {"ties": "lowest", "empty": "tie"}
SIMULATION = SYSTEM | CONVENTIONS | {"random_state": 0}

CALLS = [
    (tb.growth_function_bound, GROWTH | {"form": "tight"}),
    (tb.log_growth_function_bound, GROWTH | {"form": "tight"}),
    (tb.growth_function_lower_bound, GROWTH),
    (tb.log_growth_function_lower_bound, GROWTH),
    (tb.capacity.all_structures_growth_bound, {"n_leaves": 3, "n_classes": 2} | COUNTS),
    (
        tb.capacity.log_all_structures_growth_bound,
        {"n_leaves": 3, "n_classes": 2} | COUNTS,
    ),
    (tb.structure.enumerate_structures, {"n_leaves": 4}),
    (tb.structure.wedderburn_etherington, {"n_leaves": 4}),
    (log_wedderburn_etherington, {"n_leaves": 4}),
    (tb.capacity.stump_vc_dimension, {"n_features": 2}),
    (one_sided_stump_vc_dimension, {"n_features": 2}),
    (tb.pseudo_dimension_upper_bound, TREE),
    (tb.pseudo_dimension_lower_bound, TREE),
    (tb.capacity.shattered_sample, TREE),
    (tb.capacity.natarajan_dimension_lower_bound, TREE),
    (tb.capacity.natarajan_dimension_upper_bound, TREE | {"n_classes": 3}),
    (binary_shattered_sample, SHAPE),
    (tb.vc_dimension_upper_bound, TREE),
    (tb.vc_dimension_lower_bound, TREE),
    (binary_vc_dimension_upper_bound, SHAPE),
    (tb.TreeStructure.from_sklearn, {"tree": FITTED}),
    (tb.capacity.stump_partitioning_function, COUNTS),
    (optimal_stump_permutations, {"n_examples": 5}),
    (
        tb.capacity.partitioning_function_bound,
        {"tree": STUMP, "n_parts": 2, "form": "tight"} | COUNTS,
    ),
    (risk.log_geometric_prior, {"n_errors": 2, "ratio": 0.5}),
    (risk.log_structure_prior, {"n_leaves": 2}),
    (
        exact_vc_dimension,
        SHAPE | {"feature_type": "binary", "max_samples": 9, "children": "fixed"},
    ),
    (exact_lary_vc_dimension, {"n_values": [2, 3], "max_conflicts": 100}),
    (
        verify_certificate,
        {
            "result": exact_vc_dimension(STUMP, 2),
            "structure": STUMP,
            "children": "fixed",
        },
    ),
    (tb.risk.shawe_taylor_bound, EQUATION_8),
    (
        reproduction.vc_srm_bound,
        VC
        | {"train_error": 0.1, "vc_dimension": 3, "n_examples": 10, "confidence": 0.5},
    ),
    (
        reproduction.description_length_bound,
        {"train_error": 0.1, "n_nodes": 3, "delta": 0.05, "n_classes": 2} | COUNTS,
    ),
    (
        # All rows that it was grown on would be refused.
        partial(tb.certify, X=X[1:]),
        {"model": FITTED, "y": Y[1:], "delta": 0.05},
    ),
    (partial(risk.certify_by_growth, X=X), {"tree": FITTED, "y": Y, "delta": 0.05}),
    (
        risk.binomial_tail_inversion,
        {"n_errors": 1, "n_examples": 10, "log_gamma": -3.0},
    ),
    (
        risk.hypergeometric_tail_inversion,
        {"n_errors": 1, "n_examples": 9, "n_total": 30, "log_gamma": -3.0},
    ),
    (bounded_mean_inversion, {"mean": 0.1, "n": 10, "log_gamma": -3.0}),
    (hypergeometric_bound, {"n_examples": 10, "n_errors": 1, "n_ghosts": 30} | PRICES),
    (relative_deviation_bound, {"n_examples": 10, "n_errors": 1} | PRICES),
    (
        occam_bounds,
        {
            "tree": ARRAYS,
            "errors": ARRAYS.leaf_errors,
            "n_examples": 150,
            "delta": 0.05,
        },
    ),
    (
        risk.compress_tree,
        {"tree": ARRAYS, "X": X, "y": Y, "n_classes": 3, "delta": 0.05},
    ),
    (grow_tree, {"X": X, "y": Y, "growth_order": "lowest-impurity"}),
    (
        multiway.grow_id3,
        {
            "X": CATEGORIES,
            "y": Y,
            "n_values": [2] * 4,
            "n_classes": 3,
            "criterion": "gini",
        },
    ),
    (multiway.impurity, {"counts": [1, 2], "criterion": "gini"}),
    (partial(tb.prune, X=X, y=Y), {"tree": FITTED, "rule": "noise"}),
    (pruning.BoundRule, {"capacity": "loose", "error_prior_ratio": 0.1, "delta": 0.05}),
    (held_out_errors, {"tree": ARRAYS, "X": X, "y": Y}),
    (trees.weakest_link_sequence, {"tree": ARRAYS, "costs": ARRAYS.leaf_errors}),
    (cost_complexity_path, {"tree": ARRAYS}),
    (
        partial(published_cost_complexity, folds=FOLDS),
        {"tree": ARRAYS, "complexity": "growth"},
    ),
    (cheapest_pruning, {"tree": ARRAYS, "costs": ARRAYS.leaf_errors, "price": 1.0}),
    (pruning.rules.ErrorBasedRule, {"confidence": 0.25}),
    (pruning.rules.KearnsMansourRule, {"scale": 1.0, "delta": 0.05}),
    (pruning.rules.MinimumErrorRule, {"prior_weight": 2.0}),
    (pruning.rules.PriceRule, {"price": 2.0}),
    (smallest_errors, {"tree": ARRAYS}),
    (
        multiway.generic_pruning,
        MULTIWAY | {"estimate": lambda edited, m: edited.n_leaves},
    ),
    (
        multiway.description_length_estimate,
        {"n_features": 2, "n_classes": 2, "delta": 0.05},
    ),
    (multiway.reduced_error_nodes, MULTIWAY | {"order": "top-down", "ties": "keep"}),
    (
        multiway.srm_nodes,
        VC
        | {"tree": ID3_STUMP, "order": "top-down", "sample": "node", "inputs": "all"},
    ),
    (random_trees.JointDistribution, {"probabilities": [[0.4, 0.1], [0.1, 0.4]]}),
    (random_trees.JointDistribution.from_data, {"X": X, "y": Y, "cut": "mean"}),
    (random_trees.StoppingRule, {"height": 1, "pure": True, "scarcity": 2}),
    (random_trees.error_moments, SYSTEM | CONVENTIONS),
    (random_trees.class_probabilities, SYSTEM | CONVENTIONS | {"x": [1]}),
    (random_trees.two_tree_covariance, SYSTEM),
    (
        random_trees.hold_out_moments,
        {"distribution": P, "n_train": 6, "n_test": 2, "rule": STOP},
    ),
    (random_trees.cross_validation_moments, SYSTEM | {"n_folds": 2}),
    (random_trees.simulate_errors, SIMULATION | {"n_trees": 2, "selection": "gini"}),
    (random_trees.simulate_moments, SIMULATION | {"n_samples": 2}),
    (random_trees.simulate_averages, SIMULATION | {"n_samples": 2}),
    (
        random_trees.simulate_cross_validation,
        SIMULATION | {"n_folds": 2, "n_samples": 2},
    ),
    (random_trees.enumerated_moments, SYSTEM | CONVENTIONS | {"selection": "gini"}),
]


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.uint64])
def test_integers_of_any_width_are_the_same_number(kind):
    counts = {"n_nodes": 127, "n_features": 120, "n_examples": 100, "n_classes": 9}
    narrow = {name: kind(value) for name, value in counts.items()}
    assert reproduction.description_length_bound(
        0.1, **narrow
    ) == reproduction.description_length_bound(0.1, **counts)
    errors = {"n_examples": 120, "n_errors": 100, "n_ghosts": 127}
    narrow = {name: kind(value) for name, value in errors.items()}
    assert hypergeometric_bound(**narrow, **PRICES) == hypergeometric_bound(
        **errors, **PRICES
    )


COUNT = (0, -1, 1.5, math.nan, True)
SHARE = (0, 1, -0.1, 1.5, math.nan)
WEIGHT = (-1.0, math.nan)
OUT_OF_RANGE = {
    **dict.fromkeys(
        ("n_leaves", "n_examples", "n_features", "n_classes", "n_parts", "n_nodes"),
        COUNT,
    ),
    **dict.fromkeys(
        ("n_total", "n_ghosts", "n_trees", "n_samples", "n_folds", "n_train", "n_test"),
        COUNT,
    ),
    **dict.fromkeys(("n", "max_samples", "max_conflicts"), COUNT),
    **dict.fromkeys(("delta", "ratio", "error_prior_ratio"), SHARE),
    **dict.fromkeys(
        ("log_gamma", "log_prior", "log_error_prior", "log_complexity_prior"),
        (0.1, math.nan),
    ),
    **dict.fromkeys(("log_growth", "a1"), WEIGHT),
    **dict.fromkeys(("a2", "scale", "prior_weight"), (0, *WEIGHT)),
    "n_errors": (-1, math.nan),
    "train_error": (-0.1, 1.1, math.nan),
    "mean": (-0.1, 1.1, math.nan),
    "vc_dimension": (0, math.inf, math.nan),
    "confidence": (0, 1.5, math.nan),
    "height": (-1, 1.5),
    "scarcity": (-1, math.nan),
    "pure": (1,),
    "price": (math.nan,),
}
# Functions whose arguments are parts of a whole, or that take any size of a sample.
OTHERS = {
    tb.risk.shawe_taylor_bound: {
        "n_examples": (0, math.nan, True),
        "n_errors": (-1, 11, math.nan),
    },
    risk.binomial_tail_inversion: {"n_errors": (-1, 1.5, 11)},
    risk.hypergeometric_tail_inversion: {
        "n_errors": (-1, 1.5, 10),
        "n_total": (9, 9.5),
    },
    hypergeometric_bound: {"n_errors": (-1, 1.5, 11)},
    relative_deviation_bound: {"n_errors": (-1, 1.5, 11)},
    reproduction.description_length_bound: {
        "train_error": (-0.1, 2, math.nan),
        "delta": (0, 1),
    },
    pruning.rules.PriceRule: {"price": (-1, math.nan)},
    pruning.rules.KearnsMansourRule: {"delta": (0, 2)},
    pruning.rules.ErrorBasedRule: {"confidence": (0, 1.0)},
}


@pytest.mark.parametrize(("function", "arguments"), CALLS)
def test_a_wrong_argument_is_named(function, arguments):
    function(**arguments)
    limits = OUT_OF_RANGE | OTHERS.get(function, {})
    for name in arguments:
        for wrong in ("a", {}, [["b"]], np.array("c"), *limits.get(name, ())):
            with pytest.raises(ValueError, match=rf"\b{name}\b"):
                function(**arguments | {name: wrong})


class Endless(DecisionTreeClassifier):
    """A learner whose representation holds a table."""

    def __repr__(self):
        return "cell " * 10**4


LARGE = [
    pd.DataFrame({"a": ["cell"] * 60, "b": ["cell"] * 60}),
    pd.Series(["cell"] * 60),
    np.array([["cell"] * 5] * 60, dtype=object),
    ["cell"] * 1000,
    dict.fromkeys(range(1000), "cell"),
    "cell" * 1000,
    Endless(),
    [Endless(), Endless()],
    VotingClassifier([("a", Endless().fit([[0], [1]], [0, 1]))]),
    Endless,
]


ESTIMATORS = [
    (tb.CertifiedClassifier, {"estimators": FITTED, "cost": None}),
    (tb.CertifiedTreeClassifier, {"learners": "pruned", "method": "halves"}),
    (tb.CertifiedRegressor, {"estimators": FITTED, "tolerance": 1.0}),
    (tb.PrunedTreeRegressor, {"rule": "local", "factor": 1.0}),
]


def assert_error_is_short(call):
    """Assert that an error, if there is one, says no more than a few lines."""
    message = ""
    try:
        call()
    except (ValueError, TypeError, AttributeError) as error:
        message = str(error)
    assert len(message) < 500
    assert message.count("cell") <= 20


@pytest.mark.parametrize(("function", "arguments"), CALLS)
def test_an_error_does_not_print_a_table(function, arguments):
    for name in arguments:
        for wrong in LARGE:
            assert_error_is_short(partial(function, **arguments | {name: wrong}))


@pytest.mark.parametrize(("estimator", "parameters"), ESTIMATORS)
def test_an_error_of_fit_does_not_print_a_table(estimator, parameters):
    for name in parameters:
        for wrong in LARGE:
            model = estimator(**parameters | {name: wrong})
            assert_error_is_short(partial(model.fit, X, Y))
