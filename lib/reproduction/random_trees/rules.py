"""Rules by which a random tree stops growing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treebounds._validation import check_integer, check_number, shown

__all__ = ["StoppingRule"]


@dataclass(frozen=True)
class StoppingRule:
    """A node is a leaf if and only if one of the given conditions holds (Section
    2.3.1).

    >>> from reproduction.random_trees import StoppingRule
    >>> StoppingRule(height=3)
    StoppingRule(height=3, pure=False, scarcity=None)
    >>> StoppingRule(height=-1)
    Traceback (most recent call last):
    treebounds._validation.InvalidParameterError: height must be an integer of at ...

    Parameters
    ----------
    height : int, optional
        Every node whose path fixes this number of attributes is a leaf, 0 to d; d when
        not given.
    pure : bool
        Whether a node in which at most one class occurs is a leaf. An empty node is
        pure.
    scarcity : number, optional
        A node with at most this number of examples is a leaf; at least 0.

    Notes
    -----
    ``StoppingRule()`` grows the all-attribute tree. Height 0, and a scarcity of at
    least the sample size, make the root a leaf. Every rule is monotone: below a node
    that stops, every node stops.
    """

    height: int | None = None
    pure: bool = False
    scarcity: float | None = None

    def __post_init__(self) -> None:
        if self.height is not None:
            object.__setattr__(
                self, "height", check_integer(self.height, "height", minimum=0)
            )

        if not isinstance(self.pure, bool):
            raise ValueError(f"pure must be True or False; got {shown(self.pure)}")

        if self.scarcity is not None:
            check_number(self.scarcity, "scarcity", "[0, inf)")

    @property
    def depends_on_data(self) -> bool:
        """Whether the rule depends on the examples, through purity or scarcity."""
        return self.pure or self.scarcity is not None

    def depth(self, n_attributes: int) -> int:
        """Length of the longest path in a tree.

        Parameters
        ----------
        n_attributes : int
            d, at least 1.

        Returns
        -------
        int

        Raises
        ------
        ValueError
            If the rule's height is more than d.
        """
        if self.height is None:
            return n_attributes
        if self.height > n_attributes:
            raise ValueError(
                f"height is {self.height}, but there are only {n_attributes} attributes"
            )
        return self.height


def stops(counts: np.ndarray, rule: StoppingRule) -> np.ndarray:
    """Whether nodes are leaves by purity or scarcity; the second last axis of the
    counts is the class.
    """
    stop = np.zeros((*counts.shape[:-2], counts.shape[-1]), dtype=bool)
    if rule.pure:
        stop |= np.count_nonzero(counts, axis=-2) <= 1
    if rule.scarcity is not None:
        stop |= counts.sum(axis=-2) <= rule.scarcity
    return stop
