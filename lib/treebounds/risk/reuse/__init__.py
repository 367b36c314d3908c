"""Whether a sample was used before, to make the model that it is to judge."""

# The modules, by the question that each of them answers.
#
# Were these cases used before?
#   check                 the check, which asks all of the following
#   refusals              the errors if they were
# Are they in a record of rows?
#   memory                the record that an estimator keeps
#   recurring_rows        whether too many rows are in such a record
# Are they the rows at the leaves of a tree?
#   leaf_counts           how many rows were at each leaf when it was grown
#   leaf_counters         how many of the new ones are there
#   leaf_evidence         what both numbers together say
# Are they the rows that a scaler, an imputer or a linear model was fitted to?
#   column_means          the means of columns that these keep
