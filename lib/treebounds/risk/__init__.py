"""Certificates, and risk bounds from growth functions and VC dimensions."""

from treebounds.risk.certificate import Certificate, certify
from treebounds.risk.certified_classifier import CertifiedClassifier
from treebounds.risk.compression import compress_tree
from treebounds.risk.description_length import code_length, description_length_bound
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
from treebounds.risk.vc_srm import vc_srm_bound
