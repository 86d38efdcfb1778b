"""The hook's bounce on the elevation cable, in the small: what the linear theory of the two layers
together says.

A hook of mass m on two falls of slope angle phi, the rope's spring k = EA / L, its damping time
gamma. A motion like exp(s t) changes the chords' total by x = 2 cos(phi) z and the tension T by dT.
It adds to the tension of every span: with u0 the sag and G = rho g' l^2 / T its curvature, the wave
answers

    (s^2 + b s) u = (T / rho l^2) D u + (dT / rho l^2) D u0,        D u0 = -G,

D the difference over the grid, and makes the arc longer by e = -c(s) dT, c(s) = (G / l) sum(u) / (M
dT): the taut string's compliance, which at s = 0 is the known rho^2 g'^2 l^3 / 12 T^3. The rope
says dT = k (x + e) + k gamma s x: what damps is the rate of the chords. Together

    m s^2 (1 / k + c(s)) / (1 + gamma s) + 4 cos(phi)^2 = 0.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import root

from .lift import EA, HOOK, POINTS, G, Span, chords, lifting_tension, resting_drop, spans


class Bounce(NamedTuple):
    """Rate of decay of the amplitude [1/s] and angular frequency [rad/s]."""

    decay: float
    omega: float


def span_compliance(
    span: Span, s: complex, tension: float, density: float, damping: float
) -> complex:
    """How much shorter the span's arc gets per tension [m/N], at the complex frequency s [1/s]."""

    intervals = POINTS - 1
    sag = density * G * span.cosine * span.chord**2 / tension
    diagonal = -2.0 - (s * s + damping * s) * density * span.chord**2 / tension / intervals**2
    beside = np.ones(intervals - 2)
    matrix = np.diag(np.full(intervals - 1, diagonal)) + np.diag(beside, 1) + np.diag(beside, -1)
    wave = np.linalg.solve(matrix, np.full(intervals - 1, sag / intervals**2 + 0j)) / tension
    return complex(-sag / span.chord * wave.sum() / intervals)


def bounce(density: float, damping: float, damping_time: float, mass: float = HOOK) -> Bounce:
    """The mode that the bounce on the massless cable turns into."""
    drop = resting_drop(density, mass)
    tension, length = lifting_tension(density, mass, drop), chords()
    here = spans(drop)
    spring, cosine = EA / length, drop / here[1].chord

    def misfit(parts: np.ndarray) -> list[float]:
        s = complex(*parts)
        sags = (
            sum(span_compliance(span, s, tension, density, damping) for span in here)
            if density
            else 0.0
        )
        value = mass * s * s * (1.0 / spring + sags) / (1.0 + damping_time * s) + 4.0 * cosine**2
        return [value.real, value.imag]

    stiffness = 4.0 * cosine**2 * spring
    start = [-0.5 * damping_time * stiffness / mass, float(np.sqrt(stiffness / mass))]
    decay, omega = root(misfit, start, tol=1e-12).x
    return Bounce(float(-decay), float(omega))
