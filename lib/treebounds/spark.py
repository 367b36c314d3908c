"""Pruning and certificates of trees that Spark grows on more rows than one machine
holds.

``pip install "treebounds[spark]"``. A tree is pruned from its class counts and
certified from counts of rows; the driver receives nodes and counts, never rows. A Spark
session has to be running. Spark Connect works, too, but it cannot delete the files that
``prune_model`` writes on another machine than the client's.

>>> from treebounds.spark import CertifiedSparkTree
>>> CertifiedSparkTree(key="customer", grouped=True).n_halvings
4
"""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treebounds._validation import check_integer, require, shown
from treebounds.capacity.features import FeatureKinds
from treebounds.estimators._publishing import publish
from treebounds.formats.spark import (
    NODE_SCHEMA,
    check_model,
    node_rows,
    saved,
    session_of,
    tree_of_rows,
)
from treebounds.pruning.choice import Rule, rule_or_default
from treebounds.pruning.fitted_trees import with_features
from treebounds.pruning.local_price import LocalRule
from treebounds.pruning.rules import CountingRule, ReducedErrorRule
from treebounds.risk.certificate import Certificate, certificate_from_verdict
from treebounds.risk.checks import check_delta
from treebounds.risk.halving import Candidates
from treebounds.risk.reuse.check import Recurrence
from treebounds.risk.reuse.leaf_counters import (
    are_a_part,
    are_among_more,
    are_equal_beyond_chance,
)
from treebounds.risk.reuse.refusals import part_of_rows, rows_among_others, same_rows
from treebounds.risk.rows.copies import REPETITION, repetition_p_value
from treebounds.risk.rows.duplicates import Repeats
from treebounds.risk.rows.occurrences import occurrences_p_value
from treebounds.risk.tally import Tally
from treebounds.trees._statistics import weights_of_nodes
from treebounds.trees.array_tree import ArrayTree

_HASHED_KEY = (
    "The hash that halves the keys is independent of everything else in the rows."
)


def prune_model(
    model: Any,
    *,
    rule: Rule | None = None,
    feature_kinds: FeatureKinds | None = None,
    folder: str | None = None,
) -> Any:
    """A pruned copy of a tree that Spark has grown, from the class counts of its nodes,
    or three sums of each; no row is read.

    >>> from pyspark.ml.classification import DecisionTreeClassifier
    >>> from pyspark.ml.linalg import Vectors
    >>> from pyspark.sql import SparkSession
    >>> from treebounds.spark import prune_model
    >>> session = SparkSession.builder.getOrCreate()
    >>> rows = [(Vectors.dense(i % 10), float(i % 10 > 6)) for i in range(400)]
    >>> frame = session.createDataFrame(rows, ["features", "label"])
    >>> model = DecisionTreeClassifier().fit(frame)
    >>> prune_model(model).numNodes
    3

    Parameters
    ----------
    model : Spark model
        A DecisionTreeClassificationModel, a DecisionTreeRegressionModel, or a
        PipelineModel whose last stage is one of them; then this stage is pruned.
    rule : str, number, CountingRule or callable, optional
        As in :func:`treebounds.prune`, without "reduced-error"; "bound" for classes and
        "local" for numbers when not given. "local" counts as many cuts of each column
        as Spark tries, one fewer than ``maxBins``.
    feature_kinds : FeatureKinds, optional
        Needed by the rules "bound", "local" and "counted" if the tree splits by
        categories.
    folder : str, optional
        Where the model is written and read back: a folder or URI that the driver and
        all workers can reach; nothing in it is overwritten. The folder for temporary
        files when not given, which works on one machine only.

    Returns
    -------
    object of the type of ``model``
        With the same parameters and ``uid``; Spark's own persistence writes and loads
        it.

    Raises
    ------
    ValueError
        If the model is not a decision tree or was grown with weights, the rule is for
        the other kind of tree, or ``feature_kinds`` is missing.
    """
    if type(model).__name__ == "PipelineModel":
        *before, last = model.stages
        pruned = prune_model(
            last, rule=rule, feature_kinds=feature_kinds, folder=folder
        )
        return type(model)([*before, pruned])

    grown = check_model(model)
    with saved(grown, folder) as path:
        rows = node_rows(path)
        tree = tree_of_rows(rows, grown)
        _refuse_weights(tree, rows)
        remaining = _remaining_rows(rows, tree, _rule(rule, grown, tree, feature_kinds))
        pruned = session_of().createDataFrame(remaining, NODE_SCHEMA).coalesce(1)
        pruned.write.mode("overwrite").parquet(f"{path}/data")
        return type(grown).load(path)


