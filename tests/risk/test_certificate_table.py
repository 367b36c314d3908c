"""Tables of certificates by leaf and by group."""

import html
import json
import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, binomtest
from sklearn.datasets import load_breast_cancer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from treebounds import CertifiedClassifier, CertifiedTreeClassifier, certify
from treebounds.formats import from_sklearn
from treebounds.risk import CertificateTable, binomial_tail_inversion


@pytest.fixture(scope="module")
def sample():
    """Noisy labels, so that a tree has leaves of few cases."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(1500, 3))
    y = np.where(rng.uniform(size=1500) < 0.15, "yes", "no")
    y[X[:, 0] > 0.6] = "yes"
    return X[:500], y[:500], X[500:], y[500:]


@pytest.fixture(scope="module")
def tree(sample):
    X, y, _, _ = sample
    return DecisionTreeClassifier(max_leaf_nodes=30, random_state=0).fit(X, y)


@pytest.fixture(scope="module")
def table(tree, sample):
    _, _, X_new, y_new = sample
    return certify(tree, X_new, y_new, by="leaf")


def test_each_limit_is_that_of_its_cases_at_an_equal_level(tree, sample):
    _, _, X_new, y_new = sample
    table = certify(tree, X_new, y_new, by="leaf", min_rows=1)
    reached = tree.apply(X_new)
    wrong = tree.predict(X_new) != y_new
    gamma = 1 - 0.95 ** (1 / (tree.get_n_leaves() + 1))
    assert set(table) == set(np.flatnonzero(tree.tree_.children_left < 0))
    for leaf, certificate in table.items():
        n = (reached == leaf).sum()
        k = wrong[reached == leaf].sum()
        if certificate is None:
            assert gamma ** (1 / n) <= 0.5 if n else True
        else:
            assert (certificate.n_examples, certificate.n_errors) == (n, k)
            assert binom.cdf(k, n, certificate.value) == pytest.approx(gamma)


def test_the_whole_tree_is_in_the_same_product(tree, table, sample):
    _, _, X_new, y_new = sample
    k = int((tree.predict(X_new) != y_new).sum())
    log_gamma = math.log(1 - 0.95 ** (1 / (len(table) + 1)))
    assert table.whole.value == pytest.approx(
        binomial_tail_inversion(k, len(y_new), log_gamma)
    )


def test_joined_leaves_have_enough_training_cases(tree, table, sample):
    counts = tree.tree_.n_node_samples
    assert all(counts[node] >= 50 for node in table)
    left = tree.tree_.children_left
    right = tree.tree_.children_right
    for node in table:
        if left[node] >= 0:
            assert min(counts[left[node]], counts[right[node]]) < 50


def test_the_parts_divide_the_cases(table, sample):
    assert sum(part.n_examples for part in table.parts) == len(sample[3])
    assert sum(part.n_errors for part in table.parts) == table.whole.n_errors


def test_the_answers_of_the_judging_cases_have_no_part_in_the_joining(tree, sample):
    _, _, X_new, y_new = sample
    other = np.where(y_new == "yes", "no", "yes")
    assert set(certify(tree, X_new, other, by="leaf")) == set(
        certify(tree, X_new, y_new, by="leaf")
    )


def test_no_table_holds_with_probability_1(tree, sample):
    _, _, X_new, y_new = sample
    table = certify(tree, X_new, y_new, by="class", delta=1e-12)
    assert str(table).startswith("With probability 1 - 1e-12 over")


def test_too_few_cases_say_so(tree, sample):
    _, _, X_new, y_new = sample
    table = certify(tree, X_new[:40], y_new[:40], by="leaf")
    few = [part for part in table.parts if part.certificate is None]
    assert few
    part = few[0]
    assert f"{part.n_examples} case" in str(table)
    assert "too few to say anything; it takes" in str(table)
    assert "too few to say anything" in table._repr_html_()
    frame = table.to_frame().set_index("node")
    assert math.isnan(frame.loc[part.label, "limit"])


def test_a_rule_is_true_of_the_rows_that_reach_its_node(tree, sample):
    _, _, X_new, y_new = sample
    frame = pd.DataFrame(X_new, columns=["a", "b", "c"])
    tree_with_names = DecisionTreeClassifier(max_leaf_nodes=30, random_state=0)
    tree_with_names.fit(pd.DataFrame(sample[0], columns=["a", "b", "c"]), sample[1])
    table = certify(tree_with_names, frame, y_new, by="leaf", min_rows=1)
    reached = tree_with_names.apply(frame)
    for part in table.parts:
        rule = part.rule.replace(" and ", ") & (")
        inside = frame.eval(f"({rule})") if rule != "always" else True
        assert (inside == (reached == part.label)).mean() > 0.995


def test_a_part_shows_what_its_leaves_predict_if_they_agree(tree, sample):
    _, _, X_new, y_new = sample
    table = certify(tree, X_new, y_new, by="leaf", min_rows=1)
    predicted = dict(zip(tree.apply(X_new), tree.predict(X_new), strict=True))
    for part in table.parts:
        assert predicted.get(part.label, part.prediction) == part.prediction
    root = certify(tree, X_new, y_new, by="leaf", min_rows=1000)
    assert [part.prediction for part in root.parts] == [None]


def test_the_frame_has_a_row_for_each_part(table):
    frame = table.to_frame()
    assert list(frame)[:4] == ["node", "rule", "prediction", "n_examples"]
    assert {"n_errors", "share", "limit"} <= set(frame)
    assert list(frame["node"]) == list(table)


def test_a_dict_of_a_table_is_plain(table):
    plain = json.loads(json.dumps(table.to_dict()))
    assert [part["label"] for part in plain["parts"]] == list(table)
    assert plain["whole"]["n_examples"] == 1000


def test_the_picture_has_a_bar_for_each_limit(table):
    n_limits = sum(certificate is not None for certificate in table.values())
    assert table._repr_html_().count("at most") == n_limits


def test_the_picture_has_a_cell_below_each_title(table, tree, sample):
    _, _, X_new, y_new = sample
    by_group = certify(tree, X_new, y_new, by=np.arange(len(y_new)) % 2)
    for each in (table, by_group):
        head, *rows = each._repr_html_().split("<tr>")[1:]
        assert len(rows) == len(each)
        assert {row.count("<td>") for row in rows} == {head.count("<th>")}
        assert all(
            part.rule in html.unescape(row)
            for part, row in zip(each.parts, rows, strict=True)
        )


def test_one_sentence_for_the_whole(table):
    assert table.n_below(1.1) == sum(
        part.n_examples for part in table.parts if part.certificate is not None
    )
    assert "limit below 30%" in table.summary(0.3)
    assert str(table.n_below(0.3)) in table.summary(0.3)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda tree: make_pipeline(StandardScaler(), tree),
        lambda tree: GridSearchCV(tree, {"max_depth": [3]}, cv=2),
    ],
    ids=["pipeline", "search"],
)
def test_a_tree_inside_has_leaves_too(wrap, sample):
    X, y, X_new, y_new = sample
    model = wrap(DecisionTreeClassifier(max_depth=3, random_state=0)).fit(X, y)
    table = certify(model, X_new, y_new, by="leaf")
    assert table.whole.n_errors == (model.predict(X_new) != y_new).sum()


def test_an_array_tree_gives_the_same_table(tree, sample):
    _, _, X_new, y_new = sample
    codes = (y_new == "yes").astype(int)
    expected = certify(tree, X_new, y_new, by="leaf")
    table = certify(from_sklearn(tree), X_new, codes, by="leaf")
    assert [part.n_errors for part in table.parts] == [
        part.n_errors for part in expected.parts
    ]


def test_batches_give_the_same_table(tree, table, sample):
    _, _, X_new, y_new = sample
    batches = ((X_new[i : i + 300], y_new[i : i + 300]) for i in range(0, 1000, 300))
    assert certify(tree, batches, by="leaf") == table


def test_a_forest_has_no_leaves_to_certify(sample):
    X, y, X_new, y_new = sample
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="needs a single tree"):
        certify(forest, X_new, y_new, by="leaf")


def test_the_leaves_of_a_certified_classifier_are_those_of_its_estimator(sample):
    X, y, X_new, y_new = sample
    tree = DecisionTreeClassifier(max_leaf_nodes=4, random_state=0)
    model = CertifiedClassifier(tree, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="give the model that it holds, estimator_"):
        certify(model, X_new, y_new, by="leaf")
    assert certify(model.estimator_, X_new, y_new, by="leaf").n_examples == 1000


class TestGroups:
    def test_each_group_has_its_limit(self, tree, sample):
        _, _, X_new, y_new = sample
        region = np.where(X_new[:, 1] < 0.3, "north", "south")
        table = certify(tree, X_new, y_new, by=region)
        assert isinstance(table, CertificateTable)
        assert list(table) == ["north", "south"]
        inside = region == "north"
        wrong = tree.predict(X_new) != y_new
        k = int(wrong[inside].sum())
        n = int(inside.sum())
        log_gamma = math.log(1 - 0.95 ** (1 / 3))
        expected = binomial_tail_inversion(k, n, log_gamma)
        assert table["north"].value == pytest.approx(expected)

    def test_numbers_name_groups(self, tree, sample):
        _, _, X_new, y_new = sample
        table = certify(tree, X_new, y_new, by=np.arange(1000) % 3)
        assert list(table) == [0, 1, 2]
        assert "group" in table.to_frame()

    @pytest.mark.parametrize("kind", [list, np.array, pd.Series, pd.Categorical])
    def test_words_are_counted_in_every_container(self, tree, sample, kind):
        _, _, X_new, y_new = sample
        table = certify(tree, X_new, y_new, by=kind(["b", "a", "b", "c"] * 250))
        assert {part.label: part.n_examples for part in table.parts} == {
            "a": 250,
            "b": 500,
            "c": 250,
        }

    def test_any_model_will_do(self, sample):
        X, y, X_new, y_new = sample
        forest = RandomForestClassifier(5, random_state=0).fit(X, y)
        table = certify(forest, X_new, y_new, by=list(np.arange(1000) % 2))
        assert table.whole.n_examples == 1000

    @pytest.mark.parametrize(
        ("by", "message"),
        [
            (np.zeros(3), "one group for each of the 1000"),
            (np.r_[np.nan, np.zeros(999)], "contains NaN.* a group of their own"),
            (
                np.zeros((1000, 2)),
                r"one name for each; got an array of shape \(1000",
            ),
            (np.array(["a", 1] * 500, dtype=object), "that can be sorted"),
            ("region", r"for example a column, X\['region'\]; got 'region'"),
            (7, "by must be None, 'class', 'leaf'.* got 7"),
        ],
    )
    def test_bad_groups_are_named(self, tree, sample, by, message):
        _, _, X_new, y_new = sample
        with pytest.raises(ValueError, match=message):
            certify(tree, X_new, y_new, by=by)

    def test_batches_have_no_array_of_groups(self, tree, sample):
        _, _, X_new, y_new = sample
        with pytest.raises(ValueError, match="only if y is given"):
            certify(tree, iter([(X_new, y_new)]), by=np.zeros(1000))


@pytest.mark.parametrize("by", ["leaf", "class", np.arange(1000) % 5])
def test_dependent_cases_have_no_parts(tree, sample, by):
    _, _, X_new, y_new = sample
    with pytest.raises(ValueError, match=r"exclude each other.* one of each group"):
        certify(tree, X_new, y_new, by=by, groups=np.arange(1000) % 9)


@pytest.mark.parametrize(
    ("question", "share"), [({"tolerance": 2}, 0.5), ({"coverage": 0.8}, 0.8)]
)
def test_a_part_of_as_many_cases_as_it_takes_has_a_limit(question, share):
    """Three limits hold at once. The least number of cases is the first n for which n
    draws are all among a share with a probability of at most the level.
    """
    level = 1 - 0.95 ** (1 / 3)
    least = next(n for n in range(1, 99) if share**n <= level)
    X = np.repeat([[0.0], [1.0]], 60, axis=0)
    y = X[:, 0]
    tree = DecisionTreeRegressor().fit(X, y)
    for n_few in (least - 1, least):
        rows = np.r_[:n_few, 60:119]
        options = {"by": "leaf", "duplicates": "ignore", **question}
        table = certify(tree, X[rows], y[rows], **options)
        assert (table[1] is None) == (n_few < least)
        few = f"{n_few} cases, too few to say anything; it takes {least}."
        assert (few in str(table)) == (n_few < least)


def test_a_table_of_numbers_counts_the_cases_that_were_off_by_more():
    """A leaf predicts 0 or 10, and one case of the second is off by 5."""
    X = np.repeat([[0.0], [1.0]], 60, axis=0)
    y = np.repeat([0.0, 10.0], 60)
    tree = DecisionTreeRegressor().fit(X, y)
    off = np.where(np.arange(120) == 100, y + 5, y)
    words = str(certify(tree, X, off, by="leaf", tolerance=2, duplicates="ignore"))
    assert "All cases: 1 of 120 examples was off by more; off by more than 2" in words
    assert "0 of 60 examples were off by more; off by more than 2 on at most" in words


def test_min_rows_is_about_leaves(tree, sample):
    _, _, X_new, y_new = sample
    with pytest.raises(ValueError, match="min_rows needs by='leaf'"):
        certify(tree, X_new, y_new, min_rows=20)
    with pytest.raises(ValueError, match="min_rows"):
        certify(tree, X_new, y_new, by="leaf", min_rows=0)


def test_classes_give_a_table_too(sample):
    X, y = load_breast_cancer(return_X_y=True)
    tree = DecisionTreeClassifier(max_leaf_nodes=4, random_state=0).fit(X[::2], y[::2])
    table = certify(tree, X[1::2], y[1::2], by="class")
    assert isinstance(table, CertificateTable)
    assert list(table.to_frame()["class"]) == [0, 1]


def test_a_constant_says_so_in_every_table_and_beside_every_limit(sample):
    """Also where the limit is 1, and where no line is about all cases."""
    X, y, X_new, y_new = sample
    constant = DummyClassifier(strategy="constant", constant="no").fit(X, y)
    remark = "It predicts 'no' for each of these examples."
    for by in ("class", np.arange(1000) % 2):
        table = certify(constant, X_new, y_new, by=by)
        assert str(table).count(remark) == 1
    limits = certify(constant, X_new, y_new, by="class")
    assert limits["yes"].value == 1
    assert all(str(limit).endswith(remark) for limit in limits.values())


@pytest.mark.no_cover
@pytest.mark.parametrize("cost", [None, [1, 4]])
def test_all_limits_hold_at_once(cost):
    """Trees grown on the other half, with leaves of few cases, and true risks known."""
    rng = np.random.default_rng(3)
    n_draws = 200
    delta = 0.2
    n_broken = 0
    for _ in range(n_draws):
        X = rng.uniform(size=(160, 1))
        y = (rng.uniform(size=160) < 0.1 + 0.5 * (X[:, 0] > 0.5)).astype(int)
        tree = DecisionTreeClassifier(max_leaf_nodes=8, random_state=0)
        tree.fit(X[:80], y[:80])
        table = certify(
            tree, X[80:], y[80:], by="leaf", min_rows=1, cost=cost, delta=delta
        )
        n_broken += not _holds(tree, table, cost or [1, 1])
    assert binomtest(n_broken, n_draws, delta, alternative="greater").pvalue > 1e-3


def _holds(tree, table, cost):
    """Whether all limits are at least the true risks, on a fine grid of [0, 1]."""
    grid = (np.arange(20000)[:, np.newaxis] + 0.5) / 20000
    chance = 0.1 + 0.5 * (grid[:, 0] > 0.5)
    risk = np.where(tree.predict(grid) == 1, (1 - chance) * cost[0], chance * cost[1])
    reached = tree.apply(grid)
    limits = [
        certificate.value >= risk[reached == leaf].mean() - 1e-3
        for leaf, certificate in table.items()
        if certificate is not None
    ]
    return all(limits) and table.whole.value >= risk.mean() - 1e-3


@pytest.mark.no_cover
@pytest.mark.parametrize("cost", [None, [1, 5]])
def test_limits_of_groups_that_overlap_the_leaves_hold_at_once(cost):
    """A group is decided by another number than the leaf, and by the leaf, too."""
    rng = np.random.default_rng(7)
    n_draws = 150
    delta = 0.2
    n_broken = 0
    for _ in range(n_draws):
        X = rng.uniform(size=(240, 2))
        y = (rng.uniform(size=240) < _chance(X)).astype(int)
        tree = DecisionTreeClassifier(max_leaf_nodes=6, random_state=0)
        tree.fit(X[:120], y[:120])
        regions = _region(X[120:])
        table = certify(tree, X[120:], y[120:], by=regions, cost=cost, delta=delta)
        n_broken += not _groups_hold(tree, table, cost or [1, 1])
    assert binomtest(n_broken, n_draws, delta, alternative="greater").pvalue > 1e-3


def _groups_hold(tree, table, cost):
    """Whether all limits are at least the true mean costs, on a fine grid."""
    side = (np.arange(200) + 0.5) / 200
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    chance = _chance(grid)
    risk = np.where(tree.predict(grid) == 1, (1 - chance) * cost[0], chance * cost[1])
    limits = [
        certificate.value >= risk[_region(grid) == region].mean() - 1e-3
        for region, certificate in table.items()
        if certificate is not None
    ]
    return all(limits) and table.whole.value >= risk.mean() - 1e-3


def _chance(X):
    """The probability of class 1."""
    return 0.1 + 0.5 * (X[:, 0] > 0.5) + 0.2 * (X[:, 1] > 0.8)


def _region(X):
    """Three groups, one of which is rare."""
    return np.where(X[:, 1] > 0.95, "c", np.where(X.sum(axis=1) > 1, "a", "b"))


@pytest.mark.no_cover
def test_the_intervals_hold_at_once():
    """Shares of leaves and probabilities of classes, for a tree that is fixed."""
    tree = DecisionTreeClassifier(max_depth=1).fit([[0.0], [1.0]], [0, 1])
    rng = np.random.default_rng(4)
    n_draws = 400
    delta = 0.2
    n_broken = 0
    for _ in range(n_draws):
        X = (rng.uniform(size=(100, 1)) < 0.3).astype(float)
        y = np.where(rng.uniform(size=100) < 0.1, 1 - X[:, 0], X[:, 0]).astype(int)
        table = certify(tree, X, y, by="leaf", min_rows=1)
        frame = table.intervals(delta)
        share = frame["share_low"].le([0.7, 0.3]) & frame["share_high"].ge([0.7, 0.3])
        right = frame["right_low"].le(0.9) & frame["right_high"].ge(0.9)
        n_broken += not (share & right).all()
    assert binomtest(n_broken, n_draws, delta, alternative="greater").pvalue > 1e-3


def test_regression_leaves_show_their_value_and_tolerance():
    rng = np.random.default_rng(5)
    X = rng.uniform(size=(800, 1))
    y = 10 * (X[:, 0] > 0.5) + rng.normal(size=800)
    tree = DecisionTreeRegressor(max_leaf_nodes=2).fit(X[:400], y[:400])
    table = certify(tree, X[400:], y[400:], by="leaf", coverage=0.9)
    frame = table.to_frame().set_index("node")
    for node, certificate in table.items():
        assert certificate.value == 0.1
        assert frame.loc[node, "tolerance"] == certificate.tolerance
        assert frame.loc[node, "prediction"] == tree.tree_.value[node, 0, 0]
    assert 1.4 < table.whole.tolerance < 2.5
    assert table.summary().endswith(", that of all cases.")


def test_groups_in_another_order_of_labels_are_refused():
    X = pd.DataFrame({"x": np.arange(200.0)})
    model = DummyClassifier().fit([[0], [0]], [0, 0])
    y = pd.Series(np.arange(200) % 2)
    by = pd.Series(np.repeat(["f", "m"], 100))

    assert certify(model, X, y, by=by)["f"].n_examples == 100
    with pytest.raises(ValueError, match="by has the row labels of X in another order"):
        certify(model, X, y, by=by.iloc[::-1])
    with pytest.raises(ValueError, match=r"y\.to_numpy\(\) if it is in the order of X"):
        certify(model, X, y.iloc[::-1])


@pytest.mark.parametrize(
    ("step", "name"),
    [
        (StandardScaler(), "months after StandardScaler"),
        (FunctionTransformer(feature_names_out="one-to-one"), "months after Function"),
        (SelectKBest(k=1), "months "),
    ],
)
def test_a_rule_says_if_a_step_may_have_changed_the_unit(step, name):
    frame = pd.DataFrame({"months": np.linspace(1, 72, 300)})
    frame = frame.sample(frac=1, random_state=0)
    y = (frame["months"] < 20).to_numpy()
    model = make_pipeline(step, DecisionTreeClassifier(max_depth=1))
    model.fit(frame[:100], y[:100])

    table = certify(model, frame[100:], y[100:], by="leaf", min_rows=1)
    rules = [part.rule for part in table.parts]
    assert all(rule.startswith(name) for rule in rules), rules
    assert any("after" in rule for rule in rules) == ("after" in name)


@pytest.mark.parametrize("form", [np.asarray, pd.DataFrame])
def test_a_rule_says_where_missing_values_pass_if_there_are_any(form):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 1))
    y = (X[:, 0] > 0).astype(int)
    complete = form(X[200:].copy())
    X[::3] = np.nan
    y[::3] = 0
    tree = DecisionTreeClassifier(max_leaf_nodes=2).fit(X[:200], y[:200])

    few = certify(tree, form(X[200:]), y[200:], by="leaf", duplicates="ignore")
    assert ["missing" in part.rule for part in few.parts] == [True, False]
    none = certify(tree, complete, y[200:], by="leaf")
    assert ["missing" in part.rule for part in none.parts] == [False, False]


def test_the_leaves_of_a_certified_tree_say_it_too():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 1))
    y = (X[:, 0] > 0).astype(int)
    X[::3] = np.nan
    y[::3] = 0
    made = CertifiedTreeClassifier(random_state=0, duplicates="ignore").fit(X, y)
    rules = [part.rule for part in made.certificates_by_leaf_.parts]
    assert sum("(or missing)" in rule for rule in rules) == 1


@pytest.mark.parametrize("by", ["leaf", "class"])
def test_a_table_says_that_its_model_was_fitted_again(by):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = (X[:, 0] > 0).astype(int)
    tree = DecisionTreeClassifier(max_depth=1).fit(X[:200], y[:200])
    table = certify(tree, X[200:], y[200:], by=by)
    assert str(table).startswith("With probability")

    tree.fit(X[:200], 1 - y[:200])
    assert str(table).startswith("The model was changed, or fitted again")


def test_leaves_of_a_tree_that_predicts_otherwise_have_no_table(sample):
    class Contrarian(DecisionTreeClassifier):
        def predict(self, X, check_input=True):
            return np.where(super().predict(X) == "yes", "no", "yes")

    X, y, X_new, y_new = sample
    with pytest.raises(ValueError, match="predicts by its nodes"):
        certify(Contrarian(max_depth=2).fit(X, y), X_new, y_new, by="leaf")
