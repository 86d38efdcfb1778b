"""Shaping of slewing and trolley together, as the path of the trolley over the ground.

Seen from above, with complex numbers for places, the trolley at the radius r of a jib at the angle
s is at p = r exp(i s), and in small sways a load at X below it goes by

    X'' = -w^2 (X - p),

which is linear in p. So a path q(t) = sum of A_i p(t - d_i), with shares and delays of a shaper for
w, leaves nothing in either direction, however fast the jib turns and the trolley runs. It is not on
the circle: where its parts are at angles that differ by D, the trolley is on the chords between
    them, for ZV at r cos(D / 2). The axes follow q by

    r = |q|,     r' = Re(q* q') / r,     s' = Im(q* q') / r^2,     r'' = Re(q* q'') / r + r s'^2,
    s'' = (Im(q* q'') / r - 2 r' s') / r.

For ZV at one radius s is the shaped angle itself.

*Validity.* Small sways of one length, and drives with one lag. What the chords take of the trolley,
of the order of r s'^2 / 4, comes on top of its own speed and acceleration: a drive at its limits
clips them, and leaves some sway.
"""

import cmath
from typing import Any

from cable_sim.control.methods.shaping import Shaper
from cable_sim.control.profiles import Profile


def shape_over_ground(
    trolley: Profile, slewing: Profile, shaper: Shaper
) -> tuple[Profile, Profile]:
    """Trolley and slewing, shaped together: radius [m] and angle [rad] with their rates and
    accelerations."""
    origin = _place(trolley, slewing, 0.0)[0]

    def move(time: float) -> Any:
        place, speed, acceleration = _place(trolley, slewing, time)
        return place - origin, speed, acceleration

    path: Any = shaper(move)

    def radius(time: float) -> tuple[float, float, float]:
        way, speed, acceleration = path(time)
        q = origin + way
        r = abs(q)
        turned = (q.conjugate() * speed).imag / abs(q) ** 2
        return (
            r,
            (q.conjugate() * speed).real / r,
            (q.conjugate() * acceleration).real / r + r * turned**2,
        )

    def angle(time: float) -> tuple[float, float, float]:
        way, speed, acceleration = path(time)
        q = origin + way
        near = slewing(time)[0]
        r = abs(q)
        along = q.conjugate() * speed
        turned = along.imag / r**2
        faster = ((q.conjugate() * acceleration).imag / r - 2.0 * turned * along.real / r) / r
        return near + cmath.phase(q * cmath.rect(1.0, -near)), turned, faster

    return radius, angle


def _place(trolley: Profile, slewing: Profile, time: float) -> tuple[complex, complex, complex]:
    """p, p' and p'' of the trolley over the ground."""
    r, out, faster_out = trolley(time)
    s, turn, faster_turn = slewing(time)
    along = cmath.rect(1.0, s)
    speed = complex(out, r * turn)
    return (
        r * along,
        speed * along,
        complex(faster_out - r * turn**2, r * faster_turn + 2.0 * out * turn) * along,
    )
