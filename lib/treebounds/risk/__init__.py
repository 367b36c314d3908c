"""Certificates, and risk bounds from growth functions and VC dimensions."""

from treebounds.risk.by_group import CertificateTable
from treebounds.risk.certificate import Certificate
from treebounds.risk.certifying import certify
from treebounds.risk.compression import certify_by_message, compress_tree
from treebounds.risk.costs import mean_cost_limit
from treebounds.risk.growth_bounds import certify_by_growth
from treebounds.risk.numbers import covering_tolerance
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
