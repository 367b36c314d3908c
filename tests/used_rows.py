"""Samples and messages for the tests that look for rows that were used before."""

MORE_THAN_CHANCE = "are among those that the model was grown"

SAME_COUNTS = "X: the tree was grown on these examples"


def noisy(n, rng):
    X = rng.normal(size=(n, 4))
    return X, (X[:, 0] * X[:, 1] + rng.normal(size=n) > 0).astype(int)
