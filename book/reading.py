"""The map of the chapters: what each one needs, its reading time, and three routes."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

import yaml
from cache import CODE, OPTIONS

BOOK = Path(__file__).resolve().parent
ROUTES = tomllib.loads((BOOK / "routes.toml").read_text(encoding="utf-8"))["route"]
FOLDED = re.compile(
    r"^[`:]{3,}\{solution-start\}.*?\{solution-end\}"
    r"|^([`:]{3,})\{dropdown\}.*?^\1$",
    re.M | re.S,
)
HEADER = re.compile(r"\A---\n.*?\n---\n", re.S)
PROOF = re.compile(r"^(`{3,})\{prf:proof\}(.*?)^\1$", re.M | re.S)
HIDDEN = re.compile(r"hide-(input|cell)|remove-(input|cell)")
GENERATED = re.compile(r"^```\{include\} \S*_generated/(\S+)\n```$", re.M)
WORDS_PER_MINUTE = 200
WORDS_OF_PROOFS_PER_MINUTE = 80


@dataclass(frozen=True)
class Stop:
    """A page of the map.

    It ``needs`` other pages, and has no ``minutes`` if it is a reference.
    """

    page: str
    title: str
    part: str
    needs: tuple[str, ...]
    minutes: int | None

    @property
    def in_main_line(self) -> bool:
        """Whether the page is part of the book's main line."""
        return not self.part.startswith(("Appendix", "Reference"))


def minutes_to_read(text: str) -> int:
    """Minutes to read what is unfolded: text, visible code, and proofs more slowly."""
    unfolded = FOLDED.sub("", HEADER.sub("", text))
    unfolded = CODE.sub(_visible_code, unfolded)

    n_words = len(unfolded.split())
    n_in_proofs = sum(len(proof[2].split()) for proof in PROOF.finditer(unfolded))
    in_text = (n_words - n_in_proofs) / WORDS_PER_MINUTE
    in_proofs = n_in_proofs / WORDS_OF_PROOFS_PER_MINUTE
    return max(1, round(in_text + in_proofs))


def _visible_code(cell: re.Match[str]) -> str:
    """The code of a cell without its options; "" if the cell is folded."""
    if HIDDEN.search(cell[2]):
        return ""
    return OPTIONS.sub("", cell[2])


def stops(toc: str, source: Path, notebooks: Iterable[Any]) -> list[Stop]:
    """Every chapter in the order of the book, and the other pages of the routes."""
    chapters = {notebook.page: notebook for notebook in notebooks}
    result = []
    for part in yaml.safe_load(toc)["parts"]:
        for page in _pages_of(part["chapters"]):
            if page in chapters:
                chapter = chapters[page]
                text = _with_fragments(chapter.path, source)
                result.append(_stop(page, text, part["caption"], chapter.needs))
            elif _on_a_route(page):
                text = _with_fragments(source / f"{page}.md", source)
                result.append(_stop(page, text, part["caption"], ()))
    return result


def _pages_of(entries: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The pages of some entries of the contents, each before those below it."""
    for entry in entries:
        yield entry["file"]
        yield from _pages_of(entry.get("sections", ()))


def _stop(page: str, text: str, part: str, needs: tuple[str, ...]) -> Stop:
    """A stop, as its text describes it."""
    title = re.search(r"^# (.+)$", CODE.sub("", text), re.M)[1]
    minutes = None
    if part != "Reference":
        minutes = minutes_to_read(text)
    return Stop(page, title, part, needs, minutes)


def _on_a_route(page: str) -> bool:
    """Whether a route stops at a page."""
    return any(page in route["stops"] for route in ROUTES)


def _with_fragments(page: Path, source: Path) -> str:
    """The text of a page with the templates that it includes.

    It has about the length that readers see.
    """
    return GENERATED.sub(
        lambda match: (source / "_fragments" / match[1]).read_text(encoding="utf-8"),
        page.read_text(encoding="utf-8"),
    )


def hours(stops: Iterable[Stop]) -> str:
    """The reading time of some pages together, in words.

    >>> from reading import Stop, hours
    >>> hours([Stop("a", "A", "", (), 50), Stop("b", "B", "", (), 25)])
    '1 h 15 min'
    """
    n_hours, n_minutes = divmod(sum(stop.minutes or 0 for stop in stops), 60)
    words = []
    if n_hours:
        words.append(f"{n_hours} h")
    if n_minutes:
        words.append(f"{n_minutes} min")
    return " ".join(words) or "to look up"


def by_part(stops: Iterable[Stop]) -> dict[str, list[Stop]]:
    """The pages of the main line and of the routes, by part."""
    selection = [stop for stop in stops if stop.in_main_line or _on_a_route(stop.page)]
    return {
        part: list(pages) for part, pages in groupby(selection, key=attrgetter("part"))
    }
