"""Spark's trees read, pruned and certified by two worker processes; the driver receives
counts, no rows.
"""

import doctest
import importlib
import os
import pkgutil
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from treebounds.formats import from_spark

pyspark = pytest.importorskip("pyspark", reason="NOT RUN: pyspark is not installed")

from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.classification import (
    DecisionTreeClassificationModel,
    DecisionTreeClassifier,
    GBTClassifier,
    RandomForestClassifier,
)
from pyspark.ml.evaluation import MulticlassClassificationEvaluator
from pyspark.ml.feature import StringIndexer, VectorAssembler, VectorIndexer
from pyspark.ml.linalg import Vectors
from pyspark.ml.regression import DecisionTreeRegressor, RandomForestRegressor
from pyspark.ml.tuning import ParamGridBuilder, TrainValidationSplit
from pyspark.sql import functions as F
from pyspark.sql.types import DoubleType

import treebounds
from treebounds import FeatureKinds, certify, prune
from treebounds.pruning import BoundRule, LocalRule
from treebounds.spark import CertifiedSparkTree, certify_model, prune_model
from treebounds.spark.rows_of_trees import _numbers_grown
from treebounds.trees import count_classes, count_statistics

NAMES = ["a", "b", "c"]
N_ROWS = 10_000


def sample(seed=0):
    """Rows with many ties and, in column c, six categories; a label that depends on all
    of them.
    """
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"a": rng.normal(size=N_ROWS).round(1), "b": rng.integers(0, 40, N_ROWS) / 8.0}
    )
    frame["c"] = rng.integers(0, 6, N_ROWS).astype(float)
    signal_ = (
        frame.a
        + np.where(frame.b > 2, np.sin(3 * frame.c), 0)
        + rng.normal(size=N_ROWS)
    )
    frame["label"] = np.digitize(signal_, [-0.7, 0.7]).astype(float)
    frame["key"] = np.arange(N_ROWS)
    frame["customer"] = np.arange(N_ROWS) // 10
    return frame


PANDAS = sample()


def assembler():
    return VectorAssembler(inputCols=NAMES, outputCol="features")


@pytest.fixture(scope="module")
def frame(spark):
    return assembler().transform(spark.createDataFrame(PANDAS)).cache()


@pytest.fixture(scope="module")
def new(spark):
    """Rows on which no model is grown."""
    return assembler().transform(spark.createDataFrame(sample(seed=1))).cache()


@pytest.fixture(scope="module")
def model(frame):
    return DecisionTreeClassifier(maxDepth=10, maxBins=64).fit(frame)


@pytest.fixture(scope="module")
def categorical(frame):
    """The frame with c declared as a feature of six categories, and a tree on it."""
    indexed = VectorIndexer(
        inputCol="features", outputCol="indexed", maxCategories=6
    ).fit(frame)
    rows = indexed.transform(frame)
    return rows, DecisionTreeClassifier(
        featuresCol="indexed", maxDepth=8, maxBins=64
    ).fit(rows)


def leaves_of(model, rows):
    """The leaf of each row, numbered from left to right, and the prediction, as Spark
    gives them.
    """
    rows_with_leaves = (
        model.copy()
        .setLeafCol("leaf")
        .transform(rows)
        .select("key", "leaf", "prediction")
    )
    return (
        rows_with_leaves.toPandas()
        .sort_values("key")[["leaf", "prediction"]]
        .to_numpy()
    )


def same_leaves(tree, model, rows):
    X = PANDAS[NAMES].to_numpy()
    spark_leaves, predicted = leaves_of(model, rows).T
    # Spark numbers its nodes in preorder.
    leaves = np.flatnonzero(tree.is_leaf)
    np.testing.assert_array_equal(leaves[spark_leaves.astype(int)], tree.apply(X))
    np.testing.assert_allclose(predicted, tree.predict(X), rtol=1e-12)


def test_a_tree_is_read(frame, model, categorical):
    tree = from_spark(model)
    assert (tree.n_nodes, tree.n_features, tree.n_classes) == (model.numNodes, 3, 3)
    same_leaves(tree, model, frame)
    counted = count_classes(tree, [(PANDAS[NAMES], PANDAS.label)])
    np.testing.assert_array_equal(tree.class_counts, counted)
    rows, by_category = categorical
    tree = from_spark(by_category)
    assert tree.asks_for_category.any()
    same_leaves(tree, by_category, rows)


