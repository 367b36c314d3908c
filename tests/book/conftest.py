"""One browser for all tests of the pages."""

import contextlib
import functools
import http.server
import os
import shutil
import subprocess
import sys
import threading

import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

from picture_pages import DESK, Opened, page_of
from reproduction import pictures
from site_pages import context_of, go, opened
from small_build import book, small_build
from treebounds.formats import from_sklearn
from treebounds.risk import compress_tree


def _find_browser(playwright):
    """A Chromium on the PATH, else the one that playwright installed; None without
    either.
    """
    names = (
        "chromium-headless-shell",
        "chromium",
        "google-chrome",
        playwright.chromium.executable_path,
    )
    return next(filter(None, map(shutil.which, names)), None)


def _browser_or_install(playwright):
    """A Chromium that is there, else what playwright brings, else Debian's package when
    root; else None.
    """
    commands = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    if os.geteuid() == 0:
        commands += [
            ["apt-get", "update", "-qq"],
            ["apt-get", "install", "-y", "-qq", "chromium"],
        ]
    for command in commands:
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            if not _find_browser(playwright):
                subprocess.run(command, capture_output=True, timeout=300, check=False)
    return _find_browser(playwright)


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium that reaches no other host; without one no test runs, and
    under CI they fail.
    """
    from playwright.sync_api import expect, sync_playwright

    # A machine that also does other things is slow, not wrong.
    expect.set_options(timeout=30_000)
    with sync_playwright() as playwright:
        program = _browser_or_install(playwright)
        if program is None:
            message = (
                "NOT RUN: no Chromium found, so no page was opened (install Debian's"
                " package chromium)"
            )
            if os.environ.get("CI"):
                pytest.fail(message)
            pytest.skip(message)
        options = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
        running = playwright.chromium.launch(
            executable_path=program, headless=True, args=options
        )
        yield running
        running.close()


class _Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass

    def do_GET(self):
        # Browsers ask every host for this picture, and the book has none.
        if self.path == "/favicon.ico":
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()


class _Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        # A browser may leave before an answer is whole.
        if not isinstance(sys.exception(), ConnectionError):
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


@pytest.fixture
def open_page(base, browser):
    """A function that opens a page of the book in a window of its own, in which nothing
    may go wrong.
    """
    contexts, everything_wrong, outside = [], [], []

    def opener(name, protocol="file", **options):
        contexts.append(context_of(browser, base[protocol], outside=outside, **options))
        page, wrong = opened(contexts[-1])
        everything_wrong.append(wrong)
        go(page, base[protocol] + name)
        return page

    opener.wrong = everything_wrong
    yield opener
    for context in contexts:
        context.close()
    assert (outside, [wrong for wrong in everything_wrong if wrong]) == ([], [])


@pytest.fixture(scope="module")
def window(browser):
    """One page for all pictures, for a new one takes longer than most of the tests;
    what goes wrong in it.
    """
    context = browser.new_context()
    page, problems = context.new_page(), []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "console",
        lambda said: problems.append(said.text) if said.type == "error" else None,
    )
    yield page, problems
    context.close()


@pytest.fixture
def open_picture(window, tmp_path):
    """A function that loads a picture; each test has files, and so addresses, of its
    own.
    """
    page, problems = window
    problems.clear()

    def opener(name, data=None, *, viewport=DESK, motion="no-preference"):
        page.set_viewport_size(viewport)
        page.emulate_media(reduced_motion=motion)
        page.mouse.move(0, 0)
        return Opened(page, tmp_path / f"{name}.html", page_of(name, data))

    yield opener
    assert problems == []


@pytest.fixture(scope="module")
def telegram():
    """The telegram of a tree with three nodes on scikit-learn's breast cancer data, and
    its compression.
    """
    data = load_breast_cancer()
    fitted = DecisionTreeClassifier(max_leaf_nodes=4, random_state=0).fit(
        data.data, data.target
    )
    tree = from_sklearn(fitted)
    found = compress_tree(tree, data.data, data.target, 2)
    assert len(found.message.left_sizes) == 3
    shown = pictures.telegram_data(
        tree, data.data, data.target, data.feature_names, data.target_names
    )
    return shown, found.value
