"""What every test shares."""

import pytest
from hypothesis import settings

import treebounds  # noqa: F401  first, or pytest gives modules that it imports by their paths a second copy

# the first call of a compiled function compiles it, which is no reason to fail
settings.register_profile("treebounds", deadline=None)
settings.load_profile("treebounds")


def pytest_collection_modifyitems(items):
    """An example in a docstring runs as if it were pasted alone into a fresh interpreter."""
    for item in items:
        if isinstance(item, pytest.DoctestItem):
            item.dtest.globs = {"__name__": "__main__"}
