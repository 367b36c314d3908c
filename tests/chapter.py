"""A chapter that runs inside the test's process, and again from one of its cells with something changed."""

import ast
import importlib
import linecache
import os
import sys
from contextlib import ExitStack, chdir, contextmanager
from pathlib import Path
from unittest import mock

import execute
import jupytext
import matplotlib
import matplotlib.pyplot as plt

from reproduction.claims import Record

ROOT = Path(__file__).resolve().parents[1]


class Chapter:
    """The code cells of a notebook without its solutions, and what they leave when they run.

    They run in one namespace, as in a kernel: functions that were defined in it see what a later cell, or a
    perturbation, puts there.
    """

    def __init__(self, path):
        self.header = execute.read_header(path)
        self.cells = list(_code_cells(path, self.header.small))
        self.namespace = {"__name__": "__main__"}
        self.records = {}  # identifier: (number of the cell that shows the record, record)

    def run(self, results):
        """Run every cell once; what is displayed is kept if it is a record, else dropped."""
        with _quiet(results):
            self.namespace["display"] = lambda *shown, **options: None
            for number, cell in enumerate(self.cells):
                for record in self._run_cell(number, cell):
                    self.records[record.id] = (number, record)

    def settle_again(self, id, *, code="", start="", replace=None):
        """The record of a claim after some code, with the cells from `start` to the one that settles it.

        A list as `start` names the cells, instead, that run again before that one. In all of them each key of
        `replace` gives way to its value.
        Afterwards names, library and caches are as before; objects that the code changes in place are not.
        """
        last = self.records[id][0]
        if isinstance(start, list):
            again = sorted({self._find(text, last) for text in start} | {last})
        else:
            again = range(self._find(start, last) if start else last, last + 1)
        before = dict(self.namespace)
        with ExitStack() as undo, _quiet(os.environ["TREEBOUNDS_RESULTS"]):
            self.namespace["patch_attribute"] = lambda *given: _patch(self.namespace, undo, *given)
            _clear_caches(self.namespace)
            try:
                exec(compile(code, f"<perturbation of {id}>", "exec"), self.namespace)
                sources = _replaced([self.cells[n] for n in again], replace or {})
                shown = [r for n, cell in zip(again, sources, strict=True) for r in self._run_cell(n, cell)]
            finally:
                undo.close()
                self.namespace.clear()
                self.namespace.update(before)
                _clear_caches(self.namespace)
        return {record.id: record for record in shown}[id]

    def _find(self, text, last):
        found = [n for n, cell in enumerate(self.cells[: last + 1]) if text in cell]
        if not found:
            raise ValueError(f"start: no cell up to the one that settles the claim contains {text!r}")
        return found[0]

    def _run_cell(self, number, source):
        """Run a cell; the records that it displays."""
        name = f"<{self.header.name}, cell {number}>"
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        body = ast.parse(source, name).body
        shown, namespace = [], self.namespace
        namespace["display"] = lambda *values, **options: shown.extend(values)
        last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), name, "exec"), namespace)
        if last:
            shown.append(eval(compile(ast.Expression(last.value), name, "eval"), namespace))
        plt.close("all")
        return [value for value in shown if isinstance(value, Record)]


def _replaced(cells, replace):
    for old, new in replace.items():
        if not any(old in cell for cell in cells):
            raise ValueError(f"replace: none of the cells that run again contains {old!r}")
        cells = [cell.replace(old, new) for cell in cells]
    return cells


def _code_cells(path, small):
    """The sources of the cells, small parameters behind the cell that is tagged so."""
    in_solution = False
    for cell in jupytext.read(path).cells:
        if cell.cell_type == "markdown":
            start, end = (cell.source.rfind(f"{{solution-{word}}}") for word in ("start", "end"))
            if max(start, end) >= 0:
                in_solution = start > end
        elif cell.cell_type == "code" and not in_solution:
            yield cell.source
            if "parameters" in cell.metadata.get("tags", []):
                yield "\n".join(f"{name} = {value!r}" for name, value in small.items())


@contextmanager
def _quiet(results):
    """Directory and settings of a kernel of the build; nothing is glued, nothing drawn on a screen."""
    # one processor each, as for kernels that run together: in other processes nothing would be perturbed
    environment = {"TREEBOUNDS_RESULTS": str(results), "LOKY_MAX_CPU_COUNT": "1"}
    with (
        chdir(ROOT),
        mock.patch.dict(os.environ, environment),
        mock.patch("myst_nb.glue"),
        mock.patch("matplotlib.pyplot.show"),
        matplotlib.rc_context({"backend": "Agg"}),
    ):
        yield


def _patch(namespace, undo, module, name, new):
    """Put `new` in the place of an attribute, wherever library and notebook imported it."""
    module = importlib.import_module(module) if isinstance(module, str) else module
    old = getattr(module, name)
    modules = [m for key, m in list(sys.modules.items()) if key.startswith(("treebounds", "reproduction"))]
    for other in {id(m): m for m in (*modules, module)}.values():
        for key, value in list(vars(other).items()):
            if value is old:
                undo.enter_context(mock.patch.object(other, key, new))
    for key, value in list(namespace.items()):
        if value is old:
            namespace[key] = new


def _clear_caches(namespace):
    """Empty what functions remember: of the notebook, and of the library, where it may be patched."""
    library = [vars(m) for key, m in list(sys.modules.items()) if key.startswith("treebounds") and m]
    for names in (namespace, *library):
        for value in list(names.values()):
            if callable(getattr(value, "cache_clear", None)):
                value.cache_clear()