@pytest.fixture(scope="module")
def more_than_half(spark):
    """A tree in which four of six categories go left: Spark keeps the other two."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 6, 600), rng.normal(size=600)])
    y = ((X[:, 0] >= 4) ^ (X[:, 1] > 1)).astype(float)
    pairs = zip(y.tolist(), map(Vectors.dense, X.tolist()), strict=True)
    rows = spark.createDataFrame(pairs, ["label", "features"])
    indexer = VectorIndexer(inputCol="features", outputCol="indexed", maxCategories=10)
    grower = DecisionTreeClassifier(featuresCol="indexed", maxDepth=3, seed=1)
    return grower.fit(indexer.fit(rows).transform(rows))


ODD = [[c, s] for c in (0, 2, 3, 4, 5, np.nan, 6, 17, -1) for s in (-1.0, 2.0)]


def test_missing_and_unknown_categories_go_where_spark_sends_them(more_than_half):
    tree = from_spark(more_than_half)
    assert (tree.children_left > tree.children_right).any()
    predicted = [more_than_half.predict(Vectors.dense(row)) for row in ODD]
    np.testing.assert_array_equal(tree.predict(ODD), predicted)


def test_a_pruned_model_sends_them_there_too(more_than_half):
    pruned = prune_model(more_than_half, rule=1.0)
    expected = prune(from_spark(more_than_half), rule=1.0)
    predicted = [pruned.predict(Vectors.dense(row)) for row in ODD]
    np.testing.assert_array_equal(expected.predict(ODD), predicted)
    assert from_spark(pruned) == expected


def test_a_regressor_is_read_with_its_sums(frame):
    model = DecisionTreeRegressor(maxDepth=5, labelCol="b").fit(frame)
    tree = from_spark(model)
    X = PANDAS[NAMES].to_numpy()
    same_leaves(tree, model, frame)
    np.testing.assert_allclose(
        count_statistics(tree, [(X, PANDAS.b)]), tree.target_sums, rtol=1e-9
    )
    forest = RandomForestRegressor(numTrees=2, maxDepth=3, labelCol="b").fit(frame)
    assert from_spark(forest, tree=1) == from_spark(forest.trees[1])


def test_a_member_of_a_forest(frame):
    forest = RandomForestClassifier(numTrees=2, maxDepth=4, seed=0).fit(frame)
    assert from_spark(forest, tree=1) == from_spark(forest.trees[1])
    with pytest.raises(ValueError, match="the model has 2 trees; name one"):
        from_spark(forest)


def test_pruning_from_counts_equals_pruning_in_memory(frame, model, tmp_path):
    tree = from_spark(model)
    for rule in ("bound", "noise", 3.0):
        pruned = prune_model(model, rule=rule)
        expected = prune(tree, rule=rule)
        assert from_spark(pruned) == expected
        assert 1 < expected.n_leaves < tree.n_leaves
        same_leaves(expected, pruned, frame)
    assert (model.numNodes, pruned.uid) == (tree.n_nodes, model.uid)
    assert (pruned.getMaxDepth(), pruned.getMaxBins()) == (10, 64)
    pruned.save(str(tmp_path / "pruned"))
    again = DecisionTreeClassificationModel.load(str(tmp_path / "pruned"))
    assert again.toDebugString == pruned.toDebugString
    folder = tmp_path / "folder"
    prune_model(model, folder=str(folder))
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("rule", [None, "counted", 20.0])
def test_a_regressor_is_pruned_from_three_sums_of_each_node(frame, rule):
    """By default a cut has the price that LocalRule gives for the bins of Spark."""
    grower = DecisionTreeRegressor(maxDepth=8, maxBins=64, labelCol="label")
    model = grower.fit(frame)
    tree = from_spark(model)
    pruned = prune_model(model, rule=rule)
    in_memory = LocalRule(n_cuts=[63.0] * 3) if rule is None else rule
    expected = prune(tree, rule=in_memory)
    assert from_spark(pruned) == expected
    assert 1 < expected.n_leaves < tree.n_leaves
    same_leaves(expected, pruned, frame)


def test_a_rule_for_the_other_kind_of_tree_is_refused(frame, model):
    with pytest.raises(ValueError, match="for a tree that predicts classes; got 'loc"):
        prune_model(model, rule="local")
    numbers = DecisionTreeRegressor(maxDepth=3, labelCol="label").fit(frame)
    with pytest.raises(ValueError, match="for a tree that predicts numbers; got 'bou"):
        prune_model(numbers, rule="bound")
    weighted = DecisionTreeRegressor(maxDepth=3, labelCol="label", weightCol="b")
    with pytest.raises(ValueError, match="model was grown with weights"):
        prune_model(weighted.fit(frame))


def test_a_pipeline_is_pruned_at_its_end(spark, tmp_path):
    raw = spark.createDataFrame(PANDAS)
    fitted = Pipeline(stages=[assembler(), DecisionTreeClassifier(maxDepth=10)]).fit(
        raw
    )
    pruned = prune_model(fitted)
    pruned.save(str(tmp_path / "pipeline"))
    again = PipelineModel.load(str(tmp_path / "pipeline"))
    assert (
        again.stages[-1].numNodes
        == pruned.stages[-1].numNodes
        < fitted.stages[-1].numNodes
    )
    new = spark.createDataFrame(sample(seed=1))
    assert certify_model(again, new).n_leaves == (pruned.stages[-1].numNodes + 1) // 2


def test_categories_need_their_price(categorical):
    rows, model = categorical
    with pytest.raises(ValueError, match="the tree splits by sets of categories"):
        prune_model(model)
    kinds = FeatureKinds(real=2, nominal_subsets=[6])
    pruned = prune_model(model, rule=BoundRule(n_features=kinds))
    declared = prune_model(model, feature_kinds=kinds)
    assert declared.toDebugString == pruned.toDebugString
    assert 1 < pruned.numNodes < model.numNodes
    same_leaves(from_spark(pruned), pruned, rows)


def test_a_certificate_is_that_of_the_rows(spark, model):
    new = sample(seed=1)
    pruned = prune_model(model)
    rows = assembler().transform(spark.createDataFrame(new))
    certificate = certify_model(pruned, rows, delta=0.01)
    local = certify(from_spark(pruned), new[NAMES], new.label.astype(int), delta=0.01)
    for name in ("value", "n_errors", "n_examples", "n_leaves", "delta"):
        assert getattr(certificate, name) == getattr(local, name)
    assert "errs on at most" in str(certificate)


def test_batches_of_a_parquet_file(model, tmp_path, monkeypatch):
    """The guide's block that reads Parquet gives the certificate of rows in memory."""
    page = Path(__file__).parents[2] / "notebooks" / "guide" / "trees-from-elsewhere.md"
    (block,) = re.findall(
        r"```python\n(from pyarrow.*?)```", page.read_text("utf-8"), re.DOTALL
    )
    monkeypatch.chdir(tmp_path)
    # More rows than one batch has.
    samples = [sample(seed) for seed in range(1, 11)]
    rows = pd.concat([new[NAMES].assign(odd=new.label.astype(int)) for new in samples])
    rows.to_parquet("new.parquet")
    names = {"tb": treebounds, "tree": from_spark(model)}
    exec(block, names)
    assert len(list(names["parquet_batches"]("new.parquet", label="odd"))) > 1
    expected = certify(names["tree"], rows[NAMES], rows.odd)
    assert (names["certificate"].n_errors, names["certificate"].n_examples) == (
        expected.n_errors,
        len(rows),
    )


