"""The interactive figure of the chapter on the price of a cut is drawn."""

import numpy as np
from sklearn.tree import DecisionTreeRegressor

from reproduction import pictures
from reproduction.drawing import price_of_a_cut as drawing
from treebounds.formats import from_sklearn
from treebounds.pruning.counted_price import CountedRule


def test_the_rounds_are_shown_and_stand_still_without_a_script():
    rng = np.random.default_rng(1)
    x = np.sort(rng.random(20))
    y = 3.0 * (x > 0.4) + rng.normal(size=20)
    tree = from_sklearn(DecisionTreeRegressor().fit(x[:, np.newaxis], y))
    data = pictures.falling_noise_data(tree, truth=1, sample=(x, y))
    assert data["points"]["predicted"].shape == (len(data["leaves"]), 20)

    path = CountedRule().path(tree)
    following = drawing.next_estimates(data, path.noises)
    assert following[:-1].tolist() == path.noises[1:].tolist()
    assert np.isnan(drawing.next_estimates(data, np.array([1e-9]))).all()

    picture = drawing.falling_noise({"a line": data}, path, alt="Left, squared")
    assert 'alt="Left, squared"' in picture.data
    assert "image/svg+xml" in picture.data
