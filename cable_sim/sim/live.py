"""Live views: the present scene by name, without a copy.

A view is an array of the simulator itself, which can't be written. Reading the property computes
what it shows, if a step was taken since, and no more than that. An array that is kept shows the
scene as it was last read; an :class:`~cable_sim.sim.observation.Observation` never changes.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cable_sim.errors import CommandError
from cable_sim.model.names import Names
from cable_sim.sim.running import POSES, READ, RunningScene

Array = NDArray[np.float64]
T = TypeVar("T")
ZERO = (0.0, 0.0, 0.0)


def read_only(array: Any) -> Any:
    """Return a view of an array that can't be written."""
    view = array.view()
    view.flags.writeable = False
    return view


class Poses:
    """Live poses and velocities of some rows of the bodies, in the world frame.

    Parameters
    ----------
    running: the running scene.
    rows: a row, so that vectors are (3,), or a slice of n rows, so that they are (n, 3).
    """

    def __init__(self, running: RunningScene, rows: int | slice) -> None:
        bodies = running.seen.bodies
        self._freshen = running.freshen
        self._position = read_only(bodies.position[rows])
        self._orientation = read_only(bodies.orientation[rows])
        self._velocity = read_only(bodies.velocity[rows, :3])
        self._angular_velocity = read_only(bodies.velocity[rows, 3:])

    @property
    def position(self) -> Array:
        """Position (3,) of the centre of mass [m]; of all bodies (n, 3)."""
        self._freshen(POSES)
        return self._position

    @property
    def orientation(self) -> Array:
        """Unit quaternion (4,) w, x, y, z; of all bodies (n, 4)."""
        self._freshen(POSES)
        return self._orientation

    @property
    def velocity(self) -> Array:
        """Velocity (3,) of the centre of mass [m/s]; of all bodies (n, 3)."""
        self._freshen(POSES)
        return self._velocity

    @property
    def angular_velocity(self) -> Array:
        """Angular velocity (3,) [rad/s]; of all bodies (n, 3)."""
        self._freshen(POSES)
        return self._angular_velocity


class BodyAtWork(Poses):
    """One body of a running scene: live views in the world frame, and what acts on it."""

    def __init__(self, name: str, row: int, running: RunningScene, prescribed: bool) -> None:
        super().__init__(running, row)
        self.name = name
        self._prescribed = prescribed
        self._contact_force = read_only(running.readings.bodies.contact_force[row])
        self._wrench = running.control.bodies.wrench[row]
        self._motion = running.control.bodies.prescribed_velocity[row]

    @property
    def contact_force(self) -> Array:
        """Force (3,) of surfaces, other boxes and obstacles on the body [N]."""
        self._freshen(READ)
        return self._contact_force

    def push(self, force: ArrayLike = ZERO, torque: ArrayLike = ZERO) -> None:
        """Apply a force (3,) at the centre of mass [N] and a torque (3,) [N m], until changed.

        Both are in the world frame. Raises CommandError, and changes nothing, unless they are
        vectors of three finite numbers.
        """
        self._set("push", self._wrench, force, torque)

    def move(self, velocity: ArrayLike = ZERO, angular_velocity: ArrayLike = ZERO) -> None:
        """Set the velocities (3,) of a prescribed body [m/s, rad/s], world frame, until changed.

        Raises CommandError, and changes nothing, for a body that obeys forces, or unless they are
        vectors of three finite numbers.
        """
        if not self._prescribed:
            raise CommandError(
                f"body {self.name!r} obeys forces; only a body with motion='prescribed' can be "
                "moved"
            )
        self._set("move", self._motion, velocity, angular_velocity)

    def _set(self, verb: str, into: Array, linear: Any, angular: Any) -> None:
        """Write six finite numbers of two vectors."""
        try:
            x, y, z = linear
            a, b, c = angular
            finite = math.isfinite(x + y + z + a + b + c) or all(
                map(math.isfinite, (x, y, z, a, b, c))
            )
        except (TypeError, ValueError, OverflowError):
            finite = False
        if not finite:
            raise CommandError(
                f"{verb} {self.name!r}: {linear!r}, {angular!r} are not two vectors of three "
                "finite numbers"
            )
        into[0] = x
        into[1] = y
        into[2] = z
        into[3] = a
        into[4] = b
        into[5] = c


