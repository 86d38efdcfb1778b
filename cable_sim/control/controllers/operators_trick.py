"""The crane operator's trick: two stop-and-go moves that leave no swing, not even an initial one.

Schlamminger et al., Am. J. Phys. 90, 169 (2022). A pivot with the speed u moves a load that is y
ahead of it,

    y'' + w^2 y = -u',   Y = y' + i w y:   Y' = i w Y - u',
    Y(t) exp(-i w t) = Y(0) - integral of u' exp(-i w s) ds.

A move over the way d with ramps of the length r, which brakes after b = d / v, has the speed of a
box of the length b smoothed by one of the length r. That is symmetric about the middle m of the
move, and

    integral of u' exp(-i w s) ds = i l exp(-i w m),     l = w d sinc(w b / 2) sinc(w r / 2),
    sinc x = sin x / x.

At constant speeds r = 0 and l = 2 v sin(w b / 2). Nothing is left of a swing Y(0) after two moves
with

    l_1 exp(-i w m_1) + l_2 exp(-i w m_2) = -i Y(0).   (1)

From rest these are two moves over half the way, half a period apart or an odd number of halves.
With a swing they are two sides of a triangle on Y(0): the shares of the way give the lengths of the
sides, these the angles, and the angles the middles. There is one if the swing is no longer than
both sides and no shorter than their difference. Of all shares on a grid that one is taken that ends
first; of a swing that is too large as much is taken away as can be.

*Validity.* (1) is exact for a mass on falls of one length in small sways, whatever the shares. A
drive that lags by the time constant T makes 1 / (1 + i w T) of what u has at the frequency w, so
that -i Y(0) (1 + i w T) is to be made up.
"""

import cmath
import math
from collections.abc import Iterator
from typing import Literal, NamedTuple

from cable_sim.control.feedback import Control, Feedback
from cable_sim.control.profiles import Profile, Ramps, total
from cable_sim.control.task import Law, Task, Travel, speeds_of
from cable_sim.cranes.family_spec import hoist_of, load_axes_of
from cable_sim.errors import SpecError
from cable_sim.machine.states import Sway
from cable_sim.spec.quantities import NonNegative, spec
from cable_sim.spec.scene import GRAVITY

SHARES = tuple(0.01 * i for i in range(1, 100))
"""Shares of the way that the first move may go [-]."""
NOTHING = 1e-9
"""Share of a speed, or of a period, that is only rounding [-]."""


@spec
class OperatorsTrick:
    """Each move of trolley, gantry or bridge in two stop-and-go moves, one axis at a time, on falls
    of one length.

    The driver looks at the load once, by eye, as a move begins: that is the truth, and no reading
    of a sensor.

    Parameters
    ----------
    still_deg: swing that is taken for none [deg].
    """

    kind: Literal["operators_trick"] = "operators_trick"
    still_deg: NonNegative = 0.02

    def start(self, task: Task) -> Law:
        """The moves, one after the other, none before its start."""
        moving = load_axes_of(task.crane)
        able = (moving.outward * moving.course.straight, moving.across * (not moving.turns))
        others = [name for name in task.axes if name not in able]
        if others:
            raise SpecError(
                f"operators_trick: can't move {' or '.join(others)}; it is for trolley and gantry, "
                f"or straight ways of a load that the family names so; {task.crane.name} has "
                f"{' and '.join(filter(None, able)) or 'none'}"
            )
        if task.first.sway is None:
            raise SpecError(f"operators_trick: no load hangs on falls: {task.crane.name}")
        return _Driver(task, math.radians(self.still_deg))


class _Driver:
    """The law: waits for the start of a move and for the end of the one before, looks, and does it.

    ``still`` is the swing that is taken for none [rad].
    """

    def __init__(self, task: Task, still: float) -> None:
        self._task = task
        self._still = still
        self._across = load_axes_of(task.crane).across
        self._hoist = hoist_of(task.crane)
        self._waiting = sorted(task.travels, key=lambda travel: travel.ramps.start)
        self._plans: dict[str, Profile] = dict.fromkeys(task.axes, total(()))
        self._busy = 0.0

    def __call__(self, seen: Feedback) -> Control:
        if self._waiting and seen.time >= max(self._waiting[0].ramps.start, self._busy):
            travel = self._waiting.pop(0)
            moves = self._decide(travel, seen)
            self._plans[travel.axis] = total(moves)
            self._busy = moves[-1].end
        return speeds_of(self._plans, seen.time + 0.5 * self._task.period)

    def _decide(self, travel: Travel, seen: Feedback) -> tuple[Ramps, Ramps]:
        """The two moves, from a look at the load."""
        task = self._task
        across = travel.axis == self._across
        length = task.length(seen.axes[self._hoist].position, across)
        frequency = math.sqrt(GRAVITY / length)
        assert seen.sway is not None
        swing = length * swing_of(seen.sway, across, frequency)
        if abs(swing) <= length * frequency * self._still:
            swing = 0.0j
        lag = (
            task.crane.lag(travel.axis) + 0.5 * task.period
        )  # a set-point is got to in the course of its tick
        _, speed, acceleration, _ = travel.ramps
        first, second = stop_and_go(
            travel.ramps.distance, speed, acceleration, frequency, swing, lag
        )
        return first._replace(start=first.start + seen.time), second._replace(
            start=second.start + seen.time
        )


