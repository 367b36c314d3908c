"""The machinery that turns a notebook into a page."""

import re
import tempfile

import cache
import execute
import jupytext
import pages
import pytest
from papermill.iorw import load_notebook_node
from papermill.parameterize import parameterize_notebook

from chapters import NOTEBOOKS
from reproduction import claims
from small_notebook import HEADER, SETTLE

SAVE = """```{{code-cell}} ipython3
import pandas as pd
from reproduction.experiments import save_table
for name in {names}:
    save_table(pd.DataFrame({{"m": [m_max]}}), "peng2019", name)
```

"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with one notebook; returns its path, its entry, and a function that
    executes what changed.
    """
    monkeypatch.setattr(cache, "ROOT", tmp_path)
    source = tmp_path / "notebooks" / "part" / "one.md"
    source.parent.mkdir(parents=True)
    source.write_text(HEADER + SETTLE)
    (tmp_path / "book").mkdir()
    for name in cache.MACHINERY:
        (tmp_path / name).touch()
    (tmp_path / "book" / "claims.toml").write_text("claim = []\n")
    build = tmp_path / "_build"

    def run(small=True):
        notebooks = execute.discover(tmp_path / "notebooks")
        return execute.run_all(notebooks, build, small=small, jobs=1)

    return source, build / "cache" / "one.zip", run


def measured(entry):
    page = entry.parent / "page.ipynb"
    page.write_bytes(cache.read(entry).files["executed/part/one.ipynb"])
    return claims.collect({"one": page})[0]["measured"]


@pytest.mark.book
def test_a_notebook_is_executed_once_for_each_change(project, capsys):
    _, entry, run = project
    assert run() == []
    assert "not executed before" in capsys.readouterr().out
    assert measured(entry) == 2
    first = cache.read(entry).files
    assert run() == []
    assert "0 notebook(s) to execute" in capsys.readouterr().out
    assert run(small=False) == []
    assert "changed: its parameters" in capsys.readouterr().out
    assert measured(entry) == 5
    entry.write_bytes(entry.read_bytes()[:-9])
    assert run() == []
    assert "its entry in the cache is damaged" in capsys.readouterr().out
    assert cache.read(entry).files == first, (
        "the same source and parameters give the same bytes"
    )


@pytest.mark.book
def test_the_tables_of_a_notebook_are_part_of_its_entry(project):
    source, entry, run = project
    for names in ("a", "b"), ("a",):
        source.write_text(HEADER + SAVE.format(names=names) + SETTLE)
        assert run() == []
        files = cache.read(entry).files
        assert files["results/peng2019/a.csv"] == b"m\n2\n"
        assert sorted(files) == [
            "executed/part/one.ipynb",
            *(f"results/peng2019/{n}.csv" for n in names),
        ]
    assert sorted(p.name for p in entry.parents[1].iterdir()) == ["cache", "work"]
    assert list((entry.parents[1] / "work").iterdir()) == []


@pytest.mark.book
def test_a_failure_shows_the_cell_and_keeps_the_last_good_page(project, capsys):
    source, entry, run = project
    cache.write(entry, cache.Entry(inputs={"its source": "before"}))
    good = entry.read_bytes()
    fault = (
        "\n## Weather\n\n```{code-cell} ipython3\n# in this\nraise RuntimeError('the"
        " sky fell')\n```\n"
    )
    source.write_text(HEADER + SETTLE + fault)
    line = (
        source.read_text().splitlines().index("raise RuntimeError('the sky fell')") + 1
    )
    assert run() == ["one"]
    shown = capsys.readouterr()
    assert "FAILED" in shown.out
    assert f'"Weather", {source}, line {line}: RuntimeError: the sky fell' in shown.err
    assert entry.read_bytes() == good
    assert list(entry.parent.iterdir()) == [entry]


@pytest.mark.book
def test_of_two_cells_with_the_same_text_the_one_that_failed_is_named(project, capsys):
    source, _, run = project
    cell = (
        "## Part {}\n\n"
        "```{{code-cell}} ipython3\nn_calls = n_calls - 1\n1 / n_calls\n```\n\n"
    )
    count = "```{code-cell} ipython3\nn_calls = 3\n```\n\n"
    source.write_text(HEADER + count + "".join(map(cell.format, (1, 2, 3))))

    assert run() == ["one"]

    line = 1 + max(
        number
        for number, text in enumerate(source.read_text().splitlines())
        if text == "1 / n_calls"
    )
    assert f'"Part 3", {source}, line {line}: Zero' in capsys.readouterr().err


@pytest.mark.book
def test_a_folder_for_temporary_files_may_have_a_long_name(
    project, tmp_path, monkeypatch
):
    _, _, run = project
    folder = tmp_path / ("a" * 120)
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)

    assert run() == []


