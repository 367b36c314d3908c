"""Typeset the paper from the book's own statements, proofs, figures and numbers: make
paper

``paper.md`` is Markdown that pandoc reads. It takes from the book's sources and its
last build

- ``{{ theorem LABEL }}``: a theorem, lemma or corollary, as stated in its chapter;
- ``{{ proof LABEL }}``: the proof that names it (``% proves:``), or those that follow
  it there;
- ``{{ ref LABEL }}``: its number;
- ``{{ figure NAME WIDTH }}``: the picture of a figure and its caption;
- ``{{ number CHAPTER KEY FORMAT }}``: a number that the chapter has glued into its
  text;
- ``{{ coq }}`` and ``{{ checked }}``: how many theorems Coq has accepted, and a table
  of those that stand in the paper;
- ``{{ problems }}``: the questions of ``open-problems.toml``;
- ``{{ release }}``: version and date.

The result is ``_build/paper.pdf`` (by typst), and ``_build/paper.tex`` with its figures
in ``_build/paper``, for servers that want TeX.
"""

import ast
import base64
import re
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
import pypandoc
import typst
import yaml

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "_build"
BLOCK = r"^(`{3,}|:{3,})\{prf:(%s)\}([^\n]*)\n(.*?)^\1$"
END = r"$\square$"
KINDS = "theorem|definition|lemma|corollary|proposition"
CHAPTERS = {path.stem: path for path in (ROOT / "notebooks").glob("*/*.md")}


