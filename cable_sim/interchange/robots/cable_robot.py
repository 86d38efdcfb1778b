"""Cable robots: a platform on ropes from winches over pulleys that swivel.

*One rope.* It comes up along the unit swivel axis k to the point A on the pulley of radius r, lies
around it by the angle a, and leaves along the tangent to the point B of the platform. In the plane
of k and B the pulley's middle is M = A + r e, e the unit vector across k towards B. With d = B - M,
its parts x along e and y along k, and the free length f = sqrt(|d|^2 - r^2), the rope leaves at

    T = M + r (-cos a e + sin a k),   a = atan2(f x + r y, f y - r x),   l = r a + f,

for d = r (-cos a, sin a) + f (sin a, cos a) (Pott 2012, "Influence of pulley kinematics on
cable-driven parallel robots", has the same lengths with angles counted from elsewhere). The rope
pulls the platform along u = (T - B) / f, and dl = -u . dB: turning of the pulley and of its swivel
leave l as it is, as T and M move across u or by what the arc gains.

*The platform* has the pose (p, R) and the points b in its axes: B = p + R b. Pulls t of m ropes
give the wrench A t about p, with the columns (u, (R b) x u), and lengths change as dl = -A^T dx for
the twist dx. Forward kinematics go down the squares of the errors of the lengths by Gauss and
Newton's steps.
"""

from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field
from transforms3d.quaternions import axangle2quat, mat2quat, quat2mat

from cable_sim.errors import SpecError
from cable_sim.spec.files import read_spec
from cable_sim.spec.quantities import Name, NonNegative, Positive, Quaternion, Vector, spec

Array = NDArray[np.float64]
STEPS = 100
"""Most steps of forward kinematics."""
CLOSE = 1e-13
"""Step over the size of the robot at which they end [-]."""
LEVEL = (1.0, 0.0, 0.0, 0.0)


@spec
class RobotRope:
    """A rope of a cable robot.

    Parameters
    ----------
    name: unique name.
    frame: point A where it comes to its pulley, in the world [m].
    platform: point where it is fixed, in the axes of the platform, from its centre of mass [m].
    radius: of the pulley [m]; 0 for an eye.
    swivel: axis about which the pulley turns towards the platform; its length does not matter.
    """

    name: Name
    frame: Vector
    platform: Vector
    radius: NonNegative = 0.0
    swivel: Vector = (0.0, 0.0, 1.0)


@spec
class CableRobot:
    """A cable robot.

    Parameters
    ----------
    ropes: at least one.
    mass: of the platform [kg].
    inertia: its moments about the axes of the platform [kg m^2].
    size: of the box that it is drawn as [m].
    ea: axial rigidity of the ropes [N].
    lower, upper: bounds of the pulls [N].
    position, orientation: of the platform at the start of a scene [m], (w, x, y, z).
    gravity: [m/s^2].
    """

    ropes: Annotated[tuple[RobotRope, ...], Field(min_length=1)]
    mass: Positive
    inertia: Vector
    size: Vector = (1.0, 1.0, 0.2)
    ea: Positive = 1.0e6
    lower: NonNegative = 10.0
    upper: Positive = 1.0e4
    position: Vector = (0.0, 0.0, 0.0)
    orientation: Quaternion = (1.0, 0.0, 0.0, 0.0)
    gravity: Vector = (0.0, 0.0, -9.81)

    def __post_init__(self) -> None:
        if not self.lower < self.upper:
            raise ValueError(f"lower: {self.lower:g} N must be below upper, {self.upper:g} N")
        for rope in self.ropes:
            if not any(rope.swivel):
                raise ValueError(f"ropes.{rope.name}.swivel: an axis can't be zero")

    @classmethod
    def from_file(cls, path: str | Path) -> "CableRobot":
        """Return the robot of a YAML file; raise ConfigError, which names line and field."""
        return read_spec(path, cls)

    @property
    def weight(self) -> Array:
        """Wrench (6,) of the platform's weight about its centre of mass [N, N m]."""
        return np.concatenate([self.mass * np.array(self.gravity), np.zeros(3)])


class Reach(NamedTuple):
    """Ropes of a robot at a pose: lengths (m,) [m], unit vectors (m, 3) from the platform along
    the ropes, arms (m, 3) of their points from the platform's centre of mass [m], angles (m,) on
    the pulleys [rad], unit vectors (m, 3) from the swivel axes to the middles of the pulleys."""

    lengths: Array
    ways: Array
    arms: Array
    angles: Array
    toward: Array

    @property
    def structure(self) -> Array:
        """Structure matrix (6, m): wrenches of unit pulls about the centre of mass [-, m]."""
        return np.concatenate([self.ways, np.cross(self.arms, self.ways)], axis=1).T


def reach(robot: CableRobot, position: ArrayLike, orientation: ArrayLike = LEVEL) -> Reach:
    """Return the ropes at a pose of the platform's centre of mass.

    It has a position (3,) [m] and an orientation (w, x, y, z).

    Raises SpecError, which names the rope, for a point within its pulley.
    """
    arms = np.array([rope.platform for rope in robot.ropes]) @ quat2mat(orientation).T
    points = np.asarray(position, float) + arms
    starts = np.array([rope.frame for rope in robot.ropes])
    radius = np.array([rope.radius for rope in robot.ropes])
    axes = np.array([rope.swivel for rope in robot.ropes])
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    away = points - starts
    up = np.sum(away * axes, axis=1)
    level = away - up[:, None] * axes
    out = np.linalg.norm(level, axis=1)
    toward = level / np.where(out > 0.0, out, 1.0)[:, None]
    x = out - radius
    free = x**2 + up**2 - radius**2
    if (free <= 0.0).any():
        name = robot.ropes[int(np.argmin(free))].name
        raise SpecError(f"ropes.{name}: its point of the platform is within its pulley")
    free = np.sqrt(free)
    angles = np.arctan2(free * x + radius * up, free * up - radius * x) % (2.0 * np.pi)
    angles = np.where(radius > 0.0, angles, 0.0)
    middles = starts + radius[:, None] * toward
    arc = np.sin(angles)[:, None] * axes - np.cos(angles)[:, None] * toward
    ways = (middles + radius[:, None] * arc - points) / free[:, None]
    return Reach(radius * angles + free, ways, arms, angles, toward)


def find_pose(
    robot: CableRobot, lengths: ArrayLike, position: ArrayLike, orientation: ArrayLike = LEVEL
) -> tuple[Array, Array]:
    """Return position (3,) [m] and orientation (w, x, y, z) where ropes have lengths (m,) [m].

    The search begins at a pose nearby, likewise. With more ropes than six the squares of the errors
    are the least. Raises SpecError if it does not end, and for a pose that the ropes do not
    determine.
    """
    wanted = np.asarray(lengths, float)
    place, turn = np.array(position, float), np.array(orientation, float)
    size = float(wanted.max())
    for _ in range(STEPS):
        now = reach(robot, place, turn)
        jacobian = -now.structure.T
        way, _, rank, _ = np.linalg.lstsq(jacobian, wanted - now.lengths, rcond=1e-10)
        if rank < 6:
            raise SpecError(f"pose: the ropes determine {rank} of its 6 coordinates at {place}")
        place = place + way[:3]
        angle = float(np.linalg.norm(way[3:]))
        if angle > 0.0:
            turn = mat2quat(quat2mat(axangle2quat(way[3:], angle)) @ quat2mat(turn))
        if np.abs(way).max() < CLOSE * size:
            return place, turn
    raise SpecError(f"pose: none with these lengths was found near {list(map(float, place))}")
