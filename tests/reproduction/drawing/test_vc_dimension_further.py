import matplotlib.pyplot as plt

from reproduction.drawing import vc_dimension_further as drawing
from treebounds.structure import enumerate_structures


def test_each_chain_has_a_dot():
    chain = {N: next(enumerate_structures(N + 1)) for N in (1, 2)}
    drawing.bounds(lambda l: 3.0 + l**0.5, chain.__getitem__, [1, 2])
    right = plt.gcf().axes[1]
    dots = next(line for line in right.lines if line.get_marker() == "o")
    assert len(dots.get_xdata()) == 2
