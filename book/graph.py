"""The graph of statements, claims and open questions, with the uses that their pages declare.

A proof uses the labels in its ``{prf:ref}`` and in a line ``% uses: label, label`` inside it; it
belongs to the statement before it, unless a line ``% proves: label, label`` says otherwise. A statement
without a proof uses the labels that it names itself. A claim rests on the ``theorems`` of its row in
``claims.toml``.
"""

import re
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import mean
from typing import Any

import networkx as nx
from scipy.optimize import isotonic_regression

STATEMENT = re.compile(r"^(`{3,})\{prf:(\w+)\}([^\n]*)\n(.*?)^\1$", re.M | re.S)
REFERENCE = re.compile(r"\{prf:ref\}`([\w-]+)`")
PROVED = "proved in the text"
STATUSES = ("stated", PROVED, "machine-checked", "refuted", "measured", "open")
# by verdict; claims that were measured or checked on a range are the rest
STATUS = {"proved": PROVED, "holds with a correction": PROVED, "refuted": "refuted"}
STATUS |= {"open": "open", "not run": "open"}
WIDTH, HEIGHT = 172, 84  # pixels from one box to the next


@dataclass
class Node:
    """A statement, a claim, an open question or a chapter; ``uses`` are names of others."""

    name: str
    kind: str
    title: str
    page: str
    link: str
    status: str
    source: str = "new"
    uses: list[str] = field(default_factory=list)


def statements(texts: Mapping[str, str], checked: Iterable[str] = ()) -> dict[str, Node]:
    """The theorems, lemmas, definitions of some pages; ``checked`` are those that Coq accepted."""
    nodes: dict[str, Node] = {}
    for page, text in texts.items():
        last = ""
        for _, kind, title, body in STATEMENT.findall(text):
            uses = list(dict.fromkeys([*REFERENCE.findall(body), *_declared(body, "uses")]))
            if kind != "proof":
                last = re.search(r"^:label: (\S+)", body, re.M)[1]
                link = f"{page}.html#{last}"
                nodes[last] = Node(last, kind, title.strip(), page, link, "stated", uses=uses)
                continue
            proves = _declared(body, "proves") or [last]
            for node in (nodes[name] for name in proves):
                node.status = "machine-checked" if node.name in checked else PROVED
                node.uses = [name for name in uses if name not in proves]
    return nodes


def _declared(body: str, what: str) -> list[str]:
    """The labels in the lines ``% uses: ...`` or ``% proves: ...`` of a proof."""
    return [name for line in re.findall(rf"^% {what}: (.+)$", body, re.M) for name in line.split(", ")]


def everything(
    texts: Mapping[str, str],
    rows: Iterable[Mapping[str, Any]],
    settled_in: Mapping[str, str],
    problems: Iterable[Mapping[str, Any]],
    checked: Iterable[str] = (),
) -> dict[str, Node]:
    """All nodes by name: of the pages, of the ledger, of the open problems."""
    nodes = statements(texts, checked)
    for row in rows:
        claim, link = row["claim"], f"ledger.html#ledger-{row['id']}"
        status = STATUS.get(row["verdict"], "measured")
        place = settled_in.get(claim.id, ""), link, status
        nodes[claim.id] = Node(claim.id, "claim", claim.statement, *place, claim.source, list(claim.theorems))
    for problem in problems:
        name, title, uses = problem["id"], problem["title"], list(problem["uses"])
        link = f"open-problems.html#{name}"
        nodes[name] = Node(name, "open question", title, problem["where"], link, "open", uses=uses)
    return nodes


def _pairs(nodes: Mapping[str, Node]) -> list[tuple[str, str]]:
    """Each name that a node uses, and the node's."""
    return [(used, node.name) for node in nodes.values() for used in node.uses]


def faults(nodes: Mapping[str, Node]) -> list[str]:
    """The faults of the declarations: names that no statement has, a circle."""
    pairs = _pairs(nodes)
    unknown = [f"{name} uses {used}, which is nowhere" for used, name in pairs if used not in nodes]
    circle = [] if unknown else next(nx.simple_cycles(nx.DiGraph(pairs)), [])
    return unknown + ([f"a circle: {', '.join(circle)}"] if circle else [])