class Paper:
    """The Markdown of the paper, in which parts of the book replace the marks ``{{ ...
    }}``.
    """

    def __init__(self) -> None:
        self.numbers: dict[str, str] = {}  # the text of a reference, by label
        self.kinds: dict[str, int] = {}
        self.texts = {
            name: path.read_text(encoding="utf-8") for name, path in CHAPTERS.items()
        }

    def markdown(self, source: str) -> str:
        """The whole text, for pandoc."""
        for label in re.findall(r"\{\{ theorem (\S+) \}\}", source):
            kind = self._statement(label)[2].capitalize()
            self.kinds[kind] = self.kinds.get(kind, 0) + 1
            self.numbers[label] = f"{kind} {self.kinds[kind]}"
        return re.sub(
            r"\{\{ (\w+)([^}]*) \}\}",
            lambda m: getattr(self, m[1])(*m[2].split()),
            source,
        )

    def release(self) -> str:
        """Version and date, as CITATION.cff has them."""
        text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
        citation = yaml.safe_load(text)
        day = citation["date-released"]
        return f"Version {citation['version']}, {day.day} {day:%B %Y}"

    def ref(self, label: str) -> str:
        """The number of a statement."""
        return self.numbers[label].split()[1]

    def coq(self) -> str:
        """How many theorems Coq has accepted."""
        return str(len(_proofs()["theorem"]))

    def checked(self) -> str:
        """A table of the paper's statements that Coq has checked."""
        by_label = {s["label"]: s for s in _proofs()["statement"] if "label" in s}
        lines = (f":{'-' * 13}", f"{'-' * 6}:", f":{'-' * 60}")  # widths and sides
        rows = ["| Statement | Coq | Left open |", f"| {' | '.join(lines)} |"]
        for label, number in self.numbers.items():
            if label in by_label:
                statement = by_label[label]
                left = self._plain(" ".join(statement.get("unchecked", "").split()))
                n_theorems = len(statement["theorems"])
                rows.append(f"| {number} | {n_theorems} | {left or 'nothing'} |")
        return "\n".join(
            [*rows, "", ": Theorems of Coq for the statements of this paper."]
        )

    def problems(self) -> str:
        """The open problems, each with its smallest undecided case."""
        text = (ROOT / "book" / "open-problems.toml").read_text(encoding="utf-8")
        return "\n\n".join(
            f"*{_sentence(problem['title'])}* {self._plain(problem['statement'])}"
            f" Smallest undecided case: {self._plain(problem['smallest'])}"
            for problem in tomllib.loads(text)["problem"]
        )

    def _statement(self, label: str) -> re.Match[str]:
        """The directive with a label, from the chapter that states it."""
        kinds = BLOCK % KINDS
        for text in self.texts.values():
            for found in re.finditer(kinds, text, re.M | re.S):
                if re.search(rf"^:label: {label}$", found[4], re.M):
                    return found
        raise ValueError(f"no statement of the book has the label {label}")

    def theorem(self, label: str) -> str:
        """A statement with its number and name."""
        found = self._statement(label)
        name = f" ({found[3].strip()})" if found[3].strip() else ""
        return f"**{self.numbers[label]}**{name}**.** {self._plain(found[4])}"

    def proof(self, label: str) -> str:
        """The proof that names a statement, or those between it and the next one; each
        side of a theorem may have its own.
        """
        statement = self._statement(label)
        for proof in re.finditer(BLOCK % "proof", statement.string, re.M | re.S):
            if re.search(rf"^% proves:.*\b{label}\b", proof[4], re.M):
                text = re.sub(r"^We prove [^.]*\.", "", self._plain(proof[4])).strip()
                return f"*Proof of {self.numbers[label]}.* {text} {END}"
        after = re.split(
            BLOCK % KINDS,
            statement.string[statement.end() :],
            maxsplit=1,
            flags=re.M | re.S,
        )[0]
        found = [
            self._plain(proof[4])
            for proof in re.finditer(BLOCK % "proof", after, re.M | re.S)
            if "% proves:" not in proof[4]
        ]
        if not found:
            raise ValueError(f"no proof follows {label}")
        return "*Proof.* " + "\n\n".join(found) + f" {END}"

    def figure(self, name: str, width: str = "100%") -> str:
        """A picture, written beside the paper, and its caption."""
        for notebook in self._executed():
            for cell in notebook.cells:
                about = cell.metadata.get("mystnb", {}).get("figure", {})
                if about.get("name") == name:
                    _write_picture(_picture(cell), BUILD / "paper" / f"{name}.svg")
                    caption = _caption(self._plain(about["caption"]))
                    return f"![{caption}](paper/{name}){{width={width}}}"
        raise ValueError(f"no chapter that was executed has the figure {name}")

    def number(self, chapter: str, key: str, form: str = "") -> str:
        """A glued value, in a format."""
        notebook = nbformat.read(
            next((BUILD / "executed").glob(f"*/{chapter}.ipynb")), as_version=4
        )
        for cell in notebook.cells:
            for output in cell.get("outputs", ()):
                if output.get("metadata", {}).get("scrapbook", {}).get("name") == key:
                    return format(
                        ast.literal_eval(next(iter(output["data"].values()))), form
                    )
        raise ValueError(f"{chapter} glues nothing under {key}")

    def _executed(self) -> list[nbformat.NotebookNode]:
        """Every executed chapter of the last build."""
        return [
            nbformat.read(path, as_version=4)
            for path in sorted((BUILD / "executed").rglob("*.ipynb"))
        ]

    def _plain(self, text: str) -> str:
        """MyST's roles and options as pandoc's Markdown."""
        text = re.sub(r"^(:(label|nonumber|class):|%)[^\n]*\n", "", text, flags=re.M)
        text = text.strip()
        text = re.sub(
            r"\{(?:prf:ref|eq)\}`([\w-]+)`",
            lambda m: self.numbers.get(m[1]) or self._name(m[1]),
            text,
        )
        text = re.sub(r"\$[^$]+\$", _with_named_bars, text)
        text = text.replace(r"\;", " ")  # typst puts its own spaces around relations
        text = re.sub(r"\{cite:t\}`([\w:-]+)`", r"@\1", text)
        text = re.sub(r"\{cite(?::p)?\}`([\w:-]+)`", r"[@\1]", text)
        text = re.sub(
            r"\{doc\}`[^`]*?([\w-]+)`", lambda m: f"*{self._title(m[1])}*", text
        )
        text = re.sub(r"\{numref\}`[^`]+`", "a figure of the book", text)
        if left := re.search(r"\{[\w:]+\}`[^`]*`", text):
            raise ValueError(f"the paper cannot show {left[0]}")
        return text

    def _name(self, label: str) -> str:
        """How to refer to a statement that the paper does not show."""
        return f"*{self._statement(label)[3].strip()}* in the book"

    def _title(self, chapter: str) -> str:
        """The title of a chapter."""
        found = re.search(r"^# (.*)$", self.texts[chapter], re.M)
        assert found
        return found[1]


