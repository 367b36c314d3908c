"""Readers and writers: trees of other libraries, JSON documents, rules, SQL,
pictures.
"""

from treebounds.formats.json import from_json, to_json
from treebounds.formats.lightgbm import from_lightgbm
from treebounds.formats.picture import plot
from treebounds.formats.scikit_learn import (
    collapse_sklearn,
    from_sklearn,
    to_sklearn,
)
from treebounds.formats.spark import from_spark
from treebounds.formats.sql import to_sql
from treebounds.formats.text import rule_of, to_text
from treebounds.formats.xgboost import from_xgboost

__all__ = [
    "collapse_sklearn",
    "from_json",
    "from_lightgbm",
    "from_sklearn",
    "from_spark",
    "from_xgboost",
    "plot",
    "rule_of",
    "to_json",
    "to_sklearn",
    "to_sql",
    "to_text",
]
