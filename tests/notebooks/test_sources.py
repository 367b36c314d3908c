"""What every source notebook has to look like."""

import ast
import re
import tomllib
from collections import Counter
from pathlib import Path

import execute
import pytest
from cache import CODE, OPTIONS
from reading import HIDDEN

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "notebooks").glob("*/*.md"))
EXCEPTIONS = tomllib.loads(
    (ROOT / "tests" / "book" / "reading_exceptions.toml").read_text(encoding="utf-8")
)
CLAIMS = tomllib.loads((ROOT / "book" / "claims.toml").read_text(encoding="utf-8"))[
    "claim"
]
LABEL = re.compile(
    r"^(?::label:|:name:|    name:)\s*([\w-]+)\s*$|^\(([\w-]+)\)=$", re.M
)


def code_cells(path):
    """The code of each cell without its options, and whether it is folded."""
    for _, body in CODE.findall(path.read_text(encoding="utf-8")):
        options = OPTIONS.match(body)
        yield OPTIONS.sub("", body), bool(options and HIDDEN.search(options[0]))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_cells_are_short_and_narrow(path):
    for cell, folded in code_cells(path):
        lines = cell.strip().split("\n")
        assert len(lines) <= (40 if folded else 30), lines[0]
        assert max(map(len, lines)) <= (100 if folded else 79), max(lines, key=len)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_a_chapter_has_its_parts_and_collects_its_records_at_the_end(path):
    text = path.read_text(encoding="utf-8")
    before, settled, _ = text.partition("\n## What was settled\n")
    assert settled
    exempt = "records" in EXCEPTIONS.get(f"{path.parent.name}/{path.stem}", {})
    assert exempt or not re.search(r"claims\.(settle|not_run)\(\s*\"", before)
    assert len(re.findall(r"^# ", CODE.sub("", text), re.M)) == 1, "one title"
    assert len(re.findall(r"^`{3,}\{exercise\}", text, re.M)) >= 2
    assert len(re.findall(r"\{solution-start\}", text)) >= 2
    assert "use_book_style()" in text
    # Interactive pictures are described by alt=.
    described = len(re.findall(r"\n    alt:|\balt=", text))
    assert text.count("\n  figure:\n") <= described, "a figure without image: alt:"
    # Behind backticks that open a block no other backtick may stand: what follows would
    # be read as prose.
    assert re.findall(r"^`{3,}[^`\n]+`.*$", text, re.M) == []


def test_labels_are_unique_over_the_book():
    labels = Counter()
    for path in SOURCES:
        labels.update(
            {a or b for a, b in LABEL.findall(path.read_text(encoding="utf-8"))}
        )
    assert [label for label, count in labels.items() if count > 1] == []


# These draw at random: generators, functions that take a seed, and the experiments on
# random splits and samples.
DRAWING = re.compile(
    r"\b(default_rng|RandomState|random_state|simulate_\w+)\b"
    r"|reproduction\.experiments(\.| import )"
    r"(certificates|dhurandhar2008|leboeuf2020|yildiz2012)\b"
)
UNSEEDED = re.compile(
    r"default_rng\(\)|RandomState\(\)|np\.random\.(?!default_rng|RandomState|Generator)"
)
SOLUTION = re.compile(r"\{solution-start\}.*?\{solution-end\}", re.S)


def code_outside_solutions(path):
    text = SOLUTION.sub("", path.read_text(encoding="utf-8"))
    return "\n".join(OPTIONS.sub("", body) for _, body in CODE.findall(text))


def typed_seeds(code):
    """The whole numbers that are given to generators, as an argument or by name."""
    for call in ast.walk(ast.parse(code)):
        if isinstance(call, ast.Call):
            seeds = [
                keyword.value
                for keyword in call.keywords
                if keyword.arg in ("random_state", "seed")
            ]
            if ast.unparse(call.func).endswith(("default_rng", "RandomState")):
                seeds += call.args
            yield from (seed.value for seed in seeds if isinstance(seed, ast.Constant))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_the_seeds_below_the_figures_are_those_of_the_code(path):
    header = str(execute.read_header(path).seeds)
    code = code_outside_solutions(path)
    assert bool(header) == bool(DRAWING.search(code)), (
        "the header names the seeds of a chapter that draws"
    )

    named = {int(number) for number in re.findall(r"\d+", header)}
    if "0, 1, 2, ..." in header:
        named.update(range(100))
    assert [seed for seed in typed_seeds(code) if seed not in named] == []


def test_every_generator_has_a_seed():
    texts = {path.stem: path.read_text(encoding="utf-8") for path in SOURCES}
    assert [name for name, text in texts.items() if UNSEEDED.search(text)] == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_what_is_new_names_its_chapter(path):
    prose = CODE.sub("", path.read_text(encoding="utf-8"))
    title = re.search(r"^# (.+)$", prose, re.M)[1]

    ids = execute.read_header(path).claims
    new = [c["where"] for c in CLAIMS if c["id"] in ids and c["source"] == "new"]
    assert [where for where in new if not where.startswith(f"chapter {title}")] == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_no_directive_begins_with_a_comment(path):
    """It would be printed: as the argument, or behind the word "Proof"."""
    text = path.read_text(encoding="utf-8")
    assert not re.findall(r"^[`:]{3,}\{[\w:-]+\}[^\n]*\n\s*% .*", text, re.M)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_the_book_has_a_value_for_each_small_parameter(path):
    """Otherwise a chapter runs with small parameters only, as the tests run it."""
    cells = [
        OPTIONS.sub("", body)
        for _, body in CODE.findall(path.read_text(encoding="utf-8"))
        if (options := OPTIONS.match(body)) and "parameters" in options[0]
    ]
    assigned = {
        target.id
        for cell in cells
        for statement in ast.parse(cell).body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
    }
    assert execute.read_header(path).small.keys() <= assigned
