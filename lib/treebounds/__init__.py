"""How complex is a decision tree: growth functions, VC dimensions, generalization bounds and pruning."""

__version__ = "0.1.0"
