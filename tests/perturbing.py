"""Break what the claims of a chapter are about, in the kernel that has just executed
the chapter.

The kernels of the tests' book call `watch` when they start. Behind the last cell of the
chapter it settles each claim again, once for each perturbation, and writes down what is
wrong.
"""

import ast
import importlib
import importlib.util
import json
import linecache
import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock


class Names:
    """The names of a chapter as attributes, and ``patch_attribute``.

    ``patch_attribute(module, name, new)`` puts ``new`` in the place of an attribute,
    wherever library and notebook imported it.
    """

    def __init__(self, namespace):
        self.__dict__ = namespace


Change = Callable[[Names], None]


@dataclass(frozen=True)
class Perturbation:
    """How the object of a claim is broken; see ``test_perturbations.py``."""

    patch: Change | None = None
    replace: dict[str, str] = field(default_factory=dict)
    start: str | list[str] = ""
    given: Change | None = None
    flags: Change | None = None
    becomes: str = ""


def load(path):
    """The perturbations of a chapter from its Python file: a list for each claim."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    perturbations = {}
    for id, one_or_several in module.PERTURBATIONS.items():
        perturbations[id] = one_or_several
        if not isinstance(one_or_several, list):
            perturbations[id] = [one_or_several]
    return perturbations


class Chapter:
    """The code cells of a notebook without its solutions, and the namespace in which
    they ran.

    Functions that were defined in it see what a later cell, or a perturbation, puts
    there.
    """

    def __init__(self, name, cells, namespace):
        self.name = name
        self.cells = cells
        self.namespace = namespace

    def settled_in(self, id):
        """The number of the cell that settles a claim, the last one that has its name
        or makes it up.
        """
        names = f'"{id}"', f'"{id.rstrip("0123456789")}{{'
        return max(
            number
            for number, cell in enumerate(self.cells)
            if any(name in cell for name in names)
        )

    def settle_again(self, id, *, changes=(), start="", replace=None):
        """The record of a claim after some changes, with the cells from `start` to the
        one that settles it.

        A list as `start` names the cells, instead, that run again before that one. In
        all of them each key of `replace` gives way to its value. Afterwards names,
        library and caches are as before; objects that a change alters in place are not.
        """
        numbers = self._cells_to_run(start, self.settled_in(id))

        with self._restored() as patch, _quiet():
            self.namespace["patch_attribute"] = patch
            for change in changes:
                change(Names(self.namespace))

            cells = [self.cells[number] for number in numbers]
            sources = _replaced(cells, replace or {})
            records = {}
            for number, source in zip(numbers, sources, strict=True):
                records.update(self._run_cell(number, source))

        return records[id]

    def _cells_to_run(self, start, last):
        if isinstance(start, list):
            return sorted({*(self._find(text, last) for text in start), last})
        first = last
        if start:
            first = self._find(start, last)
        return list(range(first, last + 1))

    def _find(self, text, last):
        for number, cell in enumerate(self.cells[: last + 1]):
            if text in cell:
                return number
        raise AssertionError(
            f"start: no cell up to the one that settles the claim contains {text!r}"
        )

    @contextmanager
    def _restored(self):
        """Names, library and caches are as before when this ends; yields a function
        that patches.
        """
        before = dict(self.namespace)
        _clear_caches(self.namespace)
        try:
            with ExitStack() as undo:
                yield lambda *patch: _patch(self.namespace, undo, *patch)
        finally:
            self.namespace.clear()
            self.namespace.update(before)
            _clear_caches(self.namespace)

    def _run_cell(self, number, source):
        """Run a cell; the records that it displays, by claim."""
        name = f"<{self.name}, cell {number}>"
        lines = source.splitlines(keepends=True)
        linecache.cache[name] = (len(source), None, lines, name)

        displays = []
        self.namespace["display"] = lambda *values, **options: displays.extend(values)
        body = ast.parse(source, name).body
        last = None
        if body and isinstance(body[-1], ast.Expr):
            last = body.pop()
        exec(compile(ast.Module(body, []), name, "exec"), self.namespace)
        if last:
            expression = compile(ast.Expression(last.value), name, "eval")
            displays.append(eval(expression, self.namespace))

        sys.modules["matplotlib.pyplot"].close("all")
        return _records(displays)


def _records(values):
    """The records among some values, by claim."""
    record = sys.modules["reproduction.claims"].Record
    return {value.id: value for value in values if isinstance(value, record)}


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

    # One processor, as for kernels that run together: in other processes nothing would
    # be perturbed.
    with (
        tempfile.TemporaryDirectory() as results,
        mock.patch.dict(os.environ, TREEBOUNDS_RESULTS=results, LOKY_MAX_CPU_COUNT="1"),
        mock.patch("myst_nb.glue"),
        mock.patch("matplotlib.pyplot.show"),
        rc_context({"backend": "Agg"}),
        capture_output(),
    ):
        yield


def _own_modules(*packages):
    """The loaded modules of some packages."""
    loaded = list(sys.modules.items())
    return [module for name, module in loaded if module and name.startswith(packages)]


def _patch(namespace, undo, module, name, new):
    """Put `new` in the place of an attribute, wherever library and notebook imported
    it.
    """
    if isinstance(module, str):
        module = importlib.import_module(module)
    old = getattr(module, name)

    places = [*_own_modules("treebounds", "reproduction"), module]
    for place in {id(place): place for place in places}.values():
        for key, value in list(vars(place).items()):
            if value is old:
                undo.enter_context(mock.patch.object(place, key, new))

    for key, value in list(namespace.items()):
        if value is old:
            namespace[key] = new


def _clear_caches(namespace):
    """Empty what functions remember: of the notebook, and of the library, where it may
    be patched.
    """
    library = [vars(module) for module in _own_modules("treebounds")]
    for names in (namespace, *library):
        for value in list(names.values()):
            if callable(getattr(value, "cache_clear", None)):
                value.cache_clear()


def problems(chapter, perturbations):
    """What is wrong with the perturbations of a chapter, in sentences."""
    records = _records(chapter.namespace.get("Out", {}).values())
    verdicts = {}
    for id in perturbations:
        record = records.get(id) or chapter.settle_again(id)
        verdicts[id] = record.verdict

    sentences = []
    for id, several in perturbations.items():
        sentences += [_problem(chapter, id, verdicts[id], each) for each in several]
    for id, verdict in verdicts.items():
        if chapter.settle_again(id).verdict != verdict:
            sentences.append(f"{id}: a perturbation left something behind")
    return [sentence for sentence in sentences if sentence]


def _problem(chapter, id, verdict, perturbation):
    """What is wrong with a perturbation; "" if it changes the verdict."""
    before = [change for change in (perturbation.flags, perturbation.given) if change]
    if before:
        # What only the cell that settles the claim reads needs no other cell.
        start = ""
        if perturbation.given:
            start = perturbation.start
        verdict = chapter.settle_again(id, changes=before, start=start).verdict
    if verdict == "not run":
        return (
            f"{id} is not run with small parameters: say in `given` what would"
            " settle it"
        )

    changes = before
    if perturbation.patch:
        changes = [*before, perturbation.patch]
    try:
        after = chapter.settle_again(
            id,
            changes=changes,
            start=perturbation.start,
            replace=perturbation.replace,
        ).verdict
    except Exception as error:
        return f"{id}: the perturbation ends in {type(error).__name__}: {error}"

    expected = perturbation.becomes or "a change"
    if after == verdict or perturbation.becomes not in ("", after):
        return (
            f"{id} is {after} with the perturbation, {verdict} without; expected"
            f" {expected}"
        )
    return ""


def watch(shell):
    """Perturb the chapter that this kernel executes behind its last cell, if it has
    perturbations.
    """
    folder = Path(os.environ["TREEBOUNDS_PERTURBED"])
    name = Path(os.environ["TREEBOUNDS_RESULTS"]).parent.name
    file = folder / f"{name}.json"
    if not file.exists():
        return

    task = json.loads(file.read_text(encoding="utf-8"))
    last_cell = task["cells"][-1].strip()

    def after_cell(result):
        if result.success and result.info.raw_cell.strip() == last_cell:
            answer = {"digest": task["digest"], "problems": _answer(task, shell)}
            report = folder / f"{name}-found.json"
            report.write_text(json.dumps(answer), encoding="utf-8")

    shell.events.register("post_run_cell", after_cell)


def _answer(task, shell):
    """The problems of a task; an exception is one, too."""
    chapter = Chapter(task["name"], task["cells"], shell.user_ns)
    try:
        return problems(chapter, load(Path(task["perturbations"])))
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]
