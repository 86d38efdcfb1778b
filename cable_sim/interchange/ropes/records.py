"""Records of ropes in another engine, and how they are made of cables."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from transforms3d.quaternions import rotate_vector

from cable_sim.kernels.cables.hybrid.segments import COLUMNS
from cable_sim.kernels.records.arrays import Flags, Floats, Ints
from cable_sim.kernels.records.bodies import Moving
from cable_sim.kernels.records.cables import NodeState, NodeWork, SpanWork
from cable_sim.kernels.records.rows import (
    Rows,
    RowState,
    RowWork,
    SolverWork,
    Table,
    envelope_shapes,
)
from cable_sim.kernels.records.wheels import Rims, Wheels, WheelState, WheelWork
from cable_sim.model.cables.wheels import bearing_loss
from cable_sim.spec import Cable, Wheel

Place = tuple[int, Any, Any]
"""Body (0 is the world), and position [m] and quaternion in its frame, of a named frame."""


class Paths(NamedTuple):
    """Nodes and spans with the engine's bodies, as ``kernels/cables/massless`` takes them."""

    bodies: Moving
    node_state: NodeState
    node_work: NodeWork
    span_work: SpanWork


class Ropes(NamedTuple):
    """Ropes (c,), their nodes (n,) and rows (r,), over coordinates (v,).

    A rope has a row for its tension, then one for each node with friction.
    """

    node_start: Ints
    row_start: Ints
    row_node: Ints
    """(r,) -1 for a tension."""
    ea: Floats
    damping_time: Floats
    """(c,) damping over stiffness [s]; before the first step less the damping ratio, if given."""
    longest: Floats
    """(c,) step from which on an explicit force is unstable [s]."""
    length: Floats
    """(c,) unstretched length at the pose [m]."""
    path: Floats
    """(c,) its length over nodes and wheels [m]."""
    resolved: Flags
    """(c,) True where the step keeps the energy of the rope's oscillation."""
    command: Floats
    """(c,) speed of paying out to come [m/s]; then that of this step, and of the one before."""
    rate: Floats
    rate_before: Floats
    ramp: Floats
    """(c,) largest change of the speed [m/s^2]."""
    loss: Floats
    """(n,) kappa, see ``kernels/cables/friction/node_law.py``."""
    mobility: Floats
    """(n,) 1/m of the bodies at the nodes, about [1/kg]."""
    share: Floats
    """(n,) part of the path that lies beyond a node."""
    jacobian: Floats
    """(r, v) generalised force per unit of a row, and M^-1 J^T."""
    response: Floats
    matrix: Floats
    """(r, r) J M^-1 J^T."""
    tension: Floats
    """(r,) tensions and friction of the last step [N]."""
    free: Floats
    """(v,) acceleration of the last step without the ropes."""


class World(NamedTuple):
    """Ropes with the engine's arrays; ``time`` (2,) is the step, and the time since the last."""

    time: Floats
    velocity: Floats
    acceleration: Floats
    force: Floats
    tree: Any
    paths: Paths
    rims: Rims
    ropes: Ropes
    table: Table
    solver: SolverWork


def make_record(kind: Any, size: int, **given: Any) -> Any:
    """Return a record of zeros of a size, but for fields of other shapes, or given arrays."""
    types = {Ints: np.int64, Flags: np.bool_}
    for name, hint in kind.__annotations__.items():
        if not isinstance(given.get(name), np.ndarray):
            given[name] = np.zeros(given.get(name, size), types.get(hint, np.float64))
    return kind(**given)


def losses(node: Any) -> tuple[float, float]:
    """Return kappa of the bearing of a node, and the coefficient of friction of a wheel [-]."""
    efficiency = getattr(node, "efficiency", None)
    kappa = 0.0 if efficiency is None else bearing_loss(efficiency)
    return kappa, getattr(node, "friction", None) or 0.0