def _picture(cell: nbformat.NotebookNode) -> str:
    """The SVG that a cell shows."""
    for output in cell.outputs:
        data = output.get("data", {})
        if "image/svg+xml" in data:
            return "".join(data["image/svg+xml"])
        if "image/png" in data:
            png = base64.b64encode(base64.b64decode(data["image/png"])).decode()
            return (
                '<svg xmlns="http://www.w3.org/2000/svg"><image'
                f' href="data:image/png;base64,{png}"/></svg>'
            )
    raise ValueError("the cell of the figure shows no picture")


def _with_named_bars(formula: re.Match[str]) -> str:
    """A formula whose bars around a set say on which side they stand."""
    return re.sub(r"\|([^|]{1,14})\|", r"\\left|\1\\right|", formula[0])


def _sentence(title: str) -> str:
    """A title with its full stop."""
    return title if title.endswith("?") else f"{title}."


def _caption(text: str) -> str:
    """A caption without the words by which the book says how a figure was made."""
    return text.split("<span")[0].strip()


def _write_picture(svg: str, path: Path) -> None:
    """Write a picture for typst, and as PDF for TeX."""
    path.write_text(svg, encoding="utf-8")
    page = "#set page(width: auto, height: auto, margin: 0pt)"
    alone = path.with_suffix(".typ")
    alone.write_text(f'{page}\n#image("{path.name}")\n', encoding="utf-8")
    typst.compile(str(alone), output=str(path.with_suffix(".pdf")))
    alone.unlink()


@cache
def _proofs() -> dict[str, Any]:
    """The theorems that Coq has accepted, and the book's statements that they prove."""
    text = (ROOT / "proofs" / "theorems.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _macros() -> str:
    """The book's abbreviations in formulas as TeX commands, which pandoc expands."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    macros = config["sphinx"]["config"]["mathjax3_config"]["tex"]["macros"]
    lines = []
    for name, meaning in (
        macros | {"tbinom": ["\\binom{#1}{#2}", 2]}
    ).items():  # pandoc lacks this macro
        body, n = meaning if isinstance(meaning, list) else (meaning, 0)
        lines.append(f"\\newcommand{{\\{name}}}{f'[{n}]' if n else ''}{{{body}}}")
    return "\n".join(lines)


def main() -> int:
    """Write both files; return 1 if the book was not built."""
    if not (BUILD / "executed").is_dir():
        print(
            "The paper takes its figures and numbers from a build of the book: run make"
            " book first."
        )
        return 1
    (BUILD / "paper").mkdir(exist_ok=True)
    source = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
    head, body = Paper().markdown(source).split("\n---\n", 1)
    markdown = f"{head}\n---\n\n{_macros()}\n\n{body}"
    (BUILD / "paper" / "paper.md").write_text(markdown, encoding="utf-8")
    options = [
        "--standalone",
        "--citeproc",
        f"--bibliography={ROOT / 'book' / 'references.bib'}",
        f"--bibliography={ROOT / 'paper' / 'references.bib'}",
        "--number-sections",
        "--fail-if-warnings",
    ]
    # Figures are beside both files, in a format that each of them reads.
    for kind, target, figures in (
        ("typst", BUILD / "paper.typ", "svg"),
        ("latex", BUILD / "paper.tex", "pdf"),
    ):
        form = "markdown+latex_macros+tex_math_dollars"
        extra = [*options, f"--default-image-extension={figures}"]
        pypandoc.convert_text(
            markdown, kind, format=form, outputfile=str(target), extra_args=extra
        )
    # Newer versions of typst have another name for the symbol of an intersection.
    path = BUILD / "paper.typ"
    text = re.sub(r"\bsect\b", "inter", path.read_text(encoding="utf-8"))
    path.write_text(text, encoding="utf-8")
    typst.compile(str(path), output=str(BUILD / "paper.pdf"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
