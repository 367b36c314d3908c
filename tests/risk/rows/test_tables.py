"""A table has the same columns, whatever form it came in."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_array, csc_array, csr_array

from treebounds.risk.rows.tables import as_table, stacked

X = np.array([[0.0, 1.0, 0.0], [2.0, 0.0, 3.0]])
FORMS = [np.asarray, np.ndarray.tolist, pd.DataFrame, csr_array, csc_array, coo_array]


def columns(table):
    return [table.column(column).tolist() for column in range(table.n_columns)]


@pytest.mark.parametrize("form", FORMS)
def test_columns_are_those_of_the_array(form):
    table = as_table(form(X))
    assert as_table(table) is table
    assert len(table) == 2
    assert columns(table) == X.T.tolist()
    assert columns(table.first_columns(2)) == X[:, :2].T.tolist()
    assert columns(table.without_columns([1])) == X[:, [0, 2]].T.tolist()
    assert columns(stacked([table, table])) == np.vstack([X, X]).T.tolist()


def test_a_column_of_words_stays_one():
    frame = pd.DataFrame({"n": [1, 2], "word": ["a", "b"]})
    table = as_table(frame)
    assert columns(table) == [[1, 2], ["a", "b"]]
    assert columns(table.without_columns([0])) == [["a", "b"]]
    assert not table.has_numbers
