"""The record of the rows that made a model: an attribute of the model.

A tree, a copy of it and the tree in another form keep it under the same name. What a
record holds is in :mod:`treebounds.risk.reuse.memory`.
"""

from __future__ import annotations

from typing import Any

# fit publishes it with the other fitted attributes, so it ends with an underscore.
RECORD = "_row_memory_"


def record_of(model: Any) -> Any:
    """The record of the rows that made a model; None if it has none."""
    return getattr(model, RECORD, None)


def keep_record(model: Any, record: Any) -> None:
    """Let a model keep a record; with None it keeps what it has."""
    if record is not None:
        # An ArrayTree is frozen, so its field is set in its dictionary.
        vars(model)[RECORD] = record
