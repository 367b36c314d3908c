"""Print the whole book, as one page, into a PDF with outline and tags."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)


def find_browser(playwright) -> str | None:
    """A Chromium on the PATH, else the one that playwright installed; None without either."""
    on_path = next(filter(None, map(shutil.which, BROWSERS)), None)
    own = Path(playwright.chromium.executable_path)
    return on_path or (str(own) if own.exists() else None)


def print_book(build: Path, config: Path, environment: dict[str, str]) -> int:
    """Build the single page and print it to ``<build>/treebounds.pdf``.

    Returns
    -------
    int
        0, or the code of what failed.
    """
    from playwright.sync_api import sync_playwright

    command = [
        *(sys.executable, "-c", "from jupyter_book.cli.main import main; main()"),
        *("build", str(build / "src"), "--config", str(config), "--path-output", str(build.parent)),
        *("--builder", "custom", "--custom-builder", "singlehtml", "-q"),
    ]
    done = subprocess.run(command, env=environment, check=False)
    if done.returncode:
        return done.returncode
    target = build / "treebounds.pdf"
    with sync_playwright() as playwright:
        program = find_browser(playwright)
        if program is None:
            print("No Chromium found. On Debian or Ubuntu: apt install chromium", file=sys.stderr)
            return 1
        browser = playwright.chromium.launch(executable_path=program, args=list(QUIET))
        page = browser.new_page(color_scheme="light")
        page.goto((build / "singlehtml" / "index.html").as_uri())
        page.wait_for_function(
            "window.MathJax && MathJax.startup && MathJax.startup.promise", timeout=120_000
        )
        page.evaluate("MathJax.startup.promise.then(() => 1)")
        page.emulate_media(media="print")
        margin = {"top": "18mm", "bottom": "18mm", "left": "16mm", "right": "16mm"}
        part = target.with_suffix(".part")
        page.pdf(path=part, format="A4", print_background=True, outline=True, tagged=True, margin=margin)
        os.replace(part, target)
        browser.close()
    print(f"The book is printed to {target.as_uri()}")
    return 0
