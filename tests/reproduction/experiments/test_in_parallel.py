"""The experiments' tables are the same on one processor, on several, and on a Dask
cluster.
"""

import joblib
import pandas as pd
import pytest

from reproduction.experiments import (
    certificates,
    dhurandhar2008,
    leboeuf2020,
    tabulated,
    yildiz2012,
)

TABLES = {
    "leboeuf2020": lambda: leboeuf2020.run(
        leboeuf2020.published_models, ["iris"], n_splits=3
    ),
    "yildiz2012": lambda: yildiz2012.run(
        yildiz2012.nested_errors, ["monks-1"], repetitions=2
    ),
    "dhurandhar2008": lambda: dhurandhar2008.curves({"d = 5, binary": [0.2]}, 60, 2, 4),
    "certificates": lambda: certificates.violations(
        n_samples=2, names=tuple(certificates.DESIGNS)[:1], halves_only=True
    ),
}


@pytest.fixture(scope="module")
def dask_cluster(forkserver):
    distributed = pytest.importorskip(
        "distributed", reason="dask.distributed is not installed"
    )
    dask = pytest.importorskip("dask")
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        cluster = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        )
        with cluster, distributed.Client(cluster):
            yield


@pytest.mark.parametrize("name", TABLES)
def test_a_dask_cluster_gives_the_same_table(name, dask_cluster):
    alone = TABLES[name]()
    with joblib.parallel_config(backend="dask"):
        pd.testing.assert_frame_equal(alone, TABLES[name](), check_exact=True)


def power(base, exponent):
    return [{"power": base**exponent}]


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_results_come_in_the_order_of_the_work(n_jobs):
    work = [(base, 3) for base in range(20)]
    table = tabulated(power, work, ["base", "exponent"], n_jobs)
    assert table["power"].tolist() == [base**3 for base in range(20)]
