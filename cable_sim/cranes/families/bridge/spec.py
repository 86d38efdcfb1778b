"""The file of a bridge crane on one rope, from laboratory to workshop, and derived values."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, StrictBool, model_validator

from cable_sim.cranes.family_spec import FamilySpec
from cable_sim.cranes.parts.axes import Motion
from cable_sim.cranes.parts.drives import TrolleyDrive
from cable_sim.cranes.parts.drums import HoistDrum
from cable_sim.cranes.parts.joint_friction import RailFriction
from cable_sim.cranes.parts.levers import DriveControl
from cable_sim.cranes.parts.pendulum import (
    PendulumLength,
    bodies_of,
    falls_stiffness,
    length_below_axle,
)
from cable_sim.cranes.rigging.falling_ropes import ModelledRope
from cable_sim.cranes.rigging.reeving_checks import check_path
from cable_sim.cranes.rigging.rig import Ground, Pair
from cable_sim.cranes.rigging.tackle import Path, tackle_path
from cable_sim.spec.quantities import Fraction, NonNegative, Positive, Real, spec
from cable_sim.spec.rope_catalogue import NamedRope
from cable_sim.spec.scene import GRAVITY

if TYPE_CHECKING:
    from cable_sim.cranes.crane import Crane


@spec
class BridgeMasses:
    """Masses [kg]: the trolley, and the bridge that carries it along y, which is needed if it
    travels."""

    trolley: Positive
    bridge: Positive | None = None


@spec
class Bridge:
    """The crane's dimensions and masses.

    Parameters
    ----------
    type: the crane family.
    height: of the rope at the trolley above the ground [m].
    trolley_travel: end stops of the trolley along x [m].
    bridge_travel: end stops of the bridge along y [m]; left out, the bridge stands.
    rated_load: on the rope, with the block [kg].
    masses: see there.
    """

    type: Literal["bridge"]
    height: Positive
    trolley_travel: Pair
    rated_load: Positive
    masses: BridgeMasses
    bridge_travel: Pair | None = None

    @model_validator(mode="after")
    def _check_consistency(self) -> "Bridge":
        for name in ("trolley_travel", "bridge_travel"):
            travel = getattr(self, name)
            if travel and not travel[0] < travel[1]:
                raise ValueError(f"{name}: must increase, not {travel[0]:g} ... {travel[1]:g}")
        if self.bridge_travel and self.masses.bridge is None:
            raise ValueError(
                "masses.bridge: is needed with bridge_travel; it is the mass that travels [kg]"
            )
        return self


@spec
class TackleReeving(ModelledRope):
    """Reeving of the hoist rope between trolley and block.

    Parameters
    ----------
    n_falls: parts of line that carry the block, 1 to 16; checked against the path.
    sheave_diameter: pitch diameter of all sheaves [m].
    sheave_efficiency: tension after over tension before a running sheave [-].
    lead: level rope from the drum to the sheave over the first fall [m]; 0 is a drum over the first
        fall.
    path: nodes from drum to dead end on ``trolley`` and ``hook_block``, in their frames, a
        ``wheel`` for two of them; left out, wheels side by side in both blocks.
    swivel: the dead end turns freely about the rope, which then carries no torque.
    design_factor: breaking force over line pull at rated load that the rope shall have [-].
    """

    n_falls: Annotated[int, Field(strict=True, ge=1, le=16)] = 1
    sheave_diameter: Positive = 0.05
    sheave_efficiency: Fraction = 1.0
    lead: NonNegative = 0.0
    path: Path | None = None
    swivel: StrictBool = True
    design_factor: Positive = 5.0


@spec
class RopeHoist:
    """The hoist drive.

    Parameters
    ----------
    v_max, accel: of the block [m/s], [m/s^2].
    pull_max: of the rope at the drum [N].
    rotor_mass: inertia of drum and drive as seen at the rope [kg].
    tau: time constant of the speed loop [s].
    control: see there.
    """

    v_max: Positive
    accel: Positive
    pull_max: Positive
    rotor_mass: Positive
    tau: Positive = 0.1
    control: DriveControl = DriveControl()

    def motion(self) -> Motion:
        """Return its largest speed and acceleration, and its control."""
        return Motion(self.v_max, self.accel, self.control)


@spec
class BridgeDrives:
    """The drives; the bridge has one if it travels."""

    trolley: TrolleyDrive
    hoist: RopeHoist
    bridge: TrolleyDrive | None = None


@spec
class Bob:
    """Suspended mass on the rope, one body.

    Parameters
    ----------
    mass: [kg].
    radius: of the ball [m].
    axle: height of the sheaves' axle, or of the knot, above its middle [m]; 0 with one fall is a
        point on a rope.
    """

    mass: Positive
    radius: Positive
    axle: NonNegative = 0.0


@spec
class BridgeStart:
    """Initial state of the crane: trolley and bridge [m], the axle's depth below the trolley
    [m]."""

    depth: Positive
    trolley: Real = 0.0
    bridge: Real = 0.0


@spec
class BridgeRig:
    """Suspended mass on the rope, and its initial state."""

    bob: Bob
    start: BridgeStart


@spec
class BridgeLimits:
    """Limits of the hoist: least and largest depth of the axle below the trolley [m]."""

    depth: Pair


@spec
class BridgeSite:
    """Surroundings below the crane."""

    ground: Ground = Ground()


@spec
class BridgeCrane(FamilySpec):
    """A bridge crane file; one field for each of its sections."""

    crane: Bridge
    hoist_rope: NamedRope
    drum: HoistDrum
    drives: BridgeDrives
    limits: BridgeLimits
    rig: BridgeRig
    reeving: TackleReeving = TackleReeving()
    friction: RailFriction = RailFriction()
    site: BridgeSite = BridgeSite()

    @property
    def path(self) -> Path:
        """Nodes of the hoist rope from the drum to the dead end."""
        reeving = self.reeving
        return reeving.path or tackle_path(
            reeving.n_falls,
            reeving.sheave_diameter,
            reeving.sheave_efficiency,
            self.rig.bob.axle,
            reeving.lead,
            0.5 * self.drum.pitch_diameter,
        )

    def start_fields(self) -> Mapping[str, str]:
        """Return the fields of ``rig.start`` by axis."""
        return {"hoist": "depth", "trolley": "trolley", "gantry": "bridge"}

    def load_changes(self, mass: float) -> dict[str, Any] | None:
        """Return the changes for a bob [kg]."""
        return {"rig.bob.mass": mass} if mass else None

    def pendulum(self, crane: "Crane") -> PendulumLength:
        """Return the length of the pendulum of the bob on its falls, which stretch; one tied at its
        middle is a point."""
        (bob,) = bodies_of(crane, "hook_block")

        def length(hoist: float, across: bool = False) -> float:
            depth = hoist + bob.mass * GRAVITY / falls_stiffness(crane, hoist)
            return length_below_axle(bob, depth, self.rig.bob.axle, across)

        return length

    @property
    def line_pull_rated(self) -> float:
        """Rope tension at rest under the rated load [N]."""
        return self.crane.rated_load * GRAVITY / self.reeving.n_falls

    @property
    def rope_damping_time(self) -> float:
        """Damping over stiffness of the hoist rope [s], for its damping ratio zeta with this bob at
        its start.

        ``gamma = 2 zeta / omega`` with ``omega = n sqrt(EA / (n h m))`` for n falls of the length
        h.
        """
        falls = self.reeving.n_falls * self.rig.start.depth
        omega = self.reeving.n_falls * math.sqrt(self.hoist_rope.ea / (falls * self.rig.bob.mass))
        return 2.0 * self.hoist_rope.damping_ratio / omega

    @model_validator(mode="after")
    def _check_consistency(self) -> "BridgeCrane":
        if self.reeving.path:
            check_path(self.reeving.path, self.reeving.n_falls, ("trolley", "hook_block"))
        if self.reeving.n_falls > 1 and self.rig.bob.axle == 0.0:
            raise ValueError(
                "rig.bob.axle: must be above 0 with more than one fall, or the block would turn "
                "over"
            )
        if (self.crane.bridge_travel is None) != (self.drives.bridge is None):
            raise ValueError("drives.bridge: goes with crane.bridge_travel; give both or neither")
        start = self.rig.start
        least, most = self.limits.depth
        if not 0.0 < least < most < self.crane.height:
            top = self.crane.height
            raise ValueError(
                f"limits.depth: must increase between 0 and {top:g}, not {least:g} ... {most:g}"
            )
        travels = {
            "trolley": self.crane.trolley_travel,
            "bridge": self.crane.bridge_travel or (0.0, 0.0),
        }
        for name, (low, high) in (travels | {"depth": (least, most)}).items():
            at = getattr(start, name)
            if not low <= at <= high:
                raise ValueError(
                    f"rig.start.{name}: must be within {low:g} ... {high:g}, not {at:g}"
                )
        return self
