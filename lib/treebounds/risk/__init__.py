"""What capacity costs: risk bounds from growth functions, VC dimensions and description lengths.

A wrong argument of any function here is a ValueError that names it.
"""

from treebounds.risk.certificate import (
    METHODS,
    MovedThresholdsWarning,
    ReusedDataWarning,
    RiskCertificate,
    certify,
)
from treebounds.risk.compression import CODES, compress, compression_bound, decode, encode, message_length
from treebounds.risk.description_length import code_length, decode_tree, description_length_bound, encode_tree
from treebounds.risk.growth_bounds import hypergeometric_bound, relative_deviation_bound
from treebounds.risk.pac_bayes import gibbs_posterior, kl_inversion, occam_bound, pac_bayes_bound
from treebounds.risk.shawe_taylor import (
    log_geometric_prior,
    log_leaves_prior,
    log_structure_prior,
    shawe_taylor_bound,
)
from treebounds.risk.tail_inversion import (
    binomial_tail_inversion,
    held_out_bound,
    hypergeometric_tail_inversion,
    log_binomial_tail,
)
from treebounds.risk.vc_srm import vc_srm_bound

__all__ = [
    "CODES",
    "METHODS",
    "MovedThresholdsWarning",
    "ReusedDataWarning",
    "RiskCertificate",
    "binomial_tail_inversion",
    "certify",
    "code_length",
    "compress",
    "compression_bound",
    "decode",
    "decode_tree",
    "description_length_bound",
    "encode",
    "encode_tree",
    "gibbs_posterior",
    "held_out_bound",
    "hypergeometric_bound",
    "hypergeometric_tail_inversion",
    "kl_inversion",
    "log_binomial_tail",
    "log_geometric_prior",
    "log_leaves_prior",
    "log_structure_prior",
    "message_length",
    "occam_bound",
    "pac_bayes_bound",
    "relative_deviation_bound",
    "shawe_taylor_bound",
    "vc_srm_bound",
]
