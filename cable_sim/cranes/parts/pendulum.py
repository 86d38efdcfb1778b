"""Pendulums that sway like a load: two angles, and the slower of their modes.

Two angles tell how a load hangs: theta of the falls, phi of the load itself. Both bend aside
little, so

    a theta'' + b phi'' = -k theta,      b theta'' + c phi'' = -q phi,

and the slower of the two modes is that of a single pendulum of the length

    L = g / w^2 = g (e + sqrt(e^2 - 4 (a c - b^2) k q)) / (2 k q),      e = k c + q a.

*Load below a hook.* Falls and hook, of mass m_1 and moment I_1 at the depth l_1, are one rod down
to the load's slings at the depth H. The load, m_2 and I_2, turns about their upper end, its middle
c_2 below (with I_1 = I_2 = 0 and l_1 = H: Singhose et al. 2008, eq. 1):

    a = m_1 l_1^2 + I_1 + m_2 H^2,      b = m_2 H c_2,      c = m_2 c_2^2 + I_2,
    k = g (m_1 l_1 + m_2 H),            q = g m_2 c_2.

*Load without a hook.* Falls down to an axle, and a body with its middle d below it: the same with
m_1 = 0. A body that hangs by its middle, d = 0, is a point.

*Stretch.* A hoist's coordinate is the rope that is paid out. With the weight W on R ropes the load
hangs deeper by W l / (R n^2 E A). Slings are taken for stiff, ropes for massless, and the sheaves
run freely.
"""

import math
from typing import Any, NamedTuple, Protocol

import numpy as np
from transforms3d.quaternions import rotate_vector

from cable_sim.cranes.crane import Crane, Suspension
from cable_sim.errors import SpecError
from cable_sim.spec import Body, Cable
from cable_sim.spec.quantities import Vector
from cable_sim.spec.scene import GRAVITY


class PendulumLength(Protocol):
    """Length of the pendulum [m] of the hoist's coordinate [m], in a sway along the trolley's way
    or across it."""

    def __call__(self, hoist: float, across: bool = False) -> float: ...


class Rods(NamedTuple):
    """A hook and a load at rest: depth of the hook's centre of mass, and of the slings' upper ends,
    below the suspension point; middle of the load below those ends [m]."""

    hook: float
    slings: float
    below: float


def slower_length(a: float, b: float, c: float, k: float, q: float) -> float:
    """Length of the single pendulum with the lower frequency of two angles, of their equations'
    coefficients [m]."""
    both = k * c + q * a
    return GRAVITY * (both + math.sqrt(both**2 - 4.0 * (a * c - b**2) * k * q)) / (2.0 * k * q)


def below_hook(hook: Body, load: Body, rods: Rods, across: bool) -> float:
    """Length of the pendulum of a load on slings below a hook [m]."""
    first = hook.mass * rods.hook
    side = 0 if across else 1
    return slower_length(
        first * rods.hook + hook.tensor[side, side] + load.mass * rods.slings**2,
        load.mass * rods.slings * rods.below,
        load.mass * rods.below**2 + load.tensor[side, side],
        GRAVITY * (first + load.mass * rods.slings),
        GRAVITY * load.mass * rods.below,
    )


def length_below_axle(body: Body, depth: float, below: float, across: bool) -> float:
    """Length of the pendulum of a body whose middle is ``below`` an axle at a depth [m]."""
    h = depth
    mass = body.mass
    if below == 0.0:
        return h
    side = 0 if across else 1
    turning = mass * below**2 + body.tensor[side, side]
    return slower_length(
        mass * h**2, mass * h * below, turning, mass * GRAVITY * h, mass * GRAVITY * below
    )


def pendulum_of_suspension(crane: Crane, hoist_axis: str = "hoist") -> PendulumLength:
    """Length of the pendulum of a crane's first suspension, from how its bodies hang at the start.

    Hoisting changes the depth of all by as much as the hoist's coordinate, and the stretch that the
    falls have at the start by their part of it. SpecError for a crane on which nothing hangs, or
    that has no such axis.
    """
    hung = crane.suspension
    if hung is None or all(axis.name != hoist_axis for axis in crane.axes):
        raise SpecError(
            f"{crane.name}: it is not known how its load sways; it needs a suspension and an axis "
            f"{hoist_axis!r}"
        )
    bodies = {body.name: body for body in crane.scene.bodies}
    hook = bodies[hung.hook]
    load = bodies[hung.load]
    start = hoist_at_start(crane, hung, hoist_axis)
    stretch = _stretch(_first_rope(crane, hung))
    top = float(place(bodies[hung.trolley], hung.trolley_point)[2])
    if hook is load:
        axle = _upper_end(crane, hung.trolley, hook)
        return lambda hoist, across=False: length_below_axle(
            hook, top - axle + stretch * (hoist - start), axle - hook.position[2], across
        )
    ends = _upper_end(crane, hung.load, hook)

    def length(hoist: float, across: bool = False) -> float:
        paid_out = stretch * (hoist - start)
        rods = Rods(
            top - hook.position[2] + paid_out, top - ends + paid_out, ends - load.position[2]
        )
        return below_hook(hook, load, rods, across)

    return length


def hoist_at_start(crane: Crane, hung: Suspension, hoist_axis: str) -> float:
    """Coordinate of the hoist's axis at the start [m], from the path of the first hoist rope and
    its tension."""
    axis = crane.axis(hoist_axis)
    return (_unstretched_length(crane, _first_rope(crane, hung)) - axis.zero) / axis.ratio


def _first_rope(crane: Crane, hung: Suspension) -> Cable:
    """Return the first hoist rope of a suspension."""
    rope = crane.falls(hung)[0]
    return next(cable for cable in crane.scene.cables if cable.name == rope)


def _stretch(cable: Cable) -> float:
    """Return the length of a cable at the start over that without its stretch [-]."""
    ea = cable.axial_rigidity
    return 1.0 + cable.pretension / ea if ea and cable.pretension else 1.0


def _unstretched_length(crane: Crane, cable: Cable) -> float:
    """Length of a cable at the start without its stretch [m]."""
    if cable.length is not None:
        return cable.length
    bodies = {body.name: body for body in crane.scene.bodies}
    points = [
        place(bodies[node.body], node.position) if node.body in bodies else np.array(node.position)
        for node in cable.nodes
    ]
    way = sum(math.dist(a, b) for a, b in zip(points, points[1:], strict=False))
    return way / _stretch(cable)


def _upper_end(crane: Crane, other: str, hook: Body) -> float:
    """Mean height of the cables' points on the hook that lead to another body [m]; its centre of
    mass without any."""
    ends = [
        place(hook, node.position)[2]
        for cable in crane.scene.cables
        if other in {node.body for node in cable.nodes}
        for node in cable.nodes
        if node.body == hook.name
    ]
    return float(np.mean(ends)) if ends else hook.position[2]


def falls_stiffness(crane: Crane, hoist: float) -> float:
    """Stiffness of all hoist ropes against a load that goes down while the drum holds [N/m], at the
    hoist's coordinate [m]."""
    axis = crane.axis("hoist")
    rope = axis.zero + axis.ratio * hoist
    cables = [cable for cable in crane.scene.cables if cable.name in crane.ropes]
    return float(sum(cable.axial_rigidity or 0.0 for cable in cables) * axis.ratio**2 / rope)


def place(body: Body, point: Vector) -> Any:
    """A point of a body's frame in the world at the start (3,) [m]."""
    return np.add(body.position, rotate_vector(point, body.orientation))
