"""What a notebook depends on, and the entries of the cache."""

import gzip
import os
import pickle
import resource

import cache
import pytest

NOTEBOOK = """# Title

```{{code-cell}} ipython3
:tags: [parameters]
m = 1
```

```{{code-cell}} ipython3
---
tags: [hide-input]
---
{code}
```
"""
LIBRARY = {
    "treebounds/__init__.py": "from treebounds.low.count import count\n",
    "treebounds/low/count.py": 'def count():\n    """How many."""\n    return 1\n',
    "reproduction/__init__.py": "",
    "reproduction/claims.py": "text = 'published values'\n",
    "reproduction/high.py": (
        "import treebounds\n\ndef prune():\n    from reproduction.data import load\n"
    ),
    "reproduction/data/__init__.py": (
        "from reproduction.data.files import path\n\ndef load():\n    pass\n"
    ),
    "reproduction/data/files.py": "import numpy\npath = 'yildiz2012'\n",
    "reproduction/data/list.toml": "a = 1\n",
    "reproduction/__pycache__/high.nbi.tmp.f2": "",  # as numba writes them
}
FILES = {f"lib/{name}": text for name, text in LIBRARY.items()}
FILES |= dict.fromkeys(("book/published/yildiz2012.toml", *cache.MACHINERY), "")
FILES["book/claims.toml"] = """[[claim]]
id = "A-1"
statement = "One."

[[claim]]
id = "A-2"
statement = "Two."
"""


@pytest.fixture
def depends_on(tmp_path, monkeypatch):
    """A function from code to what a notebook with that code depends on, in a small
    project.
    """
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(cache, "ROOT", tmp_path)

    def of(code, parameters=None, claims=()):
        cache._hash.cache_clear()
        source = tmp_path / "one.md"
        source.write_text(NOTEBOOK.format(code=code))
        return cache.static_inputs(source, parameters or {}, claims)

    return of


DATA = {"__init__.py", "data/__init__.py", "data/files.py"}


@pytest.mark.parametrize(
    ("code", "modules"),
    [
        ("import numpy", set()),
        ("from treebounds import count", set()),
        ("from reproduction import claims", {"__init__.py", "claims.py"}),
        ("import reproduction.claims", {"__init__.py", "claims.py"}),
        ("def f():\n    from reproduction.data import load", DATA),
        ("from reproduction.high import prune", DATA | {"high.py"}),
        ("%matplotlib inline", DATA | {"claims.py", "high.py"}),
        (
            "from reproduction import claims\ntext = ('{}'\n        % f())",
            {"__init__.py", "claims.py"},
        ),
    ],
)
def test_a_notebook_depends_on_the_modules_that_it_imports(depends_on, code, modules):
    read = (name.removeprefix("lib/reproduction/") for name in depends_on(code))
    assert {
        name for name in read if name.endswith(".py") and not name.startswith("book/")
    } == modules


def test_a_change_executes_the_notebooks_that_read_the_file_and_words_execute_none(
    depends_on, tmp_path
):
    code = "from reproduction.data import load"
    library, module = "lib/treebounds/low/count.py", "lib/reproduction/data/files.py"
    read = {
        library,
        module,
        "lib/reproduction/data/list.toml",
        "book/published/yildiz2012.toml",
    }
    unread = "lib/reproduction/high.py", "lib/reproduction/__pycache__/high.nbi.tmp.f2"
    for name in sorted(read | {*unread, *cache.MACHINERY}):
        entry = cache.Entry(depends_on(code), {}, 1.0, {})
        path = tmp_path / name
        if name.startswith("lib/") and path.suffix == ".py":
            words = path.read_text().replace("How", "How so")
            path.write_text(f'"""A new docstring."""\n# a comment\n{words}')
        assert cache.what_changed(entry, depends_on(code)) == ""
        path.write_text(f"{path.read_text()}b = 2\n")
        changed = dict.fromkeys(unread, "") | {library: "changed: lib/treebounds"}
        assert cache.what_changed(entry, depends_on(code)) == changed.get(
            name, f"changed: {name}"
        )


def test_source_and_parameters_are_inputs(depends_on):
    entry = cache.Entry(depends_on("1 + 1", {"m": 1}), {}, 1.0, {})
    assert (
        cache.what_changed(entry, depends_on("1 + 1", {"m": 2}))
        == "changed: its parameters"
    )
    assert (
        cache.what_changed(entry, depends_on("1 + 2", {"m": 1}))
        == "changed: its source"
    )


