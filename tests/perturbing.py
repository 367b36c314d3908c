"""Break what the claims of a chapter are about, in the kernel that has just executed
the chapter.

The kernels of the tests' book call `watch` when they start. Behind the last cell of the
chapter it settles each claim again, once for each perturbation, and writes down what is
wrong.
"""

import ast
import importlib
import json
import linecache
import os
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest import mock


class Chapter:
    """The code cells of a notebook without its solutions, and the namespace in which
    they ran.

    Functions that were defined in it see what a later cell, or a perturbation, puts
    there.
    """

    def __init__(self, name, cells, namespace):
        self.name, self.cells, self.namespace = name, cells, namespace

    def settled_in(self, id):
        """The number of the cell that settles a claim, the last one that has its name
        or makes it up.
        """
        names = f'"{id}"', f'"{id.rstrip("0123456789")}{{'
        return max(
            i
            for i, cell in enumerate(self.cells)
            if any(name in cell for name in names)
        )

    def settle_again(self, id, *, code="", start="", replace=None):
        """The record of a claim after some code, with the cells from `start` to the one
        that settles it.

        A list as `start` names the cells, instead, that run again before that one. In
        all of them each key of `replace` gives way to its value. Afterwards names,
        library and caches are as before; objects that the code changes in place are
        not.
        """
        last = self.settled_in(id)
        if isinstance(start, list):
            again = sorted({self._find(text, last) for text in start} | {last})
        else:
            again = range(self._find(start, last) if start else last, last + 1)
        before = dict(self.namespace)
        with ExitStack() as undo, _quiet():
            self.namespace["patch_attribute"] = lambda *given: _patch(
                self.namespace, undo, *given
            )
            _clear_caches(self.namespace)
            try:
                exec(compile(code, f"<perturbation of {id}>", "exec"), self.namespace)
                sources = _replaced([self.cells[n] for n in again], replace or {})
                shown = [
                    r
                    for n, cell in zip(again, sources, strict=True)
                    for r in self._run_cell(n, cell)
                ]
            finally:
                undo.close()
                self.namespace.clear()
                self.namespace.update(before)
                _clear_caches(self.namespace)
        return {record.id: record for record in shown}[id]

    def _find(self, text, last):
        found = [n for n, cell in enumerate(self.cells[: last + 1]) if text in cell]
        assert found, (
            f"start: no cell up to the one that settles the claim contains {text!r}"
        )
        return found[0]

    def _run_cell(self, number, source):
        """Run a cell; the records that it displays."""
        name = f"<{self.name}, cell {number}>"
        linecache.cache[name] = (
            len(source),
            None,
            source.splitlines(keepends=True),
            name,
        )
        body = ast.parse(source, name).body
        shown, namespace = [], self.namespace
        namespace["display"] = lambda *values, **options: shown.extend(values)
        last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), name, "exec"), namespace)
        if last:
            shown.append(
                eval(compile(ast.Expression(last.value), name, "eval"), namespace)
            )
        sys.modules["matplotlib.pyplot"].close("all")
        return [
            value
            for value in shown
            if isinstance(value, sys.modules["reproduction.claims"].Record)
        ]


def _replaced(cells, replace):
    for old, new in replace.items():
        assert any(old in cell for cell in cells), (
            f"replace: no cell that runs again contains {old!r}"
        )
        cells = [cell.replace(old, new) for cell in cells]
    return cells


@contextmanager
def _quiet():
    """Nothing is shown, drawn, glued or written where the book would find it."""
    from IPython.utils.capture import capture_output
    from matplotlib import rc_context

    # one processor, as for kernels that run together: in other processes nothing would
    # be perturbed
    with (
        tempfile.TemporaryDirectory() as results,
        mock.patch.dict(os.environ, TREEBOUNDS_RESULTS=results, LOKY_MAX_CPU_COUNT="1"),
        mock.patch("myst_nb.glue"),
        mock.patch("matplotlib.pyplot.show"),
        rc_context({"backend": "Agg"}),
        capture_output(),
    ):
        yield


def _patch(namespace, undo, module, name, new):
    """Put `new` in the place of an attribute, wherever library and notebook imported
    it.
    """
    module = importlib.import_module(module) if isinstance(module, str) else module
    old = getattr(module, name)
    modules = [
        m
        for key, m in list(sys.modules.items())
        if key.startswith(("treebounds", "reproduction"))
    ]
    for other in {id(m): m for m in (*modules, module)}.values():
        for key, value in list(vars(other).items()):
            if value is old:
                undo.enter_context(mock.patch.object(other, key, new))
    for key, value in list(namespace.items()):
        if value is old:
            namespace[key] = new


def _clear_caches(namespace):
    """Empty what functions remember: of the notebook, and of the library, where it may
    be patched.
    """
    library = [
        vars(m)
        for key, m in list(sys.modules.items())
        if key.startswith("treebounds") and m
    ]
    for names in (namespace, *library):
        for value in list(names.values()):
            if callable(getattr(value, "cache_clear", None)):
                value.cache_clear()


def problems(chapter, perturbations):
    """What is wrong with the perturbations of a chapter, in sentences."""
    results, record = (
        chapter.namespace.get("Out", {}).values(),
        sys.modules["reproduction.claims"].Record,
    )
    shown = {value.id: value for value in results if isinstance(value, record)}
    verdicts = {
        id: (shown.get(id) or chapter.settle_again(id)).verdict for id in perturbations
    }
    found = [
        _problem(chapter, id, verdicts[id], **table)
        for id, table in perturbations.items()
    ]
    left = [
        id
        for id, verdict in verdicts.items()
        if chapter.settle_again(id).verdict != verdict
    ]
    return [text for text in found if text] + [
        f"{id}: a perturbation left something behind" for id in left
    ]


def _problem(
    chapter,
    id,
    verdict,
    *,
    patch="",
    replace=None,
    start="",
    given="",
    flags="",
    becomes="",
):
    """What is wrong with a perturbation, in a sentence; "" if it changes the verdict."""
    given = f"{flags}\n{given}".strip()
    if given:
        verdict = chapter.settle_again(
            id, code=given, start="" if given == flags.strip() else start
        ).verdict
    if verdict == "not run":
        return (
            f"{id} is not run with small parameters: say in `given` what would"
            " settle it"
        )
    try:
        after = chapter.settle_again(
            id, code=f"{given}\n{patch}", start=start, replace=replace
        ).verdict
    except Exception as error:
        return f"{id}: the perturbation ends in {type(error).__name__}: {error}"
    if after == verdict or (becomes and after != becomes):
        return (
            f"{id} is {after} with the perturbation, {verdict} without; expected"
            f" {becomes or 'a change'}"
        )
    return ""


def watch(shell):
    """Perturb the chapter that this kernel executes behind its last cell, if it has
    perturbations.
    """
    folder = Path(os.environ["TREEBOUNDS_PERTURBED"])
    file = folder / f"{Path(os.environ['TREEBOUNDS_RESULTS']).parent.name}.json"
    task = (
        json.loads(file.read_text(encoding="utf-8"))
        if file.exists()
        else {"cells": ["none"]}
    )

    def after_cell(result):
        if result.success and result.info.raw_cell.strip() == task["cells"][-1].strip():
            chapter = Chapter(task["name"], task["cells"], shell.user_ns)
            try:
                found = problems(chapter, task["perturbations"])
            except Exception as error:
                found = [f"{type(error).__name__}: {error}"]
            answer = json.dumps({"digest": task["digest"], "problems": found})
            (folder / f"{chapter.name}-found.json").write_text(answer, encoding="utf-8")

    shell.events.register("post_run_cell", after_cell)
