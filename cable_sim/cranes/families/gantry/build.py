"""A gantry crane for containers on four ropes, from its file to a scene: rubber-tyred in a yard, or
ship-to-shore.

Frame: x along the girders away from the truck lane, y along the runway, z up, the origin on the
ground in the middle of the span. The frames of ``gantry`` and ``trolley`` have their origins at the
height of the trolley sheaves.

*Ropes.* Four ropes run from one drum on the trolley over a trolley sheave each, down to a corner of
the head block, round its sheave and up to a dead end on the trolley. The drum pays out as much of
each, so at equal spacings above and below the head block stays level and moves as the coupler of a
parallelogram: it sways with 2 pi sqrt(h / g), h the length of the falls, whatever hangs below it,
and resists skew by W r^2 / h, r^2 the mean square of the falls' distance from the middle. All that
the ropes leave is on the trolley, so driving it lifts nothing.
"""

import dataclasses
import math

from cable_sim.cranes.crane import Axis, Cab, Crane, RopeModels, Suspension
from cable_sim.cranes.families.gantry.devices import gantry_devices
from cable_sim.cranes.families.gantry.look import gantry_visuals
from cable_sim.cranes.families.gantry.micro_motion import ALONG_GIRDERS, ALONG_RUNWAY
from cable_sim.cranes.families.gantry.spec import (
    BEAM_SHARE,
    BLOCK_SHARE,
    FALLS_PER_ROPE,
    ContainerLoad,
    GantryCrane,
)
from cable_sim.cranes.families.gantry.spreader import (
    gantry_collision,
    gantry_solids,
    twistlocks_joint,
    twistlocks_that_turn,
)
from cable_sim.cranes.families.gantry.yard_look import yard_surfaces
from cable_sim.cranes.parts.axes import Motion, hoist_axis, straight_axis
from cable_sim.cranes.parts.buffers import stops
from cable_sim.cranes.parts.drives import axis_drive, rail_drive
from cable_sim.cranes.parts.joint_friction import with_friction
from cable_sim.cranes.rigging.falling_ropes import lay_falling_ropes, ropes_when_slack
from cable_sim.cranes.rigging.reeving import fall_spans, path_points, uprightness
from cable_sim.cranes.rigging.reeving_checks import warn_of_bending, warn_of_rope
from cable_sim.cranes.rigging.rig import air_of, drags, tag_line_cable, tie
from cable_sim.cranes.rigging.tackle import half_turn, swivel_end
from cable_sim.spec import (
    Anchor,
    Body,
    Box,
    Cable,
    Carriage,
    Drive,
    Drum,
    Elevation,
    Hybrid,
    Joint,
    Scene,
    Sheave,
    Winch,
)
from cable_sim.spec.nodes import Node
from cable_sim.spec.quantities import Vector
from cable_sim.spec.scene import GRAVITY

CORNERS = ((1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0))
"""Signs of x and y of the four ropes, anticlockwise from above."""
LIES_ON = ("spreader", "container")
"""Bodies that slack ropes lie on."""
WAVE_POINTS = 9
"""Number of wave points of a fall: enough for its first modes.

They are few enough to oscillate at a step of 1 ms with rated load on 2 m of fall.
"""


def build_gantry(spec: GantryCrane, name: str = "gantry") -> Crane:
    """The crane of a file, in static equilibrium at its start.

    The load hangs, or it stands under ropes that carry spreader and head block. Raises SpecError
    when the parts do not fit together.
    """
    load = _tag_line_body(spec)[0]
    ropes = _hoist_ropes(spec)
    axes = _axes(spec)
    names = tuple(rope.name for rope in ropes)
    visuals = gantry_visuals(spec)
    solids = tuple(gantry_solids(visuals))
    _warn(spec)
    plain = Scene(
        name=name,
        bodies=_bodies(spec),
        joints=_joints(spec),
        cables=(*ropes, *_tag_line(spec)),
        drives=_drives(spec),
        surfaces=yard_surfaces(spec),
        obstacles=solids,
        collision=gantry_collision(spec, solids),
        visuals=visuals,
        carriages=_carriages(spec, names),
        air=air_of(spec.wind),
    )
    return Crane(
        name=name,
        family="gantry_crane",
        axes=(*axes, *_slow_axes(spec)),
        ropes=names,
        watched=load,
        suspensions=(Suspension("gantry", "trolley", "spreader", load, spec.n_falls),),
        cab=Cab("trolley", (1.5, 0.0, -2.3)),
        wheels=spec.crane.wheels.turn() if spec.crane.wheels else None,
        twistlocks=twistlocks_that_turn(spec),
        wind=spec.wind.sum_of,
        details=spec,
        **lay_falling_ropes(plain, LIES_ON, _falling(spec, ropes)),
        **gantry_devices(spec, _axes(spec), names),
    )


