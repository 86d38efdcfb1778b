"""Length of the pendulum of a load below a hook block on falls that are side by side.

Along the jib the block turns with the falls about the tip, as ``cranes/parts/pendulum.py`` has it.
Across it several falls are a parallelogram: the block, m_1, moves on their length h and stays
upright, and so with the load, m_2 and I_2, its middle c_2 below the hook,

    a = (m_1 + m_2) h^2,    b = m_2 h c_2,    c = m_2 c_2^2 + I_2,
    k = g (m_1 + m_2) h,    q = g m_2 c_2.
"""

from cable_sim.cranes.crane import Crane
from cable_sim.cranes.parts.pendulum import (
    PendulumLength,
    hoist_at_start,
    moments,
    pendulum_of_suspension,
    place,
    slower_length,
)
from cable_sim.spec.scene import GRAVITY


def length_of_kit(crane: Crane, hoist_axis: str) -> PendulumLength:
    """Return the length of the pendulum below the first hook.

    SpecError for a crane on which nothing hangs.
    """
    along = pendulum_of_suspension(crane, hoist_axis)
    hung = crane.suspension
    assert hung is not None
    if hung.n_falls == 1:
        return along
    bodies = {body.name: body for body in crane.scene.bodies}
    hook, load = bodies[hung.hook], bodies[hung.load]
    places = crane.details.hooks[hung.hook].places
    start = hoist_at_start(crane, hung, hoist_axis)
    top = place(bodies[hung.trolley], hung.trolley_point)[2]
    falls = top - place(hook, places["axle"])[2]
    below = place(hook, places["hook"])[2] - load.position[2]

    def length(hoist: float, across: bool = False) -> float:
        if not across:
            return along(hoist)
        h = falls + hoist - start
        if load is hook:
            return float(h)
        both = hook.mass + load.mass
        return slower_length(
            both * h**2,
            load.mass * h * below,
            load.mass * below**2 + moments(load)[0],
            GRAVITY * both * h,
            GRAVITY * load.mass * below,
        )

    return length
