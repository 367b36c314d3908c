"""Let Coq check the proofs, and record what it checked.

    python proofs/check.py                 check everything; write _build/proofs.json
    python proofs/check.py --if-changed    the same, unless the record is that of these very files
    python proofs/check.py --accept NAME   renew the digest of a theorem in theorems.toml, or of all

Each main theorem is stated again, word for word as the book shows it, in a file that knows the names of the
other files and nothing else of them, neither sections nor notations, and imports Definitions.v last. There
it must follow from what was proved. Coq prints what it rests on: no axiom, and no definition that the book
does not show. Then coqchk checks the compiled files again. The digest of title, words, statement and
definitions must be the one that a person accepted, who compared them.

Exit codes: 0 all is checked; 1 something is not (theorem, file and line are printed); 3 Coq is not
installed, or is too old. Only the standard library of Python is needed.
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
    r"|bypass_check)\b|(?:^|\. )\s*(?:(?:Local|Global)\s+|#\[.*?\]\s*)*(?:Set|Unset|Export)\b"
    r'|"'  # begins a notation, or the name of a file to load
)


class ProofError(Exception):
    """A proof that Coq does not accept as complete, or that proves something else than the book shows."""


# ---- Reading the sources -----------------------------------------------------------------------------------


def _without_comments(text: str) -> str:
    """The source with comments blanked out, line by line. As for Coq, strings count, in comments too."""
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
    """The files in their order, without comments, and without what no proof here may use."""
    sources = {}
    for file in re.findall(r"^(\w+\.v)$", (source / "_CoqProject").read_text("utf-8"), re.MULTILINE):
        sources[file] = text = _without_comments((source / file).read_text("utf-8"))
        for number, line in enumerate(text.splitlines(), 1):
            if found := _REFUSED.search(line):
                raise ProofError(
                    f"{file}, line {number}, {_enclosing(text, number)}: {found.group().strip('. ')}"
                )
    return sources


def _statement(text: str, name: str, file: str) -> tuple[str, int]:
    """The statement as it stands in the source, and its line."""
    found = re.search(rf"^ *Theorem\s+{name}\s*:.*?(?=^\s*Proof\b)", text, re.MULTILINE | re.DOTALL)
    if not found:
        raise ProofError(f"{file}: no theorem {name}")
    return textwrap.dedent(found.group()).strip(), text[: found.start()].count("\n") + 1


def _required(file: str, sources: dict[str, str]) -> list[str]:
    """The file and those that it requires, directly or through others, in their order."""
    found: set[str] = set()
    frontier = [file]
    while frontier:
        found.add(name := frontier.pop())
        for there in re.findall(r"^From Treebounds Require Import ([\w\s]+)\.", sources[name], re.MULTILINE):
            frontier += {f"{module}.v" for module in there.split()} - found
    return [name for name in sources if name in found]


def _definitions(statement: str, file: str, sources: dict[str, str]) -> dict[str, str]:
    """Source text of the definitions that a statement rests on, by qualified name."""
    known: dict[str, tuple[str, str]] = {}
    for name in _required(file, sources):
        for found in _DEFINITION.finditer(sources[name]):
            # An indented definition is local to a section; elsewhere its name may be a variable.
            if name == "Definitions.v" or not found.group(1):
                text = textwrap.dedent(found.group()).strip()
                known.setdefault(found.group(2), (f"{Path(name).stem}.{found.group(2)}", text))
    used: set[str] = set()
    frontier = [statement]
    while frontier:
        for name in (_words(frontier.pop().split(":", 1)[-1]) & known.keys()) - used:
            used.add(name)
            frontier.append(known[name][1])
    return dict(known[name] for name in known if name in used)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+'?", text))


def _refuse_hidden_meaning(definitions: dict[str, str], sources: dict[str, str]) -> None:
    """Refuse a definition whose text is not all of it, or whose words are abbreviations."""
    for name, text in definitions.items():
        module = name.split(".")[0]
        if ":=" not in text:
            raise ProofError(f"{module}.v, {name}: a definition by a proof, which the book does not show")
        for file in _required(f"{module}.v", sources):
            for word in _words(text) & set(re.findall(r"\bNotation\s+(\w+'?)", sources[file])):
                raise ProofError(f"{module}.v, {name}: {word} is an abbreviation in {file}")


def listed(source: Path = HERE) -> dict[str, list[dict[str, Any]]]:
    """What ``theorems.toml`` lists: theorems of Coq, and statements of the book."""
    return {"statement": [], **tomllib.loads((source / "theorems.toml").read_text("utf-8"))}


def entries(source: Path = HERE) -> list[dict[str, Any]]:
    """The record of each main theorem, before Coq is asked."""
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
        _refuse_hidden_meaning(entry["definitions"], sources)
        shown = [entry[key] for key in ("title", "statement_in_words", "coq_statement", "definitions")]
        entry["digest"] = hashlib.sha256(json.dumps(shown).encode()).hexdigest()[:16]
        found.append(entry | {"accepted": theorem.get("accepted")})
    names = {entry["name"] for entry in found}
    for file, text in sources.items():
        for name in set(re.findall(r"^ *(?:Theorem|Corollary)\s+(\w+)", text, re.MULTILINE)) - names:
            raise ProofError(f"{file}: theorem {name} is not in theorems.toml; a lemma is called Lemma")
    return found


def statements(source: Path = HERE) -> list[dict[str, Any]]:
    """The theorems of the book by label: what proves each of them together, and what in it nothing proves."""
    names = {theorem["name"] for theorem in listed(source)["theorem"]}
    for statement in listed(source)["statement"]:
        for name in statement["theorems"]:
            if name not in names:
                raise ProofError(
                    f"theorems.toml: {statement.get('label', 'a claim')} names {name}, which is not listed"
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
    """Write the digests of the named theorems, or of all, into ``theorems.toml``; print them."""
    path = source / "theorems.toml"
    text, found = path.read_text("utf-8"), {entry["name"]: entry for entry in entries(source)}
    for name in names or [name for name, entry in found.items() if entry["accepted"] != entry["digest"]]:
        if name not in found:
            raise ProofError(f"theorems.toml: {name} is not listed")
        entry = found[name]
        print(f"{entry['title']}: {entry['statement_in_words']}\n\n{entry['coq_statement']}\n")
        print("\n\n".join(entry["definitions"].values()), end="\n\n\n")
        start = text.index(f'name = "{name}"\n')
        block = text[start:].split("\n[[", 1)[0]
        renewed = re.sub(r'\naccepted = ".*"', "", block).replace(
            "\n", f'\naccepted = "{entry["digest"]}"\n', 1
        )
        text = text.replace(block, renewed, 1)
    path.write_text(text, "utf-8")


# ---- Asking Coq --------------------------------------------------------------------------------------------


def _run(command: list[str], build: Path, sources: dict[str, str]) -> str:
    """What a program prints; an error of Coq names theorem, file and line."""
    surroundings = {
        key: value for key, value in os.environ.items() if "MAKE" not in key
    }  # make book calls this
    options: dict[str, Any] = {"capture_output": True, "text": True, "timeout": SECONDS}
    try:
        done = subprocess.run(command, cwd=build, env=surroundings, check=False, **options)
    except subprocess.TimeoutExpired:
        raise ProofError(f"{command[0]}: not finished within {SECONDS} seconds") from None
    if done.returncode == 0:
        return done.stdout + done.stderr
    said = done.stderr.strip() or done.stdout.strip()
    where = re.search(r'File "\./(\w+\.v)", line (\d+)', said)
    if not where:
        raise ProofError(f"{command[0]}: {said}")
    file, line = where.group(1), int(where.group(2))
    text = sources.get(file) or (build / file).read_text("utf-8")
    name = _enclosing(text, line)
    if file.startswith("Restated_"):
        file, line = file.removeprefix("Restated_"), _statement(sources[file[9:]], name, file)[1]
        name += ", which does not prove the statement that the book shows"
    raise ProofError(f"{file}, line {line}, {name}:\n{said[where.start() :]}")


def _restated(file: str, theorems: list[dict[str, Any]], sources: dict[str, str]) -> str:
    """A file in which the shown statements must follow from the theorems of ``file``."""
    modules = [Path(name).stem for name in _required(file, sources) if name != "Definitions.v"]
    lines = [
        "From Coq Require Import List.",
        *re.findall(r"^From Coq Require Import [\w\s]+\.", sources[file], re.MULTILINE),
        "Import ListNotations.",
        f"From Treebounds Require {' '.join(modules)}.",
        f"Import -(notations, canonicals, hints) {' '.join(modules)}.",
        "From Treebounds Require Import Definitions.",
    ]
    lines += [f"{t['coq_statement']}\nProof. exact @{Path(file).stem}.{t['name']}. Qed." for t in theorems]
    return "\n".join(lines) + "\n"


def _write_if_changed(path: Path, text: str) -> None:
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")


def _compile(source: Path, build: Path, sources: dict[str, str], found: list[dict[str, Any]]) -> list[str]:
    """Compile the files and those that state the theorems again; the names of all modules."""
    files = {file: (source / file).read_text("utf-8") for file in sources}
    for file in sources:
        if mine := [entry for entry in found if entry["file"] == f"proofs/{file}"]:
            files[f"Restated_{file}"] = _restated(file, mine, sources)
    for stale in {path.name for path in build.glob("*.v")} - files.keys():
        (build / stale).unlink()
    for name, text in files.items():
        _write_if_changed(build / name, text)
    _write_if_changed(
        build / "_CoqProject", "\n".join(["-Q . Treebounds", "-arg -w -arg none", *files]) + "\n"
    )
    _run(["coq_makefile", "-f", "_CoqProject", "-o", "Makefile"], build, sources)
    _run(["make", f"-j{min(2, os.cpu_count() or 1)}"], build, sources)
    return [Path(name).stem for name in files]


def _ask(build: Path, modules: list[str], questions: dict[str, str]) -> dict[str, str]:
    """What Coq prints in answer to each question, with nothing imported."""
    lines = [
        f"From Treebounds Require {' '.join(modules)}.",
        "Set Printing All.",
        "Set Printing Depth 100000.",
    ]
    for key, question in questions.items():
        lines.append(f'Goal True. idtac "@@ {key}". Abort.\n{question}')
    (build / "questions.v").write_text("\n".join(lines) + "\n", "utf-8")
    said = _run(["coqc", "-q", "-w", "none", "-Q", ".", "Treebounds", "questions.v"], build, {})
    (build / "questions.v").unlink()
    parts = re.split(r"^@@ (.+)$", said, flags=re.MULTILINE)
    return {key: text.strip() for key, text in zip(parts[1::2], parts[2::2], strict=True)}


def _place(entry: dict[str, Any]) -> str:
    return f"{Path(entry['file']).name}, line {entry['line']}, {entry['name']}"


def _refuse_axioms(build: Path, modules: list[str], found: list[dict[str, Any]]) -> None:
    """Ask for the assumptions of all theorems at once, for each question walks through all proofs."""
    full = {entry["name"]: f"Restated_{Path(entry['file']).stem}.{entry['name']}" for entry in found}
    together = f"Definition all_theorems := ({', '.join(f'@{name}' for name in full.values())})."
    closed = "Closed under the global context"
    if _ask(build, modules, {"all": f"{together}\nPrint Assumptions all_theorems."})["all"] != closed:
        answers = _ask(build, modules, {key: f"Print Assumptions {name}." for key, name in full.items()})
        for entry in found:
            if answers[entry["name"]] != closed:
                raise ProofError(f"{_place(entry)} rests on axioms: {answers[entry['name']]}")


def _refuse_unshown(build: Path, modules: list[str], found: list[dict[str, Any]]) -> None:
    """Refuse a theorem in which Coq prints a definition that the book does not show."""
    questions = {e["name"]: f"Check Restated_{Path(e['file']).stem}.{e['name']}." for e in found}
    questions |= {name: f"Print {name}." for entry in found for name in entry["definitions"]}
    printed = _ask(build, modules, questions)
    for entry in found:
        shown = entry["definitions"]
        text = "\n".join(printed[name] for name in [entry["name"], *shown])
        names = {name.rstrip(".") for name in re.findall(rf"\b((?:{'|'.join(modules)})\.[\w.']+)", text)}
        # constructors and fields stand in the text of their type, but for the constructor of a record
        inside = {name.replace(".", ".Build_") for name in shown} | shown.keys()
        inside |= {f"{name.split('.')[0]}.{word}" for name, body in shown.items() for word in _words(body)}
        inside.add(f"Restated_{Path(entry['file']).stem}.{entry['name']}")
        if unshown := names - inside:
            raise ProofError(
                f"{_place(entry)} rests on {', '.join(sorted(unshown))}, which the book does not show"
            )


def _check_again(build: Path, modules: list[str]) -> None:
    """Let coqchk check the compiled files, and refuse what it reports."""
    again = [word for module in modules for word in ("-norec", f"Treebounds.{module}")]
    said = _run(["coqchk", "-silent", "-o", "-Q", ".", "Treebounds", *again], build, {})
    reported = dict(re.findall(r"^\* (.+?):(.*?)(?=^\* |\Z)", said, re.MULTILINE | re.DOTALL))
    for title in ("Axioms", *(reported.keys() - {"Axioms", "Theory"})):
        words = reported.get(title, "no report").split()
        # parameters of a functor of Coq's own library, which is not checked again, are none
        if [w for w in words if not re.match(r"\w+\.ssr\.ssrunder\.", w)] not in ([], ["<none>"]):
            raise ProofError(f"coqchk, {title}: {' '.join(words)}")


def check(source: Path = HERE, build: Path | None = None) -> list[dict[str, Any]]:
    """Check the proofs in the folder ``build`` and return the record, one entry for each theorem."""
    build = build or source.parent / "_build" / "proofs"
    found, sources = entries(source), _read(source)
    for entry in found:
        if entry.pop("accepted") != entry.pop("digest"):
            raise ProofError(
                f"{_place(entry)}: words, statement or definitions are not those that were accepted; "
                f"compare them, then run check.py --accept {entry['name']}"
            )
    version = subprocess.run(["coqc", "--print-version"], capture_output=True, check=True).stdout
    if not (build / "version").exists() or (build / "version").read_bytes() != version:
        shutil.rmtree(build, ignore_errors=True)  # compiled files of one version are no use to another
        build.mkdir(parents=True)
        (build / "version").write_bytes(version)
    modules = _compile(source, build, sources, found)
    _refuse_axioms(build, modules, found)
    _refuse_unshown(build, modules, found)
    _check_again(build, modules)
    return found


# ---- The record --------------------------------------------------------------------------------------------


def digest(source: Path = HERE) -> str:
    """Digest of the files that a record is the record of."""
    files = [*sorted(source.glob("*.v")), *(source / n for n in ("_CoqProject", "check.py", "theorems.toml"))]
    content = [(file.name, file.read_text("utf-8")) for file in files if file.exists()]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def read(record: Path = RECORD, source: Path = HERE) -> dict[str, Any]:
    """The record if it is that of the files as they are; else one without theorems, and why it has none."""
    none = {"theorems": [], "statements": [], "why": "Coq has not checked the proofs as they are now"}
    if not record.exists():
        return none
    found = json.loads(record.read_text("utf-8"))
    return found if found["digest"] == digest(source) else none


def render(record: list[dict[str, Any]]) -> str:
    """The theorems as MyST markdown: in words; the statement and its definitions behind a click."""
    lines = []
    for entry in record:
        lines += [f"({entry['anchor']})="]
        place = f"`{entry['name']}` ({entry['file']}, line {entry['line']})"
        claims = ", ".join(entry["claim_ids"])
        lines += [f"**{entry['title'].removesuffix('.')}.** {entry['statement_in_words']}", ""]
        lines += [f"Chapter {{doc}}`/{entry['chapter']}`" + (f"; claims {claims}." if claims else ".")]
        # fences of colons: the info string of a fence of backticks must not hold any
        lines += ["", f"::::{{dropdown}} As Coq read it: {place}", "```coq", entry["coq_statement"], "```"]
        lines += [
            "It rests on these definitions:",
            "```coq",
            "\n\n".join(entry["definitions"].values()),
            "```",
        ]
        lines += ["Coq accepted it without axioms.", "::::", ""]
    return "\n".join(lines)


def _no_coq() -> str:
    """Why Coq cannot be asked; empty if it can."""
    if shutil.which("coqc") is None:
        return "Coq is not installed. On Debian or Ubuntu: apt install coq"
    said = subprocess.run(["coqc", "--print-version"], capture_output=True, text=True, check=False).stdout
    version = tuple(map(int, re.findall(r"\d+", said.split()[0] if said.split() else "0")))
    oldest = ".".join(map(str, OLDEST))
    return "" if version[:2] >= OLDEST else f"Coq is older than {oldest}: {said.strip()}"


def _record(path: Path) -> tuple[int, str]:
    """Check, and write the record; the exit code, and what happened."""
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)  # a check that is killed leaves no record
    record: dict[str, Any] = {"digest": digest(), "theorems": [], "statements": [], "why": _no_coq()}
    code = 3 if record["why"] else 0
    if not code:
        try:
            record |= {"theorems": check(), "statements": statements()}
        except ProofError as error:
            code, record["why"] = 1, f"Not proved: {error}"
    path.write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    return code, record["why"] or f"{len(record['theorems'])} theorems checked, without axioms"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--if-changed", action="store_true", help="nothing to do for the files of the record")
    parser.add_argument("--accept", nargs="*", metavar="NAME", help="renew digests in theorems.toml")
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
