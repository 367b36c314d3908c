"""No chapter draws anything without a seed."""

import pytest
from sklearn.tree import DecisionTreeClassifier

import unseeded
from chapters import NOTEBOOKS

NAMES = [notebook.name for notebook in NOTEBOOKS]


@pytest.mark.book
@pytest.mark.parametrize("perturbed", NAMES)
def test_no_cell_draws_without_a_seed(small_build, perturbed):
    record = unseeded.record(small_build / "perturbed", perturbed)
    assert record.read_text(encoding="utf-8") == ""


class Shell:
    """As much of a kernel's shell as `watch` uses."""

    def __init__(self):
        self.events = self
        self.callbacks = {}

    def register(self, event, callback):
        self.callbacks[event] = callback


class Result:
    """The result of a cell."""

    def __init__(self, cell):
        self.info = self
        self.raw_cell = cell


@pytest.mark.parametrize(("seed", "noted"), [(None, True), (0, False)])
def test_a_learner_without_a_seed_is_noted(monkeypatch, tmp_path, seed, noted):
    monkeypatch.setenv("TREEBOUNDS_PERTURBED", str(tmp_path))
    monkeypatch.setenv("TREEBOUNDS_RESULTS", str(tmp_path / "chapter" / "results"))
    shell = Shell()
    unseeded.watch(shell)

    shell.callbacks["pre_run_cell"](None)
    DecisionTreeClassifier(random_state=seed).fit([[0], [1]], [0, 1])
    shell.callbacks["post_run_cell"](Result("the cell"))

    text = unseeded.record(tmp_path, "chapter").read_text(encoding="utf-8")
    assert ("the cell" in text) == noted
