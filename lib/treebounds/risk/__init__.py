"""Certificates, and risk bounds from growth functions and VC dimensions."""

# The rooms of this floor, by the question that each of them answers.
#
# How wrong is a model?
#   certifying            a fitted model, by cases that it has never seen
#   halving               the best of several, each by the half that it has not seen
#   occam                 the best pruning of a tree, by cases that it has never seen
#   compression           a tree, by the length of its message
#   message               what such a message says, and how long it is
#   growth_bounds         a tree, by the number of labelings of trees of its size
#   shawe_taylor          the bound that pruning minimizes, and its priors
# What is asked, and of which cases?
#   questions             errors, their costs, a tolerance, or a share to cover
#   partitions            parts of the cases: leaves, or groups that were declared
#   leaves                the leaves of a tree as such parts, with their rules
#   groups                cases that belong together: only groups are independent
# Which limit follows from what was counted?
#   verdict               the limit with its counts, and a remark
#   tally                 errors, counted class by class
#   judged_cases          the loss and the part of each case
#   tail_inversion        a limit of the probability of an error
#   costs                 a limit of a mean cost
#   coverage              a limit of how far a number is off
# Were these cases used before?
#   reuse                 the check, which asks all of the following
#   inner_models          where in a model to look
#   memory                the record of its rows that an estimator keeps
#   recurring_rows        whether too many rows are in such a record
#   leaf_counts           how many rows were at each leaf when a tree was grown
#   leaf_counters         how many of the new ones are there
#   leaf_evidence         what both numbers together say
# Are some of them copies of others?
#   duplicates            the check, which asks all of the following
#   copies                whether rows agree more often than different cases do
#   occurrences           whether they occur as often as independent draws do
#   numbering             which columns only name the rows
# Can a limit hold for this model?
#   row_by_row            whether it predicts each case by itself, and does not change
#   fingerprints          whether it is still the one that was certified
#   learners              whether what is to be fitted is new
#   learner_parts         the fitted parts of it, and those that no library defines
#   numbered_labels       one that takes the labels 0, 1, ... only
# How is it said?
#   certificate           the statement about a model, and its sentence
#   certificate_table     a table of such statements
#   assumptions           what nobody can check
#   words                 numbers, rounded so that they stay true
#   verdict_certificates  from a verdict to its certificate
#   tree_certificates     the same for the bounds that need a tree of scikit-learn
# What all of them use
#   checks                arguments
#   labels                labels and predictions as vectors
#   models                the kind of a model, its classes and its leaves
#   _features             columns that have finitely many values
#   tables                rows and columns of arrays, frames and sparse matrices
#   entries               numbers that are equal for equal entries
#   hashing               numbers that are equal for equal rows
#   hashed_rows           such numbers where they are needed, and rows that are equal

from treebounds.risk.certificate import Certificate
from treebounds.risk.certificate_table import CertificateTable
from treebounds.risk.certifying import certify
from treebounds.risk.compression import certify_by_message, compress_tree
from treebounds.risk.costs import mean_cost_limit
from treebounds.risk.coverage import covering_tolerance
from treebounds.risk.growth_bounds import certify_by_growth
from treebounds.risk.occam import certify_prunings
from treebounds.risk.shawe_taylor import (
    log_geometric_prior,
    log_leaves_prior,
    log_structure_prior,
    shawe_taylor_bound,
)
from treebounds.risk.tail_inversion import (
    binomial_tail_inversion,
    hypergeometric_tail_inversion,
)

__all__ = [
    "Certificate",
    "CertificateTable",
    "binomial_tail_inversion",
    "certify",
    "certify_by_growth",
    "certify_by_message",
    "certify_prunings",
    "compress_tree",
    "covering_tolerance",
    "hypergeometric_tail_inversion",
    "log_geometric_prior",
    "log_leaves_prior",
    "log_structure_prior",
    "mean_cost_limit",
    "shawe_taylor_bound",
]