def test_halves_by_a_hash(frame):
    tree = CertifiedSparkTree(
        key="key", n_halvings=1, learner=DecisionTreeClassifier(maxDepth=6)
    )
    certificate = tree.fit(frame).certificate_
    candidates = tree.candidates_
    assert candidates.n_examples.sum() == N_ROWS
    assert (candidates.n_examples > 4500).all()
    assert certificate.value == candidates.bound.min()
    assert certificate.n_candidates == 2
    assert certificate.estimator is tree.model_
    assert f"{certificate.n_leaves} leaves" in str(certificate)
    assert "the best of 2 candidates" in str(certificate)
    shuffled = frame.repartition(5).orderBy(F.rand(1))
    np.testing.assert_array_equal(
        tree.fit(shuffled).candidates_.n_examples, candidates.n_examples
    )


def test_a_frame_that_was_repeated_under_other_keys_is_refused(frame):
    few = frame.limit(300).drop("key", "customer").persist()
    twice = few.union(few).withColumn("key", F.monotonically_increasing_id())
    learner = DecisionTreeClassifier(maxDepth=2)

    made = CertifiedSparkTree(key="key", n_halvings=1, learner=learner)
    with pytest.raises(ValueError, match="each of them 2 times"):
        made.fit(twice)
    with pytest.raises(ValueError, match="each of them 2 times"):
        certify_model(learner.fit(few), twice)


