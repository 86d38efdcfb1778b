"""Entries of rows: what a row of J has on each of its bodies, and J v.

An entry has six numbers, the linear and the angular part of J in the world, on one body. Rows begin
a step active and at rest, with what is constant of them.
"""

from math import inf

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.multibody.vec3 import Vector, add, cross, dot, scale
from cable_sim.kernels.records.arrays import Flags, Floats, Ints
from cable_sim.kernels.records.rows import Rows, RowWork


@kernel
def entry_rate(row_jacobian: Floats, velocity: Floats, e: int, b: int) -> float:
    """Contribution of entry e, on body b, to J v."""
    total = 0.0
    for k in range(6):
        total += row_jacobian[e, k] * velocity[b, k]
    return total


@kernel
def row_rate(r: int, rows: Rows, row_work: RowWork, velocity: Floats) -> float:
    """J v of row r [m/s or rad/s]."""
    rate = 0.0
    for e in range(rows.entry_start[r], rows.entry_start[r + 1]):
        rate += entry_rate(row_work.jacobian, velocity, e, row_work.entry_body[e])
    return rate


@kernel
def steepness(r: int, row_entry_start: Ints, entry_jacobian: Floats) -> float:
    """|J|^2 of row r."""
    total = 0.0
    for e in range(row_entry_start[r], row_entry_start[r + 1]):
        for k in range(6):
            total += entry_jacobian[e, k] ** 2
    return total


@kernel
def set_entry(linear: Vector, angular: Vector, e: int, entry_jacobian_out: Floats) -> None:
    """Write an entry: derivative of the gap with respect to a body's linear and angular
    velocity."""
    for k in range(3):
        entry_jacobian_out[e, k] = linear[k]
        entry_jacobian_out[e, 3 + k] = angular[k]


@kernel
def set_point_entries(
    axis: Vector,
    arm_a: Vector,
    arm_b: Vector,
    e: int,
    body_a: int,
    body_b: int,
    entry_jacobian_out: Floats,
) -> None:
    """Write the entries of a row on the velocity of a point of body b past one of body a.

    They stand from e on. The world has no entry.
    """
    if body_a != 0:
        set_entry(scale(-1.0, axis), cross(axis, arm_a), e, entry_jacobian_out)
        e += 1
    if body_b != 0:
        set_entry(axis, cross(arm_b, axis), e, entry_jacobian_out)


@kernel
def clear_entries(begin: int, end: int, entry_jacobian_out: Floats) -> None:
    """Set the entries from ``begin`` to ``end`` to zero."""
    for e in range(begin, end):
        for i in range(6):
            entry_jacobian_out[e, i] = 0.0


@kernel
def point_row(
    axis: Vector, separation: Vector, child_arm: Vector, parent_arm: Vector
) -> tuple[float, Vector, Vector]:
    """Gap, and the angular parts of J for child and parent, of a point row; the linear ones are
    +-axis."""
    return dot(axis, separation), cross(child_arm, axis), cross(axis, add(parent_arm, separation))


@kernel
def clear_rows(rows: Rows, row_work_out: RowWork) -> None:
    """Clear all rows but those of the pool, which has none yet.

    Columns fill in the rest.
    """
    own = rows.own[0]
    row_work_out.used[0] = own
    clear_range(0, own, rows, row_work_out)
    copy_part(0, rows.entry_start[own], rows.entry_body, row_work_out.entry_body)


@kernel
def start_rates(
    r: int, rows: Rows, velocity: Floats, free_velocity: Floats, row_work: RowWork
) -> tuple[float, float]:
    """Return J v of row r at the start of the step, and J v_free [m/s or rad/s]."""
    rate = row_work.inner[r, 1]
    free_rate = row_work.inner[r, 2]
    for e in range(rows.entry_start[r], rows.entry_start[r + 1]):
        b = row_work.entry_body[e]
        rate += entry_rate(row_work.jacobian, velocity, e, b)
        free_rate += entry_rate(row_work.jacobian, free_velocity, e, b)
    return rate, free_rate


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
