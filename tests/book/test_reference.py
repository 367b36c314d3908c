"""The docstrings that the reference shows are written as numpydoc reads them."""

import importlib
import inspect
import re
from pathlib import Path

import pytest
from numpydoc.docscrape import NumpyDocString
from sphinx.util.inspect import signature

API = Path(__file__).resolve().parents[2] / "book" / "api"
MODULES = [
    name
    for page in sorted(API.glob("*.md"))
    for name in re.findall(r"automodule:: (\S+)", page.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("name", MODULES)
def test_every_docstring_can_be_read(name):
    module = importlib.import_module(name)
    for public in getattr(module, "__all__", dir(module)):
        member = getattr(module, public)
        if inspect.isroutine(member) or inspect.isclass(member):
            NumpyDocString(inspect.getdoc(member) or "")


def test_no_private_parameter_is_shown():
    """Sphinx and ``help`` read the signatures of a class and of its ``__init__``."""
    members = [
        getattr(importlib.import_module(name), public)
        for name in MODULES
        for public in getattr(importlib.import_module(name), "__all__", [])
    ]
    shown = [member for member in members if inspect.isfunction(member)]
    for member in filter(inspect.isclass, members):
        if inspect.isfunction(member.__init__):
            shown += [member, member.__init__]
    private = [
        f"{member.__qualname__}({parameter})"
        for member in shown
        for parameter in signature(member).parameters
        if parameter.startswith("_")
    ]
    assert len(shown) > 100
    assert private == []


def test_an_entry_of_see_also_that_goes_on_in_the_next_line_is_seen():
    docstring = "Sum.\n\nSee Also\n--------\nmean : the mean of all\nof them : no."
    with pytest.raises(ValueError, match="See Also"):
        NumpyDocString(docstring)
