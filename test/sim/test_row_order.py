"""The order in which rows are eliminated."""

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

from cable_sim.kernels.multibody.rows import GAP
from cable_sim.model.basis.rows import WIDE, RowTable


def order_of(*rows: list[int]) -> list[int]:
    """Order of rows on these bodies, of which all but the world move."""
    table = RowTable()
    for bodies in rows:
        table.add(GAP, bodies)
    movable = np.arange(max(max(bodies, default=0) for bodies in rows) + 1) > 0
    return table.order(movable).tolist()


def scipy_order(rows: list[list[int]], bodies: int) -> list[int]:
    """Reverse Cuthill-McKee order of rows that share bodies."""
    pairs = [(row, body) for row, touched in enumerate(rows) for body in touched]
    places = tuple(np.array(pairs).T)
    touches = coo_array((np.ones(len(pairs)), places), shape=(len(rows), bodies)).tocsr()
    order = reverse_cuthill_mckee((touches @ touches.T).tocsr(), symmetric_mode=True)
    return order.tolist()


@pytest.mark.parametrize("count", [2, 3, 8, 25])
def test_rows_on_one_body_are_ordered_as_by_cuthill_mckee(count: int) -> None:
    rows = count * [[3]]
    assert order_of(*([0, 3] for _ in rows)) == scipy_order(rows, 4)


@pytest.mark.parametrize("seed", range(200))
def test_rows_are_ordered_as_by_cuthill_mckee(seed: int) -> None:
    """Down to every tie, on which bits depend: chains, nets, and parts that do not meet."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 200))
    last = int(rng.integers(1, 60))
    chain = seed % 2
    rows = []
    for row in range(count):
        near = range(1 + row * last // count, last + 1) if chain else rng.permutation(last) + 1
        rows.append([int(body) for body in near[: rng.integers(0, 4)]])
    rows[0] = rows[0] or [last]
    assert order_of([last], *rows) == scipy_order([[last], *rows], last + 1)


def test_rows_on_nothing_that_moves_stay_in_order() -> None:
    table = RowTable()
    for _ in range(3):
        table.add(GAP, [1, 2])
    assert table.order(np.zeros(3, bool)).tolist() == [0, 1, 2]


def test_a_chain_is_eliminated_from_one_end_to_the_other():
    links = np.random.default_rng(3).permutation(20)
    order = order_of(*([1 + int(link), 2 + int(link)] for link in links))
    assert np.abs(np.diff(links[order])).tolist() == 19 * [1]


def test_rows_on_many_bodies_come_last():
    assert order_of(list(range(1, WIDE + 2)), [1], [2, 3])[-1] == 0
