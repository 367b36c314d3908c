"""What capacity costs: certificates, and risk bounds from growth functions and VC dimensions."""

from treebounds.risk.certificate import METHODS, Certificate, MovedThresholdsWarning, certify
from treebounds.risk.certified_classifier import CertifiedClassifier
from treebounds.risk.compression import (
    compress_tree,
    compression_bound,
    decode_message,
    encode_message,
    message_length,
)
from treebounds.risk.description_length import code_length, description_length_bound
from treebounds.risk.growth_bounds import hypergeometric_bound, relative_deviation_bound
from treebounds.risk.halving import Candidates
from treebounds.risk.occam import occam_bounds
from treebounds.risk.shawe_taylor import (
    log_geometric_prior,
    log_leaves_prior,
    log_structure_prior,
    shawe_taylor_bound,
)
from treebounds.risk.tail_inversion import (
    binomial_tail_inversion,
    bounded_mean_inversion,
    hypergeometric_tail_inversion,
)
from treebounds.risk.vc_srm import vc_srm_bound

__all__ = [
    "METHODS",
    "Candidates",
    "Certificate",
    "CertifiedClassifier",
    "MovedThresholdsWarning",
    "binomial_tail_inversion",
    "bounded_mean_inversion",
    "certify",
    "code_length",
    "compress_tree",
    "compression_bound",
    "decode_message",
    "description_length_bound",
    "encode_message",
    "hypergeometric_bound",
    "hypergeometric_tail_inversion",
    "log_geometric_prior",
    "log_leaves_prior",
    "log_structure_prior",
    "message_length",
    "occam_bounds",
    "relative_deviation_bound",
    "shawe_taylor_bound",
    "vc_srm_bound",
]
