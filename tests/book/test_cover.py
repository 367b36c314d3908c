"""The committed picture is the one that the library draws."""

import cover


def test_the_cover_is_what_the_library_draws():
    assert cover.TARGET.read_text(encoding="utf-8") == cover.draw(), "run python book/cover.py"
