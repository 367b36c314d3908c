"""Scripts of other projects that the pages need are what those projects published."""

import hashlib
import tomllib
from pathlib import Path

import pytest

VENDOR = Path(__file__).resolve().parents[2] / "book" / "_assets" / "vendor"
PACKAGES = sorted(path.name for path in VENDOR.iterdir())


@pytest.mark.parametrize("package", PACKAGES)
def test_every_file_has_the_hash_of_its_origin(package):
    folder = VENDOR / package
    origin = tomllib.loads((folder / "origin.toml").read_text(encoding="utf-8"))
    hashes = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if path.name != "origin.toml"
    }
    assert hashes == origin["sha256"]


@pytest.mark.parametrize("package", PACKAGES)
def test_the_licence_lies_beside_the_scripts(package):
    assert "License" in (VENDOR / package / "LICENSE").read_text(encoding="utf-8")
