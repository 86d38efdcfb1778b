"""Statics of cable robots: pulls within bounds, wrenches that they can give, and the workspace.

*Pulls.* Of all t with A t + w = 0 and l <= t <= u those nearest to the middle c of the bounds. With
an orthonormal basis N of the null space of A and the projection t0 of c on A t = -w, t = t0 + N x,
and |t - c|^2 grows with |x|^2 alone. So x is the shortest one with N x >= l - t0 and
-N x >= t0 - u. That is Lawson and Hanson's least distance programme (1995, chapter 23), solved by
non-negative least squares: E z = f with E = (G, h)^T and f = (0, 1) leaves the residual r, and
x = -r / r_last; there is none if r = 0.

*Wrenches.* The wrenches of all pulls within the bounds are a zonotope, whose faces are normal to
n with n . a = 0 for five columns a of A (Bouchard, Gosselin and Moore 2010; Gouttefarde and Krut
2010). It reaches to the sum of max(l n . a, u n . a) along n. A box of outer wrenches, w0 within b,
asks for max -n . w = -n . w0 + b . |n|. The margin is the least difference for unit normals; it is
negative where some of the box can't be held. Moments, about the centre of mass, are divided by the
largest arm of a rope, so that all six are forces.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import null_space
from scipy.optimize import nnls

from cable_sim.errors import SpecError
from cable_sim.interchange.robots.cable_robot import LEVEL, Array, CableRobot, reach

BALANCED = 1e-9
"""Error of balance over the largest bound above which there are no pulls [-]."""
MET = 1e-12
"""Residual of the least distance programme below which it has no solution [-]."""
FLAT = 1e-10
"""Least singular value over the largest at which five columns have one normal [-]."""


def solve_tensions(
    robot: CableRobot,
    position: ArrayLike,
    orientation: ArrayLike = LEVEL,
    wrench: ArrayLike | None = None,
) -> Array:
    """Return the pulls (m,) [N] within the robot's bounds that hold a wrench, nearest their middle.

    Parameters
    ----------
    robot: whose platform is at the pose.
    position, orientation: of the platform's centre of mass [m], (w, x, y, z).
    wrench: outer force and moment (6,) about the centre of mass [N, N m]; the weight if left out.

    Raises SpecError, which names the pose, where no pulls within the bounds do.
    """
    outer = robot.weight if wrench is None else np.asarray(wrench, float)
    matrix = reach(robot, position, orientation).structure
    middle = np.full(len(robot.ropes), 0.5 * (robot.lower + robot.upper))
    scaled = matrix / np.repeat([1.0, _size(robot)], 3)[:, None]
    missing = -(outer + matrix @ middle) / np.repeat([1.0, _size(robot)], 3)
    nearest = middle + np.linalg.lstsq(scaled, missing, rcond=1e-12)[0]
    error = np.abs(scaled @ (nearest - middle) - missing).max()
    free = null_space(scaled, rcond=1e-12)
    pulls = None
    if error <= BALANCED * robot.upper:
        pulls = _shortest(nearest, free, robot.lower, robot.upper)
    if pulls is None:
        place = list(map(float, np.asarray(position, float)))
        raise SpecError(
            f"no pulls between {robot.lower:g} and {robot.upper:g} N hold the platform at "
            f"{place} m against the wrench {list(map(float, outer))}"
        )
    return pulls


def _shortest(nearest: Array, free: Array, lower: float, upper: float) -> Array | None:
    """Return the pulls within bounds that are nearest to others, along a basis (m, k)."""
    above, below = nearest - lower, upper - nearest
    if min(above.min(), below.min()) >= 0.0:
        return nearest
    if free.shape[1] == 0:
        return None
    scale = upper - lower
    matrix = np.concatenate([free, -free]).T
    bounds = -np.concatenate([above, below]) / scale
    system = np.vstack([matrix, bounds])
    goal = np.zeros(len(system))
    goal[-1] = 1.0
    weights, left = nnls(system, goal)
    if left < MET:
        return None
    residual = system @ weights - goal
    way = -residual[:-1] / residual[-1]
    return np.asarray(np.clip(nearest + scale * (free @ way), lower, upper))


def _size(robot: CableRobot) -> float:
    """Return the largest arm of a rope on the platform [m], by which moments are divided."""
    return float(max(np.linalg.norm(rope.platform) for rope in robot.ropes)) or 1.0


def wrench_margin(
    robot: CableRobot,
    position: ArrayLike,
    orientation: ArrayLike = LEVEL,
    wrench: ArrayLike | None = None,
    box: ArrayLike = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
) -> float:
    """Return by how much pulls within the bounds hold a box of wrenches [N]; negative: not all.

    Parameters
    ----------
    robot, position, orientation, wrench: see :func:`solve_tensions`.
    box: half sides (6,) of the box around the wrench [N, N m].
    """
    scale = np.repeat([1.0, 1.0 / _size(robot)], 3)
    outer = scale * (robot.weight if wrench is None else np.asarray(wrench, float))
    half = scale * np.asarray(box, float)
    columns = scale[:, None] * reach(robot, position, orientation).structure
    if np.linalg.matrix_rank(columns, tol=1e-9) < 6:
        return -float("inf")
    margins = []
    for normal in _normals(columns):
        along = normal @ columns
        reached = np.maximum(robot.lower * along, robot.upper * along).sum()
        margins.append(reached + normal @ outer - half @ np.abs(normal))
    return float(min(margins))


def _normals(columns: Array) -> Iterator[Array]:
    """Yield the unit normals (6,) of the faces of the zonotope of columns (6, m), both ways."""
    for five in combinations(range(columns.shape[1]), 5):
        left, sizes, _ = np.linalg.svd(columns[:, five])
        if sizes[-1] > FLAT * sizes[0]:
            yield left[:, -1]
            yield -left[:, -1]


class Workspace(NamedTuple):
    """Margins (n,) of wrenches at places (n, 3) of a platform [N, m]."""

    positions: Array
    margins: Array

    @property
    def feasible(self) -> Any:
        """Places where all wrenches are held, True or False (n,)."""
        return self.margins >= 0.0


def find_workspace(
    robot: CableRobot,
    positions: ArrayLike,
    orientation: ArrayLike = LEVEL,
    box: ArrayLike = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
) -> Workspace:
    """Return the margins at places (n, 3) [m] of a platform of that orientation.

    It holds its weight and wrenches within the box (6,) around it [N, N m]. A place that the ropes
    can't reach has the margin minus infinity.
    """
    places = np.asarray(positions, float).reshape(-1, 3)
    return Workspace(places, np.array([_margin(robot, p, orientation, box) for p in places]))


def _margin(robot: CableRobot, place: Array, turn: ArrayLike, box: ArrayLike) -> float:
    """Return the margin at a place, minus infinity within a pulley."""
    try:
        return wrench_margin(robot, place, turn, None, box)
    except SpecError:
        return -float("inf")
