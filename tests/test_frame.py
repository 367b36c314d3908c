"""The pages around the chapters, and the files that describe the project to others."""

import importlib
import inspect
import json
import pkgutil
import re
import tomllib
from pathlib import Path

import pytest
import yaml

import treebounds

ROOT = Path(__file__).resolve().parents[1]
BOOK = ROOT / "book"


def modules():
    """Every module of the library whose name and whose packages' names are public."""
    result = [treebounds]
    for info in pkgutil.walk_packages(treebounds.__path__, "treebounds."):
        if not any(part.startswith("_") for part in info.name.split(".")):
            result.append(importlib.import_module(info.name))
    return result


def documented():
    """The objects that the reference shows."""
    text = "".join(
        path.read_text(encoding="utf-8") for path in sorted((BOOK / "api").glob("*.md"))
    )
    members_shown = []
    for name in re.findall(r"automodule:: (\S+)", text):
        module = importlib.import_module(name)
        # A module shows what it defines, a package what it hands on.
        own = [
            key
            for key, value in vars(module).items()
            if getattr(value, "__module__", "") == name
        ]
        if hasattr(module, "__path__"):
            own = list(vars(module))
        members = getattr(module, "__all__", own)
        members_shown += [
            getattr(module, member) for member in members if not member.startswith("_")
        ]
    for name in re.findall(r"auto(?:function|class):: (\S+)", text):
        module, _, member = name.rpartition(".")
        members_shown.append(getattr(importlib.import_module(module), member))
    return members_shown


def test_the_reference_shows_every_public_function_and_class():
    """What a package hands on, and the modules beside the packages; what is inside a
    package is a building block, and shown where it helps.
    """
    ids = {id(member) for member in documented()}
    missing = []
    for module in modules():
        is_beside_the_packages = module.__name__.count(".") == 1
        if not (hasattr(module, "__path__") or is_beside_the_packages):
            continue
        for name in getattr(module, "__all__", ()):
            member = getattr(module, name)
            is_shown = inspect.isfunction(member) or inspect.isclass(member)
            if is_shown and id(member) not in ids:
                missing.append(f"{module.__name__}.{name}")
    assert missing == [], "add them to their pages under book/api"


def texts(folder, pattern):
    """All files of a folder as one text."""
    paths = sorted((ROOT / folder).rglob(pattern))
    return "".join(path.read_text(encoding="utf-8") for path in paths)


def test_names_in_the_notation_are_defined():
    notation = (BOOK / "notation.md").read_text(encoding="utf-8")
    names = set()
    for line in re.findall(r"^\* - .*\n  - .*\n  - (.+)$", notation, re.M):
        addresses = re.findall(r"`\.?([\w.]+)", line)
        names |= {address.rpartition(".")[2] for address in addresses}
    assert len(names) > 30

    source = texts("lib", "*.py")
    defined = set(re.findall(r"(?:def |class |self\.)(\w+)", source))
    defined |= set(re.findall(r"(\w+):", source))
    # Estimators publish these attributes.
    defined |= set(re.findall(r'"(\w+_)"', source))
    defined |= set(re.findall(r"^def (\w+)", texts("notebooks", "*.md"), re.M))
    modules = {path.stem for path in (ROOT / "lib").rglob("*.py")}
    of_scikit_learn = {"ccp_alpha"}
    assert names - defined - modules - of_scikit_learn == set()


def test_errata_are_numbered_and_have_anchors():
    text = (BOOK / "errata.md").read_text(encoding="utf-8")
    entries = re.findall(
        r"^\(erratum-([a-z]\d+)\)=\n\*\*([A-Z]\d+)\*\*, .*\n: \*Printed", text, re.M
    )
    assert len(entries) == text.count(": *Why:*") > 20
    assert [anchor.upper() for anchor, _ in entries] == [
        number for _, number in entries
    ]
    free = re.search(r"numbers are free,.*?: (.*?)\. Each", text.replace("\n", " "))[1]
    numbers = [number for _, number in entries]
    for letter in "LYDPG":
        own_numbers = [n for n in numbers if n[0] == letter]
        last = int(own_numbers[-1][1:])
        expected = [f"{letter}{k}" for k in range(1, last + 1)]
        assert own_numbers == [n for n in expected if n not in free]


@pytest.mark.parametrize("page", ["index.md", "errata.md", "findings.md"])
def test_pages_of_the_frame_lead_to_pages_that_exist(page):
    text = (BOOK / page).read_text(encoding="utf-8")
    # The build writes a page for each document.
    claims = (BOOK / "claims.toml").read_text(encoding="utf-8")
    pages = {f"documents/{source}" for source in tomllib.loads(claims)["sources"]}
    for part in ("notebooks", "book"):
        folder = ROOT / part
        for path in folder.rglob("*.md"):
            pages.add(path.relative_to(folder).with_suffix("").as_posix())
    targets = re.findall(r"\{doc\}`(?:[^`<]*<)?/?([\w/-]+)>?`", text)
    assert [target for target in targets if target not in pages] == []

    chapters = texts("notebooks", "*.md")
    for label in re.findall(r"\{prf:ref\}`([\w-]+)`", text):
        assert f":label: {label}\n" in chapters, label
    all_pages = chapters + texts("book", "*.md")
    for label in re.findall(r"\{ref\}`[^`<]*<([\w-]+)>`", text):
        assert f"({label})=" in all_pages, label


def test_the_project_describes_itself_in_the_same_words_everywhere():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    deposit = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    assert citation["preferred-citation"]["title"] == deposit["title"]
    assert citation["keywords"] == deposit["keywords"]
    assert [author["name"] for author in citation["authors"]] == [
        creator["name"] for creator in deposit["creators"]
    ]
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()
    assert {
        "title",
        "upload_type",
        "description",
        "creators",
        "license",
    } <= deposit.keys()


@pytest.mark.parametrize("section", ["prune", "complex", "table"])
def test_the_first_cell_of_a_section_of_the_guide_stands_alone(section):
    text = (ROOT / "notebooks" / "guide" / "using-the-library.md").read_text(
        encoding="utf-8"
    )
    _, _, after = text.partition(f"(sec-using-the-library-{section})=")
    cell = re.search(
        r"^```\{code-cell\} ipython3\n(?::[^\n]*\n)?(.*?)^```$", after, re.M | re.S
    )
    exec(compile(cell[1], section, "exec"), {})
