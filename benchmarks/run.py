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
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=HERE,
        capture_output=True,
        text=True,
    )

    return {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit.stdout.strip() or "unknown",
        "processor": processor(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        **{package: version(package) for package in PACKAGES},
        "treebounds": treebounds.__version__,
    }


def processor() -> str:
    """The name of the processor, as far as the system knows it."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text().splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The rows of one file, or a single row with the reason why there are none."""
    try:
        measurements = importlib.import_module(path.stem).run()
    except OSError as missing:  # Data or programs are missing.
        reason = str(missing).splitlines()[0]
        print(f"not run: {reason}", flush=True)
        return [
            {
                "file": path.name,
                "name": f"not run: {reason}",
                "value": None,
                "target": None,
                "unit": "",
            }
        ]

    print(*measurements, sep="\n", flush=True)
    return [{"file": path.name, **m._asdict(), "met": m.met} for m in measurements]


def write(path: Path, text: str) -> None:
    """Replace a file, never by a part of the text."""
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def main() -> int:
    # An environment variable would have no effect any more, because numpy has been
    # imported.
    threadpool_limits(1)
    start = time.perf_counter()
    print(json.dumps(machine(), indent=1))

    rows = []
    for path in sorted(HERE.glob("bench_*.py")):
        print(path.name, flush=True)
        rows += rows_of(path)

    text = json.dumps({"machine": machine(), "rows": rows}, indent=1) + "\n"
    build = HERE.parent / "_build"
    build.mkdir(exist_ok=True)
    write(build / "benchmarks.json", text)
    if "--store" in sys.argv:
        write(HERE / "stored.json", text)

    print(f"{time.perf_counter() - start:.0f} s; written to _build/benchmarks.json")
    missed = [row for row in rows if not row.get("met", True)]
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
