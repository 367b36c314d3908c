import pytest

from builders import STUMP
from oracles.vc_dimensions import lary_node_vc_dimension
from reproduction.exact import (
    exact_lary_vc_dimension,
    exact_vc_dimension,
    lary_vc_dimension_upper_bound,
)


@pytest.mark.parametrize(
    "n_values", [(2,), (3,), (2, 2), (2, 3), (3, 3), (2, 2, 2), (2, 2, 3)]
)
def test_one_node_by_the_definition(n_values):
    assert exact_lary_vc_dimension(n_values).value == lary_node_vc_dimension(n_values)


@pytest.mark.parametrize("d", range(1, 17))
def test_two_values_are_binary_features(d):
    assert (
        exact_lary_vc_dimension([2] * d)
        == exact_vc_dimension(STUMP, d)
        == d.bit_length() + (d & d + 1 == 0)
    )


def test_theorem_5_is_no_equality():
    assert lary_vc_dimension_upper_bound([2, 3, 3]) == 4
    assert exact_lary_vc_dimension([2, 3, 3]).certificate.method == "proof"
    assert (
        lary_vc_dimension_upper_bound([3] * 11),
        exact_lary_vc_dimension([3] * 11).value,
    ) == (6, 5)


@pytest.mark.parametrize(
    "function", [exact_lary_vc_dimension, lary_vc_dimension_upper_bound]
)
@pytest.mark.parametrize("n_values", [[], [0, 2], [2.5], 3, [[2]], [-1]])
def test_bad_input(function, n_values):
    with pytest.raises(ValueError, match="n_values"):
        function(n_values)


def test_too_large():
    with pytest.raises(ValueError, match="too many"):
        exact_lary_vc_dimension([6] * 200)
    with pytest.raises(ValueError, match="max_conflicts"):
        exact_lary_vc_dimension([3] * 11, max_conflicts=1)
