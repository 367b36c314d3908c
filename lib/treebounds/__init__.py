"""How complex is a decision tree: growth functions, VC dimensions, generalization bounds and pruning."""

from treebounds.structure import (
    TreeStructure,
    enumerate_structures,
    log_wedderburn_etherington,
    wedderburn_etherington,
)

__version__ = "0.1.0"

__all__ = [
    "TreeStructure",
    "enumerate_structures",
    "log_wedderburn_etherington",
    "wedderburn_etherington",
]
