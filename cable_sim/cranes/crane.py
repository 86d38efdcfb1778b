"""A crane as seen above the physics: a scene, and the purpose of its parts."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from cable_sim.cranes.parts.devices import Limiter, Quantity, Sensor
from cable_sim.cranes.parts.following import Following
from cable_sim.cranes.parts.levers import DriveControl
from cable_sim.errors import SpecError, unknown
from cable_sim.pictured import Pictured, listed
from cable_sim.spec import Cable, Scene
from cable_sim.spec.quantities import Vector
from cable_sim.spec.wind import Wind


@dataclass(frozen=True)
class Axis:
    """One motion of a crane, in the crane's terms, on top of a drive of the scene.

    The axis coordinate is ``(drive coordinate - zero) / ratio``: for a hoist the ratio is the
    number of falls and the zero the rope outside them, so that the coordinate is the hook's depth
    below the trolley.

    Parameters
    ----------
    name: the term of the trade: ``slewing``, ``trolley``, ``hoist``, ``gantry``, ``luffing``.
    drive: name of the drive in the scene.
    joint: name for joint states.
    unit: ``rad`` or ``m`` of the coordinate, ``1`` of a magnet's current; speeds are per second.
    positive: in words, for help texts: ``anticlockwise from above``, ``outward``, ``paying out``.
    lower, upper: range of the coordinate that commands may reach [rad or m].
    max_speed, max_acceleration: of the coordinate [rad/s or m/s, rad/s^2 or m/s^2].
    trade_unit, trade_factor: speed as operators say it; trade value = SI value times the factor.
        The factor of a hoist is negative because operators count hoisting as positive.
    reading: what instruments call the coordinate, such as ``radius``; left out, the axis' name.
    linear: the component of a velocity in the world that this axis is, with its sign: ``x``,
        ``-z``; empty for an axis that is none of them at every pose, as slewing and what slews with
        it.
    control: S-ramp and lever.
    emergency_brake: what an emergency brake on it holds, over what its brake holds [-]; 0 for none.
    modes: command modes that it accepts.
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
    linear: str = ""
    control: DriveControl = DriveControl()
    emergency_brake: float = 0.0
    modes: tuple[str, ...] = ("speed", "position", "effort", "lever")


UNITS = {
    "pull": "N",
    "lead": "N",
    "paid_out": "m",
    "radial": "rad",
    "tangential": "rad",
    "skew": "rad",
    "acceleration": "m/s^2",
    "rate": "rad/s",
    "inclination": "rad",
    "direction": "rad",
}
"""Units of signals that belong to no axis, by the last word of their names; of those that end with
x, y or z by the word before."""


class Suspension(NamedTuple):
    """A load on falls: the subject of sway, hook yaw, ground truth of the load and lift plans.

    ``base``, ``trolley``, ``hook`` and ``load`` are names of bodies of the scene. Sway is measured
    from trolley to hook, in the axes of the base, x outward along the trolley's way: the slewing
    part of a tower crane, the portal of a gantry. At the trolley it begins at ``trolley_point`` in
    that body's frame [m]: its origin, or such as the tip of a luffing jib. An empty hook is its own
    load. ``n_falls`` parts of line carry the hook, of all ropes together.

    Where several cranes stand together, ``name`` is that of its crane, and ``ropes`` are its own of
    all hoist ropes; without ropes all are.
    """

    base: str
    trolley: str
    hook: str
    load: str
    n_falls: int
    name: str = ""
    ropes: Sequence[str] = ()
    trolley_point: Vector = (0.0, 0.0, 0.0)

    def own_name(self, name: str) -> str:
        """Return the name of a sensor or quantity at its crane: ``west_load`` at the crane
        ``west``."""
        return f"{self.name}_{name}" if self.name else name


class Cab(NamedTuple):
    """The driver's eyes: name of the body that carries the cab, and their place in its frame
    [m]."""

    body: str
    eyes: Vector


class WheelTurn(NamedTuple):
    """Wheels that turn on the spot: names of the carriage that is their angle, 0 to 90 degrees, and
    of the prismatic joint and drive of the travel; unit vectors of the way in the world that it
    goes at either end of the turn."""

    carriage: str
    joint: str
    drive: str
    along: Vector
    across: Vector


class RopeModels(NamedTuple):
    """A hoist rope as it is while it is taut, massless or elevation, and the hybrid wire that it is
    while it is slack."""

    taut: Cable
    slack: Cable


class Twistlocks(NamedTuple):
    """Twistlocks that turn: names of the joint that stands for all of them, of spreader and
    container."""

    joint: str
    spreader: str
    container: str


