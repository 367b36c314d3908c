"""Every verdict can change: when what a claim is about is broken, its check notices.

``perturbations/<chapter>.py`` has a ``Perturbation`` for each claim of the chapter, or a
list of them, one for each kind of evidence. Its functions take the names of the chapter
as attributes of their argument.

``patch``
    Breaks the object of the claim (a coefficient, a term, a tie rule, a label) behind
    the last cell of the chapter with small parameters, in the same kernel.
    ``chapter.patch_attribute(module, name, new)`` replaces something of the library,
    wherever it was imported, also in the notebook. Bind names anew; do not change
    objects in place.
``replace``
    Beside it, or in its place: what stands in the cells that run again, and what shall
    stand there.
``start``
    Text in the first cell that runs again, or a list of texts, one in each of the cells
    that do; without it only the cell that settles the claim does.
``given``
    A change for both runs, with the patch and without: for what small parameters leave
    out.
``flags``
    Such a change that only the cell that settles the claim reads: without the patch no
    other cell runs again.
``becomes``
    The verdict with the patch; without it any other one than before. An exception does
    not count as a verdict.
"""

import json
from pathlib import Path

import cache
import pytest

import chapters
from perturbing import load
from reproduction import claims

FOLDER = Path(__file__).parent / "perturbations"
CHAPTERS = {n.name: n for n in chapters.NOTEBOOKS if n.claims}
FILES = {path.stem.replace("_", "-"): path for path in sorted(FOLDER.glob("*.py"))}


def test_no_chapter_is_forgotten():
    assert set(FILES) == set(CHAPTERS)


@pytest.mark.parametrize("name", FILES)
def test_every_claim_of_the_chapter_has_a_perturbation(name):
    perturbations = load(FILES[name])
    assert set(perturbations) == set(CHAPTERS[name].claims)
    for id, several in perturbations.items():
        assert several, id
        for perturbation in several:
            assert perturbation.patch or perturbation.replace, id
            assert perturbation.becomes in ("", *claims.VERDICTS), id


@pytest.mark.book
@pytest.mark.parametrize("perturbed", FILES)
def test_what_is_broken_is_noticed(perturbed, small_build):
    found = small_build / "perturbed" / f"{perturbed}-found.json"
    problems = json.loads(found.read_text(encoding="utf-8"))["problems"]
    data = cache.read(CHAPTERS[perturbed].entry(small_build / "_build")).data
    if problems and cache.ABSENT in data.values():
        pytest.skip(f"NOT RUN: a data set is missing; {problems[0]}")
    assert problems == []


@pytest.mark.book
def test_values_of_records_are_readable(book):
    records = json.loads((book.parent / "claims.json").read_text(encoding="utf-8"))
    for record in records:
        for value in (record["published"], record["measured"]):
            is_short_list = isinstance(value, list) and len(value) <= 12
            entries = value if is_short_list else [value]
            nested = [entry for entry in entries if isinstance(entry, list | dict)]
            assert nested == [], record["id"]
