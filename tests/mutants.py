"""Change the library in small ways and see whether a test notices: make mutants

    python tests/mutants.py --seed 0 --minutes 30 --jobs 2 [PACKAGE_OR_MODULE ...]

Each mutant differs from the library in one place: a comparison, an operator, a constant, a negation, or a
keyword argument that is forgotten. The examples and the tests of its package run on it, in a copy of the
project, first the files that name most often what its module defines. Packages take turns, so the share
killed is known of all of them when the time is over; the same seed draws the same mutants. Mutants on which
the tests take several times as long as on the library are counted apart: nobody saw them fail.

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
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, zip_longest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("capacity", "risk", "pruning", "trees")
COMPARISONS = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq}
COMPARISONS |= {ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In}
SPEED = ("cache", "maxsize")  # arguments of decorators
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
    elif isinstance(node, ast.Call) and node.keywords and node.keywords[-1].arg not in (None, *SPEED):
        yield ast.Call(node.func, node.args, node.keywords[:-1])  # an argument that is forgotten
    elif isinstance(node, ast.IfExp):
        yield node.body
        yield node.orelse


def mutants_of(path):
    """Pairs of a description and a whole source text, for every place that can be changed."""
    source = path.read_text(encoding="utf-8")
    tree, lines = ast.parse(source), source.encode().split(b"\n")
    skipped = set()  # messages, annotations and what is kept for the next call are no behaviour
    for node in ast.walk(tree):
        asides = [node] if isinstance(node, ast.Raise | ast.JoinedStr) else []
        asides += [node] if isinstance(node, ast.keyword) and node.arg in SPEED else []
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


def test_files(path, copy):
    """The module itself, for its examples, and the tests of its package, the likeliest to notice first."""
    body = ast.parse(path.read_bytes()).body
    names = [node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    tests = sorted((copy / "tests" / path.parent.name).glob("test_*.py"))
    tests.sort(key=lambda test: -sum(map(test.read_text(encoding="utf-8").count, names)))
    return [copy / path.relative_to(ROOT), *tests]


def fate(path, text, copy, seconds=None):
    """What the tests say when one file of a copy of the project has another text."""
    tests = test_files(path, copy)
    command = [sys.executable, "-m", "pytest", "-qx", "-p", "no:xdist", "--hypothesis-seed=0", *tests]
    with tempfile.TemporaryDirectory() as scratch:
        environment = os.environ | {"PYTHONPATH": str(copy / "lib"), "HYPOTHESIS_STORAGE_DIRECTORY": scratch}
        if b"njit" in text:  # numba does not notice that a function changed which another module calls
            environment["NUMBA_CACHE_DIR"] = scratch
        kept = shutil.copy2(tests[0], scratch)
        tests[0].write_bytes(text)
        try:
            done = subprocess.run(
                command, cwd=copy, env=environment, capture_output=True, timeout=seconds, check=False
            )
        except subprocess.TimeoutExpired:
            return "too slow"
        finally:
            shutil.copy2(kept, tests[0])
        return "killed" if done.returncode else "survived"


def patience(paths, copy):
    """Seconds that tests of a mutant may take: several times those of the library, which must pass."""
    start = time.monotonic()
    if fate(paths[0], paths[0].read_bytes(), copy) != "survived":
        raise SystemExit(f"the tests of {paths[0].parent.name} fail on the library as it is")
    return 60 + 5 * (time.monotonic() - start)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", default=PACKAGES, help="of lib/treebounds: risk, risk/vc_srm.py")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    end, library = time.monotonic() + 60 * options.minutes, ROOT / "lib" / "treebounds"
    files = {part: sorted((library / part).glob("*.py")) or [library / part] for part in options.parts}
    fates = {part: {"killed": [], "survived": [], "too slow": []} for part in files}

    def attempt(part, path, name, text):
        if (start := time.monotonic()) < end:
            copy = copies.get()
            try:
                said = fate(path, text, copy, limits[part])
            finally:
                copies.put(copy)
            fates[part][said].append(name)
            print(f"{said:8} {time.monotonic() - start:4.0f} s  {name}", flush=True)

    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(options.jobs) as pool:
        copies, drawn = queue.SimpleQueue(), []
        for job in range(options.jobs):
            copies.put(copy := copy_of_the_project(Path(scratch, str(job))))
        limits = {part: patience(paths, copy) for part, paths in files.items()}
        for part, paths in files.items():
            mutants = [(part, path, *mutant) for path in paths for mutant in mutants_of(path)]
            drawn.append(random.Random(f"{options.seed} {part}").sample(mutants, len(mutants)))
        turns = chain.from_iterable(zip_longest(*drawn))
        for run in [pool.submit(attempt, *mutant) for mutant in turns if mutant]:
            run.result()
    for part, said in fates.items():
        tried = sum(map(len, said.values()))
        print(f"{part}: {len(said.pop('killed')) / max(1, tried):.0%} of {tried} killed")
        for word, names in said.items():
            for name in sorted(names):
                print(f"  {word}: {name}")


if __name__ == "__main__":
    main()
