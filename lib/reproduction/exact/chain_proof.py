"""The chain of two nodes shatters no eight examples on four real-valued features: a proof in 28 cases."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from reproduction.exact.chain_solver import ChainFormula, chain_formula
from reproduction.exact.sat import solved
from reproduction.exact.verification import is_refutation

_RECORD = Path(__file__).with_suffix(".tsv")


def checked_proof(formula: ChainFormula, case: tuple[int, int]) -> int:
    """Prove with the solver that a case of a formula cannot hold, and check the proof by independent code.

    Parameters
    ----------
    formula : ChainFormula
    case : (int, int)
        One of ``formula.cases``.

    Returns
    -------
    int
        Number of clauses in the proof.

    Raises
    ------
    ValueError
        If the case can hold, or the proof is not accepted.

    Notes
    -----
    On four features a case takes from a second to two minutes.

    Examples
    --------
    >>> from reproduction.exact.chain_proof import checked_proof
    >>> from reproduction.exact.chain_solver import chain_formula
    >>> checked_proof(chain_formula(6, 2), case=(1, 5)) > 0
    True
    """
    clauses = [*formula.clauses, *([literal] for literal in formula.cases[case])]
    _, proof = solved(clauses)
    if proof is None or not is_refutation(clauses, proof):
        raise ValueError(f"case: {case} has no proof that holds")
    return sum(0 not in line for line in proof)


def recorded_proofs() -> pd.DataFrame:
    """Lengths of the checked proofs of all cases (``python -m reproduction.exact.chain_proof`` renews them).

    Returns
    -------
    DataFrame
        Columns "between" and "last", the case, and "lines".

    Examples
    --------
    >>> from reproduction.exact.chain_proof import recorded_proofs
    >>> len(recorded_proofs())
    28
    """
    return pd.read_csv(_RECORD, sep="\t")


def _write_record() -> None:
    """Prove all cases, each with its proof checked."""
    formula = chain_formula(8, 4)
    rows = [(*case, checked_proof(formula, case)) for case in formula.cases]
    pd.DataFrame(rows, columns=["between", "last", "lines"]).to_csv(_RECORD, sep="\t", index=False)


if __name__ == "__main__":
    _write_record()
