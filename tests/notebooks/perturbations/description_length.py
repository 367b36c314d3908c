"""Perturbations of the claims of categorical/description-length."""

from perturbing import Perturbation


def decode_swapped_labels(chapter):
    """A decoder that swaps the two labels."""
    decode_right = chapter.decode

    def decode(code, d):
        return decode_right([2 * d + 1 - b if b in (d, d + 1) else b for b in code], d)

    chapter.decode = decode


def size_has_no_price(chapter):
    """The bound without its price for size."""
    chapter.failures = {
        **chapter.failures,
        "printed": chapter.failures["no price for size"],
    }


PERTURBATIONS = {
    "P-code": [
        Perturbation(
            patch=decode_swapped_labels,
            start=["checked = faults = 0"],
            becomes="refuted",
        ),
        # A tree is one leaf, or a feature with two trees.
        Perturbation(
            replace={"sympy.simplify(2 * z + d_": "sympy.simplify(z + d_"},
            start=["fixed_point ="],
            becomes="refuted",
        ),
    ],
    "P-mdl": [
        Perturbation(
            patch=size_has_no_price,
            start=["checks = {"],
            becomes="refuted",
        ),
        # Bits are taken for nats.
        Perturbation(
            replace={"(size * sympy.log(2) + ": "(size + "},
            start=["of_the_share ="],
            becomes="refuted",
        ),
    ],
}
