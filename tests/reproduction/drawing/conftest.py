"""Each test of a figure starts without figures and in matplotlib's own style, whatever
other tests have left, and its figures are closed at the end.
"""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest


@pytest.fixture(autouse=True)
def plain_figures():
    plt.close("all")
    with mpl.rc_context():
        mpl.rcdefaults()
        yield
    plt.close("all")
