"""The figures of the chapter on certificates can be drawn."""

from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from reproduction.drawing import certificates
from reproduction.experiments.certificates import DESIGNS


def test_a_half_has_its_size_and_an_arrow_its_limit():
    found = SimpleNamespace(
        halving=np.array([0, 0, 1, 1]),
        side=np.array([0, 1, 0, 1]),
        learner=np.array(["pruned"] * 4),
        n_examples=np.array([11, 10, 11, 10]),
        n_errors=np.array([1, 2, 3, 4]),
        bound=np.array([0.41, 0.5, 0.6, 0.7]),
        best=0,
    )
    certificates.halvings(found, {"pruned": "pruned"})
    texts = {text.get_text() for ax in plt.gcf().axes for text in ax.texts}
    assert {"half A, 10 examples", "half B, 11 examples"} <= texts
    assert "pruned\n1 errors\n41.0%" in texts


def test_the_wrong_methods_stand_below():
    shares = {"share": 0.02, "low": 0.01, "high": 0.04}
    table = pd.DataFrame(
        [
            {"distribution": name, "method": method, **shares}
            for name in DESIGNS
            for method in ("no price", "halves")
        ]
    )
    certificates.violations(table, ["no price"])
    names = [label.get_text() for label in plt.gca().get_yticklabels()]
    assert names == ["halves", "no price"]
