"""Extent of what a scene will show: a twin of its simulator runs ahead for some seconds."""

import time

import numpy as np

from cable_sim.errors import StepError
from cable_sim.machine.bare import BareMachine
from cable_sim.machine.machine import Machine
from cable_sim.rendering.bodies import Extent, crane_extent, extent_around
from cable_sim.rendering.renderer import extent_of
from cable_sim.sim.simulator import Simulator

AHEAD = 10.0
LOOKS = 50
"""Simulated time [s] that the twin runs ahead, and number of looks meanwhile."""
MOST_BODIES = 200
"""Largest number of bodies of a scene that is run ahead."""
WALL_TIME = 0.5
"""Wall time [s] after which it is not run further."""
FARTHEST = 3.0
"""Largest distance from the middle of the scene, over its radius at the start, that counts [-].

So bodies that fall for ever do not make the rest small.
"""


def moving_extent(machine: Machine | BareMachine) -> Extent:
    """Return the extent of a scene in motion, or of a crane as it stands.

    The simulator that is shown is left as it is.
    """
    crane = machine.crane
    scene = machine.simulator.scene
    start = crane_extent(crane)
    if crane.family != "scene" or len(scene.bodies) > MOST_BODIES:
        return start
    twin = BareMachine(Simulator(scene, machine.simulator.dt))
    twin.simulator.restore(machine.simulator.save())
    frames = [twin.frame(twin.observe())]
    began = time.monotonic()
    try:
        while len(frames) <= LOOKS and time.monotonic() - began < WALL_TIME:
            twin.simulator.step(max(round(AHEAD / LOOKS / twin.simulator.dt), 1))
            frames.append(twin.frame(twin.observe()))
    except StepError:
        pass  # the page will tell
    seen = extent_of(crane, frames).corners
    near = np.linalg.norm(seen - start.center, axis=1) <= FARTHEST * start.radius
    found = extent_around(scene, np.concatenate([start.corners, seen[near]]))
    return found._replace(ground=min(found.ground, start.ground))
