"""Two random trees on one sample, or on overlapping ones; the moments of hold-out and
cross-validation.

Leaves of different trees overlap, so their labels depend on each other through the
examples they share. For two classes a leaf's label is the sign of one number, its count
of the second class minus that of the first. The joint distribution of two such numbers
is computed from their characteristic function on a lattice, which is a power of that of
one example; only the few lattice points where it is not negligible are visited.
"""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np

from reproduction.compiling import njit
from reproduction.random_trees._checks import check_system, fold_size
from reproduction.random_trees.distribution import JointDistribution, subsets_by_size
from reproduction.random_trees.exact import ErrorMoments, error_moments
from reproduction.random_trees.rules import StoppingRule
from treebounds._validation import check_integer

__all__ = ["cross_validation_moments", "hold_out_moments", "two_tree_covariance"]

# Blocks of the lattice with terms below 1e-16 are left out, and so are pairs of leaves
# that contribute less than 1e-20.
_SMALL_TERM = 1e-16
_NEGLIGIBLE = 1e-20
_BLOCK = 16
_MOST_PAIRS = 2_000_000


def two_tree_covariance(
    distribution: JointDistribution,
    n_examples: int,
    rule: StoppingRule,
    n_common: int | None = None,
) -> float:
    """Cov(GE, GE') of two independent random trees grown on the same sample, or on
    overlapping ones.

    GE is the generalization error of a tree. On one sample the covariance is the
    variance of E[GE | sample], the part of Var(GE) that remains when many trees are
    averaged. Ties go to the class of lowest number.

    All-attribute trees on one sample are the same classifier, so the covariance is
    Var(GE):

    >>> from reproduction.random_trees import JointDistribution, StoppingRule
    >>> from reproduction.random_trees import error_moments, two_tree_covariance
    >>> p = JointDistribution([[[0.3, 0.1], [0.05, 0.05]], [[0.05, 0.15], [0.2, 0.1]]])
    >>> two_tree_covariance(p, 50, StoppingRule()) == error_moments(
    ...     p, 50, StoppingRule()
    ... ).variance
    True
    >>> rule = StoppingRule(height=1)
    >>> two_tree_covariance(p, 50, rule) < error_moments(p, 50, rule).variance
    True
    >>> abs(two_tree_covariance(p, 50, rule, n_common=0)) < 1e-14
    True

    Parameters
    ----------
    distribution : JointDistribution
        Two classes.
    n_examples : int
    rule : StoppingRule
        Fixed height or all attributes.
    n_common : int, optional
        Number of examples that the two samples share; all of them when not given.

    Returns
    -------
    float
        Accurate to 1e-14.

    Raises
    ------
    ValueError
        For purity, scarcity or more classes (use :func:`enumerated_moments` if there
        are few possible samples, else :func:`simulate_moments`), and for too many pairs
        of leaves.

    Notes
    -----
    Equation 6 of Dhurandhar and Dobra (2008), with both trees on one sample. The cost
    is that of a sum over all pairs of leaves, for any number of examples.
    """
    n_examples = check_system(distribution, n_examples, rule)
    if n_common is None:
        n_common = n_examples
    n_common = check_integer(n_common, "n_common", minimum=0)
    if n_common > n_examples:
        raise ValueError(
            f"n_common must be at most n_examples = {n_examples}; got {n_common}"
        )

    alternative = "enumerated_moments for few examples, or simulate_moments"
    depth = _check_range(distribution, rule, "two_tree_covariance", alternative)
    if depth in (0, distribution.n_attributes) and n_common == n_examples:
        return error_moments(distribution, n_examples, rule).variance

    leaves = _Leaves(
        distribution, depth, n_common, n_examples - n_common, np.array([1])
    )
    difference = leaves.p[:, 0] - leaves.p[:, 1]
    spread = np.abs(difference) * np.sqrt(leaves.tail[:, 0] * (1 - leaves.tail[:, 0]))

    total = 0.0
    for i, j, joint in leaves.pairs(spread):
        covariance = joint[:, 0, 0] - leaves.tail[i, 0] * leaves.tail[j, 0]
        n_orders = np.where(i == j, 1, 2)
        summands = n_orders * difference[i] * difference[j] * covariance
        total += float(np.sum(summands))

    return total / comb(distribution.n_attributes, depth) ** 2


