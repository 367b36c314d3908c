"""Checks of arguments, in cases that no other test reaches."""

import numpy as np

from treebounds._validation import is_missing, shown


def test_a_mask_of_no_objects_is_a_mask():
    mask = is_missing(np.array([], dtype=object))
    assert mask.dtype == bool
    assert mask.shape == (0,)


def test_an_error_prints_no_more_than_ten_entries():
    assert shown(np.arange(10)) == "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"
    assert shown(np.arange(11)) == "an array of shape (11,)"
    assert shown(list(range(11))) == "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...]"