@pytest.mark.book
def test_a_chapter_settles_exactly_the_claims_of_its_header(project, capsys):
    source, _, run = project
    source.write_text(
        (HEADER + SETTLE + SETTLE).replace("claims: [L-def]", "claims: [L-eq2]")
    )
    assert run() == ["one"]
    wrong = (
        "not settled: L-eq2; settled twice: L-def; settled but not in the header: L-def"
    )
    assert wrong in capsys.readouterr().err


def test_names_and_claims_are_unique_over_the_parts(tmp_path):
    for part in ("a", "b"):
        (tmp_path / part).mkdir()
        (tmp_path / part / "one.md").write_text(HEADER)
    with pytest.raises(ValueError, match="same name: one"):
        execute.discover(tmp_path)
    (tmp_path / "b" / "one.md").rename(tmp_path / "b" / "two.md")
    with pytest.raises(ValueError, match="same claim: L-def"):
        execute.discover(tmp_path)


def test_unknown_names_and_headers_are_refused(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.md").write_text(HEADER)
    with pytest.raises(SystemExit, match="no notebook named two; there are a/one"):
        execute.choose(execute.discover(tmp_path), "two")
    (tmp_path / "a" / "one.md").write_text(HEADER.replace("  small:", "  tiny:"))
    with pytest.raises(ValueError, match="tiny"):
        execute.discover(tmp_path)


@pytest.mark.parametrize(
    "name", ["one", "a/one", "one.md", "notebooks/a/one.md", "two, a/one", "one two"]
)
def test_a_chapter_is_called_by_its_name_its_page_or_its_path(tmp_path, name):
    for page in ("a/one", "b/two"):
        path = tmp_path / f"{page}.md"
        path.parent.mkdir()
        path.write_text(HEADER.replace("L-def", f"L-{path.stem}"))
    notebooks = execute.discover(tmp_path)

    pages = [notebook.page for notebook in execute.choose(notebooks, name)]

    assert pages == (["a/one", "b/two"] if "two" in name else ["a/one"])


def test_the_chapters_of_a_document_settle_its_claims():
    ledger = claims.load_claims()
    source = {claim.id: claim.source for claim in ledger}

    chapters = execute.of_source(NOTEBOOKS, "yildiz2012", ledger)

    for notebook in NOTEBOOKS:
        settles = "yildiz2012" in {source[claim] for claim in notebook.claims}
        assert settles == (notebook in chapters), notebook.name


def test_an_unknown_document_names_the_five():
    with pytest.raises(SystemExit, match="no document named yildiz; there are ") as one:
        execute.of_source([], "yildiz", claims.load_claims())
    assert str(one.value).count(", ") == 4


PARAMETERS = """m_max = 14  # examples
sizes = [10, 30,
         100]   # rows
n_jobs = -1
"""


@pytest.mark.parametrize(
    ("small", "seeds", "expected"),
    [
        (False, "0", "seed 0"),
        (True, "0, 1, 2, ...", "seeds 0, 1, 2, ..."),
        (False, "", "no random draws"),
    ],
)
def test_below_a_figure_stand_notebook_parameters_and_seeds(
    tmp_path, small, seeds, expected
):
    source = tmp_path / "part" / "one.md"
    source.parent.mkdir()
    source.write_text(HEADER.replace("m_max = 5\n", PARAMETERS))
    notebook = execute.Notebook(source, (), {"m_max": 2, "n_jobs": 1}, (), seeds)
    document = load_notebook_node(jupytext.read(source))
    if small:
        document = parameterize_notebook(
            document, notebook.small, kernel_name="python3", language="python"
        )
    line = execute._provenance(notebook, document.cells, 7)
    given = f"`m_max = {2 if small else 14}`, `sizes = [10, 30, 100]`; {expected}"
    place = f"[Notebook `part/one`, line 7]({execute.SOURCES}/part/one.md?plain=1#L7)"
    assert line == f"{execute.MARK} *({place}; {given}.)*</span>"


def test_a_chapter_that_was_not_executed_keeps_its_text_and_has_a_notice():
    for notebook in NOTEBOOKS:
        stub, source = (
            pages.without_results(notebook.path).decode(),
            notebook.path.read_text("utf-8"),
        )
        assert stub.index("was not executed") < 1000
        assert not re.search(r"code-cell|glue:", stub), notebook.name
        for label in re.findall(r"^(?::label:|    name:) ([\w-]+)$", source, re.M):
            assert label in stub, (notebook.name, label)


def test_small_parameters_are_parameters_and_claims_have_an_expected_verdict():
    expected = {claim.id: claim.expected for claim in claims.load_claims()}
    for notebook in NOTEBOOKS:
        cells = jupytext.read(notebook.path).cells
        given = "\n".join(
            c.source for c in cells if "parameters" in c.metadata.get("tags", [])
        )
        assert [
            name for name in notebook.small if f"\n{name} = " not in f"\n{given}"
        ] == [], notebook.name
        assert all(expected[id] for id in notebook.claims), notebook.name
