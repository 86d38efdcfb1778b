"""Segments of hybrid wires that touch no moving body, eliminated: two sweeps of a tridiagonal
system.

The equations and what couples the others are at the head of ``hybrid.py``, those of the coordinates
of runs at that of ``taut_runs.py``.
"""

from math import sqrt

from cable_sim.kernels.cables.hybrid.segments import (
    BETA,
    BORDER,
    BORDERED,
    COMMON,
    DELTA,
    DEMAND,
    DIAGONAL,
    FILL,
    FROZEN,
    IMPULSE,
    KNOWN,
    LEFT,
    OFF,
    ROW,
    RUN,
    SHARE,
    SLACK,
    SOFTNESS,
    SPARE,
)
from cable_sim.kernels.jit import kernel
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.lines import Nodes, WireLines
from cable_sim.kernels.records.rows import RowWork


@kernel
def clear_segment(i: int, left: int, nodes_out: Nodes) -> None:
    """Clear what elimination leaves of segment i, behind the exposed segment ``left``."""
    number = nodes_out.number
    number[i, SHARE] = 0.0
    number[i, FILL] = 0.0
    number[i, KNOWN] = 0.0
    number[i, BORDERED] = 0.0
    number[i, BETA] = 1.0
    number[i, DELTA] = 0.0
    nodes_out.mark[i, LEFT] = left


@kernel
def take_out(
    i: int, left: int, pivot: float, demand: float, border: float, fill: float, nodes_out: Nodes
) -> None:
    """Eliminate segment i, 1 / ``pivot`` its diagonal, from the exposed one before and its run."""
    number = nodes_out.number
    run = nodes_out.mark[i, RUN]
    if left >= 0:
        number[left, SOFTNESS] -= fill * fill * pivot
        number[left, KNOWN] -= fill * demand * pivot
        number[left, BORDERED] -= fill * border * pivot
    number[i, FILL] = fill * pivot
    number[i, KNOWN] = demand * pivot
    number[i, BORDERED] = border * pivot
    number[run, BETA] += border * border * pivot
    number[run, DELTA] += border * demand * pivot


@kernel
def eliminate_segments(n: int, wires: WireLines, nodes_out: Nodes) -> None:
    """Eliminate the taut segments of wire n that are not exposed; KNOWN of an exposed one becomes
    its demand."""
    begin = wires.node_start[wires.cable[n]]
    number = nodes_out.number
    mark = nodes_out.mark
    left = -1
    pivot = 0.0
    demand = 0.0
    border = 0.0
    fill = 0.0
    for i in range(begin, begin + nodes_out.segment_count[n]):
        clear_segment(i, left, nodes_out)
        if mark[i, ROW] <= SLACK:
            left = -1
            pivot = 0.0
            fill = 0.0
            continue
        off = number[i, OFF] if i > begin and mark[i - 1, ROW] > SLACK else 0.0
        share = off * pivot
        diagonal = number[i, DIAGONAL] - share * off
        demand = number[i, DEMAND] - share * demand
        border = number[i, BORDER] - share * border
        fill = off if i > begin and mark[i - 1, ROW] >= 0 else -share * fill
        number[i, SHARE] = share
        if mark[i, ROW] >= 0:
            number[i, FILL] = fill
            number[i, KNOWN] = demand
            number[i, BORDERED] = border
            number[i, SOFTNESS] = diagonal
            left = i
            pivot = 0.0
        else:
            pivot = 1.0 / diagonal
            take_out(i, left, pivot, demand, border, fill, nodes_out)


@kernel
def couple_rows(
    row: int, side: int, entry: float, wires: WireLines, entry_jacobian_out: Floats
) -> None:
    """Entry of an exposed row on the body that couples it with the row before (side 0) or after it
    (1)."""
    entry_jacobian_out[wires.entry_start[row + 1] - 2 + side, 0] = entry


@kernel
def couple_run(i: int, wires: WireLines, nodes: Nodes, row_work_out: RowWork) -> None:
    """Entry of exposed segment i on the body of the coordinate of its run, and its demand."""
    number = nodes.number
    row = nodes.mark[i, ROW]
    run = nodes.mark[i, RUN]
    row_work_out.target[row] = number[i, KNOWN]
    if nodes.mark[run, SPARE] >= 0:
        border = number[i, BORDERED]
        row_work_out.target[row] -= border * number[run, DELTA] / number[run, BETA]
        place = wires.entry_start[row + 1] - 3 - nodes.mark[run, SPARE]
        row_work_out.jacobian[place, 0] = border / sqrt(number[run, BETA])


@kernel
def expose_rows(n: int, wires: WireLines, nodes: Nodes, row_work_out: RowWork) -> None:
    """Give the table the exposed rows of wire n, coupled by the bodies between them."""
    begin = wires.node_start[wires.cable[n]]
    last_row = -1
    for i in range(begin, begin + nodes.segment_count[n]):
        row = nodes.mark[i, ROW]
        if row < 0:
            continue
        softness = nodes.number[i, SOFTNESS]
        before = 0.0
        entry = 0.0
        if nodes.mark[i, LEFT] >= 0 and nodes.number[i, FILL] != 0.0:
            before = sqrt(row_work_out.compliance[last_row])
            entry = nodes.number[i, FILL] / before
            row_work_out.compliance[last_row] = 0.0
        if last_row >= 0:
            couple_rows(last_row, 1, before, wires, row_work_out.jacobian)
        couple_rows(row, 0, entry, wires, row_work_out.jacobian)
        couple_rows(row, 1, 0.0, wires, row_work_out.jacobian)
        row_work_out.compliance[row] = max(softness - entry * entry, 0.0)
        couple_run(i, wires, nodes, row_work_out)
        last_row = row


@kernel
def sum_runs(begin: int, end: int, row_impulse: Floats, nodes_out: Nodes) -> None:
    """Find p of all runs of a wire [m/s], from the impulses of its exposed rows."""
    number = nodes_out.number
    mark = nodes_out.mark
    for i in range(begin, end):
        number[i, COMMON] = number[i, DELTA] / number[i, BETA]
    for i in range(begin, end):
        if mark[i, ROW] >= 0:
            run = mark[i, RUN]
            number[run, COMMON] += (
                number[i, BORDERED] * row_impulse[mark[i, ROW]] / number[run, BETA]
            )


@kernel
def solve_segments(n: int, wires: WireLines, row_impulse: Floats, nodes_out: Nodes) -> None:
    """Impulses of all segments of wire n, from those of its exposed rows [N s]; frozen ones keep
    theirs."""
    begin = wires.node_start[wires.cable[n]]
    end = begin + nodes_out.segment_count[n]
    impulse = 0.0
    mark = nodes_out.mark
    number = nodes_out.number
    sum_runs(begin, end, row_impulse, nodes_out)
    for i in range(end - 1, begin - 1, -1):
        row = mark[i, ROW]
        share = number[i + 1, SHARE] if i + 1 < end else 0.0
        if row <= SLACK:
            impulse = 0.0
        elif row >= 0:
            impulse = row_impulse[row]
        else:
            left = mark[i, LEFT]
            other = row_impulse[mark[left, ROW]] if left >= 0 else 0.0
            impulse = number[i, KNOWN] - number[i, FILL] * other - share * impulse
            impulse -= number[i, BORDERED] * number[mark[i, RUN], COMMON]
        if row != FROZEN:
            nodes_out.number[i, IMPULSE] = impulse
