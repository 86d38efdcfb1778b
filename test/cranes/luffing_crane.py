"""A tower crane with a luffing jib: a family of cranes outside of the package, on one fall.

Frame: x outward, z up, the slewing axis along z through the origin. The rope comes from a drum
behind the jib's hinge and hangs from the jib's tip.
"""

import math
from typing import Literal

from cable_sim.cranes.crane import Axis, Cab, Crane, Suspension
from cable_sim.cranes.families.kit.words.site import KitSite
from cable_sim.cranes.family_spec import FamilySpec
from cable_sim.cranes.parts.levers import DriveControl
from cable_sim.cranes.rigging.rig import Load, Pair, Slings, hang_from, load_body, sling_cables
from cable_sim.spec import Anchor, Body, Box, Cable, Drive, Eye, Joint, Scene, Winch
from cable_sim.spec.cables.rope_catalogue import NamedRope
from cable_sim.spec.quantities import Positive, Vector, spec
from cable_sim.spec.scene import GRAVITY

FILE = """
crane:
  type: luffing_jib
  jib_length: 50.0
  hinge_height: 40.0
  jib_mass: 12000.0
  hook_block: 400.0
  slewing_inertia: 4.0e+6
  luffing_range_deg: [15.0, 85.0]
hoist_rope: 24mm 34x7 1960
drives:
  hoist: {v_max: 1.0, accel: 0.5, effort: 2.0e+5}
  luffing: {v_max: 0.02, accel: 0.01, effort: 2.0e+7}
  slewing: {v_max: 0.07, accel: 0.02, effort: 5.0e+6}
rig:
  slings: {height: 4.0, rope: 20mm 6x36 1960}
  load: {mass: 4000.0}
"""
DRUM: Vector = (-2.0, 0.0, 2.0)
"""The drum in the frame of the tower's head [m]."""
AXLE, HOOK = 0.4, -0.5
"""Heights of the rope's end and of the hook over the block's centre of mass [m]."""


@spec
class Structure:
    """Dimensions [m], masses [kg], and moment of inertia of the head about z [kg m^2]."""

    type: Literal["luffing_jib"]
    jib_length: Positive
    hinge_height: Positive
    jib_mass: Positive
    hook_block: Positive
    slewing_inertia: Positive
    luffing_range_deg: Pair


@spec
class AxisDrive:
    """A drive: v_max [m/s, rad/s], accel per second, effort [N, N m], time constant tau [s]."""

    v_max: Positive
    accel: Positive
    effort: Positive
    tau: Positive = 0.2
    control: DriveControl = DriveControl()


@spec
class Drives:
    """The three drives."""

    hoist: AxisDrive
    luffing: AxisDrive
    slewing: AxisDrive


@spec
class Start:
    """Luffing angle [deg], and depth of the hook below the jib's tip [m], at time zero."""

    luffing_deg: Positive = 45.0
    depth: Positive = 20.0


@spec
class Rig:
    """What is on the hook, and how it starts."""

    slings: Slings
    load: Load = Load()
    start: Start = Start()


@spec
class LuffingCrane(FamilySpec):
    """The file of such a crane. It answers nothing for itself."""

    crane: Structure
    hoist_rope: NamedRope
    drives: Drives
    rig: Rig
    site: KitSite = KitSite()

    @property
    def angle(self) -> float:
        """Luffing angle at the start [rad]."""
        return math.radians(self.rig.start.luffing_deg)

    @property
    def tip(self) -> Vector:
        """The jib's tip at the start [m]."""
        crane = self.crane
        out, up = (crane.jib_length * turn(self.angle) for turn in (math.cos, math.sin))
        return (out, 0.0, crane.hinge_height + up)


def build_luffing(file: LuffingCrane, name: str = "luffing") -> Crane:
    """Return the crane of a file, the load at rest."""
    scene = Scene(
        name=name,
        bodies=_bodies(file),
        joints=_joints(file),
        cables=(
            _rope(file),
            *sling_cables(file.rig.load, file.rig.slings, "hook_block", (0, 0, HOOK)),
        ),
        drives=_drives(file),
        surfaces=file.site.surfaces(),
    )
    tip = (0.5 * file.crane.jib_length, 0.0, 0.0)
    hung = Suspension("tower_head", "jib", "hook_block", "load", 1, trolley_point=tip)
    return Crane(
        name=name,
        family="luffing_crane",
        scene=scene,
        axes=_axes(file),
        ropes=("hoist_rope",),
        watched="load",
        suspensions=(hung,),
        cab=Cab("tower_head", (1.0, -1.5, 0.0)),
        details=file,
    )


