"""A rope that a hand holds, from its file to a scene: something to play with.

Frame: x to the right and y away from the viewer, z up. The hand rides on two guides without a look
of their own, so that each of its axes is a prismatic joint with a drive like any other machine's,
and what the rope does to the hand is the effort of those drives. Its coordinates are its place in
the world.
"""

from cable_sim.cranes.crane import Axis, Crane
from cable_sim.cranes.families.held_rope.spec import HAND_RADIUS, HeldRope
from cable_sim.cranes.parts.axes import METRES_PER_SECOND, Motion, straight_axis
from cable_sim.cranes.parts.drawn import WHITE, bars
from cable_sim.cranes.rigging.rig import lay_down
from cable_sim.spec import (
    Anchor,
    Body,
    Cable,
    Drive,
    Ground,
    Joint,
    Loose,
    Lumped,
    Scene,
    Sphere,
    Surface,
    Visual,
)
from cable_sim.spec.quantities import Vector

AXES: tuple[tuple[str, str, Vector, str, str], ...] = (
    ("x", "guide_x", (1.0, 0.0, 0.0), "world", "right, along +x"),
    ("y", "guide_y", (0.0, 1.0, 0.0), "guide_x", "away, along +y"),
    ("z", "hand", (0.0, 0.0, 1.0), "guide_y", "up"),
)
"""Axes: name, moved body, its direction, supporting body, and positive direction in words."""
GUIDE_SHARE = 0.1
"""Mass of a guide over that of the hand [-]. It is not 0, because a body needs mass."""
GLOVE: Vector = (0.93, 0.55, 0.16)


def build_held_rope(spec: HeldRope, name: str = "held_rope") -> Crane:
    """The hand of a file with its rope. Raises SpecError when the parts do not fit together."""
    scene = Scene(
        name=name,
        bodies=_bodies(spec),
        joints=_joints(spec),
        cables=(rope_cable(spec),),
        drives=_drives(spec),
        surfaces=(Surface(point=(0.0, 0.0, spec.ground.height), friction=spec.ground.friction),),
        visuals=(_reach_on_the_ground(spec),),
    )
    return Crane(
        name=name,
        family="held_rope",
        scene=scene,
        axes=_axes(spec),
        ropes=("rope",),
        watched="hand",
        sprung=True,
        details=spec,
    )


def rope_cable(spec: HeldRope) -> Cable:
    """The rope, from a body ``hand`` to its loose end."""
    rope = spec.rope
    floor = spec.ground
    x, y, z = spec.hand.start
    path: tuple[Vector, ...] = ()
    end: Vector = (x + rope.length, y, z)
    if rope.start == "hanging":
        path, end = lay_down(spec.hand.start, rope.length, rope.masses - 1, floor.height)
    made = Lumped(
        rope.masses,
        rope.method,
        density=rope.mass / rope.spacing,
        segment_stiffness=rope.stiffness,
        friction=rope.friction,
        air_friction=rope.air_friction,
        bending=rope.bending,
        largest_step=rope.largest_step,
        ground=Ground(
            (0.0, 0.0, floor.height),
            friction=floor.friction,
            repulsion=floor.repulsion,
            absorption=floor.absorption,
        ),
        path=path,
    )
    return Cable(
        "rope",
        (Anchor("hand"), Loose(end)),
        length=rope.length,
        lumped=made,
        diameter=rope.diameter,
    )


def _bodies(spec: HeldRope) -> tuple[Body, ...]:
    """The guides, and the hand as a ball."""
    ball = Sphere(HAND_RADIUS)
    hand = spec.hand
    guide = GUIDE_SHARE * hand.mass
    return (
        Body("guide_x", guide, ball.inertia(guide), position=hand.start),
        Body("guide_y", guide, ball.inertia(guide), position=hand.start),
        Body("hand", hand.mass, shape=ball, position=hand.start, color=GLOVE),
    )


def _joints(spec: HeldRope) -> tuple[Joint, ...]:
    """The three slides, which end where the reach does."""
    hand = spec.hand
    ends = [getattr(hand.reach, name) for name, *_ in AXES]
    return tuple(
        Joint(
            name, "prismatic", body, parent, hand.start, along, position=at, lower=low, upper=high
        )
        for at, (low, high), (name, body, along, parent, _) in zip(
            hand.start, ends, AXES, strict=True
        )
    )


def _drives(spec: HeldRope) -> tuple[Drive, ...]:
    """A drive for each slide; closed, its brake holds what it can give."""
    hand = spec.hand
    return tuple(
        Drive(
            name,
            name,
            max_effort=hand.max_force,
            max_speed=hand.max_speed,
            max_acceleration=hand.max_acceleration,
            brake_effort=hand.max_force,
            damping_time=hand.tau,
        )
        for name, *_ in AXES
    )


def _axes(spec: HeldRope) -> tuple[Axis, ...]:
    """The three motions, in m/s."""
    hand = spec.hand
    motion = Motion(hand.max_speed, hand.max_acceleration)
    return tuple(
        straight_axis(
            name,
            positive,
            getattr(hand.reach, name),
            motion,
            reading=f"hand {name}",
            linear=name,
            trade=METRES_PER_SECOND,
        )
        for name, _, _, _, positive in AXES
    )


def _reach_on_the_ground(spec: HeldRope) -> Visual:
    """A white line on the ground below the edge of the reach."""
    left, right = spec.hand.reach.x
    near, far = spec.hand.reach.y
    z = spec.ground.height
    corners = [(left, near, z), (right, near, z), (right, far, z), (left, far, z)]
    return bars(
        "reach", "world", list(zip(corners, corners[1:] + corners[:1], strict=True)), 0.01, WHITE
    )
