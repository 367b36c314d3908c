"""The inputs on which the outcome of a notebook depends, with hashes: source, imports, pins, data."""

import ast
import hashlib
import json
import platform
import re
from functools import cache
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
    modules = _behind(_code(text))
    texts = [text, *(path.read_text(encoding="utf-8") for path in modules)]
    # a table of published values, or a file beside a module, is an input where its name is written
    published = [p for p in (ROOT / "book" / "published").glob("*.toml") if any(p.stem in t for t in texts)]
    beside = [p for m in modules for p in m.parent.glob("*.[jmt]*") if p.name in m.read_text("utf-8")]
    files = {*modules, *published, *beside, *(ROOT / name for name in MACHINERY)}
    return {
        "its source": hashlib.sha256(text.encode()).hexdigest(),
        "its parameters": json.dumps(parameters, sort_keys=True),
        "Python": platform.python_version(),
        **{path.relative_to(ROOT).as_posix(): _sha256(path) for path in sorted(files)},
    }


def data_inputs(log: Path) -> dict[str, str]:
    """The files of data that a notebook opened or looked for in vain, as ``datasets.load`` noted them."""
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return {name: current_data(name) for name in sorted(set(lines))}


def current_data(name: str) -> str:
    """Hash of a registered file ``<folder>/<file>`` as it is on this machine now."""
    from reproduction.datasets import local_paths

    here = [path for path in local_paths(*name.split("/")) if path.is_file()]
    return _sha256(here[0]) if here else ABSENT


def _sha256(path: Path) -> str:
    """Hash of the bytes of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _code(text: str) -> ast.Module:
    """The code cells of a notebook in one piece, without their options and magics."""
    cells = "".join(OPTIONS.sub("", cell[1]) for cell in CODE.findall(text))
    try:
        return ast.parse(re.sub(r"^(\s*)(%%?|!)\w.*$", r"\1pass", cells, flags=re.M))
    except SyntaxError:  # its execution will name the place
        return ast.Module([], [])


def _behind(code: ast.Module) -> set[Path]:
    """The modules of the project that some code imports, directly or through others."""
    modules, todo, seen, files = _modules(ROOT), set(_imports(code)), set(), set()
    while todo:
        seen.add(pair := todo.pop())
        module, name = pair
        if f"{module}.{name}" in modules:
            more = {(f"{module}.{name}", None)}
        elif name in (passed_on := _passed_on(modules[module])):  # handing on a name makes no input
            more = {passed_on[name]}
        else:
            files.add(modules[module])
            more = _imports(_parsed(modules[module]))
        todo |= {pair for pair in more - seen if pair[0] in modules}
    return files


@cache
def _imports(code: ast.Module) -> set[tuple[str, str | None]]:
    """Pairs of a module of the project and the name that is taken from it; None for the whole module."""
    found, called, attributes = set(), {}, {}
    for node in ast.walk(code):
        if isinstance(node, ast.ImportFrom):
            found |= {(node.module, alias.name) for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {(alias.name, None) for alias in node.names if "." in alias.name}
            called |= {a.asname or a.name: a.name for a in node.names if "." not in a.name}
        elif isinstance(node, ast.Attribute):
            attributes[id(node.value)] = node.attr
    for node in ast.walk(code):
        if isinstance(node, ast.Name) and node.id in called:
            found.add((called[node.id], attributes.get(id(node))))
    return {pair for pair in found if pair[0] in _modules(ROOT)}


@cache
def _parsed(path: Path) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _passed_on(path: Path) -> dict[str, tuple[str, str]]:
    """The names that a package's ``__init__`` imports from elsewhere."""
    body = _parsed(path).body if path.name == "__init__.py" else ()
    taken = [
        (node.module, alias) for node in body if isinstance(node, ast.ImportFrom) for alias in node.names
    ]
    return {alias.asname or alias.name: (module, alias.name) for module, alias in taken}


@cache
def _modules(root: Path) -> dict[str, Path]:
    """The modules of the project by name."""
    files = {path.relative_to(root / "lib").with_suffix(""): path for path in root.glob("lib/**/*.py")}
    return {".".join(name.parts).removesuffix(".__init__"): path for name, path in files.items()}
