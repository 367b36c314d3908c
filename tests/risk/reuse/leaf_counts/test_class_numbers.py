"""The numbers of rows of a class at the leaves of a boosted classifier's first tree."""

import numpy as np
import pytest
from scipy import stats
from sklearn import ensemble
from sklearn.model_selection import train_test_split
from sklearn.utils.class_weight import compute_sample_weight

from treebounds import certify
from treebounds.risk.reuse.leaf_counts.of_model import leaf_counts
from treebounds.risk.reuse.leaf_counts.record import LeafCounts

lightgbm = pytest.importorskip("lightgbm")
xgboost = pytest.importorskip("xgboost")

LEARNERS = {
    "LightGBM": lambda **options: lightgbm.LGBMClassifier(
        n_estimators=2, n_jobs=1, verbose=-1, **options
    ),
    "XGBoost": lambda **options: xgboost.XGBClassifier(
        n_estimators=2, n_jobs=1, **options
    ),
    "histogram": lambda **options: ensemble.HistGradientBoostingClassifier(
        max_iter=2, early_stopping=False, **options
    ),
    "gradient": lambda **options: ensemble.GradientBoostingClassifier(
        n_estimators=2, **options
    ),
}

# Learners whose trees have two or three leaves on some fifty rows.
FEW_LEAVES = {
    "LightGBM": LEARNERS["LightGBM"],
    "histogram": LEARNERS["histogram"],
    "stumps": lambda **options: ensemble.GradientBoostingClassifier(
        n_estimators=5, max_depth=1, **options
    ),
    "AdaBoost": lambda **options: ensemble.AdaBoostClassifier(
        n_estimators=5, **options
    ),
}


def rows(n, n_classes=2, seed=0):
    """Rows of noise with classes that are not equally frequent."""
    rng = np.random.default_rng(seed)
    shares = np.arange(1, n_classes + 1) / sum(range(1, n_classes + 1))
    return rng.normal(size=(n, 5)), rng.choice(n_classes, size=n, p=shares)


def counted(model, X, y):
    """The rows of the class that a model tells, and the others, at its first tree."""
    counts = leaf_counts(model)
    leaves = counts.leaf_of(X)
    of_both = [np.bincount(leaves[y == counts.label], minlength=len(counts.grown))]
    of_both.insert(0, np.bincount(leaves, minlength=len(counts.grown)) - of_both[0])
    return np.column_stack(of_both)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("LightGBM", {}),
        ("LightGBM", {"reg_lambda": 2.0, "learning_rate": 1.0}),
        ("LightGBM", {"boost_from_average": False}),
        ("XGBoost", {}),
        ("XGBoost", {"reg_lambda": 2.0, "booster": "dart", "learning_rate": 0.1}),
        ("XGBoost", {"base_score": 0.5}),
        ("histogram", {}),
        ("histogram", {"l2_regularization": 2.0}),
        ("gradient", {}),
        ("gradient", {"init": "zero"}),
    ],
)
def test_the_numbers_of_a_class_follow_from_the_values(name, options, n_classes):
    X, y = rows(3000, n_classes)
    model = LEARNERS[name](**options).fit(X, y)
    counts = leaf_counts(model)
    assert np.array_equal(counts.of_rows, counted(model, X, y))
    assert counts.label == (1 if n_classes == 2 else 0)


def test_one_vs_all_of_lightgbm_has_the_numbers_of_the_first_class():
    X, y = rows(3000, 3)
    model = LEARNERS["LightGBM"](objective="multiclassova").fit(X, y)
    assert np.array_equal(leaf_counts(model).of_rows, counted(model, X, y))


@pytest.mark.parametrize(
    ("name", "options", "is_weighted"),
    [
        ("LightGBM", {"class_weight": {0: 1.7, 1: 0.9}}, False),
        ("LightGBM", {"class_weight": "balanced"}, False),
        ("XGBoost", {"scale_pos_weight": 2.3}, False),
        ("gradient", {}, True),
    ],
)
def test_weights_of_two_classes_are_taken_out(name, options, is_weighted):
    X, y = rows(3000)
    weights = compute_sample_weight("balanced", y) if is_weighted else None
    model = LEARNERS[name](**options).fit(X, y, sample_weight=weights)
    assert np.array_equal(leaf_counts(model).of_rows, counted(model, X, y))


