"""The graph of statements, claims and open questions, with the uses that their pages
declare.

A proof uses the labels in its ``{prf:ref}`` and in a line ``% uses: label, label``
inside it. It belongs to the statement before it, unless a line ``% proves: label,
label`` names other statements. A statement without a proof uses the labels that it
names itself. A claim rests on the ``theorems`` of its row in ``claims.toml``.
"""

import re
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import mean
from typing import Any

import networkx as nx

Texts = Mapping[str, str]  # The text of each page, by name.
Rows = Iterable[
    Mapping[str, Any]
]  # Rows of the ledger, or of the list of open problems.
STATEMENT = re.compile(r"^(`{3,})\{prf:(\w+)\}([^\n]*)\n(.*?)^\1$", re.M | re.S)
REFERENCE = re.compile(r"\{prf:ref\}`([\w-]+)`")
PROVED = "proved in the text"
STATUSES = ("stated", PROVED, "machine-checked", "refuted", "measured", "open")
# The status of a claim by its verdict; all other claims were measured, or checked on a
# range.
STATUS = {"proved": PROVED, "holds with a correction": PROVED, "refuted": "refuted"}
STATUS |= {"open": "open", "not run": "open"}
WIDTH, HEIGHT = 172, 84  # pixels from one box to the next


@dataclass
class Node:
    """A statement, a claim, an open question or a chapter; ``uses`` holds the names of
    the nodes it uses.
    """

    name: str
    kind: str
    title: str
    page: str
    link: str
    status: str
    source: str = "new"
    uses: list[str] = field(default_factory=list)


def statements(texts: Texts, checked: Iterable[str] = ()) -> dict[str, Node]:
    """The theorems, lemmas and definitions of some pages; ``checked`` names those that
    Coq accepted.
    """
    nodes: dict[str, Node] = {}
    for page, text in texts.items():
        last = ""
        for _, kind, title, body in STATEMENT.findall(text):
            uses = list(
                dict.fromkeys([*REFERENCE.findall(body), *_declared(body, "uses")])
            )
            if kind != "proof":
                last = re.search(r"^:label: (\S+)", body, re.M)[1]
                link = f"{page}.html#{last}"
                nodes[last] = Node(
                    last, kind, title.strip(), page, link, "stated", uses=uses
                )
                continue
            proves = _declared(body, "proves") or [last]
            for node in (nodes[name] for name in proves):
                node.status = "machine-checked" if node.name in checked else PROVED
                node.uses = [name for name in uses if name not in proves]
    return nodes


def _declared(body: str, what: str) -> list[str]:
    """The labels in the lines ``% uses: ...`` or ``% proves: ...`` of a proof."""
    return [
        name
        for line in re.findall(rf"^% {what}: (.+)$", body, re.M)
        for name in line.split(", ")
    ]


def everything(
    texts: Texts,
    rows: Rows,
    settled_in: Mapping[str, str],
    problems: Rows,
    checked: Iterable[str] = (),
) -> dict[str, Node]:
    """All nodes by name: statements of the pages, claims of the ledger, and open
    problems.
    """
    nodes = statements(texts, checked)
    for row in rows:
        claim, link = row["claim"], f"ledger.html#ledger-{row['id']}"
        status = STATUS.get(row["verdict"], "measured")
        place = settled_in.get(claim.id, ""), link, status
        nodes[claim.id] = Node(
            claim.id,
            "claim",
            claim.statement,
            *place,
            claim.source,
            list(claim.theorems),
        )
    for problem in problems:
        name, title, uses = problem["id"], problem["title"], list(problem["uses"])
        link = f"open-problems.html#{name}"
        nodes[name] = Node(
            name, "open question", title, problem["where"], link, "open", uses=uses
        )
    return nodes


def digraph(nodes: Mapping[str, Node]) -> nx.DiGraph:
    """The graph in which an edge leads from each node to the nodes that use it."""
    uses = {
        name: [used for used in node.uses if used in nodes]
        for name, node in nodes.items()
    }
    return nx.DiGraph(uses).reverse()