def test_a_frame_of_which_a_part_was_repeated_gives_a_warning(spark):
    numbers = np.arange(300.0)
    rows = [(Vectors.dense(x), float(x % 2)) for x in [*numbers, *numbers[:150]]]
    frame = spark.createDataFrame(rows, ["features", "label"])
    model = DecisionTreeClassifier(maxDepth=2).fit(frame.limit(100))
    with pytest.warns(UserWarning, match="150 of its 450 rows repeat others"):
        certify_model(model, frame)


def test_the_sentence_says_how_many_rows_repeat_others(spark):
    numbers = np.arange(300.0)
    rows = [(Vectors.dense(x), float(x % 2)) for x in [*numbers, *numbers[:30]]]
    rows[0] = (Vectors.sparse(1, []), 0.0)  # the vector of a 0, written otherwise
    frame = spark.createDataFrame(rows, ["features", "label"])
    model = DecisionTreeClassifier(maxDepth=2).fit(frame.limit(200))

    assert "Of 330 examples, 30 (9.1%) repeat" in str(certify_model(model, frame))
    keyed = frame.withColumn("key", F.monotonically_increasing_id())
    made = CertifiedSparkTree(key="key", n_halvings=1).fit(keyed)
    assert "Of 330 examples, 30 (9.1%) repeat" in str(made.certificate_)


@pytest.fixture(scope="module")
def noise(spark):
    """Rows whose labels follow from nothing, and a tree that knows them by heart."""
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.normal(size=(600, 3)), columns=NAMES)
    rows["label"] = rng.integers(0, 2, 600).astype(float)
    frame = spark.createDataFrame(rows)
    tree = DecisionTreeClassifier(maxDepth=12)
    return frame, Pipeline(stages=[assembler(), tree]).fit(frame)


@pytest.mark.parametrize("rule", [None, 0.5])
def test_the_rows_of_a_tree_are_refused(noise, rule):
    frame, model = noise
    if rule is not None:
        model = prune_model(model, rule=rule)
    with pytest.raises(ValueError, match="the tree was grown on these examples"):
        certify_model(model, frame.orderBy("b"))

    tree = model.stages[-1]
    with pytest.raises(ValueError, match="the tree was grown on these examples"):
        certify_model(tree, model.stages[0].transform(frame))


def test_the_rows_of_a_tree_among_others_are_refused(spark, noise):
    frame, model = noise
    rng = np.random.default_rng(1)
    others = pd.DataFrame(rng.normal(size=(200, 3)), columns=NAMES)
    others["label"] = rng.integers(0, 3, 200).astype(float)
    others = spark.createDataFrame(others)
    with pytest.raises(ValueError, match="seem to be among these"):
        certify_model(model, frame.union(others))
    assert certify_model(model, others).value > 0.5


def test_a_part_of_the_rows_of_a_tree_is_refused(spark, noise):
    frame, _ = noise
    tree = DecisionTreeClassifier(maxDepth=12, minInstancesPerNode=5)
    model = Pipeline(stages=[assembler(), tree]).fit(frame)
    rows = frame.toPandas()
    with pytest.raises(ValueError, match="look like a part of those that the tree"):
        certify_model(model, spark.createDataFrame(rows[:520]))

    rng = np.random.default_rng(1)
    rows[NAMES] = rng.normal(size=(600, 3))
    assert certify_model(model, spark.createDataFrame(rows[:520])).value > 0.5


def test_a_part_that_does_not_reach_every_leaf_is_refused(spark, noise):
    frame, model = noise
    rows = frame.toPandas()
    part = spark.createDataFrame(rows[:480])
    tree = model.stages[-1]
    leaf = tree.copy({tree.leafCol: "leaf"}).transform(model.stages[0].transform(part))
    assert leaf.select("leaf").distinct().count() < (tree.numNodes + 1) // 2
    with pytest.raises(ValueError, match="look like a part of those that the tree"):
        certify_model(model, part)


