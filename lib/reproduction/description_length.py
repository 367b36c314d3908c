"""The length of a tree's description and the risk bound that follows from it."""

from __future__ import annotations

import math

from treebounds._validation import check_integer, check_number
from treebounds.risk.checks import check_delta


def code_length(n_nodes: int, n_features: int, n_classes: int = 2) -> float:
    """Length in bits of the preorder code of a tree: (n_nodes + 1) log2(n_features +
    n_classes + 1).

    The code has one block for each node and one for the end; each block names a
    feature, a class or the end.

    >>> from reproduction import code_length
    >>> code_length(3, 5)
    12.0

    Parameters
    ----------
    n_nodes, n_features, n_classes : int
        Number of nodes (internal nodes and leaves), of categorical features, and of
        classes.

    Returns
    -------
    float
        In bits.
    """
    n_blocks = check_integer(n_nodes, "n_nodes") + 1
    n_symbols = (
        check_integer(n_features, "n_features")
        + check_integer(n_classes, "n_classes")
        + 1
    )
    return n_blocks * math.log2(n_symbols)


def description_length_bound(
    train_error: float,
    n_nodes: int,
    n_features: int,
    n_examples: int,
    delta: float = 0.05,
    n_classes: int = 2,
) -> float:
    """Risk bound from the length of a tree's description.

    ``train_error + sqrt(((n_nodes + 1) log2(n_features + 3) + ln(2 / delta)) / (2
    n_examples))`` for two classes: with probability at least 1 - delta over the sample,
    the risk of every tree is at most this.

    >>> from reproduction import description_length_bound
    >>> round(
    ...     description_length_bound(0.05, n_nodes=7, n_features=10, n_examples=1000), 4
    ... )
    0.179

    Parameters
    ----------
    train_error : float
        A fraction.
    n_nodes : int
        Number of internal nodes and leaves together.
    n_features : int
        Number of categorical features; a split has a branch for each value.
    n_examples : int
    delta : float
        In (0, 1).
    n_classes : int
        Number of classes. A block of the code has n_features + n_classes + 1 possible
        contents.

    Returns
    -------
    float
        Not clipped at 1.

    Notes
    -----
    The logarithm of the code length is to base 2, since it counts bits. The logarithm
    of delta is natural, since it comes from Hoeffding's exp(-2 m t^2). A code of b bits
    has weight 2^-b, so b ln 2 suffices in place of b: the bound is valid with natural
    logarithms in both places. It is therefore also valid as printed, where it is
    larger.

    References
    ----------
    Peng's notes, section 18.1; Shalev-Shwartz and Ben-David, section 18.1 and Theorem
    7.7.
    """
    error = check_number(train_error, "train_error", "[0, 1]")
    m = check_integer(n_examples, "n_examples")
    bits = code_length(n_nodes, n_features, n_classes)
    return error + math.sqrt((bits + math.log(2 / check_delta(delta))) / (2 * m))
