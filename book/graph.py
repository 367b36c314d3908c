"""The graph of statements, claims and open questions, as their pages declare it.

A proof uses the labels in its ``{prf:ref}`` and in a line ``% uses: label, label``
inside it. It belongs to the statement before it, unless a line ``% proves: label,
label`` names other statements. A statement without a proof uses the labels that it
names itself. A claim rests on the ``theorems`` of its row in ``claims.toml``.
"""

import re
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain, cycle, islice
from statistics import mean
from typing import Any

import networkx as nx

Texts = Mapping[str, str]  # The text of each page, by name.
# Rows of the ledger, or of the list of open problems.
Rows = Iterable[Mapping[str, Any]]

STATEMENT = re.compile(r"^(`{3,})\{prf:(\w+)\}([^\n]*)\n(.*?)^\1$", re.M | re.S)
REFERENCE = re.compile(r"\{prf:ref\}`([\w-]+)`")

PROVED = "proved in the text"
STATUSES = ("stated", PROVED, "machine-checked", "refuted", "measured", "open")
# The status of a claim by its verdict; all other claims were measured, or checked on a
# range.
STATUS = {
    "proved": PROVED,
    "holds with a correction": PROVED,
    "refuted": "refuted",
    "open": "open",
    "not run": "open",
}

# Pixels from one box to the next.
WIDTH = 172
HEIGHT = 84

# More sweeps of the layout change little.
N_SWEEPS = 9


