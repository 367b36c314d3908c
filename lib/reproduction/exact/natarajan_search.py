"""Samples on two features that trees of three nodes may shatter in the sense of
Natarajan, but not with two classes: a search over all orders.

A tree with four leaves has at most four classes. So if the pairs of a shattered sample
are not bipartite, they belong to four classes, or to three and at most one example has
a pair of further classes. Color the classes with 0 and 1. If a labeling y is not
realized with two classes, then for some example both classes of its pair have the color
that y does not give it: otherwise some tree would have, at each example, a class whose
color is its label. Few graphs pass this test for all colorings and all labelings that
are missing. For those, the patterns are counted.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from treebounds._validation import check_integer
from treebounds.structure import TreeStructure

__all__ = ["NatarajanSearch", "search_three_nodes"]

_CHAIN = TreeStructure.from_nested([[[None, None], None], None])
_BALANCED = TreeStructure.from_nested([[None, None], [None, None]])
_MOST_EXAMPLES = 10
_MOST_CANDIDATES = 100_000

Pairs = tuple[tuple[int, int], ...]


class NatarajanSearch(NamedTuple):
    """What a search found.

    Attributes
    ----------
    n_samples : int
        Samples, one of each class of mirror images.
    n_two_classes : int
        Those that are shattered with two classes.
    n_candidates : int
        Samples with pairs that are not bipartite and pass the test of colorings.
    most_patterns : int
        The largest number of patterns of a candidate; 2^m if it is shattered.
    """

    n_samples: int
    n_two_classes: int
    n_candidates: int
    most_patterns: int


def search_three_nodes(structure: TreeStructure, n_examples: int) -> NatarajanSearch:
    """Search all samples of m examples on two features, with any number of classes.

    >>> from reproduction.exact.natarajan_search import search_three_nodes
    >>> from treebounds import TreeStructure
    >>> chain = TreeStructure.from_nested([[[None, None], None], None])
    >>> search_three_nodes(chain, n_examples=5)
    NatarajanSearch(n_samples=23, n_two_classes=22, n_candidates=0, most_patterns=0)

    Parameters
    ----------
    structure : TreeStructure
        With three internal nodes.
    n_examples : int
        m, at most 10.

    Returns
    -------
    NatarajanSearch
        If no sample is shattered with two classes and no candidate has 2^m patterns,
        the Natarajan dimension is less than m.

    Raises
    ------
    ValueError
        If the structure has another number of nodes, or there are too many examples.

    Notes
    -----
    Nine examples take some seconds. With fewer, many samples pass the test.
    """
    if structure not in (_CHAIN, _BALANCED):
        raise ValueError(
            "structure must have three internal nodes; got"
            f" {getattr(structure, 'n_internal_nodes', structure)!r}"
        )
    m = check_integer(n_examples, "n_examples")
    if m > _MOST_EXAMPLES:
        raise ValueError(f"n_examples must be at most {_MOST_EXAMPLES}; got {m}")

    orders = np.zeros((_MOST_CANDIDATES, m), dtype=np.int64)
    pairs = np.zeros((_MOST_CANDIDATES, m, 2), dtype=np.int64)
    counts = _search(structure is _CHAIN, m, orders, pairs)
    n_samples, n_two_classes, n_candidates = map(int, counts)
    if n_candidates > _MOST_CANDIDATES:
        raise ValueError(
            f"n_examples={m}: {n_candidates} candidates are too many; take more"
            " examples"
        )

    most = 0
    for order, chosen in zip(orders[:n_candidates], pairs, strict=False):
        pairs_of_sample = tuple((int(a), int(b)) for a, b in chosen)
        most = max(most, count_patterns(structure, order, pairs_of_sample))
    return NatarajanSearch(n_samples, n_two_classes, n_candidates, most)


def count_patterns(
    structure: TreeStructure, second: NDArray[np.int64], pairs: Pairs
) -> int:
    """The labelings by trees of a structure with a class of its pair at each example.

    >>> import numpy as np
    >>> from reproduction.exact.natarajan_search import count_patterns
    >>> from treebounds import TreeStructure
    >>> stump = TreeStructure.from_nested([None, None])
    >>> count_patterns(stump, np.array([0, 1, 2]), ((0, 1), (0, 1), (0, 1)))
    6

    Parameters
    ----------
    structure : TreeStructure
    second : (n_examples,) array of int
        The examples in increasing order of feature 2; along feature 1 they are 0, 1,
        ...
    pairs : tuple of (int, int)
        The two classes of each example.
    """
    orders = [list(range(len(second))), second.tolist()]

    @cache
    def realized(subtree: TreeStructure, here: frozenset[int]) -> frozenset[int]:
        """The patterns on some examples, as bits: 1 for the second class."""
        if not here:
            return frozenset([0])
        if subtree.is_leaf:
            return frozenset(_at_leaf(here))

        left, right = subtree.children
        patterns: set[int] = set()
        for order in orders:
            in_order = [i for i in order if i in here]
            for k in range(len(in_order) + 1):
                low = frozenset(in_order[:k])
                for first, last in ((left, right), (right, left)):
                    below = realized(first, low)
                    above = realized(last, here - low)
                    patterns.update(a | b for a, b in product(below, above))
        return frozenset(patterns)

    def _at_leaf(here: frozenset[int]) -> list[int]:
        """The patterns that one class gives."""
        classes = set.intersection(*(set(pairs[i]) for i in here))
        return [sum(1 << i for i in here if pairs[i][1] == c) for c in classes]

    return len(realized(structure, frozenset(range(len(pairs)))))


@njit(cache=True)
def _search(is_chain, m, orders, pairs):
    """Write the candidates into the arrays; the numbers of :class:`NatarajanSearch`."""
    n_samples = 0
    n_two_classes = 0
    n_candidates = 0
    order = np.arange(m)
    more = True
    while more:
        if _stands_for_its_images(order):
            n_samples += 1
            realized = _labelings(is_chain, order)
            if realized.all():
                n_two_classes += 1
            else:
                good = _masks_of_no_missing(realized, m)
                n_with_triangles = _add_triangles(
                    good, m, order, orders, pairs, n_candidates
                )
                n_candidates = _add_four(
                    good, realized, m, order, orders, pairs, n_with_triangles
                )
        more = _next_permutation(order)
    return n_samples, n_two_classes, n_candidates


@njit(cache=True)
def _next_permutation(order):
    """Go to the lexicographically next permutation; False after the last one."""
    i = len(order) - 2
    while i >= 0 and order[i] > order[i + 1]:
        i -= 1
    if i < 0:
        return False

    j = len(order) - 1
    while order[j] < order[i]:
        j -= 1
    order[i], order[j] = order[j], order[i]

    # Reverse what follows; the assignment of a slice takes seconds to compile.
    i += 1
    j = len(order) - 1
    while i < j:
        order[i], order[j] = order[j], order[i]
        i += 1
        j -= 1
    return True


@njit(cache=True)
def _stands_for_its_images(order):
    """Whether no sample with features reversed or exchanged comes before this one."""
    m = len(order)
    inverse = np.empty(m, np.int64)
    for i in range(m):
        inverse[order[i]] = i

    for image in range(8):
        source = order if image < 4 else inverse
        for i in range(m):
            value = source[m - 1 - i] if image & 1 else source[i]
            if image & 2:
                value = m - 1 - value
            if value != order[i]:
                if value < order[i]:
                    return False
                break
    return True


@njit(cache=True)
def _feet(order, here):
    """The proper parts of some examples that one cut separates from the others."""
    m = len(order)
    feet = np.empty(4 * m, np.int64)
    n = 0
    for feature in range(2):
        prefix = 0
        for i in range(m):
            example = i if feature == 0 else order[i]
            if here >> example & 1:
                prefix |= 1 << example
                if prefix != here:
                    feet[n] = prefix
                    feet[n + 1] = here & ~prefix
                    n += 2
    return feet[:n]


@njit(cache=True)
def _labelings(is_chain, order):
    """Which labelings trees of three nodes realize with two classes."""
    m = len(order)
    everything = (1 << m) - 1
    realized = np.zeros(1 << m, np.bool_)
    realized[0] = True

    for foot in _feet(order, everything):
        rest = everything & ~foot
        if is_chain:
            _mark_chain(order, rest, realized)
        else:
            _mark_stumps(order, foot, rest, realized)

    # The labels can be exchanged.
    for y in range(1 << m):
        if realized[y]:
            realized[everything & ~y] = True
    return realized


@njit(cache=True)
def _mark_chain(order, rest, realized):
    """Mark the labelings of a chain of two nodes that are 0 at all other examples."""
    realized[rest] = True
    for foot in _feet(order, rest):
        realized[foot] = True
        remaining = rest & ~foot
        for part in _feet(order, remaining):
            realized[part] = True
            realized[foot | part] = True


@njit(cache=True)
def _mark_stumps(order, foot, rest, realized):
    """Mark the labelings of two stumps, one for each part."""
    of_rest = _feet(order, rest)
    realized[foot] = True
    for below in _feet(order, foot):
        realized[below] = True
        realized[below | rest] = True
        for above in of_rest:
            realized[below | above] = True
    for above in of_rest:
        realized[above] = True
        realized[foot | above] = True


@njit(cache=True)
def _masks_of_no_missing(realized, m):
    """Sets of examples on which no missing labeling is constant."""
    good = np.ones(1 << m, np.bool_)
    for y in range(1 << m):
        if not realized[y]:
            good[y] = False
    # The missing labelings can be exchanged, too, so 1 stands for both labels.
    for i in range(m):
        for y in range(1 << m):
            if y >> i & 1 and not good[y]:
                good[y ^ (1 << i)] = False
    return good


@njit(cache=True)
def _add_triangles(good, m, order, orders, pairs, n):
    """Add the samples with three pairs of three classes, and perhaps a pair of others.

    The two classes of a pair have one color if the third class has the other one.
    """
    everything = (1 << m) - 1
    for a in range(1, 1 << m):
        if not good[a]:
            continue
        outside = everything & ~a
        b = outside
        while b:
            c = outside & ~b
            if good[b] and b < a:
                n = _add_all_but_one(good, a, b, c, m, order, orders, pairs, n)
            b = (b - 1) & outside
    return n


@njit(cache=True)
def _add_all_but_one(good, a, b, c, m, order, orders, pairs, n):
    """Add the triangle of three sets, and those with one of the third set left out."""
    if c and good[c]:
        n = _add(a, b, c, m, order, orders, pairs, n)
    for i in range(m):
        rest = c & ~(1 << i)
        if rest != c and rest and good[rest]:
            n = _add(a, b, rest, m, order, orders, pairs, n)
    return n


@njit(cache=True)
def _add(a, b, c, m, order, orders, pairs, n):
    """Add a sample whose examples in a, b, c have the three pairs of a triangle."""
    if n < len(orders):
        for i in range(m):
            orders[n, i] = order[i]
            pair = (3, 4)
            if a >> i & 1:
                pair = (0, 1)
            elif b >> i & 1:
                pair = (0, 2)
            elif c >> i & 1:
                pair = (1, 2)
            pairs[n, i, 0], pairs[n, i, 1] = pair
    return n + 1


@njit(cache=True)
def _add_four(good, realized, m, order, orders, pairs, n):
    """Add the samples with pairs of four classes.

    An example is without a class in two of four sets. On each of these sets, no missing
    labeling may be constant; and splits of the classes into two and two have a test of
    their own.
    """
    everything = (1 << m) - 1
    # As numbers a <= b <= c <= d. The last example is in two of the sets: in c and d.
    for a in range(1, 1 << (m - 1)):
        if not good[a]:
            continue
        for b in range(a, 1 << (m - 1)):
            if not good[b]:
                continue
            in_one = a ^ b
            in_none = everything & ~(a | b)
            # The last example that is in one of a and b is in d, and not in c.
            part = _without_last(in_one)
            while True:
                c = in_none | part
                d = in_none | (in_one & ~part)
                # With three classes only, the fourth set would hold all examples.
                passes = d != everything and good[c] and good[d]
                if passes and _passes_even_splits(a, b, c, d, realized, m):
                    n = _add_pairs(a, b, c, m, order, orders, pairs, n)
                if part == 0:
                    break
                part = (part - 1) & in_one
    return n


@njit(cache=True)
def _without_last(examples):
    """The examples without the last one of them; none if there are none."""
    last = 0
    while examples >> last > 1:
        last += 1
    return examples & ~(1 << last)


@njit(cache=True)
def _passes_even_splits(a, b, c, d, realized, m):
    """Whether every missing labeling defeats every split into two and two classes."""
    for y in range(1 << m):
        if realized[y]:
            continue
        # An example in both sets of two classes has the pair of the other two.
        if _fits(c & d, a & b, y) or _fits(b & d, a & c, y) or _fits(b & c, a & d, y):
            return False
    return True


@njit(cache=True)
def _fits(first, second, y):
    """Whether all examples with the first pair have label 1, with the second 0, or vice
    versa.
    """
    first_has_ones = (first & ~y) == 0 and (second & y) == 0
    second_has_ones = (first & y) == 0 and (second & ~y) == 0
    return first_has_ones or second_has_ones


@njit(cache=True)
def _add_pairs(a, b, c, m, order, orders, pairs, n):
    """Add a sample whose examples lack the two classes of the sets that they are in."""
    if n < len(orders):
        for i in range(m):
            orders[n, i] = order[i]
            in_sets = (a >> i & 1, b >> i & 1, c >> i & 1)
            k = 0
            for label in range(3):
                if in_sets[label] == 0:
                    pairs[n, i, k] = label
                    k += 1
            # An example in one of the first three sets is in the fourth, too.
            if sum(in_sets) == 2:
                pairs[n, i, 1] = 3
    return n + 1
