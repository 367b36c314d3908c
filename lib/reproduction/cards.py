"""The card of a settled claim on its page: values, formulas and tables of readings as
HTML.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup


def show_value(value: Any) -> str:
    """A value as text: four significant digits, and lists cut after eight items.

    >>> from reproduction.cards import show_value
    >>> (
    ...     show_value(0.020254345542061604),
    ...     show_value(70000),
    ...     show_value([1, 2.5]),
    ...     show_value(True),
    ... )
    ('0.02025', '70,000', '1, 2.5', 'holds')
    """
    if isinstance(value, bool):
        return "holds" if value else "does not hold"
    if isinstance(value, int):
        return _show_integer(value)
    if isinstance(value, float):
        return _show_float(value)
    if isinstance(value, Mapping):
        return "; ".join(
            f"{key}: {show_value(item)}" for key, item in list(value.items())[:8]
        )
    if isinstance(value, list):
        items = [show_value(item) for item in value[:8]]
        if len(value) > 8:
            items.append(f"… ({len(value)})")
        return ", ".join(items)

    return str(value)


def _show_integer(value: int) -> str:
    """All digits, unless there are too many to read."""
    if abs(value) < 10**15:
        return f"{value:,}"
    return f"about {value:.4g}"


def _show_float(value: float) -> str:
    """Four significant digits, or all digits before the decimal point."""
    if 1e4 <= abs(value) < 1e15:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def formulas_to_html(text: str) -> str:
    """Escaped text whose formulas, between dollars, are marked as Sphinx marks them for
    MathJax.
    """
    words = escape(text.replace("<=", "≤").replace(">=", "≥"))
    return re.sub(
        r"\$([^$]+)\$",
        r'<span class="math notranslate nohighlight">\\(\1\\)</span>',
        words,
    )


def _two_way(readings: Mapping[str, bool]) -> tuple[list[str], dict[str, list[bool]]]:
    """The columns and rows of readings named "row | column" if every pair is there;
    else a single column.
    """
    pairs = [name.split(" | ") for name in readings]
    rows = list(dict.fromkeys(pair[0] for pair in pairs))
    columns = list(dict.fromkeys(pair[-1] for pair in pairs))
    if all(len(pair) == 2 for pair in pairs) and len(rows) * len(columns) == len(pairs):
        return columns, {
            row: [readings[f"{row} | {column}"] for column in columns] for row in rows
        }

    return ["Does the claim come out?"], {
        name: [came_out] for name, came_out in readings.items()
    }


@functools.cache
def templates(*folders: Path) -> jinja2.Environment:
    """The templates of some folders, and ``claim.html.jinja``, which draws a card."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([*folders, Path(__file__).parent]),
        autoescape=jinja2.select_autoescape(["html", "jinja"]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        formula=lambda text: Markup(formulas_to_html(text)),
        kind=lambda verdict: verdict.replace(" ", "-"),
        shown=show_value,
        two_way=_two_way,
    )
    return environment