def build_ropes(cables: Sequence[Cable], v: int) -> Ropes:
    """Return the records of cables over v coordinates."""
    node_start, row_start, row_node = [0], [0], []
    for cable in cables:
        rubs = [k for k, node in enumerate(cable.nodes, node_start[-1]) if any(losses(node))]
        row_node += [-1, *rubs]
        row_start.append(len(row_node))
        node_start.append(node_start[-1] + len(cable.nodes))
    r = len(row_node)
    return make_record(
        Ropes,
        len(cables),
        node_start=np.array(node_start),
        row_start=np.array(row_start),
        row_node=np.array(row_node),
        ea=np.array([cable.axial_rigidity for cable in cables], np.float64),
        ramp=np.full(len(cables), math.inf),
        loss=np.array([losses(node)[0] for cable in cables for node in cable.nodes]),
        share=node_start[-1],
        mobility=node_start[-1],
        jacobian=(r, v),
        response=(r, v),
        matrix=(r, r),
        tension=r,
        free=v,
    )


def build_paths(nodes: Sequence[Any], places: Sequence[Place], bodies: Moving) -> Paths:
    """Return the records of nodes and spans."""
    n = len(nodes)
    on = np.array([place[0] for place in places])
    at = [
        p + rotate_vector(node.position, q) for node, (_, p, q) in zip(nodes, places, strict=True)
    ]
    three = (n, 3)
    state = make_record(NodeState, 0, body=on, point=np.array(at))
    work = make_record(NodeWork, 0, position=three, arm=three)
    spans = {"length": n, "direction": three, "groove_force": three, "groove_couple": (n, 2, 3)}
    return Paths(bodies, state, work, make_record(SpanWork, 0, **spans))


def build_rims(nodes: Sequence[Any], places: Sequence[Place]) -> Rims:
    """Return the records of the wheels among nodes."""
    at = [k for k, node in enumerate(nodes) if isinstance(node, Wheel)]
    n, three = len(at), (len(at), 3)
    of_node = np.full(len(nodes), -1)
    of_node[at] = range(n)
    on = np.array(at, np.int64)
    wheels = make_record(Wheels, n, node=on, of_node=of_node, axis=three, ahead=three)
    for i, k in enumerate(at):
        axis = rotate_vector(nodes[k].axis, places[k][2])
        aside = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
        wheels.axis[i] = axis / np.linalg.norm(axis)
        wheels.ahead[i] = aside / np.linalg.norm(aside)
        wheels.radius[i] = nodes[k].radius
        wheels.friction[i] = losses(nodes[k])[1]
    work = make_record(WheelWork, n, comes=three, leaves=three, axis=three)
    return Rims(wheels, make_record(WheelState, n, contact=(n, 2)), work)


def build_solver(ropes: Ropes) -> tuple[Table, SolverWork]:
    """Return the records of ``kernels/multibody/solver.py`` for the rows of ropes."""
    n = ropes.row_node.size
    rubs = np.flatnonzero(ropes.row_node >= 0)
    rope_of = np.repeat(np.arange(ropes.ea.size), np.diff(ropes.row_start))
    own: list[Any] = [[]] * n
    for r in rubs:
        own[r] = np.flatnonzero(rope_of == rope_of[r])
    listed = np.concatenate([[], *own]).astype(np.int64)
    start = np.cumsum([0, *map(len, own)])
    rows = make_record(Rows, 0, limit_start=start, limit_row=listed, mixed=rubs)
    upper = np.where(ropes.row_node < 0, math.inf, 0.0)
    active = np.full(n, True)
    work = make_record(RowWork, n, active=active, upper=upper, limit_factor=listed.size)
    k = np.arange(n + 1)
    start = k * (k + 1) // 2
    sizes = envelope_shapes(n, int(start[n])) | {"mixing": (rubs.size, COLUMNS)}
    solver = make_record(SolverWork, n, active=k[:n], start=start, **sizes)
    return Table(rows, make_record(RowState, n), work, np.zeros(1, np.int64)), solver
