"""The public names and their parameters are those that were written down.

They are written down by ``python tests/test_api.py`` for the first release candidate.
After a later change that is meant, run it again and look at the difference; a change
that breaks a caller belongs in the changelog.
"""

import importlib
import inspect
import pkgutil
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
    """The lines of a public name: its parameters, and those of its methods."""
    if not callable(value):
        return [name]
    lines = [f"{name}{parameters(value)}"]
    if isinstance(value, type):
        for own, member in sorted(vars(value).items()):
            if own.startswith("_") or own.endswith("_request"):
                continue
            function = getattr(member, "__func__", member)
            is_function = inspect.isfunction(function)
            signature = parameters(function) if is_function else ""
            lines.append(f"{name}.{own}{signature}")
    return lines


def parameters(function):
    """The parameters without their types, which may be written in several ways."""
    signature = inspect.signature(function)
    bare = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in signature.parameters.values()
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


@pytest.mark.skipif(
    not WRITTEN.exists(), reason="NOT RUN: the public names are not written down yet"
)
def test_public_names_and_parameters_are_those_that_were_written_down():
    assert public_api() == WRITTEN.read_text(encoding="utf-8")


def test_a_method_is_described_by_its_parameters():
    class Model:
        def __init__(self, *, delta: float = 0.05) -> None: ...

        def fit(self, X: list[float], y: None = None) -> None: ...

        size = 3

    assert described("Model", Model) == [
        "Model(*, delta=0.05)",
        "Model.fit(self, X, y=None)",
        "Model.size",
    ]


if __name__ == "__main__":
    WRITTEN.write_text(public_api(), encoding="utf-8")
