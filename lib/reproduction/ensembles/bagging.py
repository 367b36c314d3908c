"""Bootstrap samples, as scikit-learn's bags and forests draw them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from treebounds._validation import check_integer

__all__ = ["bootstrap_coverage", "bootstrap_sample"]


def bootstrap_coverage(n_examples: int) -> float:
    """Expected fraction of the examples that a bootstrap sample of the same size holds, 1 - (1 - 1/n)^n.

    Examples
    --------
    >>> from reproduction.ensembles import bootstrap_coverage
    >>> bootstrap_coverage(1), bootstrap_coverage(2), round(bootstrap_coverage(10**9), 4)
    (1.0, 0.75, 0.6321)
    """
    n = check_integer(n_examples, "n_examples")
    return 1.0 if n == 1 else -math.expm1(n * math.log1p(-1 / n))


def bootstrap_sample(n_examples: int, random_state: Any = None) -> NDArray[np.int64]:
    """Indices of ``n_examples`` examples drawn uniformly with replacement.

    Examples
    --------
    >>> from reproduction.ensembles import bootstrap_sample
    >>> bootstrap_sample(5, random_state=0)
    array([4, 0, 3, 3, 3])
    """
    n = check_integer(n_examples, "n_examples")
    # the narrow type draws the numbers that scikit-learn's forests draw
    return check_random_state(random_state).randint(0, n, n, dtype=np.int32).astype(np.int64)
