"""A crane as everybody above the physics sees it: a scene, and what its parts are for."""

from dataclasses import dataclass, field
from typing import Any

from cable_sim.errors import SpecError
from cable_sim.spec import Scene


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


@dataclass(frozen=True)
class Crane:
    """A crane ready to run.

    Parameters
    ----------
    name, family: ``tower_12t``, ``tower``.
    scene: what the solver gets.
    axes: its motions.
    base, trolley, hook, load: names of bodies of the scene; sway is measured from trolley to hook.
    rope: name of the hoist rope's cable.
    n_falls: parts of line that carry the hook block.
    details: the validated file that it came from, for reports.
    """

    name: str
    family: str
    scene: Scene
    axes: tuple[Axis, ...]
    slewing: str
    trolley: str
    hook: str
    load: str
    rope: str
    n_falls: int
    details: Any = field(default=None, compare=False, repr=False)

    def axis(self, name: str) -> Axis:
        """The axis of that name; SpecError, which lists the known ones, if there is none."""
        for axis in self.axes:
            if axis.name == name:
                return axis
        raise SpecError(f"axis {name!r} is not known; known are {', '.join(a.name for a in self.axes)}")
