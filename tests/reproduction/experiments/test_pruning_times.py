from reproduction.experiments.pruning_times import pruning_seconds


def test_each_way_has_a_time():
    rows = pruning_seconds("iris", 0)
    assert [row["way"] for row in rows] == ["CART", "Ours", "textbook", "exact"]
    assert all(row["seconds"] >= 0 for row in rows)
