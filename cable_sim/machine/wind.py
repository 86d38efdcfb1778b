"""Winds as functions of time: sums of the winds of ``spec/wind.py``, without memory.

So a run can go back in time. *Turbulence* is ``U + sum of sigma sqrt(2 / N) cos(2 pi f_i t +
phase_i)``. Every cosine stands for the same part of the variance, and its frequency is drawn within
that part: f_i = F^-1((i + r_i) / N), r_i in 0...1, where F, from 0 to 1, is the variance up to a
frequency,

    kaimal:   F = 1 - (1 + 6 x)^(-2/3),   davenport:   F = 1 - (1 + x^2)^(-1/3),   x = f L / U.

So the variance over a long time is sigma^2 whatever N, and the spectrum has most lines where most
of it is. The last one is drawn at 1 - 1 / 2N at most: higher frequencies are as fast as a tick.
"""

import math
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cable_sim.errors import ConfigError
from cable_sim.spec.files import read_text
from cable_sim.spec.wind import FromFile, Gust, Static, Steady, Turbulence, Wind
from cable_sim.spec.yaml_document import Problem

Floats = NDArray[np.float64]
Part = Callable[[float], tuple[float, float]]
COLUMNS = ("t", "speed", "direction_deg")


class History:
    """Velocity of the air over time, the sum of some winds."""

    def __init__(self, winds: Iterable[Wind]) -> None:
        self._parts = [_part(wind) for wind in winds]

    def __call__(self, t: float) -> Floats:
        """Return the velocity (3,) at a time [m/s]; it points where the wind blows to."""
        x = y = 0.0
        for part in self._parts:
            u, v = part(t)
            x = x + u
            y = y + v
        return np.array((x, y, 0.0))


def speed_and_direction(velocity: ArrayLike) -> tuple[float, float]:
    """Return the speed [m/s] of a wind, and the direction it blows to [rad].

    The direction is anticlockwise from above, from the world's x axis.
    """
    x, y, _ = np.asarray(velocity, float).tolist()
    return math.hypot(x, y), math.atan2(y, x)


def gust_reading(
    history: Callable[[float], Floats], t: float, window: float = 3.0, samples: int = 31
) -> float:
    """Return a gust anemometer's reading [m/s], the mean speed over the last ``window`` [s]."""
    times = np.linspace(t - window, t, samples)
    speeds = np.array([speed_and_direction(history(float(time)))[0] for time in times])
    return float(np.trapezoid(speeds) / (samples - 1))


def harmonics(wind: Turbulence) -> tuple[Floats, Floats, float]:
    """Return angular frequencies [rad/s], phases [rad] and amplitude [m/s] of a turbulence.

    The amplitude is common to all cosines.
    """
    random = np.random.default_rng(wind.seed)
    n = wind.harmonics
    below = np.minimum((np.arange(n) + random.random(n)) / n, 1.0 - 0.5 / n)
    if wind.spectrum == "kaimal":
        x = ((1.0 - below) ** -1.5 - 1.0) / 6.0
    else:
        x = np.sqrt((1.0 - below) ** -3.0 - 1.0)
    frequency = x * wind.speed / wind.scale
    amplitude = wind.intensity * wind.speed * math.sqrt(2.0 / n)
    return 2.0 * math.pi * frequency, 2.0 * math.pi * random.random(n), amplitude


def _part(wind: Wind) -> Part:
    """Return one wind as a function of time."""
    if isinstance(wind, FromFile):
        return _recorded_wind(wind)
    speed: Callable[[float], float]
    if isinstance(wind, Gust):
        speed = _gust(wind)
    elif isinstance(wind, Turbulence):
        speed = _turbulent_speed(wind)
    else:
        speed = _constant(wind)
    angle = math.radians(wind.direction_deg)
    x = math.cos(angle)
    y = math.sin(angle)

    def part(t: float) -> tuple[float, float]:
        u = speed(t)
        return u * x, u * y

    return part


def _constant(wind: Steady | Static) -> Callable[[float], float]:
    """Return the speed of a wind that does not change."""
    value = wind.speed
    return lambda t: value


def _gust(wind: Gust) -> Callable[[float], float]:
    """Return the speed of a gust."""
    base = wind.base
    half = 0.5 * (wind.peak - wind.base)
    start = wind.start
    duration = wind.duration

    def speed(t: float) -> float:
        share = (t - start) / duration
        return base + half * (1.0 - math.cos(2.0 * math.pi * share)) if 0.0 < share < 1.0 else base

    return speed


def _turbulent_speed(wind: Turbulence) -> Callable[[float], float]:
    """Return the speed of a turbulent wind."""
    omega, phase, amplitude = harmonics(wind)
    mean = wind.speed
    return lambda t: mean + amplitude * float(np.cos(omega * t + phase).sum())


def _recorded_wind(wind: FromFile) -> Part:
    """Return the wind of a file."""
    times, speeds, directions = read_wind(wind.path).T
    x = speeds * np.cos(np.radians(directions))
    y = speeds * np.sin(np.radians(directions))
    return lambda t: (float(np.interp(t, times, x)), float(np.interp(t, times, y)))


def read_wind(path: str) -> Floats:
    """Return the rows (n, 3) of a file: time [s], speed [m/s], direction [deg].

    Raises ConfigError, which names all wrong lines.
    """
    lines = enumerate(read_text(path).splitlines(), start=1)
    cells = [
        (i, [c.strip() for c in line.split(",")])
        for i, line in lines
        if line.strip() and line[0] != "#"
    ]
    if not cells or tuple(cells[0][1]) != COLUMNS:
        given = ", ".join(cells[0][1]) if cells else "nothing"
        at = cells[0][0] if cells else 1
        raise ConfigError(
            [Problem(path, at, 1, "", f"the first line must be {','.join(COLUMNS)}, not {given}")]
        )
    problems: list[Problem] = []
    rows: list[list[float]] = []
    for i, row in cells[1:]:
        problem, values = _numbers(row, rows[-1] if rows else None)
        if problem:
            problems.append(Problem(path, i, 1, "", problem))
        else:
            rows.append(values)
    if not rows and not problems:
        problems.append(Problem(path, cells[0][0], 1, "", "there is no wind below the first line"))
    if problems:
        raise ConfigError(problems)
    return np.array(rows)


def _numbers(row: list[str], before: list[float] | None) -> tuple[str, list[float]]:
    """Return the error of a row, if any, and its numbers; ``before`` is the row before it."""
    try:
        values = [float(cell) for cell in row]
    except ValueError:
        return f"must be three numbers, not {','.join(row)}", []
    if len(values) != len(COLUMNS) or not all(map(math.isfinite, values)):
        return f"must be three finite numbers, not {','.join(row)}", []
    if before is not None and values[0] <= before[0]:
        return f"t: must be above {before[0]:g}, that of the line before, not {values[0]:g}", []
    if values[1] < 0.0:
        return f"speed: must be 0 or more, not {values[1]:g}", []
    return "", values
