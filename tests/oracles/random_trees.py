"""Random trees by brute force, in exact fractions: every sample, every tree, every
coin.

Nothing here is clever. A sample is a table of counts per cell and class; a tree is
grown on it by the words of the paper; the result is the whole distribution of the
generalization error. What was grown or listed once is remembered: many samples agree in
the examples that reach a node.
"""

from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache
from itertools import product
from math import factorial


def count_tables(p, n):
    """Every table {(cell, class): count} with n examples, and its multinomial
    probability.
    """
    return _count_tables(tuple(p.items()), n)


@cache
def _count_tables(items, n):
    p = dict(items)
    keys = [key for key in p if p[key] > 0]

    def rest(i, left):
        if i == len(keys) - 1:
            yield {keys[i]: left}, p[keys[i]] ** left * Fraction(1, factorial(left))
            return
        for count in range(left + 1):
            weight = p[keys[i]] ** count * Fraction(1, factorial(count))
            for table, w in rest(i + 1, left - count):
                yield {keys[i]: count, **table}, weight * w

    return [(table, weight * factorial(n)) for table, weight in rest(0, n)]


def label_distribution(counts, ties):
    """{class: probability} of a leaf with the given class counts."""
    best = [c for c, count in enumerate(counts) if count == max(counts)]
    if ties == "lowest":
        best = best[:1]
    if len(best) == 1:
        return {best[0]: 1}
    return dict.fromkeys(best, Fraction(1, len(best)))


def class_counts(table, path, k):
    counts = [0] * k
    for (cell, c), count in table.items():
        if all(cell[a] == value for a, value in path.items()):
            counts[c] += count
    return counts


def stops(counts, path, d, rule):
    height, pure, scarcity = rule
    if height is None:
        height = d
    return (
        len(path) == height
        or (pure and sum(count > 0 for count in counts) <= 1)
        or (scarcity is not None and sum(counts) <= scarcity)
    )


def trees(table, n_values, k, rule, ties="lowest", empty="tie"):
    """{classifier: probability} over all random trees grown on one table.

    A classifier is a tuple of (cell, class) pairs. Every node draws its own attribute,
    and every leaf its own coin where classes tie.
    """
    examples = frozenset((key, count) for key, count in table.items() if count)
    return _grower(n_values, k, rule, ties, empty).grow(frozenset(), examples, None)


@cache
def _grower(n_values, k, rule, ties, empty):
    return Grower(n_values, k, rule, ties, empty)


class Grower:
    """Random trees on any table, as a probability of each classifier."""

    def __init__(self, n_values, k, rule, ties, empty):
        self.n_values = n_values
        self.k = k
        self.rule = rule
        self.ties = ties
        self.inherit = empty == "parent"
        self.cells = list(product(*(range(a) for a in n_values)))
        self.grow = cache(self._grow)

    def _grow(self, path, examples, ancestor):
        """Below the node at the end of a path, a set of (attribute, value), that these
        examples reach.
        """
        d = len(self.n_values)
        counts = class_counts(dict(examples), {}, self.k)
        if stops(counts, path, d, self.rule):
            return self._leaf(path, counts, ancestor)

        out = defaultdict(int)
        free = set(range(d)) - {a for a, _ in path}
        for a in free:
            for classifier, w in self._split(path, examples, a, ancestor).items():
                out[classifier] += Fraction(w, len(free))
        return out

    def _split(self, path, examples, a, ancestor):
        out = defaultdict(int)
        for label, weight in self._ancestors(examples, ancestor).items():
            joint = {(): weight}
            for value in range(self.n_values[a]):
                there = frozenset(
                    ((x, c), count) for (x, c), count in examples if x[a] == value
                )
                joint = merged(joint, self.grow(path | {(a, value)}, there, label))
            for classifier, w in joint.items():
                out[classifier] += w
        return out

    def _ancestors(self, examples, ancestor):
        """The label that empty leaves below a node inherit, and its probability."""
        counts = class_counts(dict(examples), {}, self.k)
        if self.inherit and sum(counts) > 0:
            # One coin for all empty leaves that inherit from this node.
            return label_distribution(counts, self.ties)
        return {ancestor: 1}

    def _leaf(self, path, counts, ancestor):
        inside = [x for x in self.cells if all(x[a] == value for a, value in path)]
        if sum(counts) == 0 and self.inherit:
            return {tuple((x, ancestor) for x in inside): 1}
        return {
            tuple((x, c) for x in inside): w
            for c, w in label_distribution(counts, self.ties).items()
        }


def merged(some, others):
    """The classifiers of two parts of the cells, put together independently."""
    out = defaultdict(int)
    for a, v in some.items():
        for b, w in others.items():
            out[tuple(sorted(a + b))] += v * w
    return out


def error(p, classifier, k):
    total = 0
    for x, label in classifier:
        total += sum(p.get((x, c), 0) for c in range(k) if c != label)
    return total


def moments(p, n_values, k, n, rule, ties="lowest", empty="tie"):
    """E[GE], E[GE^2] of a tree, E[GE GE'] of two on one sample, and {(x, class): P[x is
    given class]}.
    """
    pair = Fraction(0)
    errors = cache(lambda classifier: error(p, classifier, k))
    grown = defaultdict(Fraction)  # {classifier: probability} over samples and trees
    for table, weight in count_tables(p, n):
        mean = Fraction(0)
        for classifier, w in trees(table, n_values, k, rule, ties, empty).items():
            mean += w * errors(classifier)
            grown[classifier] += weight * w
        pair += weight * mean**2

    first = sum(w * errors(classifier) for classifier, w in grown.items())
    second = sum(w * errors(classifier) ** 2 for classifier, w in grown.items())
    predictions = defaultdict(Fraction)
    for classifier, w in grown.items():
        for key in classifier:
            predictions[key] += w

    return first, second, pair, predictions


def samples(p, n):
    """Every sequence of n examples and its probability."""
    for sequence in product([key for key in p if p[key] > 0], repeat=n):
        weight = Fraction(1)
        for key in sequence:
            weight *= p[key]
        yield sequence, weight


def mean_misses(p, n_values, k, rule, train, test):
    """{number of misses on test: probability} over the random trees grown on train."""
    out = defaultdict(Fraction)
    for classifier, w in trees(Counter(train), n_values, k, rule).items():
        labels = dict(classifier)
        out[sum(labels[x] != c for x, c in test)] += w
    return out


def hold_out(p, n_values, k, n_train, n_test, rule):
    """E[HE] and E[HE^2]."""
    first = second = Fraction(0)
    for sequence, weight in samples(p, n_train + n_test):
        for misses, w in mean_misses(
            p, n_values, k, rule, sequence[:n_train], sequence[n_train:]
        ).items():
            first += weight * w * Fraction(misses, n_test)
            second += weight * w * Fraction(misses, n_test) ** 2

    return first, second


def cross_validation(p, n_values, k, n, n_folds, rule):
    """E[CE] and E[CE^2]: consecutive folds, a new independent tree for each."""
    first = second = Fraction(0)
    size = n // n_folds
    for sequence, weight in samples(p, n):
        total = {0: Fraction(1)}
        for fold in range(n_folds):
            test = sequence[fold * size : (fold + 1) * size]
            train = sequence[: fold * size] + sequence[(fold + 1) * size :]
            new = defaultdict(Fraction)
            for misses, w in mean_misses(p, n_values, k, rule, train, test).items():
                for before, v in total.items():
                    new[before + misses] += v * w
            total = new

        for misses, w in total.items():
            first += weight * w * Fraction(misses, n)
            second += weight * w * Fraction(misses, n) ** 2

    return first, second
