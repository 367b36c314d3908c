"""A chapter reads no file that is not among the inputs of its entry in the cache."""

from pathlib import Path

import cache
import execute
import pytest

import opened
from chapters import NOTEBOOKS

ROOT = Path(__file__).resolve().parents[2]


def is_input(name, inputs):
    """Whether a change of a file executes the chapter again, or may do so."""
    if name.startswith("lib/treebounds/"):
        return "lib/treebounds" in inputs
    if name == cache.CLAIMS:
        return any(key.startswith(f"{name}: ") for key in inputs)
    return name in inputs


@pytest.mark.book
def test_every_file_of_the_project_that_a_chapter_opens_is_an_input(small_build):
    unknown = {}
    for notebook in NOTEBOOKS:
        entry = cache.read(notebook.entry(small_build / "_build"))
        record = opened.record(small_build / "perturbed", notebook.name)
        names = record.read_text(encoding="utf-8").splitlines()
        assert names, notebook.name
        missed = [name for name in names if not is_input(name, entry.inputs)]
        if missed:
            unknown[notebook.name] = missed
    assert unknown == {}


@pytest.mark.book
def test_a_table_is_made_by_its_chapter_or_by_one_that_the_header_names(small_build):
    made = {
        notebook.page: cache.read(notebook.entry(small_build / "_build")).files
        for notebook in NOTEBOOKS
    }
    for notebook in NOTEBOOKS:
        text = notebook.path.read_text(encoding="utf-8")
        shown = set(execute.SHOWN_TABLE.findall(text))
        makers = execute.makers(notebook, NOTEBOOKS)
        assert shown - made[notebook.page].keys() == makers.keys(), notebook.name
        assert set(notebook.tables_from) == set(makers.values()), notebook.name
        for table, maker in makers.items():
            assert table in made[maker], table


def test_a_file_that_is_read_has_its_name_and_bytecode_that_of_its_source():
    source = ROOT / "lib" / "reproduction" / "claims.py"
    bytecode = ROOT / "lib/reproduction/__pycache__/claims.cpython-311.pyc"
    assert opened.name_in_project(str(source)) == "lib/reproduction/claims.py"
    assert opened.name_in_project(bytecode) == "lib/reproduction/claims.py"


@pytest.mark.parametrize(
    "path",
    [
        3,
        "/etc/hosts",
        ROOT / "_build" / "claims.json",
        ROOT / ".venv" / "lib" / "x.py",
        ROOT / "lib" / "treebounds" / "__pycache__" / "f.nbi",
        ROOT / "lib" / "treebounds",
        "a-name-below-another-folder",
    ],
)
def test_other_files_have_no_name(path):
    assert opened.name_in_project(path) is None
