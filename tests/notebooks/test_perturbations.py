"""Every verdict can change: when what a claim is about is broken, its check notices.

``perturbations/<chapter>.toml`` has a table for each claim of the chapter:

``patch``
    Code that breaks the object of the claim (a coefficient, a term, a tie rule, a label), executed after a
    run of the chapter with small parameters. ``patch_attribute(module, name, new)`` replaces something of the
    library, wherever it was imported, also in the notebook: keep the old one as a default argument of the new
    one, not under a name. Bind names anew; do not change objects in place.
``replace``
    Beside it, or in its place: what stands in the cells that run again, and what shall stand there.
``start``
    Text in the first cell that runs again, or a list of texts, one in each of the cells that do; without it
    only the cell that settles the claim does.
``given``
    Code for both runs, with the patch and without: for what small parameters leave out.
``becomes``
    The verdict with the patch; without it any other one than before. An exception is none.
"""

import tomllib
from pathlib import Path

import execute
import pytest

from chapter import ROOT, Chapter
from reproduction import claims

FOLDER = Path(__file__).parent / "perturbations"
CHAPTERS = {n.name: n for n in execute.discover(ROOT / "notebooks") if n.claims}


def perturbations(name):
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def test_no_chapter_is_forgotten():
    there = {path.stem for path in FOLDER.glob("*.toml")}
    assert there == set(CHAPTERS)


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.toml")))
def test_every_claim_of_the_chapter_has_a_perturbation(name):
    tables = perturbations(name)
    assert set(tables) == set(CHAPTERS[name].claims)
    for id, table in tables.items():
        assert set(table) <= {"patch", "replace", "start", "given", "becomes"}, id
        assert table.get("patch") or table.get("replace"), id
        assert table.get("becomes", "refuted") in claims.VERDICTS, id


def problem(chapter, id, *, patch="", replace=None, start="", given="", becomes=""):
    """What is wrong with a perturbation, in a sentence; "" if it changes the verdict."""
    verdict = chapter.records[id][1].verdict
    if given:
        verdict = chapter.settle_again(id, code=given, start=start).verdict
    if verdict == "not run":
        return f"{id} is not run with small parameters: say in `given` what would settle it"
    try:
        after = chapter.settle_again(id, code=f"{given}\n{patch}", start=start, replace=replace).verdict
    except Exception as error:
        return f"{id}: the perturbation ends in {type(error).__name__}: {error}"
    if after == verdict or (becomes and after != becomes):
        return f"{id} is {after} with the perturbation, {verdict} without; expected {becomes or 'a change'}"
    return ""


def is_readable(value):
    """Whether a value of a record is a number, a word, or a short list of such."""
    inside = value if isinstance(value, list) and len(value) <= 12 else [value]
    return not any(isinstance(one, list | dict) for one in inside)


@pytest.mark.book
@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.toml")))
def test_what_is_broken_is_noticed(name, tmp_path, monkeypatch):
    monkeypatch.setenv("TREEBOUNDS_RESULTS", str(tmp_path))
    chapter = Chapter(CHAPTERS[name].path)
    chapter.run(tmp_path)
    assert set(chapter.records) == set(CHAPTERS[name].claims)
    values = [(r.published, r.expected, r.measured) for _, r in chapter.records.values()]
    assert all(is_readable(value) for row in values for value in row)
    found = [problem(chapter, id, **table) for id, table in perturbations(name).items()]
    assert [text for text in found if text] == []
    for id, (_, record) in chapter.records.items():
        again = chapter.settle_again(id).verdict
        assert again == record.verdict, f"{id}: a perturbation left something behind"
