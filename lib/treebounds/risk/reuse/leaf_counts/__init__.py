"""How many rows were at each leaf of a tree when it was grown.

As each library keeps these numbers, one module for each, in one form for all.
"""

# The modules.
#
#   of_model              the numbers of any model, by its library
#   record                the form that is the same for all
# For each library, where it keeps them:
#   array_trees  scikit_learn  histogram_boosting  lightgbm  xgboost
# What several of these need:
#   class_numbers         how many rows of a class, by the values of a boosted tree
#   weights               how many rows, by their weights