def _rule(
    rule: Any, grown: Any, tree: ArrayTree, feature_kinds: FeatureKinds | None
) -> CountingRule:
    """The rule for a tree, with the splits that Spark could make."""
    counting = rule_or_default(tree.is_regression, rule)
    if isinstance(counting, ReducedErrorRule):
        raise ValueError(
            "rule 'reduced-error' needs examples that the tree was not grown on, and no"
            " rows are read here: give treebounds.prune the tree that from_spark"
            " returns, with such rows as X and y, or choose another rule"
        )
    if isinstance(counting, LocalRule) and counting.n_cuts is None:
        most = [grown.getOrDefault("maxBins") - 1.0] * tree.n_features
        counting = replace(counting, n_cuts=most)
    return with_features(counting, tree, None, None, feature_kinds)


def _refuse_weights(tree: ArrayTree, rows: list[Any]) -> None:
    """Raise a ValueError if the statistics of a tree are not those of whole rows."""
    n_rows = [row["rawCount"] for row in rows]
    if not np.allclose(weights_of_nodes(tree), n_rows, rtol=1e-9):
        raise ValueError(
            "model was grown with weights: its counts do not determine numbers of"
            " examples. Grow it without weightCol, or give the rows and weights to"
            " treebounds.prune, with the tree that from_spark returns"
        )


def _remaining_rows(
    rows: list[Any], tree: ArrayTree, rule: CountingRule
) -> list[dict[str, Any]]:
    """The rows of a saved model that remain after pruning, with new numbers."""
    cut = rule.nodes(tree, tree.statistics)
    remaining, pruned = tree.kept_and_collapsed(cut)
    no_split = {
        "featureIndex": -1,
        "leftCategoriesOrThreshold": [],
        "numCategories": -1,
    }

    # from_spark exchanges the children of some nodes; here, Spark's own order stays.
    place = {node: number for number, node in enumerate(remaining.tolist())}
    new_rows = [rows[node].asDict(recursive=True) for node in remaining.tolist()]
    for number, row in enumerate(new_rows):
        row["id"] = number
        row["leftChild"] = place.get(row["leftChild"], -1)
        row["rightChild"] = place.get(row["rightChild"], -1)
        if pruned.is_leaf[number]:
            row["gain"] = -1.0
            row["split"] = no_split

    return new_rows


