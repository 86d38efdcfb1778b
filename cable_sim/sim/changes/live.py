"""Live views: the present scene by name, without a copy.

A view is an array of the simulator itself, which can't be written. Reading the property computes
what it shows, if a step was taken since, and no more than that. An array that is kept shows the
scene as it was last read; an :class:`~cable_sim.sim.observation.Observation` never changes.
"""

import math
import operator
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cable_sim.errors import CommandError
from cable_sim.sim.readings.quantities import READ as TABLE
from cable_sim.sim.readings.quantities import first_row, of_rows
from cable_sim.sim.running import POSES, READ, RunningScene

Array = NDArray[np.float64]
T = TypeVar("T")
ZERO = (0.0, 0.0, 0.0)


def arrays_of(kind: str, quantity: str) -> Any:
    """Return the property that shows the array of a quantity of :class:`Shown` objects."""
    made = TABLE[kind][quantity]
    fresh = READ if made.is_read else POSES

    def read(shown: "Shown") -> Any:
        shown._freshen(fresh)
        return shown.__dict__[quantity]

    read.__doc__ = f"Quantity of {kind}: {made.meaning} [{made.unit}]."
    return property(read)


def number_of(kind: str, quantity: str) -> Any:
    """Return the property that shows a quantity, a number or flag, of :class:`Shown` objects."""
    made = TABLE[kind][quantity]
    fresh = READ if made.is_read else POSES

    def read(shown: "Shown") -> Any:
        shown._freshen(fresh)
        return shown.__dict__[quantity].item()

    read.__doc__ = f"Quantity of {kind}: {made.meaning} [{made.unit}]."
    return property(read)


class Shown:
    """Live quantities of one kind in a running scene.

    Parameters
    ----------
    running: the running scene.
    rows: a row, or a slice of n rows.
    """

    kind: str

    def __init__(self, running: RunningScene, rows: int | slice) -> None:
        self._freshen = running.freshen
        for name, made in of_rows(self.kind).items():
            view = made.part(operator.attrgetter(made.array)(running), rows).view()
            view.flags.writeable = False
            self.__dict__[name] = view


class Poses(Shown):
    """Live quantities of a body, or of all bodies, in the world frame; see BodyView."""

    kind = "bodies"
    position: Array = arrays_of("bodies", "position")
    orientation: Array = arrays_of("bodies", "orientation")
    velocity: Array = arrays_of("bodies", "velocity")
    angular_velocity: Array = arrays_of("bodies", "angular_velocity")
    contact_force: Array = arrays_of("bodies", "contact_force")


class BodyAtWork(Poses):
    """One body of a running scene: live views in the world frame, and what acts on it."""

    def __init__(self, name: str, row: int, running: RunningScene, prescribed: bool) -> None:
        super().__init__(running, row)
        self.name = name
        self._prescribed = prescribed
        self._wrench = running.control.bodies.wrench[row]
        self._motion = running.control.bodies.prescribed_velocity[row]

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


class CableAtWork(Shown):
    """One cable of a running scene: live quantities as in CableView."""

    kind = "cables"
    length_paid_out: float = number_of("cables", "length_paid_out")
    length_rate: float = number_of("cables", "length_rate")
    slack: bool = number_of("cables", "slack")
    twist: float = number_of("cables", "twist")
    torque: float = number_of("cables", "torque")
    peak_utilisation: float = number_of("cables", "peak_utilisation")
    peak_time: float = number_of("cables", "peak_time")

    def __init__(self, name: str, row: int, running: RunningScene) -> None:
        super().__init__(running, row)
        self.name = name
        spans, segments = running.names.spans[row], running.names.segments[row]
        readings = running.readings
        massive = segments is not None
        tensions = readings.segments.tension[segments] if massive else readings.spans.tension[spans]
        self._tensions = tensions.view()
        self._tensions.flags.writeable = False
        self._first = 0 if massive else int(running.names.own[row][0])

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


class JointAtWork(Shown):
    """One joint of a running scene: live quantities as in JointView."""

    kind = "joints"
    position: float = number_of("joints", "position")
    velocity: float = number_of("joints", "velocity")
    force: Array = arrays_of("joints", "force")
    torque: Array = arrays_of("joints", "torque")
    open: bool = number_of("joints", "open")

    def __init__(self, name: str, row: int, running: RunningScene) -> None:
        super().__init__(running, row)
        self.name = name


class Group(Shown, Generic[T]):
    """The objects of one kind in a running scene: by name, and as arrays in the scene's order.

    Parameters
    ----------
    running: the running scene.
    make: returns an object from its name and row.
    """

    def __init__(self, running: RunningScene, make: Callable[[str, int], T]) -> None:
        self._names = running.names
        first = first_row(self.kind)
        super().__init__(running, slice(first, first + len(self)))
        self._make = make
        self._made: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        """Return the object of that name; raise SpecError with the known names if unknown."""
        made = self._made.get(name)
        if made is None:
            made = self._make(name, first_row(self.kind) + self._names.index(self.kind, name))
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
        return iter(getattr(self._names, self.kind))

    def __len__(self) -> int:
        return len(getattr(self._names, self.kind))


class Bodies(Poses, Group[BodyAtWork]):
    """The bodies of a running scene."""

    def __init__(self, running: RunningScene, prescribed: frozenset[str]) -> None:
        Group.__init__(
            self, running, lambda name, row: BodyAtWork(name, row, running, name in prescribed)
        )


class Cables(Group[CableAtWork]):
    """The cables of a running scene."""

    kind = "cables"
    length_paid_out: Array = arrays_of("cables", "length_paid_out")
    length_rate: Array = arrays_of("cables", "length_rate")

    def __init__(self, running: RunningScene) -> None:
        super().__init__(running, lambda name, row: CableAtWork(name, row, running))


class Joints(Group[JointAtWork]):
    """The joints of a running scene."""

    kind = "joints"
    position: Array = arrays_of("joints", "position")
    velocity: Array = arrays_of("joints", "velocity")

    def __init__(self, running: RunningScene) -> None:
        super().__init__(running, lambda name, row: JointAtWork(name, row, running))
