"""A tree of Spark that is certified by the rows that it is grown from."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from treebounds._validation import check_integer, require
from treebounds.estimators._publishing import publish
from treebounds.pruning.rules import CountingRule
from treebounds.risk.certificate import Certificate
from treebounds.risk.checks import check_delta
from treebounds.risk.halving import Candidates
from treebounds.risk.rows.duplicates import Repeats
from treebounds.spark.frames import (
    check_columns,
    mean_over_groups,
    repeats_of,
    tally_of,
)
from treebounds.spark.pruning import prune_model

_HASHED_KEY = (
    "The hash that halves the keys is independent of everything else in the rows."
)


class CertifiedSparkTree:
    """A certified Spark tree: trees are grown on halves of the rows, pruned, and judged
    on the other halves.

    >>> from pyspark.ml.linalg import Vectors
    >>> from pyspark.sql import SparkSession
    >>> from treebounds.spark import CertifiedSparkTree
    >>> session = SparkSession.builder.getOrCreate()
    >>> rows = [(i, Vectors.dense(i % 10), float(i % 10 > 6)) for i in range(400)]
    >>> frame = session.createDataFrame(rows, ["key", "features", "label"])
    >>> tree = CertifiedSparkTree(key="key", n_halvings=1).fit(frame)
    >>> tree.certificate_.n_errors
    0

    As in :class:`treebounds.CertifiedTreeClassifier` with "halves", all candidates'
    bounds hold at once, and the tree with the smallest bound is kept. A hash of a key
    column halves the rows, so the same rows always make the same halves, wherever they
    are stored, and rows with the same key stay together.

    Parameters
    ----------
    key : str
        Column of identifiers, of any type that Spark casts to a string. They must have
        been assigned without regard to features and labels.
    grouped : bool
        Whether rows with the same key belong together, so that keys, not rows, are
        independent. The certificate is then about the cases of a new key. If False,
        every key must be unique.
    learner : pyspark.ml.classification.DecisionTreeClassifier, optional
        Unfitted; one of depth 20 when not given.
    n_halvings : int
        Number of halvings.
    rule : str, number or CountingRule
        As in :func:`prune_model`.
    delta : float
        Probability with which the certificate may fail.
    seed : int
        Seed of the hash.
    folder : str, optional
        As in :func:`prune_model`.

    Attributes
    ----------
    model_ : DecisionTreeClassificationModel
        The certified tree.
    certificate_ : Certificate
    candidates_ : Candidates
        All trees among which ``model_`` was chosen.
    """

    model_: Any
    certificate_: Certificate
    candidates_: Candidates

    def __init__(
        self,
        *,
        key: str,
        grouped: bool = False,
        learner: Any = None,
        n_halvings: int = 4,
        rule: str | float | CountingRule = "bound",
        delta: float = 0.05,
        seed: int = 0,
        folder: str | None = None,
    ) -> None:
        self.key = key
        self.grouped = grouped
        self.learner = learner
        self.n_halvings = n_halvings
        self.rule = rule
        self.delta = delta
        self.seed = seed
        self.folder = folder

    def fit(self, frame: Any) -> CertifiedSparkTree:
        """Grow, prune and judge 2 n_halvings trees; persist the frame beforehand if it
        fits in memory.

        Parameters
        ----------
        frame : pyspark.sql.DataFrame

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If an argument is outside its range, there are no rows, a column is missing,
            a key or label is missing, a key recurs although rows are not grouped, a
            half is empty, or the frame was repeated as a whole under other keys.
        """
        K = check_integer(self.n_halvings, "n_halvings")
        delta = check_delta(self.delta)
        classification = require("pyspark.ml.classification", "spark")
        learner = self.learner or classification.DecisionTreeClassifier(maxDepth=20)
        check_columns(frame, self.key, learner.getFeaturesCol(), learner.getLabelCol())
        self._check_keys(frame)
        repeats = self._repeats(frame, learner)

        log_gamma = math.log(delta) - math.log(2 * K)
        halves = [(halving, side) for halving in range(K) for side in (0, 1)]
        trials = [
            self._fit_and_judge(frame, learner, *half, log_gamma) for half in halves
        ]
        candidates = Candidates.of_rows(
            (
                "pruned",
                *half,
                trial.n_leaves,
                trial.n_errors,
                trial.n_examples,
                trial.value,
            )
            for half, trial in zip(halves, trials, strict=True)
        )

        best = candidates.best
        certificate = replace(
            trials[best],
            duplicates=repeats.policy,
            n_rows=repeats.n_rows,
            n_repeats=repeats.n_repeats,
            n_candidates=2 * K,
            learner="pruned",
            halving=halves[best][0],
        )
        learned = {
            "candidates_": candidates,
            "certificate_": certificate,
            "model_": certificate.estimator,
        }
        publish(self, learned)
        return self

    def _repeats(self, frame: Any, learner: Any) -> Repeats:
        """How many rows are equal to others under another key."""
        features = learner.getFeaturesCol()
        label = learner.getLabelCol()
        if self.grouped:
            return repeats_of(frame, features, label, self.key)
        return repeats_of(frame, features, label)

    def _check_keys(self, frame: Any) -> None:
        """Raise a ValueError if there are no rows, a key is missing, or a key recurs
        without ``grouped``.
        """
        F = require("pyspark.sql.functions", "spark")
        key = F.col(self.key)
        rows, keys, present = frame.agg(
            F.count(F.lit(1)), F.countDistinct(key), F.count(key)
        ).first()
        if rows == 0:
            raise ValueError("frame has no rows")
        if present < rows:
            raise ValueError(
                f"key: {rows - present} rows have no key in column {self.key!r}: give"
                " them keys of their own, or leave them out"
            )
        if keys < rows and not self.grouped:
            raise ValueError(
                f"key: {rows} rows have {keys} keys; set grouped=True, or name another"
                " column"
            )

    def _fit_and_judge(
        self, frame: Any, learner: Any, halving: int, side: int, log_gamma: float
    ) -> Certificate:
        """The certificate of a tree that is grown on one half and judged on the other
        half.
        """
        F = require("pyspark.sql.functions", "spark")
        hashed = F.xxhash64(
            F.lit(f"{self.seed} {halving}"), F.col(self.key).cast("string")
        )
        half = F.pmod(hashed, F.lit(2))
        to_grow = frame.where(half == side)
        to_judge = frame.where(half != side)
        if to_grow.isEmpty() or to_judge.isEmpty():
            raise ValueError(
                f"key: a half is empty; column {self.key!r} has too few values. Name a"
                " column with a value for each case, or for each group of cases"
            )
        model = prune_model(learner.fit(to_grow), rule=self.rule, folder=self.folder)
        tally = tally_of(model, to_judge)
        losses = mean_over_groups(model, to_judge, self.key) if self.grouped else None
        verdict = tally.verdict(log_gamma, losses)
        return Certificate(
            value=verdict.value,
            method="halves",
            delta=self.delta,
            n_examples=verdict.n_examples,
            n_errors=verdict.n_errors,
            n_groups=verdict.n_groups,
            estimator=model,
            further_assumptions=(_HASHED_KEY,),
            remark=verdict.remark,
        )
