"""Simulated data sets of the literature: a recipe and a seed make the same rows on
every machine.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.datasets import make_classification, make_friedman1, make_hastie_10_2

Sample = tuple[np.ndarray, np.ndarray]
SEED = 1
# The segments that a digit lights: top, upper left, upper right, middle, lower left,
# lower right, bottom.
_SEGMENTS = ["1110111", "0010010", "1011101", "1011011", "0111010"]
_SEGMENTS += ["1101011", "1101111", "1010010", "1111111", "1111011"]


def simulated(recipe: str, n_examples: int) -> Sample:
    """The features (m, l) and the classes (m,), as integers, of one of ``RECIPES``."""
    X, y = RECIPES[recipe](np.random.default_rng(SEED), n_examples)
    return np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.int64)


def _noisy(y: np.ndarray, rng: np.random.Generator, share: float) -> np.ndarray:
    """Labels or bits 0 and 1, after a share of them is flipped at random."""
    return y ^ (rng.random(y.shape) < share)


def _twonorm(rng: np.random.Generator, m: int) -> Sample:
    """Twenty normal columns with means a or -a, depending on the class; a = 2 / sqrt 20
    (Breiman 1996).
    """
    y = rng.integers(0, 2, m)
    means = (2 * y - 1) * 2 / np.sqrt(20)
    return rng.normal(size=(m, 20)) + means[:, np.newaxis], y


def _ringnorm(rng: np.random.Generator, m: int) -> Sample:
    """Class 0: N(0, 4 I); class 1: N(a, I) with all means a = 1 / sqrt 20 (Breiman
    1996).
    """
    y = rng.integers(0, 2, m)
    noise = rng.normal(size=(m, 20))
    return np.where(y[:, np.newaxis] == 0, 2 * noise, noise + 1 / np.sqrt(20)), y


def _threenorm(rng: np.random.Generator, m: int) -> Sample:
    """Class 0: all means a, or all -a; class 1: means a, -a, a, ...; a = 2 / sqrt 20
    (Breiman 1996).
    """
    y = rng.integers(0, 2, m)
    sides = rng.choice([-1, 1], m)
    means = np.where(
        y[:, np.newaxis] == 0, sides[:, np.newaxis], np.resize([1, -1], 20)
    )
    return rng.normal(size=(m, 20)) + means * 2 / np.sqrt(20), y


def _led24(rng: np.random.Generator, m: int) -> Sample:
    """Ten digits on seven segments, each wrong with probability .1, and 17 random bits
    (Breiman 1984).
    """
    y = rng.integers(0, 10, m)
    segments = np.array([[int(lit) for lit in digit] for digit in _SEGMENTS])[y]
    return np.hstack([_noisy(segments, rng, 0.1), rng.integers(0, 2, (m, 17))]), y


def _friedman1(rng: np.random.Generator, m: int) -> Sample:
    """Ten columns; terciles of 10 sin(pi x1 x2) + 20 (x3 - .5)^2 + 10 x4 + 5 x5 + N(0,
    1) (Friedman 1991).
    """
    X, value = make_friedman1(m, noise=1.0, random_state=int(rng.integers(2**31)))
    return X, np.searchsorted(np.quantile(value, [1 / 3, 2 / 3]), value)


def _hastie(rng: np.random.Generator, m: int) -> Sample:
    """Ten normal columns; class 1 if their squares sum to more than 9.34 (Hastie et al.
    2009).
    """
    X, y = make_hastie_10_2(m, random_state=int(rng.integers(2**31)))
    return X, y > 0


def _checkers(rng: np.random.Generator, m: int) -> Sample:
    """A checkerboard of 4 x 4 fields on two of ten uniform columns; a tenth of the
    labels are wrong.
    """
    X = rng.random((m, 10))
    column, row = (4 * X[:, :2]).astype(int).T
    return X, _noisy((column + row) % 2, rng, 0.1)


def _sea(rng: np.random.Generator, m: int) -> Sample:
    """Three uniform columns from 0 to 10; x1 + x2 <= 8, with 10 % wrong labels (Street
    and Kim 2001).
    """
    X = 10 * rng.random((m, 3))
    return X, _noisy(X[:, 0] + X[:, 1] <= 8, rng, 0.1)


def _madelon_like(rng: np.random.Generator, m: int) -> Sample:
    """Sixteen clusters per class in five of a hundred columns; fifteen other columns
    mix these five.
    """
    return make_classification(
        m,
        100,
        n_informative=5,
        n_redundant=15,
        n_clusters_per_class=16,
        flip_y=0.01,
        random_state=int(rng.integers(2**31)),
    )


def _agrawal7(rng: np.random.Generator, m: int) -> Sample:
    """Function 7 of Agrawal et al. (1993) on nine columns; one label in twenty is
    wrong.
    """
    salary = rng.uniform(20_000, 150_000, m)
    commission = np.where(salary < 75_000, rng.uniform(10_000, 75_000, m), 0)
    age = rng.integers(20, 81, m)
    education = rng.integers(0, 5, m)
    car = rng.integers(1, 21, m)
    zipcode = rng.integers(0, 9, m)
    house = (9 - zipcode) * 100_000 * rng.uniform(0.5, 1.5, m)
    years = rng.integers(1, 31, m)
    loan = rng.uniform(0, 500_000, m)
    y = 2 * (salary + commission) / 3 - loan / 5 - 20_000 > 0
    columns = (salary, commission, age, education, car, zipcode, house, years, loan)

    return np.column_stack(columns), _noisy(y, rng, 0.05)


RECIPES: dict[str, Callable[[np.random.Generator, int], Sample]] = {
    "twonorm": _twonorm,
    "ringnorm": _ringnorm,
    "threenorm": _threenorm,
    "led24": _led24,
    "friedman1": _friedman1,
    "hastie": _hastie,
    "checkers": _checkers,
    "sea": _sea,
    "madelon-like": _madelon_like,
    "agrawal7": _agrawal7,
}
