"""Shaping while the hoist moves: parts of a move start by the pendulum's phase, not at fixed times.

A load on falls of the length L(t) below a pivot that moves aside with the acceleration a(t) has, in
small sways theta, the momentum p = L^2 theta' over its mass, and whatever L does

    theta' = p / L^2,   p' = -g L theta - L a,   so   L theta'' + 2 L' theta' + g theta = -a.

*Phase.* Let z(t) be the complex solution for a = 0 that begins, while L rests at L_0, w_0^2 = g /
L_0, as exp(i w_0 t) / (L_0 sqrt(w_0)). Im(conj(z) L^2 z') = 1 is kept, so with z = r exp(i f)

    f' = 1 / (L r)^2,

and an impulse of pivot speed v at the time s leaves theta(t) = -v r(t) sin(f(t) - f(s)) /
sqrt(f'(s)). Impulses v_i at the phases f(s) + p_i therefore leave nothing if the v_i /
sqrt(f'(t_i)) at the p_i are a shaper for a sway of the frequency 1. The parts of a move's change of
speed dv at s are

    dv_i = dv c_i(s),   c_i = A_i sqrt(f'(t_i)) / sum of A_j sqrt(f'(t_j)),   f(t_i) = f(s) + p_i,

A_i and p_i shares and delays of the shaper for the period 2 pi. Each s is done with by itself, so
all of the move is.

*Exact and approximate.* For a mass on falls in small sways without damping this is exact, whatever
the hoist does. That f' is nearly w = sqrt(g / L), as WKB has it, where L changes little within a
period, is not used. It is approximate in that the load has the believed length and hoists as
planned, the length of a double pendulum is that of its slower mode, damping is taken by the phase
(good to the first power of the ratio), and slopes stay slopes.

*Way and acceleration.* The delays of speeding up and of braking differ. So the move that is shaped
is made longer or shorter until the shaped one ends in its place. Where f' grows the parts crowd:
the acceleration sum of c_i a(s_i) f'(t) / f'(s_i) could be more than the move's own, which is
lowered until it is not.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cable_sim.control.methods.shaping import Shaper
from cable_sim.control.pendulum import period_of
from cable_sim.control.profiles import Profile, Ramps
from cable_sim.errors import SpecError
from cable_sim.spec.scene import GRAVITY

Array = NDArray[np.float64]

STEP = 0.01
"""Step of the tables [s]: the pendulum's equation is solved for a length that rests within a
step."""
BEYOND = 3.0
"""Periods for which the phase goes on after the last planned move."""
NEAR = 1e-6
TRIES = 50
"""Tolerance of a shaped move's end [m or rad], and number of tries for it."""


class Phase(NamedTuple):
    """Phase f (n,) of a pendulum [rad] and its rate f' (n,) [rad/s], at times (n,) from 0 on,
    ``STEP`` apart [s]."""

    time: Array
    phase: Array
    rate: Array


def phase_of(length: Callable[[float], float], end: float) -> Phase:
    """Phase of a pendulum of a length [m] over time, which rests from ``end`` on, and some periods
    beyond."""
    count = math.ceil((end + BEYOND * period_of(length(end))) / STEP)
    lengths = [length(i * STEP) for i in range(count + 1)]
    frequency = math.sqrt(GRAVITY / lengths[0])
    z = 1.0 / (lengths[0] * math.sqrt(frequency)) + 0.0j
    p = 1.0j / z
    solution = [z]
    for before, after in zip(lengths, lengths[1:], strict=False):
        half = 0.5 * (before + after)
        frequency = math.sqrt(GRAVITY / half)
        cos = math.cos(frequency * STEP)
        sin = math.sin(frequency * STEP)
        heavy = half**2 * frequency
        z, p = cos * z + sin / heavy * p, cos * p - sin * heavy * z
        solution.append(z)
    found = np.array(solution)
    turned = np.concatenate([[0.0], np.cumsum(np.angle(found[1:] / found[:-1]))])
    return Phase(
        STEP * np.arange(count + 1.0), turned, 1.0 / (np.array(lengths) * np.abs(found)) ** 2
    )


def schedule_move(ramps: Ramps, shaper: Shaper, phase: Phase) -> Profile:
    """The move, shaped by the phase; ``shaper`` is made for a sway of the period 2 pi.

    SpecError for a move that can't be shaped so within ``ramps``.
    """
    led = ramps
    for _ in range(TRIES):
        way, speed, acceleration = _tables(led, shaper, phase)
        hardest = float(np.abs(acceleration).max(initial=0.0))
        missing = ramps.distance - float(way[-1])
        if hardest <= (1.0 + NEAR) * ramps.acceleration and abs(missing) <= NEAR:
            return _table_profile(way, speed, acceleration)
        if hardest > ramps.acceleration:
            led = led._replace(acceleration=led.acceleration * ramps.acceleration / hardest)
        led = led._replace(distance=led.distance + missing)
    raise SpecError(f"a move of {ramps.distance:g} can't be shaped while the hoist moves so fast")


def _tables(ramps: Ramps, shaper: Shaper, phase: Phase) -> tuple[Array, Array, Array]:
    """Way, speed and acceleration (n,) of a shaped move at the times of the phase."""
    time, turned, rate = phase
    _, base, harder = np.array([ramps(t) for t in time.tolist()]).T
    weights = np.array(
        [
            share * np.sqrt(np.interp(np.interp(turned + delay, turned, time), time, rate))
            for share, delay in zip(shaper.shares, shaper.delays, strict=True)
        ]
    )
    shares = weights / weights.sum(axis=0)
    change = np.diff(base)
    speed = np.zeros(time.size)
    acceleration = np.zeros(time.size)
    for share, delay in zip(shares, shaper.delays, strict=True):
        parts = np.concatenate([[0.0], np.cumsum(0.5 * (share[1:] + share[:-1]) * change)])
        started = np.interp(turned - delay, turned, time)
        speed += np.interp(started, time, parts)
        acceleration += np.interp(started, time, share * harder / rate) * rate
    way = np.concatenate([[0.0], np.cumsum(0.5 * STEP * (speed[1:] + speed[:-1]))])
    return way, speed, acceleration


def _table_profile(*tables: Array) -> Profile:
    """Profile of way, speed and acceleration in tables, in between on straight lines."""
    rows = [(float(a), float(b), float(c)) for a, b, c in np.column_stack(tables)]
    last = len(rows) - 1

    def at(time: float) -> tuple[float, float, float]:
        place = min(max(time / STEP, 0.0), float(last))
        i = min(int(place), last - 1)
        before = rows[i]
        after = rows[i + 1]
        x = place - i
        way, speed, acceleration = (b + x * (a - b) for b, a in zip(before, after, strict=True))
        return way, speed, acceleration

    return at
