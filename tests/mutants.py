"""Change the library in small ways and see whether a test notices: make mutants

    python tests/mutants.py --seed 0 --minutes 30 --jobs 2 [PACKAGE_OR_MODULE ...]

Each mutant differs from the library in one place: a comparison, an operator, a
constant, a negation, or a keyword argument that is forgotten. Its examples and the
tests of the library run on it, in a copy of the project, first those of its own folder,
and of these the files that name most often what its module defines. Packages, and the
modules outside them, take turns, so the share killed is known for each of them when the
time is over; the same seed draws the same mutants. Mutants on which the tests take
several times as long as on the library are counted apart. What reads Spark is left out,
since its tests run in an environment of their own (tests/spark).

It is a sampler of its own, because mutmut and cosmic-ray try all mutants of a module.
There are thousands, and each needs a process that loads scikit-learn and compiles.
"""

import argparse
import ast
import multiprocessing
import os
import random
import shutil
import sys
import tempfile
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIBRARY = ROOT / "lib" / "treebounds"
PACKAGES = ("trees", "formats", "capacity", "risk", "pruning", "estimators")
MODULES = (
    "structure.py",
    "_validation.py",
    "_labels.py",
    "_row_order.py",
    "_compiled.py",
    "_versions.py",
)
# The tests that lie beside those of the packages and need nothing but the library.
TESTS_OF_MODULES = (
    "test_structure.py",
    "test_validation.py",
    "test_wrong_types.py",
    "test_numbers_to_predict.py",
    "test_versions.py",
    "test_compiled.py",
    "test_read_only.py",
)

# Loading scikit-learn takes longer than most tests.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(
    [
        "pandas",
        "pytest",
        "scipy.stats",
        "sklearn.ensemble",
        "sklearn.utils.estimator_checks",
    ]
)

COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OPERATORS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
}
# Arguments of decorators that only make a function faster.
SPEED = ("cache", "maxsize")


# ---- Mutants -------------------------------------------------------------------------


@dataclass(frozen=True)
class Mutant:
    """A module of the library with one change."""

    part: str
    path: Path
    name: str
    text: bytes


def changed(node):
    """The expressions that may stand in the place of a node."""
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    change = CHANGES.get(type(node))
    if change is None:
        return []
    other = change(node)
    if other is None:
        return []
    return [other]


def other_comparison(node):
    first, *rest = node.ops
    if type(first) not in COMPARISONS:
        return None
    operators = [COMPARISONS[type(first)](), *rest]
    return ast.Compare(node.left, operators, node.comparators)


def other_operator(node):
    if type(node.op) not in OPERATORS:
        return None
    return ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right)


def and_for_or(node):
    others = {ast.And: ast.Or, ast.Or: ast.And}
    return ast.BoolOp(others[type(node.op)](), node.values)


def without_negation(node):
    if isinstance(node.op, ast.Not | ast.USub):
        return node.operand
    return None


def other_constant(node):
    if isinstance(node.value, bool):
        return ast.Constant(not node.value)
    if isinstance(node.value, int | float):
        return ast.Constant(node.value + 1)
    return None


def without_last_keyword(node):
    if not node.keywords or node.keywords[-1].arg in (None, *SPEED):
        return None
    return ast.Call(node.func, node.args, node.keywords[:-1])


CHANGES = {
    ast.Compare: other_comparison,
    ast.BinOp: other_operator,
    ast.BoolOp: and_for_or,
    ast.UnaryOp: without_negation,
    ast.Constant: other_constant,
    ast.Call: without_last_keyword,
}


def without_behaviour(tree):
    """The ids of nodes in messages, in annotations, and in what is kept for speed."""
    asides = []
    for node in ast.walk(tree):
        is_message = isinstance(node, ast.Raise | ast.JoinedStr)
        is_for_speed = isinstance(node, ast.keyword) and node.arg in SPEED
        if is_message or is_for_speed:
            asides.append(node)
        annotations = (getattr(node, name, None) for name in ("annotation", "returns"))
        asides += filter(None, annotations)
    return set(map(id, chain.from_iterable(map(ast.walk, asides))))


