"""One small build of the book, and one browser, for all tests of the pages."""

import contextlib
import fcntl
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


@pytest.fixture(scope="session")
def book():
    """The folder of the pages, built with the notebooks' small parameters, warnings as errors.

    Built once for all workers of a test run: the first one builds, the others wait for it.
    """
    output = ROOT / "_build" / "test"
    output.mkdir(parents=True, exist_ok=True)
    run, built = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid())), output / "built-for"
    with open(output / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not built.exists() or not built.read_text().startswith(run):
            command = [sys.executable, str(ROOT / "book" / "build.py"), "--small", "--output", str(output)]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            failure = (done.stdout + done.stderr)[-6000:] if done.returncode else ""
            built.write_text(f"{run}\n{failure}")
        assert built.read_text() == f"{run}\n", built.read_text()
    return output / "_build" / "html"


def _find_browser(playwright):
    """A Chromium on the PATH, else the one that playwright installed; None without either."""
    names = ("chromium-headless-shell", "chromium", "google-chrome", playwright.chromium.executable_path)
    return next(filter(None, map(shutil.which, names)), None)


def _browser_or_install(playwright):
    """A Chromium that is there, else what playwright brings, else Debian's package when root; else None."""
    commands = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    if os.geteuid() == 0:
        commands += [["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", "chromium"]]
    for command in commands:
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            if not _find_browser(playwright):
                subprocess.run(command, capture_output=True, timeout=300, check=False)
    return _find_browser(playwright)


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium that reaches no other host; without one no test runs, and under CI they fail."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=30_000)  # a machine that does other things too is slow, not wrong
    with sync_playwright() as playwright:
        program = _browser_or_install(playwright)
        if program is None:
            message = "NOT RUN: no Chromium found, so no page was opened (install Debian's package chromium)"
            if os.environ.get("CI"):
                pytest.fail(message)
            pytest.skip(message)
        options = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
        running = playwright.chromium.launch(executable_path=program, headless=True, args=options)
        yield running
        running.close()


class _Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass

    def do_GET(self):
        if self.path == "/favicon.ico":  # browsers ask every host for it; the book has none
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()


class _Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        if not isinstance(sys.exception(), ConnectionError):  # a browser may leave before an answer is whole
            super().handle_error(request, client_address)


@pytest.fixture(scope="session")
def address(book):
    """Address of the built book, served on the loopback."""
    handler = functools.partial(_Silent, directory=str(book))
    server = _Server(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@pytest.fixture(scope="session")
def base(book, address):
    """The built book's address by protocol."""
    return {"http": address, "file": book.as_uri() + "/"}
