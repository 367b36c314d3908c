"""Failing downloads: a clear error, nothing half-written; the next call recovers."""

import http.server
import signal
import threading
from hashlib import sha256

import pytest

import reproduction.datasets as datasets
from reproduction.datasets import DataNotAvailable, _files, load

ROWS = "".join(f"1 2 3 4 5 6 7 {1 + row // 70}\n" for row in range(210)).encode()
# What a process of its own runs: the registry's address and hash replaced by those of
# the test.
CHILD = """
import os
from reproduction.datasets import _registry, load
os.environ.pop("TREEBOUNDS_DATA", None)
os.environ["TREEBOUNDS_CACHE"] = cache
entry = _registry()["folder"]["seeds"]["files"]["seeds_dataset.txt"]
entry.update(url=address, sha256=sha256)
_registry()["folder"]["seeds"]["zips"].clear()
load("seeds")
"""


class _Handler(http.server.BaseHTTPRequestHandler):
    """Answers as the server's ``mood`` says."""

    def do_GET(self):
        mood = self.server.mood
        self.server.asked.set()
        if mood == "dies before it answers":
            return
        if mood == "has an error":
            self.send_error(503, "out of order")
            return

        body = b"<html>moved</html>" if mood == "sends another file" else ROWS
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if mood in ("breaks off half way", "stalls half way"):
            self.wfile.write(body[: len(body) // 2])
            self.wfile.flush()
            if mood == "stalls half way":
                self.server.go_on.wait(30)
            return

        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.mood = "is well"
    server.asked = threading.Event()
    server.go_on = threading.Event()
    server.address = f"http://127.0.0.1:{server.server_port}/seeds_dataset.txt"
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield server
    server.go_on.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def cache(tmp_path, monkeypatch, server):
    """An empty cache, and the test's server as the only place that has the file."""
    monkeypatch.delenv("TREEBOUNDS_DATA", raising=False)
    monkeypatch.setenv("TREEBOUNDS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(_files, "_silent_hosts", {})
    folder = datasets._registry()["folder"]["seeds"]
    monkeypatch.setitem(folder, "zips", [])
    entry = {"url": server.address, "sha256": sha256(ROWS).hexdigest()}
    monkeypatch.setitem(folder["files"], "seeds_dataset.txt", entry)

    return tmp_path / "cache"


@pytest.mark.parametrize(
    ("mood", "message"),
    [
        ("breaks off half way", "IncompleteRead|Connection broken"),
        ("sends another file", "SHA-256 differs"),
        ("dies before it answers", "Connection aborted"),
        ("has an error", "503"),
    ],
)
def test_a_failed_download_leaves_nothing_and_the_next_one_recovers(
    server, cache, mood, message
):
    server.mood = mood
    with pytest.raises(
        DataNotAvailable, match=rf"not available here.*download failed.*({message})"
    ):
        load("seeds")

    assert not cache.exists()
    server.mood = "is well"
    assert load("seeds").data.shape == (210, 7)
    assert [path.name for path in (cache / "seeds").iterdir()] == ["seeds_dataset.txt"]
    server.mood = mood
    assert load("seeds").origin == str(cache / "seeds" / "seeds_dataset.txt")


def test_a_host_that_does_not_answer_is_not_asked_again_at_once(
    server, cache, monkeypatch
):
    monkeypatch.setattr(_files, "_TIMEOUT_SECONDS", 0.2)
    server.mood = "stalls half way"
    with pytest.raises(DataNotAvailable, match="does not answer"):
        load("seeds")

    server.mood = "is well"
    with pytest.raises(DataNotAvailable, match="did not answer less than a minute ago"):
        load("seeds")

    monkeypatch.setattr(_files, "_SILENCE_SECONDS", 0.0)
    assert load("seeds").data.shape == (210, 7)


def test_a_killed_process_leaves_nothing_half_written(forkserver, server, cache):
    server.mood = "stalls half way"
    names = {
        "address": server.address,
        "sha256": sha256(ROWS).hexdigest(),
        "cache": str(cache),
    }
    process = forkserver.Process(target=exec, args=(CHILD, names), daemon=True)
    process.start()
    assert server.asked.wait(30)
    process.kill()
    process.join(30)
    assert process.exitcode == -signal.SIGKILL
    assert [path for path in cache.rglob("*") if path.is_file()] == []
    server.mood = "is well"
    assert load("seeds").data.shape == (210, 7)
