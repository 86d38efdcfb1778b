"""The file of a crane that is put together of parts: ropes, hooks, axes, devices."""

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StrictBool, ValidationInfo

from cable_sim.cranes.container.limiters import SpreaderLimiters
from cable_sim.cranes.container.spreader import CONTAINER_BODY, Spreader, check_offset
from cable_sim.cranes.families.kit.words.carriers import root_of
from cable_sim.cranes.families.kit.words.lines import Line
from cable_sim.cranes.families.kit.words.parts import Drawn, Part, Wheel
from cable_sim.cranes.families.kit.words.site import KitSite
from cable_sim.cranes.family_spec import FamilySpec
from cable_sim.cranes.parts.devices import Limiter, Quantity, Sensor
from cable_sim.cranes.parts.drums import HoistDrum
from cable_sim.cranes.parts.instruments import Instruments
from cable_sim.cranes.parts.levers import DriveControl
from cable_sim.cranes.parts.load_chart import FallsChart
from cable_sim.cranes.parts.magnet import Magnet
from cable_sim.cranes.rigging.rig import Load, Pair, Sides, Slings, TagLine
from cable_sim.errors import SpecError
from cable_sim.spec import Elevation, Hybrid, Rope
from cable_sim.spec.cables.rope_catalogue import NamedRope
from cable_sim.spec.quantities import (
    Fraction,
    Limit,
    Many,
    Name,
    NonNegative,
    Positive,
    Real,
    Vector,
    spec,
)
from cable_sim.spec.wind import Weather


@spec
class Falls:
    """Parts of line that run to and fro between two places, side by side along y.

    The rope comes to the first of the upper places. An even number ends there, an odd one at the
    lower places.

    Parameters
    ----------
    falls: number of parts of line.
    upper, lower: middles of the places, such as ``jib.tip`` and ``hook_block.axle``.
    spacing: between two falls: the pitch diameter of the wheels [m].
    efficiency: of each wheel [-].
    """

    falls: Annotated[int, Field(strict=True, ge=1, le=16)]
    upper: str
    lower: str
    spacing: Positive = 0.5
    efficiency: Fraction = 0.98


def _refuse_hybrid(model: str | None, others: ValidationInfo) -> str | None:
    """Raise ValueError for a rope that is a hybrid wire at all times."""
    if model and others.data.get("model") == model:
        raise ValueError(
            f"{model} together with model: {model}, which it then is anyway; leave it out"
        )
    return model


@spec
class KitRope:
    """A rope over named places; over a wheel with friction its model is massless.

    Parameters
    ----------
    model: ``massless``; ``elevation``, whose level runs and falls sag and oscillate; or ``hybrid``,
        which also lies and falls where it goes slack.
    when_slack: ``hybrid``: it is hybrid only while it has 1 % more rope than the straight way; left
        out, it keeps the model.
    rope: what it is made of.
    path: places as ``part.place``, from the winch or first end to the dead end; ``falls`` may stand
        among them. A wheel is a sheave, a point an eye that has no loss.
    lay: in place of that of ``rope``.
    winch_mass: inertia of drum and motor as seen at the rope [kg]; left out, the first end is tied.
    winch: name of the winch; ropes that name one are on one drum.
    drum: its layers, and its fleet angle.
    drum_diameter: of a winch without a ``drum``, for drawing [m].
    swivel: the dead end turns freely about the rope, which then carries no torque; that of a hybrid
        rope always does, as masses carry none.
    length: without load [m], of a rope that is tied at both ends; left out, it is as tight at the
        start as what it holds needs.
    pretension: tension at the start [N], up to the first wheel with friction, in place of a length.
    design_factor: breaking force over line pull at rated load that a hoist rope shall have [-].
    damping_time: damping over stiffness [s], whatever hangs on it; left out, it has the damping
        ratio of ``rope`` with what hangs on it at the start.
    waves: how its spans sag and oscillate, with the model ``elevation``.
    cd: drag coefficient in the wind [-].
    """

    model: Literal["massless", "elevation", "hybrid"] = field(default="massless", kw_only=True)
    when_slack: Annotated[Literal["hybrid"] | None, AfterValidator(_refuse_hybrid)] = field(
        default=None, kw_only=True
    )
    rope: NamedRope
    path: Annotated[tuple[str | Falls, ...], Field(min_length=1)]
    lay: Literal["right", "left"] | None = None
    winch_mass: Positive | None = None
    winch: Name | None = None
    drum: HoistDrum | None = None
    drum_diameter: Positive = 0.5
    swivel: StrictBool = True
    length: Positive | None = None
    pretension: Positive | None = None
    design_factor: Positive = 5.0
    damping_time: NonNegative | None = None
    waves: Elevation = Elevation()
    cd: NonNegative = 0.0

    @property
    def laid(self) -> Rope:
        """The rope, with its own lay."""
        return replace(self.rope, lay=self.lay) if self.lay else self.rope

    @property
    def layers(self) -> dict[str, Any]:
        """Options of a Cable for the model."""
        return {
            "elevation": self.waves if self.model == "elevation" else None,
            "hybrid": Hybrid() if self.model == "hybrid" else None,
        }

    def __post_init__(self) -> None:
        given = [f for f in ("winch_mass", "length", "pretension") if getattr(self, f) is not None]
        if len(given) > 1:
            raise ValueError(f"{given[1]}: together with {given[0]}; give one of the two")
        if self.drum and self.winch_mass is None:
            raise ValueError("drum: belongs to a winch; give a winch_mass, too")


