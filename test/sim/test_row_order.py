"""The order in which rows are eliminated."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

from cable_sim.kernels.rows import GAP
from cable_sim.model.rows import WIDE, RowTable


def order_of(*rows: list[int]) -> list[int]:
    """Order of rows on these bodies, of which all but the world move."""
    table = RowTable()
    for bodies in rows:
        table.add(GAP, bodies)
    movable = np.arange(max(max(bodies) for bodies in rows) + 1) > 0
    return table.order(movable).tolist()


@pytest.mark.parametrize("count", [2, 3, 8, 25])
def test_rows_on_one_body_are_ordered_as_by_cuthill_mckee(count):
    """It is written down, so that a ball on a rope waits for no sparse matrices."""
    touches = csr_array(np.ones((count, 1)))
    wanted = reverse_cuthill_mckee((touches @ touches.T).tocsr(), symmetric_mode=True)
    assert order_of(*count * [[0, 3]]) == wanted.tolist()


def test_a_chain_is_eliminated_from_one_end_to_the_other():
    links = np.random.default_rng(3).permutation(20)
    order = order_of(*([1 + int(link), 2 + int(link)] for link in links))
    assert np.abs(np.diff(links[order])).tolist() == 19 * [1]


def test_rows_on_many_bodies_come_last():
    assert order_of(list(range(1, WIDE + 2)), [1], [2, 3])[-1] == 0
