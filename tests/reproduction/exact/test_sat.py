from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import CHAIN, STUMP
from reproduction.exact import (
    ExactVCDimension,
    SearchCertificate,
    exact_lary_vc_dimension,
    exact_vc_dimension,
    lary_vc_dimension_upper_bound,
)
from reproduction.exact.chain_solver import chain_formula, chain_vc_dimension
from reproduction.exact.lary import covering_formula
from reproduction.exact.sat import solved
from reproduction.exact.shattering import is_shattered
from reproduction.exact.verification import is_refutation, verify_certificate

literals = st.integers(1, 4).flatmap(lambda v: st.sampled_from([v, -v]))
formulas = st.lists(st.lists(literals, min_size=1, max_size=3), min_size=1, max_size=25)


def satisfiable(clauses):
    return any(
        all(
            any((lit > 0) == values[abs(lit) - 1] for lit in clause)
            for clause in clauses
        )
        for values in product([False, True], repeat=4)
    )


@given(formulas, st.one_of(st.none(), st.just(10**6)))
@settings(max_examples=100, deadline=None)
def test_models_and_proofs_of_small_formulas(clauses, max_conflicts):
    true, proof = solved(clauses, max_conflicts)
    assert satisfiable(clauses) == (proof is None)
    if proof is None:
        assert all(any(lit in true for lit in clause) for clause in clauses)
    else:
        assert is_refutation(clauses, proof)


@given(
    formulas,
    st.lists(st.lists(st.one_of(literals, st.just(0)), max_size=3), max_size=8),
)
@settings(max_examples=100, deadline=None)
def test_nothing_refutes_what_can_hold(clauses, lines):
    assert not (is_refutation(clauses, lines) and satisfiable(clauses))


def test_a_proof_with_a_line_left_out_or_changed_is_refused():
    clauses = chain_formula(6, 2).clauses
    _, proof = solved(clauses)
    assert is_refutation(clauses, proof)
    assert not is_refutation(clauses, proof[:3])
    assert not is_refutation(clauses[: len(clauses) // 2], proof)
    assert not is_refutation(clauses, ((1000,), *proof))


def test_only_clauses_that_contradict_each_other_need_no_proof():
    assert is_refutation([[1], [-1]], ())
    assert not is_refutation([[1]], ())
    assert not is_refutation(chain_formula(6, 2).clauses, ())


def test_the_formula_of_the_chain_of_two_nodes():
    for m, l in ((4, 2), (5, 2), (7, 3)):
        formula = chain_formula(m, l)
        true, proof = solved(formula.clauses)
        assert proof is None
        ranks = np.isin(formula.before, list(true)).sum(axis=1).T
        assert all(sorted(column) == list(range(m)) for column in ranks.T.tolist())
        assert is_shattered(CHAIN, ranks, "real")


def test_the_solver_and_the_search_agree():
    result = chain_vc_dimension(2)
    assert result == exact_vc_dimension(CHAIN, 2, "real") == 5
    assert (result.certificate.method, result.certificate.n_samples) == ("proof", 0)


def test_the_proof_is_one_for_the_chain_only():
    result = chain_vc_dimension(2)
    assert verify_certificate(result, CHAIN, "real")
    assert not verify_certificate(result, STUMP, "real")


def test_a_proof_cut_short_is_refused():
    result = chain_vc_dimension(2)
    cut = SearchCertificate("proof", "cut short", proof=result.certificate.proof[:40])
    false = ExactVCDimension(result.shattered_sample, cut)
    assert not verify_certificate(false, CHAIN, "real")


def test_a_proof_for_another_number_of_examples_is_refused():
    result = chain_vc_dimension(2)
    smaller = result.shattered_sample[:4].argsort(axis=0).argsort(axis=0)
    false = ExactVCDimension(smaller, result.certificate)
    assert not verify_certificate(false, CHAIN, "real")


def test_one_feature_is_too_few_for_the_formula():
    with pytest.raises(ValueError, match="n_features"):
        chain_vc_dimension(1)


def verify_lary_certificate(result, n_values):
    """Check both sides of an exact VC dimension of a single node without the solver.

    From below, each split of the sample is made by a feature that keeps its values
    together. From above, the bound is computed anew, or the proof is followed line by
    line.
    """
    upper = lary_vc_dimension_upper_bound(n_values)
    sample = result.shattered_sample
    if (
        sample.shape[1] != len(n_values)
        or not ((sample >= 0) & (sample < np.array(n_values))).all()
    ):
        return False

    for ones in range(2 ** (len(sample) - 1)):
        side = ones >> np.arange(len(sample)) & 1
        if not any(
            not np.intersect1d(x[side == 0], x[side == 1]).size for x in sample.T
        ):
            return False

    if result.certificate.method == "bound":
        return upper == result.value
    return is_refutation(
        covering_formula(n_values, result.value + 1)[0], result.certificate.proof
    )


@pytest.mark.parametrize(
    "n_values",
    [
        [2, 3, 3],
        [3, 3, 2],
        [3] * 11,
        [4, 2],
        [5, 5],
        [1, 2],
        [5, 2, 4],
        [3] * 7,
        np.array([2, 5], np.uint8),
    ],
)
def test_certificates_of_single_nodes(n_values):
    result = exact_lary_vc_dimension(n_values)
    assert verify_lary_certificate(result, n_values)
    sample = result.shattered_sample
    certificate = result.certificate

    for false in (np.zeros_like(sample), sample[1:], sample + 9)[len(sample) == 1 :]:
        assert not verify_lary_certificate(
            ExactVCDimension(false, certificate), n_values
        )

    empty = ExactVCDimension(sample, SearchCertificate("proof", "no lines"))
    # Short formulas are refuted by propagation alone.
    assert len(certificate.proof) < 3 or not verify_lary_certificate(empty, n_values)
