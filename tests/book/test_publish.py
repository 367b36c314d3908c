"""What the buttons for Binder and Colab open is on the published branch."""

import ast
import os
import re
import subprocess
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import nbformat
import publish
import pytest
import yaml
from bs4 import BeautifulSoup, SoupStrainer

ROOT = Path(publish.ROOT)
REPOSITORY = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["repository"]


@pytest.fixture
def branch(tmp_path):
    """The published branch of a build with one executed notebook."""
    if subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, check=False).returncode:
        pytest.skip("not a git checkout")
    executed = tmp_path / "build" / "executed" / "capacity" / "stumps.ipynb"
    executed.parent.mkdir(parents=True)
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 + 1")]), executed)
    publish.publish(tmp_path / "build", tmp_path / "branch")
    return tmp_path / "branch"


def test_the_branch_has_executed_notebooks_in_place_of_their_sources(branch):
    assert [p.relative_to(branch).as_posix() for p in branch.glob("notebooks/*/*")] == [
        "notebooks/capacity/stumps.ipynb"
    ]
    for needed in ("environment.yml", "pyproject.toml", "README.md", "lib/treebounds/__init__.py"):
        assert (branch / needed).read_bytes() == (ROOT / needed).read_bytes()
    assert (branch / "_config.yml").exists()
    assert (branch / "book" / "claims.toml").exists()


def test_binder_installs_the_library_after_its_environment(branch):
    post_build = branch / "postBuild"
    assert os.access(post_build, os.X_OK)
    subprocess.run(["bash", "-n", post_build], check=True)
    assert "pip install" in post_build.read_text()


def test_the_first_cell_sets_up_colab_and_does_nothing_elsewhere(branch):
    from IPython.core.inputtransformer2 import TransformerManager

    first, second = nbformat.read(branch / "notebooks/capacity/stumps.ipynb", as_version=4).cells
    assert f"--branch {REPOSITORY['branch']} {REPOSITORY['url']} " in first.source
    assert "/notebooks/capacity" in first.source
    assert second.source == "1 + 1"
    code = TransformerManager().transform_cell(first.source)
    statements = ast.parse(code).body
    assert [type(s) for s in statements] == [ast.Import, ast.If]


def test_a_folder_with_other_files_is_refused(branch):
    with pytest.raises(ValueError, match="is not empty"):
        publish.publish(branch.parent / "build", branch)


@pytest.mark.book
def test_buttons_open_what_is_published(book, tmp_path):
    target = tmp_path / "branch"
    publish.publish(book.parent, target)
    chapters = sorted((book.parent / "executed").rglob("*.ipynb"))
    assert chapters
    for chapter in chapters:
        page = chapter.relative_to(book.parent / "executed").with_suffix(".html")
        html = (book / page).read_text(encoding="utf-8")
        document = BeautifulSoup(html, "html.parser", parse_only=SoupStrainer("a"))
        links = [a["href"] for a in document.select("a.dropdown-item[href]")]
        (binder,) = [urlsplit(link) for link in links if "mybinder.org" in link]
        (colab,) = [urlsplit(link) for link in links if "colab" in link]
        project = urlsplit(REPOSITORY["url"]).path
        assert binder.path == f"/v2/gh{project}/{REPOSITORY['branch']}"
        (tree,) = parse_qs(binder.query)["urlpath"]
        assert (target / tree.removeprefix("lab/tree/")).is_file()
        found = re.fullmatch(rf"/github{project}/blob/{REPOSITORY['branch']}/(.+)", colab.path)
        assert (target / found[1]).is_file()
        source = document.select_one("a.btn-download-source-button")["href"]
        assert (book / page.parent / source).read_bytes() == chapter.read_bytes()
