"""Carrier of a crane, such as a ship, and where the crane's tip is over it.

The joints between the tip and the carrier stand in the scene with a point p and a unit axis e in
the world. With the change q of each coordinate since then, from the tip down, the tip x goes to

    hinge       p + Rot(e, q) (x - p),          slide       x + q e,

and is then told in the axes of the carrier, from its origin.

*Motion with the carrier.* The carrier's axes have the parts u = (sin i_x, sin i_y, the rest) along
the vertical, with the inclinations i of two of them. A point a over its origin, whose heave is h,
so rises by

    r = h + u . a - a_z,        r' = h' + u . (omega x a),

where a rests, with the rates omega about its axes. It is what the carrier makes of the height of a
point; the way that the crane itself moves the point is left out.
"""

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from transforms3d.axangles import axangle2mat
from transforms3d.quaternions import quat2mat

from cable_sim.cranes.crane import Crane
from cable_sim.errors import SpecError
from cable_sim.spec import Joint, Scene
from cable_sim.spec.quantities import Vector


def carrier_of(scene: Scene, body: str) -> str:
    """Return the prescribed body on which a body stands, over any joints; empty without one."""
    last = body
    for joint in _joints_below(scene, body):
        last = joint.parent
    return next((b.name for b in scene.bodies if b.name == last and b.motion == "prescribed"), "")


def _joints_below(scene: Scene, body: str) -> Iterator[Joint]:
    """Yield the joints on which a body stands, the nearest first."""
    on = {joint.child: joint for joint in scene.joints}
    while body in on:
        yield on[body]
        body = on.pop(body).parent


class Tip:
    """Tip of a crane, from which its first hook hangs, over the body that carries the crane.

    Raises SpecError for a crane that stands still.
    """

    def __init__(self, crane: Crane) -> None:
        scene = crane.scene
        hung = crane.suspension
        carrier = carrier_of(scene, hung.trolley) if hung else ""
        if hung is None or not carrier:
            raise SpecError(f"{crane.name}: nothing that moves carries a hook of this crane")
        bodies = {body.name: body for body in scene.bodies}
        trolley = bodies[hung.trolley]
        self._start = quat2mat(trolley.orientation) @ hung.trolley_point + trolley.position
        self._origin = bodies[carrier].position
        self._turn = quat2mat(bodies[carrier].orientation)
        on = {drive.name: drive.on for drive in scene.drives}
        axes = {on[axis.drive]: axis for axis in crane.axes if axis.drive in on}
        below = _joints_below(scene, hung.trolley)
        self._joints = [(joint, axes[joint.name]) for joint in below if joint.name in axes]

    def over_carrier(self, coordinates: Mapping[str, float]) -> Vector:
        """Return the tip in the carrier's axes [m], at coordinates of the axes [m or rad]."""
        tip = self._start
        for joint, axis in self._joints:
            q = axis.zero + axis.ratio * coordinates[axis.name] - joint.position
            if joint.kind == "prismatic":
                tip = tip + q * np.divide(joint.axis, np.linalg.norm(joint.axis))
            else:
                tip = joint.point + axangle2mat(joint.axis, q) @ (tip - joint.point)
        x, y, z = (self._turn.T @ (tip - self._origin)).tolist()
        return x, y, z


class Rise(NamedTuple):
    """Height that a carrier adds to a point [m], and its rate [m/s]."""

    height: float
    rate: float


def rise_of(point: Vector, seen: Mapping[str, float]) -> Rise:
    """Return what a carrier makes of the height of a point in its axes [m].

    ``seen`` are the readings of its motion reference unit; one that is invalid makes it NaN.
    """
    x, y, z = point
    u = math.sin(seen["mru.inclination.x"])
    v = math.sin(seen["mru.inclination.y"])
    w = math.sqrt(max(1.0 - u * u - v * v, 0.0))
    p, q, r = (seen[f"mru.rate.{letter}"] for letter in "xyz")
    turning = u * (q * z - r * y) + v * (r * x - p * z) + w * (p * y - q * x)
    height = seen["mru.heave.position"] + u * x + v * y + (w - 1.0) * z
    return Rise(height, seen["mru.heave.speed"] + turning)
