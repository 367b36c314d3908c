"""The checker of the proofs refuses what is false, unfinished, hidden, or not what a
person accepted.
"""

import importlib.util
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

PROOFS = Path(__file__).resolve().parents[1] / "proofs"
NOTEBOOKS = PROOFS.with_name("notebooks")
SPEC = importlib.util.spec_from_file_location("check_proofs", PROOFS / "check.py")
check_proofs = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(check_proofs)

needs_coq = pytest.mark.skipif(
    shutil.which("coqc") is None, reason="NOT RUN: coqc is not installed"
)

DEFINITIONS = "Definition small (n : nat) : Prop := n <= 2.\n"
HEAD = "From Treebounds Require Import Definitions.\n\n"
MAIN = """Theorem bound : forall n : nat, n <= 1 -> small n.
Proof. intros n H. exact (le_S n 1 H). Qed.
"""
LISTED = """[[theorem]]
name = "bound"
file = "Main.v"
title = "A bound"
claims = ["N-a"]
chapter = "capacity/stumps"
words = "A number that is at most 1 is small."
"""
IN_THE_BOOK = """
[[statement]]
label = "thm-a"
theorems = ["bound"]
unchecked = "the limit"
"""


@pytest.fixture
def folder(tmp_path):
    """Two files and one theorem, which a test may spoil."""
    source = tmp_path / "proofs"
    source.mkdir()
    files = {
        "Definitions.v": DEFINITIONS,
        "Main.v": HEAD + MAIN,
        "theorems.toml": LISTED,
    }
    for name, text in {
        "_CoqProject": "-Q . Treebounds\nDefinitions.v\nMain.v\n",
        **files,
    }.items():
        (source / name).write_text(text)
    return source


@pytest.fixture
def checked(folder):
    """A function: from the text of Main.v to the record, after somebody accepted what
    the text shows.
    """

    def check(text=MAIN):
        (folder / "Main.v").write_text(HEAD + text)
        check_proofs.accept([], folder)
        return check_proofs.check(folder)

    return check


def refused(reason):
    return pytest.raises(check_proofs.ProofError, match=reason)


