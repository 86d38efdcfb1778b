"""What the two time steppers make of one linear mode, worked out by hand.

For a mode with mass m, spring constant c and omega = sqrt(c / m), let z = omega h. Both schemes
move with the new velocity, q_{n+1} = q_n + h v_{n+1}, and start here from phi_0 = 0 with velocity
v_0. They differ in the force, and in the time of q.

*regularised*, eq. 11-13 of the paper with the unknown (v, h lambda) in place of the printed h (v,
lambda): m (v_{n+1} - v_n) = -h c q_{n+1}, which is backward Euler. What is read is phi_n = q_n. In
the plane of (omega phi, v) a step turns by atan(z) and shrinks by sqrt(1 + z^2), so

    period 2 pi h / atan(z),    factor 1 / sqrt(1 + z^2),    energy factor 1 / (1 + z^2),
    amplitude v_0 / omega.

*spook* without damping: the force is c times the mean (q_{n+1} + 2 q_n + q_{n-1}) / 4, so
(1 + z^2/4) q_{n+1} - (2 - z^2/2) q_n + (1 + z^2/4) q_{n-1} = 0. Here q_n stands half a step ahead
of v_n, from q_0 = phi_0 + h v_0 / 2 on. What is read is of the time of the velocity,

    phi_n = q_n - h v_n / 2 = (q_n + q_{n-1}) / 2,

and the mean of three q is that of two phi: m (v_{n+1} - v_n) = -h c (phi_n + phi_{n+1}) / 2 and
phi_{n+1} - phi_n = h (v_n + v_{n+1}) / 2, the trapezoidal rule. It has determinant 1, and

    period pi h / atan(z / 2),    factor 1,    amplitude v_0 / omega.

It conserves W = m v_n^2 / 2 + c phi_n^2 / 2 exactly.
"""

import math
from collections.abc import Callable
from typing import NamedTuple


class Scheme(NamedTuple):
    """Period [s] and factor of the amplitude per step [-] of a mode.

    The first takes (omega h, h), the second omega h; the amplitude is v_0 / omega in either scheme.
    """

    period: Callable[[float, float], float]
    factor: Callable[[float], float]


SCHEMES = {
    "regularised": Scheme(
        lambda z, h: 2.0 * math.pi * h / math.atan(z), lambda z: 1.0 / math.sqrt(1.0 + z * z)
    ),
    "spook": Scheme(lambda z, h: math.pi * h / math.atan(0.5 * z), lambda z: 1.0),
}
"""By the names that the simulator gives them; the first is the paper's."""