@spec
class Ball:
    """A ball in place of a hook block, with one place for ropes, at which it reads its depth.

    Parameters
    ----------
    radius: [m].
    axle: height of that place above its middle [m]; 0 with one fall is a point on a rope.
    """

    radius: Positive
    axle: NonNegative = 0.0


@spec
class Hook:
    """A hook block that hangs on ropes. Its places are ``axle`` and ``hook``, and its own wheels.

    Parameters
    ----------
    below: place from which it hangs straight down at the start, and from which sway is measured.
    base: part in whose axes sway is told; x is outward.
    ropes: on which it hangs, equally long and running alike.
    mass: [kg].
    size: along the jib, across, and height [m].
    hook_below_axle: from the axle of its wheels down to the hook, or to twistlocks [m].
    wheels: further places, over its centre of mass [m]; the rope passes below them.
    ball: in its place a ball, which can lie on the ground.
    spreader: in its place a spreader, whose centre of mass is in the middle of its ``size``.
    magnet: in its place a lifting magnet, the box of its ``size``.
    picture: what is drawn of it, beside the box of a magnet; left out, of a hook block its look.
    cd: drag coefficient [-].
    """

    below: str
    base: Name
    ropes: Annotated[Many[Name], Field(min_length=1)]
    mass: Positive
    size: Sides = (0.5, 0.6, 1.2)
    hook_below_axle: Positive = 1.0
    wheels: dict[Name, Wheel] = Field(default_factory=dict)
    ball: Ball | None = None
    spreader: Spreader | None = None
    magnet: Magnet | None = None
    picture: tuple[Drawn, ...] = ()
    cd: NonNegative = 0.0

    @property
    def places(self) -> dict[str, Vector]:
        """Its named places, over its centre of mass [m]; the hook weighs more than the cheeks."""
        axle = self.ball.axle if self.ball else 0.4 * self.hook_below_axle
        if self.spreader or self.magnet:
            centre = self.spreader.centre if self.spreader else 0.5 * self.size[2]
            axle = self.hook_below_axle - centre
        hook = axle if self.ball else axle - self.hook_below_axle
        own = {name: wheel.at for name, wheel in self.wheels.items()}
        return own | {"axle": (0.0, 0.0, axle), "hook": (0.0, 0.0, hook)}

    def __post_init__(self) -> None:
        for name, wheel in self.wheels.items():
            if name in ("axle", "hook") or wheel.friction:
                told = "is a place of every hook" if not wheel.friction else "has friction"
                raise ValueError(f"wheels.{name}: {told}; such a wheel can't be on a hook")
        if self.spreader and (self.ball or not self.wheels):
            told = (
                "in place of a ball; leave that out" if self.ball else "needs wheels for its ropes"
            )
            raise ValueError(f"spreader: {told}")
        if self.magnet and (self.ball or self.spreader):
            raise ValueError("magnet: in place of a ball or spreader; leave that out")
        if any(drawn.towards for drawn in self.picture):
            raise ValueError("picture.towards: a shape of a hook does not point anywhere")