@dataclass(frozen=True)
class Crane(Pictured):
    """A crane ready to run, or another machine with axes, such as a hand that holds a rope.

    Parameters
    ----------
    name, family: ``tower_12t``, ``tower_crane``; display and launch files are named by the family.
    scene: input of the solver.
    axes: its motions.
    ropes: names of the cables whose tension instruments show: the hoist ropes, equally long and
        running alike.
    watched: name of the body that operators have their eyes on: the load, or the hand; empty where
        there is none.
    suspensions: how a load hangs on falls, of several cranes one for each; empty where nothing
        does, and then there is no sway, hook or load to tell of.
    cab: where the driver's eyes are; None without one.
    wheels: of a gantry that can travel across its runway, too.
    twistlocks: of a spreader that can let its container go.
    slings: names of the cables from the hook to the load, which can be unhooked.
    when_slack: models of the hoist ropes that go on as hybrid wires while they are slack.
    wind: the winds that blow, one on top of the other, unless a machine is told another.
    sprung: whether levers on keyboards go back to the middle when their key is let go, as hands
        stop, and do not stay in their notch.
    sensors, quantities, limiters: what its control measures, computes and forbids; none in a crane
        without a control.
    dials: names of readings that are shown to operators besides load, radius and wind; limiters
        watch them.
    following: how bodies that move whatever acts on them follow poses from outside, by name.
    details: the validated file that it came from, for reports.
    """

    name: str
    family: str
    scene: Scene
    axes: tuple[Axis, ...]
    ropes: tuple[str, ...]
    watched: str
    suspensions: tuple[Suspension, ...] = ()
    cab: Cab | None = None
    wheels: WheelTurn | None = None
    twistlocks: Twistlocks | None = None
    slings: tuple[str, ...] = ()
    when_slack: tuple[RopeModels, ...] = ()
    wind: Sequence[Wind] = ()
    sprung: bool = False
    sensors: tuple[Sensor, ...] = ()
    quantities: tuple[Quantity, ...] = ()
    limiters: tuple[Limiter, ...] = ()
    dials: tuple[str, ...] = ()
    following: dict[str, Following] = field(default_factory=dict)
    details: Any = field(default=None, compare=False, repr=False)

    def __repr__(self) -> str:
        axes = [f"{axis.name} [{axis.unit}]" for axis in self.axes]
        hung = [f"{one.load!r} on {one.n_falls} falls" for one in self.suspensions]
        return (
            f"Crane {self.name!r} of the family {self.family!r}: {self.scene.counts}\n"
            f"axes: {listed(axes)}\nloads: {listed(hung) or 'none'}\n"
            f"{len(self.sensors)} sensors, {len(self.limiters)} limiters"
        )

    @property
    def suspension(self) -> Suspension | None:
        """The first suspension; None without one."""
        return self.suspensions[0] if self.suspensions else None

    def falls(self, suspension: Suspension) -> Sequence[str]:
        """Names of the hoist ropes of a suspension."""
        return suspension.ropes or self.ropes

    def axis(self, name: str) -> Axis:
        """The axis of that name; SpecError, which lists the known ones, if there is none."""
        for axis in self.axes:
            if axis.name == name:
                return axis
        raise SpecError(unknown("axis", name, [axis.name for axis in self.axes]))

    def lag(self, axis: str) -> float:
        """Time constant of the speed loop of an axis' drive [s]; 0 of one that follows at once."""
        drive = self.axis(axis).drive
        return next((one.lag for one in self.scene.drives if one.name == drive), 0.0)

    def radius_reading(self, suspension: Suspension) -> str:
        """Return the name of the reading of a load's radius; empty without a load chart."""
        moment = suspension.own_name("load_moment")
        return next((q.inputs[1] for q in self.quantities if q.name == moment), "")

    def unit_of_reading(self, name: str) -> str:
        """Return the unit of a sensor or quantity, ``1`` of a share; empty if it is another one
        than that of its inputs."""
        for sensor in self.sensors:
            if sensor.name == name:
                return self.unit_of(sensor.signal)
        quantity = next(quantity for quantity in self.quantities if quantity.name == name)
        if quantity.kind in ("larger_share", "chart_share"):
            return "1"
        other = quantity.weights or quantity.kind == "rate"
        return "" if other else self.unit_of_reading(quantity.inputs[0])

    def unit_of(self, signal: str) -> str:
        """Return the unit of a signal, see the head of ``cranes/parts/devices.py``."""
        thing, _, word = signal.rpartition(".")
        unit = next((axis.unit for axis in self.axes if axis.name == thing), "m")
        own = {"position": unit, "speed": f"{unit}/s", "effort": "N m" if unit == "rad" else "N"}
        return own.get(word) or UNITS.get(word) or UNITS[thing.rpartition(".")[2]]
