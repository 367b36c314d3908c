"""Perturbations of the claims of random-trees/exactly."""

from perturbing import Perturbation


def one_system(chapter):
    """One system is enough to notice trees grown on half as many examples."""
    chapter.n_systems = 1


PERTURBATIONS = {
    # One count more.
    "D-cost": Perturbation(
        replace={
            "comb(n + r, r)": "comb(n + r + 1, r + 1)",
            "assert direct(n, *what)[1] == TERMS[name](n)": "pass",
        },
        start=["(p1, p2), (q1, q2) =", "counted = ["],
        becomes="refuted",
    ),
    "N-exact": Perturbation(
        patch=one_system,
        replace={
            "simulate_moments(p, 10_000, rule, n_simulated)": (
                "simulate_moments(p, 5_000, rule, n_simulated)"
            ),
        },
        start=["comparison = []", "z_scores = "],
        becomes="not reproduced",
    ),
}
