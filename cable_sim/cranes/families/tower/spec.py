"""The data sheet of a tower crane with a saddle jib, and values derived from it."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from pydantic import StrictBool, model_validator

from cable_sim.cranes.families.tower.structure import Flexibility
from cable_sim.cranes.family_spec import FamilySpec
from cable_sim.cranes.parts.axes import Motion
from cable_sim.cranes.parts.buffers import Buffer
from cable_sim.cranes.parts.drives import Brakes, GearedHoist, TrolleyDrive
from cable_sim.cranes.parts.drums import HoistDrum
from cable_sim.cranes.parts.instruments import Instruments, LoadLimiters
from cable_sim.cranes.parts.joint_friction import SlewingFriction
from cable_sim.cranes.parts.levers import DriveControl
from cable_sim.cranes.parts.load_chart import FallsChart, RatedChart
from cable_sim.cranes.parts.pendulum import (
    PendulumLength,
    Rods,
    below_hook,
    bodies_of,
    falls_stiffness,
)
from cable_sim.cranes.rigging.falling_ropes import ModelledRope
from cable_sim.cranes.rigging.reeving_checks import check_path
from cable_sim.cranes.rigging.rig import Load, Pair, Site, Slings, TagLine, stand_on
from cable_sim.cranes.rigging.tackle import Path
from cable_sim.spec.quantities import Fraction, NonNegative, Positive, Real, Vector, spec
from cable_sim.spec.rope_catalogue import NamedRope
from cable_sim.spec.scene import GRAVITY
from cable_sim.spec.wind import Weather

if TYPE_CHECKING:
    from cable_sim.cranes.crane import Crane


@spec
class Masses:
    """Masses [kg]: trolley, hook block on 2 and on 4 falls, and all that slews (jib, ballast, tower
    head)."""

    trolley: Positive
    hook_block_2: Positive
    hook_block_4: Positive
    slewing_part: Positive = 45000.0


@spec
class WindAreas:
    """Wind areas of the slewing part from the side: drag coefficient times area [m^2].

    Parameters
    ----------
    jib: [m^2], spread evenly from the slewing axis to the end of the chart.
    counter_jib: [m^2], with ballast, which is most of it: at three quarters of the counter-jib.
    """

    jib: NonNegative = 0.0
    counter_jib: NonNegative = 0.0


@spec
class Structure:
    """The crane's dimensions and masses.

    Parameters
    ----------
    type: the crane family.
    rated_chart: load chart.
    jib_length: radius that the chart goes to [m]; the steel reaches out a fall spacing further.
    counter_jib_length: slewing axis to its end [m]; for drawing and wind.
    radius_limits: of the hook, end stops of the trolley [m].
    hook_height: of the hook above the ground when fully raised [m].
    mast_side: [m]; for drawing.
    masses: see there.
    slewing_inertia_empty: of all that slews, about the slewing axis, without load [kg m^2].
    structure: soft modes of its steel.
    wind_areas: see there; left out, the wind does not turn the crane.
    """

    type: Literal["tower_flat_top"]
    rated_chart: RatedChart
    jib_length: Positive
    radius_limits: Pair
    hook_height: Positive
    mast_side: Positive
    masses: Masses
    slewing_inertia_empty: Positive
    counter_jib_length: Positive = 17.0
    structure: Flexibility = Flexibility()
    wind_areas: WindAreas = WindAreas()

    @model_validator(mode="after")
    def _check_consistency(self) -> "Structure":
        low, high = self.radius_limits
        if not 0.0 < low < high < self.jib_length:
            raise ValueError(
                f"radius_limits: must increase and end before the jib's tip at {self.jib_length}, "
                f"not {low} ... {high}"
            )
        return self


@spec
class Reeving(ModelledRope):
    """Reeving of the hoist rope.

    Parameters
    ----------
    n_falls: parts of line that carry the hook block; checked against the path.
    fall_spacing: along the jib between the falls at the trolley [m].
    sheave_diameter: pitch diameter of all sheaves [m].
    sheave_efficiency: tension after over tension before a running sheave [-].
    rope_outside_falls: level rope on two falls, drum to trolley and trolley to dead end [m]; the
        drum stands that far behind the end of the chart.
    hook_below_axle: from the axle of the block's sheaves down to the hook [m].
    path: nodes from drum to dead end on ``jib``, ``trolley`` and ``hook_block``, in their frames, a
        ``wheel`` for two of them; left out, that of a saddle jib, where moving the trolley does not
        lift the hook.
    design_factor: breaking force over line pull at rated load that the rope shall have [-], a
        warning if it has less; 5 is usual for mechanisms of M5 (EN 13001-3-2 has the exact way).
    swivel: the dead end turns freely about the rope, which then carries no torque and does not turn
        the block. Rope makers allow it for rotation-resistant ropes of three layers (34x7) and for
        no others, which would unlay and lose strength (Union Wire Rope, "Block rotation and rope
        stability"; R. Verreet, "The rotation characteristics of steel wire ropes"); that loss is
        not modelled.
    cd: drag coefficient of rope and hook block [-]; 0 for ones that the wind does not know.
    """

    n_falls: Literal[2, 4]
    fall_spacing: Positive
    sheave_diameter: Positive
    sheave_efficiency: Fraction
    rope_outside_falls: Positive
    hook_below_axle: Positive = 1.0
    path: Path | None = None
    design_factor: Positive = 5.0
    swivel: StrictBool = False
    cd: NonNegative = 0.0

    @property
    def axle_above_block(self) -> float:
        """Height of the block's axle above its centre of mass [m]; the hook below weighs more than
        the cheeks."""
        return 0.4 * self.hook_below_axle

    @model_validator(mode="after")
    def _check_consistency(self) -> "Reeving":
        if self.fall_spacing < self.sheave_diameter:
            least = self.sheave_diameter
            given = self.fall_spacing
            raise ValueError(
                f"fall_spacing: must be the sheave_diameter, {least:g}, or more, not {given:g}"
            )
        return self


@spec
class HoistDrive(GearedHoist):
    """The hoist drive.

    Its ramp is the time from rest to v_max, and its motor_rpm is at rated power.

    Parameters
    ----------
    power: of the motor [W].
    efficiency: motor shaft to rope [-].
    v_max_2, v_max_4: hook speed with little load on 2 and on 4 falls [m/s].
    """

    power: Positive
    efficiency: Fraction
    v_max_2: Positive
    v_max_4: Positive


@spec
class SlewingDrive:
    """The slewing drive: w_max [rad/s], accel [rad/s^2], torque_max [N m], time constant tau [s],
    control."""

    w_max: Positive
    accel: Positive
    torque_max: Positive
    tau: Positive = 0.4
    control: DriveControl = DriveControl()

    def motion(self) -> Motion:
        """Return its largest speed and acceleration, and its control."""
        return Motion(self.w_max, self.accel, self.control)


@spec
class Drives:
    """The three drives."""

    hoist: HoistDrive
    trolley: TrolleyDrive
    slewing: SlewingDrive


@spec
class Brake(Brakes):
    """The brakes of a tower crane: besides the common ones that of slewing [N m]."""

    slewing_torque: Positive


@spec
class Limits:
    """Limits of the motions.

    Parameters
    ----------
    a2b_distance: least distance of block axle and trolley sheaves [m].
    slewing_range_deg: slewing each way [deg].
    trolley_buffer: at both ends of the trolley's way; left out, hard stops.
    """

    a2b_distance: Positive
    slewing_range_deg: Positive = 540.0
    trolley_buffer: Buffer | None = None


@spec
class Start:
    """Initial state of the crane.

    Parameters
    ----------
    radius: of the trolley [m].
    slewing_angle_deg: anticlockwise from above, from the world's x axis [deg].
    state: the load stands on the ground under slack slings, or hangs at rest.
    hook_depth: of the hook below the trolley sheaves when hanging [m].
    """

    radius: Positive = 20.0
    slewing_angle_deg: Real = 0.0
    state: Literal["on_ground", "hanging"] = "on_ground"
    hook_depth: Positive = 40.0


@spec
class Rig:
    """Rig on the hook, its initial state, and any tag line on the load."""

    slings: Slings
    load: Load = Load()
    start: Start = Start()
    tag_line: TagLine | None = None


@spec
class TowerCrane(FamilySpec):
    """A tower crane file; one field for each of its sections."""

    crane: Structure
    hoist_rope: NamedRope
    reeving: Reeving
    drum: HoistDrum
    drives: Drives
    brake: Brake
    limits: Limits
    rig: Rig
    friction: SlewingFriction = SlewingFriction()
    site: Site = Site()
    wind: Weather = Weather()
    sensors: Instruments | None = None
    limiters: LoadLimiters | None = None

    @property
    def chart(self) -> FallsChart:
        """Load chart of the reeving in use."""
        chart = self.crane.rated_chart
        return chart.falls_2 if self.reeving.n_falls == 2 else chart.falls_4

    @property
    def hook_block_mass(self) -> float:
        """Mass of the hook block in use [kg]."""
        masses = self.crane.masses
        return masses.hook_block_2 if self.reeving.n_falls == 2 else masses.hook_block_4

    @property
    def sheave_height(self) -> float:
        """Height of the trolley sheaves, the drum and the level rope above the ground [m]."""
        return self.crane.hook_height + self.limits.a2b_distance + self.reeving.hook_below_axle

    @property
    def hook_depth_range(self) -> tuple[float, float]:
        """Least and largest depth of the hook below the trolley sheaves [m]: limit switch and
        ground."""
        return self.limits.a2b_distance + self.reeving.hook_below_axle, self.sheave_height

    @property
    def hook_depth_start(self) -> float:
        """Depth of the hook below the trolley sheaves at the start [m]."""
        start = self.rig.start
        rig = self.rig
        if start.state == "hanging":
            return start.hook_depth
        return (
            self.sheave_height
            - stand_on(self.support_height, rig.load, rig.slings, self.site.ground).hook
        )

    @property
    def support_height(self) -> float:
        """Height of the support below the load at the start [m]."""
        radius = self.rig.start.radius
        angle = math.radians(self.rig.start.slewing_angle_deg)
        return self.site.support_height(radius * math.cos(angle), radius * math.sin(angle))

    @property
    def line_pull_rated(self) -> float:
        """Rope tension at rated capacity, the larger of both reevings [N]: ``(q_max + m_block) g /
        n``."""
        chart = self.crane.rated_chart
        masses = self.crane.masses
        two = (chart.falls_2.q_max + masses.hook_block_2) / 2.0
        four = (chart.falls_4.q_max + masses.hook_block_4) / 4.0
        return max(two, four) * GRAVITY

    @property
    def rope_speed_rated(self) -> float:
        """Rope speed at rated power and line pull [m/s]: ``P eta / F``."""
        return self.drives.hoist.power * self.drives.hoist.efficiency / self.line_pull_rated

    @property
    def winch_mass(self) -> float:
        """Inertia of the hoist as seen at the rope [kg]: ``J (omega / v)^2`` at rated speed."""
        return self.drives.hoist.inertia_at_rope(self.rope_speed_rated)

    @property
    def hook_speed_max(self) -> float:
        """Hook speed with little load [m/s]."""
        return self.drives.hoist.v_max_2 if self.reeving.n_falls == 2 else self.drives.hoist.v_max_4

    def hook_speed(self, mass: float) -> float:
        """Hook speed that the motor's power allows with such a load [m/s]: ``P eta / ((m + m_block)
        g)``."""
        hoist = self.drives.hoist
        return min(
            self.hook_speed_max,
            hoist.power * hoist.efficiency / ((mass + self.hook_block_mass) * GRAVITY),
        )

    @property
    def rope_damping_time(self) -> float:
        """Damping over stiffness of the hoist rope [s], for its damping ratio zeta at rated load,
        40 m below the jib.

        ``gamma = 2 zeta / omega`` with ``omega = n sqrt(EA / (L m))``, where L is the rope outside
        the falls plus n times 40 m and m the rated load with the hook block.
        """
        n = self.reeving.n_falls
        length = self.reeving.rope_outside_falls + n * 40.0
        omega = n * math.sqrt(
            self.hoist_rope.ea / (length * (self.chart.q_max + self.hook_block_mass))
        )
        return 2.0 * self.hoist_rope.damping_ratio / omega

    def start_fields(self) -> Mapping[str, str]:
        """Return the fields of ``rig.start`` by axis."""
        return {"hoist": "hook_depth", "trolley": "radius", "slewing": "slewing_angle_deg"}

    def pendulum(self, crane: "Crane") -> PendulumLength:
        """Return the length of the pendulum of two rods: falls with the block down to the hook, and
        slings with the load."""
        block, load = bodies_of(crane, "hook_block", "load")
        weight = GRAVITY * (block.mass + load.mass)
        above = self.reeving.hook_below_axle - self.reeving.axle_above_block
        below = self.rig.slings.height + 0.5 * self.rig.load.size[2]

        def length(hoist: float, across: bool = False) -> float:
            hook = hoist + weight / falls_stiffness(crane, hoist)
            return below_hook(block, load, Rods(hook - above, hook, below), across)

        return length

    def rated_load(self) -> float:
        """Return the largest load of the reeving in use [kg]."""
        return self.chart.q_max

    def capacity_at_start(self) -> float:
        """Return what the chart allows at the radius at which the trolley starts [kg]."""
        return self.rated_capacity(self.rig.start.radius)

    def reach(self, mass: float) -> float:
        """Return the largest radius at which a load [kg] may be carried [m]."""
        return self.chart.reach(mass)

    def hook_point(self) -> Vector:
        """Return the hook in the frame of ``hook_block`` [m]."""
        return (0.0, 0.0, self.reeving.axle_above_block - self.reeving.hook_below_axle)

    def beam_changes(
        self, mass: float, size: float, lug: Vector, sling: float
    ) -> dict[str, Any] | None:
        """Return the changes of the file, by path, with which the hook shares a beam.

        It is a ``sling`` [m] above the ``lug``, a point in the crane's frame [m]. The share [kg] is
        a cube of the ``size`` [m].
        """
        x, y, z = lug
        return {
            "rig.load.mass": mass,
            "rig.load.size": (size, size, size),
            "rig.slings.height": size,
            "rig.tag_line": None,
            "rig.start.state": "hanging",
            "rig.start.radius": math.hypot(x, y),
            "rig.start.slewing_angle_deg": math.degrees(math.atan2(y, x)),
            "rig.start.hook_depth": self.sheave_height - z - sling,
        }

    def rated_capacity(self, radius: float) -> float:
        """Largest load that may be lifted at a radius with the reeving in use [kg]."""
        return self.chart.capacity(radius)

    @model_validator(mode="after")
    def _check_consistency(self) -> "TowerCrane":
        if self.reeving.path:
            check_path(self.reeving.path, self.reeving.n_falls, ("jib", "trolley", "hook_block"))
        start = self.rig.start
        low, high = self.crane.radius_limits
        if not low <= start.radius <= high:
            raise ValueError(
                f"rig.start.radius: must be within the radius limits {low} ... {high}, not "
                f"{start.radius}"
            )
        limit = self.limits.slewing_range_deg
        if abs(start.slewing_angle_deg) > limit:
            raise ValueError(
                f"rig.start.slewing_angle_deg: must be within -{limit} ... {limit}, not "
                f"{start.slewing_angle_deg}"
            )
        depth = self.hook_depth_start
        top = self.hook_depth_range[0]
        bottom = (
            self.sheave_height
            - self.rig.slings.height
            - self.rig.load.size[2]
            - self.support_height
        )
        if start.state == "hanging" and not top <= depth <= bottom:
            raise ValueError(
                f"rig.start.hook_depth: must be within {top:g} (limit switch) ... {bottom:g} "
                f"(load on its support), not {depth:g}"
            )
        if start.state == "on_ground" and depth < top:
            raise ValueError(
                "rig.load.size: is too high to stand under the raised hook, which would be "
                f"{depth:g} m below the "
                f"trolley sheaves; {top:g} m is the least"
            )
        names = ["ground", *(platform.name for platform in self.site.platforms)]
        if len(set(names)) < len(names):
            raise ValueError("site.platforms: names must differ from each other and from 'ground'")
        return self
