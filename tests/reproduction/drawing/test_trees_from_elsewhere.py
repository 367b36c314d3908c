"""The figure of the chapter on trees from other libraries can be drawn."""

from types import SimpleNamespace

import matplotlib.pyplot as plt

from reproduction.drawing import trees_from_elsewhere


def test_each_library_has_two_bars():
    found = SimpleNamespace(n_errors=3, n_examples=100, value=0.07)
    grown = {"A": SimpleNamespace(n_leaves=9), "B": SimpleNamespace(n_leaves=8)}
    pruned = {"A": SimpleNamespace(n_leaves=4), "B": SimpleNamespace(n_leaves=2)}
    trees_from_elsewhere.leaves_and_certificates(
        grown, pruned, dict.fromkeys(grown, found)
    )
    heights = [bar.get_height() for bar in plt.gcf().axes[1].patches]
    assert heights == [9, 8, 4, 2]
