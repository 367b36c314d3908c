"""Prune a tree, or say how complex it is, from a CSV file: ``python -m treebounds --help``."""

from __future__ import annotations

import argparse
import math
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.tree import export_text
from sklearn.utils.multiclass import type_of_target

import treebounds as tb
from treebounds.pruning.bound import n_orders


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; 0, or 2 after an error that is said on standard error."""
    options = _parse(arguments)
    try:
        X, y = _read(options.file, options.target)
        tree = tb.BoundPrunedTreeClassifier(
            max_leaf_nodes=options.max_leaf_nodes, delta=options.delta, random_state=0
        ).fit(X, y)
    except ValueError as error:
        print("treebounds:", *str(error).split(), file=sys.stderr)
        return 2
    say = {"prune": _say_pruned, "complexity": _say_complexity}[options.command]
    print("\n".join(say(tree, X, y)))
    return 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m treebounds", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (
        ("prune", "grow a tree and prune it without cross-validation"),
        ("complexity", "say how many functions such a tree can realize"),
    ):
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument("file", type=Path, help="CSV file with a header; the features are numbers")
        command.add_argument("--target", help="name of the column with the classes (default: the last one)")
        command.add_argument(
            "--max-leaf-nodes", type=int, default=40, help="leaves before pruning (default: 40)"
        )
        command.add_argument(
            "--delta", type=float, default=0.05, help="the bound may fail with this probability"
        )
    return parser.parse_args(arguments)


def _read(file: Path, target: str | None) -> tuple[pd.DataFrame, np.ndarray]:
    table = _read_table(file)
    name = table.columns[-1] if target is None else target
    if name not in table.columns:
        raise ValueError(f"--target: no column {name!r}; there are {', '.join(table.columns)}")
    X, y = table.drop(columns=name), table[name]
    _check_features(X)
    _check_classes(y)
    return X, y.to_numpy()


def _read_table(file: Path) -> pd.DataFrame:
    if file.is_dir():
        raise ValueError(f"file: {file} is a folder")
    if not file.exists():
        raise ValueError(f"file: {file} does not exist")
    try:
        with warnings.catch_warnings():
            # pandas drops what stands beyond the header's last column with a warning only
            warnings.simplefilter("error", pd.errors.ParserWarning)
            table = pd.read_csv(file, index_col=False, low_memory=False)
    except UnicodeDecodeError as error:
        raise ValueError(f"file: {file} is not UTF-8: {error}") from error
    except (pd.errors.ParserError, pd.errors.EmptyDataError, pd.errors.ParserWarning, OSError) as error:
        raise ValueError(f"file: {file} cannot be read as CSV: {error}") from error
    if all(map(_is_number, table.columns)):
        raise ValueError(f"file: the first line must name the columns; got {', '.join(table.columns)}")
    if len(table.columns) < 2:
        raise ValueError(f"file: {file} has one column; classes and features must be separated by commas")
    if table.empty:
        raise ValueError(f"file: {file} has a header and no rows")
    return table


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _check_features(X: pd.DataFrame) -> None:
    words = [column for column in X.columns if not pd.api.types.is_numeric_dtype(X[column])]
    if words:
        raise ValueError(f"file: columns that are not numbers: {', '.join(words)}; encode or remove them")
    large = X.columns[(X.abs() > np.finfo(np.float32).max).any()]
    if len(large):
        raise ValueError(f"file: columns with numbers too large for a tree: {', '.join(large)}")


def _check_classes(y: pd.Series) -> None:
    if y.isna().any():
        raise ValueError(f"--target: column {y.name!r} has {int(y.isna().sum())} missing values")
    if y.nunique() == 1:
        raise ValueError(f"--target: column {y.name!r} has one class, {y.iloc[0]}; a tree needs two")
    if type_of_target(y) == "continuous":
        raise ValueError(f"--target: column {y.name!r} holds real numbers, not classes")


def _say_pruned(tree: tb.BoundPrunedTreeClassifier, X: pd.DataFrame, y: np.ndarray) -> list[str]:
    errors = int((tree.predict(X) != y).sum())
    return [
        f"Leaves: {tree.pruning_path_.n_leaves[0]} grown, {tree.get_n_leaves()} kept.",
        f"{errors} errors on {len(y)} training examples.",
        "",
        export_text(tree, feature_names=[str(column) for column in X.columns]).rstrip(),
    ]


def _say_complexity(tree: tb.BoundPrunedTreeClassifier, X: pd.DataFrame, y: np.ndarray) -> list[str]:
    structure = tb.TreeStructure.from_sklearn(tree)
    m, l, n = len(y), X.shape[1], len(tree.classes_)
    orders = n_orders(X)  # with missing values a feature can split in more ways
    lower, upper = tb.vc_dimension_lower_bound(structure, l), tb.vc_dimension_upper_bound(structure, orders)
    nats = tb.log_growth_function_bound(structure, m, orders, n, form="closed")
    return [
        f"Leaves: {structure.n_leaves}, height {structure.height}; {l} features, {n} classes, {m} examples.",
        f"The VC dimension of its structure (for two classes) is at least {lower} and at most {upper}.",
        f"It realizes at most e^{nats:.1f} of the e^{m * math.log(n):.1f} labelings of the sample.",
    ]


if __name__ == "__main__":
    sys.exit(main())