@pytest.mark.parametrize(
    ("learner", "parameters"),
    [
        (GBTClassifier, {"maxIter": 2}),
        (RandomForestClassifier, {"numTrees": 2, "bootstrap": False}),
    ],
)
def test_the_rows_of_several_trees_are_refused(spark, noise, learner, parameters):
    frame, _ = noise
    trees = learner(maxDepth=8, **parameters)
    model = Pipeline(stages=[assembler(), trees]).fit(frame)
    rng = np.random.default_rng(1)
    others = pd.DataFrame(rng.normal(size=(600, 3)), columns=NAMES)
    others["label"] = rng.integers(0, 2, 600).astype(float)
    others = spark.createDataFrame(others)

    with pytest.raises(ValueError, match="the tree was grown on these examples"):
        certify_model(model, frame.orderBy("b"))
    with pytest.raises(ValueError, match="seem to be among these"):
        certify_model(model, frame.union(others.limit(60)))
    assert certify_model(model, others).value > 0.45


@pytest.mark.parametrize(
    ("learner", "parameters"),
    [
        (DecisionTreeClassifier, {}),
        (GBTClassifier, {"maxIter": 2}),
        (RandomForestClassifier, {"numTrees": 2, "bootstrap": False}),
    ],
)
def test_weights_do_not_hide_the_rows(spark, noise, learner, parameters):
    """The weights make both classes equally heavy, and their sum is that of the rows:
    only the numbers at the leaves tell the rows.
    """
    frame, _ = noise
    shares = {
        row["label"]: row["count"] for row in frame.groupBy("label").count().collect()
    }
    weight = F.when(F.col("label") == 1, 300 / shares[1.0]).otherwise(300 / shares[0.0])
    weighted = frame.withColumn("w", weight)
    trees = learner(maxDepth=8, weightCol="w", **parameters)
    model = Pipeline(stages=[assembler(), trees]).fit(weighted)
    rng = np.random.default_rng(1)
    others = pd.DataFrame(rng.normal(size=(600, 3)), columns=NAMES)
    others["label"] = rng.integers(0, 2, 600).astype(float)
    others = spark.createDataFrame(others)

    with pytest.raises(ValueError, match="the tree was grown on these examples"):
        certify_model(model, frame.orderBy("b"))
    with pytest.raises(ValueError, match="seem to be among these"):
        certify_model(model, frame.union(others.limit(20)))
    with pytest.raises(ValueError, match="look like a part of those"):
        certify_model(model, frame.orderBy("a").limit(599))
    assert certify_model(model, others).value > 0.45


def test_the_numbers_of_boosting_are_those_of_its_first_tree(noise):
    frame, _ = noise
    rows = assembler().transform(frame)
    model = GBTClassifier(maxIter=1).fit(rows)
    tree = model.trees[0]
    leaves = tree.copy({tree.leafCol: "leaf"}).transform(rows).toPandas()
    numbers = pd.crosstab(leaves.leaf, leaves.label)

    assert np.array_equal(_numbers_grown(tree), numbers)


def test_the_best_model_of_a_search_is_certified(noise, new):
    learner = DecisionTreeClassifier(maxDepth=2)
    rows = assembler().transform(noise[0])
    search = TrainValidationSplit(
        estimator=learner,
        estimatorParamMaps=ParamGridBuilder().build(),
        evaluator=MulticlassClassificationEvaluator(),
    ).fit(rows)

    certificate = certify_model(search, new)
    assert certificate.value == certify_model(search.bestModel, new).value
    assert "this tree with" in str(certificate)
    with pytest.raises(ValueError, match=r"was grown on these|look like a part"):
        certify_model(search, rows)
    with pytest.raises(ValueError, match="its bestModel"):
        prune_model(search)


def test_labels_that_a_pipeline_makes_of_words(spark):
    rows = pd.DataFrame({"a": np.arange(200.0), "word": ["no"] * 120 + ["yes"] * 80})
    stages = [
        StringIndexer(inputCol="word", outputCol="number"),
        VectorAssembler(inputCols=["a"], outputCol="features"),
        DecisionTreeClassifier(labelCol="number"),
    ]
    model = Pipeline(stages=stages).fit(spark.createDataFrame(rows))
    others = pd.DataFrame({"a": [3.5, 110.5, 150.5], "word": ["no", "yes", "yes"]})

    certificate = certify_model(model, spark.createDataFrame(others))
    assert (certificate.n_errors, certificate.n_examples) == (1, 3)


