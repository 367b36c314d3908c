"""Checks of arguments in cases that no caller of the tests reaches."""

import numpy as np

from treebounds._validation import is_missing


def test_a_mask_of_no_objects_is_a_mask():
    mask = is_missing(np.array([], dtype=object))
    assert mask.dtype == bool
    assert mask.shape == (0,)
