"""Print where two builds differ, measured times apart.

    python tests/compare.py A/_build B/_build

The outputs of cells tagged "measured-time" may differ, and so may the claims that they
settle and the columns of tables whose names speak of seconds or are "time".
"""

import csv
import json
import re
import sys
from pathlib import Path
from typing import Any

from reproduction.claims import MIME_TYPE

_SECONDS = re.compile(
    r"\b(seconds|milliseconds|ms|times faster)\b|_(seconds|ms)\b|^time$"
)


def contents(build: Path) -> dict[str, Any]:
    """The cells, columns of tables and claims of a ``_build`` folder by name, without
    measured times.
    """
    parts = {}
    measured_claims = set()
    for path in (build / "executed").rglob("*.ipynb"):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if "measured-time" in cell["metadata"].get("tags", []):
                bundles = [output.get("data", {}) for output in cell.pop("outputs", [])]
                measured_claims |= {
                    data[MIME_TYPE]["id"] for data in bundles if MIME_TYPE in data
                }
            parts[f"{path.relative_to(build).as_posix()}: {cell['id']}"] = cell
    for path in (build / "results").rglob("*.csv"):
        for name, *values in zip(*csv.reader(path.open(encoding="utf-8")), strict=True):
            if not _SECONDS.search(name):
                parts[f"{path.relative_to(build).as_posix()}: {name}"] = values
    for record in json.loads((build / "claims.json").read_text(encoding="utf-8")):
        if record["id"] not in measured_claims:
            parts[f"claims.json: {record['id']}"] = record
    return parts


def differences(first: Path, second: Path) -> list[str]:
    """The names of what differs between two ``_build`` folders, or is in one of them
    only.
    """
    before = contents(first)
    after = contents(second)
    return sorted(
        name
        for name in before.keys() | after.keys()
        if before.get(name) != after.get(name)
    )


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    names = differences(*map(Path, sys.argv[1:]))
    print("\n".join(names) or "No difference but measured times.")
    sys.exit(bool(names))
