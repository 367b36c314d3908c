"""The map of the chapters: the chapters that each one needs, its reading time, and
three routes.
"""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

import yaml
from cache import CODE, OPTIONS

ROUTES = tomllib.loads(
    (Path(__file__).parent / "routes.toml").read_text(encoding="utf-8")
)["route"]
FOLDED = re.compile(
    r"^[`:]{3,}\{solution-start\}.*?\{solution-end\}|^([`:]{3,})\{dropdown\}.*?^\1$",
    re.M | re.S,
)
PROOF = re.compile(r"^(`{3,})\{prf:proof\}(.*?)^\1$", re.M | re.S)
HIDDEN = re.compile(r"hide-(input|cell)|remove-(input|cell)")


@dataclass(frozen=True)
class Stop:
    """A page of the map; it ``needs`` other pages, and has no ``minutes`` if it is a
    reference.
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
    """Minutes to read the unfolded text and visible code at 200 words per minute, and
    proofs at 80.
    """
    shown = FOLDED.sub("", re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S))
    shown = CODE.sub(
        lambda cell: "" if HIDDEN.search(cell[2]) else OPTIONS.sub("", cell[2]), shown
    )
    proofs = sum(len(proof[2].split()) for proof in PROOF.finditer(shown))
    return max(1, round((len(shown.split()) - proofs) / 200 + proofs / 80))


def stops(toc: str, source: Path, notebooks: Iterable[Any]) -> list[Stop]:
    """Every chapter in the order of the book, and the pages without code at which a
    route stops.
    """
    chapters, found = {n.page: n for n in notebooks}, []
    parts = {
        e["file"]: part["caption"]
        for part in yaml.safe_load(toc)["parts"]
        for e in part["chapters"]
    }
    for page, part in parts.items():
        if page in chapters or any(page in route["stops"] for route in ROUTES):
            chapter = chapters.get(page)
            text = (chapter.path if chapter else source / f"{page}.md").read_text(
                encoding="utf-8"
            )
            title = re.search(r"^# (.+)$", CODE.sub("", text), re.M)[1]
            minutes = (
                None if part == "Reference" else minutes_to_read(_whole(text, source))
            )
            found.append(
                Stop(page, title, part, chapter.needs if chapter else (), minutes)
            )
    return found


def _whole(text: str, source: Path) -> str:
    """The text of a page with the templates that it includes, of about the length that
    readers see.
    """
    generated = re.compile(r"^```\{include\} \S*_generated/(\S+)\n```$", re.M)
    return generated.sub(
        lambda found: (source / "_fragments" / found[1]).read_text(encoding="utf-8"),
        text,
    )


def hours(stops: Iterable[Stop]) -> str:
    """The reading time of some pages together, in words.

    >>> from reading import Stop, hours
    >>> hours([Stop("a", "A", "", (), 50), Stop("b", "B", "", (), 25)])
    '1 h 15 min'
    """
    whole, rest = divmod(sum(stop.minutes or 0 for stop in stops), 60)
    return (
        " ".join(f"{n} {unit}" for n, unit in ((whole, "h"), (rest, "min")) if n)
        or "to look up"
    )


def by_part(stops: Iterable[Stop]) -> dict[str, list[Stop]]:
    """The pages of the main line and of the routes, by part."""
    shown = [
        s
        for s in stops
        if s.in_main_line or any(s.page in route["stops"] for route in ROUTES)
    ]
    return {part: list(mine) for part, mine in groupby(shown, key=attrgetter("part"))}
