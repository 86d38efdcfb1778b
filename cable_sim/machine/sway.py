"""Sway and yaw: the hook seen from the trolley, in crane axes."""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from transforms3d.quaternions import rotate_vector

from cable_sim.cranes.crane import Suspension
from cable_sim.machine.states import Sway

if TYPE_CHECKING:
    from cable_sim.sim.observation import Observation

Array = NDArray[np.float64]


def measure_sway(suspension: Suspension, body: Callable[[str], Any]) -> Sway:
    """Return the angles of the line from suspension point to hook block, and their rates.

    The angles are against the vertical. With d = p_hook - p_point in the frame that turns with the
    base (x outward, z up), the radial angle is atan2(d_x, -d_z) and the tangential one
    atan2(d_y, -d_z). The rates are those of the angles, so the frame's own turning is taken out:
    d' = R^T (v_hook - v_point - omega x (p_hook - p_point)).

    ``body`` returns a body by its name: that of an observation, or of a running scene.
    """
    base = body(suspension.base)
    hook = body(suspension.hook)
    top, top_velocity = suspension_point(suspension, body)
    off = (hook.position - top).tolist()
    drift = (hook.velocity - top_velocity).tolist()
    return sway_between(base.orientation.tolist(), base.angular_velocity.item(2), off, drift)


def sway_between(
    orientation: Sequence[float], spin: float, off: Sequence[float], drift: Sequence[float]
) -> Sway:
    """Return the sway of :func:`measure_sway` from plain numbers, a tenth of the cost of numpy's.

    They are the base's orientation (w, x, y, z) and angular velocity about z [rad/s]; the vector
    from the suspension point to the hook block [m] and its rate [m/s], in the world.
    """
    w, x, y, z = orientation
    heading = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    cos = math.cos(heading)
    sin = math.sin(heading)
    off_x, off_y, d_z = off
    drift_x, drift_y, rate_z = drift
    drift_x = drift_x + spin * off_y
    drift_y = drift_y - spin * off_x
    d_x = cos * off_x + sin * off_y
    d_y = cos * off_y - sin * off_x
    rate_x = cos * drift_x + sin * drift_y
    rate_y = cos * drift_y - sin * drift_x
    return Sway(
        math.atan2(d_x, -d_z),
        math.atan2(d_y, -d_z),
        _turning_rate(d_x, d_z, rate_x, rate_z),
        _turning_rate(d_y, d_z, rate_y, rate_z),
        math.hypot(off_x, off_y, d_z),
    )


def suspension_point(suspension: Suspension, body: Callable[[str], Any]) -> tuple[Array, Array]:
    """Return the trolley's point from which sway is measured, in the world.

    It is the position (3,) [m] and velocity (3,) [m/s].
    """
    trolley = body(suspension.trolley)
    if not any(suspension.trolley_point):
        return trolley.position, trolley.velocity
    arm = rotate_vector(suspension.trolley_point, trolley.orientation)
    return trolley.position + arm, trolley.velocity + np.cross(trolley.angular_velocity, arm)


def _turning_rate(across: float, up: float, across_rate: float, up_rate: float) -> float:
    """Return the rate of atan2(across, -up) [rad/s] of a vector [m] and its rate [m/s].

    It is 0 for a vector without length.
    """
    square = across * across + up * up
    return (across * up_rate - up * across_rate) / square if square else 0.0


def measure_yaw(suspension: Suspension, ropes: Sequence[str], observation: "Observation") -> float:
    """Return the angle of the hook block from the trolley about the vertical, with turns [rad].

    The turns are those that a hoist rope, one of the cables named ``ropes``, counts: yaw twists
    each of its falls by as much, the other way round. A rope that swivels counts none.
    """
    trolley, hook = (
        observation.body(name).orientation for name in (suspension.trolley, suspension.hook)
    )
    angle = yaw_between(trolley, hook)
    if ropes[0] not in observation.names.cables:
        return angle
    return nearest_turn(angle, -observation.cable(ropes[0]).twist * len(ropes) / suspension.n_falls)


def yaw_between(upper: ArrayLike, lower: ArrayLike) -> float:
    """Return the angle from one body to another about the first one's z axis [rad], in -pi...pi.

    It is anticlockwise from above. The orientations are (w, x, y, z). Of the rotation between them
    it is the part that is left when the tilt is taken out the shortest way.
    """
    return _angle_between(np.asarray(upper, float).tolist(), np.asarray(lower, float).tolist())


def heading_of(orientation: ArrayLike) -> float:
    """Return the angle of a body about the vertical [rad], in -pi...pi, anticlockwise from above.

    Of its orientation (w, x, y, z) it is the part that is left when its tilt is taken out the
    shortest way.
    """
    return _angle_between((1.0, 0.0, 0.0, 0.0), np.asarray(orientation, float).tolist())


def _angle_between(upper: Sequence[float], lower: Sequence[float]) -> float:
    """Return the angle of :func:`yaw_between` from plain numbers."""
    w, x, y, z = upper
    a, b, c, d = lower
    return math.remainder(
        2.0 * math.atan2(w * d - z * a + y * b - x * c, w * a + x * b + y * c + z * d),
        2.0 * math.pi,
    )


def nearest_turn(angle: float, expected: float) -> float:
    """Return the angle plus the whole turns that bring it nearest to the expected one [rad]."""
    return angle + 2.0 * math.pi * round((expected - angle) / (2.0 * math.pi))
