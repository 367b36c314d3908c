"""The paper takes from the book what there is, and words it as pandoc reads it."""

import importlib.util
import re
from pathlib import Path

import pytest

pytest.importorskip("pypandoc")
pytest.importorskip("typst")

ROOT = Path(__file__).resolve().parents[1]
SOURCE = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")


def load_builder():
    path = ROOT / "paper" / "build_paper.py"
    spec = importlib.util.spec_from_file_location("build_paper", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


builder = load_builder()


def marks(kind):
    return re.findall(rf"\{{\{{ {kind} ([^}}]*) \}}\}}", SOURCE)


def paper_with_numbers():
    paper = builder.Paper()
    theorems = "\n".join(f"{{{{ theorem {label} }}}}" for label in marks("theorem"))
    return paper, paper.markdown(theorems)


def test_no_mark_is_left_in_the_paper(monkeypatch):
    monkeypatch.setattr(builder.Paper, "figure", lambda self, *_: "")
    monkeypatch.setattr(builder.Paper, "number", lambda self, *_: "1")
    text = builder.Paper().markdown(SOURCE)
    assert "{{" not in text
    statements = re.findall(r"^\*\*(?:Theorem|Lemma|Corollary) \d+\*\*", text, re.M)
    assert len(statements) == len(marks("theorem"))


def test_a_label_that_no_chapter_has_is_named():
    with pytest.raises(ValueError, match="no statement of the book has the label thm-"):
        builder.Paper().markdown("{{ theorem thm-none }}")


def test_every_statement_and_proof_of_the_paper_stands_in_the_book():
    paper, text = paper_with_numbers()
    assert len(marks("theorem")) == len(set(marks("theorem"))) > 15
    assert not re.search(r"\{[\w:]+\}`", text)
    assert "% uses" not in text

    proofs = [paper.proof(label) for label in marks("proof")]
    assert len(set(proofs)) == len(proofs) > 6
    assert all(proof.endswith(builder.END) for proof in proofs)
    # The paragraphs of one proof are never part of another one.
    paragraphs = [p for p in "\n\n".join(proofs).split("\n\n") if len(p) > 80]
    assert len(set(paragraphs)) == len(paragraphs)


def test_the_proof_of_the_conjecture_is_the_one_that_names_its_theorem():
    paper, _ = paper_with_numbers()
    proof = paper.proof("thm-conjecture-nested")
    assert proof.startswith("*Proof of Theorem 2.* A *half-built permutation")
    assert "half-built" not in paper.proof("lem-conjecture-3")


def test_every_number_and_figure_is_made_by_a_chapter():
    for mark in marks("number"):
        chapter, key = mark.split()[:2]
        text = builder.CHAPTERS[chapter].read_text(encoding="utf-8")
        assert f'glue("{key}"' in text or f"{{glue:text}}`{key}" in text, mark
    every = "\n".join(path.read_text("utf-8") for path in builder.CHAPTERS.values())
    for mark in marks("figure"):
        assert f"name: {mark.split()[0]}\n" in every


def test_every_work_that_is_cited_is_in_a_bibliography():
    files = (ROOT / "book" / "references.bib", ROOT / "paper" / "references.bib")
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    known = re.findall(r"^@\w+\{(\w+),", text, re.M)
    assert len(known) == len(set(known))

    body = SOURCE.split("\n---\n")[1]
    cited = set(re.findall(r"@([a-z]+\d{4})", body))
    assert cited <= set(known)
    only_here = re.findall(r"^@\w+\{(\w+),", files[1].read_text(encoding="utf-8"), re.M)
    assert set(only_here) <= cited


def test_the_table_of_checked_statements_says_what_is_left_open():
    paper, _ = paper_with_numbers()
    rows = paper.checked().splitlines()[2:-2]
    numbers = [row.split("|")[1].strip() for row in rows]
    assert set(numbers) <= set(paper.numbers.values())
    price = paper.numbers["thm-price-of-a-cut-counted"]
    (row,) = [row for row in rows if row.startswith(f"| {price} |")]
    assert "everything but the identity" in row


@pytest.mark.parametrize(
    ("formula", "named"),
    [
        ("$|U|$", r"$\left|U\right|$"),
        ("$|X| + 2$", r"$\left|X\right| + 2$"),
        ("$D |I| \\leq j |N(I)|$", r"$D \left|I\right| \leq j \left|N(I)\right|$"),
        ("$a + b$", "$a + b$"),
    ],
)
def test_bars_around_a_set_say_their_side(formula, named):
    assert re.sub(r"\$[^$]+\$", builder._with_named_bars, formula) == named


def test_a_caption_leaves_out_how_the_book_made_the_figure():
    assert builder._caption('Words. <span class="p">how</span>') == "Words."
