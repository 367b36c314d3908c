"""The page that computes bounds in the browser gives the library's numbers."""

from math import isnan, log, log1p, pi

import pytest

import treebounds as tb
from treebounds.risk import log_structure_prior

pytestmark = pytest.mark.book

NESTED = {
    "·": None,
    "[·,·]": [None, None],
    "[[·,·],·]": [[None, None], None],
    "[·,[·,·]]": [[None, None], None],
    "[[[·,·],·],[·,·]]": [[[None, None], None], [None, None]],
    "[[[·,·],[·,·]],[[·,·],[·,·]]]": [[[None, None]] * 2] * 2,
}
NUMBERS = [
    *((1, 2, 1, 0), (1, 2, 10, 1), (3, 2, 7, 0), (2, 5, 30, 3), (10, 2, 400, 20), (50, 3, 120, 4)),
    *((7, 4, 900, 2), (100, 10, 50, 5), (20, 3, 2500, 9), (1, 2, 3, 0), (5, 7, 60, 0), (9, 2, 1500, 40)),
]
CASES = [(text, *numbers) for text, numbers in zip([*NESTED, *NESTED], NUMBERS, strict=True)]
# more classes than leaves: few examples, where each number of parts is capped, and many
CASES += [("[[[·,·],·],[·,·]]", 5, 9, 20, 0), ("[[[·,·],[·,·]],[[·,·],[·,·]]]", 2, 12, 300, 3)]


@pytest.fixture(scope="module")
def page(browser, base):
    context = browser.new_context()
    page = context.new_page()
    page.goto(base["file"] + "capacity/how-complex.html")
    yield page
    context.close()


def message(page):
    """What the page says about the input, once it has answered."""
    page.wait_for_selector("#how-complex[aria-busy=false]")
    return page.inner_text("#how-complex .message")


def shown(page, structure, l, n, m, k):
    for name, value in zip(("features", "classes", "examples", "errors"), (l, n, m, k), strict=True):
        page.fill(f"#how-complex [name={name}]", str(value))
    page.fill("#how-complex [name=structure]", structure)
    assert message(page) == ""
    rows = page.locator("#how-complex tbody tr").evaluate_all(
        "rows => rows.map(r => [r.dataset.form, Number(r.dataset.nats), Number(r.dataset.epsilon)])"
    )
    facts = page.locator("#how-complex [data-fact]").evaluate_all(
        "all => Object.fromEntries(all.map(e => [e.dataset.fact, e.textContent]))"
    )
    return {form: (nats, epsilon) for form, nats, epsilon in rows}, facts


@pytest.mark.parametrize(("text", "l", "n", "m", "k"), CASES)
def test_bounds_are_the_librarys(page, text, l, n, m, k):
    structure = tb.TreeStructure.from_nested(NESTED[text])
    bounds, facts = shown(page, text, l, n, m, k)
    assert int(facts["leaves"]) == structure.n_leaves
    assert int(facts["symmetric"]) == structure.n_symmetric_nodes
    assert int(facts["lower"]) == tb.vc_dimension_lower_bound(structure, l)
    assert int(facts["upper"]) == tb.vc_dimension_upper_bound(structure, l)
    if l == 1 or facts["lower"] == facts["upper"]:
        assert facts["exact"] == facts["lower"]
    r = 2**-13.7
    log_errors = log1p(-r) + k * log(r)
    for form, (nats, epsilon) in bounds.items():
        if form == "all-structures":
            here = tb.log_all_structures_growth_bound(structure.n_leaves, m, l, n)
            double = tb.log_all_structures_growth_bound(structure.n_leaves, 2 * m, l, n)
            log_prior = log(6 / pi**2) - 2 * log(structure.n_leaves)
        else:
            here = tb.log_growth_function_bound(structure, m, l, n, form=form)
            double = tb.log_growth_function_bound(structure, 2 * m, l, n, form=form)
            log_prior = log_structure_prior(structure.n_leaves)
        assert nats == pytest.approx(here, abs=1e-6), form
        expected = tb.shawe_taylor_bound(m, k, double, log_errors, log_prior)
        assert epsilon == pytest.approx(expected, abs=1e-6), form


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("structure", "", "Type a structure"),
        ("structure", "[·,·", "Expected ] or )"),
        ("structure", "[·]", "Expected ,"),
        ("features", "0", "Features must be a whole number"),
        ("features", "", "Features must be a whole number"),
        ("errors", "", "Errors must be a whole number"),
        ("errors", "9999", "Errors must be a whole number"),
        ("examples", "2.5", "Examples must be a whole number"),
        ("exponent", "", "Exponent must be a number"),
    ],
)
def test_wrong_input_is_named_and_shows_no_numbers(page, name, value, expected):
    field = f"#how-complex [name={name}]"
    before = page.input_value(field)
    page.fill(field, value)
    assert message(page).startswith(expected)
    assert page.get_attribute(field, "aria-invalid") == "true"
    assert not page.is_visible("#how-complex table")
    page.fill(field, before)
    assert message(page) == ""
    assert page.is_visible("#how-complex table")


def test_a_recursion_that_would_take_long_is_not_begun(page):
    bounds, _ = shown(page, "[[[·,·],·],[·,·]]", 10, 2, 100_000, 20)
    assert isnan(bounds["tight"][1])
    assert all(epsilon > 0 for form, (_, epsilon) in bounds.items() if form != "tight")
