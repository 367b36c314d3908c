"""Change the library in small ways and see whether a test notices: make mutants

    python tests/mutants.py --seed 0 --minutes 30 --jobs 2 [MODULE ...]

Each mutant differs from the library in one place: a comparison, an operator, a constant, a negation, or a
keyword argument that is forgotten. The examples and the tests of its package run on it, in a copy of the
project. Modules take turns, so the share killed is known of all of them when the time is over; the same seed
draws the same mutants.

It is a sampler of its own, because mutmut and cosmic-ray try all mutants of a module. There are thousands,
and each needs a process that loads scikit-learn and compiles.
"""

import argparse
import ast
import os
import queue
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("capacity", "risk", "pruning", "trees")
COMPARISONS = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq}
COMPARISONS |= {ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In}
OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult}


def changed(node):
    """What a node may become: source texts of expressions in its place."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        yield ast.Compare(node.left, [COMPARISONS[type(node.ops[0])](), *node.ops[1:]], node.comparators)
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        yield ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield node.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        yield ast.Constant(not node.value if isinstance(node.value, bool) else node.value + 1)
    elif isinstance(node, ast.Call) and node.keywords and node.keywords[-1].arg:
        yield ast.Call(node.func, node.args, node.keywords[:-1])  # an argument that is forgotten
    elif isinstance(node, ast.IfExp):
        yield node.body
        yield node.orelse


def mutants_of(path):
    """Pairs of a description and a whole source text, for every place that can be changed."""
    source = path.read_text(encoding="utf-8")
    tree, lines = ast.parse(source), source.encode().split(b"\n")
    skipped = set()  # messages, annotations and what only type checkers read are no behaviour
    for node in ast.walk(tree):
        asides = [node] if isinstance(node, ast.Raise | ast.JoinedStr) else []
        asides += [getattr(node, name) for name in ("annotation", "returns") if getattr(node, name, None)]
        skipped |= {id(inner) for aside in asides for inner in ast.walk(aside)}
    for node in ast.walk(tree):
        for new in changed(node) if id(node) not in skipped else ():
            start, end = node.lineno - 1, node.end_lineno - 1
            text = f"({ast.unparse(new)})".encode()
            middle = lines[start][: node.col_offset] + text + lines[end][node.end_col_offset :]
            old = ast.unparse(node)
            yield (
                f"{path.relative_to(ROOT / 'lib')}:{node.lineno}: {old[:60]} -> {ast.unparse(new)[:60]}",
                b"\n".join([*lines[:start], middle, *lines[end + 1 :]]),
            )


def copy_of_the_project(folder):
    for name in ("lib", "tests", "book/published"):
        shutil.copytree(ROOT / name, folder / name)
    for name in ("pyproject.toml", "conftest.py", "README.md"):
        shutil.copy2(ROOT / name, folder)
    return folder


def survives(path, text, copy, seconds=600):
    """Whether all tests of its package pass when one file of a copy of the project has another text."""
    place, package = copy / path.relative_to(ROOT), path.parent.name
    tests = (place, copy / "tests" / package / f"test_{path.stem}.py", copy / "tests" / package)
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:xdist", *filter(Path.exists, tests)]
    with tempfile.TemporaryDirectory() as scratch:
        environment = os.environ | {"PYTHONPATH": str(copy / "lib"), "HYPOTHESIS_STORAGE_DIRECTORY": scratch}
        if b"njit" in text:  # numba does not notice that a function changed which another module calls
            environment["NUMBA_CACHE_DIR"] = scratch
        place.write_bytes(text)
        try:
            done = subprocess.run(
                command, cwd=copy, env=environment, capture_output=True, timeout=seconds, check=False
            )
        except subprocess.TimeoutExpired:
            return False
        finally:
            shutil.copy2(path, place)
        if done.returncode not in (0, 1, 2):
            raise RuntimeError(done.stdout.decode() + done.stderr.decode())
        return done.returncode == 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("modules", nargs="*", help="files below lib/treebounds, for example risk/vc_srm.py")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    library = ROOT / "lib" / "treebounds"
    paths = [library / name for name in options.modules]
    paths = paths or [p for package in PACKAGES for p in sorted((library / package).glob("[!_]*.py"))]
    draw, end = random.Random(options.seed), time.monotonic() + 60 * options.minutes
    found = {path: draw.sample(all_, len(all_)) for path in paths if (all_ := list(mutants_of(path)))}
    killed, tried, survivors = Counter(), Counter(), []

    def attempt(path, name, text):
        if time.monotonic() < end:
            copy = copies.get()
            try:
                lives = survives(path, text, copy)
            finally:
                copies.put(copy)
            tried[path], killed[path] = tried[path] + 1, killed[path] + (not lives)
            survivors.extend([name] * lives)
            print("survived" if lives else "killed  ", name, flush=True)

    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(options.jobs) as pool:
        copies, runs = queue.SimpleQueue(), []
        for job in range(options.jobs):
            copies.put(copy_of_the_project(Path(scratch, str(job))))
        for turn in range(max(map(len, found.values()))):  # every module has its turn before the next round
            for path, mutants in found.items():
                runs += [pool.submit(attempt, path, *mutant) for mutant in mutants[turn : turn + 1]]
        for run in runs:
            run.result()
    for path in tried:
        print(f"{killed[path] / tried[path]:6.0%} of {tried[path]:4d}  {path.relative_to(library)}")
    share = killed.total() / max(1, tried.total())
    print(f"{share:6.0%} of {tried.total():4d}  all; survivors:", *sorted(survivors), sep="\n  ")


if __name__ == "__main__":
    main()
