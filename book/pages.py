"""The pages that follow from a run: what the templates in ``_fragments`` are filled with."""

import io
import json
import os
import platform
import re
import runpy
import tomllib
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

import cache
import graph
import jupytext
import ledger
import nbformat
import reading

from reproduction.claims import published_values, templates

BOOK = Path(__file__).resolve().parent
FRAGMENTS = BOOK / "_fragments"
TABLE_FILE = re.compile(r"results/(?!.*shown[.]csv)")  # what a page shows is no table of data
GLUED = re.compile(r"\{glue:text\}`[^`]+`")
TABLE = re.compile(r"^(`{3,}\{csv-table\}[^\n]*\n)[^`]*?(:name: [\w-]+\n)[^`]*", re.M)
ABSENT_TABLE = r"\1\2:header-rows: 1\n\nResult\nnot computed in this build\n"
CHECKER = runpy.run_path(str(BOOK.with_name("proofs") / "check.py"))
STORED_BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks" / "stored.json"
# numbered theorems, lemmas, corollaries and definitions
THEOREM = r"^`{3,}\{prf:(?!proof)\w+\}([^\n]*)\n:label: ([\w-]+)"
FIGURE = r"^  figure:\n    caption: (.*?)\n    name: ([\w-]+)"
PACKAGES = "numpy scipy scikit-learn sympy numba networkx matplotlib pandas jupyter-book"


def render(name: str, /, **values: Any) -> str:
    """One fragment, filled."""
    fragments = templates(FRAGMENTS)
    fragments.filters |= {
        "finding": ledger.in_words,
        "first_sentence": lambda text: re.split(r"(?<=[.!?]) ", " ".join(text.strip('|> "\n').split()))[0],
        "hours": reading.hours,
        "plain": ledger.plain_text,
    }
    common = {"sources": ledger.SOURCES, "verdicts": ledger.VERDICTS, "routes": reading.ROUTES}
    common |= {"graph": graph, "statuses": graph.STATUSES}
    return fragments.get_template(name).render(**common, **values)


def write_all(
    build: Path,
    *,
    claims: Iterable[Any],
    records: Iterable[Mapping[str, Any]],
    entries: Mapping[str, cache.Entry],
    notebooks: list[Any],
    small: bool,
) -> dict[str, bytes]:
    """What follows from a run: the fragments, and the pages of chapters that were not executed; by name."""
    toc = (BOOK / "_toc.yml").read_text(encoding="utf-8")
    in_order = sorted(notebooks, key=lambda n: toc.find(n.page.with_suffix("").as_posix()))
    page = {n.name: n.page.with_suffix("").as_posix() for n in notebooks}
    texts = {page[n.name]: n.path.read_text(encoding="utf-8") for n in in_order}
    stops = reading.stops(toc, BOOK, in_order)
    written: dict[str, bytes] = {}
    here = [n for n in in_order if n.name in entries]
    executed = {n.name: Executed.read(build / "executed" / n.page, written) for n in here}
    checked = CHECKER["read"]()  # what the last `make proofs` accepted, if it is about the proofs as they are
    rows = ledger.ledger_rows(claims, records, {n.name: n.page for n in notebooks})
    settled_in = {claim: page[n.name] for n in notebooks for claim in n.claims}
    problems = tomllib.loads((BOOK / "open-problems.toml").read_text(encoding="utf-8"))["problem"]
    nodes = graph.everything(texts, rows, settled_in, problems, checked)
    if wrong := graph.faults(nodes):
        raise SystemExit(f"In the graph of what rests on what: {'; '.join(wrong)}")
    values = {
        "checked": checked,
        "as_markdown": CHECKER["render"](checked["theorems"]),
        "executed": executed,
        "page": page,
        "published": published_values("leboeuf2020"),
        "rows": rows,
        "proofs": machine_checked(checked),
        "stops": stops,
        "parts": reading.by_part(stops),
        "nodes": nodes,
        "used_by": graph.used_by(nodes),
        "graph_pages": {s.page: s.title for s in stops if any(n.page == s.page for n in nodes.values())},
        "map": graph.drawing(graph.chapters(nodes, stops)),
        "problems": problems,
        "theorems": listed(THEOREM, texts),
        "figures": listed(FIGURE, texts),
        "tables": tables({page[n.name]: entries[n.name] for n in here}),
        "benchmarks": benchmarks(build / "benchmarks.json"),
        "small": small,
        "timings": {name: entry.seconds for name, entry in entries.items()},
        "notebooks": in_order,
        "versions": {name: version(name) for name in PACKAGES.split()},
        "machine": f"{platform.system()} ({platform.machine()}, {os.cpu_count() or 1} cores), "
        f"Python {platform.python_version()}",
    }
    fragments = (path.name for path in FRAGMENTS.iterdir() if path.is_file())
    written |= {name: render(name, **values).encode() for name in fragments}
    written["proofs.json"] = json.dumps(checked).encode()
    written |= {f"graph/{page}.json": graph.links(nodes, page) for page in texts}
    written |= {path.name: path.read_bytes() for path in build.glob("claims.json")}
    written["results.zip"] = archive(build, small)
    stubs = {f"{page[n.name]}.md": without_results(n.path) for n in notebooks if n.name not in entries}
    return {f"_generated/{name}": content for name, content in written.items()} | stubs


