"""Sample compression bounds for decision trees: compression set and certificate.

If the N thresholds of a tree are values of training examples, the tree can be rebuilt
from N of the m examples (the compression set) and a message: symbols for its structure,
its features and the labels of its leaves. The shorter the message, the smaller the
upper bound of the tree's risk.

**Theorem** (sample compression with a data-dependent message; Littlestone and Warmuth
1986, Langford 2005, Marchand and Sokolova 2005). For sets i of indices let z_i be the
examples with these indices, and w(i) weights whose sum is at most 1. For each i let P(s
| z_i) be weights of messages s, with sum at most 1, that depend on the examples z_i
alone. With probability at least 1 - delta over m independent examples, the following
holds for all i and s at once: the risk of the tree rebuilt from z_i and s is at most
``binomial_tail_inversion(k, m - |i|, ln(delta w(i) P(s | z_i)))``, where k is the
number of its errors on the examples outside i.

Proof. Fix i and condition on z_i: the tree of each s is then fixed, k is binomial, and
the bound fails with probability at most delta w(i) P(s | z_i). Sum over s, take the
mean over z_i, and sum over i.

Since the bound holds for all i and s at once, every choice (which tree to grow, where
to prune it, which examples to keep) may use all the data.

:mod:`treebounds.risk.message` writes the message.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treebounds._labels import check_classes
from treebounds._validation import check_array, check_integer, check_number
from treebounds.capacity._binomials import log_binomial
from treebounds.exceptions import MovedThresholdsWarning
from treebounds.formats.scikit_learn import (
    collapse_sklearn,
    move_thresholds,
    plain_tree,
)
from treebounds.risk.certificate import Certificate, certificate_from_verdict
from treebounds.risk.checks import check_delta, check_n_classes
from treebounds.risk.message import Message, encode
from treebounds.risk.reuse.memory import hand_on_record
from treebounds.risk.reuse.recurrence import Recurrence
from treebounds.risk.rows.duplicates import Policy
from treebounds.risk.shawe_taylor import log_leaves_prior
from treebounds.risk.tail_inversion import binomial_tail_inversion
from treebounds.risk.tree_verdicts import (
    read_tree_sample,
    verdict_of_tree,
)
from treebounds.risk.verdict import Verdict
from treebounds.trees._arrays import add_up
from treebounds.trees.array_tree import ArrayTree, check_array_tree
from treebounds.trees.weakest_link import weakest_link_sequence


def certify_by_message(
    tree: Any,
    X: Any,
    y: Any,
    *,
    delta: float = 0.05,
    n_classes: int | None = None,
    duplicates: Policy = "refuse",
) -> Certificate:
    """Certify a tree from the length of a message that describes it to somebody who has
    the examples' features.

    >>> import warnings
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk import certify_by_message
    >>> X, y = np.arange(1000.0).reshape(-1, 1), np.arange(1000) > 499
    >>> stump = DecisionTreeClassifier().fit(X, y)
    >>> with warnings.catch_warnings(action="ignore"):  # it is about a copy, see below
    ...     certificate = certify_by_message(stump, X, y)
    >>> round(certificate, 4)
    0.0121
    >>> float(certificate.estimator.tree_.threshold[0]), float(stump.tree_.threshold[0])
    (499.0, 499.5)

    X is usually the sample that the tree was grown on. The bound holds for all trees at
    once (this module's theorem), so it does not matter how this one was chosen.

    Parameters
    ----------
    tree : sklearn.tree.DecisionTreeClassifier
        Or an instance of a subclass; fitted.
    X : (m, l) array or frame
        Without missing values.
    y : (m,) array
        Labels that the tree knows.
    delta : float
        Probability that the bound fails, strictly between 0 and 1.
    n_classes : int, optional
        Number of classes of the problem if the tree's sample lacks some.
    duplicates : {"refuse", "together", "ignore"}
        What to do with examples that are equal to others, as in
        :func:`treebounds.certify`.

    Returns
    -------
    Certificate
        Its ``estimator`` is the given tree if its thresholds are the certified ones,
        else a plain copy in which each threshold is a value of X; predict with it.

    Raises
    ------
    ValueError
        If an argument is outside its range, or a node of the tree sends all examples to
        one side.

    Warns
    -----
    MovedThresholdsWarning
        If the certified tree is a copy with other thresholds.

    Notes
    -----
    The value and its proof are those of :func:`compress_tree`. Where several examples
    have the same value of a feature, their order decides which of them is kept, and
    thereby moves the value a little.
    """
    delta = check_delta(delta)
    sample = read_tree_sample(tree, X, y, duplicates=duplicates)
    n = check_n_classes(n_classes, sample.tree.n_classes)

    compression = compress_tree(sample.tree, sample.rows, sample.codes, n, delta)
    certified = _certified_copy(tree, sample.tree, compression)
    if certified is not tree:
        hand_on_record(tree, certified, sample.rows)
        warnings.warn(
            "predict with the certificate's estimator, a copy in which thresholds are"
            " training values",
            MovedThresholdsWarning,
            stacklevel=2,
        )

    verdict = verdict_of_message(
        compression, delta, certified, sample.rows, sample.labels
    )
    return certificate_from_verdict(
        certified, verdict, delta, Recurrence(), sample.repeats, method="message"
    )


def _certified_copy(
    fitted_tree: Any, arrays: ArrayTree, compression: Compression
) -> Any:
    """The given tree if it has the certified thresholds already, else a plain copy."""
    is_unchanged = np.array_equal(arrays.threshold, compression.tree.threshold)
    if is_unchanged and not len(compression.collapsed):
        return fitted_tree

    pruned = collapse_sklearn(plain_tree(fitted_tree), compression.collapsed)
    return move_thresholds(pruned, compression.tree.threshold)


@dataclass(frozen=True)
class Compression:
    """A tree whose thresholds are training values, with the certificate of its message.

    Attributes
    ----------
    value : float
        Upper bound of the risk of ``tree``.
    tree : ArrayTree
        The certified tree.
    collapsed : array of int
        Nodes of the original tree that became leaves because all leaves below them
        predicted the same class.
    examples : array of int
        Indices of the examples in the compression set.
    message : Message
    length : float
        -ln(w(i) P(s | z_i)) for this compression set and message, in nats; see
        :func:`message_length`.
    n_errors : int
        Errors on the examples outside the compression set.
    """

    value: float
    tree: ArrayTree
    collapsed: NDArray[np.int64]
    examples: NDArray[np.intp]
    message: Message
    length: float
    n_errors: int


def compress_tree(
    tree: ArrayTree, X: ArrayLike, y: ArrayLike, n_classes: int, delta: float = 0.05
) -> Compression:
    """Move a tree's thresholds to training values and certify the result.

    >>> import numpy as np
    >>> from treebounds.risk import compress_tree
    >>> from treebounds.trees import ArrayTree
    >>> stump = ArrayTree(
    ...     children_left=[1, -1, -1],
    ...     children_right=[2, -1, -1],
    ...     feature=[0, 0, 0],
    ...     threshold=[0.5, 0, 0],
    ...     class_counts=[[40, 40], [40, 0], [0, 40]],
    ...     n_features=1,
    ... )
    >>> X, y = np.arange(80.0).reshape(-1, 1) / 79, np.repeat([0, 1], 40)
    >>> compression = compress_tree(stump, X, y, n_classes=2)
    >>> compression.examples.tolist(), compression.n_errors
    ([39], 0)
    >>> round(compression.value, 3)
    0.115

    The threshold of a node moves to the largest training value on its left side or to
    the smallest one on its right side; a symbol of the message stands for the side. No
    training example changes its path.

    Each node gets an example of its own. This is always possible: draw an edge between
    the two candidates of each node. The candidates lie on different sides of the node,
    and each edge of a lower node lies on one side, so the edges form a forest. In each
    of its components, one example can be left out, and each of the others can be
    assigned to an edge.

    The length of the message, -ln P(message | compression set), is a sum over

    - the structure: ln Catalan(N) for N internal nodes;
    - the internal nodes: ln l for the feature, -ln(7/8) for the left side or -ln(1/8)
      for the right one, and the logarithm of the number of examples of the compression
      set that tie for the node;
    - the leaves: -ln p for the label, where p is proportional to 1 / n_classes plus the
      number of examples of this class that the leaf has in the compression set. If the
      leaf comes after its sibling and both are leaves, the class of the sibling is
      excluded.

    The book's chapter on trees as messages rebuilds trees from such messages.

    Parameters
    ----------
    tree : ArrayTree
    X : (m, l) array
        The training examples.
    y : (m,) array of int
        Class indices.
    n_classes : int
    delta : float
        Probability that the certificate fails, strictly between 0 and 1.

    Returns
    -------
    Compression

    Raises
    ------
    ValueError
        If a node of the tree sends all examples to one side or splits by categories, or
        an argument is outside its range.
    """
    rows, labels = _check_sample(tree, X, y, n_classes)
    delta = check_delta(delta)

    # Splits between leaves of one label would only lengthen the message.
    collapsed = _same_label_nodes(tree)
    encoding = encode(tree.collapse(collapsed), rows, labels, n_classes)

    # The examples outside the compression set judge.
    examples = np.sort(encoding.holders)
    wrong = encoding.tree.predict(rows) != labels
    wrong[examples] = False
    n_errors = int(wrong.sum())

    m = len(labels)
    length = message_length(m, len(examples), encoding.nats)
    log_gamma = math.log(delta) - length
    value = binomial_tail_inversion(n_errors, m - len(examples), log_gamma)
    return Compression(
        value, encoding.tree, collapsed, examples, encoding.message, length, n_errors
    )


def _check_sample(
    tree: ArrayTree, X: ArrayLike, y: ArrayLike, n_classes: int
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """The sample as arrays; raise a ValueError if it, or the tree, cannot be
    encoded.
    """
    rows = check_array(X, "X", np.float32)
    if rows.ndim != 2 or 0 in rows.shape:
        raise ValueError(
            "X must be a matrix of numbers with a row for each example; got shape"
            f" {rows.shape}"
        )

    classes = check_classes(y, len(rows), check_integer(n_classes, "n_classes"))
    if check_array_tree(tree).asks_for_category.any():
        raise ValueError(
            "tree must split by thresholds: a message has no code for sets of"
            " categories"
        )
    return rows, classes


def verdict_of_message(
    compression: Compression,
    delta: float,
    tree: Any,
    rows: Any,
    labels: NDArray[Any],
) -> Verdict:
    """The limit of a compressed tree, with the errors on the examples outside its
    compression set.

    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.formats import from_sklearn
    >>> from treebounds.risk.compression import compress_tree, verdict_of_message
    >>> X, y = np.arange(80.0).reshape(-1, 1), np.repeat([0, 1], 40)
    >>> stump = DecisionTreeClassifier().fit(X, y)
    >>> compression = compress_tree(from_sklearn(stump), X, y, n_classes=2)
    >>> verdict_of_message(compression, 0.05, stump, X, y).n_examples
    79

    Parameters
    ----------
    compression : Compression
    delta : float
    tree : DecisionTreeClassifier
        The compressed tree.
    rows : (n, l) array
    labels : (n,) array

    Returns
    -------
    Verdict
    """
    verdict = verdict_of_tree(compression.value, delta, tree, rows, labels)
    n_judging = len(labels) - len(compression.examples)
    return replace(verdict, n_examples=n_judging, n_errors=compression.n_errors)


def message_candidates(
    tree: ArrayTree,
    X: NDArray[np.float32],
    y: NDArray[np.int64],
    delta: float = 0.05,
    n_classes: int | None = None,
) -> list[Compression]:
    """Compress the prunings of a tree's weakest-link sequence, from the smallest to the
    largest.

    The list ends where a pruning is too large for a smaller certificate than the best
    one so far. It contains the best of all prunings, apart from details of the
    message's length: without them, a certificate increases with the number of errors
    and is a concave function of the number of leaves.

    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds.risk.compression import message_candidates
    >>> from treebounds.formats import from_sklearn
    >>> X, y = load_wine(return_X_y=True)
    >>> tree = from_sklearn(DecisionTreeClassifier(random_state=0).fit(X, y))
    >>> candidates = message_candidates(tree, X.astype(np.float32), y)
    >>> [candidate.tree.n_leaves for candidate in candidates]
    [1, 2, 3, 4, 5, 8]

    Parameters
    ----------
    tree : ArrayTree
    X : (m, l) array of float32
    y : (m,) array of int
        Class indices.
    delta : float
    n_classes : int, optional
        If the sample lacks some.

    Returns
    -------
    list of Compression
        The first one is that of the root as a single leaf.

    Raises
    ------
    ValueError
        See :func:`compress_tree`.
    """
    delta = check_delta(delta)
    m, l = X.shape
    sequence = weakest_link_sequence(tree)
    candidates: list[Compression] = []
    n = tree.n_classes if n_classes is None else n_classes
    smallest = math.inf

    # From the root as a single leaf to the whole tree.
    for step in range(len(sequence.alphas) - 1, -1, -1):
        N = int(sequence.n_leaves[step]) - 1
        if m <= N:
            break

        # Stop where this pruning and all larger ones exceed the best certificate even
        # without errors.
        shortest = log_binomial(m, N) + N * math.log(l) - math.log(delta)
        without_errors = -math.expm1(-shortest / (m - N))
        if without_errors > smallest:
            break

        pruned = tree.collapse(sequence.nodes(step))
        candidate = compress_tree(pruned, X, y, n, delta)
        candidates.append(candidate)
        smallest = min(smallest, candidate.value)
    return candidates


def message_length(n_examples: int, n_internal_nodes: int, nats: float) -> float:
    """The length of a message together with its compression set i, -ln(w(i) P(message |
    z_i)).

    A tree with N internal nodes has L = N + 1 leaves. The weight of its compression set
    is ``w(i) = 6 / (pi L)^2 / C(m, N)``: a prior of the number of leaves, divided by
    the number of sets of N examples.

    >>> from treebounds.risk.compression import message_length
    >>> round(message_length(150, 2, nats=10.0), 3)
    22.016

    Parameters
    ----------
    n_examples, n_internal_nodes : int
        m and N.
    nats : float
        -ln P(message | compression set), not negative.

    Returns
    -------
    float
        In nats.

    Raises
    ------
    ValueError
        If an argument is outside its range; m is at least N.
    """
    N = check_integer(n_internal_nodes, "n_internal_nodes", minimum=0)
    m = check_integer(n_examples, "n_examples", minimum=max(N, 1))
    nats = check_number(nats, "nats", "[0, inf]")
    return nats + log_binomial(m, N) - log_leaves_prior(N + 1)


def _same_label_nodes(tree: ArrayTree) -> NDArray[np.int64]:
    """Internal nodes below which all leaves predict the same class."""
    # One column per class.
    n_leaves = np.eye(tree.n_classes)[tree.labels] * tree.is_leaf[:, np.newaxis]
    add_up(tree.parents, n_leaves)
    return np.flatnonzero((np.count_nonzero(n_leaves, axis=1) == 1) & ~tree.is_leaf)
