"""The data sheet of a gantry crane for containers, in a yard or on a quay, and derived values."""

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import model_validator

from cable_sim.cranes.families.gantry.drives import GantryBrakes, GantryDrives
from cable_sim.cranes.families.gantry.limiter_spec import GantryLimiters
from cable_sim.cranes.families.gantry.micro_motion import Wheels
from cable_sim.cranes.families.gantry.pendulum import length_below_head_block, spreader_share
from cable_sim.cranes.families.gantry.surroundings import CONTAINER, Yard
from cable_sim.cranes.family_spec import FamilySpec
from cable_sim.cranes.parts.buffers import Buffer
from cable_sim.cranes.parts.drums import HoistDrum
from cable_sim.cranes.parts.instruments import Instruments
from cable_sim.cranes.parts.joint_friction import RailFriction
from cable_sim.cranes.parts.pendulum import PendulumLength
from cable_sim.cranes.rigging.falling_ropes import ModelledRope
from cable_sim.cranes.rigging.rig import Load, Pair, Rectangle, Sides, TagLine
from cable_sim.spec.quantities import PLAIN, Fraction, NonNegative, Positive, Real, spec
from cable_sim.spec.rope_catalogue import NamedRope
from cable_sim.spec.scene import GRAVITY
from cable_sim.spec.wind import Weather

if TYPE_CHECKING:
    from cable_sim.cranes.crane import Crane

Lay = Literal["right", "left"]
Lays = Annotated[tuple[Lay, Lay, Lay, Lay], PLAIN]

FALLS_PER_ROPE = 2
"""Number of falls of a rope: one down to the head block, one up to its dead end."""
BEAM_SHARE = 0.20
BLOCK_SHARE = 0.75
"""Heights of the centres of mass of spreader and head block, over the sheaves' height above the
twistlocks [-]."""


@spec
class GantryMasses:
    """Masses [kg]: spreader, head block that carries it, trolley, and the gantry without them."""

    spreader: Positive
    head_block: Positive
    trolley: Positive
    gantry: Positive


@spec
class Portal:
    """The crane's dimensions and masses.

    Parameters
    ----------
    type: ``rtg``, rubber-tyred in a yard, or ``sts``, ship-to-shore on a quay; what it looks like.
    span: between the wheels along the girders [m].
    outreach, backreach: of the trolley beyond the wheels, on the side of +x, which is the water's,
        and of -x [m].
    wheel_base: between the legs along the runway [m]; for drawing.
    lift_height: of the twistlocks above the ground when fully raised [m].
    lift_below: of the twistlocks below the ground when fully lowered, into a ship [m].
    rated_load: under the spreader [kg].
    trolley_travel: end stops of the trolley, from the middle of the span [m].
    runway: end stops of the gantry [m].
    wheels: if they turn, for travel along the girders.
    masses: see there.
    """

    type: Literal["rtg", "sts"]
    span: Positive
    lift_height: Positive
    rated_load: Positive
    trolley_travel: Pair
    masses: GantryMasses
    wheel_base: Positive = 8.0
    runway: Pair = (-60.0, 60.0)
    wheels: Wheels | None = None
    outreach: NonNegative = 0.0
    backreach: NonNegative = 0.0
    lift_below: NonNegative = 0.0

    @property
    def reach(self) -> tuple[float, float]:
        """Return the range of the trolley on the girders, from the middle of the span [m]."""
        return -0.5 * self.span - self.backreach, 0.5 * self.span + self.outreach

    @model_validator(mode="after")
    def _check_consistency(self) -> "Portal":
        first, last = self.reach
        low, high = self.trolley_travel
        if not first <= low < high <= last:
            raise ValueError(
                f"trolley_travel: must increase and stay on the girders between {first:g} and "
                f"{last:g}, span and "
                f"reaches, not {low:g} ... {high:g}"
            )
        if not self.runway[0] < self.runway[1]:
            raise ValueError(
                f"runway: must increase, not {self.runway[0]:g} ... {self.runway[1]:g}"
            )
        return self