def test_data_are_inputs_where_they_were_read_or_missed(tmp_path, monkeypatch):
    from reproduction.datasets import load

    monkeypatch.setenv("TREEBOUNDS_DATA", str(tmp_path))
    monkeypatch.setenv("TREEBOUNDS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TREEBOUNDS_READS", str(tmp_path / "reads"))
    assert cache.data_inputs(tmp_path / "reads") == {}
    load("iris")
    data = cache.data_inputs(tmp_path / "reads")
    assert data == {"iris/iris.data": cache.ABSENT}
    entry = cache.Entry({}, data, 1.0, {})
    assert cache.what_changed(entry, {}) == ""
    (tmp_path / "iris").mkdir()
    (tmp_path / "iris" / "iris.data").write_text("5.1\n")
    assert cache.what_changed(entry, {}) == "changed: iris/iris.data"


FILES_OF_ENTRY = {
    "executed/part/one.ipynb": b"{}",
    "results/peng2019/table.csv": b"a,b\n" * 99,
}
ENTRY = cache.Entry({"its source": "a"}, {}, 1.5, FILES_OF_ENTRY)


def test_an_entry_comes_back_as_it_was_or_not_at_all(tmp_path):
    path = tmp_path / "cache" / "one.zip"
    assert cache.read(path).error == "not executed before"
    cache.write(path, ENTRY)
    assert cache.read(path) == ENTRY
    whole = path.read_bytes()
    for share in (0.01, 0.3, 0.7, 0.99):
        path.write_bytes(whole[: int(share * len(whole))])
        assert "damaged" in cache.what_changed(cache.read(path), ENTRY.inputs), share
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 0x41
        path.write_bytes(damaged)
        entry = cache.read(path)
        assert entry.error or entry == ENTRY


@pytest.mark.parametrize(
    "content",
    [
        gzip.compress(pickle.dumps({"of": "another version"})),
        cache.zip_of({"entry.json": b'{"of": "another version"}'}),
        cache.zip_of({"entry.json": b'{"format": 0, "files": []}'}),
    ],
    ids=["a pickle", "without a format", "another format"],
)
def test_an_entry_of_another_version_of_the_cache_is_executed_again(tmp_path, content):
    path = tmp_path / "one.zip"
    path.write_bytes(content)
    assert cache.what_changed(cache.read(path), ENTRY.inputs)


def test_the_words_of_a_claim_are_inputs_of_the_chapter_that_settles_it(
    depends_on, tmp_path
):
    entry = cache.Entry(depends_on("1", claims=["A-1"]), {}, 1.0, {})
    listed = tmp_path / "book" / "claims.toml"
    words = listed.read_text()

    listed.write_text(words.replace("Two.", "Zwei."))
    assert cache.what_changed(entry, depends_on("1", claims=["A-1"])) == ""

    listed.write_text(words.replace("One.", "Eins."))
    reason = "changed: book/claims.toml: A-1"
    assert cache.what_changed(entry, depends_on("1", claims=["A-1"])) == reason


def test_files_edited_deleted_and_left_over_are_put_right(tmp_path):
    cache.restore(tmp_path, [ENTRY])
    page, table = (tmp_path / name for name in ENTRY.files)
    written = page.stat().st_mtime_ns
    table.write_text("a,c\n")
    table.with_name("old.csv").write_text("of no notebook\n")
    cache.restore(tmp_path, [ENTRY])
    assert page.stat().st_mtime_ns == written
    assert [path.name for path in table.parent.iterdir()] == ["table.csv"]
    assert table.read_bytes() == ENTRY.files["results/peng2019/table.csv"]
    cache.restore(tmp_path, [])
    assert not table.exists()


def test_a_full_disk_leaves_the_last_entry_whole(tmp_path):
    cache.write(tmp_path / "one.zip", ENTRY)
    large = cache.Entry({}, {}, 1.0, {"executed/part/one.ipynb": os.urandom(100_000)})
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    # The limit stands for the end of the disk.
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))
    try:
        with pytest.raises(OSError, match="large"):
            cache.write(tmp_path / "one.zip", large)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert cache.read(tmp_path / "one.zip") == ENTRY
