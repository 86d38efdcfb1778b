"""Records of ropes in another engine, and how they are made of cables."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from transforms3d.quaternions import rotate_vector

from cable_sim.kernels.cables.hybrid.segments import COLUMNS
from cable_sim.kernels.records.arrays import Flags, Floats, Ints
from cable_sim.kernels.records.rows import Rows, RowState, RowWork, SolverWork, Table
from cable_sim.kernels.records.wheels import Rims, Wheels, WheelState, WheelWork
from cable_sim.model.wheels import bearing_loss
from cable_sim.spec import Cable, Wheel

Place = tuple[int, Any, Any]
"""Body (0 is the world), and position [m] and quaternion in its frame, of a named frame."""


class Frames(NamedTuple):
    """Origins (b, 3) [m] and quaternions (b, 4) of the engine's bodies; 0 is the world."""

    position: Floats
    orientation: Floats


class Nodes(NamedTuple):
    """Bodies of nodes (n,), and their points in the frames of these (n, 3) [m]."""

    body: Ints
    point: Floats


class Places(NamedTuple):
    """Nodes in the world, and their arms from the origins of their bodies (n, 3) [m]."""

    position: Floats
    arm: Floats


class Spans(NamedTuple):
    """Spans, each in the row of its first node, as in ``kernels/records/cables.py``."""

    length: Floats
    direction: Floats
    groove_force: Floats
    groove_couple: Floats


class Paths(NamedTuple):
    """Nodes (n,) and spans with the engine's bodies, as ``kernels/cables/massless`` has them."""

    bodies: Frames
    node_state: Nodes
    node_work: Places
    span_work: Spans


class Ropes(NamedTuple):
    """Ropes (c,), their nodes (n,), rows (r,) and winches (w,), over coordinates (v,).

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
    winch: Ints
    length: Floats
    """(c,) unstretched length at the pose [m]."""
    path: Floats
    """(c,) its length over nodes and wheels [m]."""
    resolved: Flags
    """(c,) True where the step keeps the energy of the rope's oscillation."""
    loss: Floats
    """(n,) kappa, see ``kernels/cables/friction/node_law.py``."""
    share: Floats
    """(n,) part of the path that lies beyond a node."""
    jacobian: Floats
    """(r, v) generalised force per unit of a row."""
    response: Floats
    """(r, v) M^-1 J^T."""
    matrix: Floats
    """(r, r) J M^-1 J^T."""
    tension: Floats
    """(r,) tensions and friction of the last step [N]."""
    free: Floats
    """(v,) acceleration of the last step without the ropes."""
    command: Floats
    """(w,) speed of paying out to come [m/s]."""
    rate: Floats
    """(w,) the same of this step."""
    rate_before: Floats
    ramp: Floats
    """(w,) largest change of it [m/s^2]."""


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


def make_record(kind: Any, size: int, **shapes: Any) -> Any:
    """Return a record of zeros of a size, but for fields of other shapes, or given arrays."""
    types = {Ints: np.int64, Flags: np.bool_}
    made = {}
    for name, hint in kind.__annotations__.items():
        given = shapes.get(name, size)
        is_array = isinstance(given, np.ndarray)
        made[name] = given if is_array else np.zeros(given, types.get(hint, np.float64))
    return kind(**made)


def build_ropes(cables: Sequence[Cable], coordinates: int) -> Ropes:
    """Return the records of some cables over so many coordinates."""
    nodes = [node for cable in cables for node in cable.nodes]
    node_start, row_start, row_node = [0], [0], []
    for cable in cables:
        rubs = [k for k, node in enumerate(cable.nodes, node_start[-1]) if any(losses(node))]
        row_node += [-1, *rubs]
        row_start.append(len(row_node))
        node_start.append(node_start[-1] + len(cable.nodes))
    names = winch_names(cables)
    n, r, w = len(nodes), len(row_node), len(names)
    winch = [names.index(cable.winch.name) if cable.winch else -1 for cable in cables]
    sizes = {"share": n, "jacobian": (r, coordinates), "response": (r, coordinates), "tension": r}
    sizes |= {"matrix": (r, r), "free": coordinates, "command": w, "rate": w, "rate_before": w}
    return make_record(
        Ropes,
        len(cables),
        node_start=np.array(node_start),
        row_start=np.array(row_start),
        row_node=np.array(row_node),
        ea=np.array([cable.axial_rigidity for cable in cables], np.float64),
        winch=np.array(winch),
        loss=np.array([losses(node)[0] for node in nodes]),
        ramp=np.full(w, math.inf),
        **sizes,
    )


