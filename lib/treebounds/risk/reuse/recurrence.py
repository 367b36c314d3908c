"""How many of the rows that judge a model are among those that made it."""

from __future__ import annotations

from typing import NamedTuple


class Recurrence(NamedTuple):
    """How many judged rows are equal to rows that made the classifier.

    Attributes
    ----------
    n_compared, n_recurring : int
        Number of judged rows that could be compared, and of those among them that are
        equal to a row that made the classifier.
    is_recorded : bool
        Whether there is a record of the rows that made the classifier.
    after_steps : bool
        Whether they were compared as they reach the last step of a pipeline.
    """

    n_compared: int = 0
    n_recurring: int = 0
    is_recorded: bool = True
    after_steps: bool = False