def test_as_many_other_rows_are_certified(noise, spark):
    frame, model = noise
    flipped = frame.withColumn("label", 1 - F.col("label"))
    assert certify_model(model, flipped).value > 0.5


def test_groups_stay_together(frame):
    options = {"n_halvings": 1, "learner": DecisionTreeClassifier(maxDepth=4)}
    grouped = CertifiedSparkTree(key="customer", grouped=True, **options).fit(frame)
    assert grouped.certificate_.n_groups * 10 == grouped.certificate_.n_examples
    assert grouped.candidates_.n_examples.sum() == N_ROWS
    assert "cases of a new group" in str(grouped.certificate_)


def test_the_driver_receives_counts_only(frame, new, model, monkeypatch):
    received = []
    collect = pyspark.sql.classic.dataframe.DataFrame.collect

    def counted(self):
        rows = collect(self)
        received.append(len(rows))
        return rows

    def refused(self, *arguments, **options):
        raise AssertionError("rows for the driver")

    monkeypatch.setattr(pyspark.sql.classic.dataframe.DataFrame, "collect", counted)
    for name in ("toPandas", "toLocalIterator", "tail", "toArrow"):
        monkeypatch.setattr(pyspark.sql.classic.dataframe.DataFrame, name, refused)
    monkeypatch.setattr(pyspark.RDD, "collect", refused)
    certify_model(model, new)
    # Of each leaf the numbers of three classes, and pairs of classes.
    assert max(received) <= 3 * (model.numNodes + 1) / 2
    prune_model(model)
    learner = DecisionTreeClassifier(maxDepth=3)
    CertifiedSparkTree(key="customer", grouped=True, n_halvings=1, learner=learner).fit(
        frame
    )
    assert max(received) <= model.numNodes


def test_spark_connect():
    """The client runs in another process: one process has sessions of one kind."""
    pytest.importorskip("grpc", reason="NOT RUN: grpcio is not installed")
    client = """import pyspark.sql, treebounds as tb, treebounds.spark as ts
from treebounds.formats import from_spark
from pyspark.ml import classification, feature
spark = pyspark.sql.SparkSession.builder.remote("local[1]").getOrCreate()
try:
    assembler = feature.VectorAssembler(inputCols=["id"], outputCol="features")
    frame = assembler.transform(spark.range(200))
    frame = frame.selectExpr("features", "double(id % 5 = 0 OR id > 99) AS label")
    model = classification.DecisionTreeClassifier().fit(frame)
    pruned = ts.prune_model(model)
    assert from_spark(pruned) == tb.prune(from_spark(model))
    new = assembler.transform(spark.range(150, 250))
    new = new.selectExpr("features", "1.0 AS label")
    assert ts.certify_model(pruned, new).n_examples == 100
finally:
    spark.stop()  # or the process does not end
"""
    subprocess.run([sys.executable, "-c", client], check=True)


def test_a_worker_that_dies_changes_nothing(spark, model, tmp_path):
    """The process that counts is killed once; Spark counts its part again."""
    mark = tmp_path / "killed"

    def kill_once(value):
        try:
            os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return value
        # The parent of this process forks Python workers.
        with open(f"/proc/{os.getppid()}/stat") as stat:
            executor = int(stat.read().rpartition(")")[2].split()[1])
        os.kill(executor, signal.SIGKILL)
        return value

    rows = spark.createDataFrame(sample(seed=1))
    expected = certify_model(model, assembler().transform(rows))
    dying = rows.repartition(4)
    dying = dying.withColumn("a", F.udf(kill_once, DoubleType())("a"))
    certificate = certify_model(model, assembler().transform(dying))
    assert mark.exists()
    assert (certificate.n_errors, certificate.n_examples) == (
        expected.n_errors,
        expected.n_examples,
    )


