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


NUMBERS = {
    slug
    for slug, spec in datasets._registry()["set"].items()
    if spec.get("target_is_number")
}


@pytest.mark.parametrize("name", datasets._registry()["group"])
def test_a_group_names_each_of_its_sets_once(name):
    sets = datasets.group(name)
    assert set(sets) <= set(list_datasets())
    assert len(set(sets)) == len(sets)


@pytest.mark.parametrize("slug", list_datasets())
def test_an_entry_of_the_registry_is_consistent(slug):
    spec = datasets._specification(slug)
    m, l = spec["shape"]
    assert bool(spec["files"]) != ("recipe" in spec)
    assert slug in NUMBERS or sum(spec["classes"].values()) == m
    assert len(spec.get("feature_names", range(l))) == l


def test_every_registered_file_is_used_and_every_used_file_registered():
    registry = datasets._registry()
    used = {
        (spec.get("folder", slug), file)
        for slug, spec in registry["set"].items()
        for file in spec["files"]
    }
    assert used == {
        (name, file)
        for name, folder in registry["folder"].items()
        for file in folder["files"]
    }


@pytest.mark.parametrize("name", datasets._registry()["folder"])
def test_a_source_says_where_it_is_from_and_how_to_check_it(name):
    folder = datasets._registry()["folder"][name]
    assert {"title", "cite", "license", "page", "zips"} <= set(folder)
    for entry in folder["files"].values():
        assert len(entry["sha256"]) == 64
        assert "url" in entry or folder["zips"]


@needs_data
@pytest.mark.parametrize("slug", list_datasets())
def test_every_set_loads(slug):
    bunch = load(slug)
    m, l = bunch.data.shape
    assert bunch.target.shape == (m,)
    assert len(bunch.feature_names) == l

    if bunch.data.dtype == object:
        assert all(isinstance(value, str) and value for value in bunch.data.ravel())
    else:
        assert bunch.data.dtype == np.float64
        assert np.isfinite(bunch.data).all()

    if slug in NUMBERS:
        assert bunch.target.dtype == np.float64
        assert np.isfinite(bunch.target).all()
    else:
        assert list(bunch.target_names) == sorted(set(bunch.target.tolist()))
        assert bunch.target.dtype.kind in "iU"

    assert (DATA in bunch.origin) != ("recipe" in datasets._specification(slug))
    assert bunch.DESCR.count("\n") == 5


@needs_data
@pytest.mark.parametrize(
    ("number", "size", "noisy"), [(1, 124, 0), (2, 169, 0), (3, 122, 6)]
)
def test_the_training_sets_of_the_monks(number, size, noisy):
    monks = load(f"monks-{number}")
    assert monks.train_indices.shape == monks.train_target.shape == (size,)
    assert len(set(monks.train_indices.tolist())) == size
    assert np.sum(monks.target[monks.train_indices] != monks.train_target) == noisy


@needs_data
def test_the_first_monk_follows_its_rule():
    monks = load("monks-1")
    rule = (monks.data[:, 0] == monks.data[:, 1]) | (monks.data[:, 4] == "1")
    assert np.array_equal(monks.target, rule)


@needs_data
@pytest.mark.parametrize(
    ("slug", "size"), [("spect-heart", 80), ("statlog-landsat-satellite", 4435)]
)
def test_a_training_file_comes_first(slug, size):
    assert np.array_equal(load(slug).train_indices, np.arange(size))


@needs_data
def test_a_set_without_a_training_set_says_nothing_of_one():
    assert "train_indices" not in load("iris")


@needs_data
def test_the_sheet_of_cardiotocography():
    bunch = load("cardiotocography")
    assert (bunch.feature_names[0], bunch.feature_names[-1]) == ("LB", "Tendency")
    assert bunch.data[0, :2].tolist() == [120.0, 0.0]
    assert bunch.data[:, -1].min() == -1
    assert bunch.target[0] == 9


@needs_data
@pytest.mark.parametrize(
    ("slug", "values"),
    [
        ("yeast", [0.58, 0.61, 0.47, 0.13, 0.5, 0.0, 0.48, 0.22]),
        ("planning-relax", [-0.17936]),
        ("wine", [14.23]),
    ],
)
def test_the_first_values_of_odd_formats(slug, values):
    first_row = load(slug).data[0, : len(values)]
    assert first_row == pytest.approx(values, abs=5e-6)


@needs_data
@pytest.mark.parametrize(
    ("slug", "mark", "count"),
    [("mushroom", "?", 2480), ("shuttle-landing-control", "*", 26)],
)
def test_marks_of_unknown_values_remain(slug, mark, count):
    assert np.sum(load(slug).data == mark) == count


@needs_data
def test_labels_that_come_first_in_a_line():
    assert load("image-segmentation").target[0] == "BRICKFACE"


@needs_data
def test_sequences_are_read_letter_by_letter():
    assert "".join(load("promoters").data[0]).startswith("tactagcaata")


@needs_data
def test_a_set_of_some_classes_has_the_rows_of_these():
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
    # The second address has the same host, which did not answer.
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


def test_a_zip_that_unpacks_to_more_than_any_data_set_is_not_unpacked(
    elsewhere, monkeypatch
):
    def retrieve(address, *, known_hash, fname, path, downloader):
        target = Path(path) / fname
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("seeds_dataset.txt", bytes(5000))
        return str(target)

    monkeypatch.setattr(_files.pooch, "retrieve", retrieve)
    monkeypatch.setattr(_files, "_SILENCE_SECONDS", 0.0)
    monkeypatch.setattr(_files, "_LARGEST", 4999)
    with pytest.raises(OSError, match=r"seeds_dataset\.txt has more than 4999 bytes"):
        _files.download(
            "seeds", "seeds_dataset.txt", {"sha256": "0" * 64}, ["https://a.zip"]
        )


def test_unknown_slugs_get_a_hint():
    with pytest.raises(ValueError, match="did you mean monks-1 or monks-2 or monks-3"):
        load("monks-problems")

    with pytest.raises(
        ValueError, match=r"unknown data set 'wines'; did you mean wine"
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
