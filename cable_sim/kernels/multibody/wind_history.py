"""Winds as functions of time: sums of the winds of ``spec/wind.py``, without memory.

So a run can go back in time. A speed along a fixed direction is

    constant      U
    gust          base + rise (1 - cos 2 pi s),  s = (t - start) / duration in 0...1, else base
    turbulence    U + A sum of cos(omega_i t + phase_i)

and a wind of a file is linear between its rows, in components, and constant beyond them.
"""

from math import cos, pi

from cable_sim.kernels.jit import kernel
from cable_sim.kernels.records.arrays import Floats
from cable_sim.kernels.records.machine import Winds

CONSTANT, GUST, TURBULENT, RECORDED = range(4)
"""Values of ``winds.kind``."""
ALONG_X, ALONG_Y, SPEED, RISE, START, DURATION = range(6)
"""Columns of ``winds.number``: unit vector that it blows along, U or base [m/s], rise or A [m/s],
start and duration of a gust [s]."""
OMEGA = 0
PHASE = 1
"""Columns of the table of a turbulence [rad/s, rad]; those of a file are t [s], x and y [m/s]."""


@kernel
def gust_speed(t: float, wind: Floats) -> float:
    """Return the speed of a gust [m/s]; ``wind`` is its row of ``winds.number``."""
    share = (t - wind[START]) / wind[DURATION]
    if 0.0 < share < 1.0:
        return wind[SPEED] + wind[RISE] * (1.0 - cos(2.0 * pi * share))
    return wind[SPEED]


@kernel
def turbulent_speed(t: float, mean: float, amplitude: float, waves: Floats) -> float:
    """Return the speed of a turbulence with these waves (n, 3) [m/s]."""
    total = 0.0
    for k in range(waves.shape[0]):
        total += cos(waves[k, OMEGA] * t + waves[k, PHASE])
    return mean + amplitude * total


@kernel
def recorded(t: float, rows: Floats, column: int) -> float:
    """Return a column of a file's rows (n, 3) at a time."""
    last = rows.shape[0] - 1
    if t <= rows[0, 0]:
        return rows[0, column]
    if t >= rows[last, 0]:
        return rows[last, column]
    k = 0
    behind = last
    while behind - k > 1:
        middle = (k + behind) // 2
        if t < rows[middle, 0]:
            behind = middle
        else:
            k = middle
    slope = (rows[k + 1, column] - rows[k, column]) / (rows[k + 1, 0] - rows[k, 0])
    return slope * (t - rows[k, 0]) + rows[k, column]


@kernel
def wind_velocity(t: float, winds: Winds) -> tuple[float, float]:
    """Return the horizontal velocity of the air [m/s]; it points where the wind blows to."""
    x = 0.0
    y = 0.0
    for i in range(winds.kind.size):
        table = winds.table[winds.start[i] : winds.start[i + 1]]
        if winds.kind[i] == RECORDED:
            x += recorded(t, table, 1)
            y += recorded(t, table, 2)
            continue
        wind = winds.number[i]
        speed = wind[SPEED]
        if winds.kind[i] == GUST:
            speed = gust_speed(t, wind)
        elif winds.kind[i] == TURBULENT:
            speed = turbulent_speed(t, speed, wind[RISE], table)
        x += speed * wind[ALONG_X]
        y += speed * wind[ALONG_Y]
    return x, y
