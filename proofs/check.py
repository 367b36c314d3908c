"""Let Coq check the proofs, and record what it checked.

    python proofs/check.py                 check everything; write _build/proofs.json
    python proofs/check.py --if-changed    the same, unless the files have not changed
                                           since the last check
    python proofs/check.py --accept NAME   renew the digest of a theorem in
                                           theorems.toml, or of all

Each main theorem is stated again, word for word as the book shows it, in a file that
imports the names of the other files, but neither sections nor notations, and
Definitions.v last. There it must follow from what was proved, without any axiom. The
statements and definitions in the book are also put into files that hold nothing else
than what the book shows. Coq must read each of them there as in its own file, so none
depends on anything hidden. Then coqchk checks the compiled files again. The digest of
title, words, statement, definitions, claims, chapter and of the theorems of the book
that rest on it must be the one that a person accepted after comparing them.

The exit code is 0 if all theorems are checked, 1 if one is not (its name, file and line
are printed), and 3 if Coq is not installed or too old. Only the standard library of
Python is needed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RECORD = HERE.parent / "_build" / "proofs.json"
OLDEST = (8, 16)
SECONDS = 900

# What the definitions in the book import; the book shows these lines above them.
LIBRARY = """From Coq Require Import List Arith Permutation Sorted Ring_theory.
Import ListNotations."""

_STATEMENT = re.compile(
    r"^\s*(?:Theorem|Lemma|Corollary|Fact|Proposition|Example"
    r"|Definition|Fixpoint|Inductive|Record)\s+(\w+)",
    re.MULTILINE,
)
# A definition ends at an empty line, a proof or another definition. The implicit
# arguments that are declared below it belong to it.
_DEFINITION = re.compile(
    r"^( *)(?:Inductive|Record|Fixpoint|Definition) +(\w+).*?\."
    r"(?:\n *Arguments [^.]*\.)*"
    r"(?=\s*(?:\n\s*\n|\Z|\nProof|\n *(?:Definition|Fixpoint)))",
    re.MULTILINE | re.DOTALL,
)
_REFUSED = re.compile(
    r"\b(?:Admitted|admit|Axioms?|Parameters?|Conjectures?|Abort|give_up|Coercion"
    r"|Canonical|Infix|Scope|Load|bypass_check|Unset|Export|Set(?=\s+[A-Z]))\b"
    r'|"'  # begins a notation, or the name of a file to load
    r"|[^\x00-\x7f]"  # can look like another letter
)
# What it means if Coq rejects one of the files that `_restated` and `_shown` write.
_GENERATED = {
    "Restated": (
        "the proof does not prove the statement that the book shows; correct one of"
        " them"
    ),
    "Shown": (
        "Coq cannot read the text in the book without something that the book does not"
        " show; show it"
    ),
}
# What Coq's tools write beside a source.
_COMPILED = (".v", ".vo", ".vos", ".vok", ".glob", ".aux")


class ProofError(Exception):
    """Coq does not accept a proof, or the proof is not one of the statement that the
    book shows.
    """


# ---- Reading the sources -------------------------------------------------------------


def _without_comments(text: str) -> str:
    """The source with comments blanked out, line by line. As for Coq, strings count, in
    comments too.
    """
    token = re.compile(r'"[^"]*"|\(\*|\*\)|.', re.DOTALL)
    pieces = []
    depth = 0
    for piece in token.findall(text):
        if piece == "(*":
            depth += 1
        pieces.append(re.sub(r"[^\n]", " ", piece) if depth else piece)
        if piece == "*)" and depth:
            depth -= 1
    return "".join(pieces)


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _enclosing(text: str, line: int) -> str:
    """The name of the statement in which the line lies."""
    names = _STATEMENT.findall("\n".join(text.splitlines()[:line]))
    return names[-1] if names else "(before the first statement)"


def _read(source: Path) -> dict[str, str]:
    """The text of the files in their order, without comments; an error if one has a
    word of _REFUSED.
    """
    project = (source / "_CoqProject").read_text("utf-8")
    sources = {}
    for file in re.findall(r"^(\w+\.v)$", project, re.MULTILINE):
        text = _without_comments((source / file).read_text("utf-8"))
        _refuse_words(file, text)
        sources[file] = text
    return sources


def _refuse_words(file: str, text: str) -> None:
    """An error for a word that can hide a gap."""
    refused = _REFUSED.search(text)
    if refused:
        line = _line(text, refused.start())
        raise ProofError(
            f"{file}, line {line}, {_enclosing(text, line)}: {refused.group()} is not"
            " allowed here: it can hide a gap or change what a statement means. Do"
            " without it"
        )


def _statement(text: str, name: str, file: str) -> tuple[str, int]:
    """The statement as it stands in the source, and its line."""
    theorem = re.search(
        rf"^ *Theorem\s+{name}\s*:.*?(?=^\s*Proof\b)", text, re.MULTILINE | re.DOTALL
    )
    if not theorem:
        raise ProofError(
            f"{file}: no theorem {name} is in this file, followed by a line that begins"
            " with Proof, although theorems.toml lists it there; correct one of the two"
        )
    return textwrap.dedent(theorem.group()).strip(), _line(text, theorem.start())


def _required(file: str, sources: dict[str, str]) -> list[str]:
    """The file and those that it requires, directly or through others, in their
    order.
    """
    required: set[str] = set()
    frontier = [file]
    while frontier:
        name = frontier.pop()
        required.add(name)
        imports = re.findall(
            r"^From Treebounds Require Import ([\w\s]+)\.",
            sources.get(name, ""),
            re.MULTILINE,
        )
        modules = {f"{module}.v" for line in imports for module in line.split()}
        frontier += modules - required
    return [name for name in sources if name in required]


def _definitions(statement: str, file: str, sources: dict[str, str]) -> dict[str, str]:
    """Source text of the definitions that a statement rests on, by qualified name."""
    known = _known_definitions(file, sources)
    used: set[str] = set()
    frontier = [statement]
    while frontier:
        body = frontier.pop().split(":", 1)[-1]
        for name in (_words(body) & known.keys()) - used:
            used.add(name)
            frontier.append(known[name][1])
    return dict(known[name] for name in known if name in used)


def _known_definitions(
    file: str, sources: dict[str, str]
) -> dict[str, tuple[str, str]]:
    """The qualified name and the text of each definition that a file can use."""
    known: dict[str, tuple[str, str]] = {}
    for required in _required(file, sources):
        for definition in _DEFINITION.finditer(sources[required]):
            indent, name = definition.groups()
            # An indented definition is local to a section; elsewhere its name may be
            # a variable.
            if not indent or required == "Definitions.v":
                text = textwrap.dedent(definition.group()).strip()
                known.setdefault(name, (f"{Path(required).stem}.{name}", text))
    return known


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+'?", text))


# ---- Theorems of Coq, and theorems of the book ---------------------------------------


def listed(source: Path = HERE) -> dict[str, list[dict[str, Any]]]:
    """The content of ``theorems.toml``: theorems of Coq, and statements of the book."""
    text = (source / "theorems.toml").read_text("utf-8")
    return {"statement": [], **tomllib.loads(text)}


def entries(source: Path = HERE) -> list[dict[str, Any]]:
    """The record of each main theorem, before Coq checks it."""
    sources = _read(source)
    rests_on = statements(source)
    found = [
        _entry(theorem, sources, rests_on) for theorem in listed(source)["theorem"]
    ]
    _refuse_unlisted(sources, {entry["name"] for entry in found})
    return found


def _entry(
    theorem: dict[str, Any], sources: dict[str, str], rests_on: list[dict[str, Any]]
) -> dict[str, Any]:
    """The record of a theorem, with its digest and the one that was accepted."""
    file = theorem["file"]
    name = theorem["name"]
    statement, line = _statement(sources.get(file, ""), name, file)

    compared = {
        "title": theorem["title"],
        "statement_in_words": " ".join(theorem["words"].split()),
        "coq_statement": statement,
        "definitions": _definitions(statement, file, sources),
        "claim_ids": theorem.get("claims", []),
        "chapter": theorem["chapter"],
    }
    in_the_book = [one for one in rests_on if name in one["theorems"]]
    content = json.dumps([LIBRARY, *compared.values(), in_the_book])
    return {
        "name": name,
        "anchor": f"coq-{name.replace('_', '-').lower()}",
        "file": f"proofs/{file}",
        "line": line,
        **compared,
        "digest": hashlib.sha256(content.encode()).hexdigest()[:16],
        "accepted": theorem.get("accepted"),
    }


def _refuse_unlisted(sources: dict[str, str], names: set[str]) -> None:
    """An error for a theorem that is not in theorems.toml."""
    for file, text in sources.items():
        for theorem in re.finditer(
            r"^ *(?:Theorem|Corollary)\s+(\w+)", text, re.MULTILINE
        ):
            if theorem[1] not in names:
                raise ProofError(
                    f"{file}, line {_line(text, theorem.start(1))}: theorem"
                    f" {theorem[1]} is not in theorems.toml; list it there, or call it"
                    " a Lemma"
                )


def statements(source: Path = HERE) -> list[dict[str, Any]]:
    """The theorems of the book by label, with the Coq theorems that prove them, and
    what these leave open.
    """
    content = listed(source)
    names = {theorem["name"] for theorem in content["theorem"]}
    found = []
    for statement in content["statement"]:
        label = statement.get("label", "")
        for name in statement["theorems"]:
            if name not in names:
                raise ProofError(
                    f"theorems.toml: {label or 'a claim'} names {name}, but no"
                    " [[theorem]] has this name"
                )
        found.append(
            {
                "label": label,
                "theorems": statement["theorems"],
                "unchecked": " ".join(statement.get("unchecked", "").split()),
                "claims": statement.get("claims", []),
            }
        )
    return found


def accept(names: list[str], source: Path = HERE) -> None:
    """Write the digests of the named theorems, or of all, into ``theorems.toml``; print
    what a person has to compare.
    """
    found = {entry["name"]: entry for entry in entries(source)}
    if not names:
        changed = [e for e in found.values() if e["accepted"] != e["digest"]]
        names = [entry["name"] for entry in changed]

    path = source / "theorems.toml"
    text = path.read_text("utf-8")
    for name in names:
        if name not in found:
            raise ProofError(f"theorems.toml lists no theorem {name}; correct the name")
        print(_to_compare(found[name], statements(source)), end="\n\n\n")
        text = _with_digest(text, name, found[name]["digest"])
    path.write_text(text, "utf-8")


def _to_compare(entry: dict[str, Any], rests_on: list[dict[str, Any]]) -> str:
    """What stands beside each other in the book."""
    claims = ", ".join(entry["claim_ids"]) or "none"
    parts = [
        f"{entry['title']}: {entry['statement_in_words']}",
        f"Chapter {entry['chapter']}, claims: {claims}",
    ]
    for statement in rests_on:
        if entry["name"] in statement["theorems"]:
            label = statement["label"] or ", ".join(statement["claims"])
            parts.append(f"{label}, not checked: {statement['unchecked'] or 'nothing'}")
    return "\n\n".join([*parts, entry["coq_statement"], *entry["definitions"].values()])


def _with_digest(text: str, name: str, digest: str) -> str:
    """The text of theorems.toml with another digest of a theorem."""
    start = text.index(f'name = "{name}"\n')
    block = text[start:].split("\n[[", 1)[0]
    first, _, rest = re.sub(r'\naccepted = ".*"', "", block).partition("\n")
    return text.replace(block, f'{first}\naccepted = "{digest}"\n{rest}', 1)


# ---- Asking Coq ----------------------------------------------------------------------


def _run(command: list[str], build: Path, sources: dict[str, str]) -> str:
    """The output of a program; if Coq fails, the error names theorem, file and line."""
    # `make book` calls this, and its variables would change the commands of the
    # Makefile for Coq.
    surroundings = {
        name: value for name, value in os.environ.items() if "MAKE" not in name
    }
    try:
        done = subprocess.run(
            command,
            cwd=build,
            env=surroundings,
            check=False,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise ProofError(
            f"{command[0]} took more than {SECONDS} seconds; run the check again"
        ) from None
    if done.returncode:
        message = done.stderr.strip() or done.stdout.strip()
        raise _failure(command[0], message, build, sources)
    return done.stdout + done.stderr


def _failure(
    program: str, message: str, build: Path, sources: dict[str, str]
) -> ProofError:
    """What Coq rejects, in terms of the file in which a person has to correct it."""
    where = re.search(r'File "\./(\w+\.v)", line (\d+)', message)
    if not where:
        return ProofError(
            f"{program} failed and named no file of the proofs:\n{message}"
        )

    file = where[1]
    line = int(where[2])
    text = sources.get(file) or (build / file).read_text("utf-8")
    name = _enclosing(text, line)
    reason = "Coq does not accept this"

    kind, _, original = file.partition("_")
    if kind in _GENERATED:
        file = original
        reason = _GENERATED[kind]
        line = _line_of(sources[original], name)
    return ProofError(
        f"{file}, line {line}, {name}: {reason}:\n{message[where.start() :]}"
    )


def _line_of(text: str, name: str) -> int:
    """The line at which a theorem or a definition begins."""
    beginning = re.search(rf"^ *[A-Z]\w+\s+{re.escape(name)}\b", text, re.MULTILINE)
    return _line(text, beginning.start()) if beginning else 1


def _restated(
    file: str, theorems: list[dict[str, Any]], sources: dict[str, str]
) -> str:
    """A file in which the shown statements must follow from what ``file`` proves."""
    required = [Path(name).stem for name in _required(file, sources)]
    modules = " ".join(name for name in required if name != "Definitions")
    lines = [
        LIBRARY,
        f"From Treebounds Require {modules}.",
        f"Import -(notations, canonicals, hints) {modules}.",
        "From Treebounds Require Import Definitions.",
    ]
    for theorem in theorems:
        lines.append(theorem["coq_statement"])
        lines.append(f"Proof. exact @{Path(file).stem}.{theorem['name']}. Qed.")
    return "\n".join(lines) + "\n"


def _shown(file: str, found: list[dict[str, Any]], sources: dict[str, str]) -> str:
    """A file with what the book shows of ``file``, definitions and statements, and with
    nothing else; empty if it shows nothing.
    """
    definitions: dict[str, str] = {}
    for entry in found:
        definitions |= entry["definitions"]
    modules = {name: name.split(".")[0] for name in definitions}

    own = [text for name, text in definitions.items() if f"{modules[name]}.v" == file]
    own.sort(key=lambda text: _position(text, sources[file]))
    for entry in found:
        if entry["file"] == f"proofs/{file}":
            own.append(_as_definition(entry["coq_statement"]))
    if not own:
        return ""

    imports = [
        f"From Treebounds Require Import Shown_{Path(name).stem}."
        for name in _required(file, sources)
        if name != file and Path(name).stem in modules.values()
    ]
    return "\n".join([LIBRARY, *imports, *own, ""])


def _position(definition: str, text: str) -> int:
    """Where a definition stands in a source, which may indent it."""
    for piece in _DEFINITION.finditer(text):
        if textwrap.dedent(piece.group()).strip() == definition:
            return piece.start()
    raise AssertionError(definition)


def _as_definition(statement: str) -> str:
    """A theorem as the definition of a proposition, which needs no proof."""
    return re.sub(r"^Theorem(\s+\w+\s*):", r"Definition\1: Prop :=", statement)


def _write_if_changed(path: Path, text: str) -> None:
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")


def _compile(
    source: Path, build: Path, sources: dict[str, str], found: list[dict[str, Any]]
) -> list[str]:
    """Compile the files and those that state the theorems again; the names of all
    modules.
    """
    files = {file: (source / file).read_text("utf-8") for file in sources}
    for file in sources:
        theorems = [entry for entry in found if entry["file"] == f"proofs/{file}"]
        if theorems:
            files[f"Restated_{file}"] = _restated(file, theorems, sources)
        if shown := _shown(file, found, sources):
            files[f"Shown_{file}"] = shown

    modules = [Path(name).stem for name in files]
    _delete_stale(build, modules)
    for name, text in files.items():
        _write_if_changed(build / name, text)

    project = ["-Q . Treebounds", "-arg -w -arg none", *files, ""]
    _write_if_changed(build / "_CoqProject", "\n".join(project))
    _run(["coq_makefile", "-f", "_CoqProject", "-o", "Makefile"], build, sources)
    _run(["make", f"-j{min(2, os.cpu_count() or 1)}"], build, sources)
    return modules


def _delete_stale(build: Path, modules: list[str]) -> None:
    """Delete sources and compiled files of modules that are no more; Coq would import
    them.
    """
    for path in build.iterdir():
        if path.suffix in _COMPILED and path.stem.lstrip(".") not in modules:
            path.unlink()


def _ask(build: Path, modules: list[str], questions: dict[str, str]) -> dict[str, str]:
    """The answer of Coq to each question, with nothing imported."""
    lines = [
        f"From Treebounds Require {' '.join(modules)}.",
        "Set Printing All. Set Printing Depth 100000.",
    ]
    for key, question in questions.items():
        lines.append(f'Goal True. idtac "@@ {key}". Abort.\n{question}')
    file = build / "questions.v"
    file.write_text("\n".join(lines) + "\n", "utf-8")

    command = ["coqc", "-q", "-w", "none", "-Q", ".", "Treebounds", file.name]
    output = _run(command, build, {})
    file.unlink()
    _, *parts = re.split(r"^@@ (.+)$", output, flags=re.MULTILINE)
    answers = zip(parts[::2], parts[1::2], strict=True)
    return {key: answer.strip() for key, answer in answers}


def _place(entry: dict[str, Any]) -> str:
    return f"{Path(entry['file']).name}, line {entry['line']}, {entry['name']}"


def _refuse_axioms(
    build: Path, modules: list[str], found: list[dict[str, Any]]
) -> None:
    """An error if a theorem rests on an axiom."""
    closed = "Closed under the global context"
    full = {
        entry["name"]: f"Restated_{Path(entry['file']).stem}.{entry['name']}"
        for entry in found
    }

    # All are asked at once, because each question walks through all proofs.
    tuple_of_all = ", ".join(f"@{name}" for name in full.values())
    together = (
        f"Definition all_theorems := ({tuple_of_all}).\nPrint Assumptions all_theorems."
    )
    if _ask(build, modules, {"all": together})["all"] == closed:
        return

    questions = {key: f"Print Assumptions {name}." for key, name in full.items()}
    answers = _ask(build, modules, questions)
    for entry in found:
        answer = answers[entry["name"]]
        if answer != closed:
            raise ProofError(
                f"{_place(entry)}: its proof rests on axioms; prove them, or do without"
                f" them:\n{answer}"
            )


def _refuse_other_meaning(
    build: Path, modules: list[str], found: list[dict[str, Any]]
) -> None:
    """Refuse a text that Coq reads differently if it knows only what the book shows."""
    theorems = {
        entry["name"]: f"{Path(entry['file']).stem}.{entry['name']}" for entry in found
    }
    questions = {}
    for entry in found:
        for name in entry["definitions"]:
            questions[name] = f"Print {name}."
        theorem = theorems[entry["name"]]
        questions[theorem] = f"Check Restated_{theorem}."
    questions |= {f"Shown_{name}": f"Print Shown_{name}." for name in questions}
    answers = _ask(build, modules, questions)

    for entry in found:
        for name in (theorems[entry["name"]], *entry["definitions"]):
            alone = [
                word.replace("Shown_", "")
                for word in _meaning(answers[f"Shown_{name}"])
            ]
            if _meaning(answers[name]) != alone:
                raise ProofError(
                    f"{_place(entry)}: Coq reads {name} in its file differently from"
                    " the text in the book, which shows neither imports nor notations;"
                    f" make the two agree:\n{answers[name]}"
                )


def _meaning(answer: str) -> list[str]:
    """The words of a statement or definition, without the name that `Check` prints as
    "name : statement" and `Print` as "name = statement : Prop".
    """
    return re.sub(r"^\S+\s+[:=]\s|\s*: Prop$", "", answer).split()


def _check_again(build: Path, modules: list[str]) -> None:
    """Let coqchk check the compiled files, and refuse what it reports."""
    again = [word for module in modules for word in ("-norec", f"Treebounds.{module}")]
    command = ["coqchk", "-silent", "-o", "-Q", ".", "Treebounds", *again]
    sections = re.findall(
        r"^\* (.+?):(.*?)(?=^\* |\Z)",
        _run(command, build, {}),
        re.MULTILINE | re.DOTALL,
    )
    reported = dict(sections)

    # The parameters of two functors of Coq's own library, which is not checked again,
    # are not axioms.
    functors = re.compile(
        r"\w+\.(?:ssr\.ssrunder"
        r"|Arith\.PeanoNat\.Nat\.PrivateImplementsBitwiseSpec)\."
    )
    for title in ("Axioms", *(reported.keys() - {"Axioms", "Theory"})):
        words = reported.get(title, "no report").split()
        left = [word for word in words if not functors.match(word)]
        if left not in ([], ["<none>"]):
            raise ProofError(
                f"coqchk found {title}, and must find none: {' '.join(left)}"
            )


def check(source: Path = HERE, build: Path | None = None) -> list[dict[str, Any]]:
    """Check the proofs in the folder ``build`` and return the record, one entry for
    each theorem.
    """
    build = build or source.parent / "_build" / "proofs"
    found = entries(source)
    for entry in found:
        _refuse_unaccepted(entry)

    sources = _read(source)
    _prepare(build)
    modules = _compile(source, build, sources, found)
    _refuse_axioms(build, modules, found)
    _refuse_other_meaning(build, modules, found)
    _check_again(build, modules)
    return found


def _refuse_unaccepted(entry: dict[str, Any]) -> None:
    """An error if nobody compared what the entry holds; its digests leave it."""
    if entry.pop("accepted") != entry.pop("digest"):
        raise ProofError(
            f"{_place(entry)}: title, words, statement, definitions, claims, chapter or"
            " the theorems of the book that rest on it are not those that a person"
            " accepted; compare them, then run python proofs/check.py --accept"
            f" {entry['name']}"
        )


def _prepare(build: Path) -> None:
    """Empty the folder if another version of Coq compiled its files, which this one
    cannot read.
    """
    command = ["coqc", "--print-version"]
    version = subprocess.run(command, capture_output=True, check=True).stdout
    file = build / "version"
    if not file.exists() or file.read_bytes() != version:
        shutil.rmtree(build, ignore_errors=True)
        build.mkdir(parents=True)
        file.write_bytes(version)


# ---- The record ----------------------------------------------------------------------


def digest(source: Path = HERE) -> str:
    """The digest of the files on which a record depends."""
    others = [source / name for name in ("_CoqProject", "check.py", "theorems.toml")]
    content = [
        (file.name, file.read_text("utf-8"))
        for file in [*sorted(source.glob("*.v")), *others]
        if file.exists()
    ]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def read(record: Path = RECORD, source: Path = HERE) -> dict[str, Any]:
    """The record if the files have not changed since; otherwise one without theorems,
    with the reason.
    """
    if record.exists():
        found = json.loads(record.read_text("utf-8"))
        if found["digest"] == digest(source):
            return found
    return {
        "theorems": [],
        "statements": [],
        "why": "Coq has not checked the proofs as they are now",
    }


def render(record: list[dict[str, Any]]) -> str:
    """The theorems as MyST markdown: the words, and the statement and its definitions
    behind a click.
    """
    return "\n".join(_rendered(entry) for entry in record)


def _rendered(entry: dict[str, Any]) -> str:
    claims = ", ".join(entry["claim_ids"])
    definitions = "\n\n".join([LIBRARY, *entry["definitions"].values()])
    place = f"{entry['file']}, line {entry['line']}"
    # The title of the dropdown holds backticks, which a fence of backticks does not
    # allow in its first line.
    return f"""({entry["anchor"]})=