@spec
class FourRopeReeving(ModelledRope):
    """Reeving of the four hoist ropes: drum on the trolley, trolley sheave, head block, dead end on
    the trolley.

    Parameters
    ----------
    trolley_spacing: between the ropes at the trolley, along the girders and along the runway [m];
        that of the middle of each rope's two falls, which hang a sheave diameter apart along the
        runway.
    head_block_spacing: the same at the head block. Equal spacings let the head block move as the
        coupler of a parallelogram; with others it tilts when it sways, and resists skew more or
        less.
    sheave_diameter: pitch diameter of all sheaves [m].
    sheave_efficiency: tension after over tension before a running sheave [-].
    lay: of the ropes, anticlockwise from above, the one at +x, +y first.
    design_factor: breaking force over tension at rated load that the ropes shall have [-], a
        warning if they have less.
    cd: drag coefficient of the ropes [-]; 0 for ones that the wind does not know.
    """

    trolley_spacing: Rectangle
    head_block_spacing: Rectangle
    sheave_diameter: Positive
    sheave_efficiency: Fraction
    lay: Lays = ("right", "left", "right", "left")
    design_factor: Positive = 5.0
    cd: NonNegative = 0.0

    @model_validator(mode="after")
    def _check_consistency(self) -> "FourRopeReeving":
        for name in ("trolley_spacing", "head_block_spacing"):
            along = getattr(self, name)[1]
            if along <= self.sheave_diameter:
                raise ValueError(
                    f"{name}: the second must be above the sheave_diameter of "
                    f"{self.sheave_diameter:g}, not {along:g}"
                )
        return self


@spec
class GantryLimits:
    """Limits of the motions.

    Parameters
    ----------
    a2b_distance: least distance of head block and trolley sheaves [m].
    trolley_buffer, gantry_buffer: at both ends of their ways; left out, hard stops.
    """

    a2b_distance: Positive
    trolley_buffer: Buffer | None = None
    gantry_buffer: Buffer | None = None


@spec
class Spreader:
    """Spreader and head block.

    Parameters
    ----------
    size: in plan [m].
    height: of the sheaves above the twistlocks [m].
    cd: drag coefficient of both [-]; 0 for ones that the wind does not know.
    areas: that the wind finds along the girders, along the runway and from above [m^2].
    """

    size: Rectangle = CONTAINER[:2]
    height: Positive = 1.6
    cd: NonNegative = 0.0
    areas: Sides = (6.0, 2.0, 10.0)


@spec
class GantryStart:
    """Initial state of the crane.

    Parameters
    ----------
    trolley, gantry: their coordinates [m].
    state: ``on_ground``, the load on what is below it and the ropes tight with the spreader's
        weight; or ``hanging``.
    depth: of the twistlocks below the trolley sheaves when hanging [m].
    """

    trolley: Real = 0.0
    gantry: Real = 0.0
    state: Literal["on_ground", "hanging"] = "on_ground"
    depth: Positive = 12.0


@spec
class ContainerLoad(Load):
    """A box whose centre of mass need not be in its middle.

    Parameters
    ----------
    offset: of the centre of mass from the middle, along the girders and along the runway [m]. Half
        of the mass is then cargo, a body of its own that stands twice as far from the middle.
    """

    offset: Pair = (0.0, 0.0)

    @model_validator(mode="after")
    def _check_inside(self) -> "ContainerLoad":
        for part, at, side in zip("xy", self.offset, self.size[:2], strict=True):
            if abs(at) > 0.2 * side:
                raise ValueError(
                    f"offset: its {part} must be within {-0.2 * side:g} ... {0.2 * side:g}, not "
                    f"{at:g}"
                )
        return self


@spec
class ContainerRig:
    """Rig under the ropes, and its initial state.

    Without ``load`` the spreader is empty, and any tag line is on it.

    ``twistlocks`` that turn are ``locked`` at the start, or ``open``: then the container stands by
    itself, and the spreader hangs over it at ``start.depth``. With them spreader, container and
    stacks are boxes that touch. Left out, they hold the container for good, and it stands on the
    tops of stacks alone, which costs less.
    """

    load: ContainerLoad | None = None
    spreader: Spreader = Spreader()
    start: GantryStart = GantryStart()
    tag_line: TagLine | None = None
    twistlocks: Literal["locked", "open"] | None = None

    @model_validator(mode="after")
    def _check_consistency(self) -> "ContainerRig":
        if self.twistlocks and self.load is None:
            raise ValueError(
                f"twistlocks: {self.twistlocks!r} needs a load; give one, or leave twistlocks out"
            )
        if self.twistlocks == "open" and self.start.state != "on_ground":
            raise ValueError(
                f"twistlocks: 'open' needs start.state 'on_ground', not {self.start.state!r}"
            )
        return self