class CableAtWork:
    """One cable of a running scene: live readings."""

    def __init__(self, name: str, row: int, running: RunningScene) -> None:
        names = running.names
        self.name = name
        self._row = row
        self._freshen = running.freshen
        self._cables = running.readings.cables
        segments = names.segments[row]
        if segments is None:
            spans = names.spans[row]
            self._tensions = read_only(running.readings.spans.tension[spans])
            self._first = int(names.own[row][0])
        else:
            self._tensions = read_only(running.readings.segments.tension[segments])
            self._first = 0

    @property
    def tension(self) -> float:
        """Tension at the first node, where a winch pulls [N]."""
        self._freshen(READ)
        return self._tensions.item(self._first)

    @property
    def tensions(self) -> Array:
        """Tensions (n,) of all spans, those to contact nodes included, or between masses [N]."""
        self._freshen(READ)
        return self._tensions

    @property
    def length_paid_out(self) -> float:
        """Unstretched length of the cable [m]."""
        self._freshen(READ)
        return self._cables.length_paid_out.item(self._row)

    @property
    def length_rate(self) -> float:
        """Speed at which a winch pays the cable out [m/s]."""
        self._freshen(READ)
        return self._cables.length_rate.item(self._row)

    @property
    def slack(self) -> bool:
        """Return True if the cable carries no tension."""
        self._freshen(READ)
        return self._cables.slack.item(self._row)


class JointAtWork:
    """One joint of a running scene: live readings; ``force`` and ``torque`` as in JointView."""

    def __init__(self, name: str, row: int, running: RunningScene) -> None:
        self.name = name
        self._row = row
        self._freshen = running.freshen
        self._coordinate = running.seen.joints.position
        self._rate = running.readings.joints.velocity
        self._force = read_only(running.readings.joints.force[row])
        self._torque = read_only(running.readings.joints.torque[row])

    @property
    def position(self) -> float:
        """Coordinate [rad or m]."""
        self._freshen(POSES)
        return self._coordinate.item(self._row)

    @property
    def velocity(self) -> float:
        """Rate of the coordinate [rad/s or m/s]."""
        self._freshen(READ)
        return self._rate.item(self._row)

    @property
    def force(self) -> Array:
        """Force (3,) of the parent on the child at the joint's point [N]."""
        self._freshen(READ)
        return self._force

    @property
    def torque(self) -> Array:
        """Torque (3,) of the parent on the child about the joint's point [N m]."""
        self._freshen(READ)
        return self._torque


class Group(Generic[T]):
    """The objects of one kind in a running scene, by name.

    Parameters
    ----------
    kind: name of the kind among the names.
    names: names of the scene.
    make: returns an object from its name and row.
    """

    def __init__(self, kind: str, names: Names, make: Callable[[str, int], T]) -> None:
        self._kind = kind
        self._names = names
        self._make = make
        self._made: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        """Return the object of that name; raise SpecError with the known names if unknown."""
        made = self._made.get(name)
        if made is None:
            made = self._make(name, self._names.index(self._kind, name))
            self._made[name] = made
        return made

    def follow(self, other: "Group[T]") -> None:
        """Show the scene of another group from now on; so do the objects that were asked for."""
        for name, made in self._made.items():
            made.__dict__.update(other[name].__dict__)
        made_so_far = self._made
        self.__dict__.update(other.__dict__)
        self._made = made_so_far

    def __iter__(self) -> Iterator[str]:
        return iter(getattr(self._names, self._kind))

    def __len__(self) -> int:
        return len(getattr(self._names, self._kind))


class Bodies(Poses, Group[BodyAtWork]):
    """The bodies of a running scene: by name, and as arrays in the order of the scene."""

    def __init__(self, running: RunningScene, prescribed: frozenset[str]) -> None:
        Poses.__init__(self, running, slice(1, 1 + len(running.names.bodies)))
        Group.__init__(
            self,
            "bodies",
            running.names,
            lambda name, i: BodyAtWork(name, i + 1, running, name in prescribed),
        )


class Cables(Group[CableAtWork]):
    """The cables of a running scene: by name, and as arrays in the order of the scene."""

    def __init__(self, running: RunningScene) -> None:
        super().__init__("cables", running.names, lambda name, i: CableAtWork(name, i, running))
        self._freshen = running.freshen
        self._length = read_only(running.readings.cables.length_paid_out)
        self._rate = read_only(running.readings.cables.length_rate)

    @property
    def length_paid_out(self) -> Array:
        """Unstretched lengths (n,) [m]."""
        self._freshen(READ)
        return self._length

    @property
    def length_rate(self) -> Array:
        """Speeds (n,) at which winches pay out [m/s]."""
        self._freshen(READ)
        return self._rate


class Joints(Group[JointAtWork]):
    """The joints of a running scene: by name, and as arrays in the order of the scene."""

    def __init__(self, running: RunningScene) -> None:
        super().__init__("joints", running.names, lambda name, j: JointAtWork(name, j, running))
        self._freshen = running.freshen
        self._position = read_only(running.seen.joints.position)
        self._rate = read_only(running.readings.joints.velocity)

    @property
    def position(self) -> Array:
        """Coordinates (n,) [rad or m]."""
        self._freshen(POSES)
        return self._position

    @property
    def velocity(self) -> Array:
        """Rates (n,) of the coordinates [rad/s or m/s]."""
        self._freshen(READ)
        return self._rate