def spoil(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


@needs_coq
def test_the_record_holds_statement_and_definitions(folder, checked):
    (entry,) = checked()
    values = [entry[key] for key in ("name", "claim_ids", "file", "line")]
    assert values == ["bound", ["N-a"], "proofs/Main.v", 3]
    assert (
        entry["coq_statement"] == "Theorem bound : forall n : nat, n <= 1 -> small n."
    )
    assert entry["definitions"] == {"Definitions.small": DEFINITIONS.strip()}
    assert entry["coq_statement"] in check_proofs.render([entry])


NO_WORD = re.compile("(?!)")  # no word is refused, so that the other checks are tested
FALSE = "Theorem bound : forall n : nat, small n.\n"
FAKES = {
    "a hypothesis that is false": (
        f"Section S. Hypothesis granted : False.\n{FALSE}"
        "Proof. destruct granted. Qed.\nEnd S.\n"
    ),
    "another definition of the same name": (
        "Definition small (n : nat) : Prop := True.\n\n"
        f"{FALSE}Proof. intros n. exact I. Qed.\n"
    ),
    "a module that is opened": (
        "Module M.\nDefinition small (n : nat) : Prop := True.\nEnd M.\nImport M.\n\n"
        f"{FALSE}Proof. intros n. exact I. Qed.\n"
    ),
    "an abbreviation": (
        "Local Notation small := (fun n : nat => True).\n\n"
        f"{FALSE}Proof. intros n. exact I. Qed.\n"
    ),
    "a definition of the same name behind a shown one": (
        "Definition small (n : nat) : Prop := True.\n\n"
        "Definition tiny (n : nat) : Prop := small n.\n\n"
        "Theorem bound : forall n : nat, tiny n.\nProof. intros n. exact I. Qed.\n"
    ),
    "a name of the library": (
        "Section S.\n  Definition le (m n : nat) : Prop := True.\nEnd S.\n\n"
        "Definition tiny (n : nat) : Prop := le n 2.\n\n"
        "Theorem bound : forall n : nat, tiny n.\nProof. intros n. exact I. Qed.\n"
    ),
    "the first of two definitions": (
        "Module M.\nDefinition limit : nat := 2.\n\nEnd M.\nDefinition limit : nat :="
        " 3.\n\nTheorem bound : 3 <= limit.\nProof. exact (le_n 3). Qed.\n"
    ),
    "a tactic": (
        "Ltac two := exact 3.\nDefinition limit : nat := ltac:(two).\n\n"
        "Theorem bound : 3 <= limit.\nProof. exact (le_n 3). Qed.\n"
    ),
    "a definition in a module": (
        "Module M.\n  Definition limit := 2.\nEnd M.\n\n"
        "Theorem bound : 2 <= M.limit.\nProof. exact (le_n 2). Qed.\n"
    ),
    "a definition by a proof": (
        "Definition limit : nat.\nProof. exact 2. Defined.\n\n"
        "Theorem bound : 2 <= limit.\nProof. exact (le_n 2). Qed.\n"
    ),
    "a variable of the section that hides a name": (
        "Section S.\nVariable le : nat -> nat -> Prop.\n\n"
        "Definition tiny (n : nat) : Prop := le n 2.\n\nEnd S.\n\n"
        "Theorem bound : forall n : nat, tiny (fun _ _ => True) n.\n"
        "Proof. intros n. exact I. Qed.\n"
    ),
    "an argument that is declared implicit elsewhere": (
        "Definition tiny (bound n : nat) : Prop := n <= bound.\n\n"
        "Lemma two : 2 = 2.\nProof. reflexivity. Qed.\n\n"
        "Arguments tiny {bound}.\n\n"
        "Theorem bound : tiny 2 (bound := 2).\nProof. exact (le_n 2). Qed.\n"
    ),
    "a local notation": (
        'Local Notation "x <= y" := (Peano.le x y \\/ True).\n\nTheorem bound : forall'
        " n : nat, n <= 2.\nProof. intros n. right. exact I. Qed.\n"
    ),
}


@needs_coq
@pytest.mark.parametrize("fake", FAKES)
def test_a_false_theorem_is_refused(fake, checked, monkeypatch):
    monkeypatch.setattr(check_proofs, "_REFUSED", NO_WORD)
    with refused(
        r"Main\.v, line \d+, \w+: (the proof does not prove|Coq reads|Coq cannot read)"
        r" .*the book"
    ):
        checked(FAKES[fake])


HIDDEN = """Section Hidden.
  Variable nat : Type.

  Definition same (f : nat -> nat) : Prop := forall m n : nat, m = n.

End Hidden.

Arguments same {nat}.

Definition constant (u : unit) := u.
"""
SHOWN = """Inductive maybe (A : Type) : Type :=
  | Nothing
  | Just (a : A).
Arguments Nothing {A}.
Arguments Just {A}.
"""
EITHER = """Theorem bound : forall x : maybe nat, x = Nothing \\/ exists a, x = Just a.
Proof. intros [|a]; [left | right; exists a]; reflexivity. Qed.
"""


@needs_coq
def test_definitions_in_a_section_that_the_book_does_not_show_are_refused(
    folder, checked
):
    (folder / "Definitions.v").write_text(HIDDEN)
    with refused(r"Coq (cannot read|reads) .*the book"):
        checked("Theorem bound : same constant.\nProof. intros [] []. auto. Qed.\n")


@needs_coq
def test_the_book_shows_which_arguments_are_implicit(folder, checked):
    (folder / "Definitions.v").write_text(SHOWN)
    (entry,) = checked(EITHER)
    assert "Arguments Just {A}." in entry["definitions"]["Definitions.maybe"]
    assert "Arguments Just {A}." in check_proofs.render([entry])


@needs_coq
def test_a_module_that_is_no_more_cannot_be_imported(folder, checked):
    project = folder / "_CoqProject"
    needing = "From Treebounds Require Import Extra.\n" + MAIN
    spoil(project, "Main.v", "Extra.v\nMain.v")
    (folder / "Extra.v").write_text("Lemma extra : 1 = 1.\nProof. auto. Qed.\n")
    checked(needing)

    spoil(project, "Extra.v\n", "")
    (folder / "Extra.v").unlink()
    with refused("Extra"):
        checked(needing)
    assert list((folder.parent / "_build" / "proofs").glob("*Extra*")) == []


def test_the_book_shows_the_library_that_the_definitions_import():
    entry = {
        **dict.fromkeys(("anchor", "file", "line", "chapter", "coq_statement"), ""),
        "name": "bound",
        "title": "A bound",
        "statement_in_words": "",
        "claim_ids": [],
        "definitions": {},
    }
    assert check_proofs.LIBRARY in check_proofs.render([entry])


@pytest.mark.parametrize(
    "command",
    [
        'Notation "x <= y" := True.',
        "Lemma unfinished : 0 = 1. Admitted.",
        "Axiom granted : 0 = 1.",
        "Lemma a : 0 = 0. Proof. reflexivity. Qed. Unset Guard Checking.",
        "#[local] Unset Guard Checking.",
        "Coercion to_bool (n : nat) : bool := true.",
        '(* a "*)" in a comment *) Axiom granted : 0 = 1. (* " *)',
        "Definition sm\u0430ll (n : nat) : Prop := True.",  # a Cyrillic letter
    ],
)
def test_commands_that_no_proof_needs_are_named_with_their_line(command, folder):
    (folder / "Main.v").write_text(
        f"{HEAD}Lemma one : 1 = 1.\nProof. reflexivity. Qed.\n{command}\n{MAIN}"
    )
    with refused(r"Main\.v, line 5, (one|unfinished|a|sm\w+): "):
        check_proofs.check(folder)


UNSAFE = {
    "an axiom": f"Axiom granted : False.\n{FALSE}Proof. destruct granted. Qed.\n",
    "a variable outside a section": (
        f"Variable granted : False.\n{FALSE}Proof. destruct granted. Qed.\n"
    ),
    "a proof that is not finished": f"{FALSE}Proof. Admitted.\n",
    "an axiom of the library": (
        "From Coq Require Import Classical_Prop.\n"
        "Theorem bound : forall P : Prop, P \\/ ~ P.\nProof. exact classic. Qed.\n"
    ),
    "recursion without end": (
        "Unset Guard Checking.\nFixpoint loop (n : nat) : False := loop n.\n\n"
        f"{FALSE}Proof. destruct (loop 0). Qed.\n"
    ),
}


@needs_coq
@pytest.mark.parametrize("case", UNSAFE)
def test_coq_prints_what_a_theorem_rests_on(case, checked, monkeypatch):
    monkeypatch.setattr(check_proofs, "_REFUSED", NO_WORD)
    with refused(r"Main\.v, line \d+, bound: its proof rests on axioms"):
        checked(UNSAFE[case])
    if case in ("an axiom", "recursion without end"):
        monkeypatch.setattr(check_proofs, "_refuse_axioms", lambda *_: None)
        with refused("coqchk found"):
            checked(UNSAFE[case])


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("Definitions.v", "n <= 2", "n <= 3"),
        ("Main.v", "n <= 1 ->", "n <= 0 ->"),
        ("theorems.toml", "is small.", "is small, and P is not NP."),
        ("theorems.toml", "A bound", "The best bound"),
        ("theorems.toml", '["N-a"]', '["N-a", "L-thm9"]'),
        ("theorems.toml", "capacity/stumps", "capacity/vc-dimension"),
        ("theorems.toml", 'unchecked = "the limit"', ""),
        ("theorems.toml", '"thm-a"', '"thm-b"'),
    ],
)
def test_a_person_accepts_what_the_book_shows(file, old, new, folder, capsys):
    (folder / "theorems.toml").write_text(LISTED + IN_THE_BOOK)
    check_proofs.accept(["bound"], folder)
    assert "A number that is at most 1 is small." in capsys.readouterr().out
    spoil(folder / file, old, new)
    with refused(r"Main\.v, line 3, bound: .* not those that a person accepted"):
        check_proofs.check(folder)
    check_proofs.accept(["bound"], folder)
    (entry,) = check_proofs.entries(folder)
    assert entry["accepted"] == entry["digest"]