def certify_model(model: Any, frame: Any, *, delta: float = 0.05) -> Certificate:
    """An upper bound on the risk of a Spark classifier, from rows that it was not
    fitted to.

    >>> from pyspark.ml.classification import DecisionTreeClassifier
    >>> from pyspark.ml.linalg import Vectors
    >>> from pyspark.sql import SparkSession
    >>> from treebounds.spark import certify_model
    >>> session = SparkSession.builder.getOrCreate()
    >>> rows = [(Vectors.dense(i % 10), float(i % 10 > 6)) for i in range(400)]
    >>> frame = session.createDataFrame(rows, ["features", "label"])
    >>> training, test = frame.randomSplit([0.5, 0.5], seed=0)
    >>> model = DecisionTreeClassifier().fit(training)
    >>> certify_model(model, test).n_errors
    0

    The cluster counts errors in one pass over the frame, and the driver receives one
    number for each pair of a label and a prediction. A label that is not one of the
    model's classes counts as an error.

    A second pass counts rows that are equal, labels included, by a hash of 64 bits. If
    the whole frame was repeated, that is an error; else the sentence gives the share of
    rows that repeat others.

    Spark keeps no record of the rows that made a model, but a tree keeps their numbers
    at its leaves. If the model is a single tree, or ends with one, a third pass counts
    the rows at each leaf, for the driver to compare. So the frame that the tree was
    grown on is refused, also with other rows, and so is a large part of it (with Spark
    Connect, if it reaches every leaf), by the tests of
    :mod:`treebounds.risk.reuse.leaf_evidence`. Without Spark Connect, the first tree of
    boosted trees, and that of a forest without bootstrap, are compared, too, if they
    were grown on all rows. A small part is not recognized, nor are rows that were drawn
    with repetition, nor the rows of other models.

    Parameters
    ----------
    model : fitted classifier, PipelineModel or result of a search
        Of ``pyspark.ml``. Of a CrossValidatorModel or a TrainValidationSplitModel, the
        best model is certified.
    frame : pyspark.sql.DataFrame
        With the columns that the model takes, and the one of labels; a StringIndexer in
        a pipeline may make the latter.
    delta : float
        Probability with which the certificate may fail.

    Returns
    -------
    Certificate
        As :func:`treebounds.certify` makes it from a test set.

    Raises
    ------
    ValueError
        If a column is missing, a label is missing, there are no rows, the model drops
        or adds rows, the frame was repeated as a whole, a tree was grown on its rows,
        or delta is not in (0, 1).
    """
    delta = check_delta(delta)
    model = getattr(model, "bestModel", model)
    verdict = _tally(model, frame).verdict(math.log(delta))
    _refuse_rows_of_the_tree(model, frame)
    recurrence = Recurrence(is_recorded=False)
    last = _last_stage(model)
    columns = last.getFeaturesCol(), last.getLabelCol()
    repeats = _repeats(model.transform(frame), *columns)
    return certificate_from_verdict(model, verdict, delta, recurrence, repeats)


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
        _check_columns(frame, self.key, learner.getFeaturesCol(), learner.getLabelCol())
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
            return _repeats(frame, features, label, self.key)
        return _repeats(frame, features, label)

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
        tally = _tally(model, to_judge)
        losses = _mean_over_groups(model, to_judge, self.key) if self.grouped else None
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


def _stages(model: Any) -> list[Any]:
    """The stages of a PipelineModel, also of one inside it; any other model itself. Of
    a search it is the best model.
    """
    if hasattr(model, "bestModel"):
        return _stages(model.bestModel)
    if not hasattr(model, "stages"):
        return [model]
    return [inner for stage in model.stages for inner in _stages(stage)]


def _last_stage(model: Any) -> Any:
    """The last stage of a PipelineModel; any other model itself."""
    return _stages(model)[-1]


def _at_last_stage(model: Any, frame: Any) -> Any:
    """A frame as it reaches the last stage of a model."""
    for stage in _stages(model)[:-1]:
        frame = stage.transform(frame)
    return frame


def _repeats(frame: Any, features: str, label: str, key: str | None = None) -> Repeats:
    """How many rows are equal to others, labels included; a ValueError if the whole
    frame was repeated, and without keys a warning if a part of it was.

    Rows of one key may be equal. The driver receives, for each number of times, how
    many different rows occur that often.
    """
    F = require("pyspark.sql.functions", "spark")
    to_array = require("pyspark.ml.functions", "spark").vector_to_array
    # Dense and sparse vectors of the same numbers are equal.
    row = F.xxhash64(to_array(F.col(features)), F.col(label))
    same = frame.select(row.alias("row"))
    if key is not None:
        same = frame.select(row.alias("row"), key).distinct()
    times = same.groupBy("row").count().groupBy(F.col("count").alias("size")).count()

    sizes, numbers = np.array(times.collect(), dtype=np.int64).T
    n_rows = int(sizes @ numbers)
    n_different = int(numbers.sum())
    if repetition_p_value(sizes, numbers) <= REPETITION:
        raise ValueError(
            f"frame: its {n_rows} rows are {n_different} different ones, each of them"
            f" {np.gcd.reduce(sizes)} times or a multiple of it. Give each case once,"
            " for example by frame.dropDuplicates"
        )
    if key is None and occurrences_p_value(sizes, numbers) <= REPETITION:
        warnings.warn(
            f"frame: {n_rows - n_different} of its {n_rows} rows repeat others, and not"
            " in such numbers as cases that were drawn independently. The certificate"
            " counts each row as a case: if some are copies, give each case once, for"
            " example by frame.dropDuplicates",
            stacklevel=3,
        )
    n_examples = n_rows if key is None else frame.count()
    return Repeats("ignore", n_examples, n_rows - n_different)


