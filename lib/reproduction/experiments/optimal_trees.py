"""Trees of a small depth with the fewest training errors, found once and stored.

The search needs the package pycontree, which has no wheels from Python 3.13 on. So the
book does not search: it shows the results of one run, with its date and the versions
that it used. ``python -m reproduction.experiments.optimal_trees`` runs the search again
where pycontree is installed, and replaces the file.
"""

import platform
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from reproduction.experiments import Row
from reproduction.experiments.leboeuf2020 import Split, available, split, timed

STORED = Path(__file__).with_name("optimal-trees.toml")
# By depth, most rows times features for which a tree was searched.
MAX_ENTRIES = {2: 100_000, 3: 9_000}
COLUMNS = (
    "dataset",
    "depth",
    "n_rows",
    "n_leaves",
    "training_errors",
    "accuracy",
    "seconds",
)
PACKAGES = ("pycontree", "numpy", "scikit-learn")


@cache
def stored() -> dict[str, Any]:
    """The date, the versions, and a row for each tree.

    ``accuracy`` is measured on the test rows of split 0, ``n_rows`` counts its training
    rows.
    """
    content = tomllib.loads(STORED.read_text(encoding="utf-8"))
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in content["rows"]]
    return {**content, "rows": rows}


def optimal(slug: str, n_rows: int) -> Iterator[Row]:
    """The stored results on split 0 of a set, if it had this many training rows."""
    for row in stored()["rows"]:
        if row["dataset"] == slug and row["n_rows"] == n_rows:
            yield {
                "method": f"optimal, depth {row['depth']}",
                "n_leaves": row["n_leaves"],
                "accuracy": row["accuracy"],
                "seconds": row["seconds"],
            }


def search(slug: str, data: Split) -> Iterator[Row]:
    """Search trees for one split; needs pycontree."""
    from pycontree import ConTree

    for depth, most in MAX_ENTRIES.items():
        if data.X_train.size > most:
            continue

        tree, seconds = timed(ConTree(max_depth=depth).fit, data.X_train, data.y_train)
        n_wrong = (tree.predict(data.X_train) != data.y_train).sum()
        yield {
            "dataset": slug,
            "depth": depth,
            "n_rows": len(data.y_train),
            "n_leaves": int(tree.get_num_leaf_nodes()),
            "training_errors": int(n_wrong),
            "accuracy": float(tree.score(data.X_test, data.y_test)),
            "seconds": round(seconds, 3),
        }


def _first_split(slug: str, max_rows: int) -> Split:
    """Split 0 of a data set, cut to the rows that the comparison uses."""
    data = split(slug, 0)
    return Split(
        data.X_train[:max_rows],
        data.X_test[: 2 * max_rows],
        data.y_train[:max_rows],
        data.y_test[: 2 * max_rows],
        data.n_classes,
    )


def main() -> None:
    """Search trees for every data set of the comparison, and store them."""
    from reproduction.experiments import pruning_comparison as comparison

    rows = []
    for name, slugs in comparison.GROUPS.items():
        most = comparison.MAX_ROWS
        if name == "new":
            most = comparison.MAX_NEW_ROWS
        for slug in available(slugs):
            for row in search(slug, _first_split(slug, most)):
                print(row, flush=True)
                rows.append([row[column] for column in COLUMNS])

    versions = {"Python": platform.python_version()}
    versions |= {package: version(package) for package in PACKAGES}
    of_versions = ", ".join(f'{name} = "{value}"' for name, value in versions.items())
    lines = [
        "# Written by python -m reproduction.experiments.optimal_trees.",
        f"measured = {datetime.now(UTC).date()}",
        f"versions = {{{of_versions}}}",
        f"# {', '.join(COLUMNS)}",
        "rows = [",
        *(f"    {row!r}," for row in rows),
        "]",
    ]
    STORED.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