@spec
class GantryCrane(FamilySpec):
    """A gantry crane file; one field for each of its sections."""

    crane: Portal
    hoist_rope: NamedRope
    reeving: FourRopeReeving
    drum: HoistDrum
    drives: GantryDrives
    brake: GantryBrakes
    limits: GantryLimits
    rig: ContainerRig
    friction: RailFriction = RailFriction()
    site: Yard = Yard()
    wind: Weather = Weather()
    sensors: Instruments | None = None
    limiters: GantryLimiters | None = None

    def start_fields(self) -> Mapping[str, str]:
        """Return the fields of ``rig.start`` by axis."""
        return {"hoist": "depth", "trolley": "trolley", "gantry": "gantry"}

    def load_changes(self, mass: float) -> dict[str, Any]:
        """Return the changes for a load [kg]; 0 is an empty spreader."""
        return {"rig.load.mass": mass} if mass else {"rig.load": None}

    def pendulum(self, crane: "Crane") -> PendulumLength:
        """Return the length of the pendulum below the head block."""
        return length_below_head_block(crane)

    def camera_share(self, crane: "Crane") -> Callable[[float], float]:
        """Return a camera's reading of the spreader over the slope of the falls [-], of the hoist's
        coordinate [m]."""
        return spreader_share(crane)

    def rated_load(self) -> float:
        """Return the rated load [kg]."""
        return self.crane.rated_load

    @property
    def load_centre(self) -> tuple[float, float]:
        """Centre of mass of spreader and load from the middle, along the girders and along the
        runway [m]."""
        share = self.load_mass / (self.load_mass + self.spreader_mass)
        x, y = self.rig.load.offset if self.rig.load else (0.0, 0.0)
        return share * x, share * y

    def load_share(self, corner: tuple[float, float]) -> float:
        """Tension of the rope at a corner (signs of x and y) over the mean, with the load off the
        ground [-].

        It is ``1 + x / a + y / b`` with the :attr:`load_centre` and half spacings a and b at the
        corner's signs. These forces depend linearly on the place, as of a stiff spreader on equal
        ropes, and are in balance with the weight.
        """
        sides = zip(self.load_centre, corner, self.reeving.head_block_spacing, strict=True)
        return 1.0 + sum(at * sign / (0.5 * side) for at, sign, side in sides)

    @property
    def n_falls(self) -> int:
        """Parts of line that carry the head block."""
        return FALLS_PER_ROPE * len(self.reeving.lay)

    @property
    def sheave_height(self) -> float:
        """Height of the trolley sheaves above the ground [m]."""
        return self.crane.lift_height + self.rig.spreader.height + self.limits.a2b_distance

    @property
    def spreader_mass(self) -> float:
        """Mass of spreader and head block [kg]."""
        return self.crane.masses.spreader + self.crane.masses.head_block

    @property
    def spreader_centre(self) -> float:
        """Height of the common centre of mass of spreader and head block above the twistlocks
        [m]."""
        masses = self.crane.masses
        height = self.rig.spreader.height
        return (
            (masses.spreader * BEAM_SHARE + masses.head_block * BLOCK_SHARE)
            * height
            / self.spreader_mass
        )

    @property
    def load_mass(self) -> float:
        """Mass of container and cargo [kg]; 0 when the spreader is empty."""
        return self.rig.load.mass if self.rig.load else 0.0

    @property
    def depth_range(self) -> tuple[float, float]:
        """Least and largest depth of the twistlocks below the trolley sheaves [m]: limit switch,
        and ground or ship."""
        return (
            self.limits.a2b_distance + self.rig.spreader.height,
            self.sheave_height + self.crane.lift_below,
        )

    @property
    def support_height(self) -> float:
        """Height of the support below the load at the start [m]."""
        return self.site.support_height(self.rig.start.trolley, self.rig.start.gantry)

    @property
    def depth_start(self) -> float:
        """Depth of the twistlocks below the trolley sheaves at the start [m].

        A standing load has sunk in by its weight over the stiffness of four corners.
        """
        if (
            self.rig.start.state == "hanging"
            or self.rig.load is None
            or self.rig.twistlocks == "open"
        ):
            return self.rig.start.depth
        return self.sheave_height - self.top_standing

    @property
    def top_standing(self) -> float:
        """Height of the top of a load that stands on what is below it at the start [m]."""
        if self.rig.load is None:
            return self.support_height
        sinking = self.rig.load.mass * GRAVITY / (4.0 * self.site.ground.stiffness)
        return self.support_height - sinking + self.rig.load.size[2]

    @property
    def pull_rated(self) -> float:
        """Sum of the four ropes' tensions at the drum at rated load [N]."""
        return (self.crane.rated_load + self.spreader_mass) * GRAVITY / FALLS_PER_ROPE

    @property
    def winch_mass(self) -> float:
        """Inertia of the hoist as seen at the ropes [kg]: ``J (omega / v)^2``, which their sum
        accelerates."""
        return self.drives.hoist.inertia_at_rope(FALLS_PER_ROPE * self.drives.hoist.v_empty)

    @property
    def hoist_speed(self) -> float:
        """Speed that the motor's power allows with the load that is on [m/s]: the lighter it is,
        the faster."""
        hoist = self.drives.hoist
        rated = self.crane.rated_load + self.spreader_mass
        return min(hoist.v_empty, hoist.v_rated * rated / (self.load_mass + self.spreader_mass))

    @property
    def travel_speed(self) -> float:
        """Speed of the gantry with the load that is on [m/s]."""
        return self.drives.gantry.v_rated if self.rig.load else self.drives.gantry.v_empty

    @property
    def rope_damping_time(self) -> float:
        """Damping over stiffness of the hoist ropes [s], for their damping ratio zeta at rated
        load, at half lift.

        ``gamma = 2 zeta / omega`` with ``omega = sqrt(n EA / (h m))``: n falls, each as stiff as
        rope of its length h.
        """
        mass = self.crane.rated_load + self.spreader_mass
        height = 0.5 * self.crane.lift_height
        omega = math.sqrt(self.n_falls * self.hoist_rope.ea / (height * mass))
        return 2.0 * self.hoist_rope.damping_ratio / omega

    @property
    def fall_damping(self) -> float:
        """Damping b of a fall's oscillation across [1/s], for the ropes' damping ratio at rated
        load and half lift.

        ``b = 2 zeta omega`` with zeta and the string's first mode ``omega = (pi / h) sqrt(T /
        m')``.
        """
        tension = self.pull_rated / len(self.reeving.lay)
        omega = (
            2.0
            * math.pi
            / self.crane.lift_height
            * math.sqrt(tension / self.hoist_rope.mass_per_metre)
        )
        return 2.0 * self.hoist_rope.damping_ratio * omega

    @model_validator(mode="after")
    def _check_consistency(self) -> "GantryCrane":
        self._check_place()
        self._check_depth()
        self._check_pulls()
        names = ["ground", "hold", *(stack.name for stack in self.site.stacks)]
        if len(set(names)) < len(names):
            raise ValueError(
                "site.stacks: names must differ from each other and from 'ground' and 'hold'"
            )
        return self

    def _check_place(self) -> None:
        """Refuse a start beyond the end stops."""
        start = self.rig.start
        crane = self.crane
        for name, (low, high) in (("trolley", crane.trolley_travel), ("gantry", crane.runway)):
            if not low <= getattr(start, name) <= high:
                raise ValueError(
                    f"rig.start.{name}: must be within {low:g} ... {high:g}, not "
                    f"{getattr(start, name):g}"
                )

    def _check_depth(self) -> None:
        """Refuse a start above the limit switch, or below what the load would stand on."""
        start = self.rig.start
        load = self.rig.load
        if load is None and start.state == "on_ground":
            raise ValueError(
                "rig.start.state: an empty spreader starts hanging, not 'on_ground'; or give a "
                "rig.load"
            )
        top = self.depth_range[0]
        depth = self.depth_start
        bottom = self.sheave_height - self.support_height - (load.size[2] if load else 0.0)
        stands = start.state == "on_ground" and self.rig.twistlocks != "open"
        if stands and depth < top:
            raise ValueError(
                f"rig.load: is too high for the raised spreader: its top is {depth:g} m below "
                f"the trolley sheaves, and has to be {top:g} m or more"
            )
        if not stands and not top <= depth <= bottom:
            raise ValueError(
                f"rig.start.depth: must be within {top:g} (limit switch) ... {bottom:g} (on what "
                f"is below), not {depth:g}"
            )

    def _check_pulls(self) -> None:
        """Refuse a centre of mass by which a rope would be slack."""
        if min(self.load_share((a, b)) for a in (1.0, -1.0) for b in (1.0, -1.0)) <= 0.0:
            x, y = self.load_centre
            raise ValueError(
                f"rig.load.offset: puts the centre of load and spreader at ({x:.3g}, {y:.3g}) m, "
                "where a rope would be slack; nearer to the middle of the ropes, which are "
                f"{self.reeving.head_block_spacing} m apart"
            )
