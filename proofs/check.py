"""Let Coq check the proofs, and record what it checked.

    python proofs/check.py                 compile everything; write _build/proofs.json and the list
    python proofs/check.py --markdown      print the list of theorems in that record as MyST markdown

Exit codes: 0 all is checked; 1 a file does not compile, or a theorem rests on an axiom or on an unfinished
proof (its name and line are printed); 3 Coq is not installed. A file that needs more than 90 seconds does not
compile.
Only the standard library of Python is needed.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import textwrap
import time
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SECONDS = 90
_STATEMENT = re.compile(
    r"^\s*(?:Theorem|Lemma|Corollary|Fact|Proposition|Definition|Fixpoint|Inductive|Record)\s+(\w+)",
    re.MULTILINE,
)
_DEFINITION = re.compile(
    r"^( *)(?:Inductive|Record|Fixpoint|Definition) +(\w+).*?\."
    r"(?=\s*(?:\n\s*\n|\Z|\nProof|\n *(?:Definition|Fixpoint)))",
    re.MULTILINE | re.DOTALL,
)
_UNPROVED = re.compile(r"\b(Admitted|admit|Axioms?|Parameters?|Conjecture|Abort|give_up)\b")


class ProofError(Exception):
    """A proof that Coq does not accept as complete."""


def _without_comments(text: str) -> str:
    """The source with comments blanked out; lines keep their numbers."""
    out, depth, i = [], 0, 0
    while i < len(text):
        if text.startswith("(*", i):
            depth, i = depth + 1, i + 2
        elif text.startswith("*)", i) and depth:
            depth, i = depth - 1, i + 2
        else:
            out.append(text[i] if depth == 0 or text[i] == "\n" else " ")
            i += 1
    return "".join(out)


def _enclosing(text: str, line: int) -> str:
    """The name of the statement in which the line lies."""
    before = "\n".join(text.splitlines()[:line])
    names = _STATEMENT.findall(before)
    return names[-1] if names else "(before the first statement)"


def _scan(source: Path) -> None:
    text = _without_comments(source.read_text())
    for number, line in enumerate(text.splitlines(), 1):
        found = _UNPROVED.search(line)
        if found:
            raise ProofError(f"{source.name}, line {number}, {_enclosing(text, number)}: {found.group()}")


def _coqc(source: Path, folder: Path) -> tuple[str, float]:
    started = time.perf_counter()
    command = ["coqc", "-q", "-w", "none", "-Q", str(folder), "Treebounds", str(source)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise ProofError(f"{source.name}: not compiled within {SECONDS} seconds") from None
    if done.returncode:
        where = re.search(r"line (\d+)", done.stderr)
        line = int(where.group(1)) if where else 1
        name = _enclosing(source.read_text(), line)
        raise ProofError(f"{source.name}, line {line}, {name}:\n{done.stderr.strip()}")
    return done.stdout, time.perf_counter() - started


def _statement(text: str, name: str, file: str) -> tuple[str, int]:
    """The statement as it stands in the source, and its line."""
    pattern = rf"^ *(?:Theorem|Corollary|Lemma)\s+{name}\b.*?(?=^\s*Proof\b)"
    found = re.search(pattern, text, re.MULTILINE | re.DOTALL)
    if not found:
        raise ProofError(f"{file}: no theorem {name}")
    return textwrap.dedent(found.group()).strip(), text[: found.start()].count("\n") + 1


def _required(file: str, sources: dict[str, str]) -> set[str]:
    """The file and those that it requires, directly or through others."""
    found, frontier = set(), [file]
    while frontier:
        found.add(name := frontier.pop())
        for listed_there in re.findall(
            r"^From Treebounds Require Import ([\w ]+)\.", sources[name], re.MULTILINE
        ):
            frontier += [f"{module}.v" for module in listed_there.split() if f"{module}.v" not in found]
    return found


def _definitions(statement: str, file: str, sources: dict[str, str]) -> dict[str, str]:
    """Source text of the definitions that a statement rests on, in the order of the files, by name."""
    known: dict[str, str] = {}
    required = _required(file, sources)
    own = file if file == "Tutte.v" else ""
    for name, text in ((name, text) for name, text in sources.items() if name in required):
        for found in _DEFINITION.finditer(text):
            # An indented definition is local to a section; elsewhere its name may be a variable.
            if name in ("Definitions.v", own) or not found.group(1):
                known.setdefault(found.group(2), textwrap.dedent(found.group()).strip())
    used: set[str] = set()
    frontier = [statement]
    while frontier:
        words = set(re.findall(r"\w+'?", frontier.pop().split(":", 1)[-1]))
        for name in (words & known.keys()) - used:
            used.add(name)
            frontier.append(known[name])
    return {name: text for name, text in known.items() if name in used}


def _assumptions(theorems: list[dict[str, Any]], folder: Path) -> dict[str, str]:
    modules = sorted({Path(t["file"]).stem for t in theorems})
    lines = [f"From Treebounds Require {module}." for module in modules]
    for t in theorems:
        qualified = f"{Path(t['file']).stem}.{t['name']}"
        lines.append(f'Goal True. idtac "@@ {t["name"]}". Abort.\nPrint Assumptions {qualified}.')
    checked = folder / "Assumptions_of_theorems.v"
    checked.write_text("\n".join(lines) + "\n")
    output, _ = _coqc(checked, folder)
    parts = re.split(r"^@@ (\w+)$", output, flags=re.MULTILINE)
    return {name: text.strip() for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def check(source: Path = HERE, build: Path | None = None) -> list[dict[str, Any]]:
    """Compile a copy of the proofs in ``build`` and return the record, one entry for each theorem."""
    build = build or source.parent / "_build" / "proofs"
    shutil.rmtree(build, ignore_errors=True)
    build.mkdir(parents=True)
    order = [line for line in (source / "_CoqProject").read_text().split() if line.endswith(".v")]
    theorems = listed(source)["theorem"]
    seconds, sources = {}, {}
    for file in order:
        shutil.copy(source / file, build / file)
        _scan(build / file)
        _, seconds[file] = _coqc(build / file, build)
        sources[file] = _without_comments((source / file).read_text())
        print(f"{file}: {seconds[file]:.1f} s")
    record = []
    for theorem in theorems:
        file = theorem["file"]
        statement, line = _statement(sources[file], theorem["name"], file)
        record.append(
            {
                "name": theorem["name"],
                "anchor": f"coq-{theorem['name'].replace('_', '-').lower()}",
                "file": f"proofs/{file}",
                "line": line,
                "claim_ids": theorem.get("claims", []),
                "chapter": theorem["chapter"],
                "title": theorem["title"],
                "statement_in_words": " ".join(theorem["words"].split()),
                "coq_statement": statement,
                "definitions": _definitions(statement, file, sources),
                "seconds": round(seconds[file], 1),
            }
        )
    assumptions = _assumptions(theorems, build)
    for entry, theorem in zip(record, theorems, strict=True):
        entry["assumptions"] = assumptions[entry["name"]]
        print(f"\n{entry['coq_statement']}\n{entry['assumptions']}")
        if entry["assumptions"] != "Closed under the global context":
            raise ProofError(f"{theorem['file']}, line {entry['line']}, {entry['name']} rests on axioms")
    return record


def listed(source: Path = HERE) -> dict[str, list[dict[str, Any]]]:
    """What ``theorems.toml`` lists: theorems of Coq, and statements of the book."""
    return {"statement": [], **tomllib.loads((source / "theorems.toml").read_text())}


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
        lines += [f"Assumptions: {entry['assumptions']}.", "::::", ""]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument(
        "--markdown", action="store_true", help="print the recorded theorems as MyST markdown"
    )
    arguments = parser.parse_args()
    target = HERE.parent / "_build" / "proofs.json"
    if arguments.markdown:
        print(render(json.loads(target.read_text())["theorems"]))
        return 0
    if shutil.which("coqc") is None:
        print(
            "Coq is not installed: no proof was checked. On Debian or Ubuntu: apt install coq",
            file=sys.stderr,
        )
        return 3
    target.unlink(missing_ok=True)
    try:
        record = check()
        linked = statements()
    except ProofError as error:
        print(f"Not proved: {error}", file=sys.stderr)
        return 1
    target.write_text(json.dumps({"theorems": record, "statements": linked}, indent=1) + "\n")
    target.with_name("machine-checked-theorems.md").write_text(render(record))
    print(f"\n{len(record)} theorems checked, without axioms: {target.relative_to(HERE.parent)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
