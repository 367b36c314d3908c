"""Run every ``bench_*.py`` in this folder, print one table, and write
``_build/benchmarks.json``.

With ``--store`` the run is also kept in this folder, for builds of the book without a
run of their own.
"""

from __future__ import annotations

import importlib
import json
import os
import platform
import subprocess
import sys
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

import treebounds

HERE = Path(__file__).resolve().parent
PACKAGES = ("numpy", "numba", "scikit-learn")


def machine() -> dict[str, Any]:
    """The machine and the versions on which the numbers depend."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.is_file() else []
    models = [
        line.partition(":")[2].strip()
        for line in lines
        if line.startswith("model name")
    ]
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=HERE,
        capture_output=True,
        text=True,
    )

    return {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit.stdout.strip() or "unknown",
        "processor": models[0]
        if models
        else platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        **{package: version(package) for package in PACKAGES},
        "treebounds": treebounds.__version__,
    }


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The rows of one file, or a single row with the reason why there are none."""
    try:
        rows = importlib.import_module(path.stem).run()
    except OSError as missing:  # Data or programs are missing.
        reason = str(missing).splitlines()[0]
        return [
            {
                "file": path.name,
                "name": f"not run: {reason}",
                "value": None,
                "target": None,
                "unit": "",
            }
        ]
    return [{"file": path.name, **row, "met": met(row)} for row in rows]


def met(row: dict[str, Any]) -> bool:
    """Whether a value meets its target, a lower or an upper limit by its unit."""
    return (
        row["value"] >= row["target"]
        if "at least" in row["unit"]
        else row["value"] <= row["target"]
    )


def show(row: dict[str, Any]) -> str:
    if row["value"] is None:
        return row["name"]
    verdict = "" if row["met"] else "MISSED "
    return (
        f"{row['value']:10.3g} {row['unit']} {row['target']:<6g} {verdict}{row['name']}"
    )


def main() -> int:
    # An environment variable would have no effect any more, because numpy has been
    # imported.
    threadpool_limits(1)
    start = time.perf_counter()
    rows = []
    print(json.dumps(machine(), indent=1))

    for path in sorted(HERE.glob("bench_*.py")):
        print(f"{path.name}", flush=True)
        for row in rows_of(path):
            rows.append(row)
            print(show(row), flush=True)

    text = json.dumps({"machine": machine(), "rows": rows}, indent=1) + "\n"
    target = HERE.parent / "_build" / "benchmarks.json"
    target.parent.mkdir(exist_ok=True)
    for path in (target, *([HERE / "stored.json"] if "--store" in sys.argv else [])):
        part = path.with_suffix(".part")
        part.write_text(text, encoding="utf-8")
        part.replace(path)

    print(f"{time.perf_counter() - start:.0f} s; written to _build/benchmarks.json")
    return 0 if all(row.get("met", True) for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