@dataclass
class Node:
    """A statement, a claim, an open question or a chapter.

    ``uses`` holds the names of the nodes that it uses.
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
    """The theorems, lemmas and definitions of some pages, by label.

    ``checked`` names those that Coq accepted.
    """
    nodes: dict[str, Node] = {}
    for page, text in texts.items():
        last = ""
        for _, kind, title, body in STATEMENT.findall(text):
            if kind == "proof":
                proved = _declared(body, "proves") or [last]
                _add_proof(nodes, body, proved, checked)
            else:
                node = _statement(page, kind, title.strip(), body)
                nodes[node.name] = node
                last = node.name
    return nodes


def _statement(page: str, kind: str, title: str, body: str) -> Node:
    """A statement, as its directive in the text describes it."""
    label = re.search(r"^:label: (\S+)", body, re.M)[1]
    link = f"{page}.html#{label}"
    return Node(label, kind, title, page, link, "stated", uses=_used(body))


def _add_proof(
    nodes: dict[str, Node], body: str, proved: list[str], checked: Iterable[str]
) -> None:
    """Give statements the status of their proof, and what it uses."""
    uses = [name for name in _used(body) if name not in proved]
    for name in proved:
        nodes[name].status = PROVED
        if name in checked:
            nodes[name].status = "machine-checked"
        nodes[name].uses = uses


def _used(body: str) -> list[str]:
    """The labels that a statement or a proof uses, without repetitions."""
    return list(dict.fromkeys(REFERENCE.findall(body) + _declared(body, "uses")))


def _declared(body: str, verb: str) -> list[str]:
    """The labels in the lines ``% uses: ...`` or ``% proves: ...`` of a proof."""
    labels: list[str] = []
    for line in re.findall(rf"^% {verb}: (.+)$", body, re.M):
        labels += line.split(", ")
    return labels


def everything(
    texts: Texts,
    rows: Rows,
    settled_in: Mapping[str, str],
    problems: Rows,
    checked: Iterable[str] = (),
) -> dict[str, Node]:
    """All nodes by name: statements of the pages, claims, and open problems."""
    nodes = statements(texts, checked)
    for row in rows:
        claim = row["claim"]
        nodes[claim.id] = Node(
            name=claim.id,
            kind="claim",
            title=claim.statement,
            page=settled_in.get(claim.id, ""),
            link=f"ledger.html#ledger-{claim.id}",
            status=STATUS.get(row["verdict"], "measured"),
            source=claim.source,
            uses=list(claim.theorems),
        )
    for problem in problems:
        name = problem["id"]
        nodes[name] = Node(
            name=name,
            kind="open question",
            title=problem["title"],
            page=problem["where"],
            link=f"open-problems.html#{name}",
            status="open",
            uses=list(problem["uses"]),
        )
    return nodes


def digraph(nodes: Mapping[str, Node]) -> nx.DiGraph:
    """The graph in which an edge leads from each node to the nodes that use it."""
    uses = {
        name: [need for need in node.uses if need in nodes]
        for name, node in nodes.items()
    }
    return nx.DiGraph(uses).reverse()


def faults(nodes: Mapping[str, Node]) -> list[str]:
    """The faults of the declarations: names that no statement has, and a cycle."""
    problems = []
    for node in nodes.values():
        unknown = [name for name in node.uses if name not in nodes]
        problems += [f"{node.name} uses {name}, which is nowhere" for name in unknown]

    circle = next(nx.simple_cycles(digraph(nodes)), [])
    if circle:
        problems.append(f"a circle: {', '.join(circle)}")
    return problems


def chapters(nodes: Mapping[str, Node], stops: Iterable[Any]) -> dict[str, Node]:
    """The map: a node for each chapter of the main line.

    It uses the chapters that it, or one of its proofs, needs.
    """
    stop_of = {stop.page: stop for stop in stops if stop.in_main_line}
    by_page = {}
    for page, stop in stop_of.items():
        needed = [*stop.needs, *_pages_behind(nodes, page)]
        uses = [
            need for need in dict.fromkeys(needed) if need in stop_of and need != page
        ]
        by_page[page] = Node(
            page, "chapter", stop.title, page, f"{page}.html", "stated", uses=uses
        )
    return by_page


def _pages_behind(nodes: Mapping[str, Node], page: str) -> list[str]:
    """The pages of the nodes that those of a page use."""
    own = [node for node in nodes.values() if node.page == page]
    needs = chain.from_iterable(node.uses for node in own)
    return [nodes[name].page for name in needs]


def around(nodes: Mapping[str, Node], page: str) -> dict[str, Node]:
    """The nodes of a page that have edges, and their neighbors."""
    near = set()
    for pair in digraph(nodes).edges:
        if page in (nodes[name].page for name in pair):
            near.update(pair)
    return {name: node for name, node in nodes.items() if name in near}


def drawing(nodes: Mapping[str, Node]) -> dict[str, Any]:
    """Boxes with their places, and lines.

    A line has the places of its two boxes; it leads down from a box to one that uses
    it.
    """
    graph = digraph(nodes)
    at = {
        name: (round(column * WIDTH), layer * HEIGHT)
        for name, (column, layer) in _places(graph).items()
    }
    boxes = [
        (node, *at[name], textwrap.wrap(_label(node), 23, max_lines=2))
        for name, node in nodes.items()
    ]
    return {
        "boxes": boxes,
        "lines": [(*at[upper], *at[lower]) for upper, lower in graph.edges],
        "width": max(x for x, _ in at.values()) + WIDTH,
        "height": max(y for _, y in at.values()) + HEIGHT - 30,
    }


def _places(graph: nx.DiGraph) -> dict[str, tuple[float, int]]:
    """Column and layer of each box.

    A box stands near the mean of its neighbors' columns, and no boxes overlap.
    """
    layers = [list(layer) for layer in nx.topological_generations(graph)]
    x: dict[str, float] = {}
    for layer in layers:
        x |= {name: float(place) for place, name in enumerate(layer)}

    # Go down and up in turn: use the neighbors above, then those below.
    down = (layers, graph.pred)
    up = (layers[::-1], graph.succ)
    for in_turn, neighbors in islice(cycle([down, up]), N_SWEEPS):
        for layer in in_turn:
            _place_layer(layer, x, neighbors)

    left = min(x.values())
    places = {}
    for y, layer in enumerate(layers):
        places |= {name: (x[name] - left, y) for name in layer}
    return places


def _place_layer(
    layer: list[str],
    x: dict[str, float],
    neighbors: Mapping[str, Iterable[str]],
) -> None:
    """Sort the boxes of a layer by their neighbors' columns, and set their own."""
    # This import takes longer than everything else here.
    from scipy.optimize import isotonic_regression

    columns = {
        name: mean(x[neighbor] for neighbor in neighbors[name] or [name])
        for name in layer
    }
    layer.sort(key=columns.__getitem__)

    # The smallest shifts that keep each box at least one column to the right of the
    # box before.
    spare = [columns[name] - place for place, name in enumerate(layer)]
    for place, shift in enumerate(isotonic_regression(spare).x):
        x[layer[place]] = place + shift


def _label(node: Node) -> str:
    """The text of a box: a claim's number, else the name of the statement."""
    if node.kind == "claim":
        return node.name
    return re.sub(r"[$\\{}]", "", node.title)
