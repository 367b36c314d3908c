"""Rules that say which nodes to cut, and the pruning of fitted trees by them."""

from treebounds.pruning.bound import BoundRule
from treebounds.pruning.counted_price import CountedRule
from treebounds.pruning.fitted_trees import prune
from treebounds.pruning.local_price import LocalRule
from treebounds.pruning.rules import CountingRule, NodeStatistics

__all__ = [
    "BoundRule",
    "CountedRule",
    "CountingRule",
    "LocalRule",
    "NodeStatistics",
    "prune",
]
