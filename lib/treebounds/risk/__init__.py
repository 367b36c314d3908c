"""What capacity costs: risk bounds from growth functions, VC dimensions and description lengths."""

from treebounds.risk.description_length import code_length, decode_tree, description_length_bound, encode_tree
from treebounds.risk.vc_srm import vc_srm_bound

__all__ = ["code_length", "decode_tree", "description_length_bound", "encode_tree", "vc_srm_bound"]
