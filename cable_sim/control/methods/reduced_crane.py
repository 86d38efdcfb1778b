"""The reduced crane: a point mass on a rope below a trolley, as controllers know it.

Drives follow speeds, so what the axes accelerate by is the input, and what is left to move by
itself is the sway. The rope of length l is straight and does not stretch; the load's inertia, the
double pendulum of hook block and slings and the losses in the sheaves are left out.

*Coordinates*, in axes that turn with the jib: x outward along the trolley's way, y to its left, z
up. The sway is ``radial``, alpha, in the plane of x and z, and ``tangential``, beta, out of it: the
load hangs at d = l n below the trolley with

    n = (sin(alpha) cos(beta), sin(beta), -cos(alpha) cos(beta)).

A camera sees atan(d_x / -d_z) = alpha and atan(d_y / -d_z) = atan(tan(beta) / cos(alpha)).

*Equations.* By Lagrange, with T = m |p'|^2 / 2 and V = m g p_z of the load's place p, and because
the rope does no work in the directions of alpha and beta, m (p'' - g) . dp/dq = 0 for both. In the
turning axes, with the turn w about z,

    p'' = A + d'' + 2 w x d' + w' x d + w x (w x d),

A being the acceleration of the trolley. Along the unit vectors of alpha and beta that is

    l cos(b) a'' + 2 l' cos(b) a' - 2 l sin(b) a' b' + X cos(a) + g sin(a)                    = 0
    l b'' + 2 l' b' + l sin(b) cos(b) a'^2 - X sin(a) sin(b) + Y cos(b) + g cos(a) sin(b)     = 0
    X = A_x - 2 w d_y' - w' d_y - w^2 d_x
    Y = A_y + 2 w d_x' + w' d_x - w^2 d_y.

Hoisting accelerates the load along the rope, so l'' does not appear.

    gantry (x, y, l):      A = (x'', y''),                         w = 0
    tower (r, phi, l):     A = (r'' - r phi'^2, r phi'' + 2 r' phi'),   w = phi'

*Energy* of the swing over the mass, l^2 (a'^2 cos(b)^2 + b'^2) / 2 + g l (1 - cos(a) cos(b)),
changes where l is constant and nothing turns by -A . d' alone: the trolley works on the load.
"""

from math import cos, sin
from typing import NamedTuple

from cable_sim.spec.scene import GRAVITY


class Sway(NamedTuple):
    """Sway of the reduced crane [rad] and its rates [rad/s]."""

    radial: float = 0.0
    radial_rate: float = 0.0
    tangential: float = 0.0
    tangential_rate: float = 0.0


class Pivot(NamedTuple):
    """Motion of the trolley, in axes that turn with the jib.

    ``along``, ``across``: its acceleration [m/s^2]; ``turn``, ``turn_change``: of the axes [rad/s,
    rad/s^2].
    """

    along: float
    across: float
    turn: float = 0.0
    turn_change: float = 0.0


def trolley_motion(
    radius: float, speed: float, change: float, turn: float, turn_change: float
) -> Pivot:
    """Motion of a trolley at a radius [m] of a jib.

    It follows from the trolley's speed [m/s] and acceleration [m/s^2] on the jib, and the jib's
    turn [rad/s, rad/s^2].
    """
    return Pivot(
        change - radius * turn**2, radius * turn_change + 2.0 * speed * turn, turn, turn_change
    )


def sway_accelerations(
    sway: Sway, pivot: Pivot, length: float, hoisting: float
) -> tuple[float, float]:
    """alpha'' and beta'' [rad/s^2] on a rope of a length [m] that grows by ``hoisting`` [m/s];
    |beta| < pi / 2."""
    a, a_rate, b, b_rate = sway
    sin_a = sin(a)
    cos_a = cos(a)
    sin_b = sin(b)
    cos_b = cos(b)
    x_push, y_push, w, change = pivot
    if w or change:
        x = length * sin_a * cos_b
        y = length * sin_b
        x_rate = hoisting * sin_a * cos_b + length * (
            cos_a * cos_b * a_rate - sin_a * sin_b * b_rate
        )
        y_rate = hoisting * sin_b + length * cos_b * b_rate
        x_push += -2.0 * w * y_rate - change * y - w * w * x
        y_push += 2.0 * w * x_rate + change * x - w * w * y
    along = (
        2.0 * a_rate * (length * sin_b * b_rate - hoisting * cos_b)
        - x_push * cos_a
        - GRAVITY * sin_a
    )
    across = -2.0 * hoisting * b_rate - length * sin_b * cos_b * a_rate**2 + x_push * sin_a * sin_b
    across -= y_push * cos_b + GRAVITY * cos_a * sin_b
    return along / (length * cos_b), across / length


def step(sway: Sway, pivot: Pivot, length: float, hoisting: float, h: float) -> Sway:
    """The sway a time h [s] later, in which the trolley accelerates evenly.

    Half of the way, the whole change of speed, the other half: of second order, but for forces that
    go with speeds, of which those before are taken. In a plane there are none. In space a swing of
    5 degrees grows by 1e-5 a second at 100 Hz on 10 m of rope. ``length`` is that in the middle of
    the step.
    """
    a, a_rate, b, b_rate = sway
    half = 0.5 * h
    a = a + half * a_rate
    b = b + half * b_rate
    along, across = sway_accelerations(Sway(a, a_rate, b, b_rate), pivot, length, hoisting)
    a_rate = a_rate + h * along
    b_rate = b_rate + h * across
    return Sway(a + half * a_rate, a_rate, b + half * b_rate, b_rate)


def deflection(sway: Sway, length: float) -> tuple[float, float, float, float]:
    """Return the load's deflection from its trolley, outward and to the left: d_x, d_x', d_y, d_y'
    [m, m/s].

    The rates are those on a rope of constant length.
    """
    a, a_rate, b, b_rate = sway
    sin_a = sin(a)
    cos_a = cos(a)
    sin_b = sin(b)
    cos_b = cos(b)
    x_rate = length * (cos_a * cos_b * a_rate - sin_a * sin_b * b_rate)
    return length * sin_a * cos_b, x_rate, length * sin_b, length * cos_b * b_rate


class CraneState(NamedTuple):
    """State of the reduced crane.

    ``reach`` of the trolley along its way [m]; ``travel``: slewing angle [rad] of a tower crane,
    way of a gantry along its runway [m]; ``length`` of the pendulum [m]; their rates; the sway
    [rad] and its rates.
    """

    reach: float
    reach_rate: float
    travel: float
    travel_rate: float
    length: float
    length_rate: float
    radial: float = 0.0
    radial_rate: float = 0.0
    tangential: float = 0.0
    tangential_rate: float = 0.0
