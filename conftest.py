"""What every test shares."""

import gc
import importlib
import multiprocessing
import pkgutil
from pathlib import Path

import pytest
from hypothesis import settings

# First, or pytest gives modules that it imports by their paths a second copy.
import treebounds

# Tests are imported and collected without a look for garbage: there is next to none,
# and looking takes a sixth of the time.
gc.disable()

# The first call of a compiled function compiles it, which is no reason to fail.
settings.register_profile("treebounds", deadline=None)
settings.load_profile("treebounds")


# Coverage more than doubles the time of a test, so the branches of the library are
# counted in the library's own tests alone, without those marked no_cover.
TESTS = Path(__file__).resolve().parent / "tests"
NOT_COVERED = [TESTS / name for name in ("book", "notebooks", "reproduction")]

# Modules whose examples need Spark, which has an environment of its own.
NEEDS_SPARK = ("/treebounds/spark/", "/treebounds/formats/spark.py")

# Processes that tests start need these; each would import them anew.
EXPERIMENTS = ("certificates", "dhurandhar2008", "leboeuf2020", "yildiz2012")
PRELOADED = [
    "distributed.nanny",
    *(f"reproduction.experiments.{name}" for name in EXPERIMENTS),
]


@pytest.fixture(scope="session")
def forkserver():
    """Processes that are forked from one that has imported."""
    from multiprocessing.forkserver import ensure_running  # which Windows lacks

    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    ensure_running()  # now, for distributed has a list of its own
    return context


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """Coverage waits while tests are collected, which takes two thirds of the time
    then; the lines that run when the library is imported are counted before.
    """
    plugin = session.config.pluginmanager.getplugin("_cov")
    controller = getattr(plugin, "cov_controller", None)
    if controller is None:
        return (yield)

    for module in pkgutil.walk_packages(treebounds.__path__, "treebounds."):
        importlib.import_module(module.name)

    controller.pause()
    try:
        return (yield)
    finally:
        controller.resume()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path):
    """Tests have no examples in their docstrings, and each worker would look for some
    for most of a second. Examples are collected by a class below pytest's Module.
    """
    collectors = yield
    if TESTS not in file_path.parents:
        return collectors
    return [one for one in collectors if type(one) is pytest.Module]


def pytest_collection_modifyitems(items):
    """Tests that need the book come first: their worker builds it, the others take its
    tests from the end.
    """
    items.sort(key=lambda item: "small_build" not in getattr(item, "fixturenames", ()))
    for item in items:
        if not set(NOT_COVERED).isdisjoint(item.path.parents):
            item.add_marker("no_cover")
        # An example in a docstring runs as if it were pasted alone into a fresh
        # interpreter.
        if isinstance(item, pytest.DoctestItem):
            item.dtest.globs = {"__name__": "__main__"}
            file = Path(item.dtest.filename).as_posix()
            if any(part in file for part in NEEDS_SPARK):
                item.add_marker(pytest.mark.skip("tests/spark runs Spark's examples"))


def pytest_collection_finish():
    """What was imported stays: looking through it for garbage again and again takes a
    twelfth of the time.
    """
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)
    gc.enable()