def test_bad_input(frame, new, model):
    parameters = {
        "key": "key",
        "learner": DecisionTreeClassifier(maxDepth=2),
        "n_halvings": 1,
    }
    some = frame.limit(20)
    without = frame.withColumn("label", F.when(F.col("key") < 9999, F.col("label")))
    constant = some.withColumn("key", F.lit(1))
    keyless = some.withColumn("key", F.lit(None))
    boosted = GBTClassifier(maxIter=1).fit(frame.where("label < 2"))
    weighted = frame.withColumn("w", F.col("label") + 0.5)
    for call, message in (
        (
            lambda: from_spark(None),
            "model must be a tree or forest",
        ),
        (
            lambda: prune_model(boosted),
            "the trees of GBTClassificationModel are fitted",
        ),
        (lambda: from_spark(boosted), "the trees of GBTClassificationModel are fitted"),
        (
            lambda: prune_model(DecisionTreeClassifier(weightCol="w").fit(weighted)),
            "was grown with weights",
        ),
        (
            lambda: prune_model(model, rule="reduced-error"),
            "needs examples that the tree was not grown on",
        ),
        (lambda: prune_model(model, rule="best"), "rule must be one of"),
        (
            lambda: certify_model(model, frame.drop("features")),
            "frame has no column 'features'",
        ),
        (
            lambda: certify_model(model, frame.drop("label")),
            "frame has no column 'label'",
        ),
        (lambda: certify_model(model, frame.where("key < 0")), "frame has no rows"),
        (lambda: certify_model(model, without), "1 rows have no label"),
        (
            lambda: certify_model(
                model, new.withColumn("label", F.col("label").cast("string"))
            ),
            "column 'label' holds words",
        ),
        (
            lambda: certify_model(assembler(), frame),
            "model must be a fitted classifier",
        ),
        (
            lambda: certify_model(DecisionTreeRegressor(maxDepth=2).fit(frame), new),
            "model must be a fitted classifier",
        ),
        (lambda: certify_model(model, frame, delta=1.0), "delta must be a number in"),
        (
            lambda: CertifiedSparkTree(**parameters | {"key": "id"}).fit(frame),
            "frame has no column 'id'",
        ),
        (
            lambda: CertifiedSparkTree(**parameters).fit(frame.drop("features")),
            "frame has no column 'features'",
        ),
        (
            lambda: CertifiedSparkTree(**parameters).fit(frame.where("key < 0")),
            "frame has no rows",
        ),
        (
            lambda: CertifiedSparkTree(**parameters | {"key": "customer"}).fit(frame),
            "set grouped=True",
        ),
        (
            lambda: CertifiedSparkTree(**parameters, grouped=True).fit(constant),
            "a half is empty; column 'key'",
        ),
        (
            lambda: CertifiedSparkTree(**parameters | {"n_halvings": 0}).fit(frame),
            "n_halvings must be an integer",
        ),
        (
            lambda: CertifiedSparkTree(**parameters).fit(keyless),
            "20 rows have no key in column 'key'",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_a_class_that_only_the_judging_half_has_counts_as_errors(frame):
    half = F.pmod(F.xxhash64(F.lit("0 0"), F.col("key").cast("string")), F.lit(2))
    rows = frame.withColumn(
        "label",
        F.when((half == 0) & (F.col("label") == 2), 3.0).otherwise(F.col("label")),
    )
    learner = DecisionTreeClassifier(maxDepth=4)
    candidates = (
        CertifiedSparkTree(key="key", n_halvings=1, learner=learner)
        .fit(rows)
        .candidates_
    )
    judged = prune_model(learner.fit(rows.where(half == 1))).transform(
        rows.where(half == 0)
    )
    assert candidates.n_errors[1] == judged.where("label != prediction").count()
    assert (
        judged.where("label = 3 and prediction = 3").count()
        == 0
        < judged.where("label = 3").count()
    )


def test_labels_that_the_model_has_not_met_are_errors(frame):
    two = DecisionTreeClassifier(maxDepth=2).fit(frame.where("label < 2"))
    local = certify(from_spark(two), PANDAS[NAMES], PANDAS.label.astype(int))
    assert (
        certify_model(two, frame).n_errors
        == local.n_errors
        >= (PANDAS.label == 2).sum()
    )


def modules_of_spark():
    """Each module that needs Spark."""
    inside = pkgutil.iter_modules(treebounds.spark.__path__, "treebounds.spark.")
    names = [module.name for module in inside]
    return ["treebounds.spark", "treebounds.formats.spark", *names]


@pytest.mark.parametrize("module", modules_of_spark())
def test_the_examples_of_the_docstrings_run(spark, module):
    assert doctest.testmod(importlib.import_module(module)).failed == 0
