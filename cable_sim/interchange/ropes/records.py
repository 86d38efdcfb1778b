"""Records of ropes in another engine, and how they are made of cables."""

from typing import Any, NamedTuple

import numpy as np

from cable_sim.kernels.cables.hybrid.segments import COLUMNS as MIXING_COLUMNS
from cable_sim.kernels.records.arrays import Flags, Floats, Ints
from cable_sim.kernels.records.rows import Rows, RowState, RowWork, SolverWork, Table
from cable_sim.kernels.records.wheels import Rims


class Frames(NamedTuple):
    """The engine's bodies: origins (b, 3) [m] and quaternions (b, 4), scalar first; 0 is the world.

    Both are read in place at each step.
    """

    position: Floats
    orientation: Floats


class Motion(NamedTuple):
    """The engine's coordinates: velocity and last acceleration (v,), and where forces go (v,)."""

    velocity: Floats
    acceleration: Floats
    force: Floats


class NodePoints(NamedTuple):
    """Bodies of nodes (n,), and their points (n, 3) in the bodies' frames [m]."""

    body: Ints
    point: Floats


class NodePlaces(NamedTuple):
    """Places of nodes (n, 3), and their arms (n, 3) from the origins of their bodies [m]."""

    position: Floats
    arm: Floats


class Spans(NamedTuple):
    """Spans, each in the row of its first node, as in ``kernels/records/cables.py``."""

    length: Floats
    direction: Floats
    groove_force: Floats
    groove_couple: Floats


class Paths(NamedTuple):
    """Nodes and spans, for the kernels of ``kernels/cables/massless``."""

    bodies: Frames
    node_state: NodePoints
    node_work: NodePlaces
    span_work: Spans


class Ropes(NamedTuple):
    """Constants and state of ropes (c,), their nodes (n,) and rows (r,)."""

    node_start: Ints
    row_start: Ints
    """(c + 1,) first row of each rope: its tension, then its nodes with friction."""
    row_node: Ints
    """(r,) node of a friction row, -1 for a tension."""
    stiffness: Floats
    """(c,) EA [N], or 0 with a spring constant."""
    spring: Floats
    """(c,) spring constant whatever the length [N/m], or 0."""
    damping_time: Floats
    """(c,) damping over stiffness [s]; until the first step less the damping ratio, where given."""
    longest: Floats
    """(c,) longest step with which an explicit force is stable [s]."""
    winch: Ints
    """(c,) -1 without one."""
    loss: Floats
    """(n,) kappa of a sheave, see ``kernels/cables/friction/node_law.py``."""
    length: Floats
    """(c,) unstretched length at the pose [m]."""
    path: Floats
    """(c,) length of the path [m]."""
    share: Floats
    """(n,) share of the path that lies beyond a node."""
    resolved: Flags
    """(c,) True where the step keeps the energy of the rope's oscillation."""
    wrench: Floats
    """(r, n, 6) force and moment on the body of each node, about the node, per unit of a row."""
    jacobian: Floats
    """(r, v) generalised force per unit of a row."""
    response: Floats
    """(r, v) M^-1 J^T."""
    tension: Floats
    """(r,) unknowns of the last step [N]."""
    free: Floats
    """(v,) acceleration of the last step without the ropes."""
    matrix: Floats
    """(r, r) J M^-1 J^T."""


class Winches(NamedTuple):
    """Winches (w,): speeds of paying out [m/s], and their largest change [m/s^2]."""

    command: Floats
    rate: Floats
    before: Floats
    """One step before ``rate``."""
    ramp: Floats


class World(NamedTuple):
    """All that a step of ropes reads and writes.

    ``step`` (2,) is its length, and the time since the last explicit force [s].
    """

    step: Floats
    motion: Motion
    paths: Paths
    rims: Rims
    ropes: Ropes
    winches: Winches
    table: Table
    solver: SolverWork
    engine: Any


def make_record(kind: Any, size: int, **shapes: Any) -> Any:
    """Return a record of zeros of a size, but for fields with other shapes or arrays."""
    types = {Ints: np.int64, Flags: np.bool_}
    made = {}
    for name, hint in kind.__annotations__.items():
        shape = shapes.get(name, size)
        is_array = isinstance(shape, np.ndarray)
        made[name] = shape if is_array else np.zeros(shape, types.get(hint, np.float64))
    return kind(**made)


def build_solver(ropes: Ropes) -> tuple[Table, SolverWork]:
    """Return the records of ``kernels/multibody/solver.py`` for the rows of ropes."""
    n = ropes.row_node.size
    listed: list[int] = []
    start = [0]
    for c in range(ropes.winch.size):
        rows = range(ropes.row_start[c], ropes.row_start[c + 1])
        for r in rows:
            listed += rows if ropes.row_node[r] >= 0 else ()
            start.append(len(listed))
    rows = make_record(
        Rows,
        0,
        limit_start=np.array(start),
        limit_row=np.array(listed, np.int64),
        own=np.array([n, 1]),
        mixed=np.flatnonzero(ropes.row_node >= 0),
    )
    work = make_record(
        RowWork, n, jacobian=(0, 6), inner=(0, 3), limit_factor=len(listed), heap=np.zeros(1)
    )
    work.active[:] = True
    work.used[:] = n
    for r in range(n):
        work.upper[r] = np.inf if ropes.row_node[r] < 0 else 0.0
    solver = make_record(
        SolverWork,
        n,
        active=np.arange(n),
        position=np.arange(n),
        start=np.arange(n + 1) * np.arange(1, n + 2) // 2,
        matrix=n * (n + 1) // 2,
        factor=n * (n + 1) // 2,
        change=(0, 3, 6),
        answer=(0, 6),
        gathered=(0, 6),
        response=(0, 6),
        mixing=(rows.mixed.size, MIXING_COLUMNS),
    )
    return Table(rows, make_record(RowState, n), work, np.zeros(1, np.int64)), solver
