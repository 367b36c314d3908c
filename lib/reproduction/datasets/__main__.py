"""``python -m reproduction.datasets``: fetch every data set and list the missing ones
with the reason.
"""

import sys

from reproduction.datasets import fetch_all, list_datasets

missing = fetch_all()
print(
    f"{len(list_datasets()) - len(missing)} of {len(list_datasets())} data sets are"
    " available"
)
for slug, reason in missing.items():
    print(f"missing: {slug}\n  {reason}")
sys.exit(bool(missing))
