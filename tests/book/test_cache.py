"""What a notebook depends on, and the entries of the cache."""

import os
import resource

import cache
import inputs
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
%matplotlib inline
{code}
```
"""
LIBRARY = {
    "treebounds/__init__.py": "from treebounds.low.count import count\nfrom treebounds.high import prune\n",
    "treebounds/low/__init__.py": "from treebounds.low.count import count\n"
    "from treebounds.low.other import x\n",
    "treebounds/low/count.py": "def count():\n    from treebounds import base\n    return base.one\n",
    "treebounds/low/other.py": "x = 2\n",
    "treebounds/base.py": "one = 1\n",
    "treebounds/many/__init__.py": "from treebounds.many.a import a\nfrom treebounds.many.b import b, c\n",
    "treebounds/many/a.py": "a = 1\n",
    "treebounds/many/b.py": "from treebounds import base\nb = c = 2\n",
    "treebounds/high.py": "import treebounds.low.count\n\ndef prune():\n    pass\n",
    "reproduction/__init__.py": "",
    "reproduction/claims.py": "text = 'published values'\n",
    "reproduction/data/__init__.py": "from treebounds.low import x\n\ndef load():\n    return 'list.toml'\n",
    "reproduction/data/list.toml": "a = 1\n",
    "reproduction/data/unused.toml": "b = 1\n",
}
FILES = {f"lib/{name}": text for name, text in LIBRARY.items()}
FILES |= dict.fromkeys(("book/published/yildiz2012.toml", *inputs.MACHINERY), "")


@pytest.fixture
def depends_on(tmp_path, monkeypatch):
    """A function from code to what a notebook with that code depends on, in a small project."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(inputs, "ROOT", tmp_path)
    inputs._parsed.cache_clear()

    def of(code, parameters=None):
        source = tmp_path / "one.md"
        source.write_text(NOTEBOOK.format(code=code))
        return inputs.static_inputs(source, parameters or {})

    return of


COUNT = {"treebounds/low/count.py", "treebounds/base.py"}
LOW = {"treebounds/low/__init__.py", "treebounds/low/other.py"} | COUNT
DATA = {"reproduction/data/__init__.py", "reproduction/data/list.toml", "treebounds/low/other.py"}


@pytest.mark.parametrize(
    ("code", "modules"),
    [
        ("import numpy", set()),
        ("from treebounds import count", COUNT),
        ("from treebounds.low import x", {"treebounds/low/other.py"}),
        ("from treebounds.many import a", {"treebounds/many/a.py"}),
        ("from treebounds.many import c", {"treebounds/many/b.py", "treebounds/base.py"}),
        ("from treebounds.high import prune", {"treebounds/high.py"} | COUNT),
        ("from treebounds import low", LOW),
        ("import treebounds as tb\ntb.count()", COUNT),
        ("import treebounds as tb\ntb.low.x", LOW),
        ("import treebounds as tb\ndir(tb)", {"treebounds/__init__.py", "treebounds/high.py"} | COUNT),
        ("import treebounds\ntreebounds.prune()", {"treebounds/high.py"} | COUNT),
        ("from reproduction import claims", {"reproduction/claims.py"}),
        ("def f():\n    from reproduction.data import load", DATA),
        ("from treebounds import count\ntext = ('{}'\n        % count())", COUNT),
    ],
)
def test_a_notebook_depends_on_what_it_imports(depends_on, code, modules):
    assert {name[4:] for name in depends_on(code) if name.startswith("lib/")} == modules


def test_a_comment_executes_the_notebooks_that_read_the_file_and_no_other(depends_on, tmp_path):
    code = "from treebounds import count\ncount('yildiz2012')"
    others = {"lib/treebounds/high.py"}
    read = {"lib/treebounds/low/count.py", "book/published/yildiz2012.toml", *inputs.MACHINERY}
    for name in sorted(read | others):
        entry = cache.Entry(depends_on(code), {}, 1.0, {})
        assert cache.what_changed(entry, depends_on(code)) == ""
        with open(tmp_path / name, "a") as file:
            file.write("# a comment\n")
        assert cache.what_changed(entry, depends_on(code)) == (f"changed: {name}" if name in read else "")


def test_source_and_parameters_are_inputs(depends_on):
    entry = cache.Entry(depends_on("1 + 1", {"m": 1}), {}, 1.0, {})
    assert cache.what_changed(entry, depends_on("1 + 1", {"m": 2})) == "changed: its parameters"
    assert cache.what_changed(entry, depends_on("1 + 2", {"m": 1})) == "changed: its source"
    assert "its source" in depends_on("this is (no code")


def test_data_are_inputs_where_they_were_read_or_missed(tmp_path, monkeypatch):
    from reproduction.datasets import load

    monkeypatch.setenv("TREEBOUNDS_DATA", str(tmp_path))
    monkeypatch.setenv("TREEBOUNDS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TREEBOUNDS_READS", str(tmp_path / "reads"))
    assert inputs.data_inputs(tmp_path / "reads") == {}
    load("iris")
    data = inputs.data_inputs(tmp_path / "reads")
    assert data == {"iris/iris.data": inputs.ABSENT}
    entry = cache.Entry({}, data, 1.0, {})
    assert cache.what_changed(entry, {}) == ""
    (tmp_path / "iris").mkdir()
    (tmp_path / "iris" / "iris.data").write_text("5.1\n")
    assert cache.what_changed(entry, {}) == "changed: iris/iris.data"


FILES_OF_ENTRY = {"executed/part/one.ipynb": b"{}", "results/peng2019/table.csv": b"a,b\n" * 99}
ENTRY = cache.Entry({"its source": "a"}, {}, 1.5, FILES_OF_ENTRY)


def test_an_entry_comes_back_as_it_was_or_not_at_all(tmp_path):
    path = tmp_path / "cache" / "one.zip"
    assert cache.read(path).error == "not executed before"
    cache.write(path, ENTRY)
    assert cache.read(path) == ENTRY
    whole = path.read_bytes()
    for share in (0.0, 0.01, 0.3, 0.7, 0.99):
        path.write_bytes(whole[: int(share * len(whole))])
        assert "damaged" in cache.what_changed(cache.read(path), ENTRY.inputs), share
    for place in range(0, len(whole), 3):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x41]) + whole[place + 1 :])
        found = cache.read(path)
        assert found.error or set(found.files.values()) <= set(ENTRY.files.values())


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
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))  # as if the disk ended there
    try:
        with pytest.raises(OSError, match="large"):
            cache.write(tmp_path / "one.zip", large)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert cache.read(tmp_path / "one.zip") == ENTRY