def test_no_theorem_vanishes(folder):
    spoil(folder / "Main.v", "Theorem bound", "Theorem other")
    with refused(r"Main\.v: no theorem bound"):
        check_proofs.check(folder)
    spoil(folder / "Main.v", "Theorem other", f"{MAIN}\nTheorem other")
    with refused(r"Main\.v, line 6: theorem other is not in theorems\.toml"):
        check_proofs.check(folder)


@needs_coq
def test_a_proof_that_fails_is_named_with_its_line(checked):
    with refused(r"Main\.v, line 4, wrong: Coq does not accept this:\n"):
        checked(f"Lemma wrong : 0 = 1.\nProof. reflexivity. Qed.\n\n{MAIN}")


def test_a_statement_of_the_book_names_theorems_that_are_listed(folder):
    statement = '\n[[statement]]\nlabel = "thm-a"\ntheorems = ["{}"]\n'
    (folder / "theorems.toml").write_text(LISTED + statement.format("bound"))
    (linked,) = check_proofs.statements(folder)
    assert linked == {
        "label": "thm-a",
        "theorems": ["bound"],
        "unchecked": "",
        "claims": [],
    }
    (folder / "theorems.toml").write_text(LISTED + statement.format("other"))
    with refused("thm-a names other"):
        check_proofs.statements(folder)


