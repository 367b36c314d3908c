"""Change the library in small ways and see whether a test notices: make mutants

    python tests/mutants.py --seed 0 --minutes 30 --jobs 2 [PACKAGE_OR_MODULE ...]

Each mutant differs from the library in one place: a comparison, an operator, a
constant, a negation, or a keyword argument that is forgotten. Its examples and the
tests of all packages run on it, in a copy of the project, first those of its own
package, and of these the files that name most often what its module defines. Packages
take turns, so the share killed is known for each of them when the time is over; the
same seed draws the same mutants. Mutants on which the tests take several times as long
as on the library are counted apart.

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
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, zip_longest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROCESSES = multiprocessing.get_context(
    "forkserver"
)  # loading scikit-learn takes longer than most tests
KNOWN = [
    "pandas",
    "pytest",
    "scipy.stats",
    "sklearn.ensemble",
    "sklearn.utils.estimator_checks",
]
PROCESSES.set_forkserver_preload(KNOWN)
PACKAGES = ("capacity", "risk", "pruning", "trees")
COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
}
COMPARISONS |= {
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
SPEED = ("cache", "maxsize")  # arguments of decorators
OPERATORS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
}


def changed(node):
    """What a node may become: source texts of expressions in its place."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        yield ast.Compare(
            node.left,
            [COMPARISONS[type(node.ops[0])](), *node.ops[1:]],
            node.comparators,
        )
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        yield ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(
            ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values
        )
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield node.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        yield ast.Constant(
            not node.value if isinstance(node.value, bool) else node.value + 1
        )
    elif (
        isinstance(node, ast.Call)
        and node.keywords
        and node.keywords[-1].arg not in (None, *SPEED)
    ):
        yield ast.Call(
            node.func, node.args, node.keywords[:-1]
        )  # an argument that is forgotten
    elif isinstance(node, ast.IfExp):
        yield node.body
        yield node.orelse


def mutants_of(path):
    """Pairs of a description and a whole source text, for every place that can be
    changed.
    """
    source = path.read_text(encoding="utf-8")
    tree, lines = ast.parse(source), source.encode().split(b"\n")
    skipped = (
        set()
    )  # messages, annotations and what is kept for the next call are no behaviour
    for node in ast.walk(tree):
        asides = [node] if isinstance(node, ast.Raise | ast.JoinedStr) else []
        asides += [node] if isinstance(node, ast.keyword) and node.arg in SPEED else []
        asides += [
            getattr(node, name)
            for name in ("annotation", "returns")
            if getattr(node, name, None)
        ]
        skipped |= {id(inner) for aside in asides for inner in ast.walk(aside)}
    for node in ast.walk(tree):
        for new in changed(node) if id(node) not in skipped else ():
            start, end = node.lineno - 1, node.end_lineno - 1
            text = f"({ast.unparse(new)})".encode()
            middle = (
                lines[start][: node.col_offset]
                + text
                + lines[end][node.end_col_offset :]
            )
            change = f"{ast.unparse(node)[:60]} -> {ast.unparse(new)[:60]}"
            mutant = b"\n".join([*lines[:start], middle, *lines[end + 1 :]])
            yield f"{path.relative_to(ROOT / 'lib')}:{node.lineno}: {change}", mutant


def copied(source, folder, touched=""):
    """A copy of the project without the compiled functions of a module."""
    left_out = shutil.ignore_patterns(f"{touched}.*.nb?")
    for name in ("lib", "tests", "book/published"):
        shutil.copytree(source / name, folder / name, ignore=left_out)
    for name in ("pyproject.toml", "conftest.py", "README.md"):
        shutil.copy2(source / name, folder)
    return folder


def tests_of(path):
    """The module itself, for its examples, and the tests of all packages, the likeliest
    to notice first.
    """
    body = ast.parse(path.read_bytes()).body
    names = [
        node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)
    ]
    tests = [
        test
        for package in PACKAGES
        for test in sorted((ROOT / "tests" / package).glob("test_*.py"))
    ]
    counts = {
        test: sum(map(test.read_text(encoding="utf-8").count, names)) for test in tests
    }
    tests.sort(key=lambda test: (test.parent.name != path.parent.name, -counts[test]))
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
    os._exit(code)  # nobody ends joblib's workers, which another end would wait for


def fate(path, copy, seconds=None):
    """What the tests say of a module in a copy of the project."""
    process = PROCESSES.Process(target=run_tests, args=(copy, tests_of(path)))
    process.start()
    process.join(seconds)
    if process.is_alive():
        process.kill()
        process.join()
        return "too slow"
    return "killed" if process.exitcode else "survived"


def fate_of_mutant(path, text, base, seconds):
    with tempfile.TemporaryDirectory() as scratch:
        copy = copied(base, Path(scratch), path.stem)
        (copy / path.relative_to(ROOT)).write_bytes(text)
        return fate(path, copy, seconds)


def main():
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument(
        "parts",
        nargs="*",
        default=PACKAGES,
        help="of lib/treebounds: risk, risk/vc_srm.py",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    end, library = time.monotonic() + 60 * options.minutes, ROOT / "lib" / "treebounds"
    files = {
        part: sorted((library / part).glob("*.py")) or [library / part]
        for part in options.parts
    }
    fates = {part: {"killed": [], "survived": [], "too slow": []} for part in files}

    def attempt(part, path, name, text):
        if (start := time.monotonic()) < end:
            said = fate_of_mutant(path, text, base, limit)
            fates[part][said].append(name)
            print(f"{said:8} {time.monotonic() - start:4.0f} s  {name}", flush=True)

    with (
        tempfile.TemporaryDirectory() as scratch,
        ThreadPoolExecutor(options.jobs) as pool,
    ):
        base, drawn = copied(ROOT, Path(scratch)), []
        start = time.monotonic()
        if fate(next(iter(files.values()))[0], base) != "survived":
            raise SystemExit("the tests fail on the library as it is")
        limit = 60 + 5 * (
            time.monotonic() - start
        )  # tests of a mutant may take several times as long
        for part, paths in files.items():
            mutants = [
                (part, path, *mutant) for path in paths for mutant in mutants_of(path)
            ]
            drawn.append(
                random.Random(f"{options.seed} {part}").sample(mutants, len(mutants))
            )
        turns = chain.from_iterable(zip_longest(*drawn))
        for run in [pool.submit(attempt, *mutant) for mutant in turns if mutant]:
            run.result()
    for part, said in fates.items():
        tried = sum(map(len, said.values()))
        print(
            f"{part}: {len(said.pop('killed')) / max(1, tried):.0%} of {tried} killed"
        )
        for word, names in said.items():
            for name in sorted(names):
                print(f"  {word}: {name}")


if __name__ == "__main__":
    main()