@spec
class KitAxis:
    """A motion with its drive and lever.

    Parameters
    ----------
    on: name of a joint, of a rope with a winch, or of a wheel with friction. On the rope of a hook
        the coordinate is the hook's depth, on another rope the length that is paid out, 0 at the
        start. On a wheel it is the way of its rim.
    v_max, accel: largest speed and acceleration of the coordinate [rad/s or m/s, rad/s^2 or
        m/s^2].
    v_empty: largest speed of a joint without a load in the file [rad/s or m/s]; its ramp takes as
        long.
    effort: largest torque or force of the drive, of a rope the pull at the drum [N m or N].
    brake: what the closed brake holds [N m or N]; left out, half as much again as the effort.
    power: of the motor at the coordinate [W].
    rated_power: on the rope of a hook, what it takes to hoist with full speed [W]: hook and load of
        the file have less than ``v_max`` if they take more.
    emergency_brake: what a second brake holds that limiters close [N m or N]; 0 for none.
    tau: time constant of the speed loop, and of positioning [s].
    lag: of the speed loop alone [s]; left out, ``tau``.
    limits: of the coordinate [m]; of a rope or wheel. A joint has its own.
    trade: unit in which operators give the speed; the usual one when left out.
    positive: in words.
    reading: what instruments call the coordinate; left out, the name of the axis or of the hook.
    close_delay, open_delay: of the brake [s].
    control: S-ramp, rise time and lever.
    """

    on: Name
    v_max: Positive
    accel: Positive
    effort: Positive
    v_empty: Positive | None = None
    brake: Positive | None = None
    power: Limit = float("inf")
    rated_power: Positive | None = None
    emergency_brake: NonNegative = 0.0
    tau: Positive = 0.2
    lag: NonNegative | None = None
    limits: Pair | None = None
    trade: Literal["rpm", "deg/s", "deg/min", "m/min", "m/s"] | None = None
    positive: str = ""
    reading: str = ""
    close_delay: NonNegative = 0.0
    open_delay: NonNegative = 0.0
    control: DriveControl = DriveControl()

    def __post_init__(self) -> None:
        if self.limits and not self.limits[0] < self.limits[1]:
            low, high = self.limits
            raise ValueError(f"limits: must increase, not {low:g} ... {high:g}")


@spec
class KitLimiters(SpreaderLimiters):
    """Limiters beside those of every crane with a load chart or a spreader.

    Parameters
    ----------
    others: further ones, on any reading or quantity.
    """

    others: tuple[Limiter, ...] = ()


@spec
class KitStart:
    """Start of the crane.

    Parameters
    ----------
    state: the load hangs at rest, or stands on the ground under slack slings.
    at: coordinates of joints [rad or m], of hinges with ``_deg`` behind the name [deg], and depths
        of hooks below their places by the axis of their rope [m]. A joint that is left out starts
        at zero. By the axis of a wheel, the way from ``at`` along x of the free part that its rope
        hauls [m].
    """

    state: Literal["hanging", "on_ground"] = "hanging"
    at: dict[Name, Real] = Field(default_factory=dict)


@spec
class KitLoad(Load):
    """A box whose centre of mass need not be in its middle, if a spreader holds it.

    Parameters
    ----------
    offset: of the centre of mass from the middle, along x and y [m]. Half of the mass is then
        cargo, a body of its own that stands twice as far from the middle.
    """

    offset: Pair = (0.0, 0.0)

    def __post_init__(self) -> None:
        check_offset(self, self.offset)


@spec
class KitRig:
    """Load on the first hook or spreader, any tag line, and start of the crane; without a load it
    is empty.

    ``twistlocks`` of a spreader that turn are ``locked`` at the start, or ``open``: then the load
    stands by itself, and the spreader hangs over it at its depth. With them spreader, load and
    stacks are boxes that touch. Left out, they hold the load for good.
    """

    slings: Slings | None = None
    load: KitLoad | None = None
    tag_line: TagLine | None = None
    twistlocks: Literal["locked", "open"] | None = None
    start: KitStart = KitStart()

    @property
    def stands(self) -> bool:
        """Return True if the load stands at the start."""
        return self.load is not None and self.start.state == "on_ground"

    def __post_init__(self) -> None:
        if self.load is None and self.slings is not None:
            raise ValueError("slings: go with a load; give both or neither")
        if self.load is None and self.start.state == "on_ground":
            raise ValueError(
                "start.state: without a load nothing stands on the ground; an empty hook or "
                "spreader starts 'hanging', not 'on_ground'"
            )
        if self.twistlocks and self.load is None:
            raise ValueError(
                f"twistlocks: {self.twistlocks!r} needs a load; give one, or leave twistlocks out"
            )
        if self.twistlocks == "open" and not self.stands:
            raise ValueError("twistlocks: 'open' needs start.state 'on_ground', not 'hanging'")


@spec
class KitCab:
    """The driver's eyes, in the frame of a part [m]."""

    part: Name
    eyes: Vector


@spec
class KitHead:
    """Family and kind of the crane.

    Parameters
    ----------
    type: the crane family.
    kind: word for what it is, such as ``luffing_crane``.
    rated_load: on the first hook [kg], of a crane without a chart.
    sprung: levers on keyboards go back to the middle when their key is let go.
    """

    type: Literal["kit"]
    kind: Name = "kit_crane"
    rated_load: Positive | None = None
    sprung: StrictBool = False


