"""Pruning and certificates of trees that Spark grows on more rows than one machine
holds.

``pip install "treebounds[spark]"``. A tree is pruned from its class counts and
certified from counts of rows; the driver receives nodes and counts, never rows. A Spark
session has to be running. Spark Connect works, too, but it cannot delete the files that
``prune_model`` writes on another machine than the client's.

>>> from treebounds.spark import CertifiedSparkTree
>>> CertifiedSparkTree(key="customer", grouped=True).n_halvings
4
"""

# The modules.
#
#   pruning               prune_model
#   certifying            certify_model
#   certified_tree        CertifiedSparkTree
# What the last two need:
#   stages                the stages of a fitted pipeline
#   frames                what the cluster counts of the rows of a frame
#   rows_of_trees         whether a tree was grown on these rows

from treebounds.spark.certified_tree import CertifiedSparkTree
from treebounds.spark.certifying import certify_model
from treebounds.spark.pruning import prune_model

__all__ = ["CertifiedSparkTree", "certify_model", "prune_model"]
