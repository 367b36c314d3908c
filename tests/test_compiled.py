"""When numba compiles a loop."""

import sys

import pytest

from treebounds._compiled import compiled


def total(n):
    result = 0
    for i in range(n):
        result += i
    return result


@pytest.mark.parametrize(
    ("is_imported", "n_steps", "is_compiled"),
    [
        (True, 20_000, False),
        (True, 20_001, True),
        (False, 400_000, False),
        (False, 400_001, True),
    ],
)
def test_numba_compiles_what_takes_longer_than_loading_it(
    is_imported, n_steps, is_compiled, monkeypatch
):
    numba = pytest.importorskip("numba")
    if is_imported:
        monkeypatch.setitem(sys.modules, "numba", numba)
    else:
        monkeypatch.delitem(sys.modules, "numba")
        # Another import would run all of numba a second time.
        monkeypatch.setattr("treebounds._compiled._by_numba", numba.njit)
    function = compiled(total, n_steps)
    assert (function is not total) == is_compiled
    assert function(5) == 10
