"""A SAT solver that returns a model or a proof that none exists."""

from __future__ import annotations

from pysat import solvers

__all__ = ["solved"]

Clause = list[int]
Proof = tuple[tuple[int, ...], ...]


def solved(
    clauses: list[Clause], max_conflicts: int | None = None
) -> tuple[set[int], Proof | None]:
    """Literals that satisfy the clauses, or a proof that none do.

    >>> from reproduction.exact.sat import solved
    >>> solved([[1, 2], [-1]])
    ({2, -1}, None)

    Parameters
    ----------
    clauses : list of list of int
        Literals as in DIMACS files.
    max_conflicts : int, optional
        Give up after this number of conflicts.

    Returns
    -------
    true : set of int
        Empty if there is a proof.
    proof : tuple of tuple of int, or None
        Clauses, each of which follows from the earlier ones by reverse unit propagation
        (RUP): if all of its literals are false, unit propagation finds a clause without
        a true literal. A line that begins with 0 marks a clause that later lines do not
        need.

    Raises
    ------
    ImportError
        If the extra ``treebounds[exact]`` is not installed.
    TimeoutError
        If the solver gives up.
    """
    # CaDiCaL is several times faster, but only Glucose accepts a limit on conflicts.
    name = "cadical153"
    if max_conflicts is not None:
        name = "glucose4"
    with solvers.Solver(name=name, bootstrap_with=clauses, with_proof=True) as solver:
        if max_conflicts is None:
            answer = solver.solve()
        else:
            solver.conf_budget(max_conflicts)
            answer = solver.solve_limited()

        if answer is None:
            raise TimeoutError(f"not decided within {max_conflicts} conflicts")
        if answer:
            return set(solver.get_model()), None

        lines = (
            line.replace("d", "0").split()[:-1] for line in solver.get_proof() or ["0"]
        )
        return set(), tuple(tuple(map(int, line)) for line in lines)
