"""Where no folder can be written, numba compiles without keeping the result."""

import pytest

from reproduction import compiling
from treebounds import _compiled

caching = pytest.importorskip("numba.core.caching")


@pytest.fixture
def nowhere_to_write(monkeypatch):
    """No place in which numba can keep what it compiled."""
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])


def tripled(x):
    return 3 * x


def test_numba_cannot_keep_a_result_here(nowhere_to_write):
    numba = pytest.importorskip("numba")
    with pytest.raises(RuntimeError, match="cannot cache"):
        numba.njit(cache=True)(tripled)


def test_the_library_compiles_without_a_cache(nowhere_to_write):
    assert _compiled._by_numba.__wrapped__(tripled)(2) == 6


def test_the_package_of_the_book_compiles_without_a_cache(nowhere_to_write):
    assert compiling.njit(tripled)(2) == 6
    assert compiling.njit(fastmath=True)(tripled)(2) == 6