def _tally(model: Any, frame: Any) -> Tally:
    """The counts of labels and predictions of all rows, made on the cluster."""
    last = _last_stage(model)
    is_regressor = type(last).__module__ == "pyspark.ml.regression"
    if not hasattr(last, "getPredictionCol") or is_regressor:
        raise ValueError(
            "model must be a fitted classifier of pyspark.ml; got"
            f" {type(last).__name__}"
        )
    label = last.getLabelCol()
    predicted = last.getPredictionCol()
    # In a pipeline, earlier stages may make the columns of features and labels.
    if last is model:
        _check_columns(frame, last.getFeaturesCol())
    judged = model.transform(frame)
    if label not in judged.columns:
        _check_columns(frame, label)

    tally = Tally()
    counts = judged.groupBy(label, predicted).count().collect()
    for truth, prediction, count in counts:
        if isinstance(truth, str):
            raise ValueError(
                f"frame: column {label!r} holds words, and the model predicts numbers"
                " of classes; give the pipeline with the StringIndexer of the labels,"
                " or a frame with the numbers that it made"
            )
        if truth is None or math.isnan(truth):
            raise ValueError(
                f"frame: {count} rows have no label in column {label!r}: leave them out"
            )
        tally.totals[truth] += count
        tally.errors[truth] += count * (truth != prediction)
        tally.predicted.add(prediction)

    _check_number_of_rows(tally.totals.total(), frame)
    return tally


def _refuse_rows_of_the_tree(model: Any, frame: Any) -> None:
    """Raise a ValueError if a single tree, or the first one of several, was grown on
    the rows of a frame, or on some of them, by their numbers at its leaves.
    """
    tree = _last_stage(model)
    if hasattr(tree, "numNodes"):
        n_rows, grown, reached = _numbers_at_leaves(model, frame)
        if len(grown) < (tree.numNodes + 1) // 2:
            at_root = _numbers_at_root(tree)
            if at_root is None:
                return
            # All leaves that no row reaches count as one.
            grown = np.vstack([grown, at_root - grown.sum(axis=0)])
            reached = np.vstack([reached, np.zeros_like(at_root)])
    elif _has_tree_of_all_rows(tree):
        n_rows, grown, reached = _numbers_at_first_tree(model, frame)
    else:
        return

    # With weights, numbers need not be those of rows.
    whole = np.rint(grown)
    if not np.allclose(grown, whole, rtol=1e-6):
        return
    if n_rows == reached.sum() and are_equal_beyond_chance(whole, reached):
        raise same_rows("frame")
    if n_rows == reached.sum() and are_a_part(whole, reached):
        raise part_of_rows("frame")
    if are_among_more(whole, reached, n_rows):
        raise rows_among_others("frame")


def _numbers_at_leaves(
    model: Any, frame: Any
) -> tuple[int, NDArray[np.float64], NDArray[np.float64]]:
    """Number of rows; and for each leaf that one of them reaches and each class, the
    number of rows that the tree was grown on, and of those of the frame.
    """
    F = require("pyspark.sql.functions", "spark")
    to_array = require("pyspark.ml.functions", "spark").vector_to_array
    tree = _last_stage(model)
    frame = _at_last_stage(model, frame)

    # The raw prediction of a tree is the number of its own rows of each class.
    leaf, raw = f"{tree.uid}_leaf", f"{tree.uid}_raw"
    tree = tree.copy({tree.leafCol: leaf, tree.rawPredictionCol: raw})
    groups = tree.transform(frame).groupBy(leaf, tree.getLabelCol())
    counts = groups.agg(F.count(F.lit(1)), F.first(to_array(F.col(raw)))).collect()

    grown = {node: np.array(own) for node, _, _, own in counts}
    reached = {node: np.zeros(len(own)) for node, own in grown.items()}
    for node, label, number, _ in counts:
        # A label that is not one of the tree's classes is counted in none of them.
        reached[node][np.arange(len(grown[node])) == label] += number
    n_rows = sum(number for _, _, number, _ in counts)
    return n_rows, np.array([*grown.values()]), np.array([*reached.values()])