def used_by(nodes: Mapping[str, Node]) -> dict[str, list[str]]:
    """For each node those that use it."""
    found = defaultdict(list)
    for used, name in _pairs(nodes):
        found[used].append(name)
    return found


def chapters(nodes: Mapping[str, Node], stops: Iterable[Any]) -> dict[str, Node]:
    """The map: a node for each chapter of the main line, which uses those that it or its proofs need."""
    shown = {stop.page: stop for stop in stops if stop.in_main_line}
    found = {}
    for page, stop in shown.items():
        proofs = (nodes[used].page for node in nodes.values() if node.page == page for used in node.uses)
        uses = [need for need in dict.fromkeys((*stop.needs, *proofs)) if need in shown and need != page]
        found[page] = Node(page, "chapter", stop.title, page, f"{page}.html", "stated", uses=uses)
    return found


def around(nodes: Mapping[str, Node], page: str) -> dict[str, Node]:
    """The nodes of a page that are joined to others, with these."""
    near = [pair for pair in _pairs(nodes) if page in (nodes[pair[0]].page, nodes[pair[1]].page)]
    return {name: nodes[name] for name in nodes if any(name in pair for pair in near)}


def drawing(nodes: Mapping[str, Node]) -> dict[str, Any]:
    """Boxes, and curves from each box down to those that use it."""
    graph = nx.DiGraph({name: [] for name in nodes})
    graph.add_edges_from(pair for pair in _pairs(nodes) if pair[0] in nodes)
    at = {name: (round(x * WIDTH), y * HEIGHT) for name, (x, y) in _places(graph).items()}
    boxes = [(nodes[name], *at[name], textwrap.wrap(_label(nodes[name]), 23, max_lines=2)) for name in nodes]
    middle, bottom = (WIDTH - 12) // 2, HEIGHT - 38
    curves = []
    for a, b in graph.edges:
        (x, y), (u, v) = at[a], at[b]
        x, u, y = x + middle, u + middle, y + bottom
        curves.append(f"M{x} {y}C{x} {y + 26} {u} {v - 26} {u} {v}")
    width, height = (max(places) for places in zip(*at.values(), strict=True))
    return {"boxes": boxes, "curves": curves, "width": width + WIDTH, "height": height + HEIGHT - 30}


def _places(graph: nx.DiGraph) -> dict[str, tuple[float, int]]:
    """Column and layer of each box; parts that no line joins stand side by side."""
    found: dict[str, tuple[float, int]] = {}
    for part in nx.weakly_connected_components(graph):
        layers = list(nx.topological_generations(nx.subgraph_view(graph, filter_node=part.__contains__)))
        x = _columns(graph, layers)
        shift = max((column + 1 for column, _ in found.values()), default=0.0) - min(x.values())
        found |= {name: (x[name] + shift, y) for y, layer in enumerate(layers) for name in layer}
    return found


def _columns(graph: nx.DiGraph, layers: list[list[str]]) -> dict[str, float]:
    """In each layer every box stands near the mean of those that it is joined to, and no two overlap."""
    x = {name: float(place) for layer in layers for place, name in enumerate(layer)}
    for sweep in range(9):  # down and up in turn: the mean over the layer above, then over the one below
        joined = graph.succ if sweep % 2 else graph.pred
        for layer in layers[::-1] if sweep % 2 else layers:
            wanted = {one: mean(x[other] for other in joined[one] or [one]) for one in layer}
            layer.sort(key=wanted.__getitem__)
            # the least shifts that keep each box one column to the right of the box before
            shifted = isotonic_regression([wanted[name] - place for place, name in enumerate(layer)]).x
            x |= {name: place + shift for place, (name, shift) in enumerate(zip(layer, shifted, strict=True))}
    return x


def _label(node: Node) -> str:
    """The text of a box: a claim's number, else the name of the statement."""
    return node.name if node.kind == "claim" else re.sub(r"[$\\{}]", "", node.title)