def test_the_labels_are_those_of_theorems_in_the_chapters():
    chapters = {t["name"]: t["chapter"] for t in check_proofs.listed()["theorem"]}
    for statement in filter(lambda entry: entry["label"], check_proofs.statements()):
        pages = {
            (NOTEBOOKS / f"{chapters[name]}.md").read_text("utf-8")
            for name in statement["theorems"]
        }
        assert any(f"\n:label: {statement['label']}\n" in page for page in pages), (
            statement["label"]
        )


# ---- The record
# --------------------------------------------------------------------------------------


def test_the_record_of_other_files_is_none(folder, tmp_path):
    record = tmp_path / "proofs.json"
    assert "as they are now" in check_proofs.read(record, folder)["why"]
    old = {
        "digest": check_proofs.digest(folder),
        "theorems": [1],
        "statements": [],
        "why": "",
    }
    record.write_text(json.dumps(old))
    assert check_proofs.read(record, folder) == old
    spoil(folder / "Main.v", "n <= 1", "n <= 0")
    assert check_proofs.read(record, folder)["theorems"] == []


def test_without_coq_or_with_an_old_one_the_record_says_why(monkeypatch, tmp_path):
    monkeypatch.setattr(check_proofs.shutil, "which", lambda name: None)
    code, reason = check_proofs._record(tmp_path / "proofs.json")
    assert code == 3
    assert "apt install coq" in reason
    assert check_proofs.read(tmp_path / "proofs.json")["why"] == reason
    monkeypatch.setattr(check_proofs.shutil, "which", lambda name: name)
    old = subprocess.CompletedProcess([], 0, "8.9.1 4.07.1\n")
    monkeypatch.setattr(check_proofs.subprocess, "run", lambda *_, **__: old)
    assert check_proofs._record(tmp_path / "proofs.json") == (
        3,
        "The proofs need Coq 8.16 or newer, and this is version 8.9.1 4.07.1",
    )


def test_a_check_that_is_killed_leaves_no_record(monkeypatch, tmp_path):
    record = tmp_path / "proofs.json"
    record.write_text("{}")
    monkeypatch.setattr(check_proofs, "_no_coq", lambda: "")
    monkeypatch.setattr(
        check_proofs, "check", lambda: (_ for _ in ()).throw(KeyboardInterrupt)
    )
    with pytest.raises(KeyboardInterrupt):
        check_proofs._record(record)
    assert not record.exists()


def test_the_theorems_of_the_book_are_those_that_were_accepted():
    """Whether Coq accepts their proofs `make proofs` says, and the workflow that runs
    when one changes.
    """
    entries = check_proofs.entries()
    assert len(entries) >= 60
    assert [
        entry["name"] for entry in entries if entry["accepted"] != entry["digest"]
    ] == []


def test_comments_do_not_count():
    text = "(* Axiom (* nested *) here *)\nLemma a : True.\n"
    assert "Axiom" not in check_proofs._without_comments(text)
    assert check_proofs._without_comments(text).count("\n") == text.count("\n")
