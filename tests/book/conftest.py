"""One small build of the book, and one browser, for all tests of the pages."""

import contextlib
import functools
import http.server
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def book():
    """The folder of the pages, built with the notebooks' small parameters, warnings as errors."""
    output = ROOT / "_build" / "test"
    output.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, str(ROOT / "book" / "build.py"), "--small", "--output", str(output)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]
    return output / "_build" / "html"


def _quiet(command):
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(command, capture_output=True, timeout=300, check=False)


def _find_browser(playwright):
    """A Chromium on the PATH, else playwright's own, else Debian's package when root; None without any."""
    on_path = next(filter(None, map(shutil.which, BROWSERS)), None)
    own = Path(playwright.chromium.executable_path)
    if on_path or own.exists():
        return on_path or str(own)
    _quiet([sys.executable, "-m", "playwright", "install", "chromium"])
    if own.exists():
        return str(own)
    if os.geteuid() == 0 and shutil.which("apt-get"):
        _quiet(["apt-get", "update", "-qq"])
        _quiet(["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"])
    return next(filter(None, map(shutil.which, BROWSERS)), None)


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium; without one the tests are not run, and under CI they fail."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        program = _find_browser(playwright)
        if program is None:
            message = "NOT RUN: no Chromium found, so no page was opened (install Debian's package chromium)"
            if os.environ.get("CI"):
                pytest.fail(message)
            pytest.skip(message)
        running = playwright.chromium.launch(executable_path=program, headless=True, args=QUIET)
        yield running
        running.close()


class _Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="session")
def address(book):
    """Address of the built book, served on the loopback."""
    handler = functools.partial(_Silent, directory=str(book))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
