"""Rows at the start of a step: active, at rest, with what is constant of them."""

from math import inf

from cable_sim.kernels.jit import kernel


@kernel
def clear_row(r, rows, row_work_out):
    """Set row r active and at rest, with its constant bounds, compliance and damping time."""
    row_work_out.active[r] = True
    row_work_out.lower[r], row_work_out.upper[r] = rows.lower[r], rows.upper[r]
    row_work_out.compliance[r] = rows.compliance[r]
    row_work_out.damping_time[r] = rows.damping_time[r]
    row_work_out.target[r] = 0.0
    row_work_out.apart[r] = False
    row_work_out.closing[r] = inf
    row_work_out.inner[r, 0] = 0.0
    row_work_out.inner[r, 1] = 0.0
    row_work_out.inner[r, 2] = 0.0


@kernel
def clear_rows(rows, row_work_out):
    """Clear all rows but those of the pool, which has none yet.

    Columns fill in the rest.
    """
    own = rows.own[0]
    row_work_out.used[0] = own
    for r in range(own):
        clear_row(r, rows, row_work_out)
    for e in range(rows.entry_start[own]):
        row_work_out.entry_body[e] = rows.entry_body[e]
