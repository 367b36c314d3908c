"""The registry, the search order, and every way a file can be wrong."""

import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

import reproduction.datasets as datasets
from reproduction.datasets import (
    DataNotAvailable,
    _files,
    fetch_all,
    list_datasets,
    load,
)

SIMULATED = {
    slug for slug, spec in datasets._registry()["set"].items() if "recipe" in spec
}
DATA = os.environ.get("TREEBOUNDS_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="TREEBOUNDS_DATA is not set")


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """No own folder, an empty cache, and a network that never answers."""
    monkeypatch.delenv("TREEBOUNDS_DATA", raising=False)
    monkeypatch.setenv("TREEBOUNDS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(_files, "_silent_hosts", {})
    asked = []

    def silent(address, **_):
        asked.append(address)
        raise OSError("no network")

    monkeypatch.setattr(_files.pooch, "retrieve", silent)
    return asked


def registered(monkeypatch, folder, file, content):
    """Make ``content`` the registered version of a file."""
    entry = datasets._registry()["folder"][folder]["files"][file]
    monkeypatch.setitem(entry, "sha256", hashlib.sha256(content).hexdigest())


def test_the_registry_is_consistent():
    registry = datasets._registry()
    for sets in registry["group"].values():
        assert set(sets) <= set(list_datasets())
        assert len(set(sets)) == len(sets)

    used = set()
    for slug, spec in registry["set"].items():
        folder = spec.get("folder", slug)
        assert bool(spec["files"]) != ("recipe" in spec), slug
        used |= {(folder, file) for file in spec["files"]}
        assert sum(spec["classes"].values()) == spec["shape"][0], slug
        assert (
            len(spec.get("feature_names", range(spec["shape"][1]))) == spec["shape"][1]
        ), slug

    assert used == {
        (name, file)
        for name, folder in registry["folder"].items()
        for file in folder["files"]
    }
    for folder in registry["folder"].values():
        assert {"title", "cite", "license", "page", "zips"} <= set(folder)
        assert all(len(entry["sha256"]) == 64 for entry in folder["files"].values())
        assert all(
            "url" in entry or folder["zips"] for entry in folder["files"].values()
        )


@needs_data
@pytest.mark.parametrize("slug", list_datasets())
def test_every_set_loads(slug):
    bunch = load(slug)
    m, l = bunch.data.shape
    assert bunch.target.shape == (m,)
    assert len(bunch.feature_names) == l
    assert list(bunch.target_names) == sorted(set(bunch.target.tolist()))

    if bunch.data.dtype == object:
        assert all(isinstance(value, str) and value for value in bunch.data.ravel())
    else:
        assert bunch.data.dtype == np.float64
        assert np.isfinite(bunch.data).all()

    assert bunch.target.dtype.kind in "iU"
    assert (DATA in bunch.origin) != ("recipe" in datasets._specification(slug))
    assert bunch.DESCR.count("\n") == 5


@needs_data
def test_training_sets():
    for number, size, noisy in ((1, 124, 0), (2, 169, 0), (3, 122, 6)):
        monks = load(f"monks-{number}")
        assert monks.train_indices.shape == monks.train_target.shape == (size,)
        assert len(set(monks.train_indices.tolist())) == size
        assert np.sum(monks.target[monks.train_indices] != monks.train_target) == noisy

    first = load("monks-1")
    assert np.array_equal(
        first.target, (first.data[:, 0] == first.data[:, 1]) | (first.data[:, 4] == "1")
    )
    assert np.array_equal(load("spect-heart").train_indices, np.arange(80))
    assert np.array_equal(
        load("statlog-landsat-satellite").train_indices, np.arange(4435)
    )
    assert "train_indices" not in load("iris")


@needs_data
def test_values_of_odd_formats():
    ctg = load("cardiotocography")
    assert ctg.feature_names[0] == "LB"
    assert ctg.feature_names[-1] == "Tendency"
    assert ctg.data[0, :2].tolist() == [120.0, 0.0]
    assert (ctg.data[0, 0], ctg.target[0], ctg.data[:, -1].min()) == (120, 9, -1)
    assert load("yeast").data[0].tolist() == [
        0.58,
        0.61,
        0.47,
        0.13,
        0.5,
        0.0,
        0.48,
        0.22,
    ]
    assert load("planning-relax").data[0, 0] == pytest.approx(-0.17936)
    assert load("wine").data[0, 0] == 14.23
    assert load("image-segmentation").target[0] == "BRICKFACE"
    assert np.sum(load("mushroom").data == "?") == 2480
    assert np.sum(load("shuttle-landing-control").data == "*") == 26
    assert "".join(load("promoters").data[0]).startswith("tactagcaata")
    donors = load("splice-donors")
    whole = load("splice-junction")
    assert np.array_equal(donors.data, whole.data[whole.target != "IE"])


@needs_data
def test_titanic_is_the_same_from_both_files():
    rows = load("titanic")
    counts = load("titanic-counts")
    translate = {"first": "1st", "second": "2nd", "third": "3rd", "crew": "Crew"}

    def cells(status, sex, age, survived):
        return sorted(
            tuple(map(str.lower, row))
            for row in zip(status, sex, age, survived, strict=True)
        )

    status, age, sex = rows.data.T
    ours = cells([translate[s] for s in status], sex, age, rows.target)
    theirs = cells(
        counts.data[:, 0],
        counts.data[:, 1],
        np.char.lower(counts.data[:, 2].astype(str)),
        counts.target,
    )
    assert [tuple(map(str.lower, row)) for row in ours] == [
        tuple(map(str.lower, row)) for row in theirs
    ]


def test_bundled_copies_serve_without_files_and_without_network(elsewhere):
    iris = load("iris")
    assert iris.origin == "scikit-learn's bundled copy"
    assert "three cells" in iris.DESCR
    assert np.array_equal(iris.data, load_iris().data)
    assert iris.target[0] == "Iris-setosa"
    assert load("wine").target_names.tolist() == [1, 2, 3]
    assert load("breast-cancer-wisconsin-diagnostic").target[0] == "M"
    assert elsewhere == []


@needs_data
def test_bundled_copies_agree_with_the_files(monkeypatch):
    for slug, differing in (
        ("iris", 3),
        ("wine", 0),
        ("breast-cancer-wisconsin-diagnostic", 0),
    ):
        spec = datasets._specification(slug)
        bundled = datasets._bundled(slug, spec)
        original = load(slug)
        assert np.sum(bundled.data != original.data) == differing
        assert np.array_equal(bundled.target, original.target)


def test_no_network_is_said_and_leaves_nothing_behind(elsewhere, tmp_path, monkeypatch):
    monkeypatch.setenv("TREEBOUNDS_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(
        DataNotAvailable,
        match=r"'seeds' is not available here.*seeds_dataset.txt.*nowhere",
    ):
        load("seeds")

    assert not (tmp_path / "cache").exists()
    # the second address has the same host, which did not answer
    assert len(elsewhere) == 1
    missing = fetch_all()
    assert set(missing) == set(list_datasets()) - set(datasets._BUNDLED) - SIMULATED
    assert len(elsewhere) == 2  # the one other host


@pytest.mark.parametrize("place", ["uci/seeds", "seeds"])
def test_both_layouts_of_the_folder_and_damaged_files(
    elsewhere, tmp_path, monkeypatch, place
):
    file = tmp_path / place / "seeds_dataset.txt"
    file.parent.mkdir(parents=True)
    monkeypatch.setenv("TREEBOUNDS_DATA", str(tmp_path))
    file.write_bytes(b"")
    with pytest.raises(ValueError, match=r"seeds_dataset\.txt is empty"):
        load("seeds")

    rows = "".join(
        f"1\t2\t\t3\t4\t5\t6\t7\t{1 + row // 70}\n" for row in range(210)
    ).encode()
    file.write_bytes(rows)
    with pytest.raises(
        ValueError,
        match=r"seeds_dataset\.txt is damaged or another version: its SHA-256",
    ):
        load("seeds")

    registered(monkeypatch, "seeds", "seeds_dataset.txt", rows)
    assert load("seeds").data.shape == (210, 7)


def test_a_file_is_taken_out_of_the_zip_and_then_from_the_cache(
    elsewhere, tmp_path, monkeypatch
):
    rows = "".join(f"1 2 3 4 5 6 7 {1 + row // 70}\n" for row in range(210)).encode()
    registered(monkeypatch, "seeds", "seeds_dataset.txt", rows)

    def retrieve(address, *, known_hash, fname, path, downloader):
        if not address.endswith("zip"):
            raise OSError("no network")
        with zipfile.ZipFile(Path(path) / fname, "w") as packed:
            packed.writestr(zipfile.ZipInfo("inner/seeds_dataset.txt"), rows)
        return str(Path(path) / fname)

    monkeypatch.setattr(_files.pooch, "retrieve", retrieve)
    monkeypatch.setattr(_files, "_SILENCE_SECONDS", 0.0)
    cached = tmp_path / "cache" / "seeds" / "seeds_dataset.txt"
    assert load("seeds").origin == str(cached)
    assert [*cached.parent.iterdir()] == [cached]
    monkeypatch.delattr(_files.pooch, "retrieve")
    assert load("seeds").data.shape == (210, 7)


def test_unknown_slugs_get_a_hint():
    with pytest.raises(ValueError, match="did you mean monks-1 or monks-2 or monks-3"):
        load("monks-problems")

    with pytest.raises(
        ValueError, match=r"unknown data set 'wines'; did you mean wine\?"
    ):
        load("wines")

    with pytest.raises(ValueError, match="slug: unknown data set 3"):
        load(3)


def test_the_command_says_what_is_missing(tmp_path):
    """A process of its own, so that the real downloader meets an address where nothing
    listens.
    """
    environment = {
        **{
            name: value
            for name, value in os.environ.items()
            if name != "TREEBOUNDS_DATA"
        },
        "TREEBOUNDS_CACHE": str(tmp_path),
        "https_proxy": "http://127.0.0.1:9",
        "HTTPS_PROXY": "http://127.0.0.1:9",
    }
    command = [sys.executable, "-m", "reproduction.datasets"]
    run = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 1
    assert (
        f"{3 + len(SIMULATED)} of {len(list_datasets())} data sets are available"
        in run.stdout
    )
    assert "missing: yeast" in run.stdout
    assert list(tmp_path.rglob("*")) == []
