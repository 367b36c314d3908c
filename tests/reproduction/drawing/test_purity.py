"""The figure of the chapter on purity trees is drawn."""

import matplotlib.pyplot as plt
import numpy as np

from reproduction.drawing import purity


def test_three_shares_are_drawn():
    purity.differences([2, 8], np.array([[0.5, 0.6, 1.0], [0.1, 0.5, 0.2]]))
    assert len(plt.gcf().axes[0].lines) == len(purity.SERIES)
