"""The errors for rows that a tree was grown on, or a step fitted to, whoever counted
them.
"""

from __future__ import annotations


def same_rows(argument: str) -> ValueError:
    """The error if rows are all those that a tree was grown on.

    Parameters
    ----------
    argument : str
        The name of the argument that holds the rows.
    """
    return ValueError(
        f"{argument}: the tree was grown on these examples, by the numbers at its"
        " leaves; a certificate needs others. If they are others, and agree by chance,"
        " leave out one of them"
    )


def rows_of_means(argument: str, step: str) -> ValueError:
    """The error if rows are all those that a step of a model was fitted to."""
    return ValueError(
        f"{argument}: {step} was fitted to these examples, by the means or the"
        " intercept that it keeps; a certificate needs others. If they are others, and"
        " agree by chance, leave out one of them"
    )


def part_of_rows(argument: str) -> ValueError:
    """The error if rows are a part of those that a tree was grown on."""
    return ValueError(
        f"{argument}: the examples look like a part of those that the tree was grown"
        " on. Their shares at its leaves are so close to those of its own examples as"
        " happens by chance in one of 1,000,000 samples. Give examples that had no part"
        " in growing it"
    )


def rows_among_others(argument: str) -> ValueError:
    """The error if all rows that a tree was grown on are among others."""
    return ValueError(
        f"{argument}: the examples that the tree was grown on seem to be among these."
        " Each leaf is reached by at least as many as when it was grown, and in such"
        " numbers as happen by chance in one of 1,000,000 samples. Give examples that"
        " had no part in growing it"
    )


def part_among_others(argument: str) -> ValueError:
    """The error if rows that a tree was grown on are among others."""
    return ValueError(
        f"{argument}: examples that the tree was grown on seem to be among these. Many"
        " have exactly the value of a leaf that was grown on one example, and hardly"
        " ever two the same, as happens by chance in one of 1,000,000 samples. Give"
        " examples that had no part in growing it. If they had none, they are no"
        " independent draws: pass groups, one for all visits of a patient, or one for"
        " each setting of a design"
    )