def mutants_of(part, path):
    """The mutants of a module, for every place that can be changed."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    skipped = without_behaviour(tree)
    lines = source.encode().split(b"\n")

    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        for other in changed(node):
            place = f"{path.relative_to(ROOT / 'lib')}:{node.lineno}"
            change = f"{ast.unparse(node)[:60]} -> {ast.unparse(other)[:60]}"
            text = replaced(lines, node, f"({ast.unparse(other)})".encode())
            yield Mutant(part, path, f"{place}: {change}", text)


def replaced(lines, node, expression):
    """The lines of a source with another expression in the place of a node."""
    start = node.lineno - 1
    end = node.end_lineno - 1
    before = lines[start][: node.col_offset]
    behind = lines[end][node.end_col_offset :]
    return b"\n".join([*lines[:start], before + expression + behind, *lines[end + 1 :]])


# ---- Tests of a mutant ---------------------------------------------------------------


def copied(source, folder, touched=""):
    """A copy of the project without the compiled functions of a module."""
    left_out = shutil.ignore_patterns(f"{touched}.*.nb?")
    for name in ("lib", "tests", "book/published"):
        shutil.copytree(source / name, folder / name, ignore=left_out)
    for name in ("pyproject.toml", "conftest.py", "README.md"):
        shutil.copy2(source / name, folder)
    return folder


def tests_of(path):
    """The module itself, for its examples, and the tests of the library, the likeliest
    to notice first.
    """
    body = ast.parse(path.read_bytes()).body
    definitions = (ast.FunctionDef, ast.ClassDef)
    names = [node.name for node in body if isinstance(node, definitions)]
    folders = path.relative_to(LIBRARY).parts[:-1] or ("tests",)

    def likelihood(test):
        text = test.read_text(encoding="utf-8")
        return test.parent.name in folders, sum(map(text.count, names))

    tests = [ROOT / "tests" / name for name in TESTS_OF_MODULES]
    for package in PACKAGES:
        tests += sorted((ROOT / "tests" / package).rglob("test_*.py"))
    tests.sort(key=likelihood, reverse=True)
    return [str(test.relative_to(ROOT)) for test in (path, *tests)]


def run_tests(copy, tests):
    """In a process of its own, to which scikit-learn is known already."""
    import pytest

    os.chdir(copy)
    os.environ["PYTHONPATH"] = str(copy / "lib")
    sys.path.insert(0, str(copy / "lib"))
    with open(os.devnull, "w") as nothing:
        for stream in (sys.stdout, sys.stderr):
            os.dup2(nothing.fileno(), stream.fileno())
    code = pytest.main(["-qx", "-p", "no:xdist", "--hypothesis-seed=0", *tests])
    # Nobody ends joblib's workers, which another end would wait for.
    os._exit(code)


def fate(path, copy, seconds=None):
    """What happens to a module in a copy of the project when its tests run."""
    process = PROCESSES.Process(target=run_tests, args=(copy, tests_of(path)))
    process.start()
    process.join(seconds)
    if process.is_alive():
        process.kill()
        process.join()
        return "too slow"
    if process.exitcode:
        return "killed"
    return "survived"


def fate_of_mutant(mutant, base, seconds):
    with tempfile.TemporaryDirectory() as scratch:
        copy = copied(base, Path(scratch), mutant.path.stem)
        (copy / mutant.path.relative_to(ROOT)).write_bytes(mutant.text)
        return fate(mutant.path, copy, seconds)


def most_seconds(path, base):
    """How long the tests of a mutant may take: several times what they take on the
    library.
    """
    start = time.monotonic()
    if fate(path, base) != "survived":
        raise SystemExit("the tests fail on the library as it is")
    return 60 + 5 * (time.monotonic() - start)


# ---- The sample ----------------------------------------------------------------------


def drawn(parts, seed):
    """All mutants of some parts in random order, one of each part in turn."""
    shuffled = []
    for part in parts:
        paths = sorted((LIBRARY / part).rglob("*.py")) or [LIBRARY / part]
        mutants = []
        for path in paths:
            if "spark" not in path.relative_to(LIBRARY).with_suffix("").parts:
                mutants += mutants_of(part, path)
        random.Random(f"{seed} {part}").shuffle(mutants)
        shuffled.append(mutants)
    turns = chain.from_iterable(zip_longest(*shuffled))
    return [mutant for mutant in turns if mutant]


def tried(mutants, minutes, jobs):
    """The names of the mutants that were tried, by part and fate."""
    end = time.monotonic() + 60 * minutes
    fates = defaultdict(lambda: {"killed": [], "survived": [], "too slow": []})

    def attempt(mutant):
        start = time.monotonic()
        if start < end:
            outcome = fate_of_mutant(mutant, base, seconds)
            fates[mutant.part][outcome].append(mutant.name)
            took = f"{time.monotonic() - start:4.0f} s"
            print(f"{outcome:8} {took}  {mutant.name}", flush=True)

    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(jobs) as pool:
        base = copied(ROOT, Path(scratch))
        seconds = most_seconds(mutants[0].path, base)
        for run in [pool.submit(attempt, mutant) for mutant in mutants]:
            run.result()
    return fates


def main():
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument(
        "parts",
        nargs="*",
        default=(*PACKAGES, *MODULES),
        help="of lib/treebounds: risk, risk/halving.py",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()

    mutants = drawn(options.parts, options.seed)
    for part, fates in tried(mutants, options.minutes, options.jobs).items():
        n_tried = sum(map(len, fates.values()))
        share = len(fates["killed"]) / n_tried
        print(f"{part}: {share:.0%} of {n_tried} killed")
        for outcome in ("survived", "too slow"):
            for name in sorted(fates[outcome]):
                print(f"  {outcome}: {name}")


if __name__ == "__main__":
    main()