def swing_of(sway: Sway, across: bool, frequency: float) -> complex:
    """Rate plus i w times angle of a sway along the trolley's way, or across it [rad/s], of the
    frequency w [rad/s]."""
    angle, rate = (
        (sway.tangential, sway.tangential_rate) if across else (sway.radial, sway.radial_rate)
    )
    return complex(rate, frequency * angle)


class _Choice(NamedTuple):
    """Two moves, and how much of the swing they leave [m/s]."""

    left: float
    moves: tuple[Ramps, Ramps]


def stop_and_go(
    distance: float,
    speed: float,
    acceleration: float,
    frequency: float,
    swing: complex = 0.0,
    lag: float = 0.0,
) -> tuple[Ramps, Ramps]:
    """Two moves, from time 0 on, that together go a way and cancel a swing.

    Parameters
    ----------
    distance: the way, of either sign [m].
    speed, acceleration: the largest that the moves may have [m/s, m/s^2].
    frequency: w of the load [rad/s].
    swing: Y = y' + i w y at time 0 [m/s], y how far the load is ahead of its pivot [m].
    lag: time constant of the drive [s].
    """
    if distance == 0.0:
        return Ramps(0.0, speed, acceleration), Ramps(0.0, speed, acceleration)
    wanted = -1.0j * swing * (1.0 + 1.0j * frequency * lag)
    choices: list[_Choice] = []
    for share in SHARES:
        pair = (
            Ramps(share * distance, speed, acceleration),
            Ramps((1.0 - share) * distance, speed, acceleration),
        )
        choices += _choices(pair, frequency, wanted)
    least = min(choice.left for choice in choices) + NOTHING * speed
    return min(
        (choice.moves for choice in choices if choice.left <= least), key=lambda moves: moves[1].end
    )


def _choices(pair: tuple[Ramps, Ramps], frequency: float, wanted: complex) -> Iterator[_Choice]:
    """Yield the start times of two moves for both triangles of (1), whose sides add up to
    ``wanted`` [m/s]."""
    first, second = (_side(move, frequency) for move in pair)
    a = abs(first)
    b = abs(second)
    c = abs(wanted)
    if c <= NOTHING * (a + b):  # no triangle: at once, and the other way round
        ones = [first * cmath.exp(-0.5j * frequency * pair[0].duration)]
    else:
        cosine = (c * c + a * a - b * b) / (2.0 * c * a)
        corner = math.acos(min(max(cosine, -1.0), 1.0))
        ones = [cmath.rect(a, cmath.phase(wanted) + turn) for turn in (corner, -corner)]
    for one in ones:
        angles = cmath.phase(one / first), cmath.phase((wanted - one) / second)
        yield _Choice(max(c - a - b, abs(a - b) - c, 0.0), _time_moves(pair, frequency, angles))


def _side(move: Ramps, frequency: float) -> float:
    """l of a move [m/s], with the sign of its way."""
    braking = abs(move.distance) / move.highest
    return (
        frequency
        * move.distance
        * _sinc(0.5 * frequency * braking)
        * _sinc(0.5 * frequency * move.ramp)
    )


def _sinc(x: float) -> float:
    """sin x / x of a positive x."""
    return math.sin(x) / x


def _time_moves(
    pair: tuple[Ramps, Ramps], frequency: float, angles: tuple[float, float]
) -> tuple[Ramps, Ramps]:
    """The moves with exp(-i w m) of their middles at these angles, one after the other, as soon as
    can be."""
    first, second = pair
    one = _next_time(angles[0], frequency, 0.5 * first.duration)
    other = _next_time(angles[1], frequency, one + 0.5 * (first.duration + second.duration))
    return first._replace(start=one - 0.5 * first.duration), second._replace(
        start=other - 0.5 * second.duration
    )


def _next_time(angle: float, frequency: float, earliest: float) -> float:
    """The first time from ``earliest`` on at which exp(-i w t) stands at an angle [s]."""
    period = 2.0 * math.pi / frequency
    time = -angle / frequency
    return time + period * math.ceil((earliest - time) / period - NOTHING)