def test_weights_that_balance_the_classes_are_found_in_xgboost():
    """It keeps sums of weights, and neither the weights nor numbers of rows."""
    X, y = rows(3000)
    weights = compute_sample_weight("balanced", y)
    model = LEARNERS["XGBoost"]().fit(X, y, sample_weight=weights)
    assert np.array_equal(leaf_counts(model).of_rows, counted(model, X, y))
    with pytest.raises(ValueError, match="look like a part of those"):
        certify(model, X[:2400], y[:2400])
    assert certify(model, *rows(2400, seed=1)) > 0.3


@pytest.mark.parametrize(
    "objective", ["count:poisson", "reg:absoluteerror", "reg:logistic"]
)
def test_the_numbers_of_rows_of_other_losses_of_xgboost(objective):
    """The second derivative before the first tree is the same for all rows."""
    X, _ = rows(3000)
    y = np.random.default_rng(1).random(3000)
    model = xgboost.XGBRegressor(n_estimators=2, objective=objective, n_jobs=1)
    counts = leaf_counts(model.fit(X, y))
    assert counts.of_rows[:, 0].tolist() == np.bincount(counts.leaf_of(X)).tolist()
    with pytest.raises(ValueError, match="look like a part of those"):
        certify(model, X[:2700], y[:2700], tolerance=0.3)
    X_new, _ = rows(2700, seed=1)
    assert certify(model, X_new, y[:2700], tolerance=0.3) > 0.2


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("LightGBM", {"reg_alpha": 1.0}),
        ("LightGBM", {"is_unbalance": True}),
        ("LightGBM", {"objective": "cross_entropy"}),
        ("XGBoost", {"reg_alpha": 1.0}),
        ("XGBoost", {"num_parallel_tree": 2}),
        ("histogram", {"class_weight": "balanced"}),
        ("gradient", {"loss": "exponential"}),
        ("gradient", {"init": ensemble.RandomForestClassifier(3, random_state=0)}),
    ],
)
def test_numbers_that_do_not_follow_are_not_used(name, options):
    X, y = rows(3000)
    counts = leaf_counts(LEARNERS[name](**options).fit(X, y))
    assert counts.of_a_class is None
    assert counts.of_rows.sum() == 3000


def test_numbers_are_not_used_after_a_change_of_the_learner():
    X, y = rows(3000)
    model = LEARNERS["histogram"]().fit(X, y)
    model.set_params(learning_rate=0.17)
    assert leaf_counts(model).of_a_class is None


def test_rows_that_xgboost_draws_are_counted():
    X, y = rows(3000)
    model = LEARNERS["XGBoost"](subsample=0.8, random_state=0).fit(X, y)
    drawn = leaf_counts(model).of_rows
    assert (drawn <= counted(model, X, y)).all()
    assert drawn.sum() == pytest.approx(2400, abs=100)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", ["LightGBM", "XGBoost", "histogram"])
def test_eight_tenths_of_the_rows_of_boosting_are_refused(name, n_classes):
    X, y = rows(2000, n_classes)
    model = LEARNERS[name]().fit(X, y)
    with pytest.raises(ValueError, match="look like a part of those"):
        certify(model, X[:1600], y[:1600])
    batches = zip(np.split(X[:1600], 4), np.split(y[:1600], 4), strict=True)
    with pytest.raises(ValueError, match="look like a part of those"):
        certify(model, batches)
    assert certify(model, *rows(1600, n_classes, seed=1)) > 0.3


@pytest.mark.parametrize("name", ["LightGBM", "XGBoost", "histogram"])
def test_the_rows_of_boosting_and_a_fifth_more_are_refused(name):
    X, y = rows(2400)
    names = np.array(["no", "yes"])[y]
    model = LEARNERS[name]()
    labels = y if name == "XGBoost" else names
    model.fit(X[:2000], labels[:2000])
    with pytest.raises(ValueError, match="seem to be among these"):
        certify(model, X, labels)


def test_all_rows_are_refused_though_xgboost_draws_a_part_of_them():
    X, y = rows(2000)
    model = LEARNERS["XGBoost"](subsample=0.9, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="seem to be among these"):
        certify(model, X, y)
    assert certify(model, *rows(2000, seed=1)) > 0.3


