from reproduction.drawing import how_complex as drawing
from treebounds import TreeStructure


def test_exact_values_have_the_names_that_the_calculator_uses():
    chain = TreeStructure.from_nested([[None, None], None])
    picture = drawing.calculator({(chain, 2): 5}, alt="two curves")
    assert "[[·,·],·]|2" in picture.data
    assert "two curves" in picture.data
