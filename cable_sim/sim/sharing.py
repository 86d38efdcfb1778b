"""Loads that ropes share which cannot stretch, of the sparse matrix.

See ``kernels/multibody/sharing.py``.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cable_sim.kernels.multibody.pivoting import TOLERANCE
from cable_sim.kernels.multibody.sharing import CONTRADICTS, PASSES
from cable_sim.kernels.records.rows import RowState, RowWork
from cable_sim.kernels.records.world import Floats, Ints
from cable_sim.kernels.status import LOST_PIVOT, SOLVED


def share_loads(
    solve: Callable[[Floats, Floats], Floats],
    free: NDArray[np.bool_],
    rows: Ints,
    row_work: RowWork,
    state_out: RowState,
) -> int:
    """Take the softness of rigid ropes out of the impulses of ``rows``; return status flags.

    ``solve`` takes demands of the free rows and impulses of the others.
    """
    sharing = row_work.sharing[rows]
    impulse = state_out.impulse[rows]
    part = np.where(free, impulse, 0.0)
    if not (sharing * part).any():
        return SOLVED
    least = TOLERANCE * np.abs(impulse).max()
    for passed in range(1, PASSES + 1):
        before, part = part, solve(sharing * part, np.zeros(rows.size))
        if np.abs(part - before).max() <= least or passed == PASSES:
            break
        impulse += part
    state_out.impulse[rows] = impulse - passed * part
    left = np.abs(sharing * part).max()
    return LOST_PIVOT if left > CONTRADICTS * np.abs(row_work.demand[rows]).max() else SOLVED
