"""Rows at the start of a step: active, at rest, with what is constant of them."""

from math import inf

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.records.arrays import Flags, Floats, Ints
from cable_sim.kernels.records.rows import Rows, RowWork


@kernel
def copy_part(begin: int, end: int, values: Floats | Ints, values_out: Floats | Ints) -> None:
    """Copy the values from ``begin`` to ``end``."""
    for i in range(begin, end):
        values_out[i] = values[i]


@kernel
def fill_part(begin: int, end: int, value: float, values_out: Flags | Floats) -> None:
    """Set the values from ``begin`` to ``end``."""
    for i in range(begin, end):
        values_out[i] = value


@kernel
def clear_range(begin: int, end: int, rows: Rows, row_work_out: RowWork) -> None:
    """Set rows active and at rest, with their constant bounds, compliance and damping time.

    Array by array, so that several rows are one instruction.
    """
    fill_part(begin, end, True, row_work_out.active)
    fill_part(begin, end, False, row_work_out.apart)
    fill_part(begin, end, 0.0, row_work_out.target)
    fill_part(begin, end, inf, row_work_out.closing)
    fill_part(begin, end, 0.0, row_work_out.sharing)
    copy_part(begin, end, rows.lower, row_work_out.lower)
    copy_part(begin, end, rows.upper, row_work_out.upper)
    copy_part(begin, end, rows.compliance, row_work_out.compliance)
    copy_part(begin, end, rows.damping_time, row_work_out.damping_time)
    for r in range(begin, end):
        for i in range(3):
            row_work_out.inner[r, i] = 0.0


@kernel
def clear_rows(rows: Rows, row_work_out: RowWork) -> None:
    """Clear all rows but those of the pool, which has none yet.

    Columns fill in the rest.
    """
    own = rows.own[0]
    row_work_out.used[0] = own
    clear_range(0, own, rows, row_work_out)
    copy_part(0, rows.entry_start[own], rows.entry_body, row_work_out.entry_body)
