"""Spline of joints through points in time, as joint_trajectory_controller of ROS 2 interpolates.

Each end of a segment of duration T has the first k of position, velocity and acceleration. With
k = 1, 2 or 3 the segment is linear, cubic or quintic:

    x(s) = sum_j c_j s^j,  j < 2 k.

Its k-th lower coefficients are those at s = 0, c_j = x^(j)(0) / j!. The others follow from the end:

    sum_(j >= k) j! / (j - i)! T^(j - i) c_j = x^(i)(T) - sum_(j < k) j! / (j - i)! T^(j - i) c_j.
"""

from math import factorial, perm

import numpy as np
from numpy.polynomial.polynomial import polyder, polyval
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


class JointSpline:
    """Position, velocity and acceleration of joints over time; at rest after the last point.

    Parameters
    ----------
    times: times of the points (n,), in ascending order [s].
    points: first k of position, velocity and acceleration of the joints there (n, k, joints).
    """

    def __init__(self, times: ArrayLike, points: ArrayLike) -> None:
        self.times = np.asarray(times, float)
        self.points = np.asarray(points, float)
        durations = np.diff(self.times)
        ends = zip(durations, self.points, self.points[1:], strict=False)
        made = [segment(*given) for given in ends]
        self._segments = [[polyder(one, order) for order in range(3)] for one in made]

    @property
    def end(self) -> float:
        """Time of the last point [s]."""
        return float(self.times[-1])

    def at(self, time: float) -> Array:
        """Return position, velocity and acceleration (3, joints) at a time [s]."""
        if time >= self.end:
            still = np.zeros((3, self.points.shape[2]))
            still[0] = self.points[-1, 0]
            return still
        i = max(int(np.searchsorted(self.times, time, "right")) - 1, 0)
        passed = max(time - self.times[i], 0.0)
        return np.array([polyval(passed, one) for one in self._segments[i]])


def segment(duration: float, begin: Array, end: Array) -> Array:
    """Return the coefficients c (2 k, joints) between two points (k, joints), see above."""
    k = len(begin)
    low = begin / np.array([[factorial(j)] for j in range(k)])
    power = np.array(
        [
            [perm(j, i) * duration ** max(j - i, 0) if j >= i else 0.0 for j in range(2 * k)]
            for i in range(k)
        ]
    )
    high = np.linalg.solve(power[:, k:], end - power[:, :k] @ low)
    return np.concatenate([low, high])
