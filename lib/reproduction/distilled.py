"""One tree from a forest: a scikit-learn tree that is grown on a teacher's
probabilities at made-up rows.

A tree that is grown on m labels has only a handful of labels at its deeper nodes to
choose a split by, and pruning removes such splits again. A forest gives every input a
probability for each class, not only the m inputs of the sample. So a tree can learn
from any number of inputs with their probabilities, and many rows choose the splits far
below the root, too (Craven and Shavlik 1996; Breiman and Shang 1996: "born again
trees"; Bucila, Caruana and Niculescu-Mizil 2006).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.neighbors import NearestNeighbors
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils import check_random_state

from treebounds._validation import check_flag, check_integer, shown
from treebounds.estimators._checked_sample import check_sample
from treebounds.estimators._classification import OneOutputTreeClassifier
from treebounds.estimators._publishing import HasNoPruningPath
from treebounds.formats.scikit_learn import tree_from_nodes, unfitted_like
from treebounds.risk.models.kinds import is_classifier_instance
from treebounds.risk.models.learners import seeded
from treebounds.risk.rows.row_hashes import RowHashes

# With more rows, the trees of the default teacher and the search for neighbors use a
# random subset of them.
_MOST_ROWS = 10_000
_NEIGHBORS = 8


class DistilledTreeClassifier(HasNoPruningPath, OneOutputTreeClassifier):
    """One decision tree that imitates a forest.

    A teacher is fitted to the sample. New rows are made from those of the sample: each
    is a copy of a row in which every value is replaced, with probability 1/2, by the
    value of one of the 8 nearest rows. Distances are Euclidean between the ranks of the
    values in each feature; a missing value has the middle rank. The tree is grown,
    best-first, on the made rows and the class probabilities that the teacher predicts
    for them, and predicts the most probable class.

    >>> from sklearn.datasets import load_wine
    >>> from reproduction import DistilledTreeClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> tree = DistilledTreeClassifier(
    ...     n_made=2000, max_leaf_nodes=8, random_state=0
    ... ).fit(X, y)
    >>> int(tree.get_n_leaves()), tree.predict(X[:2]).tolist()
    (8, [0, 0])

    Parameters
    ----------
    teacher : classifier, default=None
        It needs ``predict_proba``, and is cloned. None means a random forest of 80
        trees; if there are more than 10,000 rows, each of its trees is grown on 10,000
        random ones.
    n_made : int, default=20000
        Number of rows to make.
    max_leaf_nodes : int, default=300
        At least 2.
    max_depth : int, default=None
    min_samples_leaf : int or float, default=1
        Counted in made rows.
    keep_teacher : bool, default=False
        Whether to keep ``teacher_``; a forest is a thousand times as large as the tree.
    remember : bool, default=True
        See :class:`BoundPrunedTreeClassifier`.
    random_state : int, RandomState instance or None, default=None
        For making the rows, and for a teacher whose own ``random_state`` is None.

    Attributes
    ----------
    teacher_ : classifier
        The fitted teacher, with ``keep_teacher``.
    tree_ : sklearn.tree.Tree
        Its values are class probabilities, means of the teacher's; its
        ``n_node_samples`` count made rows.
    classes_, n_classes_, n_features_in_, feature_names_in_, feature_importances_,
    max_features_
        As ``DecisionTreeClassifier`` has them.

    Notes
    -----
    ``fit`` takes no weights: the teacher and the rows that are made would both have to
    follow them. A regression tree on class probabilities has the splits that the Gini
    index chooses when each row is divided among the classes by its probabilities, so
    impurities are Gini indices of the mean probabilities. ``fit`` fits the teacher,
    predicts ``n_made`` rows with it, and grows a regression tree on them; about a
    second for 20,000 rows.

    The tree has more leaves than pruning would keep. Its probabilities are means of the
    teacher's, not class fractions of the sample. The tree accepts missing values if the
    teacher does. ``monotonic_cst`` is not a parameter: the tree would not inherit the
    teacher's constraints.

    References
    ----------
    Breiman and Shang, Born again trees (1996). Craven and Shavlik, Extracting
    tree-structured representations of trained networks (1996). Bucila, Caruana and
    Niculescu-Mizil, Model compression (2006).
    """

    # The counts at its nodes are not those of examples, so prune needs X and y.
    counts_made_up_rows = True

    def __init__(
        self,
        *,
        teacher: Any = None,
        n_made: int = 20_000,
        max_leaf_nodes: int = 300,
        max_depth: int | None = None,
        min_samples_leaf: float = 1,
        keep_teacher: bool = False,
        remember: bool = True,
        random_state: Any = None,
    ) -> None:
        self.teacher = teacher
        self.n_made = n_made
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.keep_teacher = keep_teacher
        self.remember = remember
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        if is_classifier_instance(self.teacher):
            tags.input_tags.allow_nan = (
                self.teacher.__sklearn_tags__().input_tags.allow_nan
            )
        return tags

    def fit(self, X: Any, y: Any) -> DistilledTreeClassifier:
        """Fit the teacher, make rows, and grow the tree on them.

        Parameters
        ----------
        X : (n_examples, n_features) array
        y : (n_examples,) array

        Returns
        -------
        self
        """
        n_made = check_integer(self.n_made, "n_made")
        rng = check_random_state(self.random_state)
        X, y, columns = check_sample(self, X, y)
        teacher = _fit_teacher(self.teacher, X, y, rng)
        rows = made_rows(X, n_made, _NEIGHBORS, rng)

        probabilities = np.asarray(teacher.predict_proba(rows), dtype=float)
        tree = self._imitation(rows, probabilities, teacher.classes_, rng)
        vars(tree).update(columns)

        keeps_teacher = check_flag(self.keep_teacher, "keep_teacher")
        learned = {}
        if keeps_teacher:
            learned["teacher_"] = teacher
        self._publish_tree(tree, RowHashes(X), **learned)
        return self

    def _imitation(
        self,
        X: NDArray[np.float32],
        probabilities: NDArray[np.float64],
        classes: NDArray[Any],
        rng: Any,
    ) -> DecisionTreeClassifier:
        """A regression tree of the probabilities, as a plain classification tree."""
        own = {
            name: getattr(self, name)
            for name in ("max_leaf_nodes", "max_depth", "min_samples_leaf")
        }
        grown = DecisionTreeRegressor(**own, random_state=rng).fit(X, probabilities)
        state = grown.tree_.__getstate__()
        rows = state["nodes"].copy()
        values = state["values"].reshape(len(rows), 1, -1)
        rows["impurity"] = 1 - (values[:, 0] ** 2).sum(axis=1)

        tree = unfitted_like(self)
        tree.tree_ = tree_from_nodes(rows, values, X.shape[1], state["max_depth"])
        tree.classes_ = classes
        tree.n_classes_ = len(classes)
        tree.n_outputs_ = 1
        tree.max_features_ = grown.max_features_
        return tree


def made_rows(
    X: NDArray[np.float32], n_made: int, n_neighbors: int, rng: np.random.RandomState
) -> NDArray[np.float32]:
    """Random rows of X with about half of their features taken from near neighbors.

    >>> import numpy as np
    >>> from reproduction.distilled import made_rows
    >>> X = np.arange(20, dtype=np.float32).reshape(10, 2)
    >>> made = made_rows(X, 30, 3, np.random.RandomState(0))
    >>> made.shape, bool(np.isin(made[:, 1], X[:, 1]).all())
    ((30, 2), True)

    Parameters
    ----------
    X : (m, l) array
    n_made, n_neighbors : int
    rng : numpy.random.RandomState

    Returns
    -------
    (n_made, l) array
        Every value occurs in the same column of X.
    """
    pool = X
    if len(X) > _MOST_ROWS:
        pool = X[rng.choice(len(X), _MOST_ROWS, replace=False)]
    base = rng.randint(len(pool), size=n_made)
    rows = pool[base]
    n_neighbors = min(n_neighbors, len(pool) - 1)
    if n_neighbors < 1:
        return rows

    search = NearestNeighbors(n_neighbors=n_neighbors).fit(_places(pool))
    near = search.kneighbors(return_distance=False)
    for column in range(X.shape[1]):
        replaced = np.flatnonzero(rng.random_sample(n_made) < 0.5)
        donors = near[base[replaced], rng.randint(n_neighbors, size=len(replaced))]
        rows[replaced, column] = pool[donors, column]

    return rows


def _places(pool: NDArray[np.float32]) -> NDArray[np.float64]:
    """Coordinates for the search for neighbors: twice the ranks, with missing values in
    the middle.

    They are whole numbers, also for the mean rank of equal values. So squared distances
    are exact, and which rows are nearest does not depend on how a machine rounds.
    """
    ranks = rankdata(pool, axis=0, nan_policy="omit")
    middle = (len(pool) + 1) / 2
    places: NDArray[np.float64] = 2 * np.where(np.isnan(ranks), middle, ranks)
    return places


def _fit_teacher(
    teacher: Any, X: NDArray[np.float32], y: NDArray[Any], rng: np.random.RandomState
) -> Any:
    """The teacher, or a random forest, fitted to the sample."""
    if teacher is None:
        from sklearn.ensemble import RandomForestClassifier  # Slow to import.

        most_rows = None
        if len(X) > _MOST_ROWS:
            most_rows = _MOST_ROWS
        teacher = RandomForestClassifier(80, max_samples=most_rows)
    elif not (is_classifier_instance(teacher) and hasattr(teacher, "predict_proba")):
        raise ValueError(
            f"teacher must be a classifier with predict_proba; got {shown(teacher)}"
        )
    return seeded(teacher, rng).fit(X, y)