def archive(build: Path, small: bool) -> bytes:
    """All result tables and the ledger of a build in one file, with a text that says what they are."""
    files = [path for path in sorted(build.glob("results/*/*.csv")) if "shown.csv" not in path.name]
    about = render("parts/about-results.txt", version=version("treebounds"), small=small)
    with zipfile.ZipFile(content := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as whole:
        # without the time of day: two builds are the same
        whole.writestr(zipfile.ZipInfo("README.txt"), about)
        for path in [*files, *build.glob("claims.json")]:
            whole.writestr(zipfile.ZipInfo(path.relative_to(build).as_posix()), path.read_bytes())
    return content.getvalue()


def without_results(path: Path) -> bytes:
    """A chapter that was not executed: its text with a notice, figures, tables and numbers left blank."""
    parts = []
    for cell in jupytext.read(path).cells:
        text = cell.source
        if cell.cell_type == "code":
            figure = cell.metadata.get("mystnb", {}).get("figure", {})
            text = render("parts/absent-figure.md", **figure) if "name" in figure else ""
        parts.append(TABLE.sub(ABSENT_TABLE, GLUED.sub("(not computed)", text)))
    title, rest = re.match(r"(.*?^# [^\n]+\n)(.*)", "\n\n".join(parts), re.M | re.S).groups()
    return f"{title}\n{render('parts/not-executed.md')}\n{rest}\n".encode()


def machine_checked(record: Mapping[str, Any]) -> dict[str, tuple[str, list[str]]]:
    """For each claim the badge and the theorems that the last run of the proof assistant accepted for it."""
    found: dict[str, tuple[str, list[str]]] = {}
    accepted = {theorem["name"]: theorem["claim_ids"] for theorem in record["theorems"]}
    short = [s for s in record["statements"] if s["unchecked"] or not set(s["theorems"]) <= accepted.keys()]
    in_part = {claim for statement in short for claim in statement["claims"]}
    for name, claims in accepted.items():
        for claim in claims:
            badge = "machine-checked in part" if claim in in_part else "machine-checked"
            found.setdefault(claim, (badge, []))[1].append(name)
    return found


@dataclass(frozen=True)
class Executed:
    """What an executed chapter hands on to other pages: values in its text, its figures, its example."""

    values: dict[str, str]
    figures: dict[str, tuple[str, str]]  # by name: SVG, and where it comes from
    example: dict[str, str]  # the code of the first cell that is tagged so, and what it says
    shown: dict[str, bytes]

    @classmethod
    def read(cls, page: Path, shown: dict[str, bytes]) -> Self:
        """From the notebook of a page; figures that another page shows are added to ``shown``."""
        values, figures, example = {}, {}, {}
        for cell in nbformat.read(page, as_version=4).cells:
            figure = cell.metadata.get("mystnb", {}).get("figure")
            if "example" in cell.metadata.get("tags", []) and not example:
                example = {"code": cell.source, "says": "".join(o.get("text", "") for o in cell.outputs)}
            for output in cell.get("outputs", []):
                data = output.get("data", {})
                if name := output.get("metadata", {}).get("scrapbook", {}).get("name"):
                    values[name] = data.get("application/papermill.record/text/plain", "")
                elif figure and "image/svg+xml" in data:
                    origin = re.search(r"\*\(Notebook .*\)\*$", figure["caption"], re.S)
                    figures[figure["name"]] = data["image/svg+xml"], origin[0] if origin else ""
        return cls(values, figures, example, shown)

    def value(self, name: str, form: str = "") -> str:
        """A number or a word as the chapter's text shows it."""
        return (
            format(float(self.values[name]), form).replace("-", "−") if form else self.values[name].strip("'")
        )

    def show(self, name: str) -> str:
        """The name of the file of a figure, which is written with the page."""
        self.shown[f"{name}.svg"] = self.figures[name][0].encode()
        return f"{name}.svg"


def listed(pattern: str, texts: Mapping[str, str]) -> list[tuple[str, list[tuple[str, str]]]]:
    """By chapter, name and label of its theorems, or caption and label of its figures."""
    return [(page, re.findall(pattern, text, re.M | re.S)) for page, text in texts.items()]


def tables(entries: Mapping[str, cache.Entry]) -> list[tuple[str, list[str]]]:
    """By the chapter that writes it, every result table."""
    return [
        (page, [name.removeprefix("results/") for name in sorted(entry.files) if TABLE_FILE.match(name)])
        for page, entry in entries.items()
    ]


def benchmarks(path: Path) -> dict[str, Any]:
    """What ``make bench`` measured here, else the run that is kept in the repository."""
    return json.loads((path if path.exists() else STORED_BENCHMARKS).read_text(encoding="utf-8"))
