"""The check of the proofs sees what it must: axioms, unfinished proofs, theorems that are gone."""

import importlib.util
import shutil
from pathlib import Path
from unittest import mock

import pytest

PROOFS = Path(__file__).resolve().parents[1] / "proofs"
NOTEBOOKS = PROOFS.with_name("notebooks")
SPEC = importlib.util.spec_from_file_location("check_proofs", PROOFS / "check.py")
assert SPEC
assert SPEC.loader
check_proofs = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(check_proofs)

needs_coq = pytest.mark.skipif(shutil.which("coqc") is None, reason="NOT RUN: coqc is not installed")

SMALL = """
[[theorem]]
name = "most_cuts"
file = "Chains.v"
title = "What l orders can cut off"
claims = ["N-growth-low"]
chapter = "capacity/vc-dimension"
words = "There are l functions on M examples."
"""


@pytest.fixture(scope="module", autouse=True)
def remembered():
    """The files before the one that a test spoils are compiled once."""
    compiled, coqc = {}, check_proofs._coqc

    def remembering(source, folder):
        key = source.name, tuple(path.read_text() for path in sorted(folder.glob("*.v")))
        if key not in compiled:
            said = coqc(source, folder)
            compiled[key] = said, {path.name: path.read_bytes() for path in folder.glob(f"{source.stem}.vo*")}
        said, files = compiled[key]
        for name, content in files.items():
            (folder / name).write_bytes(content)
        return said

    with mock.patch.object(check_proofs, "_coqc", remembering):
        yield


@pytest.fixture
def small(tmp_path):
    """Three of the files and one theorem, in a folder that a test may spoil."""
    source = tmp_path / "proofs"
    source.mkdir()
    for name in ("Definitions.v", "Counting.v", "Chains.v"):
        shutil.copy(PROOFS / name, source / name)
    (source / "_CoqProject").write_text("-Q . Treebounds\nDefinitions.v\nCounting.v\nChains.v\n")
    (source / "theorems.toml").write_text(SMALL)
    return source


def spoil(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


@needs_coq
def test_the_record_holds_statement_definitions_and_assumptions(small):
    (entry,) = check_proofs.check(small)
    assert entry["name"] == "most_cuts"
    assert entry["claim_ids"] == ["N-growth-low"]
    assert entry["coq_statement"].startswith("Theorem most_cuts")
    assert {"cuts_off", "binomial", "sum"} <= entry["definitions"].keys()
    assert entry["assumptions"] == "Closed under the global context"
    text = (small / "Chains.v").read_text().splitlines()
    assert text[entry["line"] - 1].startswith("Theorem most_cuts")
    assert entry["coq_statement"] in check_proofs.render([entry])


@needs_coq
def test_an_unfinished_proof_is_named_with_its_line(small):
    spoil(
        small / "Chains.v",
        "Lemma chains_concat M",
        "Lemma unfinished : 0 = 1.\nAdmitted.\n\nLemma chains_concat M",
    )
    with pytest.raises(check_proofs.ProofError, match=r"Chains\.v, line \d+, unfinished: Admitted"):
        check_proofs.check(small)


@needs_coq
def test_an_axiom_is_named_with_its_line(small):
    spoil(small / "Chains.v", "Lemma chains_concat M", "Axiom granted : 0 = 1.\n\nLemma chains_concat M")
    with pytest.raises(check_proofs.ProofError, match=r"Chains\.v, line \d+, .*: Axiom"):
        check_proofs.check(small)


@needs_coq
def test_a_variable_outside_a_section_counts_as_an_axiom(small):
    # The scan does not know it; Print Assumptions does.
    spoil(small / "Chains.v", "Theorem most_cuts :", "Variable granted : False.\n\nTheorem most_cuts :")
    text = (small / "Chains.v").read_text()
    start = text.index("Proof.", text.index("Theorem most_cuts"))
    (small / "Chains.v").write_text(text[:start] + "Proof. destruct granted. Qed.\n")
    with pytest.raises(check_proofs.ProofError, match="most_cuts rests on axioms"):
        check_proofs.check(small)


@needs_coq
def test_a_theorem_that_is_gone_fails_the_check(small):
    spoil(small / "Chains.v", "Theorem most_cuts :", "Theorem other_cuts :")
    with pytest.raises(check_proofs.ProofError, match=r"Chains\.v: no theorem most_cuts"):
        check_proofs.check(small)


@needs_coq
def test_a_false_statement_is_named_with_its_line(small):
    spoil(
        small / "Chains.v",
        "Lemma chains_concat M",
        "Lemma wrong : 0 = 1.\nProof. reflexivity. Qed.\n\nLemma chains_concat M",
    )
    with pytest.raises(check_proofs.ProofError, match=r"Chains\.v, line \d+, wrong"):
        check_proofs.check(small)


def test_a_statement_of_the_book_names_theorems_that_are_listed(small):
    statement = '[[statement]]\nlabel = "thm-a"\ntheorems = ["{}"]\n'
    (small / "theorems.toml").write_text(SMALL + statement.format("most_cuts"))
    (linked,) = check_proofs.statements(small)
    assert linked == {"label": "thm-a", "theorems": ["most_cuts"], "unchecked": "", "claims": []}
    (small / "theorems.toml").write_text(SMALL + statement.format("other_cuts"))
    with pytest.raises(check_proofs.ProofError, match="thm-a names other_cuts"):
        check_proofs.statements(small)


def test_the_labels_are_those_of_theorems_in_the_chapters():
    chapters = {t["name"]: t["chapter"] for t in check_proofs.listed()["theorem"]}
    for statement in filter(lambda found: found["label"], check_proofs.statements()):
        pages = {(NOTEBOOKS / f"{chapters[name]}.md").read_text("utf-8") for name in statement["theorems"]}
        assert any(f"\n:label: {statement['label']}\n" in page for page in pages), statement["label"]


def test_without_coq_it_says_how_to_get_it(monkeypatch, capsys):
    monkeypatch.setattr(check_proofs.shutil, "which", lambda name: None)
    monkeypatch.setattr("sys.argv", ["check.py"])
    assert check_proofs.main() == 3
    assert "apt install coq" in capsys.readouterr().err


def test_comments_do_not_count():
    text = "(* Axiom (* nested *) here *)\nLemma a : True.\n"
    assert "Axiom" not in check_proofs._without_comments(text)
    assert check_proofs._without_comments(text).count("\n") == text.count("\n")
