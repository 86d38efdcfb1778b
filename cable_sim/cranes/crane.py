"""A crane as everybody above the physics sees it: a scene, and what its parts are for."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from cable_sim.errors import SpecError
from cable_sim.spec import Scene
from cable_sim.spec.quantities import Vector


@dataclass(frozen=True)
class Axis:
    """One motion of a crane, in the crane's terms, on top of a drive of the scene.

    The axis coordinate is ``(drive coordinate - zero) / ratio``: for a hoist the ratio is the number of falls
    and the zero the rope outside them, so that the coordinate is the hook's depth below the trolley.

    Parameters
    ----------
    name: the term of the trade: ``slewing``, ``trolley``, ``hoist``, ``gantry``, ``luffing``.
    drive: name of the drive in the scene.
    joint: name for joint states.
    unit: ``rad`` or ``m`` of the coordinate; speeds are per second.
    positive: in words, for help texts: ``anticlockwise from above``, ``outward``, ``paying out``.
    lower, upper: range of the coordinate that commands may reach.
    max_speed, max_acceleration: of the coordinate.
    trade_unit, trade_factor: speed as operators say it; trade value = SI value times the factor. The factor
        of a hoist is negative because operators count hoisting as positive.
    reading: what instruments call the coordinate, such as ``radius``; left out, the axis' name.
    """

    name: str
    drive: str
    joint: str
    unit: str
    positive: str
    lower: float
    upper: float
    max_speed: float
    max_acceleration: float
    trade_unit: str
    trade_factor: float
    ratio: float = 1.0
    zero: float = 0.0
    reading: str = ""


class Cab(NamedTuple):
    """The driver's eyes: name of the body that carries the cab, and their place in its frame [m]."""

    body: str
    eyes: Vector


@dataclass(frozen=True)
class Crane:
    """A crane ready to run.

    Parameters
    ----------
    name, family: ``tower_12t``, ``tower``.
    scene: what the solver gets.
    axes: its motions.
    base, trolley, hook, load: names of bodies of the scene. Sway is measured from trolley to hook, in the axes of the
        base, x outward along the trolley's way: the slewing part of a tower crane, the portal of a gantry. An empty
        hook is its own load.
    ropes: names of the hoist ropes' cables, which are equally long and run alike.
    n_falls: parts of line that carry the hook, of all ropes together.
    cab: where the driver's eyes are.
    details: the validated file that it came from, for reports.
    """

    name: str
    family: str
    scene: Scene
    axes: tuple[Axis, ...]
    base: str
    trolley: str
    hook: str
    load: str
    ropes: tuple[str, ...]
    n_falls: int
    cab: Cab
    details: Any = field(default=None, compare=False, repr=False)

    @property
    def falls_per_rope(self) -> float:
        """Parts of line of each hoist rope [-]."""
        return self.n_falls / len(self.ropes)

    def axis(self, name: str) -> Axis:
        """The axis of that name; SpecError, which lists the known ones, if there is none."""
        for axis in self.axes:
            if axis.name == name:
                return axis
        raise SpecError(f"axis {name!r} is not known; known are {', '.join(a.name for a in self.axes)}")
