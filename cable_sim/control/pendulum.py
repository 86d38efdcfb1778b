"""Length of the pendulum that sways like a crane's load.

The crane's family answers that; ``cranes/parts/pendulum.py`` has the equations, and what follows
from the suspension of a crane whose family says nothing.
"""

import math

from cable_sim.cranes.crane import Crane
from cable_sim.cranes.family_spec import ask_family
from cable_sim.cranes.parts.pendulum import PendulumLength
from cable_sim.spec.scene import GRAVITY


def period_of(length: float) -> float:
    """Return the small-angle period [s] of a pendulum of the given length [m]."""
    return 2.0 * math.pi * math.sqrt(length / GRAVITY)


def pendulum_length(crane: Crane) -> PendulumLength:
    """Length of the pendulum [m] of the hoist's coordinate [m], for small sways of the load as the
    file hangs it on.

    SpecError for a crane of which it is not known.
    """
    return ask_family(crane).pendulum(crane)
