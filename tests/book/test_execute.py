"""The machinery that turns a notebook into a page."""

from pathlib import Path

import execute
import pages
import pytest

from reproduction import claims
from small_notebook import HEADER, SETTLE

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with one notebook; returns its path, and a function that executes what changed."""
    monkeypatch.setattr(execute, "ROOT", ROOT)
    monkeypatch.setattr(execute, "_common_key", lambda: "library")
    source = tmp_path / "notebooks" / "part" / "one.md"
    source.parent.mkdir(parents=True)
    source.write_text(HEADER + SETTLE)
    monkeypatch.setattr(execute, "_add", lambda state, path, root: state.update(path.read_bytes()))
    build = tmp_path / "_build"

    def run(small=True):
        notebooks = execute.discover(tmp_path / "notebooks")
        return execute.run_all(notebooks, build, small=small, jobs=1, force=False, timeout=60)

    return source, build / "executed" / "part" / "one.ipynb", run


def measured(path):
    return claims.collect({"one": path})[0]["measured"]


@pytest.mark.book
def test_a_notebook_is_executed_once_for_each_change(project, capsys):
    _, executed, run = project
    assert run() == []
    assert measured(executed) == 2
    first = executed.read_bytes()
    assert run() == []
    assert "0 notebook(s) to execute" in capsys.readouterr().out
    assert run(small=False) == []
    assert measured(executed) == 5
    assert run() == []
    assert executed.read_bytes() == first, "the same source and parameters give the same bytes"


@pytest.mark.book
def test_a_failure_shows_the_cell_and_keeps_the_last_good_page(project, capsys):
    source, executed, run = project
    assert run() == []
    good = executed.read_bytes()
    source.write_text(
        HEADER + SETTLE + "\n```{code-cell} ipython3\nraise RuntimeError('the sky fell')\n```\n"
    )
    assert run() == ["one"]
    shown = capsys.readouterr()
    assert "FAILED" in shown.out
    assert "the sky fell" in shown.err
    assert executed.read_bytes() == good
    assert list(executed.parent.iterdir()) == [executed]


@pytest.mark.book
def test_a_chapter_settles_exactly_the_claims_of_its_header(project, capsys):
    source, _, run = project
    source.write_text((HEADER + SETTLE).replace("claims: [L-def]", "claims: [L-def, L-eq2]"))
    assert run() == ["one"]
    assert "not settled: L-eq2" in capsys.readouterr().err
    source.write_text((HEADER + SETTLE).replace("claims: [L-def]", "claims: []"))
    assert run() == ["one"]
    assert "settled but not in the header: L-def" in capsys.readouterr().err


def test_names_are_unique_over_the_parts(tmp_path):
    for part in ("a", "b"):
        (tmp_path / part).mkdir()
        (tmp_path / part / "one.md").write_text(HEADER)
    with pytest.raises(ValueError, match="same name: one"):
        execute.discover(tmp_path)


def test_unknown_names_and_headers_are_refused(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.md").write_text(HEADER)
    with pytest.raises(SystemExit, match="no notebook named two; there are one"):
        execute.choose(execute.discover(tmp_path), "two")
    (tmp_path / "a" / "one.md").write_text(HEADER.replace("  small:", "  tiny:"))
    with pytest.raises(ValueError, match="tiny"):
        execute.discover(tmp_path)


def test_the_key_depends_on_source_parameters_and_library():
    notebook = execute.Notebook(Path(execute.__file__), (), {"m": 1})
    keys = {
        execute._key(notebook, small=False, base="a"),
        execute._key(notebook, small=True, base="a"),
        execute._key(notebook, small=False, base="b"),
        execute._key(execute.Notebook(Path(pages.__file__), (), {}), small=False, base="a"),
    }
    assert len(keys) == 4


PARAMETERS = """m_max = 14  # examples
sizes = [10, 30, 100, 300, 1000, 3000, 10_000]
n_jobs = -1
"""


@pytest.mark.parametrize(
    ("small", "seeds", "expected"),
    [
        (False, "0", "`m_max = 14`, `sizes = [10, 30, ..., 10000]`; seed 0"),
        (True, "0, 1, 2, ...", "`m_max = 2`, `sizes = [10, 30, ..., 10000]`; seeds 0, 1, 2, ..."),
        (False, "", "`m_max = 14`, `sizes = [10, 30, ..., 10000]`; no random draws"),
    ],
)
def test_below_a_figure_stand_notebook_parameters_and_seeds(small, seeds, expected):
    import nbformat

    cell = nbformat.v4.new_code_cell(PARAMETERS, metadata={"tags": ["parameters"]})
    notebook = execute.Notebook(Path("notebooks/part/one.md"), (), {"m_max": 2, "n_jobs": 1}, (), seeds)
    line = execute._provenance(notebook, small, [nbformat.v4.new_markdown_cell("# Title"), cell])
    assert line == f"*(Notebook `part/one`; {expected}.)*"


def test_random_names_are_taken_out():
    shown = "<pandas.io.formats.style.Styler at 0x7f3a5c2b8e10> <b object at 0xff> T_0a1b2 #T_0a1b2_row0"
    named = "<pandas.io.formats.style.Styler> <b object> T_cell-003 #T_cell-003_row0"
    assert execute._without_random_names(shown, "cell-003") == named


def test_the_toc_names_every_notebook_once():
    toc = (ROOT / "book" / "_toc.yml").read_text()
    for notebook in execute.discover(ROOT / "notebooks"):
        assert toc.count(f"file: {notebook.page.with_suffix('').as_posix()}\n") == 1


def test_small_parameters_are_parameters():
    import jupytext

    for notebook in execute.discover(ROOT / "notebooks"):
        cells = jupytext.read(notebook.path).cells
        given = "\n".join(c.source for c in cells if "parameters" in c.metadata.get("tags", []))
        for name in notebook.small:
            assert f"\n{name} = " in f"\n{given}", (notebook.name, name)


def test_claims_of_the_chapters_are_listed_with_an_expected_verdict():
    expected = {claim.id: claim.expected for claim in claims.load_claims()}
    for notebook in execute.discover(ROOT / "notebooks"):
        for id in notebook.claims:
            assert expected[id] is not None, (notebook.name, id)


def test_a_damaged_executed_notebook_counts_as_not_executed(tmp_path):
    (tmp_path / "one.ipynb").write_text("{")
    assert execute._stored_key(tmp_path / "one.ipynb") == ""
    assert execute._stored_key(tmp_path / "two.ipynb") == ""
