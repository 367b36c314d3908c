"""Search for a file in the folder TREEBOUNDS_DATA and in pooch's cache, and download;
bytes are checked.
"""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
import time
import warnings
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import shorten
from typing import Any
from urllib.parse import urlsplit

from urllib3.exceptions import ProtocolError

with warnings.catch_warnings():
    # pooch imports tqdm's progress bars for notebooks, which warn if ipywidgets is
    # missing; we show none.
    warnings.simplefilter("ignore")
    import pooch

_TIMEOUT_SECONDS = 10
_SILENCE_SECONDS = 60.0
# No file of a data set has as many bytes.
_LARGEST = 2**26
# The times at which hosts did not answer: within a minute, another attempt would only
# cost a time-out.
_silent_hosts: dict[str, float] = {}


def cache_directory() -> Path:
    """Folder of downloaded files: ``TREEBOUNDS_CACHE`` if it is set, else the system's
    folder for caches.
    """
    return Path(os.environ.get("TREEBOUNDS_CACHE") or pooch.os_cache("treebounds"))


def local_paths(folder: str, file: str) -> list[Path]:
    """Possible places of a file on this machine, in the order of the search."""
    places = [cache_directory()]
    own = os.environ.get("TREEBOUNDS_DATA")
    if own:
        places = [Path(own) / "uci", Path(own), *places]
    return [place / folder / file for place in places]


def verified(path: Path, sha256: str) -> bytes:
    """The bytes of a file, after a check of their SHA-256.

    Raises
    ------
    ValueError
        If the file is empty or differs from the registered one; the error names it.
    """
    content = path.read_bytes()
    if not content:
        raise ValueError(
            f"{path} is empty; delete it, or replace it by the original file"
        )

    digest = hashlib.sha256(content).hexdigest()
    if digest != sha256:
        raise ValueError(
            f"{path} is damaged or another version: its SHA-256 is {digest}, expected"
            f" {sha256}; delete it, or replace it by the original file"
        )

    return content


def download(
    folder: str, file: str, entry: Mapping[str, Any], zips: Sequence[str]
) -> Path:
    """Fetch a file, from its own address or from the source's zip, into the cache;
    never a part of it.

    Raises
    ------
    OSError
        If no address returns the registered bytes; the error lists the failure of each.
    """
    target = cache_directory() / folder / file
    addresses = [*zips]
    if "url" in entry:
        addresses = [entry["url"], *zips]
    failures = []
    for address in addresses:
        try:
            content = _fetch(address, file)
            if hashlib.sha256(content).hexdigest() != entry["sha256"]:
                raise ValueError(
                    "its bytes are not the registered ones (SHA-256 differs)"
                )
        except (OSError, ValueError, zipfile.BadZipFile) as error:
            failures.append(shorten(f"{address}: {type(error).__name__}: {error}", 240))
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
                part = Path(scratch) / file
                part.write_bytes(content)
                os.replace(part, target)
            return target

    raise OSError("; ".join(failures))


def _fetch(address: str, file: str) -> bytes:
    """The file's bytes from an address, which may be that of a zip with the file."""
    host = urlsplit(address).netloc
    if time.monotonic() - _silent_hosts.get(host, -_SILENCE_SECONDS) < _SILENCE_SECONDS:
        raise OSError(f"{host} did not answer less than a minute ago")

    pooch.get_logger().setLevel(logging.WARNING)
    downloader = pooch.HTTPDownloader(timeout=_TIMEOUT_SECONDS)
    with tempfile.TemporaryDirectory() as scratch:
        try:
            path = pooch.retrieve(
                address,
                known_hash=None,
                fname="file",
                path=scratch,
                downloader=downloader,
            )
        except OSError as error:  # The errors of requests are OSErrors.
            if _answered(error):
                raise
            _silent_hosts[host] = time.monotonic()
            raise OSError(f"{host} does not answer") from error

        if not address.endswith(".zip"):
            return Path(path).read_bytes()

        with zipfile.ZipFile(path) as archive:
            members = [name for name in archive.namelist() if Path(name).name == file]
            if not members:
                raise ValueError(f"the archive has no member {file}")
            # The hash is compared after this, so the size must not be believed.
            with archive.open(members[0]) as member:
                content = member.read(_LARGEST + 1)
            if len(content) > _LARGEST:
                raise ValueError(f"its member {file} has more than {_LARGEST} bytes")
            return content


def _answered(error: OSError) -> bool:
    """Whether the host did answer, with an error page or with a connection that broke
    off later.
    """
    causes = (error, *error.args)
    return getattr(error, "response", None) is not None or any(
        isinstance(c, ProtocolError) for c in causes
    )