def faults(nodes: Mapping[str, Node]) -> list[str]:
    """The faults of the declarations: names that no statement has, and a cycle."""
    pairs = [
        (node.name, used)
        for node in nodes.values()
        for used in node.uses
        if used not in nodes
    ]
    circle = next(nx.simple_cycles(digraph(nodes)), [])
    unknown = [f"{name} uses {used}, which is nowhere" for name, used in pairs]
    return unknown + ([f"a circle: {', '.join(circle)}"] if circle else [])


def chapters(nodes: Mapping[str, Node], stops: Iterable[Any]) -> dict[str, Node]:
    """The map: a node for each chapter of the main line; it uses the chapters that it
    or its proofs need.
    """
    shown = {stop.page: stop for stop in stops if stop.in_main_line}
    found = {}
    for page, stop in shown.items():
        proofs = (
            nodes[used].page
            for node in nodes.values()
            if node.page == page
            for used in node.uses
        )
        uses = [
            need
            for need in dict.fromkeys((*stop.needs, *proofs))
            if need in shown and need != page
        ]
        found[page] = Node(
            page, "chapter", stop.title, page, f"{page}.html", "stated", uses=uses
        )
    return found


def around(nodes: Mapping[str, Node], page: str) -> dict[str, Node]:
    """The nodes of a page that have edges, and their neighbors."""
    pairs = digraph(nodes).edges
    near = {
        name
        for pair in pairs
        if page in (nodes[name].page for name in pair)
        for name in pair
    }
    return {name: nodes[name] for name in nodes if name in near}


def drawing(nodes: Mapping[str, Node]) -> dict[str, Any]:
    """Boxes, and for each line the places of its two boxes; it leads down from a box to
    one that uses it.
    """
    graph = digraph(nodes)
    at = {
        name: (round(x * WIDTH), y * HEIGHT) for name, (x, y) in _places(graph).items()
    }
    boxes = [
        (nodes[name], *at[name], textwrap.wrap(_label(nodes[name]), 23, max_lines=2))
        for name in nodes
    ]
    lines = [(*at[a], *at[b]) for a, b in graph.edges]
    width, height = (max(places) for places in zip(*at.values(), strict=True))
    return {
        "boxes": boxes,
        "lines": lines,
        "width": width + WIDTH,
        "height": height + HEIGHT - 30,
    }


def _places(graph: nx.DiGraph) -> dict[str, tuple[float, int]]:
    """Column and layer of each box: near the mean of its neighbors' columns, and so
    that no boxes overlap.
    """
    from scipy.optimize import (
        isotonic_regression,
    )  # This import takes longer than everything else here.

    layers = list(nx.topological_generations(graph))
    x = {name: float(place) for layer in layers for place, name in enumerate(layer)}
    for sweep in range(
        9
    ):  # Go down and up in turn: use the neighbors above, then those below.
        joined = graph.succ if sweep % 2 else graph.pred
        for layer in layers[::-1] if sweep % 2 else layers:
            wanted = {
                one: mean(x[other] for other in joined[one] or [one]) for one in layer
            }
            layer.sort(key=wanted.__getitem__)
            # The smallest shifts that keep each box at least one column to the right of
            # the box before.
            shifted = isotonic_regression(
                [wanted[name] - place for place, name in enumerate(layer)]
            ).x
            x |= {
                name: place + shift
                for place, (name, shift) in enumerate(zip(layer, shifted, strict=True))
            }
    left = min(x.values())
    return {
        name: (x[name] - left, y) for y, layer in enumerate(layers) for name in layer
    }


def _label(node: Node) -> str:
    """The text of a box: a claim's number, else the name of the statement."""
    return node.name if node.kind == "claim" else re.sub(r"[$\\{}]", "", node.title)
