"""What the two time steppers make of one linear mode, worked out by hand.

For a mode with mass m, spring constant c and omega = sqrt(c / m), let z = omega h. Both schemes
move with the new velocity, phi_{n+1} = phi_n + h v_{n+1}, and start here from phi_0 = 0 with
velocity v_0.

*regularised*, eq. 11-13 of the paper with the unknown (v, h lambda) in place of the printed h (v,
lambda): m (v_{n+1} - v_n) = -h c phi_{n+1}, which is backward Euler. In the plane of (omega phi, v)
a step turns by atan(z) and shrinks by sqrt(1 + z^2), so

    period 2 pi h / atan(z),    factor 1 / sqrt(1 + z^2),    energy factor 1 / (1 + z^2),
    amplitude v_0 / omega.

*spook* without damping: the force is c times the mean (phi_{n+1} + 2 phi_n + phi_{n-1}) / 4, so
(1 + z^2/4) phi_{n+1} - (2 - z^2/2) phi_n + (1 + z^2/4) phi_{n-1} = 0: determinant 1, and

    period pi h / atan(z / 2),    factor 1,    amplitude (v_0 / omega)(1 + z^2 / 4).

It conserves the energy in the middle of a step, m v_{n+1}^2 / 2 + c ((phi_n + phi_{n+1}) / 2)^2 /
2, exactly; the energy at the end of a step, E (1 + (z/2) sin 2a + (z^2/4) cos^2 a) with the phase
a, swings about it.
"""

import math
from collections.abc import Callable
from typing import NamedTuple


class Scheme(NamedTuple):
    """Period [s], factor of the amplitude per step [-] and amplitude [m or rad] of a mode.

    The first two take (omega h, h), the last one (omega h, v_0 / omega).
    """

    period: Callable[[float, float], float]
    factor: Callable[[float], float]
    amplitude: Callable[[float, float], float]


SCHEMES = {
    "regularised": Scheme(
        lambda z, h: 2.0 * math.pi * h / math.atan(z),
        lambda z: 1.0 / math.sqrt(1.0 + z * z),
        lambda z, a: a,
    ),
    "spook": Scheme(
        lambda z, h: math.pi * h / math.atan(0.5 * z),
        lambda z: 1.0,
        lambda z, a: a * (1.0 + 0.25 * z * z),
    ),
}
"""By the names that the simulator gives them; the first is the paper's."""


def swing_of_energy(z: float) -> float:
    """Largest value of |W / E - 1| of ``spook``, W at the end and E in the middle of a step."""
    return z * z / 8.0 + math.sqrt(z * z / 4.0 + z**4 / 64.0)
