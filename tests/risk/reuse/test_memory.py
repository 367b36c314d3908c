"""The record of the rows that made an estimator."""

import pickle
from copy import deepcopy

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from builders import ESTIMATORS
from treebounds import certify, prune
from treebounds.formats import from_sklearn
from treebounds.risk import certify_prunings
from treebounds.risk.reuse.memory import MOST, RowMemory
from treebounds.risk.rows.hash_function import hash_rows


def test_a_memory_counts_the_smallest_hashes():
    X = np.random.default_rng(0).random((10_000, 3))
    memory = RowMemory.of(np.repeat(X, 2, axis=0), n_leading=0)
    smallest = np.sort(hash_rows(X) >> np.uint64(32))[:MOST]
    assert np.array_equal(memory.hashes, smallest)
    assert memory.counts.tolist() == [2] * MOST


def test_few_of_many_rows_are_different():
    X = np.arange(MOST + 10).repeat(np.where(np.arange(MOST + 10) < 5, 5000, 1))
    memory = RowMemory.of(X.reshape(-1, 1))
    assert len(memory.hashes) == MOST
    assert set(memory.counts.tolist()) <= {1, 5000}


def test_a_memory_is_small():
    X = np.random.default_rng(0).random((10_000, 3))
    assert len(pickle.dumps(RowMemory.of(X))) < 16_800


@pytest.mark.parametrize(("n_rows", "n_leading"), [(3000, 0), (10_000, 2)])
def test_the_first_columns_lead_in_large_samples_only(n_rows, n_leading):
    X = np.random.default_rng(0).random((n_rows, 3))
    assert RowMemory.of(X).n_leading == n_leading


def test_two_memories_joined_are_that_of_all_rows():
    X = np.random.default_rng(0).random((10_000, 3))
    whole = RowMemory.of(X, n_leading=2)
    first = RowMemory.of(X[:4000], n_leading=2)
    second = RowMemory.of(X[4000:], n_leading=2)
    assert np.array_equal(first.joined(second).hashes, whole.hashes)


def test_rows_of_both_memories_count_twice():
    memory = RowMemory.of(np.random.default_rng(0).random((4000, 3)))
    assert (memory.joined(memory).counts == 2).all()


def test_a_pickled_memory_is_a_plain_tuple():
    memory = RowMemory.of([[1.0], [2.0]])
    loaded = pickle.loads(pickle.dumps(memory))
    assert type(loaded) is tuple
    assert np.array_equal(RowMemory(*loaded).hashes, memory.hashes)


@pytest.fixture(scope="module", params=ESTIMATORS, ids=lambda each: type(each).__name__)
def model(request):
    """Each estimator, fitted to rows that it remembers."""
    X, y = load_breast_cancer(return_X_y=True)
    return clone(request.param).set_params(max_leaf_nodes=6).fit(X, y)


@pytest.mark.parametrize("flag", ["no", 0, None])
def test_a_word_is_not_taken_for_true(model, flag):
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.raises(ValueError, match="remember must be True or False"):
        clone(model).set_params(remember=flag).fit(X, y)
    with pytest.raises(ValueError, match="remember must be True or False"):
        prune(model.to_sklearn(), X, y, remember=flag)


def test_every_different_row_is_remembered(model):
    X, _ = load_breast_cancer(return_X_y=True)
    assert len(model._row_memory_.hashes) == len(np.unique(hash_rows(X)))


def test_a_model_is_hardly_larger_than_its_tree(model):
    plain = model.to_sklearn()
    assert len(pickle.dumps(model)) < len(pickle.dumps(plain)) + 17_000


def test_remembered_rows_are_refused(model):
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.raises(ValueError, match="are among those that the model was grown"):
        certify(model, X[:300], y[:300])


def test_rows_are_not_remembered_unasked(model):
    X, y = load_breast_cancer(return_X_y=True)
    forgetful = clone(model).set_params(remember=False).fit(X, y)
    assert certify(forgetful, X[:300], y[:300]).n_compared == 0


def prune_on(tree, rows, **options):
    """The tree after it was pruned on some rows of breast cancer."""
    X, y = load_breast_cancer(return_X_y=True)
    return prune(tree, X[rows], y[rows], **options)