def _has_tree_of_all_rows(model: Any) -> bool:
    """Whether the first tree of several was grown on all rows, and has several leaves,
    of which numbers are known: there is no way to them with Spark Connect.
    """
    trees = getattr(model, "trees", [])
    if not trees or not hasattr(getattr(trees[0], "_java_obj", None), "rootNode"):
        return False
    draws_rows = hasattr(model, "getBootstrap") and model.getBootstrap()
    return not draws_rows and model.getSubsamplingRate() == 1 < trees[0].numNodes


def _numbers_at_first_tree(
    model: Any, frame: Any
) -> tuple[int, NDArray[np.float64], NDArray[np.float64]]:
    """The same as :func:`_numbers_at_leaves` for all leaves of the first tree of a
    forest or of boosted trees.
    """
    last = _last_stage(model)
    frame = _at_last_stage(model, frame)

    tree = last.trees[0]
    leaf = f"{last.uid}_leaf"
    columns = {
        tree.featuresCol: last.getFeaturesCol(),
        tree.predictionCol: f"{last.uid}_predicted",
        tree.leafCol: leaf,
    }
    grown = _numbers_grown(tree)
    reached = np.zeros_like(grown)
    n_rows = 0
    counts = tree.copy(columns).transform(frame).groupBy(leaf, last.getLabelCol())
    for place, label, number in counts.count().collect():
        reached[int(place), np.arange(grown.shape[1]) == label] += number
        n_rows += number
    return n_rows, grown, reached


def _numbers_grown(tree: Any) -> NDArray[np.float64]:
    """The number of rows of each class at each leaf when a tree was grown, also if it
    is the first one of boosting, which predicts numbers.
    """
    statistics = np.array(_statistics_of_leaves(tree._java_obj.rootNode()))
    if type(tree).__name__ != "DecisionTreeRegressionModel":
        return statistics
    # The number of rows, and the sum of labels, which are -1 and 1 in boosting.
    numbers, sums = statistics[:, 0], statistics[:, 1]
    by_class: NDArray[np.float64] = np.column_stack([numbers - sums, numbers + sums])
    return by_class / 2


def _statistics_of_leaves(node: Any) -> list[list[float]]:
    """The statistics that Spark keeps of the leaves below a node, in the order of their
    numbers.
    """
    if node.getClass().getSimpleName() == "LeafNode":
        return [list(node.impurityStats().stats())]
    children = node.leftChild(), node.rightChild()
    return [leaf for child in children for leaf in _statistics_of_leaves(child)]


def _numbers_at_root(tree: Any) -> NDArray[np.float64] | None:
    """The numbers of rows of each class that a tree was grown on; None with Spark
    Connect, which has no way to them.
    """
    root = getattr(getattr(tree, "_java_obj", None), "rootNode", None)
    return np.array(root().impurityStats().stats()) if callable(root) else None


def _check_number_of_rows(n_predicted: int, frame: Any) -> None:
    """Raise a ValueError if there are no predictions, or a model drops or adds rows."""
    if n_predicted == 0:
        raise ValueError("frame has no rows")

    n_rows = frame.count()
    if n_predicted != n_rows:
        raise ValueError(
            f"model: it predicts {n_predicted} of the {n_rows} rows of frame, but the"
            " certificate is about all cases; let each stage keep invalid rows"
            ' (handleInvalid="keep") or certify on rows without them'
        )


def _mean_over_groups(model: Any, frame: Any, key: str) -> tuple[int, float]:
    """Number of groups, and the mean over them of the fraction of errors."""
    F = require("pyspark.sql.functions", "spark")
    is_wrong = F.col(model.getLabelCol()) != F.col(model.getPredictionCol())
    loss = F.avg(is_wrong.cast("double")).alias("loss")
    of_groups = model.transform(frame).groupBy(key).agg(loss)
    n_groups, mean = of_groups.agg(F.count("loss"), F.avg("loss")).first()
    return n_groups, mean


def _check_columns(frame: Any, *names: str) -> None:
    """Raise a ValueError if a column is missing."""
    columns = getattr(frame, "columns", [])
    for name in names:
        if name not in columns:
            raise ValueError(
                f"frame has no column {shown(name)}; it has {shown(list(columns))}"
            )