def _warn(spec: GantryCrane) -> None:
    """Warn about proportions that no manufacturer would use."""
    ropes = len(spec.reeving.lay)
    reeving = spec.reeving
    warn_of_rope(spec.hoist_rope, spec.pull_rated / ropes, reeving.design_factor)
    wheels = {"reeving.sheave_diameter": reeving.sheave_diameter}
    warn_of_bending(spec.hoist_rope, wheels | {"drum.pitch_diameter": spec.drum.pitch_diameter})
    drum, sheave, *_ = rope_path(spec, CORNERS[0])
    spec.drum.warn(math.dist(drum.position, sheave.position), ropes)


def rope_path(spec: GantryCrane, corner: tuple[float, float]) -> tuple[Node, ...]:
    """Nodes of the rope to a corner (signs of x and y), from the drum to the dead end, in the
    bodies' frames."""
    reeving = spec.reeving
    upper_x, upper_y = (
        0.5 * sign * side for sign, side in zip(corner, reeving.trolley_spacing, strict=True)
    )
    lower_x, lower_y = (
        0.5 * sign * side for sign, side in zip(corner, reeving.head_block_spacing, strict=True)
    )
    radius = 0.5 * reeving.sheave_diameter
    axle = axle_above_spreader(spec)
    beside = corner[1] * radius
    eta = reeving.sheave_efficiency
    return (
        Drum("trolley", (upper_x, 0.0, 0.0), 0.5 * spec.drum.pitch_diameter, ALONG_GIRDERS),
        Sheave("trolley", (upper_x, upper_y + beside, 0.0), eta, radius, ALONG_GIRDERS),
        *half_turn(
            "spreader",
            (lower_x, lower_y + beside, axle),
            (lower_x, lower_y - beside, axle),
            eta,
            ALONG_GIRDERS,
        ),
        Anchor("trolley", (upper_x, upper_y - beside, 0.0)),
    )


def axle_above_spreader(spec: GantryCrane) -> float:
    """Height of the head block's sheaves above the centre of mass of spreader and head block
    [m]."""
    return spec.rig.spreader.height - spec.spreader_centre


def _origins(spec: GantryCrane) -> dict[str, Vector]:
    """Centres of mass at the start [m]."""
    start = spec.rig.start
    top = spec.sheave_height
    twistlocks = top - spec.depth_start
    made = {
        "gantry": (0.0, start.gantry, top),
        "trolley": (start.trolley, start.gantry, top),
        "spreader": (start.trolley, start.gantry, twistlocks + spec.spreader_centre),
    }
    if spec.rig.load:
        over = spec.top_standing if spec.rig.twistlocks == "open" else twistlocks
        made["container"] = (start.trolley, start.gantry, over - 0.5 * spec.rig.load.size[2])
    return made


def _bodies(spec: GantryCrane) -> tuple[Body, ...]:
    """Gantry, trolley, spreader with head block, and container."""
    at = _origins(spec)
    masses = spec.crane.masses
    load = spec.rig.load
    portal = Box(spec.crane.span, spec.crane.wheel_base, spec.sheave_height)
    bodies = (
        Body("gantry", masses.gantry, portal.inertia(masses.gantry), position=at["gantry"]),
        Body(
            "trolley",
            masses.trolley,
            Box(5.0, 6.0, 1.5).inertia(masses.trolley),
            position=at["trolley"],
        ),
        Body(
            "spreader",
            spec.spreader_mass,
            _spreader_inertia(spec),
            _outline(spec),
            position=at["spreader"],
            drawn=spec.rig.load is None or spec.rig.twistlocks is not None,
            drag=drags(spec.rig.spreader.cd, spec.rig.spreader.areas),
            color=(0.96, 0.72, 0.08),
        ),
    )
    if load is None:
        return bodies
    return (*bodies, *_container(load, at["container"]))


def _outline(spec: GantryCrane) -> Box:
    """Return the outline of the spreader, whose centre of mass is in its middle."""
    return Box(*spec.rig.spreader.size, 2.0 * spec.spreader_centre)


