"""The models of any library: of which kind they are, what is inside them, and whether a
limit can hold for them.
"""

# The modules, by the question that each of them answers.
#
# What is it?
#   kinds                 classifier or regressor, its classes and its leaves
#   inner_models          the models inside a model
# Can a limit hold for it?
#   row_by_row            whether it predicts each case by itself, and does not change
#   fingerprints          whether it is still the one that was certified
#   learners              whether what is to be fitted is new
#   learner_parts         the fitted parts of it, and those that no library defines
#   numbered_labels       one that takes the labels 0, 1, ... only
