"""A tower crane with a saddle jib, from its file to a scene.

Frames at slewing angle zero: x outward along the jib, z up, slewing axis along z through the
origin, ground at z = 0. The frames of ``jib`` and ``trolley`` have their origins at the height of
the level rope.
"""

import math

from cable_sim.cranes.crane import Axis, Cab, Crane, Suspension
from cable_sim.cranes.families.tower.devices import tower_devices
from cable_sim.cranes.families.tower.look import tower_visuals
from cable_sim.cranes.families.tower.reeving import hoist_path
from cable_sim.cranes.families.tower.spec import TowerCrane
from cable_sim.cranes.families.tower.structure import Carried, soften
from cable_sim.cranes.parts.axes import Motion, Trade, axis_of_motion, hoist_axis, straight_axis
from cable_sim.cranes.parts.buffers import stops
from cable_sim.cranes.parts.drives import axis_drive, rail_drive
from cable_sim.cranes.parts.joint_friction import with_friction
from cable_sim.cranes.rigging.falling_ropes import lay_falling_ropes, ropes_when_slack
from cable_sim.cranes.rigging.reeving import holding_tension, resting_yaw, rope_outside
from cable_sim.cranes.rigging.reeving_checks import warn_of_bending, warn_of_falls, warn_of_rope
from cable_sim.cranes.rigging.rig import (
    Hanging,
    air_of,
    drags,
    hang_from,
    load_body,
    sling_cables,
    stand_on,
    tag_line_cable,
    tie,
    upright,
)
from cable_sim.spec import Body, Box, Cable, Drag, Drive, Joint, Scene, Winch
from cable_sim.spec.nodes import Node
from cable_sim.spec.quantities import Vector
from cable_sim.spec.scene import GRAVITY

BLOCK = Box(0.6, 0.4, 1.2)
"""Outline of the hook block, along and across the jib and from above [m] (E)."""


def build_tower(spec: TowerCrane, name: str = "tower") -> Crane:
    """The crane of a file, in static equilibrium at its start.

    The block is turned as far as the rope's torque turns it. A block that this torque would turn
    over starts straight. Raises SpecError when the parts do not fit together.
    """
    nodes = hoist_path(spec)
    _warn(spec, nodes)
    hanging = _heights(spec)
    yaw = resting_yaw(nodes, _origins(spec, hanging), spec.hoist_rope, _carried_weight(spec))
    bodies = _bodies(spec, hanging, yaw)
    joints = _joints(spec)
    if spec.crane.structure.mode == "soft":
        side = spec.crane.mast_side
        soft = spec.crane.structure
        bodies, joints = soften(
            bodies, joints, _jib_inertia(spec), side, _carried_masses(spec), soft
        )
    rope = _hoist_rope(spec, nodes, hanging, yaw)
    plain = Scene(
        name=name,
        bodies=bodies,
        joints=joints,
        cables=(rope, *_slings(spec), *_tag_line(spec, hanging)),
        drives=_drives(spec),
        surfaces=spec.site.surfaces(),
        obstacles=spec.site.obstacles(),
        visuals=(*tower_visuals(spec), *spec.site.visuals()),
        air=air_of(spec.wind),
    )
    falling = ropes_when_slack((rope,), spec.reeving.when_slack)
    axes = _axes(spec, nodes, hanging)
    return Crane(
        name=name,
        family="tower_crane",
        axes=axes,
        ropes=("hoist_rope",),
        watched="load",
        suspensions=(Suspension("jib", "trolley", "hook_block", "load", spec.reeving.n_falls),),
        cab=Cab("jib", (2.2, -1.7, -1.6)),
        slings=tuple(sling.name for sling in _slings(spec)),
        wind=spec.wind.sum_of,
        details=spec,
        **lay_falling_ropes(plain, ("load",), {"hook_block": BLOCK}, falling),
        **tower_devices(spec, axes),
    )


def _warn(spec: TowerCrane, nodes: tuple[Node, ...]) -> None:
    """Warn about proportions that no manufacturer would use."""
    warn_of_rope(spec.hoist_rope, spec.line_pull_rated, spec.reeving.design_factor)
    wheels = {"reeving.sheave_diameter": spec.reeving.sheave_diameter}
    warn_of_bending(spec.hoist_rope, wheels | {"drum.pitch_diameter": spec.drum.pitch_diameter})
    warn_of_falls(nodes)
    if nodes[0].body == nodes[1].body:
        spec.drum.warn(math.dist(nodes[0].position, nodes[1].position))


