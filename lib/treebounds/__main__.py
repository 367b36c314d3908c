"""Prune a tree, or say how complex it is, from a CSV file: ``python -m treebounds --help``."""

from __future__ import annotations

import argparse
import csv
import math
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import treebounds as tb
from treebounds.pruning.bound_estimator import RULES
from treebounds.risk.growth_bounds import n_orders
from treebounds.trees.array_tree import ArrayTree
from treebounds.trees.scikit_learn import move_thresholds

MISSING = {"", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>"}
MANY_WORDS, MANY_CLASSES = 50, 20


class Table(NamedTuple):
    """Columns of numbers, each with its name; those of words have a category, too, and 1 where it stands."""

    X: NDArray[np.float64]
    features: list[tuple[str, str | None]]
    y: NDArray[Any]
    target: str


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; 0, or 2 after an error that is said on standard error."""
    options = _parse(arguments)
    try:
        table = _read(options)
        tree = tb.BoundPrunedTreeClassifier(
            max_leaf_nodes=options.max_leaf_nodes, delta=options.delta, random_state=0, **_rule(options.rule)
        )
        with warnings.catch_warnings(action="ignore"):  # reading has warned of many classes
            tree.fit(table.X, table.y)
        said = {"prune": _say_pruned, "complexity": _say_complexity}[options.command](tree, table, options)
    except ValueError as error:
        print("treebounds:", *str(error).split(), file=sys.stderr)
        return 2
    try:
        print("\n".join(said), flush=True)
    except BrokenPipeError:  # whoever reads has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options of the command line."""
    common = argparse.ArgumentParser(add_help=False)
    add = common.add_argument
    rules = f"{', '.join(RULES)}, noise, or a number of errors per leaf (default: shawe-taylor)"
    add("file", type=Path, help="CSV file with a header; words are taken as categories")
    add("--target", help="name of the column with the classes (default: the last one)")
    add("--drop", action="append", default=[], metavar="COLUMN", help="leave a column out; may be repeated")
    add("--rule", default="shawe-taylor", help=rules)
    add("--max-leaf-nodes", type=int, help="leaves before pruning (default: no limit)")
    add("--delta", type=float, default=0.05, help="probability that the certificate fails (default: 0.05)")
    parser = argparse.ArgumentParser(prog="python -m treebounds", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (
        ("prune", "grow a tree, prune it without cross-validation, and certify it"),
        ("complexity", "say how many functions such a tree can realize"),
    ):
        commands.add_parser(name, help=text, description=text, parents=[common])
    return parser.parse_args(arguments)


def _rule(given: str) -> dict[str, Any]:
    """The parameter of the estimator that ``--rule`` stands for."""
    if given in RULES:
        return {"rule": given}
    price = _number(given)
    if given != "noise" and (price is None or not 0 <= price < math.inf):
        wanted = f"one of {', '.join(RULES)}, noise, or a number of errors"
        raise ValueError(f"--rule must be {wanted}; got {given!r}")
    return {"price": given if price is None else price}


def _warn(text: str) -> None:
    """Say on standard error what may be meant otherwise."""
    print(f"treebounds: warning: {text}", file=sys.stderr)


# --- reading -----------------------------------------------------------------------------------------------


def _read(options: argparse.Namespace) -> Table:
    """The table of a file, the classes apart, words as columns of 0 and 1."""
    header, rows = _read_rows(options.file)
    target = header[-1] if options.target is None else options.target
    for name, option in [(target, "--target"), *((name, "--drop") for name in options.drop)]:
        if name not in header:
            raise ValueError(f"{option}: no column {name!r}; there are {', '.join(header)}")
    columns = {name: [row[i] for row in rows] for i, name in enumerate(header) if name not in options.drop}
    if target not in columns:
        raise ValueError(f"--drop: {target!r} is the column with the classes")
    y = _classes(target, columns.pop(target))
    encoded = [(name, *one) for name, values in columns.items() for one in _encoded(name, values)]
    if not encoded:
        raise ValueError("file: no column is left to split on")
    X = np.column_stack([column for *_, column in encoded])
    return Table(X, [(name, category) for name, category, _ in encoded], y, target)


def _read_rows(file: Path) -> tuple[list[str], list[list[str]]]:
    """The header and the rows of a CSV file, or a ValueError that says what is wrong with it."""
    if file.is_dir():
        raise ValueError(f"file: {file} is a folder")
    if not file.exists():
        raise ValueError(f"file: {file} does not exist")
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.reader(lines, strict=True)
            rows = [[field.strip() for field in row] for row in reader if row]
    except UnicodeDecodeError as error:
        raise ValueError(f"file: {file} is not UTF-8: {error}") from error
    except (csv.Error, OSError) as error:
        raise ValueError(f"file: {file} cannot be read as CSV: {error}") from error
    if not rows:
        raise ValueError(f"file: {file} cannot be read as CSV: it is empty")
    header, *rows = rows
    if all(_number(name) is not None for name in header):
        raise ValueError(f"file: the first line must name the columns; got {', '.join(header)}")
    if len(header) < 2:
        raise ValueError(f"file: {file} has one column; classes and features must be separated by commas")
    if len(set(header)) < len(header):
        raise ValueError(f"file: two columns have the same name among {', '.join(header)}")
    if not rows:
        raise ValueError(f"file: {file} has a header and no rows")
    for i, row in enumerate(rows):
        if len(row) != len(header):
            odd = f"row {i + 1} has {len(row)} fields, the header {len(header)}"
            raise ValueError(f"file: {file} cannot be read as CSV: {odd}")
    return header, rows


def _number(text: str) -> float | None:
    """A word as a number, or None."""
    try:
        return float(text)
    except ValueError:
        return None


def _encoded(name: str, values: list[str]) -> Iterator[tuple[str | None, NDArray[np.float64]]]:
    """A column as it is when it holds numbers, else a column of 0 and 1 for each category."""
    numbers = [math.nan if value in MISSING else _number(value) for value in values]
    if None not in numbers:
        column = np.array(numbers, dtype=float)
        if (np.abs(column) > np.finfo(np.float32).max).any():
            raise ValueError(f"file: columns with numbers too large for a tree: {name}")
        if len(set(values)) == 1:
            _warn(f"column {name!r} is {values[0] or 'empty'} in every row")
        elif len(values) > 2 and ((np.diff(column) > 0).all() or (np.diff(column) < 0).all()):
            what = "looks like an identifier or a date: it rises or falls from row to row"
            _warn(f"column {name!r} {what}; --drop {name} leaves it out")
        yield None, column
        return
    categories = sorted({value for value in values if value not in MISSING})
    if len(categories) > min(MANY_WORDS, len(values) / 2) and len(categories) > 2:
        _warn(f"column {name!r} is left out: it has {len(categories)} different words in {len(values)} rows")
        return
    if len(categories) == 1 and not set(values) & MISSING:
        _warn(f"column {name!r} is {values[0]} in every row")
    for category in categories[:1] if len(categories) == 2 and not set(values) & MISSING else categories:
        yield category, np.array([float(value == category) for value in values])


def _classes(name: str, values: list[str]) -> NDArray[Any]:
    """The classes as they are written; a column of real numbers holds none."""
    n_missing = sum(value in MISSING for value in values)
    if n_missing:
        raise ValueError(f"--target: column {name!r} has {n_missing} missing values")
    found = sorted(set(values))
    if len(found) == 1:
        raise ValueError(f"--target: column {name!r} has one class, {found[0]}; a tree needs two")
    numbers = [_number(value) for value in found]
    another = "--target names another column"
    if None not in numbers:
        if any(number % 1 for number in numbers if number is not None):
            raise ValueError(f"--target: column {name!r} holds real numbers, not classes; {another}")
        if len(found) > MANY_CLASSES:
            what = f"looks like a number, not a class: it has {len(found)} different values"
            _warn(f"column {name!r} {what}; {another}")
    elif len(found) > max(MANY_CLASSES, len(values) / 10):
        _warn(f"column {name!r} has {len(found)} classes in {len(values)} rows; {another}")
    return np.array(values)


# --- saying ------------------------------------------------------------------------------------------------


def _say_classes(table: Table) -> str:
    """How many examples each class has."""
    classes, counts = np.unique(table.y, return_counts=True)
    named = ", ".join(f"{c} ({n})" for c, n in zip(classes[:10], counts[:10], strict=True))
    more = f" and {len(classes) - 10} more" if len(classes) > 10 else ""
    return f"Classes: column {table.target!r}, {len(classes)} of them: {named}{more}."


def _say_pruned(tree: Any, table: Table, options: argparse.Namespace) -> list[str]:
    """Sizes, errors, certificate and rules of a pruned tree."""
    grown = tree.pruning_path_.n_leaves[0]
    if np.isnan(table.X).any():
        tree = _with_short_thresholds(tree, table.X)
        certificate = ["No certificate: the message of a tree needs rows without missing values."]
    else:
        with warnings.catch_warnings(action="ignore"):  # what is shown is the certified copy
            found = tb.certify(tree, table.X, table.y, delta=options.delta, method="message")
        tree = found.estimator
        known = ["Which columns are used was known before the rows were seen."]
        if any(category is not None for _, category in table.features):
            known.append("The categories of words were known before.")
        certificate = [str(found), "It assumes:", *(f"- {said}" for said in (*found.assumptions, *known))]
    errors = int((tree.predict(table.X) != table.y).sum())
    return [
        _say_classes(table),
        f"Leaves: {grown} grown, {tree.get_n_leaves()} kept.",
        f"{errors} errors on {len(table.y)} training examples.",
        *certificate,
        "",
        *_tree_lines(tree, table),
    ]


def _say_complexity(tree: Any, table: Table, options: argparse.Namespace) -> list[str]:
    """The VC dimension of a tree of this size and how many labelings it realizes."""
    m, l, n = len(table.y), table.X.shape[1], len(tree.classes_)
    orders = n_orders(table.X)  # with missing values a feature can split in more ways
    lower, upper = tb.vc_dimension_lower_bound(tree, l), tb.vc_dimension_upper_bound(tree, orders)
    nats = tb.log_growth_function_bound(tree, m, orders, n, form="closed")
    return [
        _say_classes(table),
        f"Leaves: {tree.get_n_leaves()}, height {tree.get_depth()}; {l} features, {n} classes, {m} examples.",
        f"The VC dimension of its structure (for two classes) is at least {lower} and at most {upper}.",
        f"Trees of this structure realize at most e^{nats:.1f} of the e^{m * math.log(n):.1f} labelings "
        "of the sample.",
    ]


def _with_short_thresholds(tree: Any, X: NDArray[np.float64]) -> Any:
    """The tree with thresholds of few digits that part the training values as its own do."""
    t, values = tree.tree_, X.astype(np.float32).astype(float)
    thresholds = t.threshold.copy()
    for node in np.flatnonzero(t.children_left >= 0):
        column = values[:, t.feature[node]]
        below, above = column[column <= thresholds[node]], column[column > thresholds[node]]
        low, high = below.max(initial=-np.inf), above.min(initial=np.inf)
        for digits in range(1, 17):
            short = float(f"{thresholds[node]:.{digits}g}")
            if low <= np.float32(short) < high and low <= short:
                thresholds[node] = short
                break
    return move_thresholds(tree, thresholds)


def _tree_lines(tree: Any, table: Table) -> list[str]:
    """The rules of a tree, a threshold in as few digits as tell what it does."""
    t, lines = ArrayTree.from_sklearn(tree), []
    for node in t.preorder:
        if node:
            lines.append(f"{'|   ' * (t.depth[node] - 1)}|--- {_condition(t, node, table)}")
        if t.is_leaf[node]:
            lines.append(f"{'|   ' * t.depth[node]}|--- class: {tree.classes_[t.labels[node]]}")
    return lines


def _condition(tree: Any, node: int, table: Table) -> str:
    """What an example satisfies that goes from a node's parent to the node."""
    parent = tree.parents[node]
    goes_left = tree.children_left[parent] == node
    feature, threshold = tree.feature[parent], tree.threshold[parent]
    missing = tree.missing_go_to_left[parent] == goes_left and np.isnan(table.X[:, feature]).any()
    column, category = table.features[feature]
    if category is not None:
        condition = f"{column} is not {category}" if goes_left else f"{column} is {category}"
    else:
        # thresholds that are values of the table are 32-bit numbers
        is_value = float(np.float32(threshold)) == threshold
        shown = np.format_float_positional(np.float32(threshold) if is_value else threshold, trim="-")
        condition = f"{column} {'<=' if goes_left else '>'} {shown}"
    return f"{condition} or missing" if missing else condition


if __name__ == "__main__":
    sys.exit(main())
