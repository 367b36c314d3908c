"""The inputs on which the outcome of a notebook depends, with hashes: source, imports, pins, data.

All of ``lib/treebounds`` is one input. Of ``lib/reproduction`` the modules count that the notebook imports,
directly or through others. Comments and docstrings of both change no outcome.
"""

import ast
import hashlib
import json
import os
import platform
import re
from functools import cache
from importlib.util import find_spec
from modulefinder import ModuleFinder
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
MACHINERY = ("book/execute.py", "book/kernels.py", "requirements.lock")  # they shape every notebook
ABSENT = "absent"
CODE = re.compile(r"^(`{3,})\{code-cell\}[^\n]*\n(.*?)^\1$", re.M | re.S)
OPTIONS = re.compile(r"\A(---\n.*?^---\n|(:[^\n]*\n)+)", re.M | re.S)


def static_inputs(source: Path, parameters: dict[str, Any]) -> dict[str, str]:
    """Name and hash of all inputs that are known before the notebook runs; data sets are not."""
    text = source.read_text(encoding="utf-8")
    modules = _behind("".join(OPTIONS.sub("", cell[1]) for cell in CODE.findall(text)))
    tables = ["book/published/*.toml", "lib/reproduction/**/*.[jmt]*", *MACHINERY]
    spark = "bench_spark" in text  # runs where there is Spark, and shows stored runs elsewhere
    tables += ["benchmarks/*spark*"] if spark else []
    files = modules.union(*(ROOT.glob(pattern) for pattern in tables))
    library = [_hash(path) for path in sorted(ROOT.glob("lib/treebounds/**/*.py"))]
    return {
        "its source": hashlib.sha256(text.encode()).hexdigest(),
        "its parameters": json.dumps(parameters, sort_keys=True),
        "Python": platform.python_version(),
        "Spark": str(spark and (os.environ.get("TREEBOUNDS_SPARK_PYTHON") or bool(find_spec("pyspark")))),
        "lib/treebounds": hashlib.sha256("".join(library).encode()).hexdigest(),
        **{path.relative_to(ROOT).as_posix(): _hash(path) for path in sorted(files)},
    }


def data_inputs(log: Path) -> dict[str, str]:
    """The files of data that a notebook opened or looked for in vain, as ``datasets.load`` noted them."""
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return {name: current_data(name) for name in sorted(set(lines))}


def current_data(name: str) -> str:
    """Hash of a registered file ``<folder>/<file>`` as it is on this machine now."""
    from reproduction.datasets import local_paths

    here = [path for path in local_paths(*name.split("/")) if path.is_file()]
    return hashlib.sha256(here[0].read_bytes()).hexdigest() if here else ABSENT


def _behind(code: str) -> set[Path]:
    """The modules of ``reproduction`` that some code imports, directly or through others."""
    finder = ModuleFinder([str(ROOT / "lib")], excludes=["treebounds"])
    try:
        finder.scan_code(compile(code, "notebook", "exec"), finder.add_module("notebook"))
    except SyntaxError:  # a magic, or an error that the execution will show
        return set(ROOT.glob("lib/reproduction/**/*.py"))
    return {Path(module.__file__) for module in finder.modules.values() if module.__file__}


@cache
def _hash(path: Path) -> str:
    """Hash of a file; of a module, without its comments and docstrings."""
    content = path.read_bytes()
    if path.suffix == ".py" and path.is_relative_to(ROOT / "lib"):
        tree = ast.parse(content)
        documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
        for node in ast.walk(tree):
            if isinstance(node, documented) and ast.get_docstring(node, clean=False):
                node.body[0] = ast.Pass()
        content = ast.dump(tree).encode()
    return hashlib.sha256(content).hexdigest()
