"""The map of the chapters: what each needs, how long it takes, and three routes through them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import yaml

ROUTES = tomllib.loads((Path(__file__).parent / "routes.toml").read_text(encoding="utf-8"))["route"]
CODE = re.compile(r"^(`{3,})\{code-cell\}[^\n]*\n(.*?)^\1$", re.M | re.S)
FOLDED = re.compile(
    r"^[`:]{3,}\{solution-start\}.*?\{solution-end\}|^(`{3,}|:{3,})\{dropdown\}.*?^\1$", re.M | re.S
)
PROOF = re.compile(r"^(`{3,})\{prf:proof\}(.*?)^\1$", re.M | re.S)
HIDDEN = re.compile(r"hide-(input|cell)|remove-(input|cell)")
ROW, WIDTH = 44, 84  # pixels: height of a line of the map, width of its arcs


@dataclass(frozen=True)
class Stop:
    """A page of the map; what it needs are pages, and its minutes are None if one looks things up in it."""

    page: str
    title: str
    part: str
    needs: tuple[str, ...]
    minutes: int | None

    @property
    def in_main_line(self) -> bool:
        return not self.part.startswith(("Appendix", "Reference"))

    @property
    def routes(self) -> list[Mapping[str, Any]]:
        return [route for route in ROUTES if self.page in route["stops"]]


def minutes_to_read(text: str) -> int:
    """Minutes to read a notebook, without what is folded.

    200 words (100 in a proof), 25 lines of visible code, five figures or interactive pictures, or five
    displayed formulas a minute.
    """
    shown = FOLDED.sub("", re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S))
    cells = [cell[1] for cell in CODE.findall(shown)]
    code = "".join(
        re.sub(r"\A(---\n.*?\n---\n|(:[^\n]*\n)+)", "", c, flags=re.S) for c in cells if not HIDDEN.search(c)
    )
    prose = CODE.sub("", shown)
    pictures = sum("figure:" in cell for cell in cells) + len(re.findall(r"\{(figure|raw|include)\}", prose))
    formulas = len(re.findall(r"^\$\$|\{math\}", prose, re.M)) - prose.count("\n$$\n") / 2
    words = len(prose.split()) + sum(len(proof[1].split()) for proof in PROOF.findall(prose))
    return max(1, round(words / 200 + code.count("\n") / 25 + (pictures + formulas) / 5))


def stops(toc: str, source: Path, texts: Iterable[tuple[Any, str]]) -> list[Stop]:
    """Every chapter in the order of the book, and the pages without code at which a route stops."""
    chapters = {n.page.with_suffix("").as_posix(): (n, text) for n, text in texts}
    found = []
    for part in yaml.safe_load(toc)["parts"]:
        for page in (entry["file"] for entry in part["chapters"]):
            if page in chapters:
                notebook, text = chapters[page]
                found.append(Stop(page, _title(text), part["caption"], notebook.needs, minutes_to_read(text)))
            elif any(page in route["stops"] for route in ROUTES):
                text = (source / f"{page}.md").read_text(encoding="utf-8")
                found.append(Stop(page, _title(text), part["caption"], (), None))
    return found


def _title(text: str) -> str:
    return re.search(r"^# (.+)$", CODE.sub("", text), re.M)[1]


def hours(stops: Iterable[Stop]) -> str:
    """The time that some pages take together, in words.

    >>> hours([Stop("a", "A", "", (), 50), Stop("b", "B", "", (), 25)])
    '1 h 15 min'
    """
    whole, rest = divmod(sum(stop.minutes or 0 for stop in stops), 60)
    return " ".join(text for text in (f"{whole} h" if whole else "", f"{rest} min" if rest else "") if text)


def route_map(stops: Sequence[Stop]) -> str:
    """A drawing of the main line: a line for each page, arcs from what it needs, a track for each route."""
    lines = [stop for stop in stops if stop.in_main_line or stop.routes]
    rows = ""
    places: dict[str, int] = {}
    for stop in lines:
        if f"part {stop.part}" not in places:
            places[f"part {stop.part}"] = len(places)
            rows += f'<li class="part">{_tracks([])}<b>{escape(stop.part)}</b></li>\n'
        places[stop.page] = len(places)
        rows += _row(stop)
    arcs = "".join(
        _arc(places[need], places[stop.page]) for stop in lines for need in stop.needs if need in places
    )
    box = f'viewBox="0 0 {WIDTH} {ROW * len(places)}" preserveAspectRatio="none" aria-hidden="true"'
    drawing = f'<div class="route-map"><svg {box}>{arcs}</svg><ol>\n{rows}</ol></div>'
    return f'<div class="routes">\n{_choice(stops)}\n{drawing}</div>\n'


def _choice(stops: Sequence[Stop]) -> str:
    buttons = '<label><input type="radio" name="route" value="all" checked> all</label>'
    for route in ROUTES:
        time = hours(stop for stop in stops if route in stop.routes) or "to look up"
        buttons += (
            f'<label class="{route["id"]}"><input type="radio" name="route" value="{route["id"]}"> '
            f"<i></i>{route['name']}, {time}</label>"
        )
    return f"<fieldset><legend>Route</legend>{buttons}</fieldset>"


def _row(stop: Stop) -> str:
    mine = [route["id"] for route in stop.routes]
    time = f"{stop.minutes} min" if stop.minutes else "to look up"
    return (
        f'<li class="{" ".join(mine)}">{_tracks(mine)}<a href="{stop.page}.html">{escape(stop.title)}</a>'
        f" <span>{time}</span></li>\n"
    )


def _tracks(stopping: Sequence[str]) -> str:
    """A piece of each route's track, with a stop on those named."""
    names = (route["id"] for route in ROUTES)
    return "".join(f'<i class="{name}{" stop" if name in stopping else ""}"></i>' for name in names)


