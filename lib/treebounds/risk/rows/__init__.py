"""The examples that judge a model: their rows and labels, and whether some of them are
copies of others.
"""

# The modules, by the question that each of them answers.
#
# Are some rows copies of others?
#   duplicates            the check, which asks all of the following
#   copies                whether rows agree more often than different cases do
#   occurrences           whether they occur as often as independent draws do
#   numbering             which columns only name the rows
# How are rows compared?
#   tables                rows and columns of arrays, frames and sparse matrices
#   labels                labels and predictions as vectors
#   entries               numbers that are equal for equal entries
#   hash_function         numbers that are equal for equal rows
#   row_hashes            such numbers where they are needed, and rows that are equal
