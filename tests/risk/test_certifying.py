"""Certificates from new examples: values, classes, groups, batches, bad input."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from sklearn import ensemble
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from treebounds import certify
from treebounds.formats import from_sklearn, to_sklearn
from treebounds.risk import binomial_tail_inversion
from treebounds.risk.tail_inversion import bounded_mean_inversion


def test_the_value_inverts_the_binomial_tail_of_the_errors(halves):
    tree, _, _, X_new, y_new = halves
    k = int((tree.predict(X_new) != y_new).sum())
    certificate = certify(tree, X_new, y_new)
    assert certificate.n_errors == k
    assert certificate.value == binomial_tail_inversion(k, len(y_new), math.log(0.05))
    assert binom.cdf(k, len(y_new), certificate.value) == pytest.approx(0.05)


def test_the_certificate_is_about_the_model(halves):
    tree, _, _, X_new, y_new = halves
    certificate = certify(tree, X_new, y_new, delta=0.1)
    assert certificate.estimator is tree
    assert (certificate.method, certificate.delta) == ("test-set", 0.1)
    assert certificate.sentence.startswith("With probability 0.9 over the 143 examples")


def test_a_label_that_the_model_does_not_know_is_an_error(halves):
    tree, _, _, X_new, y_new = halves
    right = np.flatnonzero(tree.predict(X_new) == y_new)[0]
    unknown = np.where(np.arange(len(y_new)) == right, "unheard of", y_new)
    expected = certify(tree, X_new, y_new).n_errors + 1
    assert certify(tree, X_new, unknown).n_errors == expected


def test_missing_values_are_the_models_matter(halves):
    _, X, y, X_new, y_new = halves
    forest = ensemble.RandomForestClassifier(5, random_state=0).fit(X, y)
    holes = pd.DataFrame(X_new, dtype="Float64").mask(X_new < X_new[0])
    certificate = certify(forest, holes, y_new)
    assert certificate.n_errors == (forest.predict(holes) != y_new).sum()


def test_lists_are_taken(halves):
    tree, _, _, X_new, y_new = halves
    as_lists = certify(tree, X_new.tolist(), y_new.tolist())
    assert as_lists == certify(tree, X_new, y_new)


class TestGroups:
    def test_the_limit_is_for_the_mean_loss_of_a_group(self, halves):
        tree, _, _, X_new, y_new = halves
        groups = np.arange(len(y_new)) // 6
        wrong = tree.predict(X_new) != y_new
        losses = [wrong[groups == group].mean() for group in np.unique(groups)]
        expected = bounded_mean_inversion(np.mean(losses), len(losses), math.log(0.05))

        certificate = certify(tree, X_new, y_new, groups=groups)
        assert certificate.value == expected
        assert certificate.n_groups == len(losses)

    def test_the_sentence_is_about_a_new_group(self, halves):
        tree, _, _, X_new, y_new = halves
        certificate = certify(tree, X_new, y_new, groups=np.arange(len(y_new)) // 6)
        phrase = "of the cases of a new group, in the mean over groups"
        assert phrase in certificate.sentence
        assert certificate.assumptions[0].startswith("The groups are independent")

    def test_the_kind_of_limit_does_not_depend_on_the_sizes_of_the_groups(self, halves):
        tree, _, _, X_new, y_new = halves
        alone = certify(tree, X_new, y_new, groups=np.arange(len(y_new)))
        assert alone.n_groups == len(y_new)
        assert alone > certify(tree, X_new, y_new)

    def test_too_few_groups_are_refused(self, halves):
        tree, _, _, X_new, y_new = halves
        message = "groups must hold at least 4 different values; got 3"
        with pytest.raises(ValueError, match=message):
            certify(tree, X_new, y_new, groups=np.arange(len(y_new)) % 3)

    def test_groups_of_another_length_are_refused(self, halves):
        tree, _, _, X_new, y_new = halves
        with pytest.raises(ValueError, match=r"groups must be a vector .* \(\d+, 2\)"):
            certify(tree, X_new, y_new, groups=np.zeros((len(y_new), 2)))
        with pytest.raises(ValueError, match="groups must have one entry for each"):
            certify(tree, X_new, y_new, groups=np.arange(len(y_new) - 1))


class TestClasses:
    def test_each_class_has_its_own_limit(self, halves):
        tree, _, _, X_new, y_new = halves
        certificates = certify(tree, X_new, y_new, delta=0.1, by="class")
        assert list(certificates) == ["benign", "malignant"]
        wrong = tree.predict(X_new) != y_new
        for label, certificate in certificates.items():
            n = int((y_new == label).sum())
            k = int(wrong[y_new == label].sum())
            assert (certificate.n_examples, certificate.n_errors) == (n, k)
            expected = binomial_tail_inversion(k, n, math.log(0.1 / 2))
            assert certificate.value == expected

    def test_the_sentence_names_the_class(self, halves):
        tree, _, _, X_new, y_new = halves
        certificate = certify(tree, X_new, y_new, by="class")["benign"]
        n = certificate.n_examples
        assert (
            f"over the {n} examples of class 'benign', this tree with 5 leaves misses"
            " at most" in certificate.sentence
        )
        assert (
            "of the new cases of class 'benign' (test-set, 2 classes at once), if these"
            " examples had no part in making it, in preparing its input or in choosing"
            " it, and if they are drawn like new cases, independently of each other and"
            " of those that made it." in certificate.sentence
        )
        assert json.dumps(certificate.to_dict())

    def test_a_class_without_examples_promises_nothing(self, halves):
        tree, _, _, X_new, y_new = halves
        benign = y_new == "benign"
        certificates = certify(tree, X_new[benign], y_new[benign], by="class")
        absent = certificates["malignant"]
        assert (absent.n_examples, absent.value) == (0, 1.0)
        assert "class 'malignant'" in absent.sentence

    def test_a_constant_classifier_says_so(self):
        y = np.repeat(["no", "yes"], [480, 20])
        X = np.arange(500.0).reshape(-1, 1)
        constant = DummyClassifier().fit(X, y)
        certificate = certify(constant, X + 1000, y, by="class")["no"]
        assert "It predicts 'no' for each" in certificate.sentence

    def test_several_outputs_are_refused(self, halves):
        _, X, y, X_new, y_new = halves
        model = MultiOutputClassifier(DecisionTreeClassifier()).fit(X, y[:, np.newaxis])
        with pytest.raises(ValueError, match="one label for each example"):
            certify(model, X_new, y_new)

    def test_unknown_classes_are_refused(self, halves):
        tree, _, _, X_new, y_new = halves
        other = np.where(np.arange(len(y_new)) == 3, "other", y_new)
        message = r"only the classes .* if by='class'; got \['other'\]"
        with pytest.raises(ValueError, match=message):
            certify(tree, X_new, other, by="class")

    def test_no_batch_is_no_sample(self, halves):
        with pytest.raises(ValueError, match=r"^X must hold at least one example$"):
            certify(halves[0], [])

    def test_groups_are_refused(self, halves):
        tree, _, _, X_new, y_new = halves
        with pytest.raises(ValueError, match="exclude each other"):
            certify(tree, X_new, y_new, by="class", groups=np.arange(len(y_new)))

    def test_other_partitions_are_refused(self, halves):
        tree, _, _, X_new, y_new = halves
        message = "by must be None, 'class', 'leaf', or an array"
        with pytest.raises(ValueError, match=message):
            certify(tree, X_new, y_new, by="label")

    @pytest.mark.no_cover
    def test_all_limits_hold_at_once(self):
        """A rule of known risks in each class, whose classes occur by chance."""
        rng = np.random.default_rng(0)
        stump = DecisionTreeClassifier(max_depth=1).fit([[0], [1]], [0, 1])
        risks = np.array([0.1, 0.3])
        n_draws = 400
        delta = 0.2
        n_broken = 0
        for _ in range(n_draws):
            y = (rng.random(60) < 0.2).astype(int)
            X = np.where(rng.random(60) < risks[y], 1 - y, y).reshape(-1, 1)
            limits = certify(stump, X, y, delta=delta, by="class")
            n_broken += any(limits[label] < risks[label] for label in (0, 1))
        assert binom.sf(n_broken - 1, n_draws, delta) > 0.001


class TestBatches:
    def test_batches_are_judged_like_one_sample(self, halves):
        tree, X, _, X_new, y_new = halves
        whole = certify(tree, X_new, y_new, X_grown=X)
        rows = np.split(X_new, [40, 40])
        labels = np.split(y_new, [40, 40])
        batches = zip(rows, labels, strict=True)  # the second one is empty
        assert certify(tree, batches, X_grown=X).to_dict() == whole.to_dict()

    def test_a_list_of_batches_is_taken(self, halves):
        tree, _, _, X_new, y_new = halves
        assert certify(tree, [(X_new, y_new)]) == certify(tree, X_new, y_new)

    def test_groups_are_refused(self, halves):
        tree, _, _, X_new, y_new = halves
        with pytest.raises(ValueError, match="only without groups"):
            certify(tree, [(X_new, y_new)], groups=np.arange(143))

    @pytest.mark.parametrize("both", [False, True])
    def test_labels_are_given_once(self, halves, both):
        tree, _, _, X_new, y_new = halves
        sample = (iter([(X_new, y_new)]), y_new) if both else (X_new,)
        message = "y must hold the labels, or be None if X is an iterable"
        with pytest.raises(ValueError, match=message):
            certify(tree, *sample)


class TestRemarks:
    X = np.arange(100.0).reshape(-1, 1)
    y = np.repeat(["stay", "churn"], [80, 20])

    def test_a_constant_classifier_says_so(self):
        sentence = certify(DummyClassifier().fit(self.X, self.y), self.X, self.y)
        assert "It predicts 'stay' for each of these examples." in str(sentence)

    def test_a_classifier_without_gain_says_so(self):
        tree = DecisionTreeClassifier(max_depth=1).fit([[0], [1]], ["stay", "churn"])
        poor = np.where(np.arange(100) % 5 == 0, 1, 0).reshape(-1, 1)
        assert (
            "no gain over always predicting 'stay', which errs on 20 of these examples"
            in certify(tree, poor, self.y).sentence
        )

    def test_the_majority_s_error_stands_beside_the_limit(self):
        tree = DecisionTreeClassifier(max_depth=1).fit([[0], [1]], ["stay", "churn"])
        right = (self.y == "churn").reshape(-1, 1)
        remark = "Always predicting 'stay' errs on 20.0% of these examples."
        assert certify(tree, right, self.y).remark == remark


class TestModels:
    def test_an_array_tree_has_the_certificate_of_its_tree(self, halves):
        tree, _, _, X_new, y_new = halves
        codes = (y_new == "malignant").astype(int)
        certificate = certify(from_sklearn(tree), X_new.astype(np.float32), codes)
        assert certificate.value == certify(tree, X_new, y_new).value
        assert certificate.n_leaves == 5
        assert certificate.to_dict()["estimator"] == "ArrayTree"

    def test_an_array_tree_needs_numbers_or_a_tree_that_predicts_words(self, halves):
        tree, _, _, X_new, y_new = halves
        array_tree = from_sklearn(tree)
        with pytest.raises(ValueError, match=r"give np.searchsorted\(labels, y\)"):
            certify(array_tree, X_new, y_new)
        numbered = certify(
            array_tree, X_new, np.searchsorted(array_tree.classes, y_new)
        )
        assert numbered.n_errors == certify(tree, X_new, y_new).n_errors
        labeled = certify(to_sklearn(array_tree, tree.classes_), X_new, y_new)
        assert labeled.n_errors == certify(tree, X_new, y_new).n_errors

    @pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
    def test_boosters_are_certified(self, halves, library):
        _, X, y, X_new, y_new = halves
        module = pytest.importorskip(library)
        learner = (
            module.LGBMClassifier(n_estimators=9, num_leaves=7, verbose=-1)
            if library == "lightgbm"
            else module.XGBClassifier(n_estimators=9)
        )
        grown, codes = ((labels == "malignant").astype(int) for labels in (y, y_new))
        for model in (learner, make_pipeline(StandardScaler(), learner)):
            assert certify(model.fit(X, grown), X_new, codes) < 0.2

    def test_a_booster_without_the_interface_is_refused(self, halves):
        _, X, y, X_new, y_new = halves
        lightgbm = pytest.importorskip("lightgbm")
        model = lightgbm.LGBMClassifier(n_estimators=2, verbose=-1).fit(X, y)
        with pytest.raises(ValueError, match="model must be a fitted classifier"):
            certify(model.booster_, X_new, y_new)

    def test_a_vote_of_pipelines_is_no_tree(self, halves):
        tree, X, y, X_new, y_new = halves
        members = [("a", make_pipeline(StandardScaler(), tree)), ("b", tree)]
        vote = ensemble.VotingClassifier(members).fit(X, y)
        assert certify(vote, X_new, y_new).n_leaves is None

    def test_a_pipeline_on_a_frame_of_mixed_columns(self):
        rng = np.random.default_rng(0)
        frame = pd.DataFrame(
            {"a": rng.normal(size=200), "b": rng.choice(["u", "v", "w"], size=200)}
        )
        y = (frame["a"] > 0).to_numpy().astype(int)
        encode = make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), ["b"]), remainder="passthrough"
        )
        model = make_pipeline(encode, DecisionTreeClassifier(max_leaf_nodes=3))
        model.fit(frame[:100], y[:100])
        assert certify(model, frame[100:], y[100:]) < 0.1


class Threshold:
    """A model in a class of the caller's, which predicts by one column."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[(np.asarray(X)[:, 0] > 15).astype(int)]