@pytest.fixture(scope="module")
def pruned():
    """A tree that remembers the first 300 rows."""
    X, y = load_breast_cancer(return_X_y=True)
    grown = DecisionTreeClassifier(random_state=0).fit(X[:300], y[:300])
    return prune_on(grown, slice(300), remember=True)


def pickled(model):
    """The same model from a pickle."""
    return pickle.loads(pickle.dumps(model))


def are_refused(model, start):
    """Whether 199 rows from a place on are refused as rows that made a model."""
    X, y = load_breast_cancer(return_X_y=True)
    rows = slice(start, start + 199)
    with pytest.raises(ValueError, match="are among those that the model was grown"):
        certify(model, X[rows], y[rows])
    return True


def test_a_pruned_copy_remembers_what_it_was_pruned_on(pruned):
    assert are_refused(pruned, start=1)


def test_a_copy_that_is_pruned_again_on_the_same_rows_remembers_them(pruned):
    assert are_refused(prune_on(pruned, slice(300)), start=250)


@pytest.mark.parametrize("start", [0, 300])
def test_a_copy_that_is_pruned_on_other_rows_remembers_both(pruned, start):
    again = prune_on(pruned, slice(300, None), rule="reduced-error")
    assert are_refused(again, start)


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, DecisionTreeRegressor])
@pytest.mark.parametrize("convert", [deepcopy, pickled, from_sklearn])
class TestOnlyNewRowsAreRemembered:
    """A tree without a record was pruned on new examples, which it remembers."""

    @pytest.fixture
    def tolerance(self, kind):
        return 0.5 if kind is DecisionTreeRegressor else None

    @pytest.fixture
    def noise(self):
        rng = np.random.default_rng(0)
        return rng.normal(size=(1200, 5)), rng.integers(0, 2, 1200)

    @pytest.fixture
    def chosen(self, kind, convert, noise):
        X, y = noise
        grown = kind(random_state=0).fit(X[:700], y[:700])
        new = {"rule": "reduced-error", "remember": True}
        return convert(prune(grown, X[700:900], y[700:900], **new))

    def test_those_that_grew_it_are_found_at_its_leaves(self, chosen, noise, tolerance):
        X, y = noise
        with pytest.raises(ValueError, match="by the numbers at its leaves"):
            certify(chosen, X[:700], y[:700], tolerance=tolerance)

    def test_those_that_pruned_it_are_found(self, chosen, noise, tolerance):
        X, y = noise
        with pytest.raises(ValueError, match="grown, pruned or chosen on"):
            certify(chosen, X[700:900], y[700:900], tolerance=tolerance)

    def test_the_record_is_not_said_to_be_complete(self, chosen, noise, tolerance):
        X, y = noise
        certificate = certify(chosen, X[900:], y[900:], tolerance=tolerance)
        assert not certificate.is_recorded
        assert any("keeps no record of them" in a for a in certificate.assumptions)

    def test_rows_that_made_it_are_not_left_out_by_it(self, chosen, noise, tolerance):
        X, y = noise
        rows = {"X": X[800:], "y": y[800:], "tolerance": tolerance}
        with pytest.raises(ValueError, match="needs X_grown, with all rows"):
            certify(chosen, **rows, duplicates="together")

    def test_nor_by_another_choice_on_new_examples(self, chosen, noise, tolerance):
        X, y = noise
        again = [prune(chosen, X[900:1100], y[900:1100], rule="reduced-error")]
        if isinstance(chosen, DecisionTreeClassifier):
            again += [certify_prunings(chosen, X[900:1100], y[900:1100]).estimator]
        for tree in again:
            certificate = certify(tree, X[1100:], y[1100:], tolerance=tolerance)
            assert certificate.n_compared == 100
            assert not certificate.is_recorded

    def test_it_is_complete_after_a_pruning_by_those_that_grew_it(
        self, chosen, noise, tolerance
    ):
        X, y = noise
        again = prune(chosen, X[:700], y[:700], rule=0.0)
        assert certify(again, X[900:], y[900:], tolerance=tolerance).is_recorded
