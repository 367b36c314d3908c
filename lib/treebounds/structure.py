"""Shapes of binary trees: every node has two children or none, and left and right do
not matter.

Structures are interned: equal ones are the same object, so comparing, hashing and
memoizing them costs O(1) for any size. No function here calls itself for the subtrees
of a structure, so chains of 100,000 nodes do not exceed Python's recursion limit.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Iterator
from functools import cache
from itertools import islice
from operator import mul
from threading import RLock
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from treebounds._validation import check_instance, check_integer

__all__ = [
    "TreeStructure",
    "enumerate_structures",
    "log_wedderburn_etherington",
    "wedderburn_etherington",
]

_REPR_LEAVES = 32
_FEW_LEAVES = 12  # 451 structures, which are kept


class TreeStructure:
    """The shape of a binary tree, without features, thresholds or labels, up to mirror
    images.

    Structures are immutable and interned: two that differ only in the order of left and
    right at some nodes are the same object. They can be copied, pickled, used as keys,
    and shared between threads.

    >>> from treebounds import TreeStructure
    >>> leaf = TreeStructure()
    >>> stump = TreeStructure(leaf, leaf)
    >>> TreeStructure(leaf, stump) is TreeStructure(stump, leaf)
    True
    >>> tree = TreeStructure(leaf, stump)
    >>> tree.n_leaves, tree.n_internal_nodes, tree.height, tree.n_symmetric_nodes
    (3, 2, 2, 1)

    Parameters
    ----------
    left, right : TreeStructure, optional
        The two subtrees, in any order. If both are omitted, the structure is a single
        leaf.

    Attributes
    ----------
    left, right : TreeStructure or None
        The subtrees in canonical order; None for a leaf. The one with more leaves is
        the left one. If both have the same number of leaves, the rule is applied to
        their left subtrees and, if these are equal, to their right subtrees.
    n_leaves : int
    height : int
        Number of internal nodes on the longest path from the root to a leaf; 0 for a
        leaf.
    n_symmetric_nodes : int
        Number of internal nodes whose two subtrees are equal. A stump has one.

    Raises
    ------
    ValueError
        If only one subtree is given, or one that is not a TreeStructure.
    """

    __slots__ = (
        "__weakref__",
        "_hash",
        "height",
        "left",
        "n_leaves",
        "n_symmetric_nodes",
        "right",
    )

    left: TreeStructure | None
    right: TreeStructure | None
    n_leaves: int
    height: int
    n_symmetric_nodes: int
    _hash: int

    def __new__(
        cls, left: TreeStructure | None = None, right: TreeStructure | None = None
    ) -> TreeStructure:
        if left is None and right is None:
            return _LEAF
        return _interned(
            check_instance(left, "left", TreeStructure),
            check_instance(right, "right", TreeStructure),
        )

    def __setattr__(self, name: str, value: Any = None) -> None:
        raise AttributeError(
            f"a TreeStructure is immutable: {name} cannot be set or deleted"
        )

    __delattr__ = __setattr__

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        # copy and deepcopy use it, too.
        parents_first = self.subtrees()[::-1]
        number: dict[Any, int] = {None: -1}
        number |= {subtree: i for i, subtree in enumerate(parents_first)}
        left = [number[subtree.left] for subtree in parents_first]
        right = [number[subtree.right] for subtree in parents_first]
        return structure_of_children, (left, right)

    def __repr__(self) -> str:
        if self.n_leaves <= _REPR_LEAVES:
            return f"TreeStructure.from_nested({self.to_nested()})"
        return f"<TreeStructure with {self.n_leaves} leaves, height {self.height}>"

    @property
    def is_leaf(self) -> bool:
        """Whether the structure is a single leaf."""
        return self.left is None

    @property
    def n_internal_nodes(self) -> int:
        """The number of internal nodes, which is one less than the number of leaves."""
        return self.n_leaves - 1

    @property
    def children(self) -> tuple[TreeStructure, ...]:
        """``(left, right)``, or ``()`` for a leaf."""
        if self.left is None or self.right is None:
            return ()
        return self.left, self.right

    def subtrees(self) -> list[TreeStructure]:
        """Every distinct subtree once, children before their parents, and the structure
        itself last.

        A recursive formula is a loop over this list. A complete tree of height h has
        only h + 1 of them.

        >>> from treebounds import TreeStructure
        >>> complete = TreeStructure.from_nested([[None, None], [None, None]])
        >>> [subtree.n_leaves for subtree in complete.subtrees()]
        [1, 2, 4]
        """
        distinct = {self: None}
        stack = [self]
        while stack:
            for child in stack.pop().children:
                if child not in distinct:
                    distinct[child] = None
                    stack.append(child)
        return sorted(distinct, key=lambda subtree: subtree.n_leaves)

    @classmethod
    def from_nested(cls, nested: Any) -> TreeStructure:
        """Make a structure from nested pairs, where None is a leaf.

        >>> from treebounds import TreeStructure
        >>> TreeStructure.from_nested([None, [None, None]]).to_nested()
        [[None, None], None]
        >>> TreeStructure.from_nested(None).is_leaf
        True

        Parameters
        ----------
        nested : None, or a list or tuple of two such values

        Raises
        ------
        ValueError
            If a node is neither None nor a pair, or contains itself.
        """
        structures = {id(None): _LEAF}
        opened: set[int] = set()
        stack = [nested]
        while stack:
            node = stack[-1]
            if id(node) in structures:
                stack.pop()
                continue

            if not (isinstance(node, list | tuple) and len(node) == 2):
                raise ValueError(
                    "nested must be None or a pair at every node; got"
                    f" {reprlib.repr(node)}"
                )

            waiting = [child for child in node if id(child) not in structures]
            if not waiting:
                left, right = node
                structures[id(node)] = cls(structures[id(left)], structures[id(right)])
            elif id(node) in opened:
                raise ValueError(
                    "nested must be a tree; got a list that contains itself"
                )
            else:
                opened.add(id(node))
                stack.extend(waiting)
        return structures[id(nested)]

    def to_nested(self) -> list[Any] | None:
        """The structure as nested lists of two in canonical order, where None is a
        leaf.

        >>> from treebounds import TreeStructure
        >>> TreeStructure().to_nested() is None
        True
        """
        top: list[list[Any] | None] = [None]
        stack: list[tuple[TreeStructure, list[Any], int]] = [(self, top, 0)]
        while stack:
            structure, place, side = stack.pop()
            if not structure.children:
                continue

            pair: list[Any] = [None, None]
            place[side] = pair
            for i, child in enumerate(structure.children):
                stack.append((child, pair, i))
        return top[0]

    @classmethod
    def from_sklearn(cls, tree: Any) -> TreeStructure:
        """The structure of a fitted scikit-learn tree.

        >>> from treebounds import TreeStructure
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> TreeStructure.from_sklearn(
        ...     DecisionTreeClassifier().fit([[0], [1], [2]], [0, 1, 0])
        ... )
        TreeStructure.from_nested([[None, None], None])

        Parameters
        ----------
        tree : sklearn.tree.DecisionTreeClassifier
            Or another estimator with a ``tree_`` as in scikit-learn.

        Raises
        ------
        ValueError
            If ``tree`` is not a tree or not fitted.
        """
        nodes: Any = getattr(tree, "tree_", None)
        if not hasattr(nodes, "children_left"):
            raise ValueError(
                f"tree must be a fitted scikit-learn tree; got {type(tree).__name__}"
                " without a tree_"
            )
        return structure_of_children(
            nodes.children_left.tolist(), nodes.children_right.tolist()
        )


_lock = RLock()
_structures: WeakValueDictionary[tuple[TreeStructure, ...], TreeStructure] = (
    WeakValueDictionary()
)


def _interned(*subtrees: TreeStructure) -> TreeStructure:
    """The unique structure with these subtrees, two or none."""
    if subtrees and _comes_before(subtrees[1], subtrees[0]):
        subtrees = subtrees[::-1]

    with _lock:
        structure = _structures.get(subtrees)
        if structure is None:
            structure = _new(subtrees)
            _structures[subtrees] = structure
        return structure


def _new(subtrees: tuple[TreeStructure, ...]) -> TreeStructure:
    """A structure whose attributes are computed from those of its subtrees."""
    values: dict[str, Any] = {
        "left": None,
        "right": None,
        "n_leaves": 1,
        "height": 0,
        "n_symmetric_nodes": 0,
        "_hash": hash((1, 0, 0)),
    }
    if subtrees:
        left, right = subtrees
        below = left.n_symmetric_nodes + right.n_symmetric_nodes
        values = {
            "left": left,
            "right": right,
            "n_leaves": left.n_leaves + right.n_leaves,
            "height": 1 + max(left.height, right.height),
            "n_symmetric_nodes": below + (left is right),
            "_hash": hash((left._hash, right._hash)),
        }

    structure = object.__new__(TreeStructure)
    for name, value in values.items():
        # TreeStructure itself refuses to set attributes.
        object.__setattr__(structure, name, value)
    return structure


def _comes_before(first: TreeStructure, second: TreeStructure) -> bool:
    """Whether a structure comes before another one in the canonical order."""
    # A single path down is enough, because equal subtrees are recognized in one step.
    # It continues only while both have the same number of leaves, so O(n log n) steps
    # put a whole tree of n nodes in order.
    while first is not second:
        if first.n_leaves != second.n_leaves:
            return first.n_leaves > second.n_leaves
        side = int(first.left is second.left)
        first = first.children[side]
        second = second.children[side]
    return False


def structure_of_children(left: list[int], right: list[int]) -> TreeStructure:
    """The structure of a tree whose nodes have these children, -1 for leaves; parents
    precede children.
    """
    structures = [_LEAF] * len(left)
    for node in reversed(range(len(left))):
        if left[node] >= 0:
            structures[node] = TreeStructure(
                structures[left[node]], structures[right[node]]
            )
    return structures[0]


_LEAF = _interned()


def enumerate_structures(n_leaves: int) -> Iterator[TreeStructure]:
    """Every structure with a given number of leaves, once; those with the most balanced
    roots come first.

    >>> from treebounds.structure import enumerate_structures
    >>> [structure.to_nested() for structure in enumerate_structures(4)]
    [[[None, None], [None, None]], [[[None, None], None], None]]

    Parameters
    ----------
    n_leaves : int
        At least 1.

    Returns
    -------
    iterator of TreeStructure
        As many as :func:`wedderburn_etherington` gives, made one by one. Their number
        grows as 2.48^n; those with few leaves are kept for the next call.

    Raises
    ------
    ValueError
        If ``n_leaves`` is not an integer of at least 1.
    """
    n_leaves = check_integer(n_leaves, "n_leaves")
    if n_leaves <= _FEW_LEAVES:
        return iter(_few(n_leaves))
    return _combine(n_leaves)


@cache
def _few(n_leaves: int) -> tuple[TreeStructure, ...]:
    """All structures with few leaves, cached."""
    return tuple(_combine(n_leaves))


def _combine(n_leaves: int) -> Iterator[TreeStructure]:
    """All structures with a number of leaves, from those with fewer leaves."""
    if n_leaves == 1:
        yield _LEAF

    for n_left in range((n_leaves + 1) // 2, n_leaves):
        n_right = n_leaves - n_left
        for i, left in enumerate(enumerate_structures(n_left)):
            # If both sides have the same number of leaves, each unordered pair is made
            # once.
            most = i + 1 if n_left == n_right else None
            for right in islice(enumerate_structures(n_right), most):
                yield TreeStructure(left, right)


_numbers = [0, 1]
# The numbers' growth rate, used only as a scale.
_LOG_RATE = math.log(2.4832535361726369)


def wedderburn_etherington(n_leaves: int) -> int:
    """The number of structures with a given number of leaves (OEIS A001190), exactly.

    >>> from treebounds.structure import wedderburn_etherington
    >>> [wedderburn_etherington(n) for n in range(1, 11)]
    [1, 1, 1, 2, 3, 6, 11, 23, 46, 98]

    Parameters
    ----------
    n_leaves : int
        At least 1.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If ``n_leaves`` is not an integer of at least 1.

    See Also
    --------
    log_wedderburn_etherington : in floating point, for thousands of leaves.

    Notes
    -----
    The root has n - i leaves on one side and i on the other. So ``W(n)`` is the sum of
    ``W(i) W(n - i)`` over i < n/2, plus, for even n, the number of unordered pairs of
    structures with n/2 leaves. Leboeuf et al. (2020, section 6.2) use these numbers in
    a prior. The first call takes O(n^2) products of integers with O(n) digits; all
    smaller numbers are kept.
    """
    n_leaves = check_integer(n_leaves, "n_leaves")
    with _lock:
        for n in range(len(_numbers), n_leaves + 1):
            half = (n + 1) // 2
            total = sum(map(mul, _numbers[1:half], _numbers[n - 1 : n - half : -1]))
            if n % 2 == 0:
                total += _numbers[half] * (_numbers[half] + 1) // 2
            _numbers.append(total)
    return _numbers[n_leaves]


def log_wedderburn_etherington(n_leaves: int) -> float:
    """The natural logarithm of :func:`wedderburn_etherington`, in floating point.

    The recursion runs on the numbers divided by ``2.48...**n``, which neither overflow
    nor underflow. The first call for 10,000 leaves takes some tenths of a second. The
    relative error of the number stays below 1e-11.

    >>> import math
    >>> from treebounds.structure import log_wedderburn_etherington
    >>> round(log_wedderburn_etherington(10), 6), round(math.log(98), 6)
    (4.584967, 4.584967)

    Parameters
    ----------
    n_leaves : int
        At least 1.

    Returns
    -------
    float
        In nats.

    Raises
    ------
    ValueError
        If ``n_leaves`` is not an integer of at least 1.
    """
    n_leaves = check_integer(n_leaves, "n_leaves")
    scaled = _scaled_numbers(1 << n_leaves.bit_length())
    return math.log(scaled[n_leaves]) + n_leaves * _LOG_RATE


@cache
def _scaled_numbers(size: int) -> NDArray[np.float64]:
    """The numbers for fewer than ``size`` leaves, divided by powers of their growth
    rate.
    """
    scaled = np.zeros(size)
    scaled[1] = math.exp(-_LOG_RATE)
    for n in range(2, size):
        half = (n + 1) // 2
        scaled[n] = scaled[1:half] @ scaled[n - 1 : n - half : -1]
        if n % 2 == 0:
            # This is (W(n/2)^2 + W(n/2)) / 2, divided by the rate to the power n.
            scaled[n] += scaled[half] * (scaled[half] + math.exp(-_LOG_RATE * half)) / 2
    return scaled