**{entry["title"].removesuffix(".")}.** {entry["statement_in_words"]}

Chapter {{doc}}`/{entry["chapter"]}`{f"; claims {claims}" if claims else ""}.

::::{{dropdown}} As Coq read it: `{entry["name"]}` ({place})
```coq
{entry["coq_statement"]}
```
It rests on these definitions:
```coq
{definitions}
```
Coq accepted it without axioms.
::::
"""


def _no_coq() -> str:
    """Why Coq cannot be asked; empty if it can."""
    if shutil.which("coqc") is None:
        return (
            "Coq is not installed. On Debian or Ubuntu: apt install coq libcoq-stdlib"
        )
    command = ["coqc", "--print-version"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    words = done.stdout.split()
    version = tuple(map(int, re.findall(r"\d+", words[0] if words else "0")))
    if version[:2] < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        return (
            f"The proofs need Coq {oldest} or newer, and this is version"
            f" {done.stdout.strip()}"
        )
    return ""


def _record(path: Path) -> tuple[int, str]:
    """Check the proofs and write the record; return the exit code and a message."""
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)  # So a check that is killed leaves no record.
    record: dict[str, Any] = {
        "digest": digest(),
        "theorems": [],
        "statements": [],
        "why": _no_coq(),
    }

    code = 3 if record["why"] else 0
    if not code:
        try:
            record["theorems"] = check()
            record["statements"] = statements()
        except ProofError as error:
            code = 1
            record["why"] = f"Not proved: {error}"

    path.write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    checked = f"{len(record['theorems'])} theorems checked, without axioms"
    return code, record["why"] or checked


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--if-changed",
        action="store_true",
        help="do nothing if the files have not changed",
    )
    parser.add_argument(
        "--accept", nargs="*", metavar="NAME", help="renew digests in theorems.toml"
    )
    arguments = parser.parse_args()

    if arguments.accept is not None:
        try:
            accept(arguments.accept)
        except ProofError as error:
            print(f"Not accepted: {error}", file=sys.stderr)
            return 1
        return 0

    if arguments.if_changed and read()["theorems"]:
        return 0
    code, message = _record(RECORD)
    print(message, file=sys.stderr if code else sys.stdout)
    return code


if __name__ == "__main__":
    sys.exit(main())