def _container(load: ContainerLoad, at: Vector) -> tuple[Body, ...]:
    """The container.

    If its centre of mass is beside its middle, half of the mass is cargo that makes it so.
    """
    if load.offset == (0.0, 0.0):
        return (_box("container", load, load.mass, at),)
    half = 0.5 * load.mass
    x, y = load.offset
    place = (at[0] + 2.0 * x, at[1] + 2.0 * y, at[2])
    cargo = Box(0.5 * load.size[0], 0.5 * load.size[1], 0.5 * load.size[2]).inertia(half)
    return (_box("container", load, half, at), Body("cargo", half, cargo, position=place))


def _box(name: str, load: ContainerLoad, mass: float, at: Vector) -> Body:
    """A box of the load's size with that mass [kg]."""
    return Body(
        name, mass, shape=Box(*load.size), position=at, drag=drags(load.cd), color=load.color
    )


def _spreader_inertia(spec: GantryCrane) -> Vector:
    """Moments of a flat spreader and of a head block over it, about their common centre of mass [kg
    m^2]."""
    height = spec.rig.spreader.height
    masses = spec.crane.masses
    spacing = spec.reeving.head_block_spacing
    beam = Box(*spec.rig.spreader.size, 0.4 * height).inertia(masses.spreader)
    block = Box(*spacing, 0.4 * height).inertia(masses.head_block)
    below = spec.spreader_centre - BEAM_SHARE * height
    above = BLOCK_SHARE * height - spec.spreader_centre
    apart = masses.spreader * below**2 + masses.head_block * above**2
    return (beam[0] + block[0] + apart, beam[1] + block[1] + apart, beam[2] + block[2])


def _joints(spec: GantryCrane) -> tuple[Joint, ...]:
    """Runway and girders with their end stops, and the twistlocks."""
    at = _origins(spec)
    start = spec.rig.start
    low, high = spec.crane.trolley_travel
    first, last = spec.crane.runway
    rails = (
        Joint(
            "gantry",
            "prismatic",
            "gantry",
            point=at["gantry"],
            axis=ALONG_RUNWAY,
            position=start.gantry,
            lower=first,
            upper=last,
            **stops(spec.limits.gantry_buffer),
        ),
        Joint(
            "trolley",
            "prismatic",
            "trolley",
            "gantry",
            point=at["trolley"],
            axis=ALONG_GIRDERS,
            position=start.trolley,
            lower=low,
            upper=high,
            **stops(spec.limits.trolley_buffer),
        ),
    )
    joints = with_friction(rails, spec.friction, _drives(spec))
    if spec.rig.load is None:
        return joints
    locks = twistlocks_joint(spec, at["spreader"])
    if spec.rig.load.offset == (0.0, 0.0):
        return (*joints, locks)
    return (*joints, locks, Joint("lashing", "fixed", "cargo", "container", point=at["container"]))


def _hoist_ropes(spec: GantryCrane) -> tuple[Cable, ...]:
    """Four ropes on one drum, each as tight as its share of what hangs on them needs.

    The dead end of a hybrid wire swivels: with masses it carries no torque.
    """
    hanging = spec.rig.start.state == "hanging"
    weight = GRAVITY * (spec.spreader_mass + (spec.load_mass + _tag_mass(spec) if hanging else 0.0))
    nodes = [rope_path(spec, corner) for corner in CORNERS]
    falls = fall_spans(nodes[0], lower="spreader")
    tension = weight / sum(uprightness(path_points(path, _origins(spec)), falls) for path in nodes)
    sagging = spec.reeving.model == "elevation"
    reserve = FALLS_PER_ROPE * (spec.depth_range[1] - spec.depth_start)
    drum = spec.drum.wind_layers(spec.hoist_rope, reserve, len(spec.reeving.lay))
    layer = Elevation(points=WAVE_POINTS, damping=spec.fall_damping) if sagging else None
    return tuple(
        Cable(
            name=f"hoist_rope_{i}",
            nodes=swivel_end(path) if spec.reeving.model == "hybrid" else path,
            rope=dataclasses.replace(spec.hoist_rope, lay=lay),
            pretension=tension * (spec.load_share(corner) if hanging else 1.0),
            damping_time=spec.rope_damping_time,
            elevation=layer,
            hybrid=Hybrid() if spec.reeving.model == "hybrid" else None,
            winch=Winch("hoist_winch", spec.winch_mass, drum=drum),
            cd=spec.reeving.cd,
        )
        for i, (path, lay, corner) in enumerate(
            zip(nodes, spec.reeving.lay, CORNERS, strict=True), start=1
        )
    )