@pytest.mark.parametrize("name", ["LightGBM", "XGBoost", "histogram", "gradient"])
def test_the_other_half_of_a_stratified_split_is_accepted(name):
    """Three classes, of which the first tree tells one apart from the others."""
    X, y = rows(1200, 3)
    X[:, 0] = y
    order = np.argsort(y, kind="stable")
    half, other = order[::2], order[1::2]
    model = LEARNERS[name]().fit(X[half], y[half])
    assert certify(model, X[other], y[other], duplicates="ignore").n_examples == 600


@pytest.mark.parametrize(
    ("covers", "n_factors"), [([4, 6, 8], 2), ([1, 5, 9], None), ([4, 6], None)]
)
def test_weights_of_classes_are_positive_and_fewer_than_leaves(covers, n_factors):
    """Weights of 1 and 3 give the first covers, and of 2 and -1 the second ones. Two
    covers are always those of two weights.
    """
    counts = np.array([[1, 1], [3, 1], [5, 1]])[: len(covers)]
    tree = LeafCounts(
        grown=np.array(covers, dtype=float)[:, np.newaxis],
        classes=[0, 1],
        leaf_of=np.ravel,
        is_share=True,
    )
    assert tree.n_factors(counts.astype(float)) == n_factors


def test_only_other_classes_are_together():
    X, y = rows(900, 3)
    names = np.array(["a", "b", "c"])
    counts = leaf_counts(LEARNERS["LightGBM"]().fit(X, names[y]))
    is_together = counts.is_together(np.array(["a", "b", "c", "d"]))
    assert is_together.tolist() == [False, True, True, True]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_model_of_lightgbm_that_never_splits_is_certified(n_classes):
    """It needs 20 rows at a leaf; of 30 there is no division."""
    X, y = rows(90, n_classes)
    model = LEARNERS["LightGBM"]().fit(X[:30], y[:30])
    assert leaf_counts(model) is None
    n_errors = int((model.predict(X[30:]) != y[30:]).sum())
    exact = stats.beta.ppf(0.95, n_errors + 1, 60 - n_errors)
    assert certify(model, X[30:], y[30:]).value == pytest.approx(exact)


@pytest.mark.parametrize("name", list(FEW_LEAVES))
@pytest.mark.parametrize("is_stratified", [False, True])
def test_hardly_any_others_agree_with_few_leaves(name, is_stratified):
    """A design of five columns, three times over: its halves have about as many rows at
    two leaves, whatever these are.
    """
    n_refused = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X = np.arange(32).repeat(3)[:, np.newaxis] >> np.arange(5) & 1
        y = X[:, 0] ^ X[:, 1] ^ (rng.random(96) < 0.1)
        how = {"stratify": y if is_stratified else None, "random_state": seed}
        X, X_new, y, y_new = train_test_split(X, y, test_size=0.5, **how)
        model = FEW_LEAVES[name](random_state=seed).fit(X, y)
        try:
            certify(model, X_new, y_new, duplicates="ignore")
        except ValueError:
            n_refused += 1
    assert n_refused <= 1


def test_rows_of_a_continued_booster_are_refused_by_its_last_tree():
    """And they are with other answers, if chance would hardly agree."""
    X, y = rows(800)
    model = LEARNERS["histogram"](warm_start=True).fit(X[:400], y[:400])
    model.set_params(max_iter=4).fit(X[400:], y[400:])
    for part in (slice(400), slice(400, 800)):
        for labels in (y[part], 1 - y[part]):
            with pytest.raises(ValueError, match="grown on these examples"):
                certify(model, X[part], labels)


def test_the_first_tree_of_adaboost_tells_the_classes():
    """Its two leaves do not determine a weight for each of twelve classes."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 5)), rng.integers(12, size=600)
    model = ensemble.AdaBoostClassifier(n_estimators=3, random_state=0)
    model.fit(X[:300], y[:300])
    leaves = model.estimators_[0].apply(X[:300])
    expected = [np.bincount(y[:300][leaves == leaf], minlength=12) for leaf in (1, 2)]
    counts = leaf_counts(model)
    assert counts.grown.tolist() == np.array(expected).tolist()
    with pytest.raises(ValueError, match="grown on these examples"):
        certify(model, X[:300], y[:300])
    assert certify(model, X[300:], y[300:]) > 0.8