def _arc(start: int, end: int) -> str:
    """From a page to one that needs it; the longer the way, the wider the arc."""
    reach = WIDTH - 6 - min(WIDTH - 10, 8 + 5 * abs(end - start))
    y = [(place + 0.5) * ROW for place in (start, end)]
    return f'<path d="M{WIDTH} {y[0]}C{reach} {y[0]} {reach} {y[1]} {WIDTH} {y[1]}"/>'


def routes_in_words(stops: Sequence[Stop]) -> str:
    """Each route as an item of a MyST list: for whom, how long, its pages."""
    lines = []
    for route in ROUTES:
        mine = [stop for stop in stops if route in stop.routes]
        time = f", {hours(mine)}" if hours(mine) else ""
        pages = ", ".join(f"{{doc}}`/{stop.page}`" for stop in mine)
        lines.append(f"- **{route['name']}**{time}: {route['purpose']}. {pages}.")
    return "\n".join(lines) + "\n"


def chapters(stops: Sequence[Stop]) -> str:
    """Every chapter with what it needs and its minutes, as a MyST table; then the time of the main line."""
    lines = ["```{list-table}", ":header-rows: 1", ":name: tab-chapters"]
    lines += _cells(("Part", "Chapter", "Read before", "Minutes"))
    for stop in stops:
        if stop.minutes:
            needs = ", ".join(f"{{doc}}`/{page}`" for page in stop.needs) or "nothing"
            lines += _cells((stop.part, f"{{doc}}`/{stop.page}`", needs, str(stop.minutes)))
    main = [stop for stop in stops if stop.in_main_line]
    return "\n".join(
        [*lines, "```", "", f"The main line has {len(main)} chapters and takes {hours(main)}.", ""]
    )


def _cells(texts: Iterable[str]) -> list[str]:
    return [f"{'* -' if i == 0 else '  -'} {text}" for i, text in enumerate(texts)]
