"""How long a pendulum is that sways like a crane's load.

A load on slings below a hook block is a double pendulum: block m_1 on the falls L_1, load m_2 on the slings L_2 below
it. With R = m_2 / m_1 its lower frequency is (Singhose et al. 2008, eq. 1)

    w^2 = g / 2 ((1 + R) (1 / L_1 + 1 / L_2) - sqrt((1 + R)^2 (1 / L_1 + 1 / L_2)^2 - 4 (1 + R) / (L_1 L_2))),

which goes to g / (L_1 + L_2) when the block has no mass. A spreader on four pairs of falls, which stays level, sways
like a point on falls of their length; a body that is knotted to its rope like one on a rope down to its middle.
"""

import math
from collections.abc import Callable

from cable_sim.cranes.bridge_spec import BridgeCrane
from cable_sim.cranes.crane import Crane
from cable_sim.cranes.gantry_spec import GantryCrane
from cable_sim.cranes.tower_spec import TowerCrane
from cable_sim.errors import SpecError
from cable_sim.spec.scene import GRAVITY


def lower_mode(falls: float, slings: float, ratio: float) -> float:
    """Length of the single pendulum with the lower frequency of a double one [m].

    ``falls`` and ``slings`` are its two lengths [m], ``ratio`` is the load's mass over the block's [-].
    """
    both = (1.0 + ratio) * (1.0 / falls + 1.0 / slings)
    squared = 0.5 * GRAVITY * (both - math.sqrt(both**2 - 4.0 * (1.0 + ratio) / (falls * slings)))
    return GRAVITY / squared


def pendulum_length(crane: Crane) -> Callable[[float], float]:
    """Length of the pendulum [m] of the hoist's coordinate [m], for small sways of the load as the file hangs it on.

    SpecError for a crane of which it is not known.
    """
    file = crane.details
    if isinstance(file, GantryCrane):
        return lambda hoist: hoist - file.rig.spreader.height
    if isinstance(file, BridgeCrane):
        return lambda hoist: hoist + file.rig.bob.axle
    if not isinstance(file, TowerCrane):
        raise SpecError(f"{crane.name}: it is not known how its load sways; known are tower, gantry and bridge cranes")
    bodies = {body.name: body for body in crane.scene.bodies}
    trolley, block, load = (bodies[name] for name in ("trolley", "hook_block", "load"))
    above = trolley.position[2] - block.position[2] - file.hook_depth_start
    slings, ratio = block.position[2] - load.position[2], load.mass / block.mass
    return lambda hoist: lower_mode(hoist + above, slings, ratio)
