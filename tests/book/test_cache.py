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
    # A file as numba writes it.
    "reproduction/__pycache__/high.nbi.tmp.f2": "",
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
    inputs = (name.removeprefix("lib/reproduction/") for name in depends_on(code))
    python = {name for name in inputs if name.endswith(".py")}
    assert {name for name in python if not name.startswith("book/")} == modules


CODE = "from reproduction.data import load"
LIBRARY_FILE = "lib/treebounds/low/count.py"
READ = {
    LIBRARY_FILE,
    "lib/reproduction/data/files.py",
    "lib/reproduction/data/list.toml",
    "book/published/yildiz2012.toml",
}
UNREAD = {
    "lib/reproduction/high.py",
    "lib/reproduction/__pycache__/high.nbi.tmp.f2",
}


@pytest.mark.parametrize("name", sorted(READ | set(cache.MACHINERY)))
def test_a_change_executes_the_notebooks_that_read_the_file(depends_on, tmp_path, name):
    entry = cache.Entry(depends_on(CODE), {}, 1.0, {})
    path = tmp_path / name
    path.write_text(f"{path.read_text()}b = 2\n")
    # The files of the library are one input.
    changed = "lib/treebounds" if name == LIBRARY_FILE else name
    assert cache.what_changed(entry, depends_on(CODE)) == f"changed: {changed}"


@pytest.mark.parametrize("name", sorted(UNREAD))
def test_a_change_of_another_file_executes_nothing(depends_on, tmp_path, name):
    entry = cache.Entry(depends_on(CODE), {}, 1.0, {})
    path = tmp_path / name
    path.write_text(f"{path.read_text()}b = 2\n")
    assert cache.what_changed(entry, depends_on(CODE)) == ""


@pytest.mark.parametrize("name", sorted(n for n in READ if n.endswith(".py")))
def test_new_words_in_a_module_execute_nothing(depends_on, tmp_path, name):
    entry = cache.Entry(depends_on(CODE), {}, 1.0, {})
    path = tmp_path / name
    words = path.read_text().replace("How", "How so")
    path.write_text(f'"""A new docstring."""\n# a comment\n{words}')
    assert cache.what_changed(entry, depends_on(CODE)) == ""


def test_parameters_are_inputs(depends_on):
    entry = cache.Entry(depends_on("1 + 1", {"m": 1}), {}, 1.0, {})
    inputs = depends_on("1 + 1", {"m": 2})
    assert cache.what_changed(entry, inputs) == "changed: its parameters"


def test_the_source_is_an_input(depends_on):
    entry = cache.Entry(depends_on("1 + 1"), {}, 1.0, {})
    assert cache.what_changed(entry, depends_on("1 + 2")) == "changed: its source"


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


def test_an_entry_that_was_not_written_is_missed(tmp_path):
    assert cache.read(tmp_path / "one.zip").error == "not executed before"


@pytest.fixture
def path(tmp_path):
    """An entry in a folder of its own."""
    written = tmp_path / "cache" / "one.zip"
    cache.write(written, ENTRY)
    return written


def test_an_entry_comes_back_as_it_was(path):
    assert cache.read(path) == ENTRY


@pytest.mark.parametrize("share", [0.01, 0.3, 0.7, 0.99])
def test_an_entry_that_was_cut_is_damaged(path, share):
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    assert "damaged" in cache.what_changed(cache.read(path), ENTRY.inputs)


def test_an_altered_byte_is_noticed_or_does_not_matter(path):
    whole = path.read_bytes()
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


@pytest.fixture
def restored(tmp_path):
    """The page and the table of an entry, in a folder of their own."""
    cache.restore(tmp_path, [ENTRY])
    return [tmp_path / name for name in ENTRY.files]


def test_a_file_as_it_should_be_is_not_written_again(restored, tmp_path):
    page = restored[0]
    written = page.stat().st_mtime_ns
    cache.restore(tmp_path, [ENTRY])
    assert page.stat().st_mtime_ns == written


def test_an_edited_file_is_put_right(restored, tmp_path):
    table = restored[1]
    table.write_text("a,c\n")
    cache.restore(tmp_path, [ENTRY])
    assert table.read_bytes() == ENTRY.files["results/peng2019/table.csv"]


def test_a_deleted_file_comes_back(restored, tmp_path):
    page = restored[0]
    page.unlink()
    cache.restore(tmp_path, [ENTRY])
    assert page.read_bytes() == ENTRY.files["executed/part/one.ipynb"]


def test_a_file_of_no_entry_is_left_over(restored, tmp_path):
    table = restored[1]
    table.with_name("old.csv").write_text("of no notebook\n")
    cache.restore(tmp_path, [ENTRY])
    assert [path.name for path in table.parent.iterdir()] == ["table.csv"]


def test_without_entries_no_file_stays(restored, tmp_path):
    cache.restore(tmp_path, [])
    assert not any(path.exists() for path in restored)


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
