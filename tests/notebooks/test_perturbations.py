"""Every verdict can change: when what a claim is about is broken, its check notices.

``perturbations/<chapter>.toml`` has a table for each claim of the chapter:

``patch``
    Code that breaks the object of the claim (a coefficient, a term, a tie rule, a
    label), executed behind the last cell of the chapter with small parameters, in the
    same kernel. ``patch_attribute(module, name, new)`` replaces something of the
    library, wherever it was imported, also in the notebook: keep the old one as a
    default argument of the new one, not under a name. Bind names anew; do not change
    objects in place.
``replace``
    Beside it, or in its place: what stands in the cells that run again, and what shall
    stand there.
``start``
    Text in the first cell that runs again, or a list of texts, one in each of the cells
    that do; without it only the cell that settles the claim does.
``given``
    Code for both runs, with the patch and without: for what small parameters leave out.
``flags``
    Such code that only the cell that settles the claim reads: without the patch no
    other cell runs again.
``becomes``
    The verdict with the patch; without it any other one than before. An exception does
    not count as a verdict.
"""

import json
import tomllib
from pathlib import Path

import cache
import execute
import pytest

from reproduction import claims

FOLDER = Path(__file__).parent / "perturbations"
NOTEBOOKS = FOLDER.parents[2] / "notebooks"
CHAPTERS = {n.name: n for n in execute.discover(NOTEBOOKS) if n.claims}


def perturbations(name):
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def test_no_chapter_is_forgotten():
    assert {path.stem for path in FOLDER.glob("*.toml")} == set(CHAPTERS)


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.toml")))
def test_every_claim_of_the_chapter_has_a_perturbation(name):
    tables = perturbations(name)
    assert set(tables) == set(CHAPTERS[name].claims)
    for id, table in tables.items():
        assert set(table) <= {"patch", "replace", "start", "given", "flags", "becomes"}, id
        assert table.get("patch") or table.get("replace"), id
        assert table.get("becomes", "refuted") in claims.VERDICTS, id


@pytest.mark.book
@pytest.mark.parametrize("perturbed", sorted(path.stem for path in FOLDER.glob("*.toml")))
def test_what_is_broken_is_noticed(perturbed, small_build):
    found = small_build / "perturbed" / f"{perturbed}-found.json"
    problems = json.loads(found.read_text(encoding="utf-8"))["problems"]
    data = cache.read(CHAPTERS[perturbed].entry(small_build / "_build")).data
    if problems and cache.ABSENT in data.values():
        pytest.skip(f"NOT RUN: a data set is missing; {problems[0]}")
    assert problems == []


@pytest.mark.book
def test_values_of_records_are_readable(book):
    for record in json.loads((book.parent / "claims.json").read_text(encoding="utf-8")):
        for value in (record["published"], record["measured"]):
            inside = value if isinstance(value, list) and len(value) <= 12 else [value]
            assert not any(isinstance(one, list | dict) for one in inside), record["id"]
