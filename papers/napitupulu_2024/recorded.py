"""The recording in few points, and the camera's filter.

Source: PlotJuggler/Step response 700 with random v1.csv at commit a4196f0 of the repository. It has
the encoder of the trolley, and angle and length from a depth camera, at 30 Hz. Taken from it are
the trolley's place every 0.1 s (the straight line through the samples within 0.06 s), the angle
every 0.1 s, and its extremes (a parabola through five samples).
"""

import numpy as np
from numpy.typing import NDArray

LENGTH = 0.374
"""Cable length as recorded, the mean [m]."""
PERIOD = "1.1666"
"""Mean of eight free swings after the stop [s]; they scatter by 0.010 s."""
DRIVEN_FROM = 0.8
"""Time at which the trolley begins to move [s]."""
TROLLEY = (
    (0.0, 0.0056, 0.0108, 0.0184, 0.0287, 0.0376, 0.0465, 0.0567, 0.0677, 0.0798, 0.0941, 0.1077)
    + (0.1213, 0.1367, 0.1529, 0.1699, 0.1867, 0.2019, 0.2207, 0.2418, 0.2608, 0.2817, 0.3054)
    + (0.3304, 0.356, 0.3825, 0.4065, 0.4264, 0.4478, 0.4731, 0.5001, 0.5299, 0.5609, 0.5936)
    + (0.6251, 0.6555, 0.6883, 0.7211, 0.7521, 0.7807, 0.8108, 0.8304, 0.8348, 0.8347, 0.8347)
)
"""Place of the trolley [m] every 0.1 s from :data:`DRIVEN_FROM` on."""
EXTREMES = (
    ("1.333", "1.58"),
    ("1.891", "-0.79"),
    ("2.461", "1.11"),
    ("3.020", "-0.52"),
    ("3.503", "1.09"),
    ("3.965", "-1.23"),
    ("4.483", "2.31"),
    ("5.270", "-6.10"),
    ("5.915", "6.07"),
    ("6.501", "-5.30"),
)
"""Times [s] and angles [degrees] of the extremes."""
SAMPLED_FROM, SAMPLED = (
    0.7,
    (-0.1, -0.04, 0.19, 0.56, 0.92, 1.29, 1.55, 1.48, 1.04, 0.47, -0.13, -0.63, -0.79, -0.59)
    + (-0.17, 0.3, 0.74, 1.03, 1.08, 0.83, 0.52, 0.16, -0.25, -0.5, -0.4, -0.1, 0.31, 0.81, 1.08)
    + (0.81, 0.19, -0.5, -1.07, -1.17, -0.57, 0.4, 1.39, 2.1, 2.29, 1.85, 0.75, -0.6, -1.97)
    + (-3.46, -4.93, -5.88, -6.05, -5.28, -3.34, -0.49, 2.6, 5.08, 6.04, 5.48, 3.49, 0.55, -2.32)
    + (-4.47, -5.28, -4.5, -2.36, 0.46, 3.13, 5.06, 5.63, 4.7, 2.52, -0.25, -2.9, -4.68),
)
"""First time [s], and the angle every 0.1 s [degrees]."""
RATE, MEAN, LEVEL = 30.0, 10, 180
"""Pictures a second [1/s]; pictures of the moving mean, and of the mean that is taken off: as
src/realsense_camera_yolo/src has them."""


def camera(angles: NDArray[np.float64], h: float) -> tuple[NDArray[np.float64], ...]:
    """Return times (n,) [s] and angles (n,) as the camera publishes them.

    ``angles`` are true ones every ``h`` [s], at rest before.
    """
    times = np.arange(1.0 / RATE, h * len(angles), 1.0 / RATE)
    seen = np.interp(times, h * np.arange(1, len(angles) + 1), angles)
    padded = np.concatenate([np.zeros(LEVEL), seen])
    smooth = np.convolve(padded, np.full(MEAN, 1.0 / MEAN))[: len(padded)]
    level = np.convolve(smooth, np.full(LEVEL, 1.0 / LEVEL))[: len(padded)]
    return times, (smooth - level)[LEVEL:]