def _bodies(file: LuffingCrane) -> tuple[Body, ...]:
    """Head of the tower, jib, block and load."""
    crane, (x, _, z), top = file.crane, file.tip, file.crane.hinge_height
    hook = z - file.rig.start.depth
    load = hang_from(hook, file.rig.load, file.rig.slings).load
    across = crane.jib_mass * crane.jib_length**2 / 12.0
    turn = (math.cos(-0.5 * file.angle), 0.0, math.sin(-0.5 * file.angle), 0.0)
    middle = (0.5 * x, 0.0, 0.5 * (top + z))
    return (
        Body("tower_head", 2e4, (8e4, 8e4, crane.slewing_inertia), position=(0.0, 0.0, top)),
        Body("jib", crane.jib_mass, (0.01 * across, across, across), None, middle, turn),
        Body(
            "hook_block",
            crane.hook_block,
            Box(0.6, 0.4, 1.2).inertia(crane.hook_block),
            position=(x, 0.0, hook - HOOK),
        ),
        load_body(file.rig.load, (x, 0.0, load), (1.0, 0.0, 0.0, 0.0)),
    )


def _joints(file: LuffingCrane) -> tuple[Joint, ...]:
    """Slewing ring, and the jib's hinge."""
    hinge = (0.0, 0.0, file.crane.hinge_height)
    low, high = (math.radians(angle) for angle in file.crane.luffing_range_deg)
    return (
        Joint("slewing", "hinge", "tower_head", point=hinge),
        Joint(
            "luffing",
            "hinge",
            "jib",
            "tower_head",
            point=hinge,
            axis=(0.0, -1.0, 0.0),
            position=file.angle,
            lower=low,
            upper=high,
        ),
    )


def _rope(file: LuffingCrane) -> Cable:
    """The hoist rope, as tight as block and load need."""
    weight = (file.crane.hook_block + file.rig.load.mass) * GRAVITY
    tip = (0.5 * file.crane.jib_length, 0.0, 0.0)
    return Cable(
        "hoist_rope",
        (Anchor("tower_head", DRUM), Eye("jib", tip), Anchor("hook_block", (0.0, 0.0, AXLE))),
        rope=file.hoist_rope,
        pretension=weight,
        damping_time=0.01,
        winch=Winch("hoist_winch", 3e4),
    )


def _drives(file: LuffingCrane) -> tuple[Drive, ...]:
    """Drives of the hinges and of the drum; closed, their brakes hold what they can give."""
    drives, on = file.drives, {"slewing": "slewing", "luffing": "luffing", "hoist": "hoist_winch"}
    return tuple(
        Drive(
            name,
            where,
            max_effort=(drive := getattr(drives, name)).effort,
            max_speed=drive.v_max,
            brake_effort=drive.effort,
            **drive.control.of(drive.accel, drive.tau),
        )
        for name, where in on.items()
    )


def _axes(file: LuffingCrane) -> tuple[Axis, ...]:
    """The three motions; the hoist reads the depth of the hook below the tip."""
    drives, (x, _, z) = file.drives, file.tip
    low, high = (math.radians(angle) for angle in file.crane.luffing_range_deg)
    to_tip = math.dist((DRUM[0], z, DRUM[2] + file.crane.hinge_height), (x, z, z))
    turns = {"slewing": (-9.4, 9.4, "anticlockwise"), "luffing": (low, high, "jib up")}
    hinges = tuple(
        Axis(
            name,
            name,
            name,
            "rad",
            positive,
            lower,
            upper,
            getattr(drives, name).v_max,
            getattr(drives, name).accel,
            "deg/s",
            180.0 / math.pi,
        )
        for name, (lower, upper, positive) in turns.items()
    )
    hoist = Axis(
        "hoist",
        "hoist",
        "hoist",
        "m",
        "paying out",
        2.0,
        file.crane.hinge_height,
        drives.hoist.v_max,
        drives.hoist.accel,
        "m/min",
        -60.0,
        zero=to_tip + HOOK - AXLE,
        reading="hook below tip",
        control=drives.hoist.control,
    )
    return (*hinges, hoist)
