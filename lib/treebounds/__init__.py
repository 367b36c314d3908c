"""How complex is a decision tree: growth functions, VC dimensions, generalization bounds and pruning."""

from treebounds.risk.description_length import description_length_bound
from treebounds.risk.vc_srm import vc_srm_bound
from treebounds.structure import (
    TreeStructure,
    enumerate_structures,
    log_wedderburn_etherington,
    wedderburn_etherington,
)

__version__ = "0.1.0"

__all__ = [
    "TreeStructure",
    "description_length_bound",
    "enumerate_structures",
    "log_wedderburn_etherington",
    "vc_srm_bound",
    "wedderburn_etherington",
]
