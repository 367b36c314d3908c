"""Print the book into two PDFs, main line and appendix, with outline, tags, title page and page numbers."""

import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from reproduction.claims import templates

BROWSERS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
# the trees of all pages are kept: to look through them for garbage takes Sphinx a fifth of its time
SELDOM = "import gc; gc.set_threshold(100_000)"
JUPYTER_BOOK = (sys.executable, "-c", f"{SELDOM}; from jupyter_book.cli.main import main; main()", "build")
EXT = Path(__file__).with_name("_ext")
MEND_LINKS = (EXT / "mend-links.js").read_text(encoding="utf-8")
KEEP = (EXT / "keep-documents.js").read_text(encoding="utf-8")
FILES = {"treebounds.pdf": "", "treebounds-appendix.pdf": "Replications, further chapters, API"}
PAPER: dict[str, Any] = {
    "format": "A4",
    "scale": 0.75,  # a line of 79 characters of code fits the page
    "margin": {"top": "16mm", "bottom": "18mm", "left": "18mm", "right": "18mm"},
    "print_background": True,
    "display_header_footer": True,
    "header_template": "<span></span>",
    "footer_template": '<div style="font: 8pt sans-serif; width: 100%; text-align: center">'
    '<span class="pageNumber"></span></div>',
    "outline": True,
    "tagged": True,
}


def find_browser(playwright) -> str | None:
    """A Chromium on the PATH, else the one that playwright installed; None without either."""
    on_path = next(filter(None, map(shutil.which, BROWSERS)), None)
    own = Path(playwright.chromium.executable_path)
    return on_path or (str(own) if own.exists() else None)


def appendix(toc: Path) -> list[str]:
    """The documents that are printed into the second file."""
    parts = yaml.safe_load(toc.read_text(encoding="utf-8"))["parts"]
    entries = [(part["caption"], entry) for part in parts for entry in part["chapters"]]
    pages = [entry["file"] for caption, entry in entries if caption.startswith("Appendix")]
    return [*pages, "api", *(s["file"] for _, entry in entries for s in entry.get("sections", []))]


def title_page(config: Path, seconds: int, subtitle: str = "") -> str:
    """The first page as HTML: title, authors, version, the day of the last change, license."""
    from treebounds import __version__

    about = yaml.safe_load(config.read_text(encoding="utf-8"))
    day = datetime.fromtimestamp(seconds, UTC).date().isoformat()
    lines = (subtitle, about["author"], f"Version {__version__}, {day}", about["repository"]["url"])
    return templates(EXT).get_template("title-page.html.jinja").render(about=about, lines=lines)


def jupyter_book(build: Path, config: Path, *options: str, **how: Any) -> int:
    """Run Jupyter Book on what is staged in ``<build>/src``; the code that it ends with."""
    command = [*JUPYTER_BOOK, build / "src", "--config", config, "--path-output", build.parent, "-q"]
    return subprocess.run([*command, *options], check=False, **how).returncode


def print_book(build: Path, config: Path, environment: dict[str, str]) -> int:
    """Build the single page and print it to the files in ``<build>``; the code of what failed, or 0."""
    from playwright.sync_api import sync_playwright

    single_page = ("--builder", "custom", "--custom-builder", "singlehtml")
    if code := jupyter_book(build, config, *single_page, env=environment):
        return code
    second = appendix(build / "src" / "_toc.yml")
    with sync_playwright() as playwright:
        program = find_browser(playwright)
        if program is None:
            print("No Chromium found. On Debian or Ubuntu: apt install chromium", file=sys.stderr)
            return 1
        browser = playwright.chromium.launch(executable_path=program)
        for name, subtitle in FILES.items():
            title = title_page(config, int(environment["SOURCE_DATE_EPOCH"]), subtitle)
            page = open_for_print(
                browser, build / "singlehtml" / "index.html", [second, bool(subtitle), title]
            )
            page.pdf(path=build / f"{name}.part", **PAPER)
            os.replace(build / f"{name}.part", build / name)
            page.close()
            print(f"Printed {(build / name).as_uri()}")
        browser.close()
    return 0


def open_for_print(browser, single_page: Path, parts: list[Any]):
    """The documents of one file, typeset, as the printer sees them; what is in ``parts`` says KEEP."""
    page = browser.new_page(color_scheme="light")
    page.emulate_media(media="print")
    page.goto(single_page.as_uri(), timeout=600_000)
    page.wait_for_function("window.MathJax && MathJax.startup && MathJax.startup.promise", timeout=120_000)
    page.evaluate("MathJax.startup.promise.then(() => 1)")
    page.evaluate(KEEP, parts)
    page.evaluate(MEND_LINKS)
    return page
