"""Figures are drawn in matplotlib's own style, whatever other tests have set."""

import matplotlib as mpl
import pytest


@pytest.fixture(autouse=True)
def plain_style():
    with mpl.rc_context():
        mpl.rcdefaults()
        yield