def _heights(spec: TowerCrane) -> Hanging:
    """Heights of hook and load at the start."""
    rig = spec.rig
    if rig.start.state == "hanging":
        return hang_from(spec.sheave_height - rig.start.hook_depth, rig.load, rig.slings)
    return stand_on(spec.support_height, rig.load, rig.slings, spec.site.ground)


def _origins(spec: TowerCrane, hanging: Hanging) -> dict[str, Vector]:
    """Centres of mass at the start, before the jib is turned to its slewing angle [m]."""
    radius = spec.rig.start.radius
    return {
        "jib": (0.0, 0.0, spec.sheave_height),
        "trolley": (radius, 0.0, spec.sheave_height),
        "hook_block": (radius, 0.0, hanging.hook - spec.hook_point()[2]),
        "load": (radius, 0.0, hanging.load),
    }


def _carried_weight(spec: TowerCrane) -> float:
    """Return the weight on the falls at the start [N].

    That is the block, and the load with its tag line unless it stands.
    """
    rig = spec.rig
    mass = spec.hook_block_mass
    if rig.start.state == "hanging":
        mass += rig.load.mass
        mass += (
            rig.tag_line.hanging_mass(_heights(spec).load + tie(rig.load.size)[0][2])
            if rig.tag_line
            else 0.0
        )
    return GRAVITY * mass


def _carried_masses(spec: TowerCrane) -> Carried:
    """Return the masses and the weight that the jib carries at the start."""
    trolley = spec.crane.masses.trolley
    weight = GRAVITY * trolley + _carried_weight(spec)
    return Carried(trolley, spec.hook_block_mass, weight, spec.rig.start.radius)


def _bodies(spec: TowerCrane, hanging: Hanging, yaw: float) -> tuple[Body, ...]:
    """Jib, trolley, hook block and load, turned to the slewing angle, and the block by ``yaw``
    [rad] more."""
    angle = math.radians(spec.rig.start.slewing_angle_deg)
    turned = upright(angle)
    at = {
        body: (x * math.cos(angle), x * math.sin(angle), z)
        for body, (x, _, z) in _origins(spec, hanging).items()
    }
    return (
        Body(
            "jib",
            spec.crane.masses.slewing_part,
            _jib_inertia(spec),
            position=at["jib"],
            orientation=turned,
            drag=_jib_drag(spec),
        ),
        Body(
            "trolley",
            spec.crane.masses.trolley,
            Box(2.0, 1.8, 0.6).inertia(spec.crane.masses.trolley),
            position=at["trolley"],
            orientation=turned,
        ),
        Body(
            "hook_block",
            spec.hook_block_mass,
            BLOCK.inertia(spec.hook_block_mass),
            position=at["hook_block"],
            orientation=upright(angle + yaw),
            drag=drags(spec.reeving.cd, BLOCK.areas),
        ),
        load_body(spec.rig.load, at["load"], turned),
    )


def _jib_drag(spec: TowerCrane) -> tuple[Drag, ...]:
    """Return the wind drag on the slewing part from the side.

    The jib has it at Gauss' two points, the counter-jib at its ballast. So force, moment and
    damping are those of areas that are spread evenly over the jib.
    """
    areas = spec.crane.wind_areas
    half = 0.5 * spec.crane.jib_length
    places = [(0.5 * areas.jib, half * (1.0 + sign / math.sqrt(3.0))) for sign in (-1.0, 1.0)]
    places.append((areas.counter_jib, -0.75 * spec.crane.counter_jib_length))
    return tuple(Drag(1.0, (0.0, area, 0.0), (x, 0.0, 0.0)) for area, x in places if area > 0.0)


def _jib_inertia(spec: TowerCrane) -> Vector:
    """Moments of the slewing part [kg m^2]: a slender body along x, with the same moment about y
    and z.

    Only the one about the slewing axis matters, because the hinge holds the others.
    """
    about_x = spec.crane.masses.slewing_part * 2.0**2
    return (about_x, spec.crane.slewing_inertia_empty, spec.crane.slewing_inertia_empty)


def _joints(spec: TowerCrane) -> tuple[Joint, ...]:
    """Slewing ring, and trolley rail with its end stops."""
    start = spec.rig.start
    angle = math.radians(start.slewing_angle_deg)
    height = spec.sheave_height
    lower, upper = spec.crane.radius_limits
    along = (math.cos(angle), math.sin(angle), 0.0)
    joints = (
        Joint("slewing", "hinge", "jib", point=(0.0, 0.0, height), position=angle),
        Joint(
            "trolley",
            "prismatic",
            "trolley",
            "jib",
            point=(start.radius * along[0], start.radius * along[1], height),
            axis=along,
            position=start.radius,
            lower=lower,
            upper=upper,
            **stops(spec.limits.trolley_buffer),
        ),
    )
    return with_friction(joints, spec.friction, _drives(spec))


