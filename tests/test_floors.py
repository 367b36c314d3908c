"""A module of the library imports only from its own floor and from those below it."""

import ast
import re
from pathlib import Path

import networkx
import pytest

LIBRARY = Path(__file__).resolve().parents[1] / "lib" / "treebounds"
MODULES = {
    ".".join(path.relative_to(LIBRARY.parent).with_suffix("").parts): path
    for path in sorted(LIBRARY.rglob("*.py"))
}
FLOORS = (
    {
        "_validation",
        "_labels",
        "_row_order",
        "_compiled",
        "_versions",
        "exceptions",
    },
    {"structure"},
    {"trees"},
    {"formats"},
    {"capacity"},
    {"risk"},
    {"pruning"},
    {"estimators"},
    {"spark"},
)


def imports(path, nodes=ast.walk):
    """The modules that a file imports, also for types alone, each with the line."""
    for node in nodes(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import"
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                if name not in MODULES:
                    name = node.module
                yield name, node.lineno


def in_functions(tree):
    """The nodes inside functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            for inner in ast.iter_child_nodes(node):
                yield from ast.walk(inner)


def module(name):
    """The module of an imported name; a package is its ``__init__``."""
    if f"{name}.__init__" in MODULES:
        return f"{name}.__init__"
    return name


def floor(name):
    """The number of the floor of a module; the face of the library is above all."""
    room = name.split(".")[1]
    for number, rooms in enumerate(FLOORS):
        if room in rooms:
            return number
    assert room == "__init__", f"{name} is on no floor: say on which, in this file"
    return len(FLOORS)


@pytest.mark.parametrize("name", MODULES)
def test_imports_come_from_the_same_floor_or_below(name):
    upwards = [
        f"line {line}: {other}"
        for other, line in imports(MODULES[name])
        if other.split(".")[0] == "treebounds" and floor(module(other)) > floor(name)
    ]
    assert upwards == []


@pytest.mark.parametrize("name", MODULES)
def test_no_function_imports_a_module_of_the_library(name):
    late = [
        f"line {line}: {other}"
        for other, line in imports(MODULES[name], in_functions)
        if other.split(".")[0] == "treebounds"
    ]
    assert late == []


@pytest.mark.parametrize("name", MODULES)
def test_the_library_never_imports_what_only_the_book_needs(name):
    tops = {other.split(".")[0] for other, _ in imports(MODULES[name])}
    assert "reproduction" not in tops


def test_no_modules_import_each_other_in_a_circle():
    graph = networkx.DiGraph()
    for name, path in MODULES.items():
        own = [other for other, _ in imports(path) if other.startswith("treebounds")]
        graph.add_edges_from((name, module(other)) for other in own)
    assert list(networkx.simple_cycles(graph)) == []


# The folders of risk/, each of which stands on those before it alone.
ROOMS_OF_RISK = ["rows", "models", "reuse"]


@pytest.mark.parametrize("name", [name for name in MODULES if ".risk." in name])
def test_the_folders_of_risk_stand_on_one_another(name):
    folders = [*ROOMS_OF_RISK, "above"]

    def height(other):
        folder = other.split(".")[2]
        if folder not in ROOMS_OF_RISK:
            folder = "above"
        return folders.index(folder)

    upwards = [
        f"line {line}: {other}"
        for other, line in imports(MODULES[name])
        if other.startswith("treebounds.risk") and height(module(other)) > height(name)
    ]
    assert upwards == []


@pytest.mark.parametrize(
    "folder", ["capacity", "risk", *(f"risk/{room}" for room in ROOMS_OF_RISK)]
)
def test_the_map_of_a_large_folder_names_each_room_once(folder):
    face = LIBRARY / folder / "__init__.py"
    rooms = {path.stem for path in face.parent.iterdir() if "__" not in path.name}
    named = re.findall(r"^#   (\w+)  ", face.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(named) == sorted(rooms)


@pytest.mark.parametrize(
    "code",
    [
        "def f():\n    import treebounds.trees",
        "def f():\n    if x:\n        from treebounds.trees import ArrayTree",
        "class C:\n    def m(self):\n        import treebounds.trees",
    ],
)
def test_a_late_import_is_seen(code, tmp_path):
    path = tmp_path / "late.py"
    path.write_text(code)
    assert [name for name, _ in imports(path, in_functions)] == ["treebounds.trees"]


def test_an_import_for_types_is_seen(tmp_path):
    path = tmp_path / "types.py"
    path.write_text("if TYPE_CHECKING:\n    from treebounds.trees import ArrayTree\n")
    assert list(imports(path)) == [("treebounds.trees", 2)]
