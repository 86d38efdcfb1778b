"""Shares of two cranes in one beam, at any tilt.

A rigid beam of mass m hangs in a vertical plane on two lugs, whose places from its centre of mass
are (x_1, y_1) and (x_2, y_2), along the beam and above its axis. At the tilt t, positive with the
first end up, they are in plan at

    h_i = x_i cos(t) + y_i sin(t)

from the centre of mass. Under vertical falls the moments about it balance when

    m_1 h_1 + m_2 h_2 = 0,   m_1 + m_2 = m:       m_1 = m h_2 / (h_2 - h_1),
    m_2 = -m h_1 / (h_2 - h_1).

With lugs at -X and X, the second one Y above the axis, m_2 = m / (2 + (Y / X) tan(t)): the tailing
crane is relieved as the beam is up-ended, and m_2 = 0 where it stands upright. Tools for lifting
plans print the same (HJ Engineering, "Dual lift calculator", mode 2).
"""

import math

Point = tuple[float, float]
"""Point along a beam and above its axis [m]."""


def shares(mass: float, first: Point, second: Point, tilt_deg: float) -> tuple[float, float]:
    """Masses on two lugs under vertical falls [kg]; places of the lugs from the centre of mass [m],
    tilt [deg]."""
    cos = math.cos(math.radians(tilt_deg))
    sin = math.sin(math.radians(tilt_deg))
    h_1, h_2 = (x * cos + y * sin for x, y in (first, second))
    return mass * h_2 / (h_2 - h_1), -mass * h_1 / (h_2 - h_1)
