"""Records of the ropes of some cables over the bodies of another engine."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from transforms3d.quaternions import rotate_vector

from cable_sim.errors import SpecError
from cable_sim.interchange.ropes.records import (
    Frames,
    Motion,
    NodePlaces,
    NodePoints,
    Paths,
    Ropes,
    Spans,
    Winches,
    World,
    build_solver,
    make_record,
)
from cable_sim.kernels.records.wheels import Rims, Wheels, WheelState, WheelWork
from cable_sim.model.wheels import bearing_loss
from cable_sim.spec import Cable, Wheel
from cable_sim.spec.cable_models import is_given

LEFT_OUT = "closed driven elevation gj hybrid lumped parts torque_factor touches twist_stiffness cd"
"""Fields of a cable that ropes in other engines have not."""
Place = tuple[int, Any, Any]
"""Body (0 is the world), and position [m] and quaternion in its frame of a named frame."""


def check_cables(cables: Sequence[Cable]) -> None:
    """Raise SpecError for what a rope in another engine has not."""
    names = [cable.name for cable in cables]
    for cable in cables:
        given = [name for name in LEFT_OUT.split() if is_given(cable, name)]
        given += ["pulls_only"] if not cable.pulls_only else []
        given += ["winch.drum"] if cable.winch and cable.winch.drum else []
        for wheel in cable.wheels:
            if wheel.inertia or wheel.tension_behind is not None:
                given.append(f"inertia or tension_behind of wheel {wheel.name!r}")
        if given:
            told = "is not known in other engines; a wheel turns with a body that has a hinge"
            raise SpecError(f"cable {cable.name!r}: {given[0]} {told}")
        if cable.axial_rigidity is None and cable.stiffness is None:
            raise SpecError(f"cable {cable.name!r}: ea is missing; give ea, stiffness or a rope")
        if names.count(cable.name) > 1:
            raise SpecError(f"cable {cable.name!r} is there twice; names must differ")


def winch_names(cables: Sequence[Cable]) -> list[str]:
    """Return the names of all winches."""
    return list(dict.fromkeys(cable.winch.name for cable in cables if cable.winch))


def _losses(node: Any) -> tuple[float, float]:
    """Return kappa [-], and the coefficient of friction of a wheel, -1 for none."""
    efficiency = getattr(node, "efficiency", None)
    kappa = 0.0 if efficiency is None else bearing_loss(efficiency)
    friction = getattr(node, "friction", None)
    return kappa, -1.0 if friction is None else friction


def build_rims(nodes: Sequence[Any], places: Sequence[Place]) -> Rims:
    """Return the records of the wheels among nodes."""
    at = [k for k, node in enumerate(nodes) if isinstance(node, Wheel)]
    of_node = np.full(len(nodes), -1)
    of_node[at] = range(len(at))
    size = len(at)
    wheels = make_record(
        Wheels,
        size,
        node=np.array(at, np.int64),
        of_node=of_node,
        span=(size, 2),
        axis=(size, 3),
        ahead=(size, 3),
    )
    for i, k in enumerate(at):
        axis = rotate_vector(nodes[k].axis, places[k][2])
        wheels.axis[i] = axis / np.linalg.norm(axis)
        aside = np.cross(wheels.axis[i], np.eye(3)[np.argmin(np.abs(axis))])
        wheels.ahead[i] = aside / np.linalg.norm(aside)
        wheels.radius[i] = nodes[k].radius
        _, wheels.friction[i] = _losses(nodes[k])
    state = make_record(WheelState, size, contact=(size, 2))
    three = (size, 3)
    work = make_record(WheelWork, size, comes=three, leaves=three, axis=three, contact=(size, 2))
    return Rims(wheels, state, work)


def build_paths(nodes: Sequence[Any], places: Sequence[Place], frames: Frames) -> Paths:
    """Return the records of nodes and spans."""
    n = len(nodes)
    points = NodePoints(np.array([place[0] for place in places]), np.empty((n, 3)))
    for k, (_, at, turn) in enumerate(places):
        points.point[k] = at + rotate_vector(nodes[k].position, turn)
    spans = Spans(np.zeros(n), np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 2, 3)))
    return Paths(frames, points, NodePlaces(np.zeros((n, 3)), np.zeros((n, 3))), spans)


def build_world(
    cables: Sequence[Cable],
    locate: Callable[[str, str], Place],
    frames: Frames,
    motion: Motion,
    engine: Any,
) -> World:
    """Return the records of ropes; ``locate`` finds the frame of a name for a node's field."""
    nodes: list[Any] = []
    places: list[Place] = []
    node_start, row_start, row_node, loss = [0], [0], [], []
    winches = winch_names(cables)
    for cable in cables:
        row_node.append(-1)
        for i, node in enumerate(cable.nodes):
            places.append(locate(node.body, f"cable {cable.name!r}: nodes.{i}"))
            kappa, friction = _losses(node)
            if kappa > 0.0 or friction > 0.0:
                row_node.append(len(nodes))
            loss.append(kappa)
            nodes.append(node)
        node_start.append(len(nodes))
        row_start.append(len(row_node))
    c, n, r, v = len(cables), len(nodes), len(row_node), motion.velocity.size
    ropes = make_record(
        Ropes,
        c,
        node_start=np.array(node_start),
        row_start=np.array(row_start),
        row_node=np.array(row_node),
        stiffness=np.array([cable.axial_rigidity or 0.0 for cable in cables]),
        spring=np.array([cable.stiffness or 0.0 for cable in cables]),
        winch=np.array([winches.index(x.winch.name) if x.winch else -1 for x in cables]),
        loss=np.array(loss),
        share=n,
        wrench=(r, n, 6),
        jacobian=(r, v),
        response=(r, v),
        tension=r,
        free=v,
        matrix=(r, r),
    )
    turned = make_record(Winches, len(winches))
    turned.ramp[:] = math.inf
    table, solver = build_solver(ropes)
    return World(
        np.zeros(2),
        motion,
        build_paths(nodes, places, frames),
        build_rims(nodes, places),
        ropes,
        turned,
        table,
        solver,
        engine,
    )
