"""What capacity costs: risk bounds from growth functions, VC dimensions and description lengths."""

from treebounds.risk.description_length import code_length, decode_tree, description_length_bound, encode_tree
from treebounds.risk.shawe_taylor import (
    log_geometric_prior,
    log_leaves_prior,
    log_structure_prior,
    shawe_taylor_bound,
)
from treebounds.risk.vc_srm import vc_srm_bound

__all__ = [
    "code_length",
    "decode_tree",
    "description_length_bound",
    "encode_tree",
    "log_geometric_prior",
    "log_leaves_prior",
    "log_structure_prior",
    "shawe_taylor_bound",
    "vc_srm_bound",
]