@spec
class KitFile(FamilySpec):
    """The sections of a file of a crane of parts.

    The chart is that of the first hook. ``aliases`` are former paths of values, each with the path
    or paths that have them now, which changes of the file may still use. ``variants`` are further
    paths for changes, such as ``falls``, each with its values, and the changes that they stand for.
    """

    crane: KitHead
    parts: Annotated[dict[Name, Part], Field(min_length=1)]
    ropes: dict[Name, KitRope] = Field(default_factory=dict)
    lines: dict[Name, Line] = Field(default_factory=dict)
    hooks: dict[Name, Hook] = Field(default_factory=dict)
    axes: dict[Name, KitAxis] = Field(default_factory=dict)
    rig: KitRig = KitRig()
    chart: FallsChart | None = None
    sensors: Instruments | None = None
    gauges: tuple[Sensor, ...] = ()
    quantities: tuple[Quantity, ...] = ()
    limiters: KitLimiters | None = None
    cab: KitCab | None = None
    site: KitSite = KitSite()
    wind: Weather = Weather()
    aliases: dict[str, str | Many[str]] = Field(default_factory=dict)
    variants: dict[str, dict[str, dict[str, Any]]] = Field(default_factory=dict)

    def current_paths(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Return changes of the file by present paths, of former ones and variants, too, which come
        first.

        Raises SpecError, which lists the known ones, for the value of a variant.
        """
        found: dict[str, Any] = {}
        for path in sorted(changes, key=lambda path: path not in self.variants):
            value = changes[path]
            if path in self.variants:
                known = self.variants[path]
                word = f"{value:g}" if isinstance(value, float) else str(value)
                if word not in known:
                    raise SpecError(f"{path}: must be one of {', '.join(known)}, not {value}")
                found |= known[word]
                continue
            old = next((o for o in self.aliases if f"{path}.".startswith(f"{o}.")), "")
            paths = self.aliases.get(old, path)
            for new in (paths,) if isinstance(paths, str) else paths:
                found[new + path[len(old) :] if old else path] = value
        return found

    @property
    def spreader(self) -> Spreader | None:
        """The spreader that is the first hook; None without one."""
        first = next(iter(self.hooks.values()), None)
        return first.spreader if first else None

    @property
    def magnet(self) -> Magnet | None:
        """The magnet that is the first hook; None without one."""
        first = next(iter(self.hooks.values()), None)
        return first.magnet if first else None

    @property
    def takes_loads(self) -> bool:
        """Return True if the first hook takes loads up by itself: a magnet, or one with parts."""
        first = next(iter(self.hooks), None)
        return self.magnet is not None or any(part.on == first for part in self.parts.values())

    @property
    def load_is_loose(self) -> bool:
        """Return True if nothing holds the load at the start: it stands below the hook, for open
        twistlocks, a magnet or a grab."""
        held = self.rig.slings or self.rig.twistlocks == "locked"
        free = self.rig.twistlocks == "open" or not self.spreader
        return self.rig.load is not None and free and not held

    @property
    def load_body(self) -> str:
        """Name of the load's body."""
        return CONTAINER_BODY if self.spreader else "load"

    @property
    def tied_to(self) -> tuple[str, Vector]:
        """Name and size [m] of the body that a tag line is tied to: the load, or what is empty."""
        if self.rig.load:
            return self.load_body, self.rig.load.size
        name, hook = next(iter(self.hooks.items()))
        return name, hook.size

    @property
    def axis_on(self) -> dict[str, str]:
        """Axis by the name of the joint, rope or wheel that it is on."""
        return {axis.on: name for name, axis in self.axes.items()}

    @property
    def part_on(self) -> dict[str, str]:
        """Part by the name of the joint on which it moves."""
        return {part.joint.name: name for name, part in self.parts.items() if part.joint}

    def hook_mass(self, name: str, full: bool = False) -> float:
        """Return the mass of a hook and its parts [kg], of a ``full`` one with the loose ones."""
        carried = (n for n, p in self.parts.items() if full or not p.loose)
        masses = (self.parts[n].mass or 0.0 for n in carried if root_of(self.parts, n) == name)
        return self.hooks[name].mass + sum(masses)

    def owner(self, name: str) -> Part | Hook:
        """Return the part or hook of a name."""
        return self.parts[name] if name in self.parts else self.hooks[name]

    def section(self, name: str) -> str:
        """Return the section of a part or hook."""
        return "parts" if name in self.parts else "hooks"

    def rated_load(self) -> float | None:
        """Return the largest load of the chart, or of the crane [kg]."""
        return self.chart.q_max if self.chart else self.crane.rated_load
