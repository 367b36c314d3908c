"""The title by which a statement, a figure or a table is cited."""

import pytest
from docutils import nodes
from treebounds_book import _title


@pytest.mark.parametrize(
    ("caption", "title"),
    [
        ("The truth (thick). Left, single trees.", "The truth (thick)"),
        ("Error in percent (first repetition).", "Error in percent (first repetition)"),
        ("What to see. And more.", "What to see"),
    ],
)
def test_a_figure_is_cited_by_its_first_sentence(caption, title):
    figure = nodes.figure("", nodes.image(), nodes.caption(caption, caption))
    assert _title(figure) == title


@pytest.mark.parametrize(
    "title",
    [
        "One feature",
        "Leboeuf, LeBlanc and Marchand (2021)",
        "Taylor et al. (1998), 2.3",
    ],
)
def test_a_statement_is_cited_by_its_whole_title(title):
    # The title of a statement is printed in parentheses, behind its number.
    statement = nodes.admonition("", nodes.title("", f" ({title})"))
    assert _title(statement) == title
