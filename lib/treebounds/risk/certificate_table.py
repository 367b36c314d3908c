"""Tables of certificates: a limit for each leaf of a tree, or for each group of cases.

**Theorem.** Let the cases be divided into parts by what is known without the answers:
the leaf that a case reaches, its region. Given how many of the judged cases fall into
each part, let the limit of part v fail with probability at most delta_v, and the limit
of all cases together with probability at most delta_0. If no limit falls when a loss
rises, all of them hold at once with probability at least ``(1 - delta_0) prod_v (1 -
delta_v)``.

*Proof.* Given the part of each case, the losses are independent, so the limits of the
parts are; and each of the events "the limit is at least the truth" is increasing in the
losses. Increasing functions of independent variables are associated (Esary, Proschan
and Walkup 1967): the probability of all of these events is at least the product.

All levels are equal here, ``1 - (1 - delta)**(1 / (n_parts + 1))``: this Šidák level is
a little larger than Bonferroni's, ``delta / (n_parts + 1)``. No limit of its kind can
be lowered unless another rises. Improvements such as Holm's are for tests, which are
rejected or not; they give no smaller limits. Limits of mean costs are not monotone in
every case, so they get Bonferroni's level.

In the literature on prediction sets, statements by part are "Mondrian" categories (Vovk
and others 2005) and equalized coverage (Romano and others 2020).
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treebounds._validation import check_number, require
from treebounds._versions import Versioned
from treebounds.risk.certificate import Certificate
from treebounds.risk.checks import check_delta
from treebounds.risk.models.fingerprints import fingerprint
from treebounds.risk.sentence import about_change
from treebounds.risk.tail_inversion import binomial_tail_inversions
from treebounds.risk.words import (
    in_percent,
    number_in_words,
    number_of,
    one_minus,
    plain_word,
    rounded_up,
)

# In pixels, for a limit of 1.
_BAR_WIDTH = 120
_PLURALS = {"class": "classes", "group": "groups", "leaf": "nodes"}


@dataclass(frozen=True)
class Part:
    """One line of a table.

    Attributes
    ----------
    label : object
        Number of the node, or name of the group or class.
    n_examples, n_errors : int
        Judged examples of this part, and errors among them.
    certificate : Certificate or None
        None if there are too few examples to say anything.
    rule : str
        Of a leaf or a node, in words.
    prediction : object
        The class or value that a leaf predicts; None where several leaves are joined
        that do not agree, and for groups.
    least_cases : int or None
        From as many examples on, a part of this table has a certificate; None for
        classes, which all have one.
    """

    label: Any
    n_examples: int
    n_errors: int
    certificate: Certificate | None
    rule: str = ""
    prediction: Any = None
    least_cases: int | None = None


class CertificateTable(Versioned, Mapping[Any, Certificate | None]):
    """A certificate for each leaf, group or class; all of them hold at once with
    probability 1 - delta.

    It is a mapping from the number of a node, or the name of a group or class, to its
    certificate, or to None where there are too few examples to say anything.

    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treebounds import certify
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(600, 1))
    >>> y = np.where(rng.uniform(size=600) < 0.1, "yes", "no")
    >>> y[X[:, 0] > 0.5] = "yes"
    >>> tree = DecisionTreeClassifier(max_leaf_nodes=2).fit(X[:300], y[:300])
    >>> table = certify(tree, X[300:], y[300:], by="leaf")
    >>> print(table)
    With probability 0.95 over these 300 examples, all of the following holds at once
    for this tree with 2 leaves, if these examples had no part in making it, in
    preparing its input or in choosing it, and if they are drawn like new cases,
    independently of each other and of those that made it.
    All cases: 8 errors on 300 examples; at most 5.5% of new cases. Always predicting
    'yes' errs on 44.0% of these examples.
    Node 1 (feature_0 <= 0.5018249), predicts 'no': 8 errors on 140 examples; at most
    11.5% of such new cases.
    Node 2 (feature_0 > 0.5018249), predicts 'yes': 0 errors on 160 examples; at most
    2.6% of such new cases.
    Of the 300 examples, 300 (100%) are in nodes with a limit below 50%.
    >>> table.n_below(0.05)
    160

    Attributes
    ----------
    by : str
        "leaf", "group" or "class".
    delta : float
        Probability that any of the certificates fails, ``whole`` among them.
    parts : tuple of Part
        The lines of the table.
    whole : Certificate or None
        For all cases together; it holds at once with the others. None for classes.
    """

    def __init__(
        self,
        parts: list[Part],
        *,
        by: str,
        delta: float,
        whole: Certificate | None = None,
    ) -> None:
        self.by = by
        self.delta = delta
        self.parts = tuple(parts)
        self.whole = whole
        self._certificates = {part.label: part.certificate for part in parts}
        certificate = self._any_certificate()
        self._fingerprint = fingerprint(getattr(certificate, "estimator", None))

    def __getitem__(self, label: Any) -> Certificate | None:
        return self._certificates[label]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._certificates)

    def __len__(self) -> int:
        return len(self.parts)

    def __repr__(self) -> str:
        return f"<CertificateTable by {self.by}: {len(self)} parts, delta={self.delta}>"

    def __str__(self) -> str:
        lines = [self._heading()]
        if self.whole is not None:
            line = f"All cases: {_counts(self.whole)}; {self.whole.claim}."
            lines.append(f"{line} {self.whole.remark}".rstrip())
        lines.extend(self._line(part) for part in self.parts)
        return "\n".join([*lines, self.summary()])

    @property
    def n_examples(self) -> int:
        """Number of judged examples."""
        return sum(part.n_examples for part in self.parts)

    def n_below(self, level: float = 0.5) -> int:
        """Number of judged examples in parts whose limit is below a level.

        Parameters
        ----------
        level : float
            A share, or a mean cost; for ``coverage=`` a tolerance.
        """
        level = check_number(level, "level", "(-inf, inf)")
        return sum(
            part.n_examples
            for part in self.parts
            if part.certificate is not None and part.certificate.limit < level
        )

    def summary(self, level: float | None = None) -> str:
        """One sentence for the whole: how many examples are in parts with a small
        limit.

        Parameters
        ----------
        level : float, optional
            What counts as small: 0.5 by default, or half of the largest cost. For
            ``coverage=`` the tolerance of all cases together.

        Returns
        -------
        str
        """
        origin = ""
        if level is None:
            level = self._usual_level()
            origin = self._origin_of_usual_level()
        n_below = self.n_below(level)
        share = n_below / max(1, self.n_examples)
        formatted_level = rounded_up(level)
        if self._is_share():
            formatted_level = f"{100 * level:g}%"
        return (
            f"Of the {self.n_examples} examples, {n_below} ({share:.0%}) are in"
            f" {_PLURALS[self.by]} with a limit below {formatted_level}{origin}."
        )

    def intervals(self, delta: float = 0.05) -> Any:
        """Intervals for the share of new cases that each part gets and, for a share of
        errors, for the probability that a prediction in it is right.

        In a leaf, the latter is the probability of the class that it predicts.

        Parameters
        ----------
        delta : float
            Probability that any of the intervals fails. It is a statement of its own:
            table and intervals hold together with probability 1 minus both deltas.

        Returns
        -------
        pandas.DataFrame
            Columns ``share_low``, ``share_high`` and, where errors are counted,
            ``right_low``, ``right_high``; one row for each part. All are Clopper and
            Pearson's, with delta divided by their number.
        """
        n_sides = 4 if self._is_share() else 2
        level = math.log(check_delta(delta) / (n_sides * max(1, len(self))))
        n_cases = np.array([part.n_examples for part in self.parts], dtype=np.int64)
        n_errors = np.array([part.n_errors for part in self.parts], dtype=np.int64)

        columns: dict[str, Any] = {self._key(): list(self)}
        columns["share_low"], columns["share_high"] = _intervals(
            n_cases, np.full(len(self), self.n_examples), level
        )
        if self._is_share():
            columns["right_low"], columns["right_high"] = _intervals(
                n_cases - n_errors, n_cases, level
            )
        frame = require("pandas", "pandas").DataFrame(columns)
        return frame.set_index(self._key())

    def to_frame(self) -> Any:
        """The table as a pandas.DataFrame; an ImportError if pandas is not installed.

        Returns
        -------
        pandas.DataFrame
            One row for each part. Columns: ``node`` and ``rule``, or ``group``, or
            ``class``; ``prediction`` for leaves; ``n_examples``, ``n_errors``;
            ``share`` of the judged examples; ``limit``, NaN where there are too few
            examples; for numbers ``tolerance``.
        """
        rows = [self._row(part) for part in self.parts]
        return require("pandas", "pandas").DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """The table as plain numbers and words; ``json.dumps`` accepts it.

        Returns
        -------
        dict
            ``by``, ``delta``, ``whole`` and ``parts``, with certificates as
            :meth:`Certificate.to_dict` gives them.
        """
        parts = [
            {
                "label": plain_word(part.label),
                "rule": part.rule,
                "prediction": plain_word(part.prediction),
                "n_examples": part.n_examples,
                "n_errors": part.n_errors,
                "certificate": _as_dict(part.certificate),
            }
            for part in self.parts
        ]
        return {
            "by": self.by,
            "delta": self.delta,
            "whole": _as_dict(self.whole),
            "parts": parts,
        }

    def _repr_html_(self) -> str:
        """The table with a bar for each limit."""
        titles = [self._key(), "rule", "prediction", "examples", "errors", "limit", ""]
        if self.by != "leaf":
            titles = [title for title in titles if title not in ("rule", "prediction")]
        head = "".join(f"<th>{title}</th>" for title in titles)
        body = "".join(f"<tr>{self._cells(part)}</tr>" for part in self.parts)
        return (
            f"<p>{html.escape(self._heading())}</p>"
            f"<table><tr>{head}</tr>{body}</table>"
            f"<p>{html.escape(self.summary())}</p>"
        )

    def _cells(self, part: Part) -> str:
        """The cells of one line."""
        cells = [html.escape(str(part.label))]
        if self.by == "leaf":
            prediction = "" if part.prediction is None else str(part.prediction)
            cells += [html.escape(part.rule), html.escape(prediction)]
        cells += [str(part.n_examples), str(part.n_errors)]
        if part.certificate is None:
            cells += [_too_few(part), ""]
        else:
            bar = _bar(part.certificate)
            cells += [html.escape(part.certificate.short_limit), bar]
        return "".join(f"<td>{cell}</td>" for cell in cells)

    def _heading(self) -> str:
        """The statement that all lines share, with its probability and conditions."""
        sample = f"these {self.n_examples} examples"
        if self.whole is not None and self.whole.method == "halves":
            sample = f"the examples that made it and {sample} that judge it"

        certificate = self._any_certificate()
        change = subject = condition = about_rows = ""
        if certificate is not None:
            change = about_change(certificate.estimator, self._fingerprint)
            subject = f" for this {certificate.kind}"
            condition = f", {certificate.trusted}"
            about_rows = f" {certificate.about_rows}".rstrip()
        # Without a line for all cases, the remark that all parts share stands here.
        if certificate is not None and self.whole is None:
            about_rows = f"{about_rows} {certificate.remark}".rstrip()
        return (
            f"{change} With probability {one_minus(self.delta)} over {sample}, all of"
            f" the following holds at once{subject}{condition}.{about_rows}"
        ).lstrip()

    def _any_certificate(self) -> Certificate | None:
        """One of the certificates: what they say of the rows is the same. Those of the
        parts also say that the parts were fixed before.
        """
        return _first([*self._certificates.values(), self.whole])

    def _line(self, part: Part) -> str:
        """One part in words."""
        name = self._name(part)
        if part.certificate is None:
            cases = number_of(part.n_examples, "case")
            return f"{name}: {cases}, {_too_few(part)}."
        return f"{name}: {_counts(part.certificate)}; {part.certificate.claim}."

    def _name(self, part: Part) -> str:
        """The part, with its rule and prediction."""
        if self.by != "leaf":
            return f"{self.by.capitalize()} {part.label!r}"
        name = f"Node {part.label} ({part.rule})"
        prediction = part.prediction
        if prediction is None:
            return f"{name}, whose leaves predict differently"
        if isinstance(prediction, float):
            return f"{name}, predicts {number_in_words(prediction)}"
        return f"{name}, predicts {prediction!r}"

    def _key(self) -> str:
        """The title of the column of labels."""
        return "node" if self.by == "leaf" else self.by

    def _row(self, part: Part) -> dict[str, Any]:
        """One row of the frame."""
        row: dict[str, Any] = {self._key(): part.label}
        if self.by == "leaf":
            row |= {"rule": part.rule, "prediction": part.prediction}
        row |= {
            "n_examples": part.n_examples,
            "n_errors": part.n_errors,
            "share": part.n_examples / max(1, self.n_examples),
            "limit": getattr(part.certificate, "value", math.nan),
        }
        if getattr(self._representative(), "tolerance", None) is not None:
            row["tolerance"] = getattr(part.certificate, "tolerance", math.nan)
        return row

    def _representative(self) -> Any:
        """The certificate of all cases, or else that of a part: all are of one kind,
        with the same coverage and largest cost.
        """
        return _first([self.whole, *self._certificates.values()])

    def _is_share(self) -> bool:
        """Whether the limits are shares of errors."""
        certificate = self._representative()
        if certificate is None:
            return True
        return certificate.largest_cost is None and certificate.coverage is None

    def _usual_level(self) -> float:
        """What counts as a small limit."""
        certificate = self._representative()
        if certificate is None or self._is_share():
            return 0.5
        if certificate.coverage is not None:
            return float(certificate.tolerance)
        return float(certificate.largest_cost) / 2

    def _origin_of_usual_level(self) -> str:
        """Where a level comes from that nobody has given; half needs no word."""
        if self._is_share():
            return ""
        if self._representative().coverage is not None:
            return ", that of all cases"
        return ", half of the largest cost"


def level_of_each(delta: float, n_statements: int, is_monotone: bool) -> float:
    """The probability with which each of some statements may fail.

    >>> from treebounds.risk.certificate_table import level_of_each
    >>> round(level_of_each(0.05, 10, True), 6), level_of_each(0.05, 10, False)
    (0.005116, 0.005)
    """
    if is_monotone:
        return -math.expm1(math.log1p(-delta) / n_statements)
    return delta / n_statements


def _intervals(
    k: NDArray[np.int64], n: NDArray[np.int64], log_gamma: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Clopper and Pearson's intervals, each side of which fails with probability gamma;
    from 0 to 1 where there are no cases.
    """
    at_least_one = np.maximum(n, 1)
    high = binomial_tail_inversions(k, at_least_one, log_gamma)
    low = 1 - binomial_tail_inversions(n - k, at_least_one, log_gamma)
    none = n == 0
    return np.where(none, 0.0, np.maximum(low, 0.0)), np.where(none, 1.0, high)