def _falling(spec: GantryCrane, ropes: tuple[Cable, ...]) -> tuple[RopeModels, ...]:
    """Return the ropes that fall when slack; such a wire has a dead end that swivels."""
    return tuple(
        pair._replace(slack=dataclasses.replace(pair.slack, nodes=swivel_end(pair.slack.nodes)))
        for pair in ropes_when_slack(ropes, spec.reeving.when_slack)
    )


def _tag_line_body(spec: GantryCrane) -> tuple[str, Vector]:
    """The body that a tag line is tied to, and its size [m]: the container, or the empty
    spreader."""
    if spec.rig.load:
        return "container", spec.rig.load.size
    return "spreader", (*spec.rig.spreader.size, 2.0 * spec.spreader_centre)


def _tag_mass(spec: GantryCrane) -> float:
    """Return the mass of tag line that the hanging spreader carries [kg]."""
    tag = spec.rig.tag_line
    body, size = _tag_line_body(spec)
    return tag.hanging_mass(_origins(spec)[body][2] + tie(size)[0][2]) if tag else 0.0


def _tag_line(spec: GantryCrane) -> tuple[Cable, ...]:
    """The rope tied to the load, if there is one."""
    tag = spec.rig.tag_line
    body, size = _tag_line_body(spec)
    return (tag_line_cable(tag, body, size, _origins(spec)[body]),) if tag else ()


def _rope_outside(nodes: tuple[Node, ...]) -> float:
    """Rope outside the falls [m]: from the drum to the trolley sheave, and across the head
    block's."""
    return sum(
        sum((a - b) ** 2 for a, b in zip(near.position, far.position, strict=True)) ** 0.5
        for near, far in zip(nodes, nodes[1:], strict=False)
        if near.body == far.body
    )


def _drives(spec: GantryCrane) -> tuple[Drive, ...]:
    """Drives on runway, girders and drum; the hoist's in terms of the ropes: their speed and the
    sum of their pulls."""
    drives = spec.drives
    hoist = drives.hoist
    gantry = drives.gantry
    travel = gantry.motion(spec.travel_speed)
    brake = spec.brake
    rope_speed = FALLS_PER_ROPE * hoist.v_rated
    ropes = Motion(FALLS_PER_ROPE * hoist.v_empty, rope_speed / hoist.ramp, hoist.control)
    return (
        rail_drive("gantry", gantry, brake.gantry_force, travel, **brake.delays),
        rail_drive("trolley", drives.trolley, brake.trolley_force, **brake.delays),
        axis_drive(
            "hoist",
            "hoist_winch",
            ropes,
            tau=hoist.tau,
            effort=hoist.pull_factor * spec.pull_rated,
            power=hoist.pull_factor * spec.pull_rated * rope_speed,
            brake=brake.hoist_torque_factor * spec.pull_rated,
            **brake.delays,
        ),
    )


def _carriages(spec: GantryCrane, ropes: tuple[str, ...]) -> tuple[Carriage, ...]:
    """The frame on the trolley that carries the ropes, and the wheels."""
    micro = spec.drives.micro
    wheels = spec.crane.wheels
    moved = micro.carriages(ropes, _origins(spec)["trolley"]) if micro else ()
    return (*moved, wheels.carriage()) if wheels else moved


def _slow_axes(spec: GantryCrane) -> tuple[Axis, ...]:
    """Skew and trim, and the turn of the wheels."""
    micro = spec.drives.micro
    wheels = spec.crane.wheels
    return (*(micro.axes() if micro else ()), *((wheels.axis(),) if wheels else ()))


def _axes(spec: GantryCrane) -> tuple[Axis, ...]:
    """Return the three motions; the hoist reads the depth of the twistlocks below the trolley's
    sheaves."""
    hoist = spec.drives.hoist
    trolley = spec.drives.trolley
    gantry = spec.drives.gantry
    return (
        straight_axis(
            "gantry",
            "along +y, to the left of the trolley's way",
            spec.crane.runway,
            gantry.motion(spec.travel_speed),
            reading="gantry travel",
            linear="y",
        ),
        straight_axis(
            "trolley",
            "outward, away from the truck lane",
            spec.crane.trolley_travel,
            trolley.motion(),
            reading="trolley travel",
            linear="x",
        ),
        hoist_axis(
            spec.depth_range,
            Motion(spec.hoist_speed, hoist.v_rated / hoist.ramp, hoist.control),
            falls=FALLS_PER_ROPE,
            zero=_rope_outside(rope_path(spec, CORNERS[0]))
            - FALLS_PER_ROPE * spec.rig.spreader.height,
            reading="spreader below trolley",
            linear="-z",
            emergency_brake=spec.brake.emergency_share,
        ),
    )
