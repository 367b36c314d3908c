"""The book's own package besides the library: experiments, data sets, the ledger of
claims, figures; and bounds and estimators that only a document or the book needs.
"""

from reproduction.description_length import code_length, description_length_bound
from reproduction.distilled import DistilledTreeClassifier
from reproduction.vc_srm import vc_srm_bound

__all__ = [
    "DistilledTreeClassifier",
    "code_length",
    "description_length_bound",
    "vc_srm_bound",
]
