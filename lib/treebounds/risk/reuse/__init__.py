"""Whether a sample was used before, to make the model that it is to judge.

A model may keep something of the rows that made it, and a sample that is recognized by
it is refused. Three things are kept.

*Rows.* A sample is compared with the rows that an estimator of this library was fitted
to (alone, in a pipeline and its steps, or inside a search, a vote, a calibration), with
those that nearest neighbours, imputation by neighbours and support vector machines keep
(also where an object of your own class holds such models, and gives them the rows as
they are), and with ``X_grown``. It is refused if more rows recur than independent
samples explain (:mod:`treebounds.risk.reuse.recurring_rows` says how small an overlap
is found); fewer are accepted, and the certificate gives their number. A stack fits its
last model to predictions of models that it does not keep, so the record of that model
is compared only if the others were fitted before.

*Numbers of rows at the leaves.* A sample is refused if it is as a whole the one that a
tree was grown on: if as many rows of each class reach each leaf as when it was grown,
also if rows are given more than once. This is known of trees and forests of
scikit-learn (of rows in the same order, if the forest draws its rows), of the first and
the last tree of a boosted model (histogram boosting and LightGBM included; of XGBoost's
the first that splits, for most losses), and of an :class:`ArrayTree`. It is known
without the classes of trees with a weight for each row, of those that ``monotonic_cst``
binds, and of boosted ones; but the first of these mostly tells one class from all
others. If each row has a weight of its own, nothing is known of XGBoost's models: they
keep sums of weights, and not their numbers.

A large part of the rows of a tree with many leaves is recognized, too, and of trees
that draw no rows, and of the first tree of a booster: mostly nine tenths of them at
some 30 leaves, seven tenths at 100, and half of them at 200. So are all of them
together with others, as in the table before it was divided: mostly if they are nine
tenths of it at some 30 leaves, or three quarters at 100. So is a part among other rows,
as after a second random split of the same table, of a regression tree with a leaf for
nearly each row: in 1000 rows, if seven tenths of the new test part are its own.

*Means.* A sample is refused if its columns have, within rounding, the means that a
scaler, an imputer of means, principal components or a model of normal classes keeps, or
if its mean error is 0 and the model a linear regression with an intercept, or if y has
the mean from which boosting with squared errors, of scikit-learn or XGBoost, starts
(:mod:`treebounds.risk.reuse.column_means` has the list of them, and the reasons).
The means are also compared without copies if ``duplicates="together"``, or if the
sample as a whole is given more than once.

**Without a record these are not recognized**; give them as ``X_grown``:

- a small part of the rows of a tree (:mod:`treebounds.risk.reuse.leaf_evidence` says
  why), or all of them among others, if the trees have few leaves, as boosted ones often
  have, or draw their rows;
- rows in another order, if a bagging or a forest drew from them;
- the rows of boosting for classes that draws a part of them for each tree
  (``subsample``), or of any that holds some out (``early_stopping``), unless all are
  given and only a few of them were left out, and those between the first and the last
  fit of a model that was continued (``warm_start``, ``partial_fit``);
- rows behind a ``TargetEncoder``, which encodes them in another way in its fit;
- a part of the rows whose means are known, or all of them among others;
- the rows of linear classifiers, networks, naive Bayes from counts of words, and others
  that keep neither rows nor the numbers and means above, if no step before them does.
  Scalers to a range, ``PowerTransformer`` and ``TfidfVectorizer`` keep other numbers,
  by which no rows are recognized;
- rows that were changed in between: rounded, scaled, encoded by an earlier step, or
  with times written as words (days are compared).

**How often is a sample refused that was not used?** Independent samples have more rows
in common than the limit with a probability that
:mod:`treebounds.risk.reuse.recurring_rows` states. The numbers at leaves refuse an
independent sample of the same size m with a probability of at most about ((2 pi m)^(K -
1) p_1 ... p_K)^(-1/2), where p_1, ..., p_K are the probabilities of the K pairs of a
leaf and a class, or of the K leaves. They do not refuse rows if others, with as many of
each class, would agree with a probability of .05 or more: where a leaf holds a whole
class, the halves of a stratified split agree by construction. Where the other tree of a
model, or the class that is told, does not agree, it takes .001 in place of .05. Means
refuse independent samples with a probability that is estimated, and at most about .01;
it is below .001 if a column is continuous.
"""

# The modules, by the question that each of them answers.
#
# Were these cases used before?
#   check                 the check, which asks all of the following
#   recurrence            what it says if they may judge
#   refusals              the errors if they may not
# Are they in a record of rows?
#   records               the records of a model, and the rows that the caller gives
#   memory                the record that an estimator keeps
#   recurring_rows        whether too many rows are in such a record
# Did they leave traces, numbers at the leaves of trees or means of columns?
#   traces                all rows, and those without their repetitions
# Are they the rows at the leaves of a tree?
#   leaf_counts           how many rows were at each leaf when it was grown
#   leaf_counters         how many of the new ones are there
#   leaf_evidence         what both numbers together say
# Are they the rows that a scaler, an imputer or a linear model was fitted to?
#   column_means          the means of columns that these keep