def _first(candidates: list[Certificate | None]) -> Certificate | None:
    """The first certificate; None if no part has one."""
    return next((each for each in candidates if each is not None), None)


def _too_few(part: Part) -> str:
    """Why a part has no certificate, and how many examples would be enough."""
    if part.least_cases is None:
        return "too few to say anything"
    return f"too few to say anything; it takes {part.least_cases}"


def _counts(certificate: Certificate) -> str:
    """The counts that a limit comes from."""
    n_errors = certificate.n_errors
    judged = number_of(certificate.n_examples, "example")
    if certificate.tolerance is None:
        return f"{number_of(n_errors, 'error')} on {judged}"
    were = "was" if n_errors == 1 else "were"
    return f"{n_errors} of {judged} {were} off by more"


def _bar(certificate: Certificate) -> str:
    """A bar as long as the limit, dark as far as the observed share."""
    limit = certificate.value / (certificate.largest_cost or 1.0)
    share = certificate.n_errors / max(1, certificate.n_examples)
    if certificate.largest_cost is not None:
        share = 0.0
    long = round(_BAR_WIDTH * min(1.0, limit))
    dark = round(_BAR_WIDTH * min(limit, share))
    return (
        f'<div style="width:{long}px;height:0.8em;background:#c6d4e8"'
        f' title="at most {in_percent(limit)}">'
        f'<div style="width:{dark}px;height:0.8em;background:#4a6fa5"></div></div>'
    )


def _as_dict(certificate: Certificate | None) -> dict[str, Any] | None:
    """A certificate as plain numbers and words."""
    return None if certificate is None else certificate.to_dict()
