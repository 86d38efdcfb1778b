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
from numpy.typing import NDArray

from cable_sim.errors import ConfigError, Problem
from cable_sim.kernels.multibody.wind_history import (
    CONSTANT,
    GUST,
    RECORDED,
    TURBULENT,
    wind_velocity,
)
from cable_sim.kernels.records.machine import Winds
from cable_sim.machine.states import speed_and_direction
from cable_sim.spec.files import read_text
from cable_sim.spec.wind import FromFile, Gust, Turbulence, Wind

Floats = NDArray[np.float64]
COLUMNS = ("t", "speed", "direction_deg")


class History:
    """Velocity of the air over time, the sum of some winds."""

    def __init__(self, winds: Iterable[Wind]) -> None:
        parts = [_part(wind) for wind in winds]
        tables = [table for _, _, table in parts]
        self.records = Winds(
            np.array([kind for kind, _, _ in parts], np.int64),
            np.array([numbers for _, numbers, _ in parts]).reshape(-1, 6),
            np.cumsum([0, *map(len, tables)]),
            np.concatenate([np.zeros((0, 3)), *tables]),
        )

    def __call__(self, t: float) -> Floats:
        """Return the velocity (3,) at a time [m/s]; it points where the wind blows to."""
        return np.array((*wind_velocity(float(t), self.records), 0.0))


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


def _part(wind: Wind) -> tuple[int, tuple[float, ...], Floats]:
    """Return the kind of a wind, its row of ``Winds.number``, and its rows of the table."""
    none = np.zeros((0, 3))
    if isinstance(wind, FromFile):
        times, speeds, directions = read_wind(wind.path).T
        angles = np.radians(directions)
        table = np.column_stack([times, speeds * np.cos(angles), speeds * np.sin(angles)])
        return RECORDED, (0.0,) * 6, table
    angle = math.radians(wind.direction_deg)
    along = (math.cos(angle), math.sin(angle))
    if isinstance(wind, Gust):
        rise = 0.5 * (wind.peak - wind.base)
        return GUST, (*along, wind.base, rise, wind.start, wind.duration), none
    if isinstance(wind, Turbulence):
        omega, phase, amplitude = harmonics(wind)
        waves = np.column_stack([omega, phase, np.zeros(len(omega))])
        return TURBULENT, (*along, wind.speed, amplitude, 0.0, 0.0), waves
    return CONSTANT, (*along, wind.speed, 0.0, 0.0, 0.0), none


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