class WithInterface(ClassifierMixin, BaseEstimator, Threshold):
    """The same as the error for the other one advises."""


class TestBadInput:
    def test_the_advice_for_a_class_of_the_callers_is_right(self, halves):
        _, X, y, X_new, y_new = halves
        with pytest.raises(ValueError, match=r"ClassifierMixin.*BaseEstimator after"):
            certify(Threshold().fit(X, y), X_new, y_new)
        certificate = certify(WithInterface().fit(X, y), X_new, y_new)
        assert certificate.n_examples == len(y_new)

    @pytest.mark.parametrize(
        "wrong",
        [DecisionTreeClassifier, StandardScaler().fit([[0.0]]), None, [None]],
        ids=["class", "transformer", "None", "list"],
    )
    def test_what_is_no_classifier_is_refused(self, halves, wrong):
        *_, X_new, y_new = halves
        with pytest.raises(ValueError, match="model must be a fitted classifier"):
            certify(wrong, X_new, y_new)

    def test_an_unfitted_classifier_is_refused(self, halves):
        *_, X_new, y_new = halves
        message = "model is not fitted yet: call fit on this DecisionTreeClassifier"
        with pytest.raises(ValueError, match=message):
            certify(DecisionTreeClassifier(), X_new, y_new)

    def test_labels_of_another_kind_are_refused(self, halves):
        tree, _, _, X_new, _ = halves
        with pytest.raises(ValueError, match="y has none of the labels"):
            certify(tree, X_new, np.zeros(len(X_new)))

    def test_samples_of_another_shape_are_refused(self, halves):
        tree, _, _, X_new, y_new = halves
        with pytest.raises(ValueError, match="y must have one label for each row"):
            certify(tree, X_new, y_new[:-1])
        with pytest.raises(ValueError, match="y must have one label for each row"):
            certify(tree, X_new[:-1], y_new)
        with pytest.raises(ValueError, match="features"):
            certify(tree, X_new[:, :3], y_new)

    @pytest.mark.parametrize("wrong", [5, np.array(5.0), "rows", {}, object()])
    def test_what_is_no_table_is_refused(self, halves, wrong):
        tree, _, _, X_new, y_new = halves
        with pytest.raises(ValueError, match=r"^X must be an array, a frame"):
            certify(tree, wrong, y_new)
        with pytest.raises(ValueError, match=r"^X_grown must be an array, a frame"):
            certify(tree, X_new, y_new, X_grown=wrong)

    def test_batches_beside_labels_are_refused(self, halves):
        tree, _, _, X_new, y_new = halves
        batches = [(X_new[:50], y_new[:50]), (X_new[50:], y_new[50:])]
        with pytest.raises(ValueError, match=r"has 2 rows.*batches"):
            certify(tree, batches, y_new)

    @pytest.mark.parametrize("gap", [math.nan, None])
    def test_a_missing_label_is_refused(self, halves, gap):
        tree, _, _, X_new, y_new = halves
        labels = np.where(np.arange(len(y_new)) == 3, gap, y_new.astype(object))
        with pytest.raises(ValueError, match="every example needs a class"):
            certify(tree, X_new, labels)

    @pytest.mark.parametrize("delta", [0, 1, -0.1, math.nan, "0.05", None])
    def test_delta_is_checked(self, halves, delta):
        tree, _, _, X_new, y_new = halves
        with pytest.raises(ValueError, match="delta must be a number in"):
            certify(tree, X_new, y_new, delta=delta)

    def test_a_confidence_in_place_of_delta_is_noticed(self, halves):
        tree, _, _, X_new, y_new = halves
        with pytest.warns(UserWarning, match=r"holds with probability 0\.05 only"):
            certify(tree, X_new, y_new, delta=0.95)

    @pytest.mark.parametrize(
        "options",
        [
            {},
            {"by": "leaf"},
            {"cost": [1, 3]},
            {"cost": np.linspace(0, 1, 143)},
            {"tolerance": 0.5},
            {"coverage": 0.8},
        ],
    )
    def test_it_is_noticed_once(self, halves, options):
        _, X, y, X_new, y_new = halves
        kind = DecisionTreeClassifier
        if {"tolerance", "coverage"} & set(options):
            kind = DecisionTreeRegressor
        model = kind(max_leaf_nodes=4, random_state=0).fit(X, y == "benign")
        with pytest.warns(UserWarning, match="is usual") as warned:
            certify(model, X_new, y_new == "benign", delta=0.95, **options)
        assert len(warned) == 1
        assert warned[0].filename == __file__

    def test_a_model_that_drops_rows_is_refused(self, halves):
        *_, X_new, y_new = halves

        class Dropping(DecisionTreeClassifier):
            def predict(self, X):
                return super().predict(X)[1:]

        model = Dropping(max_leaf_nodes=4).fit(*halves[1:3])
        with pytest.raises(ValueError, match="a dropped row has no prediction"):
            certify(model, X_new, y_new)

    def test_a_column_of_predictions_is_read(self, halves):
        tree, _, _, X_new, y_new = halves

        class Column(DecisionTreeClassifier):
            def predict(self, X):
                return super().predict(X)[:, np.newaxis]

        model = Column(max_leaf_nodes=5, random_state=0).fit(*halves[1:3])
        assert certify(model, X_new, y_new) == certify(tree, X_new, y_new)


@pytest.mark.parametrize(("dtype", "first"), [(float, 2**53), (np.float32, 2**24)])
def test_labels_that_floats_cannot_tell_apart_are_refused(dtype, first):
    rows = np.arange(40.0)[:, np.newaxis]
    labels = first + np.arange(40) % 2
    model = DecisionTreeClassifier(max_depth=1).fit(rows, labels)
    with pytest.raises(ValueError, match="y holds floats of"):
        certify(model, rows + 0.25, labels.astype(dtype))
    assert certify(model, rows + 0.25, labels).n_examples == 40
