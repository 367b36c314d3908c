"""What every test shares."""

import pytest
from hypothesis import settings

import treebounds  # noqa: F401  first, or pytest gives modules that it imports by their paths a second copy

# the first call of a compiled function compiles it, which is no reason to fail
settings.register_profile("treebounds", deadline=None)
settings.load_profile("treebounds")

# Tests of the whole book that were not seen to pass since the chapters of 0.2.0 came together.
# They run, and a failure is reported as expected; whoever mends one takes its file off the list,
# which is empty in a release.
NOT_SEEN_TO_PASS = ()


def pytest_collection_modifyitems(items):
    """An example in a docstring runs as if it were pasted alone into a fresh interpreter."""
    for item in items:
        if isinstance(item, pytest.DoctestItem):
            item.dtest.globs = {"__name__": "__main__"}
        if item.get_closest_marker("book") and item.nodeid.startswith(NOT_SEEN_TO_PASS):
            item.add_marker(
                pytest.mark.xfail(reason="not seen to pass with all chapters of 0.2.0", strict=False)
            )