def _hoist_rope(spec: TowerCrane, nodes: tuple[Node, ...], hanging: Hanging, yaw: float) -> Cable:
    """The hoist rope, as tight as what hangs on it needs, without twist if the block were
    straight."""
    reserve = spec.reeving.n_falls * (spec.hook_depth_range[1] - spec.hook_depth_start)
    return Cable(
        name="hoist_rope",
        nodes=nodes,
        rope=spec.hoist_rope,
        twist=-spec.reeving.n_falls * yaw,
        pretension=holding_tension(nodes, _origins(spec, hanging), _carried_weight(spec), yaw),
        damping_time=spec.rope_damping_time,
        touches=tuple(obstacle.name for obstacle in spec.site.obstacles()),
        **spec.reeving.layers,
        winch=Winch(
            "hoist_winch", spec.winch_mass, drum=spec.drum.wind_layers(spec.hoist_rope, reserve)
        ),
        cd=spec.reeving.cd,
    )


def _slings(spec: TowerCrane) -> tuple[Cable, ...]:
    """The slings from hook to load."""
    return sling_cables(spec.rig.load, spec.rig.slings, "hook_block", spec.hook_point())


def _tag_line(spec: TowerCrane, hanging: Hanging) -> tuple[Cable, ...]:
    """The rope tied to the load, if there is one."""
    if spec.rig.tag_line is None:
        return ()
    radius = spec.rig.start.radius
    angle = math.radians(spec.rig.start.slewing_angle_deg)
    position = (radius * math.cos(angle), radius * math.sin(angle), hanging.load)
    return (tag_line_cable(spec.rig.tag_line, "load", spec.rig.load.size, position, angle),)


def _drives(spec: TowerCrane) -> tuple[Drive, ...]:
    """Drives on hinge, rail and winch; the hoist's in terms of rope: falls times hook speed, line
    pull."""
    hoist = spec.drives.hoist
    slewing = spec.drives.slewing
    brake = spec.brake
    rope_speed = spec.reeving.n_falls * spec.hook_speed_max
    return (
        axis_drive(
            "slewing",
            "slewing",
            slewing.motion(),
            tau=slewing.tau,
            effort=slewing.torque_max,
            brake=brake.slewing_torque,
            **brake.delays,
        ),
        rail_drive("trolley", spec.drives.trolley, brake.trolley_force, **brake.delays),
        axis_drive(
            "hoist",
            "hoist_winch",
            Motion(rope_speed, rope_speed / hoist.ramp, hoist.control),
            tau=hoist.tau,
            effort=hoist.pull_factor * spec.line_pull_rated,
            power=hoist.pull_factor * hoist.power * hoist.efficiency,
            brake=brake.hoist_torque_factor * spec.line_pull_rated,
            **brake.delays,
        ),
    )


def _axes(spec: TowerCrane, nodes: tuple[Node, ...], hanging: Hanging) -> tuple[Axis, ...]:
    """Return the three motions; the hoist reads the depth of the hook below the trolley's
    sheaves."""
    drives = spec.drives
    n = spec.reeving.n_falls
    speed = spec.hook_speed(spec.rig.load.mass)
    ramp = spec.hook_speed_max / drives.hoist.ramp
    return (
        _slewing_axis(spec),
        straight_axis(
            "trolley",
            "outward",
            spec.crane.radius_limits,
            drives.trolley.motion(),
            reading="radius",
        ),
        hoist_axis(
            spec.hook_depth_range,
            Motion(speed, ramp, drives.hoist.control),
            falls=n,
            zero=rope_outside(nodes, _origins(spec, hanging)) - n * spec.reeving.hook_below_axle,
            reading="hook below trolley",
            emergency_brake=spec.brake.emergency_share,
        ),
    )


def _slewing_axis(spec: TowerCrane) -> Axis:
    """Return the slewing of the jib."""
    turn = math.radians(spec.limits.slewing_range_deg)
    return axis_of_motion(
        "slewing",
        "rad",
        "anticlockwise from above",
        (-turn, turn),
        spec.drives.slewing.motion(),
        Trade("rpm", 60.0 / (2.0 * math.pi)),
        reading="slewing angle",
    )
