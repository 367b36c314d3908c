"""Say where two builds differ, measured times apart.

    python tests/compare.py A/_build B/_build

The outputs of cells tagged "measured-time" may differ, and so may the claims that they settle and the columns
of tables whose names speak of seconds.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from pathlib import Path
from typing import Any

from reproduction.claims import MIME_TYPE

_SECONDS = re.compile(r"\b(seconds|milliseconds|ms|times faster)\b|_(seconds|ms)\b")


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    found = differences(*map(Path, arguments))
    print("\n".join(found) or "No difference but measured times.")
    return bool(found)


def differences(one: Path, other: Path) -> list[str]:
    """One line for each difference between two ``_build`` folders."""
    found = _in_notebooks(one, other)
    for name, a, b in _pairs(one / "results", other / "results", "*.csv"):
        found += [f"results/{name}: {what}" for what in _in_table(a, b)]
    timed = _claims_of_measured_cells(one) | _claims_of_measured_cells(other)
    mine, theirs = ({record["id"]: record for record in _json(p / "claims.json")} for p in (one, other))
    for id in sorted((mine.keys() | theirs.keys()) - timed):
        if mine.get(id) != theirs.get(id):
            found.append(f"claims.json: {id}")
    return found


def _in_notebooks(one: Path, other: Path) -> list[str]:
    found = []
    for name, a, b in _pairs(one / "executed", other / "executed", "*.ipynb"):
        mine, theirs = ([_without_times(cell) for cell in _json(path)["cells"]] for path in (a, b))
        if len(mine) != len(theirs):
            found.append(f"{name}: {len(mine)} cells against {len(theirs)}")
        for x, y in zip(mine, theirs, strict=False):
            if x != y:
                found.append(f"{name}: {x['id']}: {''.join(x['source']).strip().splitlines()[0]}")
    return found


def _without_times(cell: dict[str, Any]) -> dict[str, Any]:
    return {**cell, "outputs": []} if _is_measured(cell) else cell


def _is_measured(cell: dict[str, Any]) -> bool:
    return "measured-time" in cell["metadata"].get("tags", [])


def _in_table(a: Path, b: Path) -> list[str]:
    """Columns that differ, those of seconds apart."""
    mine, theirs = ([*zip(*csv.reader(path.open(encoding="utf-8")), strict=True)] for path in (a, b))
    if [column[0] for column in mine] != [column[0] for column in theirs]:
        return ["other columns"]
    return [x[0] for x, y in zip(mine, theirs, strict=True) if x != y and not _SECONDS.search(x[0])]


def _claims_of_measured_cells(build: Path) -> set[str]:
    cells = [cell for path in (build / "executed").rglob("*.ipynb") for cell in _json(path)["cells"]]
    outputs = [output for cell in cells if _is_measured(cell) for output in cell.get("outputs", [])]
    return {output["data"][MIME_TYPE]["id"] for output in outputs if MIME_TYPE in output.get("data", {})}


def _pairs(one: Path, other: Path, pattern: str) -> list[tuple[str, Path, Path]]:
    """The files of two folders by name; a file that only one of them has is an error."""
    mine, theirs = (
        {path.relative_to(folder).as_posix() for path in folder.rglob(pattern)} for folder in (one, other)
    )
    if mine != theirs:
        raise SystemExit(f"in one build only: {', '.join(sorted(mine ^ theirs))}")
    return [(name, one / name, other / name) for name in sorted(mine)]


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
