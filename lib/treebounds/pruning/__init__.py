"""Pruning: rules from a tree to the nodes to cut or graft, and the estimators that apply them."""

from treebounds.pruning.bound import *
from treebounds.pruning.bound_estimator import *
from treebounds.pruning.certified_estimator import *
from treebounds.pruning.cost_complexity import *
from treebounds.pruning.displays import *
from treebounds.pruning.distilled import *
from treebounds.pruning.generic import *
from treebounds.pruning.id3_estimator import *
from treebounds.pruning.multiway import *
from treebounds.pruning.polish import *
from treebounds.pruning.prune import *
from treebounds.pruning.rules import *
from treebounds.pruning.validated import *
from treebounds.trees.errors import *