def winch_names(cables: Sequence[Cable]) -> list[str]:
    """Return the names of all winches, each once."""
    return list(dict.fromkeys(cable.winch.name for cable in cables if cable.winch))


def losses(node: Any) -> tuple[float, float]:
    """Return kappa of the bearing of a node, and the coefficient of friction of a wheel [-]."""
    efficiency = getattr(node, "efficiency", None)
    kappa = 0.0 if efficiency is None else bearing_loss(efficiency)
    return kappa, getattr(node, "friction", None) or 0.0


def build_paths(nodes: Sequence[Any], places: Sequence[Place], frames: Frames) -> Paths:
    """Return the records of nodes and spans."""
    n = len(nodes)
    at = [
        place[1] + rotate_vector(node.position, place[2])
        for node, place in zip(nodes, places, strict=True)
    ]
    points = Nodes(np.array([place[0] for place in places]), np.array(at))
    spans = Spans(np.zeros(n), np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 2, 3)))
    return Paths(frames, points, Places(np.zeros((n, 3)), np.zeros((n, 3))), spans)


def build_rims(nodes: Sequence[Any], places: Sequence[Place]) -> Rims:
    """Return the records of the wheels among nodes."""
    at = [k for k, node in enumerate(nodes) if isinstance(node, Wheel)]
    of_node = np.full(len(nodes), -1)
    of_node[at] = range(len(at))
    three, two = (len(at), 3), (len(at), 2)
    node = np.array(at, np.int64)
    wheels = make_record(
        Wheels, len(at), node=node, of_node=of_node, span=two, axis=three, ahead=three
    )
    for i, k in enumerate(at):
        axis = rotate_vector(nodes[k].axis, places[k][2])
        aside = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
        wheels.axis[i] = axis / np.linalg.norm(axis)
        wheels.ahead[i] = aside / np.linalg.norm(aside)
        wheels.radius[i] = nodes[k].radius
        wheels.friction[i] = losses(nodes[k])[1]
    work = make_record(WheelWork, len(at), comes=three, leaves=three, axis=three, contact=two)
    return Rims(wheels, make_record(WheelState, len(at), contact=two), work)


def build_solver(ropes: Ropes) -> tuple[Table, SolverWork]:
    """Return the records of ``kernels/multibody/solver.py`` for the rows of ropes."""
    n = ropes.row_node.size
    rope_of = np.repeat(np.arange(ropes.winch.size), np.diff(ropes.row_start))
    own: list[Any] = [[]] * n
    for r in np.flatnonzero(ropes.row_node >= 0):
        own[r] = np.flatnonzero(rope_of == rope_of[r])
    limits = np.concatenate([[], *own]).astype(np.int64)
    rubs = np.flatnonzero(ropes.row_node >= 0)
    start = np.cumsum([0, *map(len, own)])
    rows = make_record(
        Rows, 0, limit_start=start, limit_row=limits, own=np.array([n, 1]), mixed=rubs
    )
    work = make_record(
        RowWork,
        n,
        active=np.full(n, True),
        upper=np.where(ropes.row_node < 0, math.inf, 0.0),
        limit_factor=limits.size,
        jacobian=(0, 6),
        inner=(0, 3),
    )
    sizes = {"matrix": n * (n + 1) // 2, "factor": n * (n + 1) // 2, "mixing": (rubs.size, COLUMNS)}
    sizes |= {"change": (0, 3, 6), "answer": (0, 6), "gathered": (0, 6), "response": (0, 6)}
    places = np.arange(n + 1)
    solver = make_record(
        SolverWork, n, active=places[:n], start=places * (places + 1) // 2, **sizes
    )
    return Table(rows, make_record(RowState, n), work, np.zeros(1, np.int64)), solver
