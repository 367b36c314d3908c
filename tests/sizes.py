"""Lines of code without docstrings, comments and blanks, against the limits of the project: make sizes"""

import ast
import io
import re
import sys
import tokenize
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PARTS = (  # name, patterns, limit
    ("treebounds, the wheel", ("lib/treebounds/**/*.py",), 4300),
    ("reproduction", ("lib/reproduction/**/*.py",), 4900),
    ("machinery of the book", ("book/*.py", "book/_ext/**/*.py"), 900),
    ("JavaScript", ("book/_assets/*.js", "book/_assets/pictures/*.js"), 1500),
    ("tests", ("tests/**/*.py",), 10500),
)
_NO_CODE = {"COMMENT", "NL", "NEWLINE", "INDENT", "DEDENT", "ENDMARKER"}


def lines_of_code(source: str) -> int:
    """How many lines hold anything but docstrings, comments and blanks."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    code = (t for t in tokens if tokenize.tok_name[t.type] not in _NO_CODE)
    lines = {n for token in code for n in range(token.start[0], token.end[0] + 1)}
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None:
            lines -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return len(lines)


def lines_of_script(source: str) -> int:
    """The same for JavaScript, whose comments stand on lines of their own."""
    lines = map(str.strip, re.sub(r"/\*.*?\*/", "", source, flags=re.S).splitlines())
    return sum(bool(line) and not line.startswith("//") for line in lines)


def sizes() -> list[tuple[str, int, int]]:
    """Name, lines and limit of each part."""
    count, found = {".py": lines_of_code, ".js": lines_of_script}, []
    for name, patterns, limit in PARTS:
        paths = [path for pattern in patterns for path in ROOT.glob(pattern)]
        found.append((name, sum(count[path.suffix](path.read_text("utf-8")) for path in paths), limit))
    return found


if __name__ == "__main__":
    found = sizes()
    for name, lines, limit in found:
        print(f"{name:24s} {lines:5d} of at most {limit}")
    sys.exit(any(lines > limit for _, lines, limit in found))
