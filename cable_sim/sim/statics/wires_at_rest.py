"""Hybrid wires as they rest, as ropes of constant masses: so they have a linear model.

At rest a wire is n masses, evenly spaced, with the segments of rope between them and half of the
last ones at its ends (``kernels/cables/hybrid/hybrid.py``). Of the mass rho L of its rope that is

    rho L / (n + 1) for each mass,      rho L / (2 n + 2) for each end.

So are those of a chain of ``Lumped``. A wire without masses is a massless cable, with a small body
fixed where it ends on a body that obeys forces. Air damps the masses alike. Near rest both have the
same accelerations.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from cable_sim.errors import ModelError
from cable_sim.kernels.records.world import Floats
from cable_sim.model.basis.frames import rotation
from cable_sim.sim.running import check_scene
from cable_sim.sim.simulator import Simulator
from cable_sim.sim.statics.stepping import at_rest, has_changing_masses, rest_by_steps
from cable_sim.spec import Anchor, Body, Cable, Joint, Lumped, Scene

EVEN = 1e-6
"""Difference of segments of a wire, over their length, up to which they count as equal [-]."""
GYRATION = 1e-4
"""Radius of gyration of the mass at an end [m]: of a point."""


def with_constant_masses(scene: Scene, dt: float) -> Scene:
    """Return a scene with ropes of constant masses in place of its hybrid wires, as they rest.

    The masses are those at which the scene without its motions comes to rest at the step ``dt``
    [s]. A scene without hybrid wires is returned as it is. Raises ModelError for wires that have no
    such rope.
    """
    check_scene(scene)
    simulator = Simulator(replace(scene, motions=()), dt)
    if not has_changing_masses(simulator):
        return scene
    for cable in scene.cables:
        _refuse(cable)
    still = Simulator(at_rest(scene, dt), dt)
    rest_by_steps(still)
    model, lengths = simulator._running.model, still._running.state.spans.rest_length
    cables = list(scene.cables)
    bodies, joints = list(scene.bodies), list(scene.joints)
    for c, damping_time in zip(model.wires.cable, model.wires.damping_time, strict=True):
        cable = cables[c]
        first, last = model.cables.node_start[c : c + 2]
        segments = lengths[first : last - 1]
        segments = segments[segments > 0.0]
        cables[c] = _rope(cable, segments, float(damping_time))
        if segments.size > 1:
            continue
        half = 0.5 * cable.density * segments[0]
        for body, joint in _ends(cable, half, scene):
            bodies.append(body)
            joints.append(joint)
    return replace(scene, cables=tuple(cables), bodies=tuple(bodies), joints=tuple(joints))


def _refuse(cable: Cable) -> None:
    """Refuse a hybrid wire that is more than masses in a row between its ends."""
    wire = cable.model
    if not wire.adaptive:
        return
    reasons = {
        "runs over more than its two ends": len(cable.nodes) > 2,
        "is on a winch": cable.winch is not None,
        "may touch obstacles": bool(cable.touches),
        "may lie on its ground": wire.ground is not None,
        "resists bending": wire.bending > 0.0,
        "crosses other wires": bool(wire.crosses),
    }
    for why, holds in reasons.items():
        if holds:
            _tell(cable, why)


def _tell(cable: Cable, why: str) -> None:
    """Raise ModelError for a wire without a linear model."""
    raise ModelError(
        f"statics: cable {cable.name!r} is a hybrid wire that {why}: it has an equilibrium, but no "
        "linear model"
    )


def _rope(cable: Cable, segments: Floats, damping_time: float) -> Cable:
    """Return the rope for a wire with segments of these lengths [m]."""
    if np.ptp(segments) > EVEN * segments[0]:
        _tell(cable, "has masses at uneven distances")
    length, masses = float(segments.sum()), segments.size - 1
    plain: dict[str, Any] = {
        "hybrid": None,
        "length": length,
        "pretension": 0.0,
        "damping_time": damping_time,
    }
    if masses == 0:
        return replace(cable, **plain)
    lumped = Lumped(
        masses + 2,
        density=cable.density,
        air_friction=cable.model.damping * cable.density * float(segments[0]),
    )
    torsion: dict[str, Any] = {
        "gj": None,
        "twist_stiffness": None,
        "twist": 0.0,
        "torque_factor": 0.0,
    }
    return replace(cable, lumped=lumped, **plain, **torsion)


def _ends(cable: Cable, mass: float, scene: Scene) -> Iterator[tuple[Body, Joint]]:
    """Yield the mass [kg] of each end that is tied to a body which obeys forces, fixed to it."""
    bodies = {body.name: body for body in scene.bodies if body.motion == "dynamic"}
    for name, node in zip(("begin", "end"), (cable.nodes[0], cable.nodes[-1]), strict=True):
        body = bodies.get(node.body)
        if body is None or not isinstance(node, Anchor):
            continue
        x, y, z = (body.position + rotation(body.orientation) @ node.position).tolist()
        end = f"{cable.name}_{name}"
        moment = mass * GYRATION**2
        yield (
            Body(end, mass, (moment, moment, moment), position=(x, y, z)),
            Joint(end, "fixed", end, body.name, point=(x, y, z)),
        )
