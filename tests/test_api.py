"""The public names and their parameters are those that were written down.

``make api`` writes them to ``public_api.txt``: what each public module exports, the
parameters of functions and methods, and the attributes that docstrings list. After a
change that is meant, run it again and look at the difference; a change that breaks a
caller belongs in the changelog.
"""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import treebounds

WRITTEN = Path(__file__).with_name("public_api.txt")
PUBLIC = (
    "treebounds",
    *(
        f"treebounds.{module.name}"
        for module in pkgutil.iter_modules(treebounds.__path__)
        if not module.name.startswith("_")
    ),
)


def public_names(module):
    """What a module exports: its ``__all__``, or what it defines."""
    defined = [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and getattr(value, "__module__", "") == module.__name__
    ]
    return getattr(module, "__all__", defined)


def described(name, value):
    """The lines of a public name: its parameters, its methods and its attributes."""
    if not callable(value):
        return [name]
    if not isinstance(value, type):
        return [f"{name}{parameters(value)}"]

    described_members = {}
    for own, member in members(value).items():
        function = getattr(member, "__func__", member)
        described_members[own] = ""
        if inspect.isfunction(function):
            described_members[own] = parameters(function)
    for attribute in attributes(value):
        described_members.setdefault(attribute, "")

    lines = [f"{name}.{own}{rest}" for own, rest in sorted(described_members.items())]
    # A warning takes what every exception takes.
    if not issubclass(value, Warning):
        name += parameters(value)
    return [name, *lines]


def members(kind):
    """The public members of a class that are written in this library."""
    written = {}
    for base in reversed(kind.__mro__):
        if base is kind or base.__module__.partition(".")[0] == "treebounds":
            written |= vars(base)
    return {
        name: member
        for name, member in written.items()
        if not name.startswith("_") and not name.endswith("_request")
    }


def attributes(kind):
    """The names in the section *Attributes* of a docstring."""
    docstring = inspect.getdoc(kind) or ""
    _, _, section = docstring.partition("\nAttributes\n----------\n")
    section = re.split(r"\n\S.*\n---+\n", section)[0]
    heads = re.findall(r"^(\w[\w, \n]*?)(?: :.*)?$", section, flags=re.MULTILINE)
    return re.findall(r"\w+", " ".join(heads))


def parameters(function):
    """The parameters without their types, which may be written in several ways, and
    without private ones.
    """
    signature = inspect.signature(function)
    bare = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in signature.parameters.values()
        if not parameter.name.startswith("_")
    ]
    return str(inspect.Signature(bare))


def public_api():
    """The public modules with their names, as text."""
    lines = []
    for module_name in PUBLIC:
        module = importlib.import_module(module_name)
        lines += ["", f"# {module_name}"]
        for name in sorted(public_names(module)):
            lines += described(name, getattr(module, name))
    return "\n".join(lines[1:]) + "\n"


def test_public_names_and_parameters_are_those_that_were_written_down():
    assert public_api() == WRITTEN.read_text(encoding="utf-8"), (
        "run `make api`, look at the difference, and commit it if it is meant"
    )


class Base:
    def to_plain(self): ...


Base.__module__ = "treebounds.estimators._publishing"


class Model(Base, dict):
    """A model.

    Attributes
    ----------
    bound_, size : float
        Some words.
    tree_, classes_,
    n_features_in_
        As elsewhere.

    Notes
    -----
    word : no attribute
    """

    def __init__(self, *, delta: float = 0.05) -> None: ...

    def fit(self, X: list[float], y: None = None) -> None: ...

    size = 3


def test_a_class_is_described_by_what_this_library_gives_it():
    assert described("Model", Model) == [
        "Model(*, delta=0.05)",
        "Model.bound_",
        "Model.classes_",
        "Model.fit(self, X, y=None)",
        "Model.n_features_in_",
        "Model.size",
        "Model.to_plain(self)",
        "Model.tree_",
    ]


@pytest.mark.parametrize(
    ("broken", "changed"),
    [
        (lambda tree, n_features: 0, "vc_dimension_upper_bound(tree, n_features)"),
        (
            lambda tree, n_features=1: 0,
            "vc_dimension_upper_bound(tree, n_features=1)",
        ),
    ],
)
def test_a_changed_signature_changes_the_text(broken, changed, monkeypatch):
    assert changed not in public_api().splitlines()
    monkeypatch.setattr(treebounds, "vc_dimension_upper_bound", broken)
    assert changed in public_api().splitlines()


def public_objects():
    """All public functions and classes, each once."""
    objects = {}
    for module_name in PUBLIC:
        module = importlib.import_module(module_name)
        for name in public_names(module):
            member = getattr(module, name)
            if inspect.isfunction(member) or inspect.isclass(member):
                objects[f"{member.__module__}.{name}"] = member
    return objects


def has_example_near_the_top(docstring):
    """Whether an example comes before the first section and in the first lines."""
    before_sections = re.split(r"\n\S.*\n---+\n", docstring)[0]
    first_lines = before_sections.splitlines()[:15]
    return any(line.startswith(">>>") for line in first_lines)


def test_an_example_stands_near_the_top_of_each_docstring():
    without = [
        name
        for name, member in public_objects().items()
        if not has_example_near_the_top(inspect.getdoc(member) or "")
    ]
    assert without == []


if __name__ == "__main__":
    WRITTEN.write_text(public_api(), encoding="utf-8")
