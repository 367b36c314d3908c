"""Certificates, and risk bounds from growth functions and VC dimensions."""

# The modules of this floor, by the question that each of them answers, from the top to
# the bottom. Three folders have maps of their own and import nothing from the modules
# beside them: reuse stands on models, and both stand on rows.
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
# How is it said?
#   certificate           the statement about a model, from a verdict
#   certificate_table     a table of such statements
#   sentence              such a statement in words
#   assumptions           what nobody can check
#   facts                 what these words are made of
#   words                 numbers, rounded so that they stay true
#   tree_verdicts         the tree, the sample and the verdict of bounds for trees
# May these cases judge this model?
#   reuse                 whether they were used to make it
#   models                what it is, and whether a limit can hold for it
#   rows                  whether some of the cases are copies of others
#   checks                whether delta, and other arguments, are what they should be
#   feature_kinds         which columns have finitely many values

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