def hold_out_moments(
    distribution: JointDistribution, n_train: int, n_test: int, rule: StoppingRule
) -> ErrorMoments:
    """Mean and variance of the error on ``n_test`` examples of a random tree grown on
    ``n_train`` others.

    The function takes every rule and any number of classes; ties go to the class of
    lowest number. If GE is the generalization error of the tree, the variance is
    E[GE](1 - E[GE]) / n_test + (1 - 1 / n_test) Var(GE).

    Examples
    --------
    >>> from reproduction.random_trees import (
    ...     JointDistribution,
    ...     StoppingRule,
    ...     hold_out_moments,
    ... )
    >>> p = JointDistribution([[0.4, 0.1], [0.1, 0.4]])
    >>> round(hold_out_moments(p, 20, 10, StoppingRule()).mean, 6)
    0.212491
    """
    n_train = check_integer(n_train, "n_train")
    n_test = check_integer(n_test, "n_test")
    error = error_moments(distribution, n_train, rule)
    variance = (
        error.mean * (1 - error.mean) / n_test + (1 - 1 / n_test) * error.variance
    )
    return ErrorMoments(error.mean, variance)


def cross_validation_moments(
    distribution: JointDistribution, n_examples: int, rule: StoppingRule, n_folds: int
) -> ErrorMoments:
    """Mean and variance of the cross-validation error; each fold has its own
    independent tree.

    >>> from reproduction.random_trees import JointDistribution, StoppingRule
    >>> from reproduction.random_trees import cross_validation_moments, error_moments
    >>> p = JointDistribution([[0.4, 0.1], [0.1, 0.4]])
    >>> cv = cross_validation_moments(p, 30, StoppingRule(), 10)
    >>> cv.mean == error_moments(p, 27, StoppingRule()).mean
    True

    Parameters
    ----------
    distribution : JointDistribution
        Two classes.
    n_examples : int
        Number of all examples, for training and for testing.
    rule : StoppingRule
        Fixed height or all attributes.
    n_folds : int
        At least 2; divides ``n_examples``. ``n_folds = n_examples`` is leave-one-out.

    Returns
    -------
    ErrorMoments

    Raises
    ------
    ValueError
        For other rules or more classes: use :func:`simulate_cross_validation`.

    Notes
    -----
    The covariance of two folds' errors is not that of two trees' generalization errors:
    the test examples of one fold are training examples of the other.
    """
    n_examples = check_system(distribution, n_examples, rule)
    depth = _check_range(
        distribution, rule, "cross_validation_moments", "simulate_cross_validation"
    )
    fold = fold_size(n_examples, n_folds)
    n_folds = int(n_folds)
    of_a_fold = hold_out_moments(distribution, n_examples - fold, fold, rule)
    covariance = (
        _fold_product(distribution, n_examples, depth, fold) - of_a_fold.mean**2
    )

    return ErrorMoments(
        of_a_fold.mean, of_a_fold.variance / n_folds + (1 - 1 / n_folds) * covariance
    )


