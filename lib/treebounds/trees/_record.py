"""The record of the rows that made a model: an attribute of the model.

A tree, a copy of it and the tree in another form keep it under the same name. What a
record holds is in :mod:`treebounds.risk.memory`.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakValueDictionary

# fit publishes it with the other fitted attributes, so it ends with an underscore.
RECORD = "_row_memory_"


def record_of(model: Any) -> Any:
    """The record of the rows that made a model; None if it has none."""
    return getattr(model, RECORD, None)


def keep_record(model: Any, record: Any) -> None:
    """Let a model keep a record; with None it keeps what it has."""
    if record is not None:
        # An ArrayTree refuses new attributes.
        vars(model)[RECORD] = record


# The trees that live, by the identity of their children_left.
_OWNERS: WeakValueDictionary[int, Any] = WeakValueDictionary()


def inherit_record(tree: Any, children_left: Any) -> None:
    """Let an ArrayTree that was made from the array of another one keep its record.

    ``dataclasses.replace`` hands on the fields of a tree, and nothing else.
    """
    owner = _OWNERS.get(id(children_left))
    if owner is not None and owner.children_left is children_left:
        keep_record(tree, record_of(owner))
    _OWNERS[id(tree.children_left)] = tree
