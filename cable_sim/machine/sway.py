"""Sway: the hook seen from the trolley, in crane axes."""

import numpy as np

from cable_sim.cranes.crane import Crane
from cable_sim.machine.frame import Sway
from cable_sim.sim.observation import Observation


def measure_sway(crane: Crane, observation: Observation) -> Sway:
    """Angles of the line from the trolley to the hook block against the vertical, and their rates.

    With d = p_hook - p_trolley in the frame that turns with the slewing part (x outward, z up), the radial
    angle is atan2(d_x, -d_z) and the tangential one atan2(d_y, -d_z). The rates are those of the angles, so
    the frame's own turning is taken out: d' = R^T (v_hook - v_trolley - omega x (p_hook - p_trolley)).
    """
    base, trolley, hook = (observation.body(name) for name in (crane.slewing, crane.trolley, crane.hook))
    w, x, y, z = base.orientation
    heading = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    cos, sin = np.cos(heading), np.sin(heading)
    offset = hook.position - trolley.position
    drift = hook.velocity - trolley.velocity
    drift_x = drift[0] + base.angular_velocity[2] * offset[1]
    drift_y = drift[1] - base.angular_velocity[2] * offset[0]
    d_x, d_y, d_z = cos * offset[0] + sin * offset[1], cos * offset[1] - sin * offset[0], offset[2]
    rate_x, rate_y, rate_z = cos * drift_x + sin * drift_y, cos * drift_y - sin * drift_x, drift[2]
    return Sway(
        float(np.arctan2(d_x, -d_z)),
        float(np.arctan2(d_y, -d_z)),
        float((d_x * rate_z - d_z * rate_x) / (d_x * d_x + d_z * d_z)),
        float((d_y * rate_z - d_z * rate_y) / (d_y * d_y + d_z * d_z)),
        float(np.linalg.norm(offset)),
    )