def _fold_product(
    distribution: JointDistribution, n_examples: int, depth: int, fold: int
) -> float:
    """E[HE_i HE_j], where HE_i is the error on fold i of the tree grown without it.

    Let z be a test example of fold i and z' one of fold j. The first tree is grown on
    n_examples - 2 fold common examples, on fold - 1 examples of its own, and on z'; the
    second tree on the common examples, on fold - 1 examples of its own, and on z.
    """
    # An extra example of the second class lowers the threshold that the others have to
    # reach; an extra example of the first class raises it.
    leaves = _Leaves(
        distribution, depth, n_examples - 2 * fold, fold - 1, np.array([0, 1, 2])
    )
    variances = leaves.tail * (1 - leaves.tail)
    spread = leaves.p.sum(axis=1) * np.sqrt(np.max(variances, axis=1))
    first, second = np.triu_indices(len(leaves.p))
    joint = leaves.tail[first][:, :, None] * leaves.tail[second][:, None, :]
    for i, j, of_pairs in leaves.pairs(spread):
        # The place of the pair among those of triu_indices.
        joint[i * len(leaves.p) - i * (i - 1) // 2 + j - i] = of_pairs

    total = _misses(leaves, first, second, joint)
    return total / comb(distribution.n_attributes, depth) ** 2


def _check_range(
    distribution: JointDistribution, rule: StoppingRule, name: str, alternative: str
) -> int:
    """The depth of the leaves, or a ValueError if the moments of two trees cannot be
    computed.
    """
    if distribution.n_classes != 2 or rule.depends_on_data:
        raise ValueError(
            f"{name} is exact for two classes and a fixed height or all attributes; got"
            f" {distribution.n_classes} classes and {rule}. Use {alternative}, which"
            " draws samples"
        )

    depth = rule.depth(distribution.n_attributes)
    n_leaves = int(distribution.nodes_by_depth[depth])
    n_pairs = n_leaves * (n_leaves + 1) // 2
    if n_pairs > _MOST_PAIRS:
        raise ValueError(
            f"too many cells: {n_leaves} possible leaves make {n_pairs} pairs, which"
            f" take about {n_pairs * 2e-4 / 60:.0f} minutes. Use {alternative}, which"
            " draws samples"
        )

    return depth


class _Leaves:
    """All possible leaves of a height, and the joint distribution of the labels of two
    of them in two trees.

    Each tree is grown on ``common`` examples that both trees share and on ``own``
    examples of its own.
    """

    def __init__(
        self,
        distribution: JointDistribution,
        depth: int,
        common: int,
        own: int,
        thresholds: np.ndarray,
    ) -> None:
        self.common = common
        self.own = own
        self.thresholds = thresholds
        n_values = distribution.n_values

        members = []
        for fixed in subsets_by_size(len(n_values))[depth]:
            is_fixed = fixed >> np.arange(len(n_values)) & 1
            shape = np.where(is_fixed, n_values, 1).tolist()
            numbers = np.arange(np.prod(shape))
            leaf_of_cell = np.broadcast_to(numbers.reshape(shape), n_values).ravel()
            members.append(numbers[:, None] == leaf_of_cell)

        inside = np.concatenate(members)
        p = distribution.probabilities.reshape(-1, 2)

        # The class probabilities of the leaves, and of the intersections of two leaves.
        self.p = inside @ p
        self.shared = np.stack([(inside * q) @ inside.T for q in p.T], axis=-1)
        n = common + own
        reach = 8.7 * np.sqrt(n * self.p.sum(axis=1)) + 20
        mean = n * (self.p[:, 1] - self.p[:, 0])
        self._low = np.maximum(np.floor(mean - reach), -n).astype(int)
        self._high = np.minimum(np.ceil(mean + reach), n).astype(int)

        # Sizes are rounded up to whole blocks, so that few sizes occur and the tables
        # of a size are reused.
        self._size = _BLOCK * -(-(self._high - self._low + 1) // _BLOCK)
        self.tail = self._tails()

    def _tails(self) -> np.ndarray:
        """P[the difference of counts is at least the threshold], for every leaf and
        threshold.
        """
        tail = np.empty((len(self.p), len(self.thresholds)))
        for size in np.unique(self._size):
            here = np.flatnonzero(self._size == size)
            law = self._characteristic(here, size, self.common + self.own)
            tail[here] = (
                np.einsum("ltm,lm->lt", self._kernels(here, size), law).real / size
            )

        return tail.clip(0, 1)

    def _kernels(self, leaves: np.ndarray, size: int) -> np.ndarray:
        """The sum of exp(-i angle d) over the differences d in the window that reach
        the threshold.
        """
        angle = 2 * np.pi * np.arange(size) / size
        high = self._high[leaves][:, None]
        start = np.maximum(self.thresholds, self._low[leaves][:, None])
        length = np.maximum(high - start + 1, 0)[..., None]
        half = np.where(angle > 0, np.sin(angle / 2), 1)
        ratio = np.where(angle > 0, np.sin(angle * length / 2) / half, length)
        return ratio * np.exp(-0.5j * angle * (start + high)[..., None])

    def _characteristic(self, leaves: np.ndarray, size: int, n: int) -> np.ndarray:
        """The characteristic function of the difference of counts of n examples."""
        angle = 2 * np.pi * np.arange(size) / size
        p = self.p[leaves]
        x = -2 * p.sum(axis=1)[:, None] * np.sin(angle / 2) ** 2
        y = (p[:, 1] - p[:, 0])[:, None] * np.sin(angle)
        u, v = np.zeros((2, x.size))
        _multiply_power(u, v, x.ravel(), y.ravel(), n)
        return (1 + u + 1j * v).reshape(x.shape)

    def pairs(self, spread: np.ndarray):
        """The pairs of leaves i <= j that are not negligible, in groups, with their
        joint probabilities.
        """
        order = np.flatnonzero(spread > 0)
        i, j = (order[k] for k in np.triu_indices(len(order)))
        relevant = spread[i] * spread[j] > _NEGLIGIBLE
        i = i[relevant]
        j = j[relevant]
        size = np.maximum(self._size[i], self._size[j])

        for group in np.unique(size):
            here = size == group
            present = np.unique(np.concatenate([i[here], j[here]]))
            local = np.searchsorted(present, np.stack([i[here], j[here]]))
            kernels = self._kernels(present, group)
            kernels *= self._characteristic(present, group, self.own)[:, None]
            shared = self.shared[i[here], j[here]]
            yield (
                i[here],
                j[here],
                _joint_tails(local, self.p[present], shared, kernels, self.common),
            )


@njit
def _multiply_power(u, v, x, y, n):  # pragma: no cover - compiled
    """Multiply 1 + u + i v by the n-th power of 1 + x + i y, in place; x and y are
    overwritten.

    The arrays hold distances from 1, so that small distances keep their digits.
    """
    while True:
        if n & 1:
            for k in range(len(x)):
                a = u[k]
                b = v[k]
                c = x[k]
                d = y[k]
                u[k] = a + c + (a * c - b * d)
                v[k] = b + d + (a * d + b * c)

        n >>= 1
        if n == 0:
            return

        for k in range(len(x)):
            c = x[k]
            d = y[k]
            x[k] = 2 * c + (c * c - d * d)
            y[k] = 2 * d * (1 + c)


def _joint_tails(pairs, p, shared, kernels, common):
    """P[D_1 >= t_1, D_2 >= t_2] for each pair's differences D and all thresholds,
    summed over the lattice.
    """
    n_thresholds, size = kernels.shape[1:]
    # The tables have two periods, because two angles are added.
    angle = 2 * np.pi * np.arange(2 * size) / size
    tables = np.stack((-2 * np.sin(angle / 2) ** 2, np.sin(angle)))
    peaks = (
        np.abs(kernels).reshape(len(kernels), n_thresholds, -1, _BLOCK).max(axis=(1, 3))
    )
    parts = np.stack((kernels.real, kernels.imag), axis=1)

    # Class probabilities of the regions in both leaves, in the first only, and in the
    # second only.
    regions = np.stack((shared, p[pairs[0]] - shared, p[pairs[1]] - shared), axis=1)
    laws = np.stack((regions.sum(axis=2), regions[..., 1] - regions[..., 0]), axis=1)
    result = np.zeros((len(shared), n_thresholds, n_thresholds))
    _add_pairs(result, pairs, laws, tables, peaks, parts, common)

    return result / size**2


@njit
def _add_pairs(  # pragma: no cover - compiled
    result, pairs, laws, tables, peaks, parts, common
):
    """Add the terms of the lattice for each pair, without blocks in which all of them
    are small.
    """
    size = parts.shape[3]
    for pair in range(len(result)):
        first = pairs[0, pair]
        second = pairs[1, pair]
        law = laws[pair]

        # The function is conjugate at opposite points, so half of the rows suffice.
        for i in range(0, size // 2 + 1, _BLOCK):
            for j in range(0, size, _BLOCK):
                # Each partial derivative is at most the probability of its leaf.
                x, y = _one_example(i + _BLOCK // 2, j + _BLOCK // 2, law, tables)
                reach = np.pi * _BLOCK / size * (2 * law[0, 0] + law[0, 1] + law[0, 2])
                bound = min(1.0, np.hypot(1 + x, y) + reach) ** common
                peak = peaks[first, i // _BLOCK] * peaks[second, j // _BLOCK]
                if bound * peak > _SMALL_TERM:
                    _add_block(
                        i,
                        j,
                        result[pair],
                        law,
                        tables,
                        parts[first],
                        parts[second],
                        common,
                    )


@njit
def _one_example(i, j, law, tables):  # pragma: no cover - compiled
    """Real and imaginary part of one example's characteristic function, less 1."""
    x = (
        law[0, 0] * tables[0, i + j]
        + law[0, 1] * tables[0, i]
        + law[0, 2] * tables[0, j]
    )
    y = (
        law[1, 0] * tables[1, i + j]
        + law[1, 1] * tables[1, i]
        + law[1, 2] * tables[1, j]
    )
    return x, y


@njit(fastmath={"reassoc", "contract"})
def _add_block(  # pragma: no cover - compiled
    i0, j0, result, law, tables, first, second, common
):
    """Add the terms of a block of the lattice; kernels are complex, in two parts."""
    size = first.shape[2]
    x, y, u, v = np.zeros((4, _BLOCK * _BLOCK))
    for i in range(_BLOCK):
        for j in range(_BLOCK):
            x[i * _BLOCK + j], y[i * _BLOCK + j] = _one_example(
                i0 + i, j0 + j, law, tables
            )

    _multiply_power(u, v, x, y, common)
    for i in range(i0, min(i0 + _BLOCK, size // 2 + 1)):
        weight = 2.0
        if i == 0 or 2 * i == size:
            weight = 1.0
        row = (i - i0) * _BLOCK
        for b in range(result.shape[1]):
            real = imaginary = 0.0
            for k in range(_BLOCK):
                c = second[0, b, j0 + k]
                d = second[1, b, j0 + k]
                real += c * (1 + u[row + k]) - d * v[row + k]
                imaginary += c * v[row + k] + d * (1 + u[row + k])
            for a in range(result.shape[0]):
                result[a, b] += weight * (
                    first[0, a, i] * real - first[1, a, i] * imaginary
                )


def _misses(
    leaves: _Leaves, first: np.ndarray, second: np.ndarray, joint: np.ndarray
) -> float:
    """Sum, over pairs of leaves and z, z' in them, of P[the first tree errs on z and
    the second on z'].
    """
    shared = leaves.shared[first, second]
    tail = leaves.tail

    total = np.zeros(len(first))
    for y, z_shared, y2, z2_shared in product(range(2), repeat=4):
        mass = _mass(leaves.p[first], shared, y, z_shared)
        mass2 = _mass(leaves.p[second], shared, y2, z2_shared)

        # If z is in both leaves, it is an extra example of the second tree, and z' of
        # the first.
        a = _threshold(y2, z2_shared)
        b = _threshold(y, z_shared)

        # An example of class 0 is missed if class 1 is predicted, and vice versa.
        both = joint[:, a, b]
        by_first = tail[first, a]
        by_second = tail[second, b]
        shares = (
            (both, by_first - both),
            (by_second - both, 1 - by_first - by_second + both),
        )
        total += mass * mass2 * shares[y][y2]

    return float(np.sum(np.where(first == second, 1, 2) * total))


def _mass(leaf: np.ndarray, shared: np.ndarray, y: int, is_shared: int) -> np.ndarray:
    """The probability of class y in the part of a leaf that it shares with another
    leaf, or in the rest of it.
    """
    if is_shared:
        return shared[:, y]
    return leaf[:, y] - shared[:, y]


def _threshold(y: int, has_extra_example: int) -> int:
    """The index of the threshold: 0 if the extra example is of the second class, 2 if
    it is of the first, 1 without one.
    """
    if not has_extra_example:
        return 1
    return (2, 0)[y]
