"""Let Coq check the proofs, and record what it checked.

    python proofs/check.py                 check everything; write _build/proofs.json
    python proofs/check.py --if-changed    the same, unless the files have not changed
    since the last check python proofs/check.py --accept NAME   renew the digest of a
    theorem in theorems.toml, or of all

Each main theorem is stated again, word for word as the book shows it, in a file that
imports the names of the other files, but neither sections nor notations, and
Definitions.v last. There it must follow from what was proved, without any axiom. The
statements and definitions in the book are also put into files that hold nothing else.
Coq must read each of them there as in its own file, so none depends on anything hidden.
Then coqchk checks the compiled files again. The digest of title, words, statement and
definitions must be the one that a person accepted after comparing them.

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
_STATEMENT = re.compile(
    r"^\s*(?:Theorem|Lemma|Corollary|Fact|Proposition|Example|Definition|Fixpoint|Inductive|Record)\s+(\w+)",
    re.MULTILINE,
)
_DEFINITION = re.compile(
    r"^( *)(?:Inductive|Record|Fixpoint|Definition) +(\w+).*?\."
    r"(?=\s*(?:\n\s*\n|\Z|\nProof|\n *(?:Definition|Fixpoint)))",
    re.MULTILINE | re.DOTALL,
)
_REFUSED = re.compile(
    r"\b(?:Admitted|admit|Axioms?|Parameters?|Conjectures?|Abort|give_up|Coercion|Canonical|Infix|Scope|Load"
    r"|bypass_check|Unset|Export|Set(?=\s+[A-Z]))\b"
    r'|"'  # begins a notation, or the name of a file to load
)
# What it means if Coq rejects one of the files that `_restated` and `_alone` write.
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
# Names and implicit arguments that the definitions in the book take for granted, beside
# those of each other.
_LIBRARY = (
    "From Coq Require Import List Arith Permutation Sorted Ring_theory.\nImport"
    " ListNotations."
)
_ARGUMENTS = re.compile(r"^Arguments (\w+) [\w {}]+\.$", re.MULTILINE)
_SECTION = re.compile(r"^ *(?:Section|End|Variable) [^.]+\.", re.MULTILINE)


class ProofError(Exception):
    """Coq does not accept a proof, or the proof is not one of the statement that the
    book shows.
    """


# ---- Reading the sources
# -----------------------------------------------------------------------------------


def _without_comments(text: str) -> str:
    """The source with comments blanked out, line by line. As for Coq, strings count, in
    comments too.
    """
    out, depth, i = [], 0, 0
    while i < len(text):
        string = re.compile(r'"[^"]*"').match(text, i)
        mark = text[i : i + 2]
        piece = string.group() if string else mark if mark in ("(*", "*)") else text[i]
        depth += piece == "(*"
        out.append(piece if depth == 0 else re.sub(r"[^\n]", " ", piece))
        depth -= piece == "*)" and depth > 0
        i += len(piece)
    return "".join(out)


def _enclosing(text: str, line: int) -> str:
    """The name of the statement in which the line lies."""
    names = _STATEMENT.findall("\n".join(text.splitlines()[:line]))
    return names[-1] if names else "(before the first statement)"


def _read(source: Path) -> dict[str, str]:
    """The text of the files in their order, without comments; an error if one has a
    word of _REFUSED.
    """
    sources = {}
    for file in re.findall(
        r"^(\w+\.v)$", (source / "_CoqProject").read_text("utf-8"), re.MULTILINE
    ):
        sources[file] = text = _without_comments((source / file).read_text("utf-8"))
        if found := _REFUSED.search(text):
            line = text[: found.start()].count("\n") + 1
            why = (
                "is not allowed here: it can hide a gap or change what a statement"
                " means. Do without it"
            )
            raise ProofError(
                f"{file}, line {line}, {_enclosing(text, line)}: {found.group()} {why}"
            )
    return sources


def _statement(text: str, name: str, file: str) -> tuple[str, int]:
    """The statement as it stands in the source, and its line."""
    found = re.search(
        rf"^ *Theorem\s+{name}\s*:.*?(?=^\s*Proof\b)", text, re.MULTILINE | re.DOTALL
    )
    if not found:
        rest = (
            "followed by a line that begins with Proof, although theorems.toml lists it"
            " there; correct one"
        )
        raise ProofError(
            f"{file}: no theorem {name} is in this file, {rest} of the two"
        )
    return textwrap.dedent(found.group()).strip(), text[: found.start()].count("\n") + 1


def _required(file: str, sources: dict[str, str]) -> list[str]:
    """The file and those that it requires, directly or through others, in their order."""
    found: set[str] = set()
    frontier = [file]
    while frontier:
        found.add(name := frontier.pop())
        text = sources.get(name, "")
        for there in re.findall(
            r"^From Treebounds Require Import ([\w\s]+)\.", text, re.MULTILINE
        ):
            frontier += {f"{module}.v" for module in there.split()} - found
    return [name for name in sources if name in found]


def _definitions(statement: str, file: str, sources: dict[str, str]) -> dict[str, str]:
    """Source text of the definitions that a statement rests on, by qualified name."""
    known: dict[str, tuple[str, str]] = {}
    for name in _required(file, sources):
        for found in _DEFINITION.finditer(sources[name]):
            # An indented definition is local to a section; elsewhere its name may be a
            # variable.
            if name == "Definitions.v" or not found.group(1):
                text = textwrap.dedent(found.group()).strip()
                known.setdefault(
                    found.group(2), (f"{Path(name).stem}.{found.group(2)}", text)
                )
    used: set[str] = set()
    frontier = [statement]
    while frontier:
        for name in (_words(frontier.pop().split(":", 1)[-1]) & known.keys()) - used:
            used.add(name)
            frontier.append(known[name][1])
    return dict(known[name] for name in known if name in used)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+'?", text))


def listed(source: Path = HERE) -> dict[str, list[dict[str, Any]]]:
    """The content of ``theorems.toml``: theorems of Coq, and statements of the book."""
    return {
        "statement": [],
        **tomllib.loads((source / "theorems.toml").read_text("utf-8")),
    }


def entries(source: Path = HERE) -> list[dict[str, Any]]:
    """The record of each main theorem, before Coq checks it."""
    sources, found = _read(source), []
    for theorem in listed(source)["theorem"]:
        file, name = theorem["file"], theorem["name"]
        statement, line = _statement(sources.get(file, ""), name, file)
        entry = {
            "name": name,
            "anchor": f"coq-{name.replace('_', '-').lower()}",
            "file": f"proofs/{file}",
            "line": line,
            "claim_ids": theorem.get("claims", []),
            "chapter": theorem["chapter"],
            "title": theorem["title"],
            "statement_in_words": " ".join(theorem["words"].split()),
            "coq_statement": statement,
            "definitions": _definitions(statement, file, sources),
        }
        shown = [
            entry[key]
            for key in ("title", "statement_in_words", "coq_statement", "definitions")
        ]
        entry["digest"] = hashlib.sha256(json.dumps(shown).encode()).hexdigest()[:16]
        found.append(entry | {"accepted": theorem.get("accepted")})
    names = {entry["name"] for entry in found}
    for file, text in sources.items():
        for theorem in re.finditer(
            r"^ *(?:Theorem|Corollary)\s+(\w+)", text, re.MULTILINE
        ):
            if theorem[1] not in names:
                place = (
                    f"{file}, line {text[: theorem.start(1)].count(chr(10)) + 1}:"
                    f" theorem {theorem[1]}"
                )
                raise ProofError(
                    f"{place} is not in theorems.toml; list it there, or call it a"
                    " Lemma"
                )
    return found


def statements(source: Path = HERE) -> list[dict[str, Any]]:
    """The theorems of the book by label, with the Coq theorems that prove them, and
    what these leave open.
    """
    names = {theorem["name"] for theorem in listed(source)["theorem"]}
    for statement in listed(source)["statement"]:
        for name in statement["theorems"]:
            if name not in names:
                label = statement.get("label", "a claim")
                raise ProofError(
                    f"theorems.toml: {label} names {name}, but no [[theorem]] has this"
                    " name"
                )
    return [
        {
            "label": statement.get("label", ""),
            "theorems": statement["theorems"],
            "unchecked": " ".join(statement.get("unchecked", "").split()),
            "claims": statement.get("claims", []),
        }
        for statement in listed(source)["statement"]
    ]


def accept(names: list[str], source: Path = HERE) -> None:
    """Write the digests of the named theorems, or of all, into ``theorems.toml``; print
    them.
    """
    path = source / "theorems.toml"
    text, found = (
        path.read_text("utf-8"),
        {entry["name"]: entry for entry in entries(source)},
    )
    for name in names or [
        name for name, entry in found.items() if entry["accepted"] != entry["digest"]
    ]:
        if name not in found:
            raise ProofError(f"theorems.toml lists no theorem {name}; correct the name")
        entry = found[name]
        print(
            f"{entry['title']}:"
            f" {entry['statement_in_words']}\n\n{entry['coq_statement']}\n"
        )
        print("\n\n".join(entry["definitions"].values()), end="\n\n\n")
        start = text.index(f'name = "{name}"\n')
        block = text[start:].split("\n[[", 1)[0]
        first, _, rest = re.sub(r'\naccepted = ".*"', "", block).partition("\n")
        text = text.replace(
            block, f'{first}\naccepted = "{entry["digest"]}"\n{rest}', 1
        )
    path.write_text(text, "utf-8")


# ---- Asking Coq
# --------------------------------------------------------------------------------------


def _run(command: list[str], build: Path, sources: dict[str, str]) -> str:
    """The output of a program; if Coq fails, the error names theorem, file and line."""
    # `make book` calls this, and its variables would change the commands of the
    # Makefile for Coq.
    surroundings = {
        key: value for key, value in os.environ.items() if "MAKE" not in key
    }
    options: dict[str, Any] = {"capture_output": True, "text": True, "timeout": SECONDS}
    try:
        done = subprocess.run(
            command, cwd=build, env=surroundings, check=False, **options
        )
    except subprocess.TimeoutExpired:
        raise ProofError(
            f"{command[0]} took more than {SECONDS} seconds; run the check again"
        ) from None
    if done.returncode == 0:
        return done.stdout + done.stderr
    said = done.stderr.strip() or done.stdout.strip()
    where = re.search(r'File "\./(\w+\.v)", line (\d+)', said)
    if not where:
        raise ProofError(
            f"{command[0]} failed and named no file of the proofs:\n{said}"
        )
    file, line = where.group(1), int(where.group(2))
    text = sources.get(file) or (build / file).read_text("utf-8")
    name, reason = _enclosing(text, line), "Coq does not accept this"
    kind, _, original = file.partition("_")
    if kind in _GENERATED:
        file, reason, text = original, _GENERATED[kind], sources[original]
        found = re.search(rf"^ *[A-Z]\w+\s+{re.escape(name)}\b", text, re.MULTILINE)
        line = text[: found.start() if found else 0].count("\n") + 1
    raise ProofError(f"{file}, line {line}, {name}: {reason}:\n{said[where.start() :]}")


def _restated(
    file: str, theorems: list[dict[str, Any]], sources: dict[str, str]
) -> str:
    """A file in which the shown statements must follow from the theorems of ``file``."""
    modules = [
        Path(name).stem for name in _required(file, sources) if name != "Definitions.v"
    ]
    lines = [
        _LIBRARY,
        f"From Treebounds Require {' '.join(modules)}.",
        f"Import -(notations, canonicals, hints) {' '.join(modules)}.",
        "From Treebounds Require Import Definitions.",
    ]
    lines += [
        f"{t['coq_statement']}\nProof. exact @{Path(file).stem}.{t['name']}. Qed."
        for t in theorems
    ]
    return "\n".join(lines) + "\n"


def _alone(file: str, found: list[dict[str, Any]], sources: dict[str, str]) -> str:
    """A file with the definitions and statements of ``file`` that the book shows; empty
    if it shows none.
    """
    shown = {
        name: body for entry in found for name, body in entry["definitions"].items()
    }
    mine = {body for name, body in shown.items() if f"{name.split('.')[0]}.v" == file}
    pieces = [
        m
        for m in _DEFINITION.finditer(sources[file])
        if textwrap.dedent(m[0]).strip() in mine
    ]
    pieces += [
        m for m in _ARGUMENTS.finditer(sources[file]) if m[1] in _words(" ".join(mine))
    ]
    pieces += _SECTION.finditer(sources[file] if file == "Definitions.v" else "")
    lines = [piece[0] for piece in sorted(pieces, key=re.Match.start)]
    for entry in (entry for entry in found if entry["file"] == f"proofs/{file}"):
        lines.append(
            re.sub(
                r"^Theorem(\s+\w+\s*):",
                r"Definition\1: Prop :=",
                entry["coq_statement"],
            )
        )
    others = {f"{name.split('.')[0]}.v" for name in shown} - {file}
    needed = [name[:-2] for name in _required(file, sources) if name in others]
    imports = [f"From Treebounds Require Import Shown_{name}." for name in needed]
    return "\n".join([_LIBRARY, *imports, *lines, ""]) if lines else ""


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
        if mine := [entry for entry in found if entry["file"] == f"proofs/{file}"]:
            files[f"Restated_{file}"] = _restated(file, mine, sources)
        if text := _alone(file, found, sources):
            files[f"Shown_{file}"] = text
    for stale in {path.name for path in build.glob("*.v")} - files.keys():
        (build / stale).unlink()
    for name, text in files.items():
        _write_if_changed(build / name, text)
    project = ["-Q . Treebounds", "-arg -w -arg none", *files, ""]
    _write_if_changed(build / "_CoqProject", "\n".join(project))
    _run(["coq_makefile", "-f", "_CoqProject", "-o", "Makefile"], build, sources)
    _run(["make", f"-j{min(2, os.cpu_count() or 1)}"], build, sources)
    return [Path(name).stem for name in files]


def _ask(build: Path, modules: list[str], questions: dict[str, str]) -> dict[str, str]:
    """The answer of Coq to each question, with nothing imported."""
    lines = [
        f"From Treebounds Require {' '.join(modules)}.",
        "Set Printing All. Set Printing Depth 100000.",
    ]
    for key, question in questions.items():
        lines.append(f'Goal True. idtac "@@ {key}". Abort.\n{question}')
    (build / "questions.v").write_text("\n".join(lines) + "\n", "utf-8")
    said = _run(
        ["coqc", "-q", "-w", "none", "-Q", ".", "Treebounds", "questions.v"], build, {}
    )
    (build / "questions.v").unlink()
    parts = re.split(r"^@@ (.+)$", said, flags=re.MULTILINE)
    return {
        key: text.strip() for key, text in zip(parts[1::2], parts[2::2], strict=True)
    }


def _place(entry: dict[str, Any]) -> str:
    return f"{Path(entry['file']).name}, line {entry['line']}, {entry['name']}"


def _refuse_axioms(
    build: Path, modules: list[str], found: list[dict[str, Any]]
) -> None:
    """Ask for the assumptions of all theorems at once, for each question walks through
    all proofs.
    """
    full = {
        entry["name"]: f"Restated_{Path(entry['file']).stem}.{entry['name']}"
        for entry in found
    }
    together = (
        "Definition all_theorems :="
        f" ({', '.join(f'@{name}' for name in full.values())})."
    )
    closed = "Closed under the global context"
    if (
        _ask(build, modules, {"all": f"{together}\nPrint Assumptions all_theorems."})[
            "all"
        ]
        != closed
    ):
        answers = _ask(
            build,
            modules,
            {key: f"Print Assumptions {name}." for key, name in full.items()},
        )
        for entry in found:
            if answers[entry["name"]] != closed:
                why = "its proof rests on axioms; prove them, or do without them"
                raise ProofError(f"{_place(entry)}: {why}:\n{answers[entry['name']]}")


def _refuse_other_meaning(
    build: Path, modules: list[str], found: list[dict[str, Any]]
) -> None:
    """Refuse a text that Coq reads differently if it knows only what the book shows."""
    full = [f"{Path(entry['file']).stem}.{entry['name']}" for entry in found]
    asked = {name: f"Print {name}." for entry in found for name in entry["definitions"]}
    asked |= {name: f"Check Restated_{name}." for name in full}
    said = _ask(
        build,
        modules,
        asked | {f"Shown_{name}": f"Print Shown_{name}." for name in asked},
    )
    # `Check` prints "name : statement", `Print` prints "name = statement : Prop".
    read = {
        key: re.sub(r"^\S+\s+[:=]\s|\s*: Prop$", "", text).split()
        for key, text in said.items()
    }
    for entry, theorem in zip(found, full, strict=True):
        for name in (theorem, *entry["definitions"]):
            if read[name] != [
                word.replace("Shown_", "") for word in read[f"Shown_{name}"]
            ]:
                raise ProofError(
                    f"{_place(entry)}: Coq reads {name} in its file differently from"
                    " the text in the book, which shows neither imports nor notations;"
                    f" make the two agree:\n{said[name]}"
                )


def _check_again(build: Path, modules: list[str]) -> None:
    """Let coqchk check the compiled files, and refuse what it reports."""
    again = [word for module in modules for word in ("-norec", f"Treebounds.{module}")]
    said = _run(["coqchk", "-silent", "-o", "-Q", ".", "Treebounds", *again], build, {})
    reported = dict(
        re.findall(r"^\* (.+?):(.*?)(?=^\* |\Z)", said, re.MULTILINE | re.DOTALL)
    )
    for title in ("Axioms", *(reported.keys() - {"Axioms", "Theory"})):
        words = reported.get(title, "no report").split()
        # The parameters of two functors of Coq's own library, which is not checked
        # again, are not axioms.
        functors = r"\w+\.(?:ssr\.ssrunder|Arith\.PeanoNat\.Nat\.PrivateImplementsBitwiseSpec)\."
        if [w for w in words if not re.match(functors, w)] not in ([], ["<none>"]):
            raise ProofError(
                f"coqchk found {title}, and must find none: {' '.join(words)}"
            )


def check(source: Path = HERE, build: Path | None = None) -> list[dict[str, Any]]:
    """Check the proofs in the folder ``build`` and return the record, one entry for
    each theorem.
    """
    build = build or source.parent / "_build" / "proofs"
    found, sources = entries(source), _read(source)
    for entry in found:
        if entry.pop("accepted") != entry.pop("digest"):
            raise ProofError(
                f"{_place(entry)}: title, words, statement or definitions are not those"
                " that a person accepted; compare them, then run python"
                f" proofs/check.py --accept {entry['name']}"
            )
    version = subprocess.run(
        ["coqc", "--print-version"], capture_output=True, check=True
    ).stdout
    if not (build / "version").exists() or (build / "version").read_bytes() != version:
        shutil.rmtree(
            build, ignore_errors=True
        )  # Another version cannot read the compiled files.
        build.mkdir(parents=True)
        (build / "version").write_bytes(version)
    modules = _compile(source, build, sources, found)
    _refuse_axioms(build, modules, found)
    _refuse_other_meaning(build, modules, found)
    _check_again(build, modules)
    return found


# ---- The record
# --------------------------------------------------------------------------------------


def digest(source: Path = HERE) -> str:
    """The digest of the files on which a record depends."""
    files = [
        *sorted(source.glob("*.v")),
        *(source / n for n in ("_CoqProject", "check.py", "theorems.toml")),
    ]
    content = [(file.name, file.read_text("utf-8")) for file in files if file.exists()]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def read(record: Path = RECORD, source: Path = HERE) -> dict[str, Any]:
    """The record if the files have not changed since; otherwise one without theorems,
    with the reason.
    """
    none = {
        "theorems": [],
        "statements": [],
        "why": "Coq has not checked the proofs as they are now",
    }
    if not record.exists():
        return none
    found = json.loads(record.read_text("utf-8"))
    return found if found["digest"] == digest(source) else none


def render(record: list[dict[str, Any]]) -> str:
    """The theorems as MyST markdown: the words, and the statement and its definitions
    behind a click.
    """
    lines = []
    for entry in record:
        lines += [f"({entry['anchor']})="]
        place = f"`{entry['name']}` ({entry['file']}, line {entry['line']})"
        claims = ", ".join(entry["claim_ids"])
        lines += [
            f"**{entry['title'].removesuffix('.')}.** {entry['statement_in_words']}",
            "",
        ]
        lines += [
            f"Chapter {{doc}}`/{entry['chapter']}`"
            + (f"; claims {claims}." if claims else ".")
        ]
        # The title holds backticks, which a fence of backticks does not allow in its
        # first line.
        lines += [
            "",
            f"::::{{dropdown}} As Coq read it: {place}",
            "```coq",
            entry["coq_statement"],
            "```",
        ]
        definitions = "\n\n".join(entry["definitions"].values())
        lines += ["It rests on these definitions:", "```coq", definitions, "```"]
        lines += ["Coq accepted it without axioms.", "::::", ""]
    return "\n".join(lines)


def _no_coq() -> str:
    """Why Coq cannot be asked; empty if it can."""
    if shutil.which("coqc") is None:
        return (
            "Coq is not installed. On Debian or Ubuntu: apt install coq libcoq-stdlib"
        )
    said = subprocess.run(
        ["coqc", "--print-version"], capture_output=True, text=True, check=False
    ).stdout
    version = tuple(
        map(int, re.findall(r"\d+", said.split()[0] if said.split() else "0"))
    )
    old = (
        f"The proofs need Coq {'.'.join(map(str, OLDEST))} or newer, and this is"
        f" version {said.strip()}"
    )
    return "" if version[:2] >= OLDEST else old


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
            record |= {"theorems": check(), "statements": statements()}
        except ProofError as error:
            code, record["why"] = 1, f"Not proved: {error}"
    path.write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    return (
        code,
        record["why"] or f"{len(record['theorems'])} theorems checked, without axioms",
    )


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
    code, said = _record(RECORD)
    print(said, file=sys.stderr if code else sys.stdout)
    return code


if __name__ == "__main__":
    sys.exit(main())
