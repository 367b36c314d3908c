"""Rows that repeat others: refused, kept together, or counted, at every door."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    BaggingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from oracles.equal_rows import n_repeats
from treebounds import (
    BoundPrunedTreeClassifier,
    CertifiedTreeClassifier,
    CertifiedTreeRegressor,
    certify,
)
from treebounds.risk import certify_by_growth, certify_by_message, certify_prunings
from treebounds.risk.rows.duplicates import (
    DuplicateCheck,
    find_duplicates,
)
from treebounds.risk.rows.row_hashes import RowHashes

TABLES = {
    "iris": load_iris(return_X_y=True),
    "cancer": load_breast_cancer(return_X_y=True),
    "digits": load_digits(return_X_y=True),
}
COPIES = "look like copies"

# A tree of other rows, for doors that take one.
STUMP = DecisionTreeClassifier(max_leaf_nodes=2).fit(
    np.random.default_rng(1).normal(size=(50, 4)), np.arange(50) % 2
)
DOORS = {
    "certify": lambda X, y, how: certify(STUMP, X, y, **how),
    "by class": lambda X, y, how: certify(STUMP, X, y, by="class", **how),
    "cost": lambda X, y, how: certify(STUMP, X, y, cost={0: 1.0, 1: 2.0}, **how),
    "prunings": lambda X, y, how: certify_prunings(STUMP, X, y, **how),
    "halves": lambda X, y, how: fitted(CertifiedTreeClassifier(**how), X, X[:, 0] > 0),
    "message": lambda X, y, how: fitted(
        CertifiedTreeClassifier(method="message", **how), X, X[:, 0] > 0
    ),
    "growth": lambda X, y, how: fitted(
        CertifiedTreeClassifier(method="growth", max_leaf_nodes=4, **how),
        X,
        X[:, 0] > 0,
    ),
    "numbers": lambda X, y, how: fitted(
        CertifiedTreeRegressor(tolerance=0.9, **how), X, y
    ),
}


def fitted(model, X, y):
    """The certificate of an estimator that was fitted to the rows."""
    return model.set_params(random_state=0).fit(X, y).certificate_


# A member, or the model itself, keeps a record of rows, but perhaps not of all.
PRUNED = BoundPrunedTreeClassifier(rule="noise")
WITH_SOME_ROWS = {
    "vote": VotingClassifier([("tree", PRUNED)]),
    "bagging": BaggingClassifier(PRUNED, n_estimators=3, random_state=0),
    "vectors": SVC(),
}


def discrete(n=300, n_columns=6, n_values=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(n_values, size=(n, n_columns)).astype(float)
    return X, rng.integers(2, size=n)


def oversampled(X, y, label, seed=0):
    """The rows, with those of one class drawn with repetition until they are half."""
    rng = np.random.default_rng(seed)
    rare = np.flatnonzero(y == label)
    others = np.flatnonzero(y != label)
    rows = np.append(others, rng.choice(rare, len(others)))
    return X[rows], y[rows]


class TestCopiesAreFound:
    @pytest.mark.parametrize("name", TABLES)
    def test_a_table_itself_is_taken(self, name):
        X, y = TABLES[name]
        assert find_duplicates(X, y).repeats.n_repeats <= 1

    @pytest.mark.parametrize("name", TABLES)
    @pytest.mark.parametrize("share", [0.2, 1.0])
    def test_rows_that_are_entered_again_are_found(self, name, share):
        X, y = TABLES[name]
        again = np.random.default_rng(0).permutation(len(y))[: int(share * len(y))]
        rows = np.append(np.arange(len(y)), again)
        with pytest.raises(ValueError, match=COPIES):
            find_duplicates(X[rows], y[rows])

    @pytest.mark.parametrize("name", ["cancer", "digits"])
    def test_an_oversampled_class_is_found(self, name):
        X, y = TABLES[name]
        with pytest.raises(ValueError, match=r"\d+ of \d+ rows \(\d+\.\d%\) repeat"):
            find_duplicates(*oversampled(X, y, label=0))

    @pytest.mark.parametrize("n_columns", [1, 2, 6])
    def test_a_table_that_is_tiled_is_found_whatever_it_holds(self, n_columns):
        rng = np.random.default_rng(0)
        X = rng.integers(2, size=(200, n_columns)).astype(float)
        X[:, 0] = rng.permutation(200)  # a single column cannot be told by the others
        y = rng.integers(2, size=200)
        with pytest.raises(ValueError, match=COPIES):
            find_duplicates(np.tile(X, (3, 1)), np.tile(y, 3))

    @pytest.mark.parametrize(
        "form", [pd.DataFrame, csr_array, list], ids=["frame", "sparse", "list"]
    )
    def test_any_form_of_table_is_read(self, form):
        X, y = TABLES["cancer"]
        tiled = np.tile(X, (2, 1))
        labels = np.tile(y, 2)
        with pytest.raises(ValueError, match=COPIES):
            find_duplicates(form(tiled), labels)

    def test_words_are_compared(self):
        rng = np.random.default_rng(0)
        frame = pd.DataFrame(
            {"a": rng.normal(size=50), "b": rng.choice(["u", "v", None], size=50)}
        )
        twice = pd.concat([frame, frame])
        with pytest.raises(ValueError, match=COPIES):
            find_duplicates(twice, np.array(["x", "y"] * 50))


class TestChanceIsNot:
    @pytest.mark.parametrize("seed", range(5))
    def test_small_discrete_tables_repeat_by_chance(self, seed):
        repeats = find_duplicates(*discrete(seed=seed)).repeats
        assert repeats.n_repeats > 100

    def test_a_full_design_is_taken(self):
        X = np.array(np.meshgrid([0, 1], [0, 1], [0, 1])).reshape(3, -1).T
        assert find_duplicates(X, X[:, 0]).repeats.n_repeats == 0


@pytest.mark.parametrize("n_values", [2, 30, 10**6])
@pytest.mark.parametrize("n", [1, 60, 5000])
@pytest.mark.parametrize("n_groups", [None, 20])
def test_the_fast_count_is_the_obvious_one(n_values, n, n_groups):
    rng = np.random.default_rng(n)
    X = rng.integers(n_values, size=(n, 3))
    y = rng.choice(["yes", "no"], size=n)
    groups = None if n_groups is None else rng.integers(n_groups, size=n)
    counted = find_duplicates(X, y, "ignore", groups).repeats.n_repeats
    assert counted == n_repeats(X, y, groups)


class TestTogether:
    def test_each_case_is_kept_once(self):
        X, y = TABLES["iris"]
        duplicates = find_duplicates(np.tile(X, (2, 1)), np.tile(y, 2), "together")
        assert len(duplicates.kept) == len(np.unique(np.column_stack([X, y]), axis=0))
        assert duplicates.kept.max() < 150
        assert (duplicates.cases[:150] == duplicates.cases[150:]).all()

    def test_equal_rows_with_other_labels_are_other_cases(self):
        duplicates = find_duplicates([[1.0], [1.0]], [0, 1], "together")
        assert duplicates.kept.tolist() == [0, 1]

    @pytest.mark.parametrize("n_columns", [0, 1, 2])
    def test_a_feature_that_numbers_the_rows_makes_cases_different(self, n_columns):
        """Beside few other values, rows that differ by their number are no copies."""
        X, y = discrete(n_columns=n_columns)
        numbered = np.column_stack([np.arange(len(y)), X])
        duplicates = find_duplicates(numbered, y, "together")
        assert len(duplicates.kept) == len(y)
        assert duplicates.repeats.n_repeats == 0

    def test_batches_are_one_sample(self):
        check = DuplicateCheck("together")
        assert check.examine(RowHashes([[1.0], [2.0]]), [0, 0]).tolist() == [0, 1]
        assert check.examine(RowHashes([[3.0], [2.0]]), [0, 0]).tolist() == [0]
        assert check.repeats().n_repeats == 1


def test_together_assumes_copies_where_cases_are_alike():
    """Half of the cases are alike, and the model errs on them: they count as one."""
    rng = np.random.default_rng(0)
    is_alike = rng.random(400) < 0.5
    X = np.where(is_alike[:, np.newaxis], 5.0, rng.random((400, 2)))
    model = DummyClassifier(strategy="constant", constant=0).fit(X, is_alike * 1)
    assert certify(model, X, is_alike * 1) > 0.4
    together = certify(model, X, is_alike * 1, duplicates="together")
    assert together < 0.05
    assert "equal ones were taken for copies" in together.sentence


def test_an_unknown_policy_is_named():
    with pytest.raises(ValueError, match="duplicates must be one of 'refuse'"):
        find_duplicates(*TABLES["iris"], "drop")


@pytest.fixture(scope="module")
def split():
    """A tree, and new rows of which each occurs three times."""
    X, y = TABLES["cancer"]
    tree = DecisionTreeClassifier(max_leaf_nodes=3, random_state=0).fit(
        X[:300], y[:300]
    )
    return tree, X[300:], y[300:]


def three_times(X, y):
    return np.tile(X, (3, 1)), np.tile(y, 3)


@pytest.mark.parametrize(
    "judge", [certify, certify_prunings, certify_by_growth, certify_by_message]
)
@pytest.mark.filterwarnings("ignore:predict with the certificate")
class TestEveryTheorem:
    def test_copies_are_refused(self, split, judge):
        tree, X, y = split
        with pytest.raises(ValueError, match=COPIES):
            judge(tree, *three_times(X, y))

    def test_together_they_count_once(self, split, judge):
        tree, X, y = split
        single = judge(tree, X, y)
        together = judge(tree, *three_times(X, y), duplicates="together")
        assert together.value == single.value
        assert together.n_repeats == 2 * len(y)
        assert "taken for copies and counted once" in together.sentence
        assert "are copies of one case" in " ".join(together.assumptions)

    @pytest.mark.parametrize("policy", ["refuse", "ignore"])
    def test_a_single_one_is_mentioned(self, split, judge, policy):
        tree, X, y = split
        again = [*range(len(y)), 0]
        few = judge(tree, X[again], y[again], duplicates=policy)
        assert ", 1 (0.4%) repeats others and was counted as a different case" in (
            few.sentence
        )
        assert ("whether it is a copy was not" in few.sentence) == (policy == "ignore")

    def test_a_small_share_of_them_is_not_written_as_none(self, judge):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(3001, 3)), rng.integers(2, size=3001)
        X[-1], y[-1] = X[500], y[500]
        tree = DecisionTreeClassifier(max_depth=2).fit(X[:500], y[:500])
        certificate = judge(tree, X[500:], y[500:])
        assert ", 1 (less than 0.1%) repeats others" in certificate.sentence

    def test_ignored_they_are_mentioned(self, split, judge):
        tree, X, y = split
        ignored = judge(tree, *three_times(X, y), duplicates="ignore")
        assert ignored < judge(tree, X, y)
        assert "(66.7%) repeat others" in ignored.sentence
        assert "was not looked into" in ignored.sentence
        assert "not copies" in ignored.assumptions[-1]


@pytest.mark.parametrize("judge", [certify, certify_prunings])
def test_without_a_record_no_copy_may_have_made_the_model(split, judge):
    """A table that was written twice, and then divided, has most rows on both sides."""
    tree, X, y = split
    copies = three_times(X, y)
    others = X + 1
    unknown = judge(tree, *copies, duplicates="together")
    known = judge(tree, *copies, X_grown=others, duplicates="together")

    condition = "copies of one case, none of which had a part in making it"
    assert condition in unknown.sentence
    assert "No copy of these examples had a part" in unknown.assumptions[-1]
    assert "copies of one case" in known.sentence
    assert condition not in known.sentence
    for certificate in (unknown, known):
        assert "kept on one side" not in certificate.sentence


@pytest.mark.parametrize("judge", [certify, certify_prunings])
def test_rows_that_are_left_out_are_said_to_be_copies(split, judge):
    """Only if they are may the rest stand for all new cases."""
    tree, X, y = split
    before = np.vstack([X[:2], X[2:9] + 1])
    certificate = judge(tree, X, y, X_grown=before, duplicates="together")

    assert certificate.n_repeats == 0
    assert "2 have an equal among them and did not judge" in certificate.sentence
    assert "if equal examples are copies of one case" in certificate.sentence
    assumed = " ".join(certificate.assumptions)
    assert "are copies of one case" in assumed
    assert "are other cases" not in assumed


@pytest.mark.parametrize("method", ["halves", "message", "occam", "growth"])
class TestEveryMethodOfTheEstimator:
    def test_copies_are_refused(self, method):
        X, y = TABLES["cancer"]
        model = CertifiedTreeClassifier(method=method, random_state=0)
        with pytest.raises(ValueError, match=COPIES):
            model.fit(*three_times(X, y))

    def test_an_oversampled_class_is_refused(self, method):
        X, y = TABLES["cancer"]
        model = CertifiedTreeClassifier(method=method, random_state=0)
        with pytest.raises(ValueError, match=COPIES):
            model.fit(*oversampled(X, y, label=0))

    def test_together_they_count_once(self, method):
        X, y = TABLES["cancer"]
        model = CertifiedTreeClassifier(
            method=method, duplicates="together", random_state=0
        )
        certificate = model.fit(*three_times(X, y)).certificate_
        assert certificate.n_examples <= len(y)
        assert certificate.n_repeats == 2 * len(y)

    def test_repeats_by_chance_are_mentioned(self, method):
        X, y = discrete(n=200)
        certificate = CertifiedTreeClassifier(method=method).fit(X, y).certificate_
        assert certificate.n_repeats > 50
        assert "not copies" in certificate.assumptions[-1]


def test_a_table_says_what_a_certificate_says(split):
    tree, X, y = split
    table = certify(
        tree, *three_times(X, y), by=np.arange(3 * len(y)) % 2, duplicates="ignore"
    )
    assert "if these examples had no part in making it" in str(table)
    assert "(66.7%) repeat others" in str(table)
    assert "repeat others" in table._repr_html_()


class TestFewValues:
    """In a full design with 81 cells no test tells copies from other cases."""

    def test_the_sentence_gives_their_share_and_has_a_condition(self):
        X, y = oversampled(*discrete(n=400, n_columns=4, n_values=3), label=1)
        certificate = certify(STUMP, X, y, duplicates="ignore")
        share = certificate.n_repeats / certificate.n_rows
        assert share > 0.5
        assert f"({share:.1%}) repeat others" in certificate.sentence
        assert "if equal examples are different cases" in certificate.sentence

    @pytest.mark.parametrize(
        ("policy", "condition"),
        [
            ("ignore", "if equal examples are different cases"),
            ("together", "if equal examples are copies of one case"),
        ],
    )
    @pytest.mark.parametrize("door", DOORS)
    def test_every_door_has_it(self, door, policy, condition):
        X, y = discrete(n=600, n_columns=4, n_values=3)
        how = {"duplicates": policy}
        assert condition in str(DOORS[door](X, y, how))
        others = np.random.default_rng(0).normal(size=(600, 4))
        assert "equal examples" not in str(DOORS[door](others, y, how))


def each_three_times(X, y):
    return np.repeat(X, 3, axis=0), np.repeat(y, 3)


def some_again(X, y):
    return np.vstack([X, X[:150]]), np.append(y, y[:150])


WITHOUT_RECORD = {
    "tree": DecisionTreeClassifier(max_leaf_nodes=20),
    "forest": RandomForestClassifier(5, random_state=0),
    "boosting": HistGradientBoostingClassifier(max_iter=3),
}


class TestRowsThatMadeTheModel:
    def test_copies_of_them_are_refused_where_both_sides_repeat(self):
        """Repetitions inside the samples explain that rows recur, but not copies."""
        X, y = TABLES["cancer"]
        rng = np.random.default_rng(0)
        order = rng.permutation(3 * len(y))
        X, y = (part[order] for part in three_times(X, y))
        half = len(y) // 2
        tree = DecisionTreeClassifier(max_leaf_nodes=6).fit(X[:half], y[:half])
        _, new = np.unique(X[half:], axis=0, return_index=True)
        with pytest.raises(ValueError, match="a certificate needs others"):
            certify(tree, X[half:][new], y[half:][new], X_grown=X[:half])

    def test_the_advice_for_copies_leads_to_no_false_limit(self):
        """Where a table of noise is given twice and divided then."""
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(1000, 3)), rng.integers(0, 2, size=1000)
        order = rng.permutation(2000) % 1000
        grown, judging = order[:1400], order[1400:]
        tree = DecisionTreeClassifier(random_state=0).fit(X[grown], y[grown])
        with pytest.raises(ValueError, match=f"{COPIES}.*together.*give X_grown"):
            certify(tree, X[judging], y[judging])
        advised = {"duplicates": "together", "X_grown": X[grown]}
        assert certify(tree, X[judging], y[judging], **advised) > 0.45

    def test_equal_rows_of_columns_that_depend_on_each_other_may_judge(self):
        """A bill follows from its first two columns: 12 different rows, each drawn by
        itself.
        """
        rng = np.random.default_rng(0)
        number, price = rng.integers(1, 5, 2000), rng.choice([4.99, 9.99, 19.5], 2000)
        X = np.column_stack([number, price, number * price])
        y = rng.random(2000) < 0.1 * number
        tree = DecisionTreeClassifier(max_depth=2).fit(X[:1500], y[:1500])
        new = X[1500:], y[1500:]
        with pytest.raises(ValueError, match=r"look like copies.*duplicates='ignore'"):
            certify(tree, *new, X_grown=X[:1500])
        certificate = certify(tree, *new, X_grown=X[:1500], duplicates="ignore")
        n_errors = int((tree.predict(new[0]) != new[1]).sum())
        exact = stats.beta.ppf(0.95, n_errors + 1, 500 - n_errors)
        assert certificate.value == pytest.approx(exact)
        assert "500 have an equal among them" in certificate.sentence
        assert "whether they are copies was not looked into" in certificate.sentence

    def test_rows_that_were_used_are_refused_whatever_equal_rows_are(self):
        X, y = TABLES["cancer"]
        tree = DecisionTreeClassifier(max_leaf_nodes=6).fit(X[:400], y[:400])
        with pytest.raises(ValueError, match="more than independent samples have in"):
            certify(tree, X[300:], y[300:], X_grown=X[:400], duplicates="ignore")

    def test_the_advice_for_a_table_of_few_values_is_right(self):
        """Each of the four different rows made the tree, and each is a case again."""
        rng = np.random.default_rng(0)
        X, y = rng.integers(2, size=(200, 2)), rng.integers(2, size=200)
        tree = DecisionTreeClassifier().fit(X[:100], y[:100])
        asked = {"X_grown": X[:100]}
        with pytest.raises(ValueError, match="leave out duplicates='together'"):
            certify(tree, X[100:], y[100:], **asked, duplicates="together")
        assert certify(tree, X[100:], y[100:], **asked).n_examples == 100

    def test_together_leaves_them_out(self, split):
        tree, X, y = split
        grown = TABLES["cancer"][0][:300]
        both = np.vstack([X, grown[:9]]), np.append(y, TABLES["cancer"][1][:9])
        certificate = certify(tree, *both, X_grown=grown, duplicates="together")
        assert certificate.value == certify(tree, X, y).value
        assert "9 have an equal among them and did not judge" in certificate.sentence

        assumed = " ".join(certificate.assumptions)
        assert "are copies of one case" in assumed
        assert "other cases with the same values" not in assumed

    @pytest.mark.parametrize("policy", ["ignore", "together"])
    @pytest.mark.parametrize("repeat", [three_times, each_three_times, some_again])
    @pytest.mark.parametrize("name", list(WITHOUT_RECORD))
    def test_their_copies_are_recognized(self, name, repeat, policy):
        """All labels are coins, so no limit below 1/2 is true."""
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(400, 3)), rng.integers(0, 2, 400)
        model = clone(WITHOUT_RECORD[name]).fit(X, y)
        with pytest.raises(ValueError, match="was grown on these examples"):
            certify(model, *repeat(X, y), duplicates=policy)
        others = rng.normal(size=(400, 3)), rng.integers(0, 2, 400)
        assert certify(model, *repeat(*others), duplicates=policy) > 0.4

    @pytest.mark.parametrize("judge", [certify, certify_prunings])
    def test_copies_of_equal_rows_are_recognized(self, judge):
        """Rows of four values repeat by themselves, and then again by copies."""
        X, y = discrete(n_columns=2, n_values=4)
        tree = DecisionTreeClassifier(random_state=0).fit(X, y)
        with pytest.raises(ValueError, match="was grown on these examples"):
            judge(tree, *three_times(X, y), duplicates="ignore")
        with pytest.raises(ValueError, match="was grown on these examples"):
            judge(tree, X, y, duplicates="together")

    @pytest.mark.parametrize(
        "judge",
        [
            certify,
            certify_prunings,
            partial(certify, cost={0: 1.0, 1: 2.0}),
            partial(certify, by="leaf"),
        ],
    )
    def test_together_needs_a_row_that_is_left(self, judge):
        X, y = TABLES["cancer"]
        tree = BoundPrunedTreeClassifier(rule="noise").fit(X, y)
        with pytest.raises(ValueError, match="X has no rows to judge by; with"):
            judge(tree, X, y, duplicates="together")

    @pytest.mark.parametrize("policy", ["ignore", "together"])
    def test_copies_of_a_part_are_recognized(self, policy):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(400, 3)), rng.integers(0, 2, 400)
        tree = DecisionTreeClassifier(random_state=0).fit(X, y)
        half = X[:200], y[:200]
        twice = np.tile(half[0], (2, 1)), np.tile(half[1], 2)
        for rows, labels in (twice, three_times(*half), each_three_times(*half)):
            with pytest.raises(ValueError, match="look like a part of those"):
                certify(tree, rows, labels, duplicates=policy)

    def test_their_copies_are_recognized_in_batches(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(400, 3)), rng.integers(0, 2, 400)
        tree = DecisionTreeClassifier(random_state=0).fit(X, y)
        batches = (
            (X[start:][:100], y[start:][:100]) for start in (0, 50, 100, 200, 300)
        )
        with pytest.raises(ValueError, match="was grown on these examples"):
            certify(tree, batches, duplicates="together")

    @pytest.mark.parametrize("seed", range(20))
    def test_rows_that_repeat_by_chance_are_taken(self, seed):
        X, y = discrete(n=600, n_columns=3, n_values=3, seed=seed)
        tree = DecisionTreeClassifier(random_state=0).fit(X[:300], y[:300])
        for policy in ("refuse", "ignore"):
            assert certify(tree, X[300:], y[300:], duplicates=policy) > 0.4

    @pytest.mark.parametrize("name", list(WITH_SOME_ROWS))
    def test_together_needs_all_rows_of_an_ensemble(self, split, name):
        _, X, y = split
        grown, labels = TABLES["cancer"][0][:300], TABLES["cancer"][1][:300]
        model = clone(WITH_SOME_ROWS[name]).fit(grown, labels)
        rows = getattr(model, "support_", np.arange(9))[:9]
        both = np.vstack([X, grown[rows]]), np.append(y, labels[rows])
        with pytest.raises(ValueError, match="needs X_grown, with all rows"):
            certify(model, *both, duplicates="together")
        certificate = certify(model, *both, X_grown=grown, duplicates="together")
        assert certificate.value == certify(model, X, y).value
        assert "9 have an equal among them and did not judge" in certificate.sentence

    def test_support_vectors_are_not_all_rows(self):
        """All labels are coins, so no classifier errs on less than half."""
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(400, 3)), rng.integers(0, 2, 400)
        model = SVC(gamma=5.0).fit(X, y)
        with pytest.raises(ValueError, match="needs X_grown, with all rows"):
            certify(model, X, y, duplicates="together")

    def test_together_takes_many_rows_that_the_caller_names(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(10_000, 3)), rng.integers(0, 2, 10_000)
        tree = DecisionTreeClassifier(max_depth=3).fit(X, y)
        rows = np.vstack([rng.normal(size=(500, 3)), X[:50]])
        labels = rng.integers(0, 2, 550)
        how = {"X_grown": X, "duplicates": "together"}
        assert certify(tree, rows, labels, **how).n_examples == 500

    def test_together_needs_the_rows_before_any_step(self, split):
        _, X, y = split
        grown, labels = TABLES["cancer"][0][:300], TABLES["cancer"][1][:300]
        tree = BoundPrunedTreeClassifier(rule="noise")
        model = make_pipeline(StandardScaler(), tree).fit(grown, labels)
        both = np.vstack([X, grown[:9]]), np.append(y, labels[:9])
        how = {"duplicates": "together"}
        with pytest.raises(ValueError, match="as they reach a later step"):
            certify(model, *both, **how)
        certificate = certify(model, *both, X_grown=grown, **how)
        assert certificate.n_examples == len(X)
        assert "9 have an equal among them and did not judge" in certificate.sentence

    def test_together_needs_all_of_them(self):
        rng = np.random.default_rng(0)
        X = rng.random((10_000, 2))
        y = (X[:, 0] > 0.5).astype(int)
        model = CertifiedTreeClassifier(method="growth", max_leaf_nodes=4).fit(X, y)
        new = rng.random((3000, 2))
        new[0] = X[np.argmin(np.abs(X[:, 0] - 0.1))]
        options = {"duplicates": "together"}
        for rows in (X[:3000], X[3000:6000]):
            both = np.vstack([new, rows])
            labels = (both[:, 0] > 0.5).astype(int)
            with pytest.raises(ValueError, match=r"X_grown|needs others"):
                certify(model, both, labels, **options)


@pytest.mark.parametrize("n_columns", [1, 3, 12])
def test_repeats_are_counted_whatever_the_batches(n_columns):
    """Half of the columns have few values, so few of them do not tell rows apart."""
    rng = np.random.default_rng(n_columns)
    X = rng.integers(3, size=(20_000, n_columns)).astype(float)
    X[:, n_columns // 2 :] = rng.integers(40, size=(20_000, n_columns - n_columns // 2))
    y = rng.integers(2, size=20_000)
    expected = len(X) - len(
        {(*row, label) for row, label in zip(X.tolist(), y, strict=True)}
    )
    assert find_duplicates(X, y, "ignore").repeats.n_repeats == expected

    check = DuplicateCheck("ignore")
    for rows in np.array_split(np.arange(20_000), 3):
        check.examine(RowHashes(X[rows]), y[rows])
    assert check.repeats().n_repeats == expected
