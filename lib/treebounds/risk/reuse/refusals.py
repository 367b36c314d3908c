"""The errors for rows that made a model, by what they were recognized."""

from __future__ import annotations

from treebounds.risk.rows.copies import IF_NO_COPIES


def rows_in_common(n_recurring: int, n_compared: int) -> ValueError:
    """The error if more rows recur than independent samples have in common."""
    return ValueError(
        f"X: {n_recurring} of {n_compared} rows that can be compared are among those"
        " that the model was grown, pruned or chosen on, more than independent samples"
        " have in common; a certificate needs others"
    )


def divided_rows(n_recurring: int, n_compared: int) -> ValueError:
    """The error if rows were repeated before the table was divided."""
    return ValueError(
        f"X: {n_recurring} of {n_compared} rows that can be compared are among those"
        " that the model was grown, pruned or chosen on, and in such numbers as rows"
        " that were repeated before the table was divided; a certificate needs others."
        " Divide first, and repeat rows for training only. If they are the runs of a"
        " design, give each setting to one side with all of its runs, as"
        " GroupShuffleSplit does, and pass groups, one for each setting"
    )


def copied_rows(n_recurring: int, n_compared: int) -> ValueError:
    """The error if rows are copies of those that the caller gives."""
    return ValueError(
        f"X: {n_recurring} of {n_compared} rows are equal to rows of X_grown, and look"
        " like copies rather than different cases that are alike, as if the table had"
        " copies before it was divided. Pass duplicates='together', which takes equal"
        f" rows for copies and leaves these out. {IF_NO_COPIES}"
    )


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
