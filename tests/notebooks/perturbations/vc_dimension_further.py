"""Perturbations of the claims of capacity/vc-dimension-further."""

from perturbing import Perturbation

PERTURBATIONS = {
    # The second sample is not moved behind the first
    "N-lower": Perturbation(
        replace={"parts[1][:, 0] += len(parts[0])": "parts[1][:, 0] += 0"},
        start=["def side_by_side", "adds_up ="],
        becomes="refuted",
    ),
    # The search stops at half of all labelings instead of at half of all partitions
    "L-algD": Perturbation(
        replace={">= 2**(m - 1) - 1": ">= 2**m - 1"},
        start=["def appendix_d", "at_least ="],
        becomes="refuted",
    ),
    # The logarithm of the number of features alone, without its 2
    "L-cor10": [
        Perturbation(
            replace={"log2(N * l)": "log2(l)"},
            start=["def corollary_10"],
            becomes="refuted",
        ),
        # u^4 in place of u^5.
        Perturbation(
            replace={"apart = u**5": "apart = u**4"},
            start=["apart ="],
            becomes="refuted",
        ),
    ],
    # As if the first example of a leaf had one value only
    "N-natarajan": Perturbation(
        replace={"PATTERNS_OF_A_LEAF = 2": "PATTERNS_OF_A_LEAF = 1"},
        start=["PATTERNS_OF_A_LEAF = 2", "counts = []", "bounded ="],
        becomes="refuted",
    ),
    # The bound of a chain of leaves, with the stump's cuts left out
    "N-natarajan-exact": Perturbation(
        replace={"2 * (1 + w) * (1 + 2 * w)": "2 * (1 + 2 * w)"},
        start=["A = lambda N", "in_triangles = []"],
        becomes="refuted",
    ),
}
